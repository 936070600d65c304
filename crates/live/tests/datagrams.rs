//! Datagrams over the kernel's UDP: what each sends, loses and has marked, and how long it takes.

mod machine;

use aqmlab_live::{Backend, HostSettings, Output};
use aqmlab_record::{ColumnValues, Table};
use machine::ran;

/// Packets of 1,250 bytes over 10 Mbit/s without framing: 1 ms each on the link, 7 ms of propagation.
const PROBES: &str = r#"
name = "probes"
duration_s = 3.0
warm_up_s = 1.0
cool_down_s = 0.5
[dumbbell]
rate_mbps = 10.0
delay_ms = 7.0
queue = { scheme = "drop-tail", limit_packets = 20 }
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
name = "probe"
count = 2
direction = "left-to-right"
packet_bytes = 1250
rate_mbps = 0.5
echo = true
[record]
datagrams = true
"#;

/// More than the link takes.
const FLOOD: &str = r#"
name = "flood"
duration_s = 3.0
warm_up_s = 1.0
cool_down_s = 0.5
[dumbbell]
rate_mbps = 4.0
queue = { scheme = "codel", limit_packets = 40, ecn = true }
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = 6.0
ecn = "ect0"
"#;

/// A call of 1 Mbit/s and no more, over a line with room.
const CALL: &str = r#"
name = "call"
duration_s = 6.0
warm_up_s = 1.0
cool_down_s = 0.5
[dumbbell]
rate_mbps = 10.0
delay_ms = 7.0
queue = { scheme = "fq-codel" }
[[datagrams]]
name = "call"
count = 1
direction = "right-to-left"
packet_bytes = 1200
start_spread_s = 0.0
adaptive_video = { maximum_mbps = 1.0, variation = 0.0 }
"#;

/// Frames of 12,500 bytes thirty times a second, and a hundred inputs, over the same line.
const GAME: &str = r#"
name = "game"
duration_s = 6.0
warm_up_s = 1.0
cool_down_s = 0.5
[dumbbell]
rate_mbps = 10.0
delay_ms = 7.0
queue = { scheme = "fq-codel" }
[[datagrams]]
name = "game"
count = 1
direction = "right-to-left"
packet_bytes = 1240
start_spread_s = 0.0
cloud_game = { rate_mbps = 3.0, frames_hz = 30, variation = 0.0, input_hz = 100 }
"#;

fn table<'a>(output: &'a Output, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table {name}"))
}

fn values<'a>(table: &'a Table, name: &str) -> &'a ColumnValues {
    &table.columns.iter().find(|column| column.name == name).expect("the column").values
}

fn whole(output: &Output, name: &str) -> Vec<u64> {
    let ColumnValues::U64(values) = values(table(output, "datagrams"), name) else { panic!("{name}") };
    values.clone()
}

fn seconds(table: &Table, name: &str) -> Vec<f64> {
    let ColumnValues::F64(values) = values(table, name) else { panic!("{name}") };
    values.clone()
}

#[test]
fn a_probe_takes_what_the_line_takes_and_its_echo_twice_that() {
    let Some(output) = ran(PROBES, HostSettings::LinuxReno, Backend::of_this_machine()) else { return };
    let [sent, received, lost] =
        ["sent", "received", "lost"].map(|name| whole(&output, &format!("{name}_packets")));
    // Fifty a second for a second and a half; the kernel's timers may shift one over an edge.
    assert!(sent.iter().all(|packets| (73..=77).contains(packets)), "{sent:?}");
    assert_eq!((&received, lost), (&sent, vec![0; 4]));
    assert_eq!(sent[2..], sent[..2], "a round trip begins with its probe");
    assert!(output.audit.probe_error.count > 10, "the router is watched where nobody opens a connection");
    let least = seconds(table(&output, "datagrams"), "delay_minimum_s");
    for (delay, expected) in least.iter().zip([0.008, 0.008, 0.016, 0.016]) {
        // The simulator's closed form; what is above it is the machine's.
        assert!((expected..expected + 0.003).contains(delay), "{least:?}");
    }
    let arrivals = table(&output, "datagram_arrivals");
    let ColumnValues::Names(groups) = values(arrivals, "group") else { panic!("names") };
    let echoes = groups.iter().filter(|name| *name == Some("probe-echo")).count();
    assert!(echoes >= 200 && 2 * echoes <= arrivals.rows() + 4, "{echoes} of {}", arrivals.rows());
    let delays = seconds(arrivals, "delay_s");
    assert!(delays.iter().all(|&delay| delay >= 0.008));
}

#[test]
fn what_exceeds_the_links_rate_is_lost_or_marked_and_the_source_hears_of_neither() {
    let Some(output) = ran(FLOOD, HostSettings::LinuxReno, Backend::of_this_machine()) else { return };
    let [sent, received, lost, marked] =
        ["sent", "received", "lost", "marked"].map(|name| whole(&output, &format!("{name}_packets"))[0]);
    // 750 a second for a second and a half, of which the link takes 500.
    assert!((1_100..=1_130).contains(&sent), "{sent}");
    assert!((730..=770).contains(&received), "{received}");
    assert!(sent - received - lost <= 41, "what is not lost is in a queue of 40: {sent} {received} {lost}");
    assert!(marked > 0 && marked <= received, "CoDel marks what says that it is capable: {marked}");
    let discarded: u64 = output.summary.links[0].counters.discarded.values().map(|of| of.packets).sum();
    // The queue counts by the instant of the loss, the source by that of sending: 80 ms apart at most.
    assert!(discarded.abs_diff(lost) <= 40, "{discarded} {lost}");
}

#[test]
fn a_call_that_adapts_shows_its_frames_over_the_kernels_udp() {
    let Some(output) = ran(CALL, HostSettings::LinuxReno, Backend::of_this_machine()) else { return };
    let frames = table(&output, "video_call_frames");
    let [captured, shown, target] =
        ["captured_s", "shown_s", "target_mbps"].map(|name| seconds(frames, name));
    assert!(captured.len().abs_diff(180) <= 1, "{}", captured.len());
    let delays: Vec<f64> = captured.iter().zip(&shown).take(170).map(|(from, to)| to - from).collect();
    // Four packets of 1,042 bytes, the last after three at 2.5 Mbit/s: 10 ms; and 7 ms and 1 ms of the line.
    let mut ordered = delays.clone();
    ordered.sort_by(f64::total_cmp);
    assert!((0.0175..0.022).contains(&ordered[85]), "half take {} s", ordered[85]);
    assert!(ordered[0] >= 0.0175, "{}", ordered[0]);
    // A busy machine may delay a packet and be taken for a queue; the call finds its rate again.
    let mean = target.iter().sum::<f64>() / target.len() as f64;
    assert!((0.6..=1.0).contains(&mean), "{mean} Mbit/s");
    let reports = whole(&output, "received_packets")[1];
    assert!((80..=92).contains(&reports), "{reports} reports in 4.5 s");
}

#[test]
fn a_cloud_game_shows_its_frames_over_the_kernels_udp() {
    let Some(output) = ran(GAME, HostSettings::LinuxReno, Backend::of_this_machine()) else { return };
    let frames = table(&output, "video_call_frames");
    let [captured, shown] = ["captured_s", "shown_s"].map(|name| seconds(frames, name));
    assert!(captured.len().abs_diff(180) <= 1, "{}", captured.len());
    let mut delays: Vec<f64> = captured.iter().zip(&shown).take(170).map(|(from, to)| to - from).collect();
    delays.sort_by(f64::total_cmp);
    // Ten packets of 1,240 bytes and one of 540, each with 38 of framing: 10.7 ms of the line, and its 7 ms.
    assert!((0.0175..0.022).contains(&delays[85]), "half take {} s", delays[85]);
    let inputs = whole(&output, "received_packets")[1];
    assert!((440..=455).contains(&inputs), "{inputs} inputs in 4.5 s");
}
