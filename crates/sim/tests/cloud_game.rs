//! A cloud game over simulated links, alone and beside an upload of the player's own.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, real, table, whole};

/// Frames of 62,500 bytes sixty times a second, in 52 packets of 1,240 bytes and one of 140, over 100 Mbit/s
/// without framing and 10 ms of propagation.
const GAME: &str = r#"
name = "game"
duration_s = 10.0
warm_up_s = 1.0
[dumbbell]
rate_mbps = 100.0
delay_ms = 10.0
queue = { scheme = "drop-tail", limit_packets = 1000 }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
name = "game"
count = 1
direction = "left-to-right"
packet_bytes = 1240
start_spread_s = 0.0
stop_s = 9.0
cloud_game = { variation = 0.0 }
"#;

fn output(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(GAME, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn alone_each_frame_is_shown_after_what_it_must_take() {
    let output = output(&[]);
    let [captured, shown] =
        ["captured_s", "shown_s"].map(|name| real(table(&output, "video_call_frames"), name));
    assert_eq!(captured.len(), 9 * 60);
    // The first packet is 9.92 us on the interface; all 64,620 bytes of the frame are on the link.
    let expected = 1240.0 * 8.0 / 1e9 + 64_620.0 * 8.0 / 1e8 + 0.01;
    for (captured, shown) in captured.iter().zip(shown) {
        assert!((shown - captured - expected).abs() < 1e-7, "{} for {expected}", shown - captured);
    }
}

#[test]
fn what_the_player_sends_is_a_group_of_its_own_in_the_other_direction() {
    let output = output(&[]);
    let datagrams = table(&output, "datagrams");
    assert_eq!(labels(datagrams, "group"), ["game", "game-input"]);
    // From 1 to 9 s: 60 frames of 53 packets a second, and 250 packets.
    assert_eq!(whole(datagrams, "sent_packets"), [8 * 60 * 53, 8 * 250]);
    assert_eq!(whole(datagrams, "received_packets"), whole(datagrams, "sent_packets"));
    assert_eq!(whole(datagrams, "sent_bytes")[1], 8 * 250 * 100);
    // 100 bytes on an interface and on the link.
    let delay = real(datagrams, "delay_maximum_s")[1];
    assert!((delay - (800.0 / 1e9 + 800.0 / 1e8 + 0.01)).abs() < 1e-8, "{delay}");
}

#[test]
fn on_a_link_of_less_than_its_rate_each_frame_is_later_until_the_queue_is_full() {
    let output = output(&[("dumbbell.rate_mbps", "25")]);
    let [captured, shown] =
        ["captured_s", "shown_s"].map(|name| real(table(&output, "video_call_frames"), name));
    // A frame takes 20.7 ms and the next comes after 16.7: ten of its 53 packets are left over. A hundred
    // frames fill a queue of 1,000.
    let frame_s = 64_620.0 * 8.0 / 25e6;
    let first = 1240.0 * 8.0 / 1e9 + frame_s + 0.01;
    for (number, (captured, shown)) in captured.iter().zip(shown).enumerate().take(60) {
        let expected = first + number as f64 * (frame_s - 1.0 / 60.0);
        assert!((shown - captured - expected).abs() < 1e-6, "{number}: {} for {expected}", shown - captured);
    }
    let shown = shown.iter().filter(|at| !at.is_nan()).count();
    assert!(shown < 540 * 25 / 31, "{shown} of 540: a frame lacks what found the queue full");
}
