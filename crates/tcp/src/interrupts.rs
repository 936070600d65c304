//! The interrupts by which a kernel counts time.

use crate::clock::HostClock;
use aqmlab_units::{Span, Time};

/// The interrupts by which a kernel counts time (Linux `jiffies`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupts {
    per_second: u64,
    period: Span,
    phase: Span,
}

impl Interrupts {
    /// So many a second, with the phase of a machine's clock, or counted from the start of the run.
    #[inline]
    pub(crate) fn new(per_second: u16, clock: Option<&HostClock>) -> Self {
        let period = Span::from_nanoseconds(1_000_000_000 / u64::from(per_second));
        let phase = clock.map_or(Span::ZERO, |clock| clock.phase_of(period));
        Self { per_second: u64::from(per_second), period, phase }
    }

    /// How many have come by then.
    #[must_use]
    pub fn at(&self, now: Time) -> u64 {
        (now.nanoseconds() + self.phase.nanoseconds()) / self.period.nanoseconds()
    }

    /// When interrupt number `number` comes.
    pub(crate) fn instant_of(&self, number: u64) -> Time {
        Time::from_nanoseconds(number * self.period.nanoseconds() - self.phase.nanoseconds())
    }

    /// How many a time takes, of which a part counts as a whole one.
    #[must_use]
    pub fn in_span(&self, span: Span) -> u64 {
        span.nanoseconds().div_ceil(self.period.nanoseconds())
    }

    /// Interrupts a second.
    #[must_use]
    pub const fn per_second(&self) -> u64 {
        self.per_second
    }
}

#[cfg(test)]
impl Interrupts {
    /// Those of a host without any.
    pub(crate) const fn milliseconds() -> Self {
        Self { per_second: 1_000, period: Span::from_milliseconds(1), phase: Span::ZERO }
    }
}
