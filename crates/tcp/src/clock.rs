//! The tick clock of a machine.
//!
//! Source: 4.4BSD counts time in clock interrupts (`ticks`, hz = 100 in FreeBSD 4.x); ns-2.35 tcp.cc adds a
//! random boot time to each agent's clock. A host sees time only as a number of ticks, so a round trip that
//! takes 8.4 ticks is measured as 8 or 9, and a timer of n ticks fires after more than n - 1 and at most n.
//! The phase belongs to a machine: all its connections tick together, and no two machines do.

use aqmlab_units::{Span, Time};

/// The clock of one machine: a tick, and the phase it was switched on at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostClock {
    tick: Span,
    phase: Span,
    /// ⌊2⁶⁴ / tick⌋: every acknowledgement asks for the tick, and a division costs more than all else it
    /// does.
    reciprocal: u64,
}

impl HostClock {
    /// A clock that ticks every `tick`; at the start of the run `phase` of the current tick has passed.
    /// Draw the phase uniformly from `[0, tick)`, once per machine.
    ///
    /// # Panics
    /// If `tick` is zero or `phase` is not shorter than a tick.
    #[must_use]
    pub fn new(tick: Span, phase: Span) -> Self {
        assert!(tick > Span::ZERO, "a clock must tick: tick {tick}");
        assert!(phase < tick, "the phase {phase} is not within a tick of {tick}");
        // A tick of one nanosecond would need 65 bits; with one less, the remainder below corrects by one as
        // well.
        let reciprocal = u64::try_from((1_u128 << 64) / u128::from(tick.nanoseconds())).unwrap_or(u64::MAX);
        Self { tick, phase, reciprocal }
    }

    /// Length of a tick.
    #[must_use]
    pub const fn tick(&self) -> Span {
        self.tick
    }

    /// How many ticks this clock has counted at `now`: rounded down.
    #[must_use]
    #[inline]
    pub fn ticks_at(&self, now: Time) -> u64 {
        self.whole_ticks(Span::from_nanoseconds(now.nanoseconds() + self.phase.nanoseconds()))
    }

    /// How many whole ticks fit into a span: rounded down, exactly.
    #[must_use]
    #[inline]
    pub fn whole_ticks(&self, span: Span) -> u64 {
        let nanoseconds = span.nanoseconds();
        // The product is at most one below the quotient, because the reciprocal is at most one below 2⁶⁴ /
        // tick.
        let quotient = ((u128::from(nanoseconds) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = nanoseconds - quotient * self.tick.nanoseconds();
        quotient + u64::from(remainder >= self.tick.nanoseconds())
    }

    /// The instant at which the clock counts tick number `tick`.
    ///
    /// # Panics
    /// If that instant lies before the start of the run.
    #[must_use]
    #[inline]
    pub fn instant_of(&self, tick: u64) -> Time {
        Time::from_nanoseconds(tick * self.tick.nanoseconds() - self.phase.nanoseconds())
    }

    /// When a callout of this many ticks fires that is set `now`: at the tick that completes the count, so
    /// that the first tick may be short. The clock interrupt counts a callout of no ticks at its next tick,
    /// as one of one tick (FreeBSD 4.x kern_timeout.c, `callout_reset`): it never lies in the past.
    #[must_use]
    #[inline]
    pub fn callout(&self, ticks: u64, now: Time) -> Time {
        self.instant_of(self.ticks_at(now) + ticks.max(1))
    }

    /// The next instant after `now` at which a second, coarser or finer clock of the same machine ticks. Its
    /// phase is that of this one, stretched to its own `period`: uniform over it, and fixed for the machine.
    #[must_use]
    pub fn next_tick_of(&self, period: Span, now: Time) -> Time {
        let past = (now.nanoseconds() + self.phase_of(period).nanoseconds()) % period.nanoseconds();
        now + Span::from_nanoseconds(period.nanoseconds() - past)
    }

    /// The phase of such a clock: how much of its current `period` has passed at the start of the run.
    pub(crate) fn phase_of(&self, period: Span) -> Span {
        let stretched = u128::from(self.phase.nanoseconds()) * u128::from(period.nanoseconds());
        Span::from_nanoseconds((stretched / u128::from(self.tick.nanoseconds())) as u64)
    }

    /// The ticks that passed between two instants, as the host counts them.
    #[must_use]
    #[inline]
    pub fn ticks_between(&self, earlier: Time, now: Time) -> u64 {
        self.ticks_at(now) - self.ticks_at(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_span_depends_on_the_phase() {
        let tick = Span::from_milliseconds(10);
        let start = Time::from_seconds(1.0);
        let end = start + Span::from_milliseconds(84);
        assert_eq!(HostClock::new(tick, Span::ZERO).ticks_between(start, end), 8);
        assert_eq!(HostClock::new(tick, Span::from_milliseconds(7)).ticks_between(start, end), 9);
    }

    #[test]
    fn a_tick_is_counted_at_its_instant() {
        let clock = HostClock::new(Span::from_milliseconds(10), Span::from_milliseconds(3));
        let instant = clock.instant_of(5);
        assert_eq!(instant, Time::from_seconds(0.047));
        assert_eq!(clock.ticks_at(instant), 5);
        assert_eq!(clock.ticks_at(Time::from_nanoseconds(instant.nanoseconds() - 1)), 4);
    }

    #[test]
    fn a_callout_fires_after_now_and_one_of_no_ticks_at_the_next() {
        let clock = HostClock::new(Span::from_milliseconds(10), Span::from_milliseconds(3));
        // The clock ticks at 7, 17, 27 ms and so on.
        for (now_ms, ticks, fires_ms) in [(6, 0, 7), (7, 0, 17), (7, 1, 17), (16, 1, 17), (16, 2, 27)] {
            let fires = clock.callout(ticks, Time::ZERO + Span::from_milliseconds(now_ms));
            assert_eq!(
                fires,
                Time::ZERO + Span::from_milliseconds(fires_ms),
                "{ticks} ticks from {now_ms} ms"
            );
        }
    }

    #[test]
    fn a_second_clock_ticks_with_its_own_period_after_every_instant() {
        // Half of the tick has passed, so half of the period has: 0.1, 0.3, 0.5 s and so on.
        let clock = HostClock::new(Span::from_milliseconds(500), Span::from_milliseconds(250));
        let period = Span::from_milliseconds(200);
        for (now, next) in [(0.0, 0.1), (0.05, 0.1), (0.1, 0.3), (0.299, 0.3), (7.0, 7.1)] {
            assert_eq!(
                clock.next_tick_of(period, Time::from_seconds(now)),
                Time::from_seconds(next),
                "{now}"
            );
        }
    }

    #[test]
    fn whole_ticks_are_the_quotient_whatever_the_tick() {
        for tick in [1, 2, 3, 7, 1_000, 10_000_000, 500_000_000, u64::MAX / 2, u64::MAX] {
            let clock = HostClock::new(Span::from_nanoseconds(tick), Span::ZERO);
            for near in [0, 1, tick, tick.saturating_mul(12_345), u64::MAX / 3, u64::MAX - 1] {
                for span in [near.saturating_sub(1), near, near.saturating_add(1)] {
                    let ticks = clock.whole_ticks(Span::from_nanoseconds(span));
                    assert_eq!(ticks, span / tick, "{span} in ticks of {tick}");
                }
            }
        }
    }
}
