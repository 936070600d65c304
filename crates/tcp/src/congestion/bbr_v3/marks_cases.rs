//! Marks, worked by hand from the sources of `marks.rs`, and what they do on a line.

use super::super::bbr_l4s_v2::L4s;
use super::super::bbr_linux_v2::Version2;
use super::super::bbr_linux_v3::Version3;
use super::super::line::Line;
use super::super::worked_cases::SETTINGS;
use super::super::{AnswersMarks, Codepoint, CongestionControl, Feedback, Opening, Settings};
use super::marks::MarkShare;
use super::{Bbr, Edition, NONE, Sample, State};
use aqmlab_units::{Span, Time};

const ANSWERS: Settings = Settings { answers_marks: AnswersMarks::Always, ..SETTINGS };

/// 10 Mbit/s: with 40 ms 33.3 segments, with 4 ms 3.3.
fn line<E: Edition>(settings: &Settings, round_trip_ms: u64) -> Line<Bbr<E>> {
    Line::new(Bbr::new(settings), 10.0, round_trip_ms, 1_000)
}

fn in_state<E: Edition>(mut trial: Line<Bbr<E>>, state: State) -> Line<Bbr<E>> {
    assert!(trial.run(20.0, |trial| trial.controller.state == state), "never in {state:?}");
    trial
}

/// Of 256: 1 at first, 240; 16/256 of a quarter are 4, of nothing 0, of all 16.
#[test]
fn a_share_moves_by_a_sixteenth_and_is_rounded_down() {
    let mut share = MarkShare::new(AnswersMarks::Always).unwrap();
    share.note(64, 16);
    assert_eq!((share.weigh(64), share.share()), (Some(64), 240 + 4));
    // 228.75 and nothing.
    share.note(100, 0);
    assert_eq!((share.weigh(100), share.share()), (Some(0), 228));
    // 213.75 and 16.
    share.note(150, 50);
    assert_eq!((share.weigh(150), share.share()), (Some(256), 213 + 16));
    assert_eq!(share.weigh(150), None, "nothing has arrived");
}

/// Of 15/256 a sixteenth is less than 1/256, and so nothing; of 16/256 it is one.
#[test]
fn a_share_below_a_sixteenth_is_none_in_the_end() {
    for (marked, in_the_end) in [(15, 0), (16, 16)] {
        let mut share = MarkShare::new(AnswersMarks::Always).unwrap();
        for round in 1..=200 {
            share.note(256 * round, marked);
            share.weigh(256 * round);
        }
        assert_eq!(share.share(), in_the_end);
    }
}

/// A third is 85/256. Of 100 segments a share of 1 leaves 171/256, of a half 214/256, of nothing all.
#[test]
fn a_bound_falls_by_a_third_of_the_share() {
    let mut share = MarkShare::new(AnswersMarks::Always).unwrap();
    assert_eq!(share.cut(100), 66);
    for round in 1..=200 {
        share.note(256 * round, 128);
        share.weigh(256 * round);
    }
    assert_eq!((share.share(), share.cut(100)), (128, 83));
    for round in 201..=400 {
        share.note(256 * round, 0);
        share.weigh(256 * round);
    }
    assert_eq!((share.share(), share.cut(100)), (0, 100));
}

#[test]
fn marks_of_a_sample_are_those_since_its_segment_left() {
    let mut share = MarkShare::new(AnswersMarks::Always).unwrap();
    for (delivered, marked) in [(2, 0), (4, 1), (6, 2), (8, 0), (10, 2)] {
        share.note(delivered, marked);
    }
    assert_eq!(share.since(0), 5);
    assert_eq!(share.since(4), 4);
    assert_eq!(share.since(6), 2);
    assert_eq!(share.since(10), 0);
}

/// Three of six are too many for version 2, and not yet for version 3.
#[test]
fn half_marked_is_too_much() {
    fn is_too_much<E: Edition>(marked: u64, delivered: u32) -> bool {
        let mut trial = line::<E>(&ANSWERS, 40);
        trial.run(0.5, |_| false);
        trial.controller.are_marks_too_many(&Sample { delivered, marked, ..Sample::default() })
    }
    assert_eq!([2, 3, 4].map(|marked| is_too_much::<Version2>(marked, 6)), [false, true, true]);
    assert_eq!([2, 3, 4].map(|marked| is_too_much::<L4s>(marked, 6)), [false, true, true]);
    assert_eq!([2, 3, 4].map(|marked| is_too_much::<Version3>(marked, 6)), [false, false, true]);
    assert!(!is_too_much::<Version2>(0, 1), "no mark at all");
}

/// Everything is marked from the beginning: two rounds, where a rate that grows no more takes three after it
/// ceased to.
#[test]
fn startup_ends_after_two_rounds_with_half_marked() {
    fn ends<E: Edition>() {
        let mut trial = line::<E>(&ANSWERS, 40);
        trial.marks_from = Some(0.0);
        assert!(trial.run(1.0, |trial| trial.controller.growth.filled));
        assert_eq!(trial.controller.rounds.count, 2);
        assert!(trial.controller.long != NONE);
    }
    ends::<Version2>();
    ends::<L4s>();
    ends::<Version3>();
}

/// In cruise a share of 1 takes a third of the bound in each round: of 100 segments 66, 44, 29 and 19 are
/// left, and the window never falls below four.
#[test]
fn marks_outside_of_a_search_cut_the_short_bound() {
    fn cut<E: Edition>() {
        let mut trial = in_state(line::<E>(&ANSWERS, 40), State::Cruise);
        let controller = &mut trial.controller;
        (controller.short, controller.window) = (NONE, 100);
        let rate_short = controller.rate_short;
        let mut bounds = Vec::new();
        for _ in 0..4 {
            let mut share = MarkShare::new(AnswersMarks::Always).unwrap();
            share.see();
            controller.marks = Some(share);
            controller.adapt_short();
            bounds.push(controller.short);
        }
        assert_eq!((bounds, controller.rate_short), (vec![66, 44, 29, 19], rate_short));
        trial.marks_from = Some(0.0);
        let mut narrowest = u32::MAX;
        while !trial.run(0.001, |trial| trial.controller.state != State::Cruise) {
            narrowest = narrowest.min(trial.controller.window);
        }
        assert_eq!(narrowest, 4);
    }
    cut::<Version2>();
    cut::<L4s>();
    cut::<Version3>();
}

/// The bound is what was in the network when the segment left whose sample is too much, 0.7 of what the path
/// holds at the least.
#[test]
fn up_ends_with_half_marked() {
    fn ends<E: Edition>() {
        let mut trial = in_state(line::<E>(&ANSWERS, 40), State::Refill);
        assert_eq!(trial.controller.long, NONE);
        trial.marks_from = Some(0.0);
        let least = 0.7 * trial.product();
        let mut trial = in_state(trial, State::Up);
        assert!(trial.run(1.0, |trial| trial.controller.state == State::Down));
        assert!(trial.controller.search.too_high && trial.controller.long != NONE);
        assert!(f64::from(trial.controller.long) >= least.floor(), "{}", trial.controller.long);
    }
    ends::<Version2>();
    ends::<L4s>();
    ends::<Version3>();
}

#[test]
fn a_rule_for_short_round_trips_leaves_marks_alone_at_longer_ones() {
    let settings = Settings { answers_marks: AnswersMarks::UpTo5Ms, ..SETTINGS };
    for (round_trip_ms, answers) in [(4, true), (40, false)] {
        let mut trial = line::<Version3>(&settings, round_trip_ms);
        trial.marks_from = Some(0.0);
        trial.run(10.0, |_| false);
        let marks = trial.controller.marks.as_ref().unwrap();
        assert_eq!(marks.answers(), answers);
        assert_eq!(trial.controller.long != NONE, answers);
    }
}

/// The line gets half as fast in cruise, and its queue marks from five segments on. Until the old rate is
/// forgotten, two searches later, the window is twice what the path held: 67 segments, where it holds 17 now.
/// Who answers marks has drained the queue before.
#[test]
fn marks_drain_the_queue_of_a_line_that_gets_slower() {
    fn waits<E: Edition>(settings: &Settings) -> f64 {
        let mut trial = in_state(line::<E>(settings, 40), State::Cruise);
        trial.segments_per_s /= 2.0;
        trial.marks_from = Some(5.0);
        trial.run(0.5, |_| false);
        let mut waited = 0.0;
        for _ in 0..200 {
            trial.run(0.01, |_| false);
            waited += trial.waiting() / 200.0;
        }
        waited
    }
    fn compare<E: Edition>() {
        let (answered, ignored) = (waits::<E>(&ANSWERS), waits::<E>(&SETTINGS));
        assert!(ignored > 25.0 && answered < 0.6 * ignored, "{answered} and {ignored}");
    }
    compare::<Version2>();
    compare::<L4s>();
    compare::<Version3>();
}

/// Version 2 leaves up when 1.25 times what the path holds is in the network, a round trip after it began.
#[test]
fn version_2_ends_up_with_a_queue() {
    fn ends<E: Edition>() {
        let mut trial = in_state(line::<E>(&SETTINGS, 40), State::Up);
        let began = trial.now();
        let round = trial.controller.rounds.count;
        assert!(trial.run(5.0, |trial| trial.controller.state == State::Down));
        assert!(trial.now() > began + Span::from_milliseconds(40));
        // 41.7 segments, and two more because what the path holds is small.
        assert!(trial.waiting() > 0.2 * trial.product(), "{}", trial.waiting());
        assert!(trial.controller.rounds.count <= round + 3 && trial.lost == 0);
    }
    ends::<Version2>();
    ends::<L4s>();
}

#[test]
fn ect_1_is_of_those_that_answer_what_the_peer_counts() {
    let opening = |feedback| Opening {
        now: Time::ZERO,
        round_trip: None,
        active: true,
        syn_lost: false,
        reduces_window: false,
        feedback,
    };
    let codepoint = |settings: &Settings, feedback| {
        let mut controller: Bbr<L4s> = Bbr::new(settings);
        controller.on_established(opening(feedback));
        controller.codepoint()
    };
    assert_eq!(codepoint(&ANSWERS, Feedback::Accurate), Codepoint::Ect1);
    assert_eq!(codepoint(&ANSWERS, Feedback::Classic), Codepoint::Ect0);
    assert_eq!(codepoint(&SETTINGS, Feedback::Accurate), Codepoint::Ect0);
}
