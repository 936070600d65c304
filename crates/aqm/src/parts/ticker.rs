//! A periodic timer.

use crate::port_facts::PortFacts;
use aqmlab_units::{Span, Time};

/// Ticks at `(phase + k)` periods, k = 0, 1, …, without instant 0, at which nothing can have happened yet.
#[derive(Clone, Copy, Debug)]
pub struct Ticker {
    period: Span,
    due: Time,
}

impl Ticker {
    /// A timer with the phase of the port, and this period rounded to the nearest nanosecond.
    ///
    /// # Panics
    /// If the period rounds to zero, or the phase is outside `[0, 1)`.
    #[must_use]
    pub fn new(period_s: f64, facts: &PortFacts) -> Self {
        let period = Span::from_seconds(period_s);
        assert!(period > Span::ZERO, "a period of {period_s} s is shorter than a nanosecond");
        assert!((0.0..1.0).contains(&facts.timer_phase), "a phase lies in [0, 1): {}", facts.timer_phase);
        let first = Span::from_seconds(period_s * facts.timer_phase);
        Self { period, due: Time::ZERO + if first == Span::ZERO { period } else { first } }
    }

    /// The next tick.
    #[must_use]
    #[inline]
    pub const fn due(&self) -> Time {
        self.due
    }

    /// The tick has happened.
    #[inline]
    pub fn advance(&mut self) {
        self.due += self.period;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Rate;

    fn ticks(phase: f64) -> [u64; 3] {
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0)).with_timer_phase(phase);
        let mut ticker = Ticker::new(1.0 / 160.0, &facts);
        std::array::from_fn(|_| {
            let due = ticker.due();
            ticker.advance();
            due.nanoseconds()
        })
    }

    #[test]
    fn the_phase_shifts_every_tick() {
        assert_eq!(ticks(0.0), [6_250_000, 12_500_000, 18_750_000]);
        assert_eq!(ticks(0.25), [1_562_500, 7_812_500, 14_062_500]);
    }
}
