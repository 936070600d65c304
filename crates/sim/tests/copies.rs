//! A simulation that is copied under way goes on as the original does, and what is done to one is not done to
//! the other.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Action, Control, Output, Simulation};
use aqmlab_units::Time;

/// People who read, watch and talk, beside downloads whose packets are marked.
const TRAFFIC: &str = r#"
[[populations]]
name = "readers"
browsers = "browsers-right"
servers = "servers-left"
count = 8
profile = "linux6-cubic"
model = { model = "pages" }
[[populations]]
name = "viewers"
browsers = "browsers-right"
servers = "servers-left"
count = 1
profile = "linux6-cubic"
model = { model = "video-streaming" }
[[flows]]
direction = "left-to-right"
count = 3
profile = "linux6-dctcp"
[[datagrams]]
direction = "left-to-right"
count = 1
packet_bytes = 1200
adaptive_video = { }
"#;

const PORTS: [&str; 7] = [
    r#"rate_mbps = 8.0
queue = { scheme = "drop-tail", limit_packets = 60 }"#,
    r#"rate_mbps = 8.0
queue = { scheme = "red", limit_packets = 200, min_th_packets = 5, max_th_packets = 60 }"#,
    r#"rate_mbps = 8.0
queue = { scheme = "pie", limit_packets = 200 }"#,
    r#"rate_mbps = 8.0
queue = { scheme = "dualpi2", limit_packets = 500 }"#,
    r#"rate_mbps = 8.0
queue = { scheme = "cake" }"#,
    r#"rate_mbps = 8.0
queue = { scheme = "sfg", limit_packets = 200 }"#,
    r#"rate_mbps = 40.0
medium = { wifi = { } }
queue = { scheme = "fq-codel" }"#,
];

fn scenario(port: &str) -> Scenario {
    let text =
        format!("name = \"copies\"\nduration_s = 20.0\nwarm_up_s = 2.0\n[dumbbell]\n{port}\n{TRAFFIC}");
    Scenario::from_toml(&text, "copies", &[]).unwrap_or_else(|error| panic!("{port}: {error}"))
}

/// Everything that a run leaves.
fn shown(output: &Output) -> String {
    let tables: Vec<String> = output.tables.iter().map(|table| format!("{table:?}")).collect();
    format!("{} {}", serde_json::to_string(&output.summary).unwrap(), tables.join("\n"))
}

fn at(seconds: f64) -> Time {
    Time::from_seconds(seconds)
}

#[test]
fn a_copy_goes_on_as_the_original() {
    let control = Control::default();
    for port in PORTS {
        let scenario = scenario(port);
        let straight = aqmlab_sim::run(&scenario, 1, &control).unwrap();
        let mut original = Simulation::new(&scenario, 1, &control).unwrap();
        original.advance_until(at(7.777), &control).unwrap();
        let (kept, mut changed) = (original.clone(), original.clone());
        changed.act("left-to-right", &Action::rate_mbps(4.0)).unwrap_or_else(|_| {
            let parameters = serde_json::from_str(r#"{ "target_ms": 1.0 }"#).unwrap();
            changed.act("left-to-right", &Action { rate_mbps: None, parameters }).unwrap();
        });
        changed.advance_until(at(12.0), &control).unwrap();
        // The copy of a copy, taken at another instant.
        let mut between = kept.clone();
        between.advance_until(at(15.0), &control).unwrap();
        let again = between.clone();
        let ends = [changed, original, kept, between, again].map(|one| shown(&one.finish(&control).unwrap()));
        assert!(ends[0] != ends[1], "{port}");
        for end in &ends[1..] {
            assert!(*end == shown(&straight), "{port}");
        }
    }
}
