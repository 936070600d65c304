//! Prague on a whole network: in the queue that is made for it, beside itself and beside CUBIC.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// DualPI2 with Linux's values.
const DUAL: &str = "scheme = \"dualpi2\", limit_packets = 10000, ramp_from_us = 1000, ramp_range_us = 0, \
                    queue_length_packets = 0, length_tested_on = \"arrival\", \
                    schedule.weighted.classic_share = 0.1, spare_nearly_empty = true";

fn dual_queue(rate_mbps: f64, flows: &[(&str, f64)]) -> Output {
    on_link(&format!("rate_mbps = {rate_mbps:?}\nqueue = {{ {DUAL} }}"), flows)
}

/// Flows of one each, with a host and a round trip in milliseconds.
fn on_link(link: &str, flows: &[(&str, f64)]) -> Output {
    let mut text = format!("name = \"prague\"\nduration_s = 60.0\nwarm_up_s = 20.0\n[dumbbell]\n{link}\n");
    for (index, (host, round_trip_ms)) in flows.iter().enumerate() {
        text.push_str(&format!(
            "[[flows]]\nname = \"flow-{index}\"\ncount = 1\ndirection = \"left-to-right\"\n\
             base_rtt_ms = {round_trip_ms:?}\nprofile = \"linux6-cubic\"\nhost = {{ {host} }}\n"
        ));
    }
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

const PRAGUE: &str = "congestion = \"prague\"";

/// What the first of two flows has of both together.
fn share(output: &Output) -> f64 {
    let [first, second] = [0, 1].map(|group| output.summary.flows[group].delivered_bytes[0] as f64);
    first / (first + second)
}

/// RFC 9330 section 1: full use of the line at a millisecond of queue, without a loss.
#[test]
fn two_of_a_kind_share_the_line_behind_a_millisecond_of_queue() {
    let output = dual_queue(50.0, &[(PRAGUE, 20.0), (PRAGUE, 20.0)]);
    let link = &output.summary.links[0];
    assert!(link.busy_share > 0.95, "{}", link.busy_share);
    // 1 ms of 50 Mbit/s are 4 packets.
    assert!(link.queue_packets_mean < 4.0, "{}", link.queue_packets_mean);
    assert_eq!(link.loss_ratio, 0.0);
    assert!((share(&output) - 0.5).abs() < 0.1, "{}", share(&output));
}

/// The coupling of RFC 9332 is made for as much as a flow of the other queue has: with k = 2 and a round trip
/// of 25 ms either way, 1 / (p 0.025) beside CUBIC's 1.22 / (p 0.025), 0.45 of the line.
#[test]
fn beside_cubic_it_has_about_half_of_the_line() {
    let share = share(&dual_queue(50.0, &[(PRAGUE, 10.0), ("ecn = \"on\"", 10.0)]));
    assert!((0.4..0.6).contains(&share), "{share}");
}

/// Round trips of 10 and 20 ms grow as one of 25 ms does; without that the shorter one has four times as much
/// (DCTCP: a share of the other of 0.2).
#[test]
fn round_trips_below_25_ms_share_alike() {
    let dctcp = "congestion = \"dctcp\", pacing = true";
    let [prague, dctcp] = [PRAGUE, dctcp].map(|host| share(&dual_queue(50.0, &[(host, 20.0), (host, 10.0)])));
    assert!(prague > 0.4 && dctcp < 0.3, "{prague} and {dctcp}");
}

/// Without ECN nothing is marked, and it is a paced Reno in the classic queue.
#[test]
fn without_ecn_it_is_reno() {
    let reno = "congestion = \"reno\"";
    let share = share(&dual_queue(50.0, &[("congestion = \"prague\", ecn = \"off\"", 20.0), (reno, 20.0)]));
    assert!((0.35..0.65).contains(&share), "{share}");
}

const WITH_FALLBACK: &str = "congestion = \"prague\", classic_ecn_fallback = true";

/// Others measured in a CoDel that marks, at 100 Mbit/s and 10 ms (Sarpkaya et al., PAM 2025): Prague beside
/// CUBIC has 0.93 of both, and 0.47 with its fallback.
#[test]
fn in_a_classic_queue_that_marks_the_fallback_leaves_cubic_its_share() {
    let codel = "rate_mbps = 100.0\ninterface_rate_mbps = 10000.0\n\
                 queue = { scheme = \"codel\", limit_packets = 167, mtu_bytes = 1514, ecn = true }";
    let [without, with] =
        [PRAGUE, WITH_FALLBACK].map(|host| on_link(codel, &[(host, 10.0), ("ecn = \"on\"", 10.0)]));
    let fallbacks = [&without, &with].map(|output| output.summary.tcp.classic_fallbacks);
    assert_eq!(fallbacks, [None, Some(1)], "the one that has it");
    let [without, with] = [&without, &with].map(share);
    assert!((0.85..0.98).contains(&without), "{without}");
    assert!((0.37..0.57).contains(&with), "{with}");
}

/// Its marks come from a queue of a millisecond: nothing falls back, and nothing is changed.
#[test]
fn in_the_queue_that_is_made_for_it_the_fallback_changes_nothing() {
    let bytes = |host| {
        let output = dual_queue(50.0, &[(host, 20.0), ("ecn = \"on\"", 20.0)]);
        let fallbacks = output.summary.tcp.classic_fallbacks;
        ([0, 1].map(|group| output.summary.flows[group].delivered_bytes[0]), fallbacks)
    };
    let (as_it_is, _) = bytes(PRAGUE);
    assert_eq!(bytes(WITH_FALLBACK), (as_it_is, Some(0)));
}
