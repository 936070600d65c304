//! Beside the executable of Prague's authors: the same facts, and the same windows, shares and paces.
//!
//! `tests/prague/executable.txt` holds what that answered. It begins without slow start, in its virtual round
//! trip and with α = 0. It counts microseconds and bytes in whole numbers, here everything is a real one.

use super::*;
use crate::congestion::control::CongestionControl;
use crate::congestion::worked_cases::SETTINGS;
use crate::congestion::{Loss, Phase, Recovered};

const FACTS: &str = include_str!("../../../tests/prague/executable.txt");
/// Of windows and paces; α is exact to its resolution of 2⁻²⁰, and the window and the average follow it.
const TOLERANCE: f64 = 0.002;

/// A controller, and what its sender would be doing.
struct Beside {
    controller: Controller,
    phase: Phase,
    recover: u64,
    arrived: u64,
    marked: u64,
    lost: u64,
}

impl Beside {
    fn new(round_trip_us: u64, window: u32) -> Self {
        let mut controller = Controller::new(&Settings { initial_window: window, ..SETTINGS });
        controller.on_established(Opening {
            now: Time::ZERO,
            round_trip: Some(Span::from_microseconds(round_trip_us)),
            active: true,
            syn_lost: false,
            reduces_window: false,
            feedback: Feedback::Accurate,
        });
        let growth = controller.growth_mut();
        (growth.share, growth.was_marked, growth.rounds) = (0.0, true, TRANSITION_ROUNDS);
        controller.leave_slow_start();
        Self { controller, phase: Phase::Open, recover: 0, arrived: 0, marked: 0, lost: 0 }
    }

    fn acknowledge(&mut self, facts: &[u64; 6]) {
        let [now_us, round_trip_us, arrived, marked, lost, sent] = *facts;
        let now = Time::ZERO + Span::from_microseconds(now_us);
        let in_flight = (sent - arrived - lost) as u32;
        if self.phase == Phase::Recovery && arrived + lost > self.recover {
            self.phase = Phase::Open;
            self.controller.on_recovered(Recovered::Complete);
        }
        if lost > self.lost && self.phase == Phase::Open {
            self.controller.on_loss(&Loss { now, in_flight, reduced: false, repaired: false });
            (self.phase, self.recover) = (Phase::Recovery, sent);
        }
        self.controller.on_acknowledged(&Acknowledged {
            now,
            delivered: (arrived - self.arrived) as u32,
            delivered_ever: arrived,
            marked: (marked - self.marked) as u32,
            lost: (lost - self.lost) as u32,
            in_flight,
            advanced: true,
            may_grow: true,
            round_trip: Some(Span::from_microseconds(round_trip_us)),
            delivery_rate: None,
            window_unused: false,
            window_full: true,
            round_begins: false,
            phase: self.phase,
        });
        (self.arrived, self.marked, self.lost) = (arrived, marked, lost);
    }

    fn compare(&self, title: &str, line: &str, expected: &[f64; 3]) {
        let growth = self.controller.growth();
        let pace = growth.pace.expect("a pace").bits_per_second() as f64;
        let found = [growth.window, growth.share, pace];
        let near = |index: usize, tolerance: f64| (found[index] - expected[index]).abs() <= tolerance;
        let windows = near(0, expected[0] * TOLERANCE) && near(1, 2e-4);
        // While a loss is repaired the pace is that of the repair.
        let paces = self.phase == Phase::Recovery || near(2, expected[2] * TOLERANCE);
        assert!(windows && paces, "{title}\n{line}\nhere {found:?}");
    }
}

fn numbers<T: std::str::FromStr, const N: usize>(text: &str) -> [T; N] {
    let numbers: Vec<T> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{N} numbers in {text}"))
}

#[test]
fn windows_shares_and_paces_are_those_of_the_executable() {
    let cases: Vec<&str> = FACTS.split("case: ").skip(1).collect();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let mut lines = case.lines();
        let (title, start) = (lines.next().unwrap(), lines.next().unwrap());
        let [round_trip_us, window] = numbers::<u64, 2>(start);
        let mut beside = Beside::new(round_trip_us, window as u32);
        for line in lines {
            let (facts, expected) = line.split_once('|').expect("facts | answers");
            beside.acknowledge(&numbers(facts));
            beside.compare(title, line, &numbers(expected));
        }
    }
}
