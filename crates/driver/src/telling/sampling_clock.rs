//! When something is to be sampled.

use aqmlab_units::{Span, Time};

/// Something that happens at regular instants.
#[derive(Clone, Copy, Debug)]
pub struct SamplingClock {
    /// When it strikes next.
    pub next: Time,
    interval: Span,
}

impl SamplingClock {
    /// One that strikes an interval after the start, and every interval from then on.
    #[must_use]
    pub fn every(interval: Span) -> Self {
        Self { next: Time::ZERO + interval, interval }
    }

    /// One that never strikes.
    pub const STOPPED: Self = Self { next: Time::MAX, interval: Span::ZERO };

    /// From one strike to the next.
    #[must_use]
    pub const fn interval(&self) -> Span {
        self.interval
    }

    /// Whether it strikes at `now`; then the next strike is one interval later.
    pub fn strikes(&mut self, now: Time) -> bool {
        let due = self.next <= now;
        if due {
            self.next += self.interval;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_strikes_once_per_interval() {
        let mut clock = SamplingClock::every(Span::from_milliseconds(10));
        let strikes: Vec<u64> =
            (0..35).filter(|&ms| clock.strikes(Time::ZERO + Span::from_milliseconds(ms))).collect();
        assert_eq!(strikes, [10, 20, 30]);
    }
}
