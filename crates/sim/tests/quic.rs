//! QUIC beside TCP: pages round trip by round trip, what a lost packet keeps waiting, and transfers whole.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, Simulation, Span, memory_estimate, run};
use columns::{real, table, whole};

/// One reader, 100 ms from every server, over links that take no time worth counting.
const READER: &str = r#"
name = "reader"
duration_s = 200.0
[dumbbell]
rate_mbps = 100000.0
interface_rate_mbps = 100000.0
queue = { scheme = "drop-tail", limit_packets = 10000 }
[users]
left = 0
right = 1
start = "fresh"
model = { model = "pages", pages_file = "own.csv" }
transport = "quic"
minimum_delay_ms = { low = 100, high = 100 }
[record]
responses = "rows"
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(text: &str) -> Output {
    run(&read(text), 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn with_pages(text: &str, page: &str) -> String {
    format!("{text}\n[files]\n\"own.csv\" = \"\"\"\n{page}\"\"\"\n")
}

/// How many round trips the page of these lines takes.
#[track_caller]
fn round_trips(page: &str) -> f64 {
    let output = simulate(&with_pages(READER, page));
    let times = real(table(&output, "pages"), "page_load_time_s");
    assert!(times.len() > 1, "a page was loaded");
    let trips = times[0] / 0.1;
    assert!((trips - trips.round()).abs() < 0.05, "{trips}");
    trips.round()
}

const ROOT: &str = "0,0,0,500,1000\n";

/// The handshake of the transport is that of TLS too: a round trip less than TCP and TLS 1.3 take.
#[test]
fn a_root_takes_one_round_trip_to_open_and_its_own() {
    assert_eq!(round_trips(ROOT), 2.0);
    assert_eq!(round_trips(&format!("{ROOT}0,1,0,500,1000\n")), 3.0);
    assert_eq!(round_trips(&format!("{ROOT}0,1,1,500,1000\n")), 4.0);
    // All requests that the browser's window of 12,000 bytes has room for leave at once; 25,000 bytes of them
    // take a round trip more.
    let objects = |count: usize| format!("{ROOT}{}", "0,1,0,500,10\n".repeat(count));
    assert_eq!(round_trips(&objects(15)), 3.0);
    assert_eq!(round_trips(&objects(50)), 4.0);
}

/// A page of three objects from a server 100 ms away, over a link that loses one of the server's packets.
fn page_over_a_loss(transport: &str, lost: u32) -> Output {
    let text = format!(
        r#"
name = "one loss"
duration_s = 30.0
[topology]
nodes = [
  {{ name = "home", kind = "host" }},
  {{ name = "r", kind = "router" }},
  {{ name = "site", kind = "host" }},
]
links = [
  {{ from = "home", to = "r", rate_mbps = 1000.0 }},
  {{ from = "r", to = "site", rate_mbps = 1000.0, both_ways = false }},
  {{ from = "site", to = "r", rate_mbps = 1000.0, both_ways = false, drop = [{lost}] }},
]
[[populations]]
name = "people"
browsers = "home"
servers = "site"
count = 1
start = "fresh"
model = {{ model = "pages", pages_file = "own.csv", think_time_median_seconds = 20.0, think_time_sigma = 0.01 }}
transport = "{transport}"
minimum_delay_ms = {{ low = 100, high = 100 }}
[record]
responses = "rows"
"#
    );
    let page = format!("{ROOT}0,1,0,500,3500\n0,1,0,500,3501\n0,1,0,500,3502\n");
    simulate(&with_pages(&text, &page))
}

/// How many of the page's three objects come later by more than 30 ms than without a loss.
fn late(transport: &str, lost: u32) -> usize {
    let times = |lost| {
        let output = page_over_a_loss(transport, lost);
        let responses = table(&output, "responses");
        let sizes = whole(responses, "response_bytes").into_iter();
        let times: std::collections::BTreeMap<u64, f64> =
            sizes.zip(real(responses, "response_time_s").iter().copied()).take(4).collect();
        assert_eq!(times.len(), 4, "{times:?}");
        times
    };
    let (usual, now) = (times(1_000_000), times(lost));
    (3_500..=3_502).filter(|size| now[size] > usual[size] + 0.03).count()
}

#[test]
fn a_lost_packet_keeps_its_own_response_waiting_and_over_tcp_others_too() {
    let range = 4..24;
    let over_quic: Vec<usize> = range.clone().map(|lost| late("quic", lost)).collect();
    let over_tcp: Vec<usize> = range.map(|lost| late("tcp", lost)).collect();
    assert!(over_quic.iter().filter(|late| **late == 1).count() >= 4, "{over_quic:?}");
    // A packet with the end of one response may have the beginning of the next.
    assert!(over_quic.iter().all(|late| *late <= 2), "{over_quic:?}");
    assert!(over_tcp.contains(&3), "{over_tcp:?}");
}

/// Transfers over a link of 10 Mbit/s that loses one packet in a hundred, 20 ms away from each other.
const TRANSFERS: &str = r#"
name = "transfers"
duration_s = 60.0
warm_up_s = 0.0
[topology]
nodes = [
  { name = "a", kind = "host" },
  { name = "b", kind = "host" },
  { name = "r", kind = "router" },
  { name = "c", kind = "host" },
]
links = [
  { from = "a", to = "r", rate_mbps = 100.0 },
  { from = "b", to = "r", rate_mbps = 100.0 },
  { from = "r", to = "c", rate_mbps = 10.0, delay_ms = 10.0, loss_probability = 0.01, monitored = true, queue = { scheme = "fq-codel" } },
]
[[flows]]
name = "quic"
count = 2
senders = "a"
receivers = "c"
bytes = 1000000
transport = "quic"
[[flows]]
name = "tcp"
count = 1
senders = "b"
receivers = "c"
bytes = 1000000
[record]
traffic = true
"#;

fn by_class(output: &Output) -> String {
    format!("{:?}", output.summary.links[0].counters.by_class)
}

#[test]
fn transfers_arrive_whole_and_are_datagrams_to_the_network() {
    let output = simulate(TRANSFERS);
    let delivered: Vec<Vec<u64>> =
        output.summary.flows.iter().map(|group| group.delivered_bytes.clone()).collect();
    assert_eq!(delivered, [vec![1_000_000; 2], vec![1_000_000]]);
    let classes = &output.summary.links[0].counters.by_class;
    // 1,452 bytes of UDP each, of which some thirty are headers: 704 packets at the least.
    let datagrams = classes["datagram"].arrived_packets;
    assert!((2 * 700..2 * 800).contains(&datagrams), "{datagrams}");
    assert!(output.summary.invariants.iter().all(|law| law.holds), "{:?}", output.summary.invariants);
}

#[test]
fn equal_runs_are_equal_and_seeds_differ() {
    let scenario = read(TRANSFERS);
    let run_of = |seed| run(&scenario, seed, &Control::default()).unwrap();
    let [one, again, other] = [1, 1, 2].map(run_of);
    assert_eq!((by_class(&one), one.events), (by_class(&again), again.events));
    assert_ne!(by_class(&one), by_class(&other));
}

#[test]
fn a_run_in_steps_is_the_same_run() {
    let scenario = read(TRANSFERS);
    let control = Control::default();
    let mut simulation = Simulation::new(&scenario, 1, &control).unwrap();
    while simulation.now() < simulation.end() {
        simulation.advance_until(simulation.now() + Span::from_milliseconds(700), &control).unwrap();
    }
    let stepped = simulation.finish(&control).unwrap();
    assert_eq!(by_class(&stepped), by_class(&run(&scenario, 1, &control).unwrap()));
}

#[test]
fn a_simulation_over_quic_is_not_copied() {
    let scenario = read(TRANSFERS);
    let simulation = Simulation::new(&scenario, 1, &Control::default()).unwrap();
    let error = simulation.copied().err().expect("refused").to_string();
    assert!(error.contains("the connections of \"quic\" are quic's, which cannot be copied"), "{error}");
    let over_tcp = read(&TRANSFERS.replace("transport = \"quic\"\n", ""));
    assert!(Simulation::new(&over_tcp, 1, &Control::default()).unwrap().copied().is_ok());
}

#[test]
fn marks_take_the_place_of_losses_where_hosts_have_ecn() {
    let text = TRANSFERS.replace("loss_probability = 0.01, ", "");
    let marked = |text: &str| {
        let output = simulate(text);
        let counters = &output.summary.links[0].counters;
        counters.by_class["datagram"].marked_packets
    };
    let with_ecn = text.replace("transport = \"quic\"", "transport = \"quic\"\nhost = { ecn = \"on\" }");
    assert_eq!(marked(&text), 0);
    assert!(marked(&with_ecn) > 0);
}

/// A box that writes CE into every packet changes nothing for hosts without ECN, over QUIC as over TCP.
#[test]
fn marks_are_for_nobody_where_hosts_have_no_ecn() {
    let text = TRANSFERS.replace("loss_probability = 0.01, ", "");
    let text = text.replace("scheme = \"fq-codel\"", "scheme = \"drop-tail\", limit_packets = 50");
    let boxed = text.replace("delay_ms = 10.0, ", "delay_ms = 10.0, ecn_field = \"ce-on-all\", ");
    assert_ne!(text, boxed);
    assert_eq!(simulate(&text).events, simulate(&boxed).events);
}

/// Four times as many as may be open at a time: whoever waits for a stream costs nothing until there is one.
#[test]
fn a_page_of_four_hundred_objects_arrives_whole() {
    let page = format!("{ROOT}{}", "0,1,0,500,5000\n".repeat(400));
    let narrow = READER.replace("rate_mbps = 100000.0\ninterface", "rate_mbps = 50.0\ninterface");
    let output = simulate(&with_pages(&narrow.replace("200.0", "20.0"), &page));
    let times = real(table(&output, "pages"), "page_load_time_s");
    // 2 MB on 50 Mbit/s, and a handful of round trips of 100 ms.
    assert!((0.32..2.0).contains(&times[0]), "{}", times[0]);
}

#[test]
fn the_controller_is_the_scenarios() {
    let text = TRANSFERS.replace("loss_probability = 0.01, ", "");
    let reno = text.replace("transport = \"quic\"", "transport = \"quic\"\nhost = { congestion = \"reno\" }");
    let of_profile = text.replace("transport = \"quic\"", "transport = \"quic\"\nprofile = \"linux6-reno\"");
    let [text, reno, of_profile] = [text, reno, of_profile].map(|text| by_class(&simulate(&text)));
    assert_ne!(text, reno);
    assert_eq!(of_profile, reno);
}

#[test]
fn memory_is_that_of_the_connections() {
    let over_tcp = read(&TRANSFERS.replace("transport = \"quic\"\n", ""));
    let more = memory_estimate(&read(TRANSFERS)) - memory_estimate(&over_tcp);
    assert!((50_000.0..100_000.0).contains(&more), "{more}");
}
