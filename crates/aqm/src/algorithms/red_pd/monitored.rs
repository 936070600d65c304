//! A flow that RED-PD drops from in front of RED: its probability, how that grows and falls, and whether it
//! responds.

use crate::parts::Spacing;
use aqmlab_units::Time;
use std::collections::VecDeque;

/// How many pairs of rate and drop rate tell whether a flow responds.
const HISTORY: usize = 5;
/// A flow that is monitored first loses at most so much.
const LARGEST_FIRST: f64 = 0.5;
/// Drop rates further apart than by this factor are not held against each other.
const COMPARABLE: f64 = 0.1;

/// How probabilities move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// The largest growth in one step; infinite where there is none.
    pub(super) largest_increase: f64,
    pub(super) largest_decrease: f64,
    /// The probability at which a flow that responds is released; half of it for one that does not.
    pub(super) unmonitor_below: f64,
    /// Intervals of silence before each step down are replaced by this time, if there is one.
    pub(super) unmonitor_after_s: Option<f64>,
    pub(super) tests_response: bool,
    pub(super) unresponsive_penalty: f64,
}

/// What is known of a flow that was punished once.
#[derive(Clone, Debug)]
pub(super) struct Monitored {
    /// With which its packets are dropped in front of RED; none once it was released.
    pub(super) probability: Option<f64>,
    pub(super) unresponsive: bool,
    pub(super) last_change: Time,
    /// Arrivals that survived since the last drop.
    survivors: u32,
    /// Bytes per second and share dropped, at each punishment.
    history: VecDeque<(f64, f64)>,
}

impl Monitored {
    pub(super) fn new() -> Self {
        Self {
            probability: None,
            unresponsive: false,
            last_change: Time::ZERO,
            survivors: 0,
            history: VecDeque::with_capacity(HISTORY + 1),
        }
    }

    /// The probability for the next arrival, spread over the arrivals between two drops.
    pub(super) fn arrival_probability(&self, unresponsive_penalty: f64) -> f64 {
        let penalty = if self.unresponsive { unresponsive_penalty } else { 1.0 };
        let probability = (self.probability.unwrap_or(0.0) * penalty).min(1.0);
        Spacing::Classic.arrival_probability(probability, f64::from(self.survivors))
    }

    pub(super) fn survives(&mut self, survives: bool) {
        self.survivors = if survives { self.survivors.saturating_add(1) } else { 0 };
    }

    /// It lost packets once more: `share` of the drop rate is its own, `usable` the drop rate that counts;
    /// `rate` is what it sent, in bytes per second, and `dropped` the share of this that it lost.
    pub(super) fn punish(
        &mut self,
        now: Time,
        (share, usable): (f64, f64),
        (rate, dropped): (f64, f64),
        steps: &Steps,
    ) {
        self.probability = Some(match self.probability {
            None => share.min(2.0 * usable).min(LARGEST_FIRST),
            Some(before) => {
                self.unresponsive |= steps.tests_response && self.does_not_respond();
                let step = if self.unresponsive { 2.0 } else { 1.0 };
                let increase = if share > before { step * before } else { step * share };
                let after = before + increase.min(steps.largest_increase);
                // Where nothing would be left to pass, a half or a third of what passed does.
                if after > 1.0 { 1.0 - (1.0 - before) / (step + 1.0) } else { after }
            }
        });
        self.last_change = now;
        self.history.push_back((rate, dropped));
        if self.history.len() > HISTORY {
            self.history.pop_front();
        }
    }

    /// Whether its rate fell less than TCP's would, by the root of the ratio of drop rates, too often.
    fn does_not_respond(&self) -> bool {
        let (mut good, mut bad) = (0, 0);
        for &(rate_1, dropped_1) in &self.history {
            for &(rate_2, dropped_2) in &self.history {
                if dropped_1 >= dropped_2 || dropped_1 / dropped_2 <= COMPARABLE {
                    continue;
                }
                if rate_2 / rate_1 > libm::sqrt(dropped_1 / dropped_2) { bad += 1 } else { good += 1 }
            }
        }
        match good {
            0 => bad >= 3,
            _ => bad >= 4 * good,
        }
    }

    /// It stood in no list for long enough: its probability falls, or it is released.
    pub(super) fn reward(&mut self, now: Time, steps: &Steps) {
        let Some(before) = self.probability else { return };
        let (release, from, divisor) = if self.unresponsive {
            (steps.unmonitor_below / 2.0, 1.5 * steps.largest_decrease, 1.5)
        } else {
            (steps.unmonitor_below, 2.0 * steps.largest_decrease, 2.0)
        };
        self.last_change = now;
        if before <= release {
            self.release();
        } else {
            let after = if before > from { before - steps.largest_decrease } else { before / divisor };
            self.probability = Some(after);
        }
    }

    fn release(&mut self) {
        (self.probability, self.unresponsive) = (None, false);
        self.history.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Steps = Steps {
        largest_increase: f64::INFINITY,
        largest_decrease: 0.05,
        unmonitor_below: 0.005,
        unmonitor_after_s: None,
        tests_response: true,
        unresponsive_penalty: 1.0,
    };

    fn at(probability: f64, unresponsive: bool) -> Monitored {
        Monitored { probability: Some(probability), unresponsive, ..Monitored::new() }
    }

    fn punished(mut flow: Monitored, share: f64, usable: f64) -> f64 {
        flow.punish(Time::ZERO, (share, usable), (1.0, 0.1), &STEPS);
        flow.probability.expect("monitored")
    }

    #[test]
    fn a_flow_starts_with_its_share_and_doubles_or_adds_it() {
        let new = Monitored::new;
        for (flow, share, usable, expected) in [
            (new(), 0.03, 0.02, 0.03),
            (new(), 0.05, 0.02, 0.04),
            (new(), 0.9, 0.4, 0.5),
            (at(0.1, false), 0.2, 0.0, 0.2),
            (at(0.1, false), 0.03, 0.0, 0.13),
            (at(0.1, true), 0.2, 0.0, 0.3),
            (at(0.1, true), 0.03, 0.0, 0.16),
            // 1.2 would leave nothing: half of 0.4 passes; a third for one that does not respond.
            (at(0.6, false), 0.7, 0.0, 0.8),
            (at(0.4, true), 0.7, 0.0, 0.8),
        ] {
            assert!((punished(flow, share, usable) - expected).abs() < 1e-12, "{share}, {usable}");
        }
        let steps = Steps { largest_increase: 0.05, ..STEPS };
        let mut flow = at(0.1, false);
        flow.punish(Time::ZERO, (0.2, 0.0), (1.0, 0.1), &steps);
        assert!((flow.probability.expect("monitored") - 0.15).abs() < 1e-12, "the literal reading's step");
    }

    #[test]
    fn a_flow_is_loosened_by_steps_and_halves_until_it_is_released() {
        let path = |unresponsive| {
            let mut flow = at(0.2, unresponsive);
            std::iter::from_fn(|| {
                flow.reward(Time::ZERO, &STEPS);
                flow.probability
            })
            .collect::<Vec<f64>>()
        };
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?}");
        };
        // 0.2 − 0.05 twice; then halves: 0.05, 0.025, 0.0125, 0.00625, 0.003125 ≤ 0.005.
        close(path(false), &[0.15, 0.10, 0.05, 0.025, 0.0125, 0.00625, 0.003_125]);
        // Above 0.075 steps, then over 1.5, until at most 0.0025.
        close(
            path(true),
            &[
                0.15,
                0.10,
                0.05,
                0.033_333_333,
                0.022_222_222,
                0.014_814_815,
                0.009_876_543,
                0.006_584_362,
                0.004_389_575,
                0.002_926_383,
                0.001_950_922,
            ],
        );
    }

    #[test]
    fn a_flow_that_sends_on_at_higher_drop_rates_does_not_respond() {
        let judged = |history: &[(f64, f64)]| {
            Monitored { history: history.iter().copied().collect(), ..at(0.1, false) }.does_not_respond()
        };
        // Three drop rates at one rate: three pairs, all bad.
        assert!(judged(&[(100.0, 0.01), (100.0, 0.02), (100.0, 0.04)]));
        assert!(!judged(&[(100.0, 0.01), (100.0, 0.02)]), "one pair is too few");
        // As TCP: half of the rate at four times the drop rate.
        assert!(!judged(&[(100.0, 0.01), (50.0, 0.04), (50.0, 0.04)]));
        // A drop rate more than ten times as high is held against nothing.
        assert!(!judged(&[(100.0, 0.001), (100.0, 0.02), (100.0, 0.04), (100.0, 0.02)]));
        // One good pair needs four bad ones.
        assert!(!judged(&[(100.0, 0.01), (100.0, 0.02), (50.0, 0.04)]));
        let fourth = |rate| judged(&[(100.0, 0.01), (100.0, 0.02), (100.0, 0.04), (rate, 0.020_01)]);
        assert!(fourth(72.0), "one good pair of six");
        assert!(!fourth(70.0), "two good pairs of six");
    }
}
