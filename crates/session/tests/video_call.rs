//! A video call between its two ends, over a path that a script decides about: what is sent, sent again,
//! reported and shown.

mod script;

use aqmlab_applications::datagrams::adaptive_video::AdaptiveVideo;
use aqmlab_applications::{ApplicationModel, Setup};
use aqmlab_random::Key;
use aqmlab_record::VideoCallFrame;
use aqmlab_session::{Datagram, DatagramSource, DatagramsOf};
use aqmlab_units::{Span, Time};
use script::{Script, session};
use std::collections::VecDeque;

const CALL: u32 = 0;
const FEEDBACK: u32 = 1;

/// 1 Mbit/s at most, ten frames of 12,500 bytes a second in 13 packets of up to 1,000; reports every 50 ms.
fn call() -> Vec<DatagramSource> {
    call_until(Time::MAX)
}

/// The same, which stops at an instant.
fn call_until(stops: Time) -> Vec<DatagramSource> {
    let video = AdaptiveVideo {
        frames_hz: 10.0,
        minimum_mbps: 0.1,
        maximum_mbps: 1.0,
        variation: 0.0,
        feedback_ms: 50.0,
        ..AdaptiveVideo::default()
    };
    let setup = Setup { packet_bytes: 1000, starts: Time::ZERO, stops, key: Key::from_seed(1) };
    let call = ApplicationModel::AdaptiveVideo(video).build(setup);
    let first_report = Time::ZERO + Span::from_milliseconds(50);
    vec![
        DatagramSource { starts: Time::ZERO, stops, sends: DatagramsOf::Sender(call) },
        DatagramSource { starts: first_report, stops: Time::MAX, sends: DatagramsOf::Receiver { sender: 0 } },
    ]
}

/// What was sent in some seconds, and the frames, over a path of 10 ms each way with room for all, which
/// loses what `loses` says. Alarms come before arrivals of the same instant.
fn run(
    sources: Vec<DatagramSource>,
    seconds: f64,
    mut loses: impl FnMut(Time, &Datagram) -> bool,
) -> (Vec<(Time, Datagram)>, Vec<VideoCallFrame>) {
    let end = Time::from_seconds(seconds);
    let (mut session, mut script) = (session(Vec::new(), sources, end), Script::default());
    let (mut arrivals, mut seen) = (VecDeque::new(), 0);
    session.start(&mut script, || Ok::<(), ()>(())).unwrap();
    loop {
        let alarm = script.alarms.iter().map(|(instant, _)| *instant).min();
        let arrival = arrivals.front().map(|(instant, _): &(Time, Datagram)| *instant);
        let Some(next) = [alarm, arrival].into_iter().flatten().min().filter(|next| *next <= end) else {
            break;
        };
        script.now = next;
        if alarm == Some(next) {
            let (_, alarm) = script.next_alarm().unwrap();
            session.wake(alarm, &mut script);
        } else {
            let (_, datagram) = arrivals.pop_front().unwrap();
            session.hear(datagram.source, datagram.sequence, &mut script);
        }
        for (instant, datagram) in script.sent.iter().skip(std::mem::replace(&mut seen, script.sent.len())) {
            if !loses(*instant, datagram) {
                arrivals.push_back((*instant + Span::from_milliseconds(10), *datagram));
            }
        }
    }
    let frames = session.take_frames();
    assert_eq!(frames.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [CALL]);
    (script.sent, frames.into_iter().next().unwrap().1)
}

fn of(sent: &[(Time, Datagram)], source: u32) -> Vec<(Time, Datagram)> {
    sent.iter().filter(|(_, datagram)| datagram.source.number() == source).copied().collect()
}

fn shown_us(frames: &[VideoCallFrame]) -> Vec<Option<u64>> {
    let microseconds = |shown: Time| (shown.nanoseconds() + 500) / 1_000;
    frames.iter().map(|frame| frame.shown.map(microseconds)).collect()
}

#[test]
fn a_frame_leaves_in_even_packets_at_two_and_a_half_times_the_bit_rate() {
    let (sent, frames) = run(call(), 0.95, |_, _| false);
    let packets = of(&sent, CALL);
    assert_eq!((frames.len(), packets.len()), (10, 130));
    for (number, frame) in packets.chunks(13).enumerate() {
        let lengths: Vec<u64> = frame.iter().map(|(_, datagram)| datagram.ip_bytes.into()).collect();
        assert_eq!(lengths.iter().sum::<u64>(), 12_500);
        assert!(lengths.iter().all(|&bytes| bytes == 961 || bytes == 962), "{lengths:?}");
        // A packet of n bytes takes 8 n / 2.5 Mbit/s: 3.2 us a byte. The last of 13 leaves after twelve.
        let mut due_us = 100_000 * number as u64;
        for (&bytes, (instant, _)) in lengths.iter().zip(frame) {
            let off_ns = instant.nanoseconds().abs_diff(due_us * 1_000);
            assert!(off_ns <= 1_000 * 13, "{instant} {due_us}");
            due_us += bytes * 32 / 10;
        }
    }
    // The last packet leaves after 12/13 of 40 ms, and takes 10 ms.
    for (number, shown) in (0..).zip(shown_us(&frames)) {
        let expected_us = 100_000 * number + 36_923 + 10_000;
        assert!(shown.is_none_or(|shown| shown.abs_diff(expected_us) <= 4), "{shown:?} {expected_us}");
    }
    assert_eq!(frames.iter().filter(|frame| frame.shown.is_none()).count(), 0);
    assert!(frames.iter().all(|frame| frame.target_bps == 1e6 && frame.bytes == 12_500));
}

#[test]
fn reports_come_while_something_does_and_are_as_long_as_what_they_say() {
    let (sent, _) = run(call(), 0.16, |_, _| false);
    let reports = of(&sent, FEEDBACK);
    // At 50 ms 13 packets have come (2 chunks, 13 bytes); at 100 none; at 150 those of the second frame.
    let said: Vec<_> = reports.iter().map(|(at, own)| (at.nanoseconds() / 1_000_000, own.ip_bytes)).collect();
    assert_eq!(said, [(50, 48 + 4 + 13), (150, 48 + 4 + 13)]);
    assert_eq!(reports.iter().map(|(_, own)| own.sequence).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_lost_packet_is_sent_again_when_a_report_passes_over_it() {
    let lost = |_: Time, datagram: &Datagram| datagram.source.number() == CALL && datagram.sequence == 5;
    let (sent, frames) = run(call(), 0.3, lost);
    let packets = of(&sent, CALL);
    // The report of 50 ms reaches the sender at 60; the packet leaves at once, and arrives at 70.
    let again: Vec<_> =
        packets.iter().filter(|(at, _)| (50_000_000..99_000_000).contains(&at.nanoseconds())).collect();
    assert_eq!(
        again.iter().map(|(at, own)| (at.nanoseconds(), own.sequence)).collect::<Vec<_>>(),
        [(60_000_000, 13)]
    );
    assert_eq!(shown_us(&frames)[0], Some(70_000));
    assert_eq!(frames.iter().map(|frame| frame.resent_packets).collect::<Vec<_>>(), [1, 0, 0, 0]);
}

#[test]
fn what_only_a_lost_report_spoke_of_is_sent_again_when_the_next_one_comes() {
    // Packet 5, and the report of 50 ms, which said so. That of 150 reaches the sender at 160.
    let lost = |at: Time, datagram: &Datagram| match datagram.source.number() {
        CALL => datagram.sequence == 5,
        _ => at < Time::from_seconds(0.06),
    };
    let (sent, frames) = run(call(), 1.0, lost);
    let resent: Vec<u32> = frames.iter().map(|frame| frame.resent_packets).collect();
    assert_eq!((resent[0], resent[1..].iter().sum::<u32>()), (1, 0), "what had arrived is not sent again");
    assert_eq!(shown_us(&frames)[..2], [Some(170_000); 2], "the second frame waits for the first");
    assert_eq!(of(&sent, CALL).len(), 13 * frames.len() + 1 - 12, "the last frame has begun");
}

#[test]
fn repairs_leave_in_the_order_in_which_their_packets_were_sent_first() {
    // Packets 5 and 7 and the report of 50 ms, which said so; packet 14, of the second frame. The report of
    // 150 ms reaches the sender at 160: three packets of 961 bytes, 3.2 us a byte apart.
    let lost = |at: Time, datagram: &Datagram| match datagram.source.number() {
        CALL => [5, 7, 14].contains(&datagram.sequence),
        _ => at < Time::from_seconds(0.06),
    };
    let (_, frames) = run(call(), 0.25, lost);
    let shown = shown_us(&frames);
    let after = |repairs: u64| 160_000 + repairs * 3_076 + 10_000;
    for (shown, repairs) in shown.iter().zip([1, 2]) {
        assert!(
            shown.is_some_and(|shown| shown.abs_diff(after(repairs)) < 10),
            "{shown:?} {}",
            after(repairs)
        );
    }
}

#[test]
fn what_is_lost_at_the_end_of_a_call_is_not_sent_again_after_it() {
    // The third frame begins at 200 ms; the report of 250 ms says that a packet of it is lost.
    let sources = call_until(Time::from_seconds(0.25));
    let lost = |_: Time, datagram: &Datagram| datagram.source.number() == CALL && datagram.sequence == 30;
    let (sent, frames) = run(sources, 2.0, lost);
    assert_eq!(of(&sent, CALL).len(), 39, "three frames of 13 packets, none of them again");
    assert_eq!(frames.iter().map(|frame| frame.resent_packets).collect::<Vec<_>>(), [0; 3]);
    assert_eq!(frames[2].shown, None);
}

#[test]
fn a_call_that_stops_sends_nothing_more_and_its_receiver_falls_silent() {
    let sources = call_until(Time::from_seconds(0.25));
    let (sent, frames) = run(sources, 2.0, |_, _| false);
    assert_eq!(frames.len(), 3);
    assert!(of(&sent, CALL).iter().all(|(at, _)| *at < Time::from_seconds(0.25)));
    let last = of(&sent, FEEDBACK).last().map(|(at, _)| at.seconds());
    assert!(last.is_some_and(|last| last <= 0.30), "{last:?}");
}

#[test]
fn under_heavy_loss_every_frame_before_the_last_second_is_shown_or_given_up_and_the_rate_falls() {
    let mut number = 0_u64;
    let (sent, frames) = run(call(), 60.0, move |_, datagram| {
        number += u64::from(datagram.source.number() == CALL);
        datagram.source.number() == CALL && number % 4 == 0
    });
    assert!(frames.last().is_some_and(|frame| frame.target_bps == 1e5), "the least rate");
    let resent: u32 = frames.iter().map(|frame| frame.resent_packets).sum();
    let first: usize = frames.iter().map(|frame| (frame.bytes as usize).div_ceil(1000)).sum();
    // All that was sent is of a frame, once or again; the last ones may still wait.
    let packets = of(&sent, CALL).len();
    assert!(
        packets <= first + resent as usize && packets + 30 >= first + resent as usize,
        "{packets} {first} {resent}"
    );
    let shown = frames.iter().filter_map(|frame| frame.shown);
    assert!(shown.is_sorted(), "in order");
    assert!(frames.iter().all(|frame| frame.shown.is_none_or(|shown| shown > frame.captured)));
    let late = frames.iter().filter(|frame| frame.shown.is_some()).count();
    assert!(late > frames.len() * 9 / 10, "{late} of {}", frames.len());
}
