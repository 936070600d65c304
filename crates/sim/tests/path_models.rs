//! BBR on a whole network: alone, beside itself and beside CUBIC.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// Without framing, so that rates are those of IP packets.
fn line(rate_mbps: f64, limit_packets: u32, flows: &[(&str, u32)]) -> Output {
    let queue = format!("{{ scheme = \"drop-tail\", limit_packets = {limit_packets} }}");
    let hosts: Vec<_> =
        flows.iter().map(|(name, count)| (format!("{{ congestion = \"{name}\" }}"), *count)).collect();
    behind(rate_mbps, &queue, 40.0, &hosts)
}

/// The same behind a queue and with hosts in words.
fn behind(rate_mbps: f64, queue: &str, base_rtt_ms: f64, flows: &[(String, u32)]) -> Output {
    let mut text = format!(
        "name = \"path models\"\nduration_s = 60.0\nwarm_up_s = 10.0\n[dumbbell]\nrate_mbps = {rate_mbps:?}\n\
         queue = {queue}\nlayer2_overhead_bytes = 0\n\
         layer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n"
    );
    for (place, (host, count)) in flows.iter().enumerate() {
        text.push_str(&format!(
            "[[flows]]\nname = \"group-{place}\"\ncount = {count}\ndirection = \"left-to-right\"\n\
             base_rtt_ms = {base_rtt_ms:?}\nprofile = \"linux6-cubic\"\nhost = {host}\n"
        ));
    }
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

const ALL: [&str; 5] = ["bbr-linux-v1", "bbr-linux-v2", "bbr-l4s-v2", "bbr-linux-v3", "bbr-draft-2026-08"];

/// 50 Mbit/s and 40 ms hold 167 packets. CUBIC fills any buffer; a model of the path does not, and is busy
/// but for what its searches for the round trip cost: 200 ms and a round at half a window of 5 s, or at four
/// segments of 10 s.
#[test]
fn alone_it_keeps_the_line_busy_and_the_queue_short_whatever_the_buffer() {
    for congestion in ALL {
        for limit in [1_000, 200] {
            let output = line(50.0, limit, &[(congestion, 1)]);
            let link = &output.summary.links[0];
            assert!(link.busy_share > 0.95, "{congestion}: {}", link.busy_share);
            assert!(link.queue_packets_mean < 25.0, "{congestion}: {}", link.queue_packets_mean);
            assert_eq!(link.loss_ratio, 0.0, "{congestion}");
        }
    }
}

/// A buffer of a third of the product: versions 2 and 3 stay below it after losses, version 1 does not.
#[test]
fn a_short_buffer_costs_later_versions_few_packets() {
    for congestion in ALL {
        let output = line(50.0, 50, &[(congestion, 1)]);
        let link = &output.summary.links[0];
        let most_loss = if congestion == "bbr-linux-v1" { 0.02 } else { 0.003 };
        assert!(link.busy_share > 0.94, "{congestion}: {}", link.busy_share);
        assert!(link.loss_ratio < most_loss, "{congestion}: {}", link.loss_ratio);
    }
}

/// The kernel's own, live, three runs: 18.90 Mbit/s of goodput, 0.979 busy, 89 to 92 packets.
#[test]
fn two_of_version_1_keep_the_queue_that_the_kernels_keep() {
    let output = line(20.0, 133, &[("bbr-linux-v1", 2)]);
    let link = &output.summary.links[0];
    assert!((link.busy_share - 0.979).abs() < 0.01, "{}", link.busy_share);
    assert!((80.0..100.0).contains(&link.queue_packets_mean), "{}", link.queue_packets_mean);
    let delivered: u64 = output.summary.flows[0].delivered_bytes.iter().sum();
    let goodput_mbps = delivered as f64 * 8.0 / 50.0 / 1e6;
    assert!((goodput_mbps - 18.90).abs() < 0.2, "{goodput_mbps}");
}

/// Flows draw random numbers of their own: they do not search at the same instants, and share fairly. Version
/// 2 takes longer than this minute: its search ends with a queue, whosever that is.
#[test]
fn two_of_a_kind_share_the_line() {
    for congestion in ["bbr-linux-v1", "bbr-linux-v3", "bbr-draft-2026-08"] {
        let output = line(20.0, 133, &[(congestion, 2)]);
        let delivered = &output.summary.flows[0].delivered_bytes;
        let share = delivered[0] as f64 / delivered.iter().sum::<u64>() as f64;
        assert!((0.35..0.65).contains(&share), "{congestion}: {share}");
    }
}

/// Ware et al., "Modeling BBR's Interactions with Loss-Based Congestion Control", IMC 2019: in a shallow
/// buffer version 1 takes nearly all, in a deep one less than half.
#[test]
fn beside_cubic_version_1_takes_a_shallow_buffer_and_leaves_a_deep_one() {
    let share = |limit| {
        let output = line(10.0, limit, &[("bbr-linux-v1", 1), ("cubic", 1)]);
        let [bbr, cubic] = [0, 1].map(|group| output.summary.flows[group].delivered_bytes[0] as f64);
        bbr / (bbr + cubic)
    };
    let (shallow, deep) = (share(33), share(533));
    assert!(shallow > 0.75 && deep < 0.5, "{shallow} and {deep}");
}

/// A FIFO that marks what has waited for 2 ms, four flows of 4 ms: they keep some queue for as long as none
/// is told of it, because each keeps six packets in the network at the least and searches. (Eight of them
/// would keep 48, so that no round trip is ever below 5 ms, and version 3 answers no mark there.) Who answers
/// marks waits less, whether the receiver counts them, echoes each or echoes until it is heard; who is told
/// not to does not.
#[test]
fn who_answers_marks_keeps_the_queue_that_marks_shorter() {
    let queue = "{ scheme = \"codel\", limit_packets = 1000, target_ms = 5000.0, interval_ms = 10000.0, \
                 ce_threshold_ms = 2.0 }";
    let waits = |host: &str| {
        let output = behind(50.0, queue, 4.0, &[(host.to_owned(), 4)]);
        let link = &output.summary.links[0];
        assert!(link.busy_share > 0.9, "{host}: {}", link.busy_share);
        (link.queue_packets_mean, link.mark_ratio)
    };
    for (congestion, answers) in [("bbr-linux-v2", "always"), ("bbr-linux-v3", "up-to-5-ms")] {
        let host = |rest: &str| format!("{{ congestion = \"{congestion}\", ecn = \"on\"{rest} }}");
        let (ignored, _) = waits(&host(""));
        for echo in ["", ", exact_echo = true"] {
            let (answered, _) = waits(&host(&format!(", answers_marks = \"{answers}\"{echo}")));
            assert!(answered < 0.9 * ignored, "{congestion}, {answers}{echo}: {answered} and {ignored}");
        }
    }
    let (answered, marked) = waits("{ congestion = \"bbr-l4s-v2\" }");
    let (ignored, _) = waits("{ congestion = \"bbr-l4s-v2\", answers_marks = \"never\" }");
    assert!(answered < 0.9 * ignored && marked > 0.0, "{answered} and {ignored}");
}
