//! Sources of datagrams: what each sends, loses and has marked, and how long it takes, worked out by hand.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, names, real, table, whole, words};

fn output(text: &str, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Packets of 1,250 bytes from left to right over 10 Mbit/s without framing: 1 ms each on the link, 10 us on
/// the interface of 1 Gbit/s. Each source sends one every 2 ms.
const CONSTANT: &str = r#"
name = "constant"
duration_s = 21.0
warm_up_s = 1.0
cool_down_s = 10.0
[dumbbell]
rate_mbps = 10.0
delay_ms = 7.0
queue = { scheme = "drop-tail", limit_packets = 20 }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
count = 1
direction = "left-to-right"
packet_bytes = 1250
rate_mbps = 5.0
start_spread_s = 0.0
"#;

fn datagrams(output: &Output) -> &Table {
    table(output, "datagrams")
}

#[test]
fn a_constant_rate_below_the_links_takes_its_share_of_it_and_no_longer_than_it_must() {
    let output = output(CONSTANT, &[]);
    // Ten seconds of one packet every 2 ms, those of the first instant among them.
    for (name, expected) in [("sent", 5000), ("received", 5000), ("lost", 0), ("marked", 0)] {
        assert_eq!(whole(datagrams(&output), &format!("{name}_packets")), [expected], "{name}");
        assert_eq!(whole(datagrams(&output), &format!("{name}_bytes")), [expected * 1250], "{name}");
    }
    let link = &output.summary.links[0];
    assert_eq!((link.counters.departed.packets, link.counters.departed.bytes), (5000, 5000 * 1250));
    assert_eq!((link.throughput_mbps, link.busy_share), (5.0, 0.5));
    assert_eq!(link.counters.by_class["datagram"].arrived_packets, 5000);
    assert!(link.carries_data && !output.summary.links[1].carries_data);
    // 10 us on the interface, 1 ms on the link, 7 ms of propagation: to the nanosecond, of every packet.
    for name in ["minimum", "mean", "p50", "p95", "p99", "maximum"] {
        assert_eq!(real(datagrams(&output), &format!("delay_{name}_s")), [0.008_01], "{name}");
    }
}

#[test]
fn what_exceeds_the_links_rate_is_lost() {
    let output = output(CONSTANT, &[("datagrams.0.rate_mbps", "12.5"), ("datagrams.0.stop_s", "11")]);
    // Of five packets sent in 4 ms the link takes four; the queue of 20 is full long before the window
    // begins.
    let [sent, lost, received] =
        ["sent", "lost", "received"].map(|name| whole(datagrams(&output), &format!("{name}_packets"))[0]);
    assert_eq!((sent, sent), (12_500, lost + received));
    assert!(lost.abs_diff(2_500) <= 1, "{lost}");
    // A packet that is let in finds 19 waiting and one in service, or less than a place more.
    let delay = real(datagrams(&output), "delay_maximum_s")[0];
    assert!((0.027_01..=0.028_01).contains(&delay), "{delay}");
}

/// 25,000 bytes are 20 packets of 1,250 bytes, or 19 in frames of 1,264; the wire carries the same.
#[test]
fn a_queue_that_counts_frames_holds_fewer_of_them_in_a_limit_of_bytes() {
    for (header, delays) in [("0", 0.027_01..=0.028_01), ("14", 0.026_01..=0.027_01)] {
        let overrides = [
            ("dumbbell.queue", "{ scheme = \"drop-tail\", limit_bytes = 25000 }"),
            ("dumbbell.layer2_queued_bytes", header),
            ("datagrams.0.rate_mbps", "12.5"),
        ];
        let output = output(CONSTANT, &overrides);
        let delay = real(datagrams(&output), "delay_maximum_s")[0];
        assert!(delays.contains(&delay), "{delay} with {header} bytes");
        let link = &output.summary.links[0];
        assert_eq!((link.throughput_mbps, link.counters.departed.bytes), (10.0, 12_500_000));
    }
}

/// A queue of 20 packets for each flow.
const FAIR: &str = "{ scheme = \"fq\", inner = { scheme = \"drop-tail\", limit_packets = 20 } }";

#[test]
fn sources_under_fair_queueing_share_equally_whatever_they_send() {
    let overrides = [("dumbbell.queue", FAIR), ("datagrams.0.count", "2"), ("datagrams.0.rate_mbps", "8")];
    let text = CONSTANT.to_owned()
        + "[[datagrams]]\nname = \"greedy\"\ncount = 1\ndirection = \"left-to-right\"\npacket_bytes = 1250\n\
           rate_mbps = 40.0\nstart_spread_s = 0.0\n";
    let output = output(&text, &overrides);
    // Three sources ask for 8, 8 and 40 of 10 Mbit/s: a third of 10,000 packets each, but for what waits in
    // the queue of each when the window begins, and when it ends.
    let received = whole(datagrams(&output), "received_packets");
    assert_eq!(received.len(), 3);
    for packets in &received {
        assert!(packets.abs_diff(3333) <= 20, "{received:?}");
    }
    assert_eq!(labels(datagrams(&output), "group"), ["datagrams-0", "datagrams-0", "greedy"]);
    assert_eq!(whole(datagrams(&output), "source"), [0, 1, 0]);
    assert_eq!(labels(datagrams(&output), "from"), ["servers-left-0", "servers-left-1", "servers-left-0"]);
    assert_eq!(
        labels(datagrams(&output), "to"),
        ["browsers-right-0", "browsers-right-1", "browsers-right-0"]
    );
}

/// Forty packets a second too many are queued, beyond the lower threshold soon and never beyond the upper
/// one.
const MARKING: &str = "{ scheme = \"red\", limit_packets = 1000, min_th_packets = 5, \
                       max_th_packets = 900, ecn = true }";

#[test]
fn capable_datagrams_are_marked_where_others_are_discarded() {
    for ecn in ["ect0", "ect1", "not-ect"] {
        let output = output(
            CONSTANT,
            &[
                ("dumbbell.queue", MARKING),
                ("datagrams.0.rate_mbps", "10.4"),
                ("datagrams.0.ecn", ecn),
                ("record.packets", "true"),
            ],
        );
        let marked = whole(datagrams(&output), "marked_packets")[0];
        let early = output.summary.links[0].counters.discarded["early"].packets;
        if ecn == "not-ect" {
            assert!(marked == 0 && early > 0, "{marked} marked, {early} discarded");
        } else {
            assert!(marked > 0 && early == 0, "{ecn}: {marked} marked, {early} discarded");
        }
        let packets = table(&output, "packets");
        let mut seen = labels(packets, "codepoint");
        seen.sort();
        seen.dedup();
        let expected: &[&str] = match ecn {
            "ect0" => &["ce", "ect0"],
            "ect1" => &["ce", "ect1"],
            _ => &["not_ect"],
        };
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_record_of_packets_numbers_the_datagrams_of_each_source() {
    let overrides = [
        ("duration_s", "0.1"),
        ("warm_up_s", "0"),
        ("cool_down_s", "0"),
        ("datagrams.0.count", "2"),
        ("record.packets", "true"),
    ];
    let output = output(CONSTANT, &overrides);
    let packets = table(&output, "packets");
    let events = labels(packets, "event");
    let (connections, sequences) = (words(packets, "connection"), words(packets, "sequence"));
    let keys = whole(datagrams(&output), "connection");
    for (&key, sent) in keys.iter().zip(whole(datagrams(&output), "sent_packets")) {
        let arrivals = (0..events.len()).filter(|&row| events[row] == "arrival");
        let own = arrivals.filter(|&row| u64::from(connections[row]) == key);
        let numbers: Vec<u32> = own.map(|row| sequences[row]).collect();
        assert_eq!(sent, 50);
        assert!(numbers.iter().copied().eq(0..50), "{numbers:?}");
    }
    assert!(words(packets, "acknowledgement").iter().all(|&number| number == 0));
    assert!(words(packets, "payload_bytes").iter().all(|&bytes| bytes == 1250 - 28));
    assert!(names(packets, "flags").iter().all(|flags| flags.unwrap_or_default().is_empty()));
    assert!(names(packets, "class").iter().all(|class| class == Some("datagram")));
}

/// What a run sends is received or lost once all queues are empty, wherever it is lost.
#[test]
fn nothing_is_left_of_datagrams_when_their_sources_have_stopped() {
    let text = r#"
name = "losses"
duration_s = 8.0
[topology]
nodes = [
  { name = "a", kind = "host", count = 3 },
  { name = "b", kind = "host", count = 2 },
  { name = "r", kind = "router" },
  { name = "s", kind = "router" },
]
links = [
  { from = "a", to = "r", rate_mbps = 100.0, loss_probability = 0.05, both_ways = false },
  { from = "r", to = "s", rate_mbps = 2.0, both_ways = false, loss_probability = 0.05, queue = { scheme = "fq-codel" } },
  { from = "s", to = "b", rate_mbps = 100.0, loss_probability = 0.05, delay_ms = 20.0, both_ways = false },
]
[[datagrams]]
count = 7
senders = "a"
receivers = "b"
packet_bytes = 500
rate_mbps = 1.0
on_s = 0.2
off_s = 0.3
stop_s = 5.0
ecn = "ect0"
[[datagrams]]
count = 2
senders = "a"
receivers = "b"
packet_bytes = 60
rate_mbps = 0.1
stop_s = 5.0
"#;
    let output = output(text, &[]);
    let [sent, received, lost] =
        ["sent", "received", "lost"].map(|name| whole(datagrams(&output), &format!("{name}_packets")));
    for source in 0..9 {
        assert!(sent[source] > 0 && lost[source] > 0 && received[source] > 0, "{source}");
        assert_eq!(sent[source], received[source] + lost[source], "{source}");
    }
    let impaired: u64 = output.summary.impairments.iter().map(|link| link.lost.packets).sum();
    let discarded: u64 = output.summary.links[0]
        .counters
        .discarded
        .iter()
        .filter(|(reason, _)| *reason != "impairment")
        .map(|(_, amount)| amount.packets)
        .sum();
    assert_eq!(lost.iter().sum::<u64>(), impaired + discarded);
}

#[test]
fn a_link_loses_the_datagrams_of_each_source_with_these_ordinals() {
    let overrides = [
        ("duration_s", "0.1"),
        ("warm_up_s", "0"),
        ("cool_down_s", "0"),
        ("datagrams.0.count", "2"),
        ("dumbbell.drop", "[3, 7]"),
        ("record.packets", "true"),
    ];
    let output = output(CONSTANT, &overrides);
    assert_eq!(whole(datagrams(&output), "lost_packets"), [2, 2]);
    let packets = table(&output, "packets");
    let sequences = words(packets, "sequence");
    let events = labels(packets, "event");
    let discarded = (0..events.len()).filter(|&row| events[row] == "discard");
    let mut discarded: Vec<u32> = discarded.map(|row| sequences[row]).collect();
    discarded.sort_unstable();
    // Ordinals count from 1, sequence numbers from 0.
    assert_eq!(discarded, [2, 2, 6, 6]);
}

#[test]
fn datagrams_beside_connections_leave_their_hashes_and_numbers_alone() {
    let flows = "[[flows]]\ncount = 2\ndirection = \"left-to-right\"\nbase_rtt_ms = 20\n";
    let overrides = [
        ("dumbbell.queue", "{ scheme = \"fq-codel\" }"),
        ("datagrams.0.rate_mbps", "2"),
        ("record.flows", "true"),
    ];
    let both = output(&format!("{CONSTANT}{flows}"), &overrides);
    assert_eq!(words(table(&both, "flows"), "connection"), [0, 1]);
    let delivered: u64 = both.summary.flows[0].delivered_bytes.iter().sum();
    // The flows have what the datagrams, below their share, leave of 10 Mbit/s; headers take 40 bytes of
    // 1,500.
    let megabits = delivered as f64 * 8.0 / 10.0 / 1e6;
    assert!((7.5..8.0).contains(&megabits), "{megabits}");
    assert_eq!(
        (whole(datagrams(&both), "sent_packets"), whole(datagrams(&both), "received_packets")),
        (vec![2000], vec![2000])
    );
}

#[test]
fn the_same_bytes_twice_and_others_from_another_seed() {
    let text = CONSTANT.replace("start_spread_s = 0.0", "on_s = 0.1\noff_s = 0.1");
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap();
    // As text, in which what is not a number is itself.
    let tables = |seed| format!("{:?}", run(&scenario, seed, &Control::default()).unwrap().tables);
    assert_eq!(tables(5), tables(5));
    assert_ne!(tables(5), tables(6));
}

/// The same packets, sent back as they arrive.
fn echoed() -> String {
    CONSTANT.replace("start_spread_s = 0.0", "start_spread_s = 0.0\nname = \"probe\"\necho = true\ndscp = 46")
}

#[test]
fn what_is_sent_back_has_taken_the_round_trip() {
    let output = output(&echoed(), &[]);
    assert_eq!(labels(datagrams(&output), "group"), ["probe", "probe-echo"]);
    assert_eq!(labels(datagrams(&output), "from"), ["servers-left-0", "browsers-right-0"]);
    assert_eq!(labels(datagrams(&output), "to"), ["browsers-right-0", "servers-left-0"]);
    // All that was sent in ten seconds is sent back, and counts by the instant at which it was sent first.
    for (name, expected) in [("sent", 5000), ("received", 5000), ("lost", 0)] {
        assert_eq!(whole(datagrams(&output), &format!("{name}_packets")), [expected; 2], "{name}");
    }
    // On the way back the same interface, link and propagation: to the nanosecond, of every packet.
    for name in ["minimum", "mean", "p50", "p99", "maximum"] {
        assert_eq!(real(datagrams(&output), &format!("delay_{name}_s")), [0.008_01, 0.016_02], "{name}");
    }
    assert_eq!(output.summary.links[1].throughput_mbps, 5.0);
    assert!(!output.summary.links[1].carries_data, "an answer");
}

#[test]
fn only_what_arrives_is_sent_back_and_a_round_trip_is_lost_on_either_way() {
    // On either way the queue loses some: the link back is slower, and loses more.
    let overrides = [
        ("datagrams.0.rate_mbps", "12.5"),
        ("dumbbell.rate_right_to_left_mbps", "4"),
        ("datagrams.0.stop_s", "11"),
    ];
    let output = output(&echoed(), &overrides);
    let [sent, lost, received] =
        ["sent", "lost", "received"].map(|name| whole(datagrams(&output), &format!("{name}_packets")));
    assert_eq!(sent[1], sent[0]);
    assert!(lost[0].abs_diff(2_500) <= 1, "{lost:?}");
    assert_eq!(sent[1], lost[1] + received[1]);
    assert_eq!(whole(datagrams(&output), "under_way_packets"), [0, 0]);
    // 10,000 packets are to go back in the time in which the link carries 4,000, and its queue of 20.
    assert!(received[1].abs_diff(4_000) <= 40, "{received:?}");
}

#[test]
fn every_arrival_has_its_row_where_that_is_asked() {
    let overrides = [
        ("duration_s", "0.1"),
        ("warm_up_s", "0"),
        ("cool_down_s", "0"),
        ("datagrams.0.stop_s", "0.05"),
        ("record.datagrams", "true"),
    ];
    let output = output(&echoed(), &overrides);
    let rows = table(&output, "datagram_arrivals");
    let (sent, delays) = (real(rows, "sent_s"), real(rows, "delay_s"));
    let groups = labels(rows, "group");
    for (group, delay) in [("probe", 0.008_01), ("probe-echo", 0.016_02)] {
        let of_group = || (0..groups.len()).filter(|&row| groups[row] == group);
        let instants: Vec<f64> = of_group().map(|row| sent[row]).collect();
        let expected: Vec<f64> = (0..25).map(|number| f64::from(2 * number) / 1e3).collect();
        assert_eq!(instants, expected, "{group}");
        assert!(of_group().all(|row| delays[row] == delay), "{group}: {delays:?}");
    }
    let arrivals: Vec<f64> = sent.iter().zip(delays).map(|(sent, delay)| sent + delay).collect();
    assert!(arrivals.is_sorted(), "in the order in which they arrived");
}

/// 12.5 Mbit/s for ten seconds into a buffer that holds all, and the run ends with the last of them: of the
/// datagrams that were sent 8 in 10 have left the link, 1 ms each, 7 ms of propagation before the end.
#[test]
fn what_is_under_way_at_the_end_is_counted_with_how_long_it_was_watched_and_goodput_is_what_came() {
    let overrides = [
        ("datagrams.0.rate_mbps", "12.5"),
        ("dumbbell.queue", "{ scheme = \"drop-tail\", limit_packets = 100000 }"),
        ("duration_s", "10"),
        ("warm_up_s", "0"),
        ("cool_down_s", "0"),
    ];
    let output = output(CONSTANT, &overrides);
    let [sent, received, lost, under_way, arrived] = ["sent", "received", "lost", "under_way", "arrived"]
        .map(|name| whole(datagrams(&output), &format!("{name}_packets"))[0]);
    assert_eq!((sent, lost, under_way), (12_500, 0, sent - received));
    assert_eq!(arrived, received);
    assert!(received.abs_diff(10_000 - 7) <= 1, "{received}");
    // One every 0.8 ms: the first that is under way was sent with number 9,993 at 7.994 s.
    assert!((real(datagrams(&output), "under_way_longest_s")[0] - 2.006).abs() < 0.002);
    assert!((real(datagrams(&output), "under_way_shortest_s")[0] - 0.0008).abs() < 1e-9);
    // Number n waits 0.2 ms longer than the one before: half of all take up to 1.25 s; of those that arrived
    // half take up to 1 s, and the slowest 2 s.
    let [found, least, most] = ["delay_p50_s", "delay_p50_least_s", "delay_p50_most_s"]
        .map(|name| real(datagrams(&output), name)[0]);
    assert!((found - 1.007).abs() < 0.003, "{found}");
    assert!((most - 1.257).abs() < 0.003, "{most}");
    // Watched for up to x seconds are 1,250 x: 5,000 x + 1,250 x are half of 10,000 + 1,250 x at 0.889 s.
    assert!((least - 0.889).abs() < 0.01, "{least}");
    assert_eq!(real(datagrams(&output), "delay_p99_most_s"), [f64::INFINITY]);
    let slow = real(datagrams(&output), "delay_p95_least_s")[0];
    assert!((slow - 1.877).abs() < 0.01, "{slow}");
}
