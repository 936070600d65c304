//! Links whose rate varies: departures worked by hand, and that a trace lets through what it says.

mod columns;

use aqmlab_record::LinkSummary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, real, table};

/// Datagrams that arrive at the bottleneck as they are sent; its frames have four bytes more than their
/// packets, and its opportunities come after 10, 20, 20 and 30 ms, again and again.
const LINE: &str = r#"
name = "trace"
duration_s = 0.2
[dumbbell]
rate_mbps = 1.6042667
rate_trace_file = "own.trace"
interface_rate_mbps = 1000000.0
layer2_overhead_bytes = 4
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = { scheme = "drop-tail", limit_packets = 1000 }
[files]
"own.trace" = "10\n20\n20\n30\n"
[record]
packets = true
"#;

/// The same link between two routers of a topology; the way back has a rate that does not vary.
const TOPOLOGY: &str = r#"
name = "trace"
duration_s = 0.2
[topology]
nodes = [
  { name = "left", kind = "host" },
  { name = "a", kind = "router" },
  { name = "b", kind = "router" },
  { name = "right", kind = "host" },
]
links = [
  { from = "left", to = "a" },
  { from = "a", to = "b", both_ways = false, rate_mbps = 1.6042667, rate_trace_file = "own.trace", layer2_overhead_bytes = 4, layer2_minimum_frame_bytes = 0, layer2_gap_bytes = 0, queue = { scheme = "drop-tail", limit_packets = 1000 } },
  { from = "b", to = "a", both_ways = false, rate_mbps = 100.0, queue = { scheme = "drop-tail", limit_packets = 1000 } },
  { from = "b", to = "right" },
]
[files]
"own.trace" = "10\n20\n20\n30\n"
[record]
packets = true
"#;

fn simulate(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// When packets of so many bytes leave, in whole milliseconds, of which one is sent in every so many.
fn departures(packet_bytes: u32, every_ms: f64) -> Vec<u64> {
    let rate_mbps = f64::from(packet_bytes) * 8.0 / every_ms / 1e3;
    let text = format!(
        "{LINE}\n[[datagrams]]\ncount = 1\ndirection = \"left-to-right\"\npacket_bytes = {packet_bytes}\n\
         rate_mbps = {rate_mbps}\nstart_spread_s = 0.0\n"
    );
    departures_in(&text)
}

fn departures_in(text: &str) -> Vec<u64> {
    let output = simulate(text);
    let packets = table(&output, "packets");
    let rows = real(packets, "time_s").iter().zip(names(packets, "event").iter());
    let left = rows.filter(|(_, event)| *event == Some("departure"));
    left.map(|(time, _)| (time * 1e3).round() as u64).collect()
}

#[test]
fn a_full_packet_fills_an_opportunity_and_the_trace_begins_again_behind_its_last() {
    assert_eq!(departures(1_500, 1.0)[..9], [10, 20, 20, 30, 40, 50, 50, 60, 70]);
}

#[test]
fn small_packets_share_an_opportunity() {
    // 376 bytes with their frames: four fill one.
    let expected = [10, 10, 10, 10, 20, 20, 20, 20, 20, 20, 20, 20, 30, 30, 30, 30, 40];
    assert_eq!(departures(372, 1.0)[..17], expected);
}

#[test]
fn what_is_left_of_an_opportunity_belongs_to_the_next_packet() {
    // 2,256 bytes with their frames, one and a half opportunities: the k-th leaves in opportunity 1.5 k,
    // rounded up.
    assert_eq!(departures(2_252, 1.0)[..6], [20, 20, 40, 50, 60, 70]);
}

#[test]
fn an_opportunity_with_nothing_to_send_is_lost() {
    // At 0, 25, 50 and so on, a little later at the link: the instants 50 of the second round are over.
    assert_eq!(departures(1_500, 25.0)[..4], [10, 30, 60, 80]);
}

#[test]
fn a_saturated_link_lets_through_what_its_trace_says() {
    // A burst of 100 opportunities at once, then one every millisecond for 900: 12.032 Mbit/s on average.
    let burst = "0\\n".repeat(100);
    let rest: String = (101..=1000).map(|ms| format!("{ms}\\n")).collect();
    let text = LINE.replace("10\\n20\\n20\\n30\\n", &format!("{burst}{rest}"));
    let text = text.replace("1.6042667", "12.032").replace("packets = true", "responses = \"none\"");
    let text = text.replace("duration_s = 0.2", "duration_s = 30.0\nwarm_up_s = 10.0");
    let flows = "[[flows]]\ncount = 4\ndirection = \"left-to-right\"\nprofile = \"rfc5681\"\n\
                 host = { window_bytes = 1000000 }\n";
    let output = simulate(&format!("{text}\n{flows}"));
    let LinkSummary { throughput_mbps, rate_mbps, busy_share, ref counters, .. } = output.summary.links[0];
    assert!((throughput_mbps - 12.032).abs() < 0.012, "{throughput_mbps}");
    assert!(
        (throughput_mbps / rate_mbps - 1.0).abs() < 0.001 && busy_share > 0.999,
        "{rate_mbps}, {busy_share}"
    );
    assert!(counters.arrived.packets > 19_900, "{}", counters.arrived.packets);
}

#[test]
fn a_run_is_the_same_again_and_another_trace_is_another_scenario() {
    let flows = "[[flows]]\ncount = 2\ndirection = \"left-to-right\"\nstart_spread_s = 0.0\n";
    let text = format!("{LINE}\n{flows}");
    let digest = |text: &str| format!("{:?}", simulate(text).tables);
    assert_eq!(digest(&text), digest(&text));
    let json = |text: &str| Scenario::from_toml(text, "test", &[]).unwrap().to_json();
    assert_ne!(json(&text), json(&text.replace("10\\n20\\n20", "11\\n20\\n20")));
}

#[test]
fn the_uncongested_twin_has_a_rate_and_no_trace() {
    let text = format!("{LINE}\n[users]\nper_side = 1\n");
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap();
    let twin = scenario.uncongested_twin().unwrap();
    assert!(twin.network.links[0].service.is_constant() && !scenario.network.links[0].service.is_constant());
    assert!(twin.document().files.is_empty());
}

#[test]
fn a_link_of_a_topology_sends_at_the_same_instants() {
    let datagrams = "[[datagrams]]\nname = \"d\"\ncount = 1\nsenders = \"left\"\nreceivers = \"right\"\npacket_bytes = 1500\n\
                     rate_mbps = 12.0\nstart_spread_s = 0.0\n";
    let found = departures_in(&format!("{TOPOLOGY}\n{datagrams}"));
    assert_eq!(found[..9], [10, 20, 20, 30, 40, 50, 50, 60, 70]);
    assert_eq!(found[..9], departures(1_500, 1.0)[..9]);
}

#[test]
fn links_without_an_uncongested_rate_keep_their_trace_in_the_twin() {
    let users = "[[populations]]\nname = \"people\"\ncount = 1\nbrowsers = \"right\"\nservers = \"left\"\n";
    let text = format!("{TOPOLOGY}\n{users}");
    let traces = |text: &str| {
        let twin = Scenario::from_toml(text, "test", &[]).unwrap().uncongested_twin().unwrap();
        let traces = twin.network.links.iter().filter(|link| !link.service.is_constant()).count();
        (traces, twin.document().files.len())
    };
    let elsewhere = text.replace(
        "both_ways = false, rate_mbps = 100.0",
        "both_ways = false, rate_mbps = 100.0, uncongested_rate_mbps = 1000.0",
    );
    assert_eq!(traces(&elsewhere), (1, 1));
    let here = text.replace("rate_mbps = 1.6042667", "rate_mbps = 1.6042667, uncongested_rate_mbps = 1000.0");
    assert_eq!(traces(&here), (0, 0));
}
