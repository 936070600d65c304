//! Live runs on this machine, if it allows them: a skip is said loudly, and fails where
//! `AQMLAB_LIVE_REQUIRED` is set.
#![allow(dead_code, reason = "each test file uses some of it")]

use aqmlab_driver::Control;
use aqmlab_live::{Backend, HostSettings, LiveError, Output, Settings, run};
use aqmlab_scenario::Scenario;

pub(crate) const FLOWS: &str = r#"
name = "flows"
duration_s = 2.0
warm_up_s = 1.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[[flows]]
count = 4
direction = "left-to-right"
base_rtt_ms = 40.0
"#;

pub(crate) fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text, "live", &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[allow(clippy::disallowed_methods)] // a matter of the machine, not of a run
fn is_required() -> bool {
    std::env::var_os("AQMLAB_LIVE_REQUIRED").is_some()
}

/// A test could not do what it is for.
#[allow(clippy::print_stderr)] // a test that did nothing says so
pub(crate) fn skip(what: &str) {
    assert!(!is_required(), "AQMLAB_LIVE_REQUIRED is set: {what}");
    eprintln!("SKIPPED: no live run on this machine: {what}");
}

/// A run, or none where this machine does not allow it.
pub(crate) fn ran(text: &str, hosts: HostSettings, backend: Backend) -> Option<Output> {
    match run(&scenario(text), 1, &Settings::of(hosts, backend), &Control::default()) {
        Ok(output) => Some(output),
        Err(LiveError::Missing(what)) => {
            skip(&what);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Long-lived flows fill the link at its rate.
pub(crate) fn fill_the_link(backend: Backend) {
    // A busy machine holds a run up, and the audit says so: then another one is made, four times at most.
    let mut runs = (0..5).map_while(|_| ran(FLOWS, HostSettings::LinuxReno, backend));
    let Some(mut output) = runs.next() else { return };
    while output.audit.verdict == "suspect" {
        let Some(another) = runs.next() else {
            return skip("the audit called every run suspect: the machine is too busy");
        };
        output = another;
    }
    assert_eq!(output.audit.backend, backend.name());
    let link = &output.summary.links[0];
    // Frames of 1,518 bytes among 1,538 that the wire takes for each (IEEE 802.3).
    let full = 10.0 * 1518.0 / 1538.0;
    assert!((link.throughput_frame_mbps / full - 1.0).abs() < 0.02, "{}", link.throughput_frame_mbps);
    assert!(link.loss_ratio > 0.0 && output.summary.tcp.retransmitted_segments > 0, "the queue is short");
    let audit = &output.audit;
    assert!(audit.unregistered_packets == 0 && audit.probe_error.count > 10, "{audit:?}");
    // RFC 6928. A router that was held up sees what followed the first acknowledgement in one flight with it,
    // and the audit calls the run suspect.
    let first_flight = audit.first_flights_segments[0];
    let held_up = audit.verdict == "suspect" && first_flight > 10;
    assert!((first_flight == 10 || held_up) && audit.ecn_syns == 0, "{audit:?}");
    assert!(audit.refused_packets.is_empty() && audit.checksum_errors == 0, "{audit:?}");
}
