//! Links that lose packets: by ordinal, so that a conversation follows that was worked out by hand, and by
//! chance.

mod columns;

use aqmlab_record::ImpairmentSummary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, real, table, words};

fn simulate(text: &str, seed: u64) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, seed, &Control::default()).unwrap()
}

/// A sender 40 ms away from its receiver, over links that take no time to speak of. The link that loses
/// packets is the sender's own, and `first` says what it is; the second link has a queue, so that packets can
/// be seen there.
fn conversation(segments: u64, first: &str) -> Output {
    delayed_conversation(segments, first, 0.0)
}

/// The same with a delay of the flow's own, in milliseconds.
fn delayed_conversation(segments: u64, first: &str, base_rtt_ms: f64) -> Output {
    let hosts = "profile = \"bsd45\"\nhost = { initial_window_segments = 2, passive_window_quirk = false }";
    conversation_of(hosts, segments, first, base_rtt_ms)
}

/// The same between other hosts.
fn conversation_of(hosts: &str, segments: u64, first: &str, base_rtt_ms: f64) -> Output {
    let bytes = segments * 1460;
    simulate(
        &format!(
            r#"
name = "scripted"
duration_s = 20.0
topology.nodes = [
  {{ name = "sender", kind = "host" }}, {{ name = "router", kind = "router" }}, {{ name = "receiver", kind = "host" }},
]
topology.links = [
  {{ from = "sender", to = "router", both_ways = false, delay_ms = 40.0, {first} }},
  {{ from = "router", to = "receiver", both_ways = false, rate_mbps = 1e6, queue = {{ scheme = "drop-tail", limit_packets = 1000 }} }},
  {{ from = "receiver", to = "router", both_ways = false }},
  {{ from = "router", to = "sender", both_ways = false, delay_ms = 40.0 }},
]
[[flows]]
count = 1
senders = "sender"
receivers = "receiver"
bytes = {bytes}
base_rtt_ms = {base_rtt_ms}
start_spread_s = 0.0
{hosts}
[record]
packets = true
flows = true
"#
        ),
        1,
    )
}

/// Milliseconds from the instant at which the connection is established until the last new byte is there.
fn transfer_ms(output: &Output, segments: u64) -> f64 {
    let packets = table(output, "packets");
    let (time, event) = (real(packets, "time_s"), labels(packets, "event"));
    let (sequence, payload) = (words(packets, "sequence"), words(packets, "payload_bytes"));
    // The last link is the one with a queue for certain.
    let link = labels(packets, "link");
    let last = output.summary.links.last().expect("a monitored link").name.as_str();
    let arrivals: Vec<usize> =
        (0..time.len()).filter(|&row| event[row] == "arrival" && link[row] == last).collect();
    // The SYN came first; the handshake's acknowledgement left 40 ms before it came.
    let (begin, established) = (sequence[arrivals[0]].wrapping_add(1), time[arrivals[1]] - 0.040);
    // Each new byte is there when every byte before it is.
    let (mut there, mut held) = (0, Vec::new());
    for &row in arrivals.iter().filter(|&&row| payload[row] > 0) {
        let at = sequence[row].wrapping_sub(begin);
        held.push((at, at + payload[row]));
        held.sort_unstable();
        for &(from, until) in &held {
            there = if from <= there { there.max(until) } else { there };
        }
        if u64::from(there) == segments * 1460 {
            return (time[row] - established) * 1000.0;
        }
    }
    panic!("{there} bytes of {segments} segments arrived");
}

/// The ordinal of a data segment among the packets of its sender: the SYN and the handshake's acknowledgement
/// come before the first.
const fn of_data(segment: u64) -> u64 {
    segment + 2
}

/// The conversations of `crates/tcp/tests/scripted_losses.rs` between endpoints alone, which have the
/// request's 40 ms before the server begins: segments, the one lost, milliseconds there, timers that decide.
/// There the clocks of the machines tick with the packets; here their phases are drawn, and a timer of n
/// ticks of 10 ms is up to a tick shorter.
const KNOWN: [(u64, u64, f64, f64); 6] = [
    (8, 5, 320.0, 0.0),   // three duplicates: fast retransmit
    (8, 6, 1_320.0, 2.0), // the first of three acknowledges the fifth, late: timeout
    (3, 1, 1_160.0, 1.0),
    (3, 2, 1_260.0, 2.0), // the first is acknowledged late
    (3, 3, 1_160.0, 1.0),
    (5, 3, 1_160.0, 1.0), // two duplicates
];

#[test]
fn a_segment_lost_by_its_ordinal_costs_what_it_costs_between_endpoints_alone() {
    for (segments, lost, known_ms, timers) in KNOWN {
        let output = conversation(segments, &format!("drop = [{}]", of_data(lost)));
        let taken = transfer_ms(&output, segments);
        let shorter = known_ms - 40.0 - taken;
        assert!((-0.01..10.0 * timers + 0.01).contains(&shorter), "segment {lost} of {segments}: {taken} ms");
        let tcp = output.summary.tcp;
        let fast = u64::from(known_ms < 1_000.0);
        assert_eq!((tcp.fast_recoveries, tcp.timeouts), (fast, 1 - fast), "segment {lost} of {segments}");
        let [ImpairmentSummary { link, lost, .. }] = &output.summary.impairments[..] else {
            panic!("one link")
        };
        assert_eq!((link.as_str(), lost.packets, lost.bytes), ("sender-to-router", 1, 1_500));
    }
}

/// The acknowledgement of the peer's FIN is lost: the FIN comes again to an end that is over, and a reset
/// answers it, whose number is the one that the FIN acknowledges (RFC 9293 section 3.10.7.1).
#[test]
fn what_comes_for_an_end_that_is_over_is_answered_with_the_number_that_it_acknowledges() {
    for hosts in ["bsd45", "linux6-cubic"] {
        let answered = (3..9).filter(|drop| {
            let drop = format!("drop = [{drop}]");
            let output = conversation_of(&format!("profile = \"{hosts}\""), 1, &drop, 0.0);
            let packets = table(&output, "packets");
            let (flags, sequence) = (labels(packets, "flags"), words(packets, "sequence"));
            let resets: Vec<u32> =
                (0..flags.len()).filter(|&row| flags[row].contains('R')).map(|row| sequence[row]).collect();
            // The SYN, the segment, and the FIN.
            assert!(
                resets.iter().all(|&number| number == sequence[0].wrapping_add(1_462)),
                "{hosts}, {drop}"
            );
            !resets.is_empty()
        });
        assert!(answered.count() > 0, "{hosts}: nothing came for an end that was over");
    }
}

#[test]
fn a_lost_syn_costs_its_timeout_and_a_retransmission_is_a_packet_of_its_own() {
    // FreeBSD 4.x backs off no SYN before the sixth (tcp_syn_backoff): 3 s each time.
    for (drop, seconds) in [("[]", 0.040), ("[1]", 3.040), ("[1, 2]", 6.040)] {
        let output = conversation(1, &format!("drop = {drop}"));
        let time = real(table(&output, "packets"), "time_s");
        // The timer ends on a tick of the host, up to 10 ms early.
        assert!(
            (-0.000_01..0.010_01).contains(&(seconds - time[0])),
            "{drop}: the first packet came at {} s",
            time[0]
        );
    }
}

/// With one segment the sender sends a SYN, an acknowledgement, the data, a FIN, and the acknowledgement of
/// the receiver's FIN, each 40 ms on its way.
#[test]
fn a_connection_is_over_whichever_of_its_last_packets_is_lost() {
    let closed_ms = |drop: &str| {
        let output = conversation(1, &format!("drop = {drop}"));
        assert_eq!(output.summary.tcp.gave_up, 0, "{drop}");
        1e3 * real(table(&output, "flows"), "closed_s")[0]
    };
    // SYN, SYN/ACK, FIN, FIN, acknowledgement.
    assert!((closed_ms("[]") - 200.0).abs() < 0.01);
    // The data say as much as a lost acknowledgement.
    assert!((closed_ms("[2]") - 200.0).abs() < 0.01);
    // A second later, or up to a tick less, data and FIN come in one packet, which opens and closes.
    let in_one = closed_ms("[2, 3, 4]");
    assert!((1_189.99..1_200.01).contains(&in_one), "{in_one}");
    // A second after it the receiver's FIN comes again, to an end that is over and answers with a reset.
    let answered = closed_ms("[5]");
    assert!((1_189.99..1_200.01).contains(&answered), "{answered}");
}

#[test]
fn wires_interfaces_and_links_with_a_queue_lose_the_same_packets() {
    let kinds = [
        "",
        "rate_mbps = 1e6, ",
        "rate_mbps = 1e6, queue = { scheme = \"drop-tail\", limit_packets = 50 }, ",
    ];
    for kind in kinds {
        let output = conversation(8, &format!("{kind}drop = [7]"));
        let taken = transfer_ms(&output, 8);
        assert!((taken - 280.0).abs() < 0.01, "{kind}: {taken} ms");
        assert_eq!(output.summary.impairments[0].lost.packets, 1, "{kind}");
        for link in output.summary.links.iter().filter(|link| link.name == "sender-to-router") {
            assert_eq!(link.counters.discarded["impairment"].packets, 1);
            assert_eq!(link.counters.arrived.packets, output.summary.impairments[0].arrived.packets);
            assert_eq!(output.summary.tcp.dropped_data_segments, 1);
        }
    }
}

#[test]
fn an_impairment_that_never_strikes_changes_nothing_else() {
    for kind in ["rate_mbps = 1.0, ", "rate_mbps = 1.0, queue = { scheme = \"red\", limit_packets = 20 }, "] {
        let plain = delayed_conversation(200, kind, 10.0);
        let never = format!("{kind}drop = [1000000], loss_probability = 0.0");
        let impaired = delayed_conversation(200, &never, 10.0);
        assert!(plain.summary.impairments.is_empty());
        assert!(impaired.summary.impairments[0].arrived.packets > 200);
        // Of a connection that is open the end is no number, and no number is equal to another.
        let but_flows = |output: &Output| {
            output.tables.iter().filter(|table| table.name != "flows").cloned().collect::<Vec<_>>()
        };
        assert_eq!(but_flows(&plain), but_flows(&impaired));
    }
}

/// Long flows over a dumbbell that loses data by chance.
fn bulk(duration_s: f64, flows: u32, loss: &str) -> String {
    format!(
        r#"
name = "bulk"
duration_s = {duration_s}
warm_up_s = 20.0
[dumbbell]
rate_mbps = 100000.0
interface_rate_mbps = 100000.0
queue = {{ scheme = "drop-tail", limit_packets = 100000 }}
{loss}
[[flows]]
count = {flows}
direction = "left-to-right"
base_rtt_ms = 100.0
profile = "rfc5681"
host = {{ window_bytes = 2_000_000, acknowledge_every_segments = 1, maximum_burst_segments = 65535 }}
"#
    )
}

#[test]
fn losses_by_chance_are_as_frequent_as_they_should_be() {
    for p in [0.01, 0.1, 0.3] {
        let output = simulate(&bulk(200.0, 20, &format!("loss_probability = {p}")), 3);
        let [impairment] = &output.summary.impairments[..] else { panic!("one direction") };
        let (arrived, lost) = (impairment.arrived.packets as f64, impairment.lost.packets as f64);
        assert!(arrived > 1_000.0, "{arrived}");
        // Four standard deviations of the binomial law: one in 16,000 seeds lies outside.
        let bound = 4.0 * (arrived * p * (1.0 - p)).sqrt();
        assert!((lost - arrived * p).abs() < bound, "p = {p}: {lost} of {arrived}");
        let link = &output.summary.links[0];
        assert_eq!(link.counters.discarded["impairment"].packets, impairment.lost.packets);
        assert_eq!(link.counters.discarded["overflow"].packets, 0);
    }
}

#[test]
fn the_ends_of_the_range_lose_nothing_and_everything() {
    assert!(simulate(&bulk(40.0, 2, "loss_probability = 0.0"), 1).summary.impairments.is_empty());
    let output = simulate(&bulk(40.0, 2, "loss_probability_right_to_left = 1.0"), 1);
    let [impairment] = &output.summary.impairments[..] else { panic!("one direction") };
    assert_eq!(impairment.link, "right-to-left");
    assert!(impairment.arrived.packets > 0 && impairment.arrived == impairment.lost);
    assert_eq!(output.summary.flows[0].delivered_bytes, [0, 0]);
}

#[test]
fn long_flows_under_random_losses_follow_the_formula_without_timeouts() {
    // Padhye, Firoiu, Towsley and Kurose (SIGCOMM 1998), eq. 19, with one acknowledgement per segment: the
    // same law, range and 10 % as between endpoints alone (`crates/tcp/tests/throughput_models.rs`).
    for p in [0.001, 0.003, 0.01_f64] {
        let output = simulate(&bulk(320.0, 10, &format!("loss_probability = {p}")), 2);
        let delivered: u64 = output.summary.flows[0].delivered_bytes.iter().sum();
        // Every segment is delivered once and sent 1 / (1 - p) times.
        let measured = delivered as f64 / 1460.0 / 10.0 / 300.0 / (1.0 - p);
        let window = 1.0 + (8.0 * (1.0 - p) / (3.0 * p) + 1.0).sqrt();
        let expected = ((1.0 - p) / p + window) / (0.1 * (window / 2.0 + 1.0));
        let ratio = measured / expected;
        assert!(
            (ratio - 1.0).abs() < 0.10,
            "p = {p}: {measured:.1} against {expected:.1} segments per second"
        );
    }
}

#[test]
fn the_same_packets_are_lost_whatever_else_the_network_does() {
    let lost = |rate: &str| {
        let text = bulk(60.0, 5, "loss_probability = 0.02")
            .replace("\nrate_mbps = 100000.0", &format!("\nrate_mbps = {rate}"))
            .replace("warm_up_s = 20.0", "record.packets = true");
        let output = simulate(&text, 4);
        assert_eq!(output.summary.links[0].counters.discarded["overflow"].packets, 0);
        ordinals_lost(&output)
    };
    let (fast, slow) = (lost("1000.0"), lost("20.0"));
    let mut compared = 0;
    for (fast, slow) in fast.iter().zip(&slow) {
        // One of the two got further: the other's losses are the first of them.
        let common = fast.len().min(slow.len());
        assert_eq!(fast[..common], slow[..common]);
        compared += common;
    }
    assert!(compared > 100, "{compared} losses");
    assert_ne!(fast, slow, "the slower link carries less");
}

/// Of each flow the ordinals of the packets lost at the first link, in the direction of the data.
fn ordinals_lost(output: &Output) -> Vec<Vec<u32>> {
    let packets = table(output, "packets");
    let (event, connection) = (labels(packets, "event"), words(packets, "connection"));
    let sender = labels(packets, "sender");
    let mut all = vec![(0, Vec::new()); 5];
    for row in (0..event.len()).filter(|&row| sender[row] == "active") {
        let (count, lost) = &mut all[connection[row] as usize];
        match event[row] {
            "arrival" => *count += 1,
            "discard" => lost.push(*count),
            _ => {}
        }
    }
    all.into_iter().map(|(_, lost)| lost).collect()
}
