//! A run ends in its cool-down as soon as nothing that is measured can change.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, Simulation, run};
use columns::{real, table};
use serde_json::Value;

/// Readers, a viewer, a call that adapts, a probe with its echo, a game, flows without end and one of a size.
const TEXT: &str = r#"
name = "cool-down"
duration_s = 60.0
warm_up_s = 10.0
cool_down_s = 30.0
[dumbbell]
rate_mbps = 12.0
delay_ms = 10.0
queue = { scheme = "drop-tail", limit_packets = 100 }
[[populations]]
name = "readers"
browsers = "browsers-right"
servers = "servers-left"
count = 3
model = { model = "pages", think_time_median_seconds = 3.0 }
profile = "linux6-cubic"
[[populations]]
name = "viewers"
browsers = "browsers-right"
servers = "servers-left"
count = 1
model = { model = "video-streaming", segments_per_video = 5, start_buffer_seconds = 6.0, pause_mean_seconds = 2.0 }
profile = "linux6-cubic"
[[flows]]
name = "download"
count = 1
direction = "left-to-right"
profile = "linux6-cubic"
[[datagrams]]
name = "call"
count = 2
direction = "left-to-right"
packet_bytes = 1200
adaptive_video = { maximum_mbps = 1.0 }
[[datagrams]]
name = "game"
count = 1
direction = "left-to-right"
packet_bytes = 1200
cloud_game = { rate_mbps = 0.5, frames_hz = 20.0, input_hz = 20.0 }
[[datagrams]]
name = "probe"
count = 1
direction = "left-to-right"
packet_bytes = 100
rate_mbps = 0.01
echo = true
"#;

fn simulate(seed: u64, overrides: &[(&str, &str)]) -> Output {
    let scenario = scenario(overrides);
    run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn scenario(overrides: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::from_toml(TEXT, "test", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// What is said of the run as a whole, and so of where it ended.
const OF_THE_RUN: [&str; 3] = ["unfinished", "whole_run", "generated"];

/// The summary without what is said of the run as a whole.
fn measured(output: &Output) -> Value {
    let mut summary: Value = serde_json::from_str(&output.summary.to_json()).unwrap();
    let top = summary.as_object_mut().unwrap();
    top.remove("scenario");
    top.remove("ended_s");
    for population in top["populations"].as_array_mut().unwrap() {
        population.as_object_mut().unwrap().retain(|key, _| !OF_THE_RUN.contains(&key.as_str()));
    }
    summary
}

/// Tables as text, in which what is not a number equals itself.
fn text<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Vec<String> {
    tables.into_iter().map(|table| format!("{table:?}")).collect()
}

/// The rows of a table up to an instant, by the column that says when, as text.
fn rows_until(output: &Output, name: &str, when: &str, until_s: f64) -> Vec<String> {
    let table = table(output, name);
    let at = real(table, when);
    let of_row = |row: usize| {
        let row = [u32::try_from(row).unwrap()];
        table.columns.iter().map(|column| format!("{:?} ", column.values.at(&row))).collect::<String>()
    };
    (0..at.len()).filter(|&row| at[row] < until_s).map(of_row).collect()
}

/// Tables that are of the measured window alone.
const OF_THE_WINDOW: [&str; 6] =
    ["response_histogram", "response_scatter", "responses", "page_histogram", "pages", "datagrams"];
/// Tables of the whole run, with the column that says when.
const UNTIL_ITS_END: [(&str, &str); 2] = [("queue", "time_s"), ("link", "time_s")];
/// Tables of the whole run that are told of at once, with the column that says of when.
const BEGUN: [(&str, &str); 2] = [("video_segments", "requested_at_s"), ("video_call_frames", "captured_s")];

#[test]
fn what_is_measured_is_that_of_the_run_with_all_of_its_cool_down() {
    let mut sooner = 0;
    for seed in 1..=4 {
        let (ended, whole) = (simulate(seed, &[]), simulate(seed, &[("record.cool_down", "true")]));
        // A page of many megabytes may take all of the cool-down.
        sooner += u32::from(ended.summary.ended_s.is_some());
        let ended_s = ended.summary.ended_s.unwrap_or(60.0);
        assert!((30.0..=60.0).contains(&ended_s), "seed {seed}: {ended_s}");
        assert_eq!(whole.summary.ended_s, None);
        assert_eq!(measured(&ended), measured(&whole), "seed {seed}");
        for name in OF_THE_WINDOW {
            assert!(text([table(&ended, name)]) == text([table(&whole, name)]), "seed {seed}: {name}");
        }
        for (name, when) in UNTIL_ITS_END {
            let [own, other] = [&ended, &whole].map(|output| rows_until(output, name, when, ended_s));
            assert!(!own.is_empty() && own == other, "seed {seed}: {name}");
        }
        for (name, when) in BEGUN {
            let [own, other] = [&ended, &whole].map(|output| rows_until(output, name, when, 30.0));
            assert!(!own.is_empty() && own == other, "seed {seed}: {name}");
        }
    }
    assert!(sooner >= 2, "{sooner} of 4 runs ended in their cool-down");
}

/// Up to its end it is the run of that length: a run that ends there by the clock leaves the same tables.
#[test]
fn it_is_the_run_of_that_length() {
    let ended = simulate(1, &[]);
    let ended_s = ended.summary.ended_s.unwrap();
    let [duration, cool_down] = [ended_s, ended_s - 30.0].map(|seconds| format!("{seconds:.9}"));
    let by_the_clock =
        simulate(1, &[("duration_s", &duration), ("cool_down_s", &cool_down), ("record.cool_down", "true")]);
    assert_eq!(by_the_clock.summary.ended_s, None);
    assert!(text(&ended.tables) == text(&by_the_clock.tables));
    let populations = |output: &Output| serde_json::to_value(&output.summary.populations).unwrap();
    assert_eq!(populations(&ended), populations(&by_the_clock));
}

/// Pages and transfers that do not end in time, and what is recorded of the whole run.
#[test]
fn what_may_still_change_keeps_a_run_going_to_its_end() {
    let slow = "[{ name = \"backup\", count = 1, direction = \"left-to-right\", bytes = 900000000 }]";
    let late =
        "[{ name = \"late\", count = 1, direction = \"left-to-right\", bytes = 9000, start_s = 55.0 }]";
    let brief =
        "[{ name = \"brief\", count = 1, direction = \"left-to-right\", bytes = 9000, start_s = 20.0 }]";
    let ends = |overrides: &[(&str, &str)]| simulate(1, overrides).summary.ended_s;
    assert!(ends(&[("flows", brief)]).is_some());
    for (key, value) in [
        ("flows", slow),
        ("record.flows", "true"),
        ("record.arrivals", "true"),
        ("record.packets", "true"),
        ("record.datagrams", "true"),
        ("record.queue_summary_interval_ms", "100.0"),
        ("record.scheme_state_interval_ms", "100.0"),
        ("record.congestion_window_interval_ms", "100.0"),
        // Pages of megabytes on half a megabit per second are under way at the end.
        ("dumbbell.rate_mbps", "0.5"),
    ] {
        assert_eq!(ends(&[(key, value)]), None, "{key}");
    }
    // A transfer that begins in the cool-down has a row, too.
    let with_late = simulate(1, &[("flows", late)]);
    assert!(
        with_late.summary.ended_s.is_some_and(|ended_s| ended_s > 55.0),
        "{:?}",
        with_late.summary.ended_s
    );
    assert_eq!(table(&with_late, "transfers").rows(), 1);
}

#[test]
fn whoever_takes_steps_goes_by_the_clock() {
    let (scenario, control) = (scenario(&[]), Control::default());
    let simulation = Simulation::new(&scenario, 1, &control).unwrap_or_else(|error| panic!("{error}"));
    let stepped = simulation.finish(&control).unwrap_or_else(|error| panic!("{error}"));
    let whole = simulate(1, &[("record.cool_down", "true")]);
    assert_eq!(stepped.summary.ended_s, None);
    assert!(text(&stepped.tables) == text(&whole.tables));
}
