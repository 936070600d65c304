//! Which ECN codepoint data have: the congestion controller's, not the feedback's (RFC 9331 section 4).

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};

/// Packets with ECT(0) and with ECT(1) that a dual queue sees of a flow of this profile, with this rule of
/// ECN.
fn capable(profile: &str, ecn: &str) -> (u64, u64) {
    let text = format!(
        "name = \"codepoints\"\nduration_s = 5.0\n[dumbbell]\nrate_mbps = 10.0\n\
         queue = {{ scheme = \"dualpi2\", limit_packets = 1000 }}\n\
         [[flows]]\nname = \"bulk\"\ncount = 1\ndirection = \"left-to-right\"\nprofile = \"{profile}\"\n\
         host = {{ ecn = \"{ecn}\" }}\nbase_rtt_ms = {{ first = 20.0, last = 20.0 }}\n"
    );
    let scenario = Scenario::from_toml(&text, "codepoints", &[]).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let counts = &output.summary.links[0].counters.by_codepoint;
    (counts["ect0"].arrived_packets, counts["ect1"].arrived_packets)
}

#[test]
fn accurate_feedback_alone_makes_no_sender_scalable() {
    for profile in ["linux6-reno", "linux6-cubic"] {
        let (classic, scalable) = capable(profile, "accurate");
        assert!(classic > 1_000 && scalable == 0, "{profile}: {classic} ECT(0), {scalable} ECT(1)");
    }
}

#[test]
fn a_scalable_controller_sends_the_codepoint_of_the_low_latency_queue() {
    let (classic, scalable) = capable("linux6-dctcp", "on");
    assert!(classic == 0 && scalable > 1_000, "{classic} ECT(0), {scalable} ECT(1)");
}
