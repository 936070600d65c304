//! Pacing: the segments of a window leave at a rate, and not as one burst.
//!
//! The rate is the controller's ([`crate::congestion::CongestionControl::pacing_rate`]). The output routine
//! asks before each segment with data, and tells of each that left.

use aqmlab_units::{Rate, Time, TransmissionClock};

/// When the next segment of a paced sender may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// From when on the next segment may leave.
    next: Time,
    /// Whether there is one that waits for it.
    is_waiting: bool,
    /// Turns bytes into time at the rate of the last segment; it carries the fraction of a nanosecond.
    pace: Option<(Rate, TransmissionClock)>,
}

impl Default for Pacer {
    /// Nothing has left yet.
    fn default() -> Self {
        Self { next: Time::ZERO, is_waiting: false, pace: None }
    }
}

impl Pacer {
    /// Whether a segment that is ready has to wait; then it is waited for.
    pub(super) fn holds_back(&mut self, now: Time) -> bool {
        self.is_waiting = now < self.next;
        self.is_waiting
    }

    /// An IP packet of so many bytes leaves; the next may when it would have been sent at this rate.
    pub(super) fn note_sent(&mut self, now: Time, ip_bytes: u16, rate: Rate) {
        let (known, mut clock) = self.pace.unwrap_or_else(|| (rate, TransmissionClock::new(rate)));
        if known != rate {
            clock = TransmissionClock::new(rate);
        }
        self.next = self.next.max(now) + clock.transmit(u32::from(ip_bytes));
        self.pace = Some((rate, clock));
    }

    /// When a segment that waits may leave; `Time::MAX` if none waits.
    pub(super) const fn deadline(&self) -> Time {
        if self.is_waiting { self.next } else { Time::MAX }
    }

    /// Nothing waits any more.
    pub(super) const fn stop(&mut self) {
        self.is_waiting = false;
    }
}
