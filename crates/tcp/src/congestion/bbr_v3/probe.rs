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

/// Whether a round trip takes the place of the least one: one that is shorter, or as short where that counts.
fn is_renewed(least: Span, round_trip: Span, by_equals: bool) -> bool {
    round_trip < least || by_equals && round_trip == least
}

impl<E: Edition> Bbr<E> {
    pub(super) fn probe_window(&self) -> u32 {
        self.held(self.rate(), 0.5).max(LEAST_WINDOW)
    }

    pub(super) fn note_round_trip(&mut self, acknowledged: &Acknowledged) {
        let expired = self.now > self.probe.recent_at + PROBE_INTERVAL;
        if let Some(round_trip) = acknowledged.round_trip
            && (expired
                || self.probe.recent.is_none_or(|recent| is_renewed(recent, round_trip, E::VERSION_2)))
        {
            (self.probe.recent, self.probe.recent_at) = (Some(round_trip), self.now);
        }
        if let Some(recent) = self.probe.recent
            && (self.least.is_none_or(|least| is_renewed(least, recent, !E::DRAFT))
                || self.now > self.least_at + LEAST_ROUND_TRIP_KEPT)
        {
            if self.least != Some(recent) {
                self.pace.note_least(Some(recent));
            }
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

#[cfg(test)]
mod tests {
    use super::super::super::CongestionControl;
    use super::super::super::bbr_draft_2026_08::Draft;
    use super::super::super::bbr_linux_v2::Version2;
    use super::super::super::bbr_linux_v3::Version3;
    use super::super::super::facts::{Feedback, Opening, Phase};
    use super::super::super::worked_cases::SETTINGS;
    use super::*;

    fn open<E: Edition>() -> Bbr<E> {
        let mut controller: Bbr<E> = Bbr::new(&SETTINGS);
        controller.on_established(Opening {
            now: Time::ZERO,
            round_trip: Some(Span::from_milliseconds(40)),
            active: true,
            syn_lost: false,
            reduces_window: false,
            feedback: Feedback::None,
        });
        controller
    }

    /// At an instant a round trip is over, with so much in the network; and perhaps a round.
    fn hear<E: Edition>(
        controller: &mut Bbr<E>,
        [at_ms, round_trip_ms]: [u64; 2],
        in_flight: u32,
        round: bool,
    ) {
        (controller.now, controller.rounds.begins) = (Time::ZERO + Span::from_milliseconds(at_ms), round);
        controller.note_round_trip(&Acknowledged {
            now: controller.now,
            delivered: 1,
            delivered_ever: at_ms,
            marked: 0,
            lost: 0,
            in_flight,
            advanced: true,
            may_grow: true,
            round_trip: Some(Span::from_milliseconds(round_trip_ms)),
            delivery_rate: None,
            window_unused: false,
            window_full: true,
            round_begins: round,
            phase: Phase::Open,
        });
    }

    /// A search begins at 5.1 s, finds the least round trip of the beginning again at 5.2 s, and ends at 9 s.
    /// In Linux that is as old as the end of the search then, in the draft as old as the connection.
    #[test]
    fn linux_keeps_the_least_round_trip_from_the_end_of_a_search_on() {
        fn least_at_ms<E: Edition>() -> [u64; 2] {
            let mut controller = open::<E>();
            hear(&mut controller, [5_100, 60], 50, false);
            assert_eq!(controller.state, State::RoundTrip);
            hear(&mut controller, [5_200, 40], 50, false);
            let found = controller.least_at;
            hear(&mut controller, [5_300, 60], 1, false);
            hear(&mut controller, [9_000, 90], 1, true);
            assert_ne!(controller.state, State::RoundTrip);
            hear(&mut controller, [9_100, 90], 50, false);
            assert_eq!(controller.least, Some(Span::from_milliseconds(40)));
            [found, controller.least_at].map(|at| at.nanoseconds() / 1_000_000)
        }
        assert_eq!(least_at_ms::<Draft>(), [0, 0]);
        assert_eq!(least_at_ms::<Version3>(), [5_200, 9_000]);
        assert_eq!(least_at_ms::<Version2>(), [5_200, 9_000]);
    }

    /// The same 40 ms again after 3 s: version 2 searches 5 s later, the others 2 s later.
    #[test]
    fn version_2_puts_off_its_search_while_the_least_round_trip_is_seen() {
        fn searches_at_5_1_s<E: Edition>() -> bool {
            let mut controller = open::<E>();
            hear(&mut controller, [3_000, 40], 50, false);
            hear(&mut controller, [5_100, 60], 50, false);
            controller.state == State::RoundTrip
        }
        assert!(searches_at_5_1_s::<Draft>() && searches_at_5_1_s::<Version3>());
        assert!(!searches_at_5_1_s::<Version2>());
    }

    /// Linux's window stays what it is where nothing new has arrived, also above its target.
    #[test]
    fn an_acknowledgement_of_nothing_leaves_the_window_of_linux() {
        fn after_nothing<E: Edition>() -> u32 {
            let mut controller = open::<E>();
            (controller.growth.filled, controller.rates, controller.window) = (true, [1_000.0; 2], 200);
            controller.set_window(0);
            controller.window
        }
        // 1,000 segments a second for 40 ms, twice.
        assert_eq!((after_nothing::<Draft>(), after_nothing::<Version3>()), (80, 200));
    }
}
