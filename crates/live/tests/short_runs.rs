//! Short live runs, on a kernel that lets us.

use aqmlab_driver::Control;
use aqmlab_live::{HostSettings, LiveError, Output, Settings, check, run};
use aqmlab_scenario::Scenario;

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text, "live", &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[allow(clippy::disallowed_methods)] // a matter of the machine, not of a run
fn is_required() -> bool {
    std::env::var_os("AQMLAB_LIVE_REQUIRED").is_some()
}

#[allow(clippy::print_stderr)] // a test that did nothing says so
fn said_loudly(what: &str) {
    eprintln!("SKIPPED: no live run on this machine: {what}");
}

/// A run, or none where this machine allows no namespaces: said loudly, unless `AQMLAB_LIVE_REQUIRED` is set.
fn ran(text: &str, hosts: HostSettings) -> Option<Output> {
    let settings = Settings { hosts, log: false, program: None };
    match run(&scenario(text), 1, &settings, &Control::default()) {
        Ok(output) => Some(output),
        Err(LiveError::Missing(what)) => {
            assert!(!is_required(), "AQMLAB_LIVE_REQUIRED is set: {what}");
            said_loudly(&what);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

const FLOWS: &str = r#"
name = "flows"
duration_s = 3.0
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
        output.audit.unregistered_packets == 0 && output.audit.probe_error.count > 10,
        "{:?}",
        output.audit
    );
}

const USERS: &str = r#"
name = "users"
duration_s = 4.0
warm_up_s = 1.0
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
    let (audit, summary) = (&output.audit, &output.summary);
    let of = |name: &str| summary.links[0].counters.by_codepoint[name].arrived_packets;
    assert!(of("ect0") > 100 && of("not_ect") > 100, "data are ECN-capable, acknowledgements are not");
    // The profile's 16 kB, announced by either side.
    let windows = audit.largest_windows_bytes;
    assert!(windows.iter().all(|&bytes| (8_000..=17_520).contains(&bytes)), "{windows:?}");
    assert!(audit.unregistered_packets == 0 && audit.write_errors == 0 && audit.refused_openings == 0);
    let completed: u64 = summary.populations.iter().map(|users| users.whole_run.completed).sum();
    assert!(completed > 100, "{completed}");
    let delays = output.tables.iter().find(|table| table.name == "responses").expect("rows");
    assert!(delays.rows() > 50);
}

#[test]
fn what_only_the_simulator_has_is_refused_with_its_name() {
    let refused = |more: &str| {
        let text = format!("{FLOWS}\n{more}");
        let settings = Settings { hosts: HostSettings::LinuxReno, log: false, program: None };
        let checked = check(&scenario(&text), &settings);
        checked.expect_err("is refused").to_string()
    };
    assert!(refused("[record]\npackets = true").starts_with("record.packets: "));
    assert!(refused("[users]\nper_side = 1\nstart = \"stationary\"").contains("\"steady\" or \"fresh\""));
    assert!(refused("[users]\nper_side = 1\nhost = { ecn = \"on\" }").starts_with("hosts with ECN beside"));
}
