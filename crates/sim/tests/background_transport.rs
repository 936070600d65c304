//! LEDBAT on a whole network: it stops at its target alone, and makes way for others.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// 10 Mbit/s without framing: a packet takes 1.2 ms, so that 100 ms are 83.3 packets.
const LINE: &str = r#"
name = "background"
duration_s = 90.0
warm_up_s = 40.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 400 }
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[flows]]
name = "background"
count = 1
direction = "left-to-right"
base_rtt_ms = 40.0
profile = "linux6-reno"
host = { congestion = "ledbat", initial_window_segments = 2 }
"#;

fn output(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn delivered_mbps(output: &Output, group: usize) -> f64 {
    output.summary.flows[group].delivered_bytes.iter().sum::<u64>() as f64 * 8.0 / 50.0 / 1e6
}

#[test]
fn alone_it_fills_the_link_and_keeps_the_queue_at_its_target() {
    let output = output(LINE);
    let link = &output.summary.links[0];
    // RFC 6817 section 2.4.2: the window stands still where the queueing delay is TARGET.
    assert!((link.queue_packets_mean - 100.0 / 1.2).abs() < 3.0, "{}", link.queue_packets_mean);
    assert!(link.busy_share > 0.999, "{}", link.busy_share);
    assert_eq!(link.loss_ratio, 0.0);
}

#[test]
fn it_makes_way_where_somebody_else_keeps_the_queue_longer() {
    let reno = "[[flows]]\nname = \"bulk\"\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\n\
                profile = \"linux6-reno\"\n";
    let output = output(&format!("{LINE}{reno}"));
    let [background, bulk] = [0, 1].map(|group| delivered_mbps(&output, group));
    // Reno leaves half of 400 packets at the least: 240 ms, beyond the target at all times.
    assert!(background < 0.3 && bulk > 9.0, "{background} and {bulk} Mbit/s");
}
