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
        (smoothed, outstanding): (Span, u32),
    ) {
        let more = if outstanding == 1 { FOR_DELAYED } else { FOR_OTHERS };
        self.probe = if smoothed == Span::ZERO {
            Time::MAX
        } else {
            context.timer(now, smoothed * 2 + more).min(self.timeout)
        };
    }
}
