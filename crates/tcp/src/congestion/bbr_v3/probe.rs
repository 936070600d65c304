//! The least round trip, and the search for a shorter one: the window is halved for 200 ms.
//!
//! Source: draft-ietf-ccwg-bbr section 5.3.4.

use super::super::facts::Acknowledged;
use super::search::Feedback;
use super::{Bbr, Edition, LEAST_WINDOW, State};
use aqmlab_units::{Span, Time};

const LEAST_ROUND_TRIP_KEPT: Span = Span::from_milliseconds(10_000);
const PROBE_INTERVAL: Span = Span::from_milliseconds(5_000);
const PROBE: Span = Span::from_milliseconds(200);

/// The least round trip of the last five seconds [probe_rtt_min], and the search for a shorter one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    pub(super) recent: Option<Span>,
    pub(super) recent_at: Time,
    until: Option<Time>,
    round_over: bool,
    /// Whether what is sent follows a pause.
    pub(super) restarts: bool,
}

impl<E: Edition> Bbr<E> {
    pub(super) fn probe_window(&self) -> u32 {
        self.held(self.rate(), 0.5).max(LEAST_WINDOW)
    }

    pub(super) fn note_round_trip(&mut self, acknowledged: &Acknowledged) {
        let expired = self.now > self.probe.recent_at + PROBE_INTERVAL;
        if let Some(round_trip) = acknowledged.round_trip
            && (expired || self.probe.recent.is_none_or(|recent| round_trip < recent))
        {
            (self.probe.recent, self.probe.recent_at) = (Some(round_trip), self.now);
        }
        if let Some(recent) = self.probe.recent
            && (self.least.is_none_or(|least| recent < least)
                || self.now > self.least_at + LEAST_ROUND_TRIP_KEPT)
        {
            (self.least, self.least_at) = (Some(recent), self.probe.recent_at);
        }
        if expired && !self.probe.restarts && self.state != State::RoundTrip {
            self.keep_window();
            (self.state, self.probe.until, self.search.feedback) =
                (State::RoundTrip, None, Feedback::Stopping);
            self.begin_round();
        }
        if self.state == State::RoundTrip {
            if self.probe.until.is_some() {
                self.probe.round_over |= self.rounds.begins;
                if self.probe.round_over {
                    self.end_probe();
                }
            } else if acknowledged.in_flight <= self.probe_window() {
                (self.probe.until, self.probe.round_over) = (Some(self.now + PROBE), false);
                self.begin_round();
            }
        }
        self.probe.restarts &= acknowledged.delivery_rate.is_none();
    }

    pub(super) fn end_probe(&mut self) {
        if self.probe.until.is_some_and(|until| self.now > until) {
            self.probe.recent_at = self.now;
            self.window = self.window.max(self.window_before);
            self.forget_short();
            if self.growth.filled {
                self.begin_down();
                self.begin_cruise();
            } else {
                self.state = State::Startup;
            }
        }
    }
}
