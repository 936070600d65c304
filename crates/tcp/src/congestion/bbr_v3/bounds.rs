//! What losses tell: the bounds of the long and of the short term, and how they are taken back.
//!
//! Source: draft-ietf-ccwg-bbr sections 5.5.10 and 5.5.11.

use super::super::facts::Phase;
use super::{Bbr, Edition, LEAST_WINDOW, NONE, Sample, State};

/// What a round with losses leaves of the bounds [Beta].
const BETA: f64 = 0.7;
const HEADROOM: f64 = 0.15;
const AGGREGATION_S: f64 = 0.1;

/// Losses of the present round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    pub(super) seen: bool,
    /// Places that are not next to each other: those of lost segments, or acknowledgements that show one.
    pub(super) places: u32,
    pub(super) last_place: u64,
    /// Whether the state before them is kept, until they are repaired.
    pub(super) kept: bool,
}

/// Bounds and what was searched for when a recovery began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub(super) state: Option<State>,
    pub(super) rate_short: f64,
    pub(super) short: u32,
    pub(super) long: u32,
}

impl<E: Edition> Bbr<E> {
    pub(super) const LOSS: f64 = if E::DRAFT { 0.02 } else { 5.0 / 256.0 };

    pub(super) fn with_headroom(&self) -> u32 {
        let headroom = (f64::from(self.long) * HEADROOM).max(1.0) as u32;
        if self.long == NONE { NONE } else { (self.long - headroom.min(self.long)).max(LEAST_WINDOW) }
    }

    pub(super) fn is_too_high(lost: u32, in_flight: u32) -> bool {
        f64::from(lost) > Self::LOSS * f64::from(in_flight)
    }

    pub(super) fn forget_signals(&mut self) {
        (self.losses.seen, self.rate_latest, self.latest) = (false, 0.0, 0);
        self.forget_marks();
    }

    fn forget_marks(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.forget();
        }
    }

    pub(super) const fn forget_short(&mut self) {
        (self.rate_short, self.short) = (f64::INFINITY, NONE);
    }

    pub(super) fn keep_window(&mut self) {
        let reduced = self.recovering || self.state == State::RoundTrip;
        self.window_before = if reduced { self.window_before.max(self.window) } else { self.window };
    }

    pub(super) fn keep_state(&mut self) {
        self.keep_window();
        self.undo = Undo { state: None, rate_short: self.rate_short, short: self.short, long: self.long };
    }

    pub(super) fn note_loss(&mut self, delivered: u64) {
        if !self.losses.seen {
            self.rounds.loss_until = delivered;
            if E::DRAFT && !self.losses.kept {
                self.losses.kept = true;
                self.keep_state();
            }
        }
        self.losses.seen = true;
    }

    /// Too much was lost of what a search for bandwidth had put into the network, of which so much would not
    /// have been too much.
    pub(super) fn fall(&mut self, in_flight: u32, limited: bool) {
        (self.search.too_high, self.search.searches) = (true, false);
        if !limited {
            self.long = in_flight.max((f64::from(self.target()) * BETA) as u32);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.begin_down();
        }
    }

    /// A round ends: with losses the bounds of the short term fall towards what arrived in it, and with marks
    /// by their share.
    pub(super) fn adapt_short(&mut self) {
        if matches!(self.state, State::Startup | State::Refill | State::Up) {
            return;
        }
        let short = if self.short == NONE { self.window } else { self.short };
        if self.losses.seen {
            let rate = if self.rate_short.is_finite() { self.rate_short } else { self.greatest_rate() };
            self.rate_short = self.rate_latest.max(BETA * rate);
            self.short = self.latest.max((BETA * f64::from(short)) as u32);
        }
        self.short = self.short.min(self.cut_by_marks(short));
    }

    pub(super) fn end_loss_round(&mut self, sample: &Sample, phase: Phase) {
        if self.state == State::Startup
            && phase == Phase::Recovery
            && self.losses.places >= E::PLACES
            && (Self::is_too_high(sample.lost, sample.in_flight) || self.are_marks_too_many(sample))
        {
            self.fill();
        }
        (self.losses.seen, self.losses.places) = (false, 0);
        self.forget_marks();
    }

    /// Startup has gone too far, as losses or marks tell.
    pub(super) fn fill(&mut self) {
        let held = self.held(if E::DRAFT { self.rate() } else { self.greatest_rate() }, 1.0);
        let held = if E::DRAFT { held } else { self.with_quanta(held) };
        self.long = if E::VERSION_2 { held } else { held.max(self.latest) };
        (self.undo.state, self.growth.filled) = (Some(State::Startup), true);
    }

    /// Nothing had been lost: bounds, and what was searched for, are what they were.
    pub(super) fn take_back(&mut self) {
        self.losses.seen = false;
        self.look_for_growth(0.0);
        self.rate_short = self.rate_short.max(self.undo.rate_short);
        self.short = self.short.max(self.undo.short);
        self.long = self.long.max(self.undo.long);
        let undone = self.undo.state.take().filter(|state| E::DRAFT && *state != self.state);
        match undone {
            Some(State::Startup) => {
                self.growth.filled = false;
                if self.state != State::RoundTrip {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::RoundTrip => self.begin_refill(),
            _ => {}
        }
    }

    pub(super) fn set_window(&mut self, delivered: u32) {
        let mut excess = self.aggregation.greatest();
        if !E::DRAFT {
            excess = excess.min((self.rate() * AGGREGATION_S) as u32);
        }
        let (_, gain) = self.gains();
        let target = self.with_quanta(self.held(self.rate(), gain) + excess);
        let is_young =
            if E::DRAFT { self.delivered < u64::from(self.initial) } else { self.window < 2 * self.initial };
        if !E::DRAFT && delivered == 0 {
            // Bounds alone.
        } else if self.growth.filled {
            self.window = (self.window + delivered).min(target);
        } else if self.window < target || is_young {
            self.window += delivered;
        }
        let bound = match self.state {
            State::Startup | State::Drain => NONE,
            State::Cruise | State::RoundTrip => self.with_headroom(),
            State::Down | State::Refill | State::Up => self.long,
        };
        let probe = if self.state == State::RoundTrip { self.probe_window() } else { NONE };
        let bound = bound.min(self.short).max(LEAST_WINDOW).min(probe);
        self.window = self.window.max(LEAST_WINDOW).min(bound);
    }
}
