//! The search for bandwidth: startup, and the cycle of down, cruise, refill and up.
//!
//! Source: draft-ietf-ccwg-bbr sections 5.3.1 to 5.3.3.

use super::super::facts::Acknowledged;
use super::{Bbr, Edition, NONE, Sample, State, UP_PACE};
use aqmlab_units::{Span, Time};

const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
const MOST_ROUNDS: u32 = 63;

/// What acknowledgements tell of a search for bandwidth [ack_phase].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feedback {
    Nothing,
    Starting,
    Stopping,
}

/// Whether the rate still grows while more is sent [full_bw].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    /// Whether it ever ceased to, and whether it has since this was asked anew.
    pub(super) filled: bool,
    pub(super) filled_now: bool,
    best_rate: f64,
    rounds: u32,
}

#[cfg(test)]
impl Growth {
    /// Rounds without growth.
    pub(super) const fn rounds(&self) -> u32 {
        self.rounds
    }
}

/// Where the cycle stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) feedback: Feedback,
    drain_round: u64,
    up_rounds: u32,
    up_acknowledged: u32,
    /// Segments that are to arrive for the long bound to grow by one.
    up_per_segment: u32,
    pub(super) rounds_since_up: u32,
    wait: Span,
    cycle_at: Time,
    /// Whether samples are of a search [is_bw_probe_sample].
    pub(super) searches: bool,
    /// Whether the last one was too high, and whether this one ended for that reason.
    pub(super) too_high: bool,
    precautionary: bool,
}

impl Search {
    pub(super) const fn new() -> Self {
        Self {
            feedback: Feedback::Nothing,
            drain_round: 0,
            up_rounds: 0,
            up_acknowledged: 0,
            up_per_segment: 1,
            rounds_since_up: 0,
            wait: Span::ZERO,
            cycle_at: Time::ZERO,
            searches: false,
            too_high: false,
            precautionary: false,
        }
    }
}

impl<E: Edition> Bbr<E> {
    pub(super) const fn look_for_growth(&mut self, rate: f64) {
        (self.growth.best_rate, self.growth.rounds, self.growth.filled_now) = (rate, 0, false);
    }

    pub(super) fn begin_down(&mut self) {
        self.forget_signals();
        self.search.rounds_since_up = self.random.below(2) as u32;
        self.search.wait = Span::from_nanoseconds(2_000_000_000 + self.random.below(1_000_000_000));
        (self.search.cycle_at, self.search.feedback, self.state) =
            (self.now, Feedback::Stopping, State::Down);
        self.begin_round();
    }

    pub(super) fn begin_cruise(&mut self) {
        self.state = State::Cruise;
        if !E::DRAFT && self.short != NONE {
            self.short = self.short.min(self.long);
        }
    }

    pub(super) const fn begin_refill(&mut self) {
        self.forget_short();
        (self.search.up_rounds, self.search.up_acknowledged, self.search.precautionary) = (0, 0, false);
        (self.search.feedback, self.state) = (Feedback::Nothing, State::Refill);
        self.begin_round();
    }

    pub(super) fn begin_up(&mut self, rate: f64) {
        (self.search.feedback, self.state) = (Feedback::Starting, State::Up);
        self.begin_round();
        self.look_for_growth(rate);
        self.raise_slope();
    }

    pub(super) fn raise_slope(&mut self) {
        let growth = 1 << self.search.up_rounds;
        self.search.up_rounds = (self.search.up_rounds + 1).min(30);
        self.search.up_per_segment = (self.window / growth).max(1);
    }

    pub(super) fn check_growth(&mut self, sample: &Sample) {
        if E::GROWS_BY_GREATEST {
            return self.check_greatest(sample);
        }
        if self.growth.filled_now || sample.limited || E::DRAFT && !self.rounds.begins {
            return;
        }
        if sample.rate >= GROWTH * self.growth.best_rate {
            self.look_for_growth(sample.rate);
        } else if self.rounds.begins {
            self.growth.rounds += 1;
            self.growth.filled_now = self.growth.rounds >= ROUNDS_WITHOUT_GROWTH;
            self.growth.filled |= self.growth.filled_now;
        }
    }

    /// The same, where the greatest rate tells it.
    fn check_greatest(&mut self, sample: &Sample) {
        if self.growth.filled || !self.rounds.begins || sample.limited {
            return;
        }
        if self.greatest_rate() >= GROWTH * self.growth.best_rate {
            self.look_for_growth(self.greatest_rate());
        } else {
            self.growth.rounds += 1;
            self.growth.filled = self.growth.rounds >= ROUNDS_WITHOUT_GROWTH;
        }
    }

    pub(super) fn check_drain(&mut self, in_flight: u32) {
        if self.state == State::Startup && self.growth.filled {
            (self.state, self.search.drain_round) = (State::Drain, self.rounds.count);
            if !E::DRAFT {
                self.forget_signals();
            }
        }
        let rate = if E::DRAFT { self.rate() } else { self.greatest_rate() };
        let is_late = E::DRAFT && self.rounds.count > self.search.drain_round + 3;
        if self.state == State::Drain && (in_flight <= self.with_quanta(self.held(rate, 1.0)) || is_late) {
            self.begin_down();
        }
    }

    /// Answers whether that decides on the state.
    pub(super) fn adapt_long(&mut self, sample: &Sample, acknowledged: &Acknowledged) -> bool {
        if self.search.feedback == Feedback::Starting && self.rounds.begins {
            self.search.feedback = Feedback::Nothing;
        }
        if self.search.feedback == Feedback::Stopping && self.rounds.begins {
            (self.search.searches, self.search.feedback) = (false, Feedback::Nothing);
            if self.is_in_cycle() && !sample.limited && self.rates[0] > 0.0 {
                self.rates = [0.0, self.rates[0]];
            }
            if self.is_in_cycle() && self.search.precautionary && !self.search.too_high {
                self.begin_refill();
                return true;
            }
        }
        if Self::is_too_high(sample.lost, sample.in_flight) || self.are_marks_too_many(sample) {
            if !E::DRAFT && self.search.searches {
                self.fall(sample.in_flight, sample.limited);
            }
        } else if self.long != NONE {
            self.long = self.long.max(sample.in_flight);
            if self.state == State::Up && acknowledged.window_full && self.window >= self.long {
                self.search_upward(acknowledged.delivered);
            } else if E::VERSION_2 && self.state == State::Up {
                self.search.up_acknowledged = 0;
            }
        }
        false
    }

    pub(super) fn search_upward(&mut self, delivered: u32) {
        self.search.up_acknowledged += delivered;
        let segments = self.search.up_acknowledged / self.search.up_per_segment;
        self.search.up_acknowledged -= segments * self.search.up_per_segment;
        self.long += segments;
        if self.rounds.begins {
            self.raise_slope();
        }
    }

    pub(super) fn searches_again(&mut self) -> bool {
        let rounds = self.target().min(MOST_ROUNDS);
        let is_time =
            self.now > self.search.cycle_at + self.search.wait || self.search.rounds_since_up >= rounds;
        if is_time {
            self.begin_refill();
        }
        is_time
    }

    /// Whether a search upward has lasted for a round trip, and put more into the network than the path
    /// holds.
    fn has_queue(&self, in_flight: u32) -> bool {
        let least = self.least.unwrap_or(Span::ZERO);
        let held = self.with_quanta(self.held(self.greatest_rate(), UP_PACE));
        self.now > self.search.cycle_at + least && in_flight >= held
    }

    pub(super) fn advance_cycle(&mut self, sample: &Sample, acknowledged: &Acknowledged) {
        if !self.growth.filled || self.adapt_long(sample, acknowledged) {
            return;
        }
        let Acknowledged { mut in_flight, delivered, lost, window_full, .. } = *acknowledged;
        if !E::DRAFT {
            in_flight += delivered + lost;
        }
        match self.state {
            State::Down => {
                let held = self.with_quanta(self.held(self.greatest_rate(), 1.0));
                if !self.searches_again() && in_flight <= self.with_headroom().min(held) {
                    self.begin_cruise();
                }
            }
            State::Cruise => {
                self.searches_again();
            }
            State::Refill if self.rounds.begins => {
                self.search.searches = true;
                if !E::DRAFT {
                    self.search.cycle_at = self.now;
                }
                self.begin_up(sample.rate);
            }
            State::Up => {
                let is_risky = self.search.too_high && in_flight >= self.long;
                let is_bound = window_full && self.window >= self.long;
                self.search.precautionary |= is_risky;
                let is_found = if E::VERSION_2 {
                    self.has_queue(in_flight)
                } else {
                    !is_bound && self.growth.filled_now
                };
                if is_risky || is_found {
                    self.search.too_high = false;
                    self.begin_down();
                } else if is_bound {
                    self.look_for_growth(sample.rate);
                }
            }
            _ => {}
        }
    }
}
