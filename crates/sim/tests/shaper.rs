//! CAKE's shaper in front of a fast link, beside CAKE in front of a link of the shaper's rate.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// Datagrams of odd lengths, so that none comes at the instant at which another leaves.
const TWO_SOURCES: &str = r#"
name = "shaped"
duration_s = 12.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 5.0
delay_ms = 7.0
queue = { scheme = "cake" }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
count = 3
direction = "left-to-right"
packet_bytes = 1237
rate_mbps = 1.9
[[datagrams]]
count = 2
direction = "left-to-right"
packet_bytes = 311
rate_mbps = 0.4
"#;

fn output(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario =
        Scenario::from_toml(TWO_SOURCES, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_shaped_port_in_front_of_a_fast_link_decides_as_one_in_front_of_a_link_of_its_rate() {
    let slow = output(&[]);
    let link = &slow.summary.links[0];
    let lost: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
    assert!(lost > 500, "{:?}", link.counters);
    for rate_mbps in ["50.0", "6.0"] {
        let shaped = output(&[("dumbbell.rate_mbps", rate_mbps), ("dumbbell.queue.rate_mbps", "5.0")]);
        let other = &shaped.summary.links[0];
        assert_eq!(format!("{:?}", other.counters), format!("{:?}", link.counters), "{rate_mbps} Mbit/s");
        // The link is busy for the shaper's share of its rate.
        let busy = 5.0 / rate_mbps.parse::<f64>().expect("a number");
        assert!((other.busy_share - busy).abs() < 0.002, "{}", other.busy_share);
    }
}

#[test]
fn an_overhead_takes_its_share_of_the_shapers_rate() {
    let shaped = output(&[
        ("dumbbell.rate_mbps", "50.0"),
        ("dumbbell.queue.rate_mbps", "5.0"),
        ("dumbbell.queue.overhead_bytes", "18"),
    ]);
    let sent = shaped.summary.links[0].counters.departed;
    let on_the_shaped_link = (sent.bytes + 18 * sent.packets) as f64 * 8.0 / 10.0;
    assert!((on_the_shaped_link / 5e6 - 1.0).abs() < 0.002, "{on_the_shaped_link}");
}
