//! Runs whose outcome can be worked out by hand.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, RunError, run};
use columns::{labels, real, table, whole, words};

fn simulate(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap()
}

/// One flow of 1000-byte packets from left to right, without link-layer framing.
fn one_flow(rate_mbps: f64, rtt_ms: f64, window_bytes: u32, limit_packets: u32) -> String {
    format!(
        r#"
name = "one flow"
duration_s = 60.0
warm_up_s = 10.0
[dumbbell]
rate_mbps = {rate_mbps}
queue = {{ scheme = "drop-tail", limit_packets = {limit_packets} }}
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[flows]]
count = 1
direction = "left-to-right"
base_rtt_ms = {rtt_ms}
start_spread_s = 0.0
profile = "ns2-oneway"
host = {{ maximum_segment_bytes = 960, window_bytes = {window_bytes} }}
"#
    )
}

#[test]
fn a_flow_limited_by_its_window_sends_a_window_per_round_trip() {
    let output = simulate(&one_flow(100.0, 100.0, 20 * 960, 240));
    // Data: 8 us on the interface, 80 us on the link; the acknowledgement of 40 bytes: 0.32 us and 3.2 us.
    let round_trip_s = 0.1 + 88e-6 + 3.52e-6;
    let expected_mbps = 20.0 * 8000.0 / round_trip_s / 1e6;
    let link = &output.summary.links[0];
    // The window is measured to within one window at each of its ends.
    let tolerance = 2.0 * 20.0 * 8000.0 / 50.0 / 1e6;
    assert!(
        (link.throughput_mbps - expected_mbps).abs() < tolerance,
        "{} of {expected_mbps}",
        link.throughput_mbps
    );
    assert_eq!(link.loss_ratio, 0.0);
}

#[test]
fn a_finite_one_way_flow_closes_with_the_acknowledgement_of_its_last_byte() {
    let text = one_flow(100.0, 100.0, 20 * 960, 240)
        .replace("profile = \"ns2-oneway\"", "profile = \"ns2-oneway\"\nbytes = 9600")
        + "[record]\nflows = true\n";
    let output = simulate(&text);
    // The SYN, then 2, 4 and 4 packets. A first packet takes 88 us to the far side, the fourth of two pairs
    // 80 us apart 328 us; an acknowledgement takes 3.52 us.
    let expected_s = (0.1 + 7.04e-6) + 2.0 * (0.1 + 91.52e-6) + (0.1 + 331.52e-6);
    let closed = real(table(&output, "flows"), "closed_s");
    assert_eq!(closed.len(), 1);
    assert!((closed[0] - expected_s).abs() < 1e-9, "{} of {expected_s}", closed[0]);
}

/// Two users of five transfers of ten packets: each begins the next one half a second after the last byte of
/// the one before has arrived, and the third transfer of the second user is the last of all.
#[test]
fn a_user_thinks_from_the_end_of_one_transfer_to_the_start_of_the_next() {
    let text = one_flow(100.0, 100.0, 20 * 960, 240)
        .replace("count = 1", "count = 5")
        .replace("warm_up_s = 10.0", "warm_up_s = 0.0")
        .replace(
            "profile = \"ns2-oneway\"",
            "profile = \"ns2-oneway\"\nbytes = 9600\nthink_s = 0.5\nusers = 2",
        );
    let output = simulate(&text);
    let transfers = table(&output, "transfers");
    let (started, took) = (real(transfers, "started_s"), real(transfers, "transfer_time_s"));
    assert_eq!(started.len(), 5);
    assert_eq!(started[..2], [0.0, 0.0]);
    for flow in 2..5 {
        let expected = started[flow - 2] + took[flow - 2] + 0.5;
        assert!((started[flow] - expected).abs() < 1e-9, "{started:?} {took:?}");
    }
    // Four round trips at the least for each of the first user's three.
    assert!(started[4] > 2.0 * (0.3 + 0.5) && started[4] < 2.0 * (0.6 + 0.5), "{started:?}");
}

/// The bytes that a lone flow of `settings` has delivered by the end of a run from 0 on, and when it was
/// closed.
fn stopped(settings: &str) -> (u64, f64) {
    let text = one_flow(100.0, 100.0, 20 * 960, 240)
        .replace("window_bytes", "initial_window_segments = 20, window_bytes")
        .replace("warm_up_s = 10.0", "warm_up_s = 0.0")
        .replace("start_spread_s = 0.0", settings);
    let output = simulate(&format!("{text}[record]\nflows = true\n"));
    let closed = real(table(&output, "flows"), "closed_s");
    (output.summary.flows[0].delivered_bytes[0], closed.first().copied().unwrap_or(f64::NAN))
}

#[test]
fn a_flow_that_stops_sends_nothing_new_and_closes_behind_what_is_under_way() {
    // The SYN, then a window of twenty packets at every round trip from 0.1 s on: ten of them before 1.05 s.
    // The first window leaves at once and is spaced by the link, 80 us a packet; the others keep that
    // distance.
    let closes_s = (0.1 + 7.04e-6) + 10.0 * (0.1 + 91.52e-6) + 19.0 * 80e-6;
    let (delivered, closed_s) = stopped("start_spread_s = 0.0\nstop_s = 1.05");
    assert_eq!(delivered, 10 * 20 * 960);
    assert!((closed_s - closes_s).abs() < 1e-9, "{closed_s} of {closes_s}");
    // So does one that had more to send than it could, and one that has nothing left is closed before.
    assert_eq!(stopped("start_spread_s = 0.0\nstop_s = 1.05\nbytes = 192001").0, 192_000);
    assert_eq!(stopped("start_spread_s = 0.0\nstop_s = 1.25\nbytes = 192000"), (delivered, closed_s));
    // Stopped while it opens: nothing but the SYN and its acknowledgement.
    let (delivered, closed_s) = stopped("start_spread_s = 0.0\nstop_s = 0.05");
    assert_eq!((delivered, (closed_s * 1e9).round()), (0, 100_007_040.0));
}

#[test]
fn flows_of_a_poisson_process_that_would_start_behind_their_stop_never_do() {
    // The mean interval is 1,000 s; a start within a second has probability 0.001.
    assert!(stopped("start_s = 0.0\narrivals_hz = 0.001\nstop_s = 1.0").1.is_nan());
}

#[test]
fn a_flow_with_a_handshake_that_stops_on_a_full_queue_delivers_all_it_sent_and_closes_both_ways() {
    for profile in ["bsd228", "bsd45", "rfc5681", "ns2-full"] {
        let text = one_flow(5.0, 40.0, 96_000, 10)
            .replace("profile = \"ns2-oneway\"", &format!("profile = \"{profile}\"\nstop_s = 20.0"))
            .replace("warm_up_s = 10.0", "warm_up_s = 0.0");
        let output = simulate(&format!("{text}[record]\nflows = true\npackets = true\n"));
        let link = &output.summary.links[0];
        let delivered = output.summary.flows[0].delivered_bytes[0];
        assert!(output.summary.tcp.fast_recoveries > 0 && link.loss_ratio > 0.0, "{profile}: no loss");
        // Twenty seconds of 5 Mbit/s, less headers of 40 in 1,000 bytes and what recovery loses.
        assert!((9_000_000..=12_100_000).contains(&delivered), "{profile}: {delivered}");
        let closed = real(table(&output, "flows"), "closed_s");
        assert!((20.0..25.0).contains(&closed[0]), "{profile}: closed at {} s", closed[0]);
    }
}

/// When a flow of ten packets of 960 bytes that nothing holds up is over, in seconds.
fn closed_s(settings: &str, profile: &str) -> f64 {
    let text = one_flow(100.0, 100.0, 20 * 960, 240)
        .replace("profile = \"ns2-oneway\"", &format!("profile = \"{profile}\"\nbytes = 9600"))
        .replace("warm_up_s = 10.0", &format!("warm_up_s = 10.0\n{settings}"))
        + "[record]\nflows = true\n";
    let output = simulate(&text);
    let closed = real(table(&output, "flows"), "closed_s");
    closed[0]
}

#[test]
fn phases_alone_delay_every_round_trip_by_no_more_than_they_may() {
    // Four round trips over two interfaces and the bottleneck each way, and the flow's own delay.
    let later_ms = (closed_s("delay_phase_ns = 1000000", "ns2-oneway") - closed_s("", "ns2-oneway")) * 1e3;
    assert!((0.1..4.0 * 7.0).contains(&later_ms), "{later_ms}");
}

#[test]
fn a_finite_flow_is_over_when_both_ends_have_closed() {
    for profile in ["bsd228", "bsd45", "rfc5681"] {
        // The handshake, three or four round trips of data, and one for the close.
        let closed_s = closed_s("", profile);
        assert!((0.4..2.0).contains(&closed_s), "{profile}: {closed_s}");
    }
}

#[test]
fn what_lies_in_the_drivers_ring_does_not_wait_in_the_queue() {
    let waiting = |ring: u32| {
        let text = one_flow(10.0, 20.0, 100 * 960, 240)
            .replace("queue =", &format!("transmit_ring_packets = {ring}\nqueue ="));
        simulate(&text).summary.links[0].queue_packets_mean
    };
    // Some 74 packets wait in all: a ring of ten takes ten of them, and one with room for all takes all.
    assert!((waiting(0) - waiting(10) - 10.0).abs() < 0.01);
    assert_eq!(waiting(80), 0.0);
}

/// Six thousand sources of a packet every eight seconds, at random phases: within a busy period of
/// milliseconds their packets come as a Poisson process, which makes an M/D/1 queue of mean length ρ² / 2 (1
/// − ρ), by Pollaczek and Khinchine.
#[test]
fn the_mean_queue_of_poisson_arrivals_is_that_of_pollaczek_and_khinchine() {
    let link = one_flow(10.0, 0.0, 960, 10_000);
    let text = link[..link.find("[[flows]]").unwrap()]
        .replace("duration_s = 60.0", "duration_s = 16.0")
        .replace("warm_up_s = 10.0", "warm_up_s = 8.0")
        + "[[datagrams]]\ncount = 6000\npacket_bytes = 1000\nrate_mbps = 0.001\nstart_spread_s = 8.0\n\
           direction = \"left-to-right\"\n";
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mean = |seed| run(&scenario, seed, &Control::default()).unwrap().summary.links[0].queue_packets_mean;
    let means: Vec<f64> = (1..=64).map(mean).collect();
    // Each packet takes 0.8 ms.
    let rho = 6_000.0 / 8.0 * 800e-6;
    let expected = rho * rho / (2.0 * (1.0 - rho));
    let found = means.iter().sum::<f64>() / 64.0;
    let variance = means.iter().map(|mean| (mean - found) * (mean - found)).sum::<f64>() / 63.0;
    // The quantile of Student's t at 99.95 % with 63 degrees of freedom.
    let reach = 3.45 * (variance / 64.0).sqrt();
    assert!(reach < 0.03 * expected, "{means:?} decide nothing");
    assert!((found - expected).abs() < reach, "{found} ± {reach} of {expected}");
}

#[test]
fn a_window_beyond_the_pipe_waits_in_the_queue() {
    // 100 packets in flight, of which 10 Mbit/s · 20 ms = 25 fit into the pipe.
    let output = simulate(&one_flow(10.0, 20.0, 100 * 960, 240));
    let link = &output.summary.links[0];
    // The pipe also holds the packet in service and what the access link and the acknowledgement take.
    let round_trip_s = 0.02 + 8e-6 + 800e-6 + 32.32e-6;
    let expected = 100.0 - round_trip_s / 800e-6;
    assert!((link.queue_packets_mean - expected).abs() < 1.0, "{} of {expected}", link.queue_packets_mean);
    assert!((link.busy_share - 1.0).abs() < 1e-4, "{}", link.busy_share);
    assert_eq!(link.counters.departed.bytes, link.counters.departed.packets * 1000);
}

/// A burst of ten packets meets a link on which each takes 100 ms; the window begins before the last one
/// arrives and ends before anything comes back.
fn ten_packets(queue: &str) -> Output {
    // The SYN and its answer, 0.4 ms and 4 ms each way; then half a round-trip time to the queue.
    let burst_s = (0.8 + 2.0 * 4.4e-3) + 0.4;
    let text = one_flow(0.08, 800.0, 100 * 960, 240)
        .replace("scheme = \"drop-tail\", limit_packets = 240", queue)
        .replace("interface_rate_mbps = 1000.0", "interface_rate_mbps = 0.8")
        .replace("window_bytes", "initial_window_segments = 10, window_bytes")
        .replace("profile =", "bytes = 9600\nprofile =")
        .replace("warm_up_s = 10.0", &format!("warm_up_s = {}", burst_s + 0.095))
        .replace("duration_s = 60.0", &format!("duration_s = {}", burst_s + 0.65));
    simulate(&text)
}

#[test]
fn what_waited_when_the_window_began_is_at_risk_of_a_scheme_that_decides_at_departure() {
    let output = ten_packets("scheme = \"codel\", limit_packets = 240, mtu_bytes = 1000");
    let link = &output.summary.links[0];
    // They arrive every 10 ms, the first is in service from 10 ms on. The second leaves at 110 ms, above the
    // target for the first time; at 210 ms the third is dropped, at 310 ms the fifth, at 310 + 100/sqrt(2) ms
    // or the next departure the seventh; at 510 ms no more than one packet stays behind.
    let counters = &link.counters;
    assert_eq!((counters.arrived.packets, counters.departed.packets), (1, 6));
    assert_eq!((counters.discarded["early"].packets, counters.at_risk.packets), (3, 9));
    assert_eq!(counters.at_risk.bytes, 9000);
    assert_eq!(
        (counters.by_class["data"].at_risk_packets, counters.by_codepoint["not_ect"].at_risk_packets),
        (9, 9)
    );
    assert_eq!((link.loss_ratio, link.mark_ratio), (3.0 / 9.0, 0.0));
}

#[test]
fn what_waited_when_the_window_began_is_safe_from_a_scheme_that_decides_on_arrival() {
    // The first is in service and seven wait: the tenth finds no room, as two before it.
    let output = ten_packets("scheme = \"drop-tail\", limit_packets = 7");
    let link = &output.summary.links[0];
    assert_eq!((link.counters.arrived.packets, link.counters.at_risk.packets, link.loss_ratio), (1, 1, 1.0));
}

#[test]
fn framing_takes_time_and_is_counted_where_it_should_be() {
    let text = one_flow(10.0, 20.0, 100 * 960, 240)
        .replace("layer2_overhead_bytes = 0", "layer2_overhead_bytes = 18")
        .replace("layer2_minimum_frame_bytes = 0", "layer2_minimum_frame_bytes = 64")
        .replace("layer2_gap_bytes = 0", "layer2_gap_bytes = 20");
    let output = simulate(&text);
    let link = &output.summary.links[0];
    assert!((link.mean_frame_bytes - 1018.0).abs() < 1e-9);
    assert!((link.throughput_mbps - 10.0 * 1018.0 / 1038.0).abs() < 1e-3, "{}", link.throughput_mbps);
    assert!((link.throughput_ip_mbps - 10.0 * 1000.0 / 1038.0).abs() < 1e-3);
    assert!((link.busy_share - 1.0).abs() < 1e-4);
    // Acknowledgements of 40 bytes travel in frames of 64.
    assert!((output.summary.links[1].mean_frame_bytes - 64.0).abs() < 1e-9);
}

#[test]
fn two_bottlenecks_in_a_row_are_a_topology_like_any_other() {
    let text = r#"
name = "parking lot"
duration_s = 30.0
warm_up_s = 5.0
[topology]
nodes = [
  { name = "senders", kind = "host", count = 2 }, { name = "a", kind = "router" },
  { name = "b", kind = "router" }, { name = "c", kind = "router" },
  { name = "receivers", kind = "host", count = 2 }, { name = "cross", kind = "host", count = 1 },
  { name = "sink", kind = "host", count = 1 },
]
links = [
  { from = "senders", to = "a", rate_mbps = 1000.0, both_ways = true },
  { from = "cross", to = "b", rate_mbps = 1000.0, both_ways = true },
  { from = "a", to = "b", rate_mbps = 20.0, delay_ms = 5.0, both_ways = true, queue = { scheme = "drop-tail", limit_packets = 50 } },
  { from = "b", to = "c", rate_mbps = 10.0, delay_ms = 5.0, both_ways = true, queue = { scheme = "drop-tail", limit_packets = 50 } },
  { from = "c", to = "receivers", rate_mbps = 1000.0, both_ways = true },
  { from = "c", to = "sink", rate_mbps = 1000.0, both_ways = true },
]
[[flows]]
name = "long"
count = 2
senders = "senders"
receivers = "receivers"
profile = "rfc5681"
[[flows]]
name = "short"
count = 1
senders = "cross"
receivers = "sink"
profile = "rfc5681"
"#;
    let output = simulate(text);
    let link = |name: &str| output.summary.links.iter().find(|link| link.name == name).unwrap();
    let names: Vec<&str> = output.summary.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let (first, second) = (link("a-to-b"), link("b-to-c"));
    assert!(second.busy_share > 0.95, "{}", second.busy_share);
    // What left the first bottleneck arrived at the second, beside the flow that joins there.
    assert!(second.counters.arrived.packets > first.counters.departed.packets);
    assert_eq!(output.summary.flows.len(), 2);
    deliveries_fill_the_second_bottleneck(&output);
}

/// Three flows share 10 Mbit/s for 25 s, 1,460 bytes in each 1,538 on the wire: 29.665 MB in all. A queue of
/// 50 packets holds more than the 17 that fill a round trip of 20 ms, so the link never idles.
fn deliveries_fill_the_second_bottleneck(output: &Output) {
    let room = 10e6 / 8.0 * 25.0 * 1460.0 / 1538.0;
    let (long, short) =
        (&output.summary.flows[0].delivered_bytes, output.summary.flows[1].delivered_bytes[0]);
    assert_eq!(long.len(), 2);
    let total = (long[0] + long[1] + short) as f64;
    // At either edge of the window up to three windows of 65,535 bytes are sent and not delivered, or the
    // reverse.
    let edges = 3.0 * 65_535.0;
    let sent_twice = output.summary.tcp.retransmitted_segments as f64 * 1460.0;
    assert!(total <= room + edges, "{total} of {room}");
    assert!(total >= room - edges - sent_twice, "{total} of {room}");
    // Rates of additive increase go with a power between 1 and 2 of the inverse round-trip time (Lakshman,
    // Madhow 1997), here 20 ms and 10 ms at least, and longer by the same queue: the short flow gets between
    // one and four times what a long one does.
    let share = |bytes: u64| bytes as f64 / total;
    assert!((1.0 / 3.0..=2.0 / 3.0).contains(&share(short)), "{short} of {total}");
    assert!(long.iter().all(|&bytes| share(bytes) >= 1.0 / 6.0), "{long:?} of {total}");
}

/// Packet records of a link: instants, events and sequence numbers.
fn packets(output: &Output, link: &str) -> Vec<(f64, String, u32, u32)> {
    let packets = table(output, "packets");
    let (time, event, links) = (real(packets, "time_s"), labels(packets, "event"), labels(packets, "link"));
    let (sequence, acknowledgement) = (words(packets, "sequence"), words(packets, "acknowledgement"));
    let rows = (0..time.len()).filter(|&row| links[row] == link);
    rows.map(|row| (time[row], event[row].to_owned(), sequence[row], acknowledgement[row])).collect()
}

/// A full queue discards the packet that arrives, and CoDel packets that have waited, when it chooses one to
/// be sent: as the one before leaves.
#[test]
fn discards_are_recorded_at_the_instant_and_the_link_of_their_arrival_or_departure() {
    let discards = |scheme: &str, at: &str| {
        let text = format!(
            "name = \"discards\"\nduration_s = 20.0\n[dumbbell]\nrate_mbps = 2.0\nqueue = {{ scheme = {scheme} }}\n\
             [record]\npackets = true\n"
        );
        let flows = |way: &str| format!("[[flows]]\ncount = 5\ndirection = \"{way}\"\nbase_rtt_ms = 40.0\n");
        let output = simulate(&(text + &flows("left-to-right") + &flows("right-to-left")));
        let mut found = 0;
        for link in ["left-to-right", "right-to-left"] {
            let rows = packets(&output, link);
            let instants: Vec<f64> = rows.iter().filter(|row| row.1 == at).map(|row| row.0).collect();
            for (time, ..) in rows.iter().filter(|row| row.1 == "discard") {
                assert!(
                    instants.binary_search_by(|instant| instant.total_cmp(time)).is_ok(),
                    "{at} at {time} s"
                );
                found += 1;
            }
        }
        found
    };
    assert!(discards("\"drop-tail\", limit_packets = 10", "arrival") > 100);
    assert!(discards("\"codel\", limit_packets = 1000", "departure") > 100);
}

#[test]
fn an_interface_is_an_unlimited_drop_tail_queue_without_its_events() {
    // The same network twice; in the second, the senders' interfaces are real queues that never overflow.
    let network = |queue: &str| {
        format!(
            r#"
name = "interfaces"
duration_s = 20.0
warm_up_s = 1.0
[record]
packets = true
[topology]
nodes = [
  {{ name = "a", kind = "router" }}, {{ name = "b", kind = "router" }},
  {{ name = "senders", kind = "host", count = 3 }}, {{ name = "receivers", kind = "host", count = 3 }},
]
links = [
  {{ from = "a", to = "b", rate_mbps = 10.0, delay_ms = 10.0, both_ways = true, queue = {{ scheme = "drop-tail", limit_packets = 8 }} }},
  {{ from = "senders", to = "a", rate_mbps = 15.0, delay_ms = 3.0, both_ways = true{queue} }},
  {{ from = "b", to = "receivers", rate_mbps = 100.0, delay_ms = 2.0, both_ways = true }},
]
[[flows]]
count = 3
senders = "senders"
receivers = "receivers"
profile = "bsd45"
"#
        )
    };
    let lazy = simulate(&network(""));
    let explicit = simulate(&network(", queue = { scheme = \"drop-tail\", limit_packets = 1000000 }"));
    let (lazy, explicit) = (packets(&lazy, "a-to-b"), packets(&explicit, "a-to-b"));
    assert!(
        lazy.len() > 10_000 && lazy.iter().any(|row| row.1 == "discard"),
        "the bottleneck must have dropped"
    );
    let differing = lazy.iter().zip(&explicit).position(|(a, b)| a != b);
    assert_eq!(differing.map(|row| (&lazy[row], &explicit[row])), None);
    assert_eq!(lazy.len(), explicit.len());
}

#[test]
fn rows_of_flows_add_up_to_the_totals() {
    let text = one_flow(10.0, 20.0, 100 * 960, 40)
        .replace("count = 1", "count = 4")
        .replace("warm_up_s = 10.0", "warm_up_s = 0.0");
    let output = simulate(&format!("{text}\n[record]\nflows = true\n"));
    let flows = table(&output, "flows");
    let sum = |name: &str| whole(flows, name).iter().sum::<u64>();
    assert_eq!(flows.rows(), 4);
    let tcp = output.summary.tcp;
    assert!(tcp.dropped_data_segments > 0 && tcp.fast_recoveries > 0);
    assert_eq!(sum("dropped_data_segments"), tcp.dropped_data_segments);
    assert_eq!(Some(sum("loss_episodes")), tcp.loss_episodes);
    assert_eq!(sum("fast_recoveries"), tcp.fast_recoveries);
    assert_eq!(sum("timeouts"), tcp.timeouts);
    assert_eq!(sum("retransmitted_segments"), tcp.retransmitted_segments);
}

#[test]
fn a_cancelled_run_ends_and_says_so() {
    let scenario = Scenario::from_toml(&one_flow(10.0, 20.0, 96_000, 240), "test", &[]).unwrap();
    let control = Control::default();
    control.cancel();
    assert_eq!(run(&scenario, 1, &control).unwrap_err(), RunError::Cancelled);
}
