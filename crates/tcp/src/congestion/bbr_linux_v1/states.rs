//! From one state to the next: the cycle, the full pipe, and the search for the round trip.
//!
//! Source: Linux net/ipv4/tcp_bbr.c `bbr_update_cycle_phase`, `bbr_check_full_bw_reached`, `bbr_check_drain`,
//! `bbr_update_min_rtt`.

use super::super::facts::Acknowledged;
use super::super::path_model::LEAST_WINDOW;
use super::{CYCLE, Controller, Mode};
use aqmlab_units::{Span, Time};

const GROWTH: f64 = 1.25;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
const LEAST_ROUND_TRIP_KEPT: Span = Span::from_milliseconds(10_000);
const PROBE: Span = Span::from_milliseconds(200);

impl Controller {
    /// A cycle begins with any of its phases but the one that drains.
    pub(super) fn enter_bandwidth(&mut self, now: Time) {
        self.mode = Mode::Bandwidth;
        let last = CYCLE.len() - 1 - self.random.below(7) as usize;
        (self.phase, self.phase_began) = ((last + 1) % CYCLE.len(), now);
    }

    pub(super) fn advance_cycle(&mut self, acknowledged: &Acknowledged) {
        let now = acknowledged.now;
        let in_flight = acknowledged.in_flight + acknowledged.delivered + acknowledged.lost;
        let least = self.least_round_trip.unwrap_or(Span::ZERO);
        let is_long = now.checked_since(self.phase_began).is_some_and(|time| time > least);
        let (gain, _) = self.gains();
        let is_over = if gain > 1.0 {
            is_long && (acknowledged.lost > 0 || in_flight >= self.target(gain))
        } else {
            is_long || gain < 1.0 && in_flight <= self.target(1.0)
        };
        if is_over {
            (self.phase, self.phase_began) = ((self.phase + 1) % CYCLE.len(), now);
        }
    }

    /// Whether the pipe is full, and what had been too much has left it.
    pub(super) fn fill_and_drain(&mut self, acknowledged: &Acknowledged, limited: bool) {
        if !self.filled && self.round_begins && !limited {
            if self.rates.greatest() >= GROWTH * self.best_rate {
                (self.best_rate, self.rounds_without_growth) = (self.rates.greatest(), 0);
            } else {
                self.rounds_without_growth += 1;
                self.filled = self.rounds_without_growth >= ROUNDS_WITHOUT_GROWTH;
            }
        }
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && acknowledged.in_flight <= self.target(1.0) {
            self.enter_bandwidth(acknowledged.now);
        }
    }

    pub(super) fn note_round_trip(&mut self, acknowledged: &Acknowledged) {
        let now = acknowledged.now;
        let expired = now > self.least_at + LEAST_ROUND_TRIP_KEPT;
        if let Some(round_trip) = acknowledged.round_trip
            && (expired || self.least_round_trip.is_none_or(|least| round_trip <= least))
        {
            (self.least_round_trip, self.least_at) = (Some(round_trip), now);
        }
        if expired && !self.restarts && self.mode != Mode::RoundTrip {
            self.keep_window();
            (self.mode, self.probe_until) = (Mode::RoundTrip, None);
        }
        if self.mode == Mode::RoundTrip {
            if self.probe_until.is_some() {
                self.probe_round_over |= self.round_begins;
                if self.probe_round_over {
                    self.end_probe(now);
                }
            } else if acknowledged.in_flight <= LEAST_WINDOW {
                (self.probe_until, self.probe_round_over) = (Some(now + PROBE), false);
                self.round_until = acknowledged.delivered_ever;
            }
        }
        self.restarts &= acknowledged.delivery_rate.is_none();
    }

    pub(super) fn end_probe(&mut self, now: Time) {
        if self.probe_until.is_some_and(|until| now > until) {
            self.least_at = now;
            self.window = self.window.max(self.window_before);
            if self.filled {
                self.enter_bandwidth(now);
            } else {
                self.mode = Mode::Startup;
            }
        }
    }
}
