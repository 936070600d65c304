//! Video calls that adapt over simulated links: alone, narrow, beside an upload, and the accounts of all of
//! it.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, numbers, real, table, whole};

/// A call from left to right, frames of 12,500 bytes thirty times a second in 11 packets, over 100 Mbit/s
/// without framing and 10 ms of propagation.
const CALL: &str = r#"
name = "call"
duration_s = 39.99
warm_up_s = 5.0
cool_down_s = 5.0
[record]
cool_down = true
[dumbbell]
rate_mbps = 100.0
delay_ms = 10.0
queue = { scheme = "drop-tail", limit_packets = 1000 }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
name = "call"
count = 1
direction = "left-to-right"
packet_bytes = 1200
start_spread_s = 0.0
adaptive_video = { maximum_mbps = 3.0, variation = 0.0 }
"#;

fn output(text: &str, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn frames(output: &Output) -> &Table {
    table(output, "video_call_frames")
}

fn datagrams(output: &Output) -> &Table {
    table(output, "datagrams")
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The same beside an upload that fills 10 Mbit/s, with a buffer of 250 ms.
fn beside_an_upload(queue: &str) -> Output {
    let text = format!(
        "{CALL}[[flows]]\nname = \"backup\"\ncount = 1\ndirection = \"left-to-right\"\nprofile = \"linux6-cubic\"\n"
    );
    output(&text, &[("dumbbell.rate_mbps", "10"), ("dumbbell.queue", queue), ("duration_s", "90")])
}

#[test]
fn alone_it_sends_at_its_greatest_rate_and_shows_each_frame_after_what_it_must_take() {
    let output = output(CALL, &[]);
    let [captured, shown] = ["captured_s", "shown_s"].map(|name| real(frames(&output), name));
    assert_eq!(captured.len(), 1200);
    assert!(whole(frames(&output), "bytes").iter().all(|&bytes| bytes == 12_500));
    assert!(whole(frames(&output), "resent_packets").iter().all(|&packets| packets == 0));
    // The last of eleven packets of 1,136 and 1,137 bytes leaves after ten at 7.5 Mbit/s; 9 us on the
    // interface, 91 us on the link, and 10 ms.
    let expected = 12_500.0 * 10.0 / 11.0 * 8.0 / 7.5e6 + 1137.0 * 8.0 * (1e-9 + 1e-8) + 0.01;
    for (captured, shown) in captured.iter().zip(shown).take(1190) {
        let delay = shown - captured;
        assert!((delay - expected).abs() < 3e-6, "{delay} {expected}");
    }
    assert!(captured.windows(2).all(|pair| (pair[1] - pair[0] - 1.0 / 30.0).abs() < 2e-9));
}

#[test]
fn what_it_sent_is_its_frames_and_what_was_sent_again() {
    let narrow = [
        ("dumbbell.rate_mbps", "1"),
        ("dumbbell.queue.limit_packets", "20"),
        ("warm_up_s", "0"),
        ("cool_down_s", "0"),
    ];
    let output = output(CALL, &narrow);
    let resent: u64 = whole(frames(&output), "resent_packets").iter().sum();
    let bytes: u64 = whole(frames(&output), "bytes").iter().sum();
    assert!(resent > 0, "a queue of twenty overflows while the rate is found");
    let [sent, lost, sent_bytes] =
        ["sent_packets", "lost_packets", "sent_bytes"].map(|name| whole(datagrams(&output), name));
    // Every loss is answered by one packet, and nothing else is sent twice; but for frames that were given
    // up, of eleven packets each, and the ends of the run.
    let given_up = real(frames(&output), "shown_s").iter().filter(|shown| shown.is_nan()).count() as u64;
    assert!(given_up < 45, "a second and a half of frames: {given_up}");
    assert!(resent <= lost[0] && lost[0] - resent < 11 * given_up + 30, "{resent} of {lost:?}");
    let mean_bytes = sent_bytes[0] as f64 / sent[0] as f64;
    let expected = bytes as f64 + resent as f64 * mean_bytes;
    assert!((sent_bytes[0] as f64 / expected - 1.0).abs() < 0.02, "{sent_bytes:?} {expected}");
    assert_eq!(lost[1], 0, "reports have room");
}

#[test]
fn on_a_narrow_link_it_keeps_below_the_rate_of_the_link() {
    let output = output(CALL, &[("dumbbell.rate_mbps", "1"), ("duration_s", "120")]);
    let [captured, target, shown] =
        ["captured_s", "target_mbps", "shown_s"].map(|name| real(frames(&output), name));
    let later = captured.iter().position(|&at| at > 30.0).expect("a frame");
    let rate = mean(&target[later..]);
    assert!((0.7..1.0).contains(&rate), "{rate} Mbit/s of 1");
    let delays: Vec<f64> =
        captured.iter().zip(shown).skip(later).take(2400).map(|(from, to)| to - from).collect();
    assert!(mean(&delays) < 0.15, "{}", mean(&delays));
}

#[test]
fn beside_an_upload_a_deep_buffer_takes_its_picture_and_fair_queues_keep_it() {
    let drop_tail = beside_an_upload("{ scheme = \"drop-tail\", limit_bytes = 312500 }");
    let fq_codel = beside_an_upload("{ scheme = \"fq-codel\" }");
    let rate = |output: &Output| mean(&real(frames(output), "target_mbps")[1200..]);
    assert!(rate(&drop_tail) < 1.5, "{}", rate(&drop_tail));
    assert!(rate(&fq_codel) > 2.8, "{}", rate(&fq_codel));
}

#[test]
fn frames_are_the_same_under_every_queue_while_the_rate_is() {
    let varied = |queue: &str| {
        output(CALL, &[("datagrams.0.adaptive_video.variation", "0.4"), ("dumbbell.queue", queue)])
    };
    let [one, other] =
        ["{ scheme = \"drop-tail\", limit_packets = 999 }", "{ scheme = \"fq-codel\" }"].map(varied);
    assert!(real(frames(&one), "target_mbps") == real(frames(&other), "target_mbps"));
    assert!(whole(frames(&one), "bytes") == whole(frames(&other), "bytes"));
    let bytes = numbers(frames(&one), "bytes");
    let middle = mean(&bytes);
    let variance = mean(&bytes.iter().map(|bytes| (bytes - middle) * (bytes - middle)).collect::<Vec<_>>());
    // 1200 frames of coefficient 0.4: the mean within 4 standard errors, the deviation within a tenth.
    assert!((middle / 12_500.0 - 1.0).abs() < 4.0 * 0.4 / 1200.0_f64.sqrt(), "{middle}");
    assert!((variance.sqrt() / middle / 0.4 - 1.0).abs() < 0.1, "{}", variance.sqrt() / middle);
}

#[test]
fn the_same_bytes_twice_and_other_frames_from_another_seed() {
    let text = CALL.replace("variation = 0.0", "variation = 0.5").replace("100.0", "2.0");
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap();
    let tables = |seed| run(&scenario, seed, &Control::default()).unwrap().tables;
    let written = |seed| format!("{:?}", tables(seed));
    assert!(written(5) == written(5) && written(5) != written(6));
}

#[test]
fn calls_of_several_groups_are_told_apart_and_each_hears_its_own_reports() {
    let second = CALL[CALL.find("[[datagrams]]").expect("a group")..]
        .replace("\"call\"", "\"meeting\"")
        .replace("count = 1", "count = 2")
        .replace("left-to-right", "right-to-left")
        .replace("maximum_mbps = 3.0", "maximum_mbps = 1.0");
    let output = output(&format!("{CALL}{second}"), &[]);
    let groups = labels(frames(&output), "group");
    let targets = real(frames(&output), "target_mbps");
    let of = |group: &str| {
        let own = groups.iter().zip(targets).filter(|(name, _)| **name == group);
        own.map(|(_, target)| *target).collect::<Vec<f64>>()
    };
    for (group, rate, frames) in [("call", 3.0, 1200), ("meeting", 1.0, 2400)] {
        assert!(of(group).len() == frames && of(group).iter().all(|&target| target == rate), "{group}");
    }
    assert_eq!(
        labels(datagrams(&output), "group"),
        ["call", "meeting", "meeting", "call-feedback", "meeting-feedback", "meeting-feedback"]
    );
    // A report every 50 ms of thirty seconds, each way.
    assert!(whole(datagrams(&output), "sent_packets")[3..].iter().all(|&reports| reports.abs_diff(600) <= 1));
}
