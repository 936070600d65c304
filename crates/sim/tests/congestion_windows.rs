//! The record of congestion windows: what slow start makes of them, whose they are, and that looking changes
//! nothing.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{numbers, table};

/// Segments of 960 bytes of data, each acknowledged, over a link that is never full: the window doubles in
/// each round trip of 100 or 200 ms (and at most 5 ms of transmission), from two segments on, once the SYN is
/// acknowledged.
const SLOW_START: &str = r#"
name = "slow start"
duration_s = 0.4
warm_up_s = 0.05
[dumbbell]
rate_mbps = 100.0
queue = { scheme = "drop-tail", limit_packets = 10000 }
[[flows]]
name = "near"
count = 2
direction = "left-to-right"
profile = "ns2-oneway"
base_rtt_ms = 100.0
start_spread_s = 0.0
[[flows]]
name = "far"
count = 1
direction = "left-to-right"
profile = "ns2-oneway"
base_rtt_ms = 200.0
start_spread_s = 0.0
[record]
flows = true
"#;

fn output(interval_ms: Option<&str>, more: &[(&str, &str)]) -> Output {
    let key = "record.congestion_window_interval_ms";
    let settings = interval_ms.map(|value| (key, value)).into_iter().chain(more.iter().copied());
    let overrides: Vec<(String, String)> =
        settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let scenario =
        Scenario::from_toml(SLOW_START, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 3, &Control::default()).unwrap()
}

fn windows(output: &Output) -> &Table {
    table(output, "congestion_windows")
}

#[test]
fn a_window_doubles_in_each_round_trip_of_slow_start_and_is_filled() {
    let output = output(Some("30.0"), &[]);
    let windows = windows(&output);
    let (time_s, group, flow) =
        (numbers(windows, "time_s"), numbers(windows, "flow_group"), numbers(windows, "flow"));
    let (window, sent) = (numbers(windows, "congestion_window_bytes"), numbers(windows, "outstanding_bytes"));
    let threshold = numbers(windows, "slow_start_threshold_bytes");
    let mut seen = 0;
    for row in 0..time_s.len() {
        let round_trip_s = if group[row] == 0.0 { 0.1 } else { 0.2 };
        let (mut segments, mut doubled_s) = (2.0, 2.0 * round_trip_s + 0.005);
        while doubled_s <= time_s[row] {
            (segments, doubled_s) = (2.0 * segments, doubled_s + round_trip_s);
        }
        let only_syn = time_s[row] < round_trip_s + 0.005;
        let outstanding = if only_syn { 1.0 } else { 960.0 * segments };
        assert!(flow[row] < 2.0 - group[row], "row {row}");
        assert_eq!((window[row], sent[row]), (960.0 * segments, outstanding), "row {row}");
        assert!(threshold[row] > window[row], "row {row}");
        seen += 1;
    }
    assert_eq!(seen, 13 * 3, "three flows, every 30 ms");
}

/// One segment in each round trip of 100 ms and some packets' time on wires of 100 Mbit/s: RFC 6298 smooths
/// equal samples to what they are, their variation goes to nothing, and the timeout to its minimum.
#[test]
fn the_round_trip_and_the_timeout_are_those_of_the_sender() {
    let one_segment = [
        ("flows.0.profile", "rfc5681"),
        ("flows.0.count", "1"),
        ("flows.1.profile", "rfc5681"),
        ("flows.0.host.window_bytes", "1460"),
        ("flows.1.host.window_bytes", "1460"),
        ("flows.0.host.acknowledge_every_segments", "1"),
        ("flows.0.host.initial_rto_ms", "1500"),
        ("flows.0.host.minimum_rto_ms", "250"),
        ("duration_s", "8.0"),
    ];
    let output = output(Some("30.0"), &one_segment);
    let windows = windows(&output);
    let [time_s, group, smoothed, timeout] =
        ["time_s", "flow_group", "smoothed_round_trip_s", "retransmission_timeout_s"]
            .map(|name| numbers(windows, name));
    let near = (0..time_s.len()).filter(|&row| group[row] == 0.0);
    let mut seen = 0;
    for row in near {
        if time_s[row] < 0.1 {
            assert!(smoothed[row].is_nan() && timeout[row] == 1.5, "row {row}");
        } else if time_s[row] > 0.12 {
            assert!((0.1..0.1005).contains(&smoothed[row]), "row {row}: {}", smoothed[row]);
        }
        if (0.12..0.19).contains(&time_s[row]) {
            // One sample: SRTT + 4 RTTVAR = 3 SRTT.
            assert!((timeout[row] - 3.0 * smoothed[row]).abs() < 2e-6, "row {row}: {}", timeout[row]);
        } else if time_s[row] > 4.0 {
            assert_eq!(timeout[row], 0.25, "row {row}");
        }
        seen += 1;
    }
    assert_eq!(seen, 266, "every 30 ms of 8 s");
}

#[test]
fn looking_changes_nothing_and_nobody_looks_unasked() {
    let others = |output: &Output| -> Vec<String> {
        let others = output.tables.iter().filter(|table| table.name != "congestion_windows");
        others.map(|table| format!("{:?}", table.columns)).collect()
    };
    let tight =
        [("dumbbell.rate_mbps", "2.0"), ("dumbbell.queue.limit_packets", "12"), ("duration_s", "8.0")];
    let (seen, unseen) = (output(Some("0.7"), &tight), output(None, &tight));
    assert_eq!(others(&seen), others(&unseen));
    assert_eq!(unseen.tables.len() + 1, seen.tables.len());
    assert!(seen.summary.links.iter().any(|link| link.loss_ratio > 0.0), "a link that is full");
}

#[test]
fn without_flows_there_are_no_windows() {
    let users = SLOW_START.split("[[flows]]").next().unwrap().to_owned()
        + "[users]\nper_side = 3\n[record]\ncongestion_window_interval_ms = 10.0\n";
    let refused = Scenario::from_toml(&users, "test", &[]).unwrap_err().to_string();
    assert!(
        refused.contains("record.congestion_window_interval_ms: there are no long-lived flows"),
        "{refused}"
    );
}
