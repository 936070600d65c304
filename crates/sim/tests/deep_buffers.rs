//! What a packet costs does not grow with the window in which it is sent.
#![allow(clippy::disallowed_methods, reason = "what is measured is the time that a run takes")]

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use std::time::Instant;

/// One flow that overflows a buffer of so many packets.
fn deep(limit_packets: u32) -> Scenario {
    let text = format!(
        "name = \"deep\"\nduration_s = 8.0\n[dumbbell]\nrate_mbps = 1000.0\ninterface_rate_mbps = 10000.0\n\
         queue = {{ scheme = \"drop-tail\", limit_packets = {limit_packets} }}\n\
         [[flows]]\nname = \"bulk\"\ncount = 1\ndirection = \"left-to-right\"\nprofile = \"linux6-cubic\"\n\
         host = {{ window_bytes = 1000000000 }}\nbase_rtt_ms = {{ first = 100.0, last = 100.0 }}\n"
    );
    Scenario::from_toml(&text, "deep", &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Nanoseconds that this thread has computed, as Linux counts them; elsewhere those that have passed.
fn computed_ns(begun: Instant) -> f64 {
    let file = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = file.split_whitespace().next().and_then(|number| number.parse().ok());
    first.filter(|computed| *computed > 0.0).unwrap_or_else(|| begun.elapsed().as_nanos() as f64)
}

/// Nanoseconds per packet, the least of three runs, and packets lost.
fn cost(limit_packets: u32) -> (f64, u64) {
    let scenario = deep(limit_packets);
    let once = || {
        let begun = Instant::now();
        let before = computed_ns(begun);
        let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let used = computed_ns(begun) - before;
        let links = &output.summary.links;
        let packets: u64 = links.iter().map(|link| link.counters.departed.packets).sum();
        let arrived: u64 = links.iter().map(|link| link.counters.arrived.packets).sum();
        (used / packets as f64, arrived - packets)
    };
    let runs = [once(), once(), once()];
    (runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min), runs[0].1)
}

/// Where each acknowledgement walked the window it was ten times in a buffer twenty times as deep.
#[test]
fn a_recovery_in_a_deep_buffer_costs_a_packet_what_one_in_a_shallow_buffer_does() {
    let ((shallow, _), (deep, missing)) = (cost(1_000), cost(20_000));
    assert!(missing > 1_000, "no recovery of a large window: {missing} packets");
    assert!(deep < 4.0 * shallow, "{shallow:.0} ns a packet in 1,000 packets, {deep:.0} in 20,000");
}
