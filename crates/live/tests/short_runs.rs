//! Short live runs, on a kernel that lets us.

use aqmlab_driver::Control;
use aqmlab_live::{HostSettings, LiveError, Output, Settings, run};
use aqmlab_scenario::Scenario;

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text, "live", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A run, or none where this machine allows no namespaces: said loudly, unless `AQMLAB_LIVE_REQUIRED` is set.
fn ran(text: &str, hosts: HostSettings) -> Option<Output> {
    let settings = Settings { hosts, log: false };
    match run(&scenario(text), 1, settings, &Control::default()) {
        Ok(output) => Some(output),
        Err(LiveError::Missing(what)) if std::env::var_os("AQMLAB_LIVE_REQUIRED").is_none() => {
            eprintln!("SKIPPED: no live run on this machine: {what}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

const FLOWS: &str = r#"
name = "flows"
duration_s = 4.0
warm_up_s = 1.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[[flows]]
count = 4
direction = "left-to-right"
base_rtt_ms = 40.0
"#;

#[test]
fn long_lived_flows_fill_the_link_at_its_rate() {
    let Some(output) = ran(FLOWS, HostSettings::LinuxReno) else { return };
    let link = &output.summary.links[0];
    // Frames of 1,518 bytes among 1,538 that the wire takes for each (IEEE 802.3).
    let full = 10.0 * 1518.0 / 1538.0;
    assert!((link.throughput_frame_mbps / full - 1.0).abs() < 0.02, "{}", link.throughput_frame_mbps);
    assert!(output.summary.tcp.retransmitted_segments > 0 && link.loss_ratio > 0.0, "the queue is short");
    assert!(
        output.audit.unregistered_packets == 0 && output.audit.probe_error.count > 20,
        "{:?}",
        output.audit
    );
}

const USERS: &str = r#"
name = "users"
duration_s = 8.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "pi", q_ref_packets = 20, limit_packets = 240, ecn = true }
[users]
per_side = 400
start = "fresh"
start_spread_s = 1.0
host = { ecn = "on" }
"#;

#[test]
fn users_browse_over_the_kernels_tcp() {
    let Some(output) = ran(USERS, HostSettings::Papers2003) else { return };
    println!("{}", serde_json::to_string_pretty(&output.audit).unwrap());
    println!("{:?}\n{:?}", output.summary.links[0], output.summary.tcp);
    println!("{:?}", output.summary.populations);
}
