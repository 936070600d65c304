// The crosscheck's dumbbell for htsim: fifty long-lived TCP flows with different round-trip times through one link
// of 100 Mbit/s, drop-tail, 240 packets; the settings are those of scenario.toml as far as htsim has them.
//
// Usage: dumbbell [SIMULATED SECONDS] [SEED]. Prints lines `result NAME VALUE`.

#include "clock.h"
#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include <cstdlib>
#include <iostream>

namespace
{

constexpr int FLOWS = 50;
constexpr double FIRST_RTT_MS = 10.0;
constexpr double LAST_RTT_MS = 150.0;
constexpr int PACKET_BYTES = 1000;
constexpr int LIMIT_PACKETS = 240;
constexpr int EDGE_PACKETS = 100000;

// A queue that counts what leaves it.
class CountedQueue : public Queue
{
  public:
    using Queue::Queue;
    uint64_t departed = 0;

  protected:
    void completeService() override
    {
        ++departed;
        Queue::completeService();
    }
};

} // namespace

int
main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 100.0;
    srand(argc > 2 ? std::atoi(argv[2]) : 1);
    EventList events;
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(PACKET_BYTES);

    const linkspeed_bps edge = speedFromMbps(static_cast<uint64_t>(1000));
    const linkspeed_bps middle = speedFromMbps(static_cast<uint64_t>(100));
    CountedQueue there(middle, memFromPkt(LIMIT_PACKETS), events, nullptr);
    CountedQueue back(middle, memFromPkt(LIMIT_PACKETS), events, nullptr);
    TcpRtxTimerScanner timers(timeFromMs(10), events);

    for (int flow = 0; flow < FLOWS; ++flow)
    {
        const double rtt_ms = FIRST_RTT_MS + (LAST_RTT_MS - FIRST_RTT_MS) * flow / (FLOWS - 1);
        auto* source = new TcpSrc(nullptr, nullptr, events);
        auto* sink = new TcpSink();
        source->setName("source" + ntoa(flow));
        sink->setName("sink" + ntoa(flow));
        timers.registerTcp(*source);

        // Store and forward at 1 Gbit/s at all four crossings, half of the round trip on each way.
        const auto crossing = [&] { return new Queue(edge, memFromPkt(EDGE_PACKETS), events, nullptr); };
        const auto delay = [&] { return new Pipe(timeFromMs(rtt_ms / 2.0), events); };
        auto* out = new route_t();
        for (PacketSink* next : std::initializer_list<PacketSink*>{crossing(), &there, crossing(), delay(), sink})
        {
            out->push_back(next);
        }
        auto* in = new route_t();
        for (PacketSink* next : std::initializer_list<PacketSink*>{crossing(), &back, crossing(), delay(), source})
        {
            in->push_back(next);
        }
        source->connect(*out, *in, *sink, static_cast<simtime_picosec>(drand() * timeFromSec(1.0)));
    }
    while (events.doNextEvent())
    {
    }
    std::cout << "result sent_packets " << there.departed << "\n"
              << "result acknowledgements " << back.departed << "\n"
              << "result dropped_packets " << there.num_drops() << "\n";
    return 0;
}
