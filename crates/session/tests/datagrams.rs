//! When sources of datagrams send, worked out by hand.

mod script;

use aqmlab_applications::datagrams::video::{FrameSpacing, Video};
use aqmlab_applications::datagrams::{Packets, PeriodLaw};
use aqmlab_applications::{ApplicationModel, Setup};
use aqmlab_random::Key;
use aqmlab_session::{Datagram, DatagramSource, DatagramsOf, Transfer};
use aqmlab_units::Time;
use script::{Script, session};

/// What is sent until an instant.
fn sent(sources: Vec<DatagramSource>, until_s: f64) -> Vec<(Time, Datagram)> {
    let until = Time::from_seconds(until_s);
    let (mut session, mut script) = (session(Vec::new(), sources, until), Script::default());
    session.start(&mut script, || Ok::<(), ()>(())).unwrap();
    while let Some((instant, alarm)) = script.next_alarm() {
        if instant > until {
            break;
        }
        script.now = instant;
        session.wake(alarm, &mut script);
    }
    assert!(script.written.is_empty(), "a source owns no connection");
    script.sent
}

fn milliseconds(sent: &[(Time, Datagram)]) -> Vec<f64> {
    sent.iter().map(|(instant, _)| instant.seconds() * 1e3).collect()
}

/// An application that begins after 5 ms and stops at an instant, with the random numbers of a seed.
fn sender(application: ApplicationModel, packet_bytes: u16, stops: Time, seed: u64) -> DatagramSource {
    let starts = Time::from_seconds(0.005);
    let setup = Setup { packet_bytes, starts, stops, key: Key::from_seed(seed) };
    DatagramSource { starts, stops, sends: DatagramsOf::Sender(application.build(setup)) }
}

/// 1,250 bytes at 1 Mbit/s: a datagram every 10 ms.
fn packets(periods: Option<([f64; 2], PeriodLaw)>, stops: Time, seed: u64) -> DatagramSource {
    sender(ApplicationModel::Packets(Packets { rate_mbps: 1.0, periods }), 1250, stops, seed)
}

fn source(periods: Option<([f64; 2], PeriodLaw)>) -> DatagramSource {
    packets(periods, Time::MAX, 1)
}

const fn fixed(on_s: f64, off_s: f64) -> ([f64; 2], PeriodLaw) {
    ([on_s, off_s], PeriodLaw::Fixed)
}

#[test]
fn a_source_that_is_always_on_sends_at_its_rate_until_it_stops() {
    let stops = packets(None, Time::from_seconds(0.035), 1);
    assert_eq!(milliseconds(&sent(vec![stops], 1.0)), [5.0, 15.0, 25.0]);
    let all = sent(vec![source(None)], 100.0);
    assert_eq!(all.len(), 10_000);
    for (number, (instant, datagram)) in (0..).zip(&all) {
        assert_eq!(instant.nanoseconds(), 5_000_000 + 10_000_000 * u64::from(number));
        assert_eq!((datagram.sequence, datagram.ip_bytes, datagram.source.number()), (number, 1250, 0));
    }
}

#[test]
fn a_source_that_stops_before_it_starts_sends_nothing() {
    let stops = packets(None, Time::from_seconds(0.005), 1);
    assert!(sent(vec![stops], 1.0).is_empty());
}

#[test]
fn a_period_that_ends_where_a_datagram_is_due_leaves_it_to_the_next() {
    let all = sent(vec![source(Some(fixed(0.03, 0.1)))], 0.28);
    assert_eq!(milliseconds(&all), [5.0, 15.0, 25.0, 135.0, 145.0, 155.0, 265.0, 275.0]);
}

#[test]
fn the_clock_of_a_silent_source_stands_still() {
    // Ten milliseconds of sending are two periods of 4 ms and half of the third, which begins after 20 ms;
    // twenty are five periods, and the sixth begins after 50 ms.
    let all = sent(vec![source(Some(fixed(0.004, 0.006)))], 0.08);
    assert_eq!(milliseconds(&all), [5.0, 27.0, 55.0, 77.0]);
}

#[test]
fn drawn_periods_have_their_means_and_belong_to_the_source() {
    let drawn = |seed| packets(Some(([0.1, 0.3], PeriodLaw::Exponential)), Time::MAX, seed);
    let all = sent(vec![drawn(1)], 4000.0);
    // A quarter of 400,000. Of 10,000 pairs of periods the share of sending has a standard deviation of
    // 0.25 · 0.75 · sqrt(2 / 10,000) = 0.27 %, that is 1.06 % of the count.
    assert!((all.len() as f64 / 1e5 - 1.0).abs() < 0.045, "{}", all.len());
    let both = sent(vec![drawn(2), drawn(1)], 4000.0);
    let second: Vec<_> = both.iter().filter(|(_, datagram)| datagram.source.number() == 1).collect();
    assert!(second.iter().map(|(instant, _)| instant).eq(all.iter().map(|(instant, _)| instant)));
    assert_ne!(both.len(), 2 * all.len());
}

/// Frames of 2,500 and 500 bytes in turn, a tenth of a second apart, in packets of 1,028 bytes with 28 of
/// headers.
fn video(spacing: FrameSpacing, stops: Time) -> DatagramSource {
    let frames = Video {
        frames_hz: 10.0,
        pattern: "IP".to_owned(),
        i_frame_bytes: 2500,
        p_frame_bytes: 500,
        spacing,
        ..Video::default()
    };
    sender(ApplicationModel::Video(frames), 1028, stops, 1)
}

#[test]
fn a_frame_leaves_in_as_many_packets_as_it_needs_the_last_of_which_has_the_rest() {
    let all = sent(vec![video(FrameSpacing::Burst, Time::MAX)], 0.3);
    assert_eq!(milliseconds(&all), [5.0, 5.0, 5.0, 105.0, 205.0, 205.0, 205.0]);
    let lengths: Vec<u16> = all.iter().map(|(_, datagram)| datagram.ip_bytes).collect();
    assert_eq!(lengths, [1028, 1028, 528, 528, 1028, 1028, 528]);
    let sequences: Vec<u32> = all.iter().map(|(_, datagram)| datagram.sequence).collect();
    assert_eq!(sequences, (0..7).collect::<Vec<u32>>());
}

#[test]
fn packets_of_a_frame_may_be_spread_over_its_interval() {
    let instants = milliseconds(&sent(vec![video(FrameSpacing::Even, Time::MAX)], 0.25));
    let expected = [5.0, 5.0 + 100.0 / 3.0, 5.0 + 200.0 / 3.0, 105.0, 205.0, 205.0 + 100.0 / 3.0];
    assert_eq!(instants.len(), expected.len());
    for (instant, expected) in instants.iter().zip(expected) {
        assert!((instant - expected).abs() < 1e-5, "{instant} for {expected}");
    }
}

#[test]
fn a_video_stops_between_frames() {
    let stops = video(FrameSpacing::Burst, Time::from_seconds(0.105));
    assert_eq!(sent(vec![stops], 1.0).len(), 3);
}

#[test]
fn thirty_frames_a_second_do_not_drift_off_their_clock() {
    let frames = Video { pattern: "I".to_owned(), i_frame_bytes: 100, ..Video::default() };
    let source = sender(ApplicationModel::Video(frames), 1028, Time::MAX, 1);
    let all = sent(vec![source], 1000.0);
    assert_eq!(all.len(), 29_850 + 150);
    assert_eq!(all[27_000].0, Time::from_seconds(900.005));
}

/// Of the flows of a run, a driver that is asked whether to go on can stop at any thousand.
#[test]
fn many_flows_stop_starting_when_the_driver_says_so() {
    let transfer = Transfer { starts: Time::ZERO, stops: Time::MAX, bytes: None, writes: None, next: None };
    let mut session = session(vec![transfer; 5_000], Vec::new(), Time::from_seconds(1.0));
    let (mut script, mut asked) = (Script::default(), 0);
    let outcome = session.start(&mut script, || {
        asked += 1;
        if asked < 3 { Ok(()) } else { Err("stopped") }
    });
    assert_eq!(outcome, Err("stopped"));
    assert!((1_000..3_000).contains(&script.alarms.len()), "{} have started", script.alarms.len());
}
