//! What no table of windows shows: the pace, the shares of short round trips, and what no share is told.

use super::*;
use crate::congestion::control::CongestionControl;
use crate::congestion::worked_cases::SETTINGS;
use crate::congestion::{Loss, Marks, Phase, Timeout};

/// A connection on a path of so many milliseconds, of which everything sent is acknowledged after each.
struct Path {
    controller: Controller,
    round_trip: Span,
    now: Time,
    arrived: u64,
}

impl Path {
    fn new(milliseconds: u64, initial_window: u32, feedback: Feedback) -> Self {
        let round_trip = Span::from_milliseconds(milliseconds);
        let mut controller = Controller::new(&Settings { initial_window, ..SETTINGS });
        let (now, opened) = (Time::ZERO, Some(round_trip));
        controller.on_established(Opening {
            now,
            round_trip: opened,
            active: true,
            syn_lost: false,
            reduces_window: false,
            feedback,
        });
        Self { controller, round_trip, now, arrived: 0 }
    }

    /// So many arrive a round trip later, with marks, and one more than what is in the network then has.
    fn round(&mut self, delivered: u32, marked: u32, phase: Phase) {
        self.now += self.round_trip;
        self.arrived += u64::from(delivered);
        self.controller.on_acknowledged(&Acknowledged {
            now: self.now,
            delivered,
            delivered_ever: self.arrived,
            marked,
            lost: 0,
            in_flight: delivered.saturating_sub(1),
            advanced: true,
            may_grow: true,
            round_trip: Some(self.round_trip),
            delivery_rate: None,
            window_unused: false,
            window_full: true,
            round_begins: false,
            phase,
        });
    }

    fn bits_per_second(&self) -> u64 {
        self.controller.pacing_rate().expect("a pace").bits_per_second()
    }
}

/// Ten packets of 1,500 bytes in 50 ms are 2.4 Mbit/s; slow start doubles that below half of its threshold.
#[test]
fn the_pace_is_a_window_in_a_round_trip_and_twice_that_in_slow_start() {
    let mut path = Path::new(50, 10, Feedback::Accurate);
    assert_eq!(path.bits_per_second(), 4_800_000);
    path.round(10, 10, Phase::Open);
    assert_eq!(path.bits_per_second(), 1_200_000, "five");
}

/// 250 us are 2.08 packets at 100 Mbit/s, 0.98 at 47, and 20.8 at 1 Gbit/s.
#[test]
fn what_leaves_in_a_quarter_of_a_millisecond_leaves_at_once() {
    let quantum = |megabits_per_s: f64| {
        let mut path = Path::new(1_000, 10, Feedback::Accurate);
        path.controller.leave_slow_start();
        path.controller.growth_mut().window = megabits_per_s * 1e6 / 12_000.0;
        path.round(1, 0, Phase::Open);
        path.controller.send_quantum()
    };
    assert_eq!([1.0, 47.0, 100.0, 1_000.0].map(quantum), [1, 1, 2, 20]);
}

/// Windows fall to 100 kbit/s and no further: 0.083 packets of 1,500 bytes in 10 ms.
#[test]
fn no_window_falls_below_the_least_rate() {
    let mut path = Path::new(10, 10, Feedback::Accurate);
    (0..60).for_each(|_| path.round(3, 3, Phase::Open));
    assert_eq!((path.bits_per_second(), path.controller.window()), (100_000, 2));
    let window = path.controller.growth().window;
    assert!((window - 1.0 / 12.0).abs() < 1e-9, "{window}");
}

/// In the virtual round trip of 25 ms one of 5 ms is reduced once in five of them, and averages once in five.
#[test]
fn a_short_round_trip_answers_marks_once_in_25_ms() {
    let mut path = Path::new(5, 100, Feedback::Accurate);
    path.controller.leave_slow_start();
    path.controller.growth_mut().rounds = TRANSITION_ROUNDS;
    let mut reductions = 0;
    for _ in 0..25 {
        let before = path.controller.growth().window;
        path.round(100, 1, Phase::Open);
        reductions += u32::from(path.controller.growth().window < before);
    }
    assert_eq!(reductions, 5);
}

/// Whatever the round trip is, one of 25 ms or less gains as many packets a second in a second: 1 / vrtt².
#[test]
fn round_trips_of_up_to_25_ms_gain_the_same_rate_in_a_second() {
    let gained = |milliseconds: u64| {
        let mut path = Path::new(milliseconds, 100, Feedback::Accurate);
        path.controller.leave_slow_start();
        path.controller.growth_mut().rounds = TRANSITION_ROUNDS;
        let before = path.controller.growth().window;
        for _ in 0..1_000 / milliseconds {
            let window = libm::round(path.controller.growth().window) as u32;
            path.round(window, 0, Phase::Open);
        }
        (path.controller.growth().window - before) / (milliseconds as f64 / 1e3)
    };
    for (milliseconds, packets_per_s) in [(5, 1_600.0), (10, 1_600.0), (25, 1_600.0), (50, 400.0)] {
        let gained = gained(milliseconds);
        assert!((gained / packets_per_s - 1.0).abs() < 0.01, "{gained} at {milliseconds} ms");
    }
}

/// Where nothing is ever marked a loss ends slow start, and 500 rounds later a round trip of 10 ms gains what
/// one of 25 ms does: (10 / 25)² of a packet in a round.
#[test]
fn rounds_without_a_mark_count_as_well() {
    let mut path = Path::new(10, 100, Feedback::Accurate);
    (0..600).for_each(|_| path.round(1, 0, Phase::Open));
    assert_eq!(path.controller.growth().rounds, 0, "slow start");
    path.controller.on_loss(&Loss { now: path.now, in_flight: 100, reduced: false, repaired: true });
    // Of a segment that arrives 1 / window is a round's part.
    let gained = |path: &mut Path| {
        let before = path.controller.growth().window;
        path.round(1, 0, Phase::Open);
        (path.controller.growth().window - before) * before
    };
    for _ in 0..498 {
        path.round(1, 0, Phase::Open);
    }
    let before = gained(&mut path);
    assert!((before - 1.0).abs() < 0.01, "{before}");
    (0..3).for_each(|_| path.round(1, 0, Phase::Open));
    let after = gained(&mut path);
    assert!((after - 0.16).abs() < 0.01, "{after}");
}

/// A peer that echoes marks (RFC 3168), or none: the sender is Reno's, with ECT(0).
#[test]
fn without_accurate_feedback_it_is_reno() {
    for feedback in [Feedback::None, Feedback::Classic] {
        let mut path = Path::new(5, 10, feedback);
        path.round(10, 0, Phase::Open);
        assert_eq!((path.controller.window(), path.controller.codepoint()), (20, Codepoint::Ect0));
        path.controller.on_marks(&Marks { now: path.now, marked: 1 });
        assert_eq!(path.controller.slow_start_threshold(), 10);
    }
    assert_eq!(Path::new(5, 10, Feedback::Accurate).controller.codepoint(), Codepoint::Ect1);
}

/// What marks have taken before a loss is not taken again, and a fraction outlives both.
#[test]
fn a_loss_takes_half_of_the_real_window_and_a_mark_after_it_nothing_in_its_round() {
    let mut path = Path::new(30, 15, Feedback::Accurate);
    path.round(15, 15, Phase::Open);
    let in_flight = 8;
    path.controller.on_loss(&Loss { now: path.now, in_flight, reduced: false, repaired: false });
    assert_eq!(path.controller.growth().window, 3.75);
    path.round(1, 1, Phase::Recovery);
    assert_eq!(path.controller.growth().window, 3.75);
    path.controller.on_timeout(&Timeout { now: path.now, in_flight: 0, repeated: true });
    assert_eq!(path.controller.window(), 1);
}
