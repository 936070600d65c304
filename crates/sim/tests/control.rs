//! What a caller sees and does while a run is under way.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, RunError, run};

/// Nothing is sampled while it runs.
const RARELY_SAMPLED: &str = r#"
name = "control"
duration_s = 20.0
warm_up_s = 10.0
[dumbbell]
rate_mbps = 1000.0
interface_rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 500 }
[[flows]]
direction = "left-to-right"
count = 20
base_rtt_ms = 10.0
[record]
queue_interval_ms = 1e7
link_interval_ms = 1e7
responses = "none"
"#;

#[test]
fn a_run_tells_its_progress_and_stops_when_asked_however_rare_its_samples_are() {
    let scenario =
        Scenario::from_toml(RARELY_SAMPLED, "control", &[]).unwrap_or_else(|error| panic!("{error}"));
    let control = Control::default();
    let (seen, outcome) = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&scenario, 1, &control));
        while control.progress() == 0.0 && !running.is_finished() {
            std::thread::yield_now();
        }
        let seen = control.progress();
        control.cancel();
        (seen, running.join().unwrap().map(|_| ()))
    });
    assert_eq!(outcome, Err(RunError::Cancelled), "at {seen}");
    // Samples are taken at the edges of the measured window alone, the first of them after half of the run.
    assert!(0.0 < seen && seen < 0.5, "{seen}");
}

#[test]
fn a_run_that_is_not_wanted_any_more_does_not_begin() {
    let scenario =
        Scenario::from_toml(RARELY_SAMPLED, "control", &[]).unwrap_or_else(|error| panic!("{error}"));
    let control = Control::default();
    control.cancel();
    assert_eq!(run(&scenario, 1, &control).map(|_| ()), Err(RunError::Cancelled));
    assert_eq!(control.progress(), 0.0);
}

#[test]
fn a_run_that_has_ended_says_so() {
    let brief = RARELY_SAMPLED
        .replace("duration_s = 20.0\nwarm_up_s = 10.0", "duration_s = 0.0105\nwarm_up_s = 0.001");
    let brief = brief.replace("count = 20", "count = 1\nstart_spread_s = 0.0");
    let scenario = Scenario::from_toml(&brief, "control", &[]).unwrap_or_else(|error| panic!("{error}"));
    let control = Control::default();
    let output = run(&scenario, 1, &control).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(control.progress(), 1.0);
    // In 10 ms the SYN of one flow is on its way, and little else.
    assert!((1..100).contains(&output.events), "{} events", output.events);
}
