// The scenario of ns3.toml for ns-3: bulk flows, and streams of datagrams, through one link under CoDel or FQ-CoDel.
//
// Usage: dumbbell name=value ...; the names are those of `settings`. Every parameter that matters is set here, never left
// at a default of ns-3. Prints lines `result NAME VALUE`, all of the measured window.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

std::map<std::string, std::string> settings{
    {"sack", "0"},
    {"buffer_bytes", "16777216"}, // of each end of a connection; ns-3 walks through what waits in it
    {"scheme", "codel"}, // or fq-codel, fifo
    {"seed", "1"},
    {"flows", "10"},
    {"first_rtt_ms", "30.7"},
    {"last_rtt_ms", "120.3"},
    {"streams", "0"},
    {"stream_mbps", "0.08"},
    {"stream_bytes", "200"},
    {"rate_mbps", "10"},
    {"limit_packets", "1000"},
    {"target_ms", "5"},
    {"interval_ms", "100"},
    {"quantum_bytes", "1514"},
    {"queues", "1024"},
    {"ecn", "0"},
    {"start_spread_s", "1"},
    {"warm_up_s", "20"},
    {"end_s", "100"},
    {"sample_ms", "9.973"},
};

double
Number(const std::string& name)
{
    return std::stod(settings.at(name));
}

std::string
Milliseconds(const std::string& name)
{
    return settings.at(name) + "ms";
}

Ptr<QueueDisc> bottleneck;
uint64_t scheme_packets_sum = 0;
std::vector<Ptr<PacketSink>> sinks;
QueueDisc::Stats before;
std::vector<uint64_t> delivered_before;
uint64_t samples = 0;
double delay_sum_s = 0;
uint64_t delays = 0;

void
ReadCommandLine(int argc, char** argv)
{
    for (int place = 1; place < argc; ++place)
    {
        const std::string word = argv[place];
        const auto cut = word.find('=');
        if (cut == std::string::npos || settings.find(word.substr(0, cut)) == settings.end())
        {
            std::cerr << "dumbbell: unknown setting: " << word << "\n";
            std::exit(2);
        }
        settings[word.substr(0, cut)] = word.substr(cut + 1);
    }
}

// NewReno without timestamps, with selective acknowledgements where they are asked for; one acknowledgement for each segment: packets of 1000 bytes.
void
SetHosts()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(Number("sack") != 0));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn",
                       EnumValue(Number("ecn") != 0 ? TcpSocketState::On : TcpSocketState::Off));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(960));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(static_cast<uint32_t>(Number("buffer_bytes"))));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(static_cast<uint32_t>(Number("buffer_bytes"))));
}

PointToPointHelper
Wire(double mbps, const std::string& delay, const std::string& device_packets)
{
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(mbps * 1e6))));
    wire.SetChannelAttribute("Delay", StringValue(delay));
    wire.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(device_packets));
    return wire;
}

TrafficControlHelper
Scheme()
{
    TrafficControlHelper control;
    const std::string limit = settings.at("limit_packets") + "p";
    const BooleanValue ecn(Number("ecn") != 0);
    if (settings.at("scheme") == "codel")
    {
        control.SetRootQueueDisc("ns3::CoDelQueueDisc",
                                 "MaxSize", StringValue(limit),
                                 "MinBytes", UintegerValue(1500),
                                 "Target", StringValue(Milliseconds("target_ms")),
                                 "Interval", StringValue(Milliseconds("interval_ms")),
                                 "UseEcn", ecn);
    }
    else if (settings.at("scheme") == "fq-codel")
    {
        control.SetRootQueueDisc("ns3::FqCoDelQueueDisc",
                                 "MaxSize", StringValue(limit),
                                 "Target", StringValue(Milliseconds("target_ms")),
                                 "Interval", StringValue(Milliseconds("interval_ms")),
                                 "Flows", UintegerValue(static_cast<uint32_t>(Number("queues"))),
                                 "DropBatchSize", UintegerValue(64),
                                 "Perturbation", UintegerValue(static_cast<uint32_t>(Number("seed"))),
                                 "EnableSetAssociativeHash", BooleanValue(false),
                                 "UseEcn", ecn);
    }
    else
    {
        control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(limit));
    }
    return control;
}

void
Sample()
{
    scheme_packets_sum += bottleneck->GetNPackets();
    ++samples;
    Simulator::Schedule(NanoSeconds(static_cast<int64_t>(Number("sample_ms") * 1e6)), &Sample);
}

void
StartMeasuring()
{
    before = bottleneck->GetStats();
    for (const auto& sink : sinks)
    {
        delivered_before.push_back(sink->GetTotalRx());
    }
    Sample();
}

void
DatagramArrives(Ptr<const Packet> packet)
{
    SeqTsHeader header;
    packet->PeekHeader(header);
    if (header.GetTs().GetSeconds() >= Number("warm_up_s"))
    {
        delay_sum_s += (Simulator::Now() - header.GetTs()).GetSeconds();
        ++delays;
    }
}

void
Print(const std::string& name, double value)
{
    std::cout << "result " << name << " " << value << "\n";
}

void
PrintResults()
{
    const auto& after = bottleneck->GetStats();
    const double seconds = Number("end_s") - Number("warm_up_s");
    const double arrived = after.nTotalReceivedPackets - before.nTotalReceivedPackets;
    const double dropped = after.nTotalDroppedPackets - before.nTotalDroppedPackets;
    const double marked = after.nTotalMarkedPackets - before.nTotalMarkedPackets;
    const double sent = after.nTotalSentBytes - before.nTotalSentBytes;
    std::cout.precision(10);
    Print("sent_packets", after.nTotalSentPackets - before.nTotalSentPackets);
    Print("drops", dropped);
    Print("loss_percent", 100.0 * dropped / arrived);
    Print("mark_percent", 100.0 * marked / arrived);
    Print("queue_packets_mean", static_cast<double>(scheme_packets_sum) / samples);
    Print("throughput_mbps", 8e-6 * sent / seconds);
    for (std::size_t flow = 0; flow < sinks.size(); ++flow)
    {
        const double bytes = sinks[flow]->GetTotalRx() - delivered_before[flow];
        Print("flow_" + std::to_string(flow) + "_mbps", 8e-6 * bytes / seconds);
    }
    Print("stream_delay_ms", delays > 0 ? 1e3 * delay_sum_s / delays : 0.0);
}

// A pair of hosts on wires of their own, whose propagation is half of the way there each.
NodeContainer
Hosts(Ptr<Node> left, Ptr<Node> right, double rtt_ms, Ipv4AddressHelper& addresses, Ipv4Address& receiver)
{
    NodeContainer hosts;
    hosts.Create(2);
    InternetStackHelper().Install(hosts);
    const std::string delay = std::to_string(rtt_ms / 4.0) + "ms";
    PointToPointHelper wire = Wire(1000.0, delay, "100000p");
    const NetDeviceContainer near = wire.Install(hosts.Get(0), left);
    const NetDeviceContainer far = wire.Install(right, hosts.Get(1));
    addresses.Assign(near);
    addresses.NewNetwork();
    receiver = addresses.Assign(far).GetAddress(1);
    addresses.NewNetwork();
    TrafficControlHelper().Uninstall(near);
    TrafficControlHelper().Uninstall(far);
    return hosts;
}

void
MakeFlow(const NodeContainer& hosts, Ipv4Address receiver, double start_s)
{
    const InetSocketAddress address(receiver, 80);
    BulkSendHelper sender("ns3::TcpSocketFactory", address);
    sender.SetAttribute("SendSize", UintegerValue(960));
    sender.Install(hosts.Get(0)).Start(Seconds(start_s));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 80));
    const ApplicationContainer installed = sink.Install(hosts.Get(1));
    sinks.push_back(DynamicCast<PacketSink>(installed.Get(0)));
}

void
MakeStream(const NodeContainer& hosts, Ipv4Address receiver, double start_s)
{
    UdpServerHelper server(9);
    const ApplicationContainer installed = server.Install(hosts.Get(1));
    installed.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&DatagramArrives));
    UdpClientHelper client(receiver, 9);
    const double bits = 8.0 * Number("stream_bytes");
    client.SetAttribute("Interval", TimeValue(Seconds(bits / (1e6 * Number("stream_mbps")))));
    client.SetAttribute("PacketSize", UintegerValue(static_cast<uint32_t>(Number("stream_bytes")) - 28));
    client.SetAttribute("MaxPackets", UintegerValue(0));
    client.Install(hosts.Get(0)).Start(Seconds(start_s));
}

void
Build()
{
    NodeContainer routers;
    routers.Create(2);
    InternetStackHelper().Install(routers);
    // A queue of the device would hide packets from the scheme: it holds one.
    const NetDeviceContainer link = Wire(Number("rate_mbps"), "0ms", "1p").Install(routers);
    TrafficControlHelper control = Scheme();
    bottleneck = control.Install(link.Get(0)).Get(0);
    if (settings.at("scheme") == "fq-codel")
    {
        DynamicCast<FqCoDelQueueDisc>(bottleneck)->SetQuantum(static_cast<uint32_t>(Number("quantum_bytes")));
    }
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(link);
    addresses.NewNetwork();
    TrafficControlHelper().Uninstall(link.Get(1));
    Ptr<UniformRandomVariable> starts = CreateObject<UniformRandomVariable>();
    starts->SetAttribute("Max", DoubleValue(Number("start_spread_s")));
    const int flows = static_cast<int>(Number("flows"));
    const int streams = static_cast<int>(Number("streams"));
    for (int number = 0; number < flows + streams; ++number)
    {
        const double share = flows > 1 ? number / (flows - 1.0) : 0.0;
        const double first = Number("first_rtt_ms");
        const double rtt = number < flows ? first + share * (Number("last_rtt_ms") - first) : 40.0;
        Ipv4Address receiver;
        const NodeContainer hosts = Hosts(routers.Get(0), routers.Get(1), rtt, addresses, receiver);
        if (number < flows)
        {
            MakeFlow(hosts, receiver, starts->GetValue());
        }
        else
        {
            MakeStream(hosts, receiver, starts->GetValue());
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

} // namespace

int
main(int argc, char** argv)
{
    ReadCommandLine(argc, argv);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(static_cast<uint64_t>(Number("seed")));
    SetHosts();
    Build();
    Simulator::Schedule(Seconds(Number("warm_up_s")), &StartMeasuring);
    Simulator::Stop(Seconds(Number("end_s")));
    Simulator::Run();
    PrintResults();
    Simulator::Destroy();
    return 0;
}
