//! Which timer of a sender with a scoreboard fires next.
//!
//! Source: RFC 6298 rules 5.1 to 5.3 (the retransmission timer), RFC 8985 section 6.3 (the timer of
//! reordering) and section 7.2 (the probe timeout), as Linux `tcp_schedule_loss_probe` has them: two smoothed
//! round trips, and with a single segment under way 200 ms more, for which its acknowledgement may be
//! delayed; otherwise 2 ms more; never later than the retransmission timer. The timer of reordering has the
//! same 2 ms.

use crate::context::Context;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// What is added for an acknowledgement that may be delayed, and without one (`TCP_RTO_MIN`,
/// `TCP_TIMEOUT_MIN`).
const FOR_DELAYED: Span = Span::from_milliseconds(200);
const FOR_OTHERS: Span = Span::from_milliseconds(2);

/// What is left of a timeout at the least, when another timer has taken its place and fired
/// (`tcp_rearm_rto`).
const LEAST_LEFT: Span = Span::from_microseconds(1);

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// What is overtaken has had the time that reordering may take.
    Reordering,
    /// Nothing came back for two round trips.
    Probe,
    /// The retransmission timeout.
    Timeout,
}

/// The instants; `Time::MAX` for what does not run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    pub(crate) reordering: Time,
    pub(crate) probe: Time,
    pub(crate) timeout: Time,
    /// While a probe is unanswered: what was sent by then, and whether it was sent again.
    pub(crate) probed: Option<(SequenceNumber, bool)>,
}

impl Default for Timers {
    fn default() -> Self {
        Self { reordering: Time::MAX, probe: Time::MAX, timeout: Time::MAX, probed: None }
    }
}

impl Timers {
    /// When the first of them fires.
    pub(crate) fn deadline(&self) -> Time {
        self.reordering.min(self.probe).min(self.timeout)
    }

    /// What is due; the timeout if nothing else is.
    pub(crate) fn due(&self, now: Time) -> Due {
        if self.reordering <= now {
            Due::Reordering
        } else if self.probe <= now {
            Due::Probe
        } else {
            Due::Timeout
        }
    }

    /// What is overtaken is lost from then on.
    pub(crate) fn wait_for_reordering(&mut self, now: Time, context: &Context<'_>, left: Span) {
        self.reordering = context.timer(now, left + FOR_OTHERS);
    }

    /// The timer of reordering has fired. Linux has one timer for all three and starts the timeout again now,
    /// so it is not due in the same instant.
    pub(crate) fn resume_timeout(&mut self, now: Time, context: &Context<'_>) {
        if self.timeout <= now {
            self.timeout = context.timer(now, LEAST_LEFT);
        }
    }

    /// Whether none of them runs, and no probe is unanswered.
    #[inline]
    pub(crate) fn are_stopped(&self) -> bool {
        self.deadline() == Time::MAX && self.probed.is_none()
    }

    /// Nothing is outstanding.
    pub(crate) fn stop(&mut self) {
        *self = Self { probed: self.probed, ..Self::default() };
    }

    /// A probe is sent at the end of two round trips, with so many segments outstanding; none of a connection
    /// whose round trip is not known.
    pub(crate) fn schedule_probe(
        &mut self,
        now: Time,
        context: &Context<'_>,
        smoothed: Span,
        outstanding: u32,
    ) {
        let more = if outstanding == 1 { FOR_DELAYED } else { FOR_OTHERS };
        self.probe = if smoothed == Span::ZERO {
            Time::MAX
        } else {
            context.timer(now, smoothed * 2 + more).min(self.timeout)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::HostProfile;

    const NOW: Time = Time::from_nanoseconds(1_000_000_000);

    fn after(milliseconds: u64) -> Time {
        NOW + Span::from_milliseconds(milliseconds)
    }

    fn with_context<R>(act: impl FnOnce(&Context<'_>) -> R) -> R {
        let profile = HostProfile::named("linux6-reno").unwrap();
        act(&Context { profile: &profile, clock: profile.clock(Span::ZERO) })
    }

    #[test]
    fn of_timers_that_are_due_at_one_instant_reordering_comes_first_and_the_timeout_last() {
        let mut timers = Timers { reordering: NOW, probe: NOW, timeout: NOW, probed: None };
        assert_eq!((timers.deadline(), timers.due(NOW)), (NOW, Due::Reordering));
        timers.reordering = after(1);
        assert_eq!(timers.due(NOW), Due::Probe);
        timers.probe = after(1);
        assert_eq!((timers.deadline(), timers.due(NOW)), (NOW, Due::Timeout));
    }

    /// RFC 8985 section 7.2 with Linux's 2 ms for 0: two round trips, and with one segment 200 ms more.
    #[test]
    fn a_probe_waits_for_two_round_trips_and_for_a_delayed_acknowledgement_of_one_segment() {
        with_context(|context| {
            let probe = |smoothed_ms, outstanding, timeout| {
                let mut timers = Timers { timeout, ..Timers::default() };
                timers.schedule_probe(NOW, context, Span::from_milliseconds(smoothed_ms), outstanding);
                timers.probe
            };
            assert_eq!(probe(100, 1, Time::MAX), after(400));
            assert_eq!(probe(100, 2, Time::MAX), after(202));
            assert_eq!(probe(100, 1, after(300)), after(300), "the timeout is sooner");
            assert_eq!(probe(0, 1, after(300)), Time::MAX, "no round trip is known");
        });
    }

    #[test]
    fn a_timeout_that_is_due_with_reordering_is_put_off_and_a_later_one_is_not() {
        with_context(|context| {
            let resumed = |timeout| {
                let mut timers = Timers { timeout, ..Timers::default() };
                timers.resume_timeout(NOW, context);
                timers.timeout
            };
            assert_eq!(resumed(NOW), NOW + Span::from_microseconds(1));
            assert_eq!(resumed(after(1)), after(1));
        });
    }
}
