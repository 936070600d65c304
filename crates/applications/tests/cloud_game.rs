//! A cloud game between its two ends, worked out by hand.

mod path;

use aqmlab_applications::datagrams::cloud_game::CloudGame;
use aqmlab_applications::{ApplicationModel, End, Setup};
use aqmlab_random::Key;
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Span, Time};
use path::{Path, Sent};

/// Ten frames a second of 2,500 bytes in packets of at most 1,040 (40 of headers), and ten inputs a second.
fn small() -> CloudGame {
    CloudGame { frames_hz: 10.0, rate_mbps: 0.2, variation: 0.0, input_hz: 10.0, input_bytes: 100 }
}

fn path(game: CloudGame, packet_bytes: u16, stops: Time) -> Path {
    let model = ApplicationModel::CloudGame(game);
    let setup = Setup { packet_bytes, starts: Time::ZERO, stops, key: Key::from_seed(5) };
    Path::new(model.build(setup), &model.facts(packet_bytes), Span::from_milliseconds(20), stops)
}

fn frames_after(seconds: f64, loses: impl FnMut(&Sent) -> bool) -> (Path, Vec<VideoCallFrame>) {
    let mut path = path(small(), 1040, Time::MAX);
    path.run(Time::from_seconds(seconds), loses);
    let frames = path.application.take_frames().expect("frames");
    (path, frames)
}

fn milliseconds(instant: Time) -> u64 {
    instant.nanoseconds() / 1_000_000
}

#[test]
fn a_frame_leaves_at_once_and_is_shown_when_its_last_packet_is_there() {
    let (path, frames) = frames_after(0.25, |_| false);
    let down = path.sent_by(End::Sender);
    let sent: Vec<_> = down.iter().map(|packet| (milliseconds(packet.at), packet.ip_bytes)).collect();
    let of_frame = |at: u64| [(at, 1040), (at, 1040), (at, 540)];
    assert_eq!(sent, [of_frame(0), of_frame(100), of_frame(200)].concat());
    let shown: Vec<_> = frames.iter().map(|frame| (frame.bytes, frame.shown.map(milliseconds))).collect();
    assert_eq!(shown, [20, 120, 220].map(|at| (2500 + 3 * 40, Some(at))));
    assert!(frames.iter().all(|frame| frame.target_bps == 2e5 && frame.resent_packets == 0));
}

#[test]
fn the_player_sends_at_a_rate_until_the_game_stops() {
    let mut path = path(small(), 1040, Time::from_seconds(0.45));
    path.run(Time::from_seconds(1.0), |_| false);
    let up = path.sent_by(End::Receiver);
    assert_eq!(up.iter().map(|packet| milliseconds(packet.at)).collect::<Vec<_>>(), [100, 200, 300, 400]);
    assert!(up.iter().all(|packet| packet.ip_bytes == 100));
    assert_eq!(path.sent_by(End::Sender).len(), 5 * 3);
    assert!(path.is_at_rest());
}

#[test]
fn a_frame_that_lacks_a_packet_is_passed_over() {
    // The second packet of the second frame, and all of the third.
    let (_, frames) =
        frames_after(0.45, |packet| packet.from == End::Sender && [4, 6, 7, 8].contains(&packet.number));
    let shown: Vec<_> = frames.iter().map(|frame| frame.shown.map(milliseconds)).collect();
    assert_eq!(shown, [Some(20), None, None, Some(320), Some(420)]);
}

#[test]
fn a_frame_that_is_whole_after_a_later_one_is_not_shown() {
    let mut path = path(small(), 1040, Time::MAX);
    path.run(Time::from_seconds(0.19), |_| true);
    let at = |milliseconds: u64| Time::from_nanoseconds(milliseconds * 1_000_000);
    for (number, arrives) in [(0, 10), (3, 110), (4, 111), (5, 112), (1, 120), (2, 121)] {
        assert_eq!(path.application.hear(End::Sender, number, at(arrives)), None);
    }
    let frames = path.application.take_frames().expect("frames");
    assert_eq!(frames.iter().map(|frame| frame.shown).collect::<Vec<_>>(), [None, Some(at(112))]);
}

#[test]
fn lengths_of_frames_have_the_law_of_the_report() {
    // 30 Mbit/s, 60 frames a second: 62,500 bytes on average. Of 60,000 frames the mean has a standard error
    // of 0.043 %; within one standard deviation of 10.5 % lie 68.27 % (standard error 0.19 %), and none
    // beyond half of the mean, which is 4.8 of them.
    let mut path =
        path(CloudGame { input_hz: 0.1, ..CloudGame::default() }, 65_535, Time::from_seconds(1000.0));
    path.run(Time::from_seconds(1000.0), |_| true);
    let frames = path.application.take_frames().expect("frames");
    assert_eq!(frames.len(), 60_000);
    let shares: Vec<f64> = frames.iter().map(|frame| f64::from(frame.bytes - 40) / 62_500.0).collect();
    let mean = shares.iter().sum::<f64>() / 60_000.0;
    assert!((mean - 1.0).abs() < 4.0 * 0.105 / 60_000_f64.sqrt(), "{mean}");
    let within = shares.iter().filter(|share| (*share - 1.0).abs() < 0.105).count() as f64 / 60_000.0;
    assert!((within - 0.6827).abs() < 4.0 * 0.0019, "{within}");
    assert!(shares.iter().all(|share| (0.5..=1.5).contains(share)));
}
