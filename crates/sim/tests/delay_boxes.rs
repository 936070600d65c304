//! `delay_box`: a bottleneck and losses in front of each connection, against instants and laws worked out by
//! hand.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, real, table, words};

fn simulate(text: &str, seed: u64) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, seed, &Control::default()).unwrap()
}

/// Transfers of two segments over a router 40 ms from either end. `sender` says what the link of the senders
/// is besides; the links behind the router have queues and take less than a nanosecond per packet.
fn transfers(count: u32, sender: &str, group: &str) -> String {
    format!(
        r#"
name = "boxes"
duration_s = 20.0
topology.nodes = [
  {{ name = "sender", kind = "host" }}, {{ name = "router", kind = "router" }}, {{ name = "receiver", kind = "host" }},
]
topology.links = [
  {{ from = "sender", to = "router", both_ways = false, delay_ms = 40.0, {sender} }},
  {{ from = "router", to = "receiver", both_ways = false, rate_mbps = 1e6, queue = {{ scheme = "drop-tail", limit_packets = 10000 }} }},
  {{ from = "receiver", to = "router", both_ways = false }},
  {{ from = "router", to = "sender", both_ways = false, rate_mbps = 1e6, delay_ms = 40.0, queue = {{ scheme = "drop-tail", limit_packets = 10000 }} }},
]
[[flows]]
name = "boxed"
count = {count}
senders = "sender"
receivers = "receiver"
bytes = 2920
start_spread_s = 0.0
profile = "rfc5681"
host = {{ initial_window_segments = 2, syn_header_bytes = 40, header_bytes = 40, maximum_segment_bytes = 1460 }}
{group}
[record]
packets = true
"#
    )
}

/// Microseconds at which packets of a sender arrived at the queue of a link, by connection.
fn arrivals(output: &Output, link: &str) -> Vec<(u32, f64)> {
    let packets = table(output, "packets");
    let (event, at) = (labels(packets, "event"), labels(packets, "link"));
    let (time, connection) = (real(packets, "time_s"), words(packets, "connection"));
    let rows = (0..time.len()).filter(|&row| event[row] == "arrival" && at[row] == link);
    rows.map(|row| (connection[row], time[row] * 1e6)).collect()
}

/// Fails unless the first packets came at these instants, in microseconds.
#[track_caller]
fn came(output: &Output, link: &str, expected: &[f64]) {
    let found: Vec<f64> = arrivals(output, link).iter().map(|&(_, at)| at).take(expected.len()).collect();
    let alike = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.05);
    assert!(found.len() == expected.len() && alike, "{found:?} for {expected:?}");
}

#[test]
fn packets_leave_a_box_one_after_the_other_at_its_rate() {
    // At 1 Mbit/s 40 bytes of IP take 320 us and 1,500 take 12,000. The SYN leaves its box at 320 and is 40
    // ms on its way; its answer leaves the receiver's at 40,640 and is there at 80,640; acknowledgement and
    // data follow one another.
    let output = simulate(&transfers(1, "", "delay_box = { rate_mbps = 1.0 }"), 1);
    came(&output, "router-to-receiver", &[40_320.0, 120_960.0, 132_960.0, 144_960.0]);
    came(&output, "router-to-sender", &[40_640.0]);
}

#[test]
fn a_box_stands_behind_the_interface_and_in_front_of_the_flows_own_delay() {
    // At 10 Mbit/s, without frames, 40 bytes take 32 us and 1,500 take 1,200.
    let interface =
        "rate_mbps = 10.0, layer2_overhead_bytes = 0, layer2_minimum_frame_bytes = 0, layer2_gap_bytes = 0";
    let group = "delay_box = { rate_mbps = 1.0 }\nbase_rtt_ms = 6.0\ndelay_on = \"sender\"";
    let output = simulate(&transfers(1, interface, group), 1);
    // 32 + 40,000 to the box, 320 through it, 6,000 of the flow's own delay; back 320 at the receiver's box
    // and 40,000.
    let begin = 46_352.0 + 320.0 + 40_000.0;
    let acknowledgement = begin + 32.0 + 40_000.0 + 320.0 + 6_000.0;
    // The first data packet is at the box 1,200 after the acknowledgement, which has passed it; the second
    // has to wait.
    let data = begin + 32.0 + 1_200.0 + 40_000.0 + 12_000.0 + 6_000.0;
    came(&output, "router-to-receiver", &[46_352.0, acknowledgement, data, data + 12_000.0]);
}

#[test]
fn a_connection_draws_its_rate_once_and_uniformly() {
    let count = 400;
    let output = simulate(&transfers(count, "", "delay_box = { rate_mbps = { low = 1.0, high = 3.0 } }"), 5);
    let all = arrivals(&output, "router-to-receiver");
    let mut sum = 0.0;
    for connection in 0..count {
        let own: Vec<f64> = all.iter().filter(|row| row.0 == connection).map(|row| row.1).collect();
        let rate = |bytes: f64, from: usize| 8.0 * bytes / (own[from + 1] - own[from]);
        // SYN, acknowledgement, data, data: the second and the third data packet left back to back.
        let [first, second] = [rate(1_500.0, 1), rate(1_500.0, 2)];
        assert!((first / second - 1.0).abs() < 1e-4, "{connection}: {first} and {second} Mbit/s");
        assert!((1.0..3.0).contains(&first), "{connection}: {first} Mbit/s");
        sum += first;
    }
    // The mean of 400 is 2 with a standard deviation of 2 / √12 / √400: four of them are left by one seed in
    // 16,000.
    let mean = sum / f64::from(count);
    assert!((mean - 2.0).abs() < 4.0 * 2.0 / (12.0 * f64::from(count)).sqrt(), "{mean}");
}

#[test]
fn flows_without_a_box_pass_beside_those_with_one() {
    let beside = "delay_box = { rate_mbps = 0.1, loss_probability = 0.2 }\n[[flows]]\ncount = 1\nsenders = \"sender\"\n\
                  receivers = \"receiver\"\nbytes = 2920\nstart_spread_s = 0.0\nprofile = \"rfc5681\"\n\
                  host = { initial_window_segments = 2, syn_header_bytes = 40, header_bytes = 40, maximum_segment_bytes = 1460 }";
    let output = simulate(&transfers(1, "", beside), 1);
    // The second flow's connection is number 1: a round trip of 80 ms, and nothing else.
    let own = arrivals(&output, "router-to-receiver").into_iter().filter(|row| row.0 == 1);
    let own: Vec<f64> = own.map(|row| row.1.round()).take(4).collect();
    assert_eq!(own, [40_000.0, 120_000.0, 120_000.0, 120_000.0]);
    let [boxes] = &output.summary.delay_boxes[..] else { panic!("one group has boxes") };
    assert_eq!(boxes.name, "boxed");
}

/// Packets that came to boxes and were lost there, and packets that came to the two queues behind them.
fn counted(output: &Output) -> [u64; 3] {
    let [boxes] = &output.summary.delay_boxes[..] else { panic!("one group has boxes") };
    let behind = output.summary.links.iter().map(|link| link.counters.arrived.packets).sum();
    [boxes.arrived.packets, boxes.lost.packets, behind]
}

#[test]
fn losses_are_binomial_and_what_is_not_lost_goes_on() {
    for (probability, seed) in [(0.02, 1), (0.1, 2)] {
        let group = format!("delay_box = {{ loss_probability = {probability} }}");
        let text = transfers(20, "", &group).replace("bytes = 2920", "bytes = 200000");
        let [arrived, lost, behind] = counted(&simulate(&text.replace("20.0", "2000.0"), seed));
        assert_eq!(arrived, lost + behind);
        // Four standard deviations of the binomial law: one seed in 16,000 lies outside.
        let (n, p) = (arrived as f64, probability);
        let off = (lost as f64 - n * p).abs();
        assert!(n > 4_000.0 && off < 4.0 * (n * p * (1.0 - p)).sqrt(), "{lost} of {arrived}");
    }
    let [arrived, lost, behind] =
        counted(&simulate(&transfers(3, "", "delay_box = { loss_probability = 1 }"), 1));
    assert!(arrived > 3 && lost == arrived && behind == 0);
}

#[test]
fn the_same_packets_are_lost_whatever_the_rate_and_other_seeds_lose_others() {
    let boxed = |rate: &str, seed| {
        let group = format!("delay_box = {{ {rate}loss_probability = {{ low = 0.1, high = 0.3 }} }}");
        // The SYN of each of 200 connections: lost, it comes a second time, three seconds later.
        let rows = arrivals(&simulate(&transfers(200, "", &group), seed), "router-to-receiver");
        (0..200).map(|one| rows.iter().any(|&(whose, at)| whose == one && at < 1e6)).collect::<Vec<_>>()
    };
    let found = boxed("", 7);
    // Each is lost with a probability of 0.2 in the mean: 40 of 200, within four standard deviations of 5.7.
    let lost = found.iter().filter(|&&there| !there).count();
    assert!((18..=62).contains(&lost), "{lost}");
    assert_eq!(found, boxed("rate_mbps = 5.0, ", 7));
    assert_ne!(found, boxed("", 8));
}

#[test]
fn users_and_hosts_with_options_have_boxes_too() {
    for profile in ["bsd45", "linux6-cubic"] {
        let text = format!(
            "name = \"homes\"\nduration_s = 30.0\n[dumbbell]\nrate_mbps = 10.0\nqueue = {{ scheme = \"drop-tail\", \
             limit_packets = 100 }}\n[users]\nper_side = 40\nprofile = \"{profile}\"\n\
             delay_box = {{ rate_mbps = {{ low = 0.5, high = 2.0 }}, loss_probability = 0.05 }}\n"
        );
        let output = simulate(&text, 1);
        let [left, right] = &output.summary.delay_boxes[..] else { panic!("two populations have boxes") };
        assert_eq!([&*left.name, &*right.name], ["left", "right"]);
        for boxes in [left, right] {
            let (n, lost) = (boxes.arrived.packets as f64, boxes.lost.packets as f64);
            assert!(n > 500.0 && (lost - 0.05 * n).abs() < 4.0 * (0.05 * 0.95 * n).sqrt(), "{boxes:?}");
        }
        let behind: u64 = output.summary.links.iter().map(|link| link.counters.arrived.packets).sum();
        let passed = left.arrived.packets - left.lost.packets + right.arrived.packets - right.lost.packets;
        // What has passed a box is on its way for 150 ms at most, and behind it waits what a second carries.
        assert!(behind <= passed && passed < behind + 2_000, "{behind} behind, {passed} passed");
        assert!(output.summary.populations.iter().all(|users| users.completed > 20));
    }
}
