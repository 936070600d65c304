//! Round-trip time estimation and the retransmission timeout (RTO).
//!
//! Source: Jacobson, "Congestion avoidance and control", SIGCOMM 1988, appendix A, in three arithmetics:
//!
//! | algorithm | source | first sample m | later samples | RTO |
//! | --- | --- | --- | --- | --- |
//! | `Bsd` | FreeBSD 4.x tcp_input.c `tcp_xmit_timer` | S = 32m, V = 8m | d = 4(m − 1) − ⌊S/8⌋; S += d; V += \|d\| − ⌊V/4⌋; both at least 1 | R = ⌊(⌊S/8⌋ + V)/4⌋ ticks, at least m + 2 |
//! | `Ns2` | ns-2.35 tcp.cc `rtt_update` | S = 8m, V = 2m | d = m − ⌊S/8⌋; S += d; V += \|d\| − ⌊V/4⌋; both at least 1 | R = ⌊(8V + S)/8⌋ ticks, at least the minimum, before the back-off |
//! | `Rfc6298` | RFC 6298 rules 2.2 and 2.3 | SRTT = m, RTTVAR = m/2 | RTTVAR = ¾ RTTVAR + ¼ \|SRTT − m\|, then SRTT = ⅞ SRTT + ⅛ m | SRTT + max(G, 4 RTTVAR) |
//!
//! `Linux` estimates in `modern/round_trip.rs`, and backs off as `Rfc6298`.
//!
//! m is in ticks of the host's clock for `Bsd` and `Ns2` (whole ticks that the clock counted during the round
//! trip; FreeBSD 2.2 adds one, `Ns2` takes at least one), and in microseconds for `Rfc6298`, where G is the
//! tick.
//!
//! Back-off after the n-th timeout: `Bsd` multiplies R by min(2ⁿ, 64) (a SYN by 1, 1, 1, 1, 2, 4, 8… for n =
//! 1, 2, 3…) and, from the fourth on, moves SRTT into RTTVAR so that the next sample starts afresh; `Ns2`
//! doubles a factor kept beside R, and moves SRTT likewise once the factor exceeds 8; `Rfc6298` doubles the
//! RTO (rule 5.5). A back-off lasts until a valid sample (Karn).
//!
//! Departures and silences: RFC 6298 allows any granularity; samples here are exact, so that G only enters
//! the RTO. Rule 5.7 (3 s when data begin after a lost SYN) is in `handshake.rs`.

use crate::clock::HostClock;
use crate::hosts::{RetransmissionTimer, RtoAlgorithm};
use aqmlab_units::{Span, Time};

/// Estimator of one connection. `smoothed` and `variation` carry the scaling of the algorithm, see above.
///
/// Packed, because three bytes of padding would push an endpoint beyond two cache lines.
#[derive(Clone, Copy, Debug, Default)]
#[repr(Rust, packed)]
pub(crate) struct RoundTripTime {
    smoothed: i32,
    variation: i32,
    /// Ticks (`Bsd`, `Ns2`) or microseconds (`Rfc6298`); includes the back-off except in `Ns2`.
    timeout: u32,
    /// Timeouts since the last valid sample.
    backoffs: u8,
}

/// Multiples of R at the n-th retransmission, FreeBSD 4.x tcp_timer.c.
const BSD_BACKOFF: [u32; 13] = [1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64, 64];
/// The same for a SYN from a client.
const BSD_SYN_BACKOFF: [u32; 13] = [1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 64, 64];
/// Repeated SYNs before Linux begins to double (`tcp_syn_linear_timeouts`, since 6.5).
const LINUX_LINEAR_SYNS: u8 = 4;
/// Back-offs after which BSD no longer trusts its estimate (`TCP_MAXRXTSHIFT / 4`).
const BSD_TRUSTED_BACKOFFS: u8 = 3;
/// Back-offs after which ns-2 no longer trusts its estimate (a factor above 8).
const NS2_TRUSTED_BACKOFFS: u8 = 3;
/// Ticks that a sample counts at most.
const LONGEST_SAMPLE_TICKS: u64 = 1 << 20;
/// Nanoseconds in a microsecond.
const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;

impl RoundTripTime {
    /// An estimator without a sample.
    pub(crate) fn new(timer: &RetransmissionTimer, clock: &HostClock) -> Self {
        // An initial timeout below the tick counts one tick, as its callout does.
        let timeout = in_units(timer, clock, timer.initial).max(1);
        let variation = match timer.algorithm {
            // FreeBSD 4.x tcp_subr.c: RTTVAR starts where R gives the initial timeout.
            RtoAlgorithm::Bsd { .. } => 4 * timeout as i32,
            RtoAlgorithm::Ns2 | RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => 0,
        };
        Self { smoothed: 0, variation, timeout, backoffs: 0 }
    }

    /// Takes over what a sender with a scoreboard has estimated, in microseconds; it ends the back-off.
    pub(crate) fn adopt(&mut self, timer: &RetransmissionTimer, clock: &HostClock, timeout: u64) {
        let longest = in_units(timer, clock, timer.maximum);
        self.timeout = u32::try_from(timeout).unwrap_or(u32::MAX).min(longest);
        self.backoffs = 0;
    }

    /// A kernel keeps the timeout in whole interrupts, and doubles these (Linux `icsk_rto`).
    pub(crate) fn count_in(&mut self, interrupt: Span) {
        let (whole, timeout) =
            (interrupt.nanoseconds(), u64::from(self.timeout) * NANOSECONDS_PER_MICROSECOND);
        let counted = timeout.div_ceil(whole) * whole / NANOSECONDS_PER_MICROSECOND;
        self.timeout = u32::try_from(counted).unwrap_or(u32::MAX);
    }

    /// How many timeouts there have been since the last valid sample.
    pub(crate) const fn backoffs(&self) -> u8 {
        self.backoffs
    }

    /// Sets the back-off apart from a sample, which only ns-2 does.
    pub(crate) const fn set_backoffs(&mut self, backoffs: u8) {
        self.backoffs = backoffs;
    }

    /// Takes a valid sample: a segment sent at `start`, never retransmitted, is acknowledged `now`.
    pub(crate) fn sample(&mut self, timer: &RetransmissionTimer, clock: &HostClock, start: Time, now: Time) {
        self.backoffs = 0;
        match timer.algorithm {
            RtoAlgorithm::Bsd { counts_first_tick, .. } => {
                let ticks = sampled_ticks(clock, start, now) + i32::from(counts_first_tick);
                self.sample_bsd(timer, clock, ticks);
            }
            RtoAlgorithm::Ns2 => self.sample_ns2(sampled_ticks(clock, start, now).max(1)),
            RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => {
                self.sample_rfc6298(timer, clock, (now - start).nanoseconds() / NANOSECONDS_PER_MICROSECOND);
            }
        }
    }

    fn sample_bsd(&mut self, timer: &RetransmissionTimer, clock: &HostClock, ticks: i32) {
        if self.smoothed == 0 {
            self.smoothed = ticks << 5;
            self.variation = ticks << 3;
        } else {
            let difference = ((ticks - 1) << 2) - (self.smoothed >> 3);
            self.smoothed = (self.smoothed + difference).max(1);
            self.variation = (self.variation + difference.abs() - (self.variation >> 2)).max(1);
        }
        let least = in_units(timer, clock, timer.minimum).max(ticks as u32 + 2);
        // The base is at least the minimum before or after the back-off, and without one that is the same.
        let base = self.bsd_unbounded().max(least);
        self.timeout =
            if base == least { least } else { base.min(in_units(timer, clock, timer.maximum).max(least)) };
    }

    /// `TCP_REXMTVAL` in ticks, without a minimum.
    fn bsd_unbounded(&self) -> u32 {
        (((self.smoothed >> 3) + self.variation) >> 2) as u32
    }

    /// `TCP_REXMTVAL` in ticks.
    fn bsd_base(&self, timer: &RetransmissionTimer, clock: &HostClock) -> u32 {
        let base = self.bsd_unbounded();
        match timer.algorithm {
            RtoAlgorithm::Bsd { minimum_before_backoff: true, .. } => {
                base.max(in_units(timer, clock, timer.minimum))
            }
            _ => base,
        }
    }

    fn sample_ns2(&mut self, ticks: i32) {
        if self.smoothed == 0 {
            self.smoothed = ticks << 3;
            self.variation = ticks << 1;
        } else {
            let difference = ticks - (self.smoothed >> 3);
            self.smoothed = (self.smoothed + difference).max(1);
            self.variation = (self.variation + difference.abs() - (self.variation >> 2)).max(1);
        }
        self.timeout = (((self.variation << 3) + self.smoothed) >> 3) as u32;
    }

    fn sample_rfc6298(&mut self, timer: &RetransmissionTimer, clock: &HostClock, microseconds: u64) {
        // Longer than 200 s is not a round trip but a bug elsewhere; the bound keeps the scaled sum in range.
        let sample = microseconds.clamp(1, 200_000_000) as i32;
        if self.smoothed == 0 {
            self.smoothed = sample << 3;
            self.variation = sample << 1;
        } else {
            let error = sample - (self.smoothed >> 3);
            self.variation += error.abs() - (self.variation >> 2);
            self.smoothed += error;
        }
        let granularity = in_units(timer, clock, clock.tick());
        let timeout = (self.smoothed >> 3) as u32 + granularity.max(self.variation as u32);
        self.timeout =
            timeout.clamp(in_units(timer, clock, timer.minimum), in_units(timer, clock, timer.maximum));
    }

    /// Backs off after a timeout; `opening` when it was a client's SYN that timed out.
    pub(crate) fn back_off(&mut self, timer: &RetransmissionTimer, clock: &HostClock, opening: bool) {
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => self.back_off_bsd(timer, clock, opening && timer.linear_syn_backoff),
            RtoAlgorithm::Ns2 => self.back_off_ns2(timer, clock),
            RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => {
                self.backoffs = self.backoffs.saturating_add(1);
                let is_linear = opening && timer.linear_syn_backoff && self.backoffs <= LINUX_LINEAR_SYNS;
                if !is_linear {
                    self.timeout = (2 * self.timeout).min(in_units(timer, clock, timer.maximum));
                }
            }
        }
    }

    fn back_off_bsd(&mut self, timer: &RetransmissionTimer, clock: &HostClock, linear: bool) {
        self.backoffs = self.backoffs.saturating_add(1);
        let table = if linear { &BSD_SYN_BACKOFF } else { &BSD_BACKOFF };
        let factor = table[usize::from(self.backoffs).min(table.len() - 1)];
        // A base of nothing would be backed off to nothing.
        let least = in_units(timer, clock, timer.minimum).max(1);
        self.timeout = (self.bsd_base(timer, clock) * factor)
            .clamp(least, in_units(timer, clock, timer.maximum).max(least));
        if self.backoffs > BSD_TRUSTED_BACKOFFS {
            self.variation += self.smoothed >> 5;
            self.smoothed = 0;
        }
    }

    fn back_off_ns2(&mut self, timer: &RetransmissionTimer, clock: &HostClock) {
        // Beyond a factor of 64, ns-2 doubles only while that still lengthens the timeout.
        if self.backoffs < 6 || self.ns2_timeout(timer, clock) < in_units(timer, clock, timer.maximum) {
            self.backoffs += 1;
        }
        if self.backoffs > NS2_TRUSTED_BACKOFFS {
            // ns-2 also adds it to the deviation, which the next sample sets without asking.
            self.smoothed = 0;
        }
    }

    /// The backed-off timeout of ns-2 in ticks: the minimum applies before the factor, and two ticks after
    /// it.
    fn ns2_timeout(&self, timer: &RetransmissionTimer, clock: &HostClock) -> u32 {
        let base = u64::from(self.timeout.max(in_units(timer, clock, timer.minimum)));
        let longest = u64::from(in_units(timer, clock, timer.maximum));
        // A factor of 2²⁰ exceeds any maximum; the bound keeps the shift in range.
        (base << self.backoffs.min(20)).min(longest).max(2) as u32
    }

    /// Raises the timeout to at least `least`, or the maximum if that is less: RFC 6298 rule 5.7.
    pub(crate) fn raise_to(&mut self, timer: &RetransmissionTimer, clock: &HostClock, least: Span) {
        self.timeout = self.timeout.max(in_units(timer, clock, least.min(timer.maximum)));
    }

    /// The timeout of `Ns2` in ticks without its minimum and its back-off (tcp.cc `t_rtxcur_`).
    pub(crate) const fn base_ticks(&self) -> u64 {
        self.timeout as u64
    }

    /// The smoothed round trip, as the algorithm reckons it; none before the first sample, and where it has
    /// given up its estimate.
    pub(crate) fn smoothed(&self, timer: &RetransmissionTimer, clock: &HostClock) -> Option<Span> {
        let (scaled, tick) = (u64::try_from(self.smoothed).unwrap_or(0), clock.tick().nanoseconds());
        let nanoseconds = match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => scaled * tick / 32,
            RtoAlgorithm::Ns2 => scaled * tick / 8,
            RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => scaled * NANOSECONDS_PER_MICROSECOND / 8,
        };
        (scaled > 0).then(|| Span::from_nanoseconds(nanoseconds))
    }

    /// The timeout now in force.
    pub(crate) fn timeout(&self, timer: &RetransmissionTimer, clock: &HostClock) -> Span {
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => clock.tick() * u64::from(self.timeout),
            RtoAlgorithm::Ns2 => clock.tick() * u64::from(self.ns2_timeout(timer, clock)),
            RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => Span::from_microseconds(u64::from(self.timeout)),
        }
    }

    /// When a timer started `now` fires. A BSD callout counts ticks, so its first tick may be short.
    #[inline]
    pub(crate) fn deadline(&self, timer: &RetransmissionTimer, clock: &HostClock, now: Time) -> Time {
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => clock.callout(u64::from(self.timeout), now),
            _ => now + self.timeout(timer, clock),
        }
    }
}

/// The ticks of a round trip, at most 2²⁰ (three hours of 10 ms): beyond any timeout, and the scaled sums
/// keep in range.
fn sampled_ticks(clock: &HostClock, start: Time, now: Time) -> i32 {
    clock.ticks_between(start, now).min(LONGEST_SAMPLE_TICKS) as i32
}

/// A span in the algorithm's unit: whole ticks, or microseconds; rounded down.
fn in_units(timer: &RetransmissionTimer, clock: &HostClock, span: Span) -> u32 {
    match timer.algorithm {
        RtoAlgorithm::Rfc6298 | RtoAlgorithm::Linux => {
            (span.nanoseconds() / NANOSECONDS_PER_MICROSECOND) as u32
        }
        RtoAlgorithm::Bsd { .. } | RtoAlgorithm::Ns2 => clock.whole_ticks(span) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::HostProfile;

    /// Timer of the FreeBSD 2.2 generation, with samples as they are given: without the tick that it adds.
    fn half_second_ticks() -> RetransmissionTimer {
        RetransmissionTimer {
            algorithm: RtoAlgorithm::Bsd { minimum_before_backoff: false, counts_first_tick: false },
            ..HostProfile::named("bsd228").unwrap().retransmission
        }
    }

    /// The timeout after these samples, and after each of the next timeouts, in ticks.
    fn series<const N: usize>(timer: &RetransmissionTimer, samples: &[u64]) -> [u64; N] {
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let mut estimator = RoundTripTime::new(timer, &clock);
        for &ticks in samples {
            estimator.sample(timer, &clock, Time::ZERO, clock.instant_of(ticks));
        }
        let mut first = true;
        [(); N].map(|()| {
            if !std::mem::take(&mut first) {
                estimator.back_off(timer, &clock, false);
            }
            estimator.timeout(timer, &clock).div_floor(timer.tick)
        })
    }

    #[test]
    fn half_second_ticks_give_the_tabled_timeouts() {
        let timer = half_second_ticks();
        assert_eq!(series(&timer, &[]), [6, 12, 24, 48, 96, 128]);
        assert_eq!(series(&timer, &[1]), [3, 6, 12, 24, 48]);
        assert_eq!(series(&timer, &[1; 8]), [3, 6, 12, 24, 48]);
        assert_eq!(series(&timer, &[1; 10]), [3, 4, 8, 16, 32]);
        assert_eq!(series(&timer, &[1; 15]), [3, 2, 4, 8, 16]);
        assert_eq!(series(&timer, &[1; 20]), [3, 2, 2, 2, 2, 2]);
        assert_eq!(series(&timer, &[1, 1, 1, 2]), [4, 6, 12, 24, 48]);
        assert_eq!(series(&timer, &[2]), [6, 12, 24, 48, 96, 128]);
    }

    #[test]
    fn bsd228_counts_a_round_trip_within_a_tick_as_one_and_across_a_tick_as_two() {
        let timer = HostProfile::named("bsd228").unwrap().retransmission;
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let timeout_after = |start_s: f64, end_s: f64| {
            let mut estimator = RoundTripTime::new(&timer, &clock);
            estimator.sample(&timer, &clock, Time::from_seconds(start_s), Time::from_seconds(end_s));
            estimator.timeout(&timer, &clock).div_floor(timer.tick)
        };
        // One sample of 1 gives 3 ticks, one of 2 gives 6.
        assert_eq!(timeout_after(1.1, 1.2), 3);
        assert_eq!(timeout_after(1.45, 1.55), 6);
    }

    #[test]
    fn a_minimum_below_a_tick_still_leaves_a_tick() {
        let timer = RetransmissionTimer { minimum: Span::from_milliseconds(200), ..half_second_ticks() };
        let after_many_samples: [u64; 12] = series(&timer, &[1; 40]);
        assert!(after_many_samples.iter().all(|&ticks| ticks >= 1), "{after_many_samples:?}");
    }

    #[test]
    fn bsd45_timeouts_are_multiples_of_a_second_unless_the_path_is_long() {
        let timer = HostProfile::named("bsd45").unwrap().retransmission;
        assert_eq!(series(&timer, &[8]), [100, 200, 400, 800, 1600, 3200, 6400, 6400]);
        assert_eq!(series(&timer, &[40]), [120, 240, 480, 960]);
        assert_eq!(series(&timer, &[40, 40, 40]), [100, 200, 400, 800]);
    }

    #[test]
    fn rfc6298_follows_its_equations() {
        let base = HostProfile::named("rfc5681").unwrap().retransmission;
        let timer = RetransmissionTimer { minimum: Span::ZERO, ..base };
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let mut estimator = RoundTripTime::new(&timer, &clock);
        assert_eq!(estimator.timeout(&timer, &clock), Span::from_milliseconds(1_000));
        // SRTT and RTTVAR: 0.1 and 0.05; 0.1125 and 0.0625; 0.1125 and 0.046875 seconds.
        for (sample, timeout) in [(100_000, 300_000), (200_000, 362_500), (112_500, 300_000)] {
            let end = Time::ZERO + Span::from_microseconds(sample);
            estimator.sample(&timer, &clock, Time::ZERO, end);
            assert_eq!(estimator.timeout(&timer, &clock), Span::from_microseconds(timeout));
        }
        for doubled in [600_000, 1_200_000, 2_400_000] {
            estimator.back_off(&timer, &clock, false);
            assert_eq!(estimator.timeout(&timer, &clock), Span::from_microseconds(doubled));
        }
        for _ in 0..10 {
            estimator.back_off(&timer, &clock, false);
        }
        assert_eq!(estimator.timeout(&timer, &clock), timer.maximum);
    }

    #[test]
    fn rfc6298_counts_a_steady_path_as_one_tick_of_variation_at_least() {
        let base = HostProfile::named("rfc5681").unwrap().retransmission;
        let timer = RetransmissionTimer { minimum: Span::ZERO, ..base };
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let mut estimator = RoundTripTime::new(&timer, &clock);
        for _ in 0..200 {
            estimator.sample(&timer, &clock, Time::ZERO, Time::from_seconds(0.1));
        }
        assert_eq!(estimator.timeout(&timer, &clock), Span::from_milliseconds(101));
    }

    #[test]
    fn a_round_trip_of_weeks_gives_the_longest_timeout() {
        for name in HostProfile::NAMES {
            let timer = HostProfile::named(name).unwrap().retransmission;
            let clock = HostClock::new(timer.tick, Span::ZERO);
            let mut estimator = RoundTripTime::new(&timer, &clock);
            for _ in 0..50 {
                estimator.sample(&timer, &clock, Time::ZERO, Time::from_seconds(8e6));
                estimator.back_off(&timer, &clock, false);
                assert_eq!(estimator.timeout(&timer, &clock), timer.maximum, "{name}");
            }
        }
    }

    #[test]
    fn an_initial_timeout_below_the_tick_is_one_tick() {
        let timer = RetransmissionTimer { initial: Span::from_milliseconds(10), ..half_second_ticks() };
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let estimator = RoundTripTime::new(&timer, &clock);
        assert_eq!(estimator.deadline(&timer, &clock, Time::from_seconds(1.2)), Time::from_seconds(1.5));
    }

    #[test]
    fn a_lost_syn_raises_the_timeout_no_further_than_its_maximum() {
        let base = HostProfile::named("rfc5681").unwrap().retransmission;
        let timer = RetransmissionTimer { maximum: Span::from_milliseconds(2_000), ..base };
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let mut estimator = RoundTripTime::new(&timer, &clock);
        estimator.raise_to(&timer, &clock, Span::from_milliseconds(3_000));
        assert_eq!(estimator.timeout(&timer, &clock), timer.maximum);
    }

    #[test]
    fn ns2_applies_its_minimum_before_the_back_off_and_its_maximum_after_it() {
        let timer = HostProfile::named("ns2-oneway").unwrap().retransmission;
        // 20 ticks: 20 + 4 * 10. Then 0.2 s at least, doubling to 60 s.
        assert_eq!(series(&timer, &[20]), [60, 120, 240, 480]);
        assert_eq!(series(&timer, &[1]), [20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 6000, 6000]);
        assert_eq!(series(&timer, &[]), [300, 600, 1200, 2400, 4800, 6000, 6000]);
    }
    #[test]
    fn ns2_averages_round_trips_with_an_eighth_and_their_deviation_with_a_quarter() {
        let timer = HostProfile::named("ns2-oneway").unwrap().retransmission;
        // tcp.cc rtt_update, in ticks: SRTT 20 and RTTVAR 10; then 20 + 10/8 and 10 + (10 - 10)/4, together
        // 61.25; then 9 below 21, 21.25 - 9/8 and 10 + (9 - 10)/4, together 59.125. The timeout is SRTT + 4
        // RTTVAR.
        assert_eq!(series(&timer, &[20, 30]), [61, 122]);
        assert_eq!(series(&timer, &[20, 30, 12]), [59, 118]);
    }

    /// Linux `tcp_set_rto` (`usecs_to_jiffies`): 266.9 ms are 67 interrupts of 4 ms, and these are doubled.
    #[test]
    fn a_kernel_doubles_whole_interrupts() {
        let timer = HostProfile::named("linux6-cubic").unwrap().retransmission;
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let mut estimator = RoundTripTime::new(&timer, &clock);
        estimator.adopt(&timer, &clock, 266_900);
        let doubled = [(); 3].map(|()| {
            estimator.count_in(Span::from_milliseconds(4));
            estimator.back_off(&timer, &clock, false);
            estimator.timeout(&timer, &clock)
        });
        assert_eq!(doubled, [536, 1_072, 2_144].map(Span::from_milliseconds));
    }

    #[test]
    fn ns2_doubles_beyond_64_only_while_that_lengthens_the_timeout() {
        let timer = HostProfile::named("ns2-oneway").unwrap().retransmission;
        let clock = HostClock::new(timer.tick, Span::ZERO);
        let doublings = |round_trip_ticks: Option<u64>| {
            let mut estimator = RoundTripTime::new(&timer, &clock);
            if let Some(ticks) = round_trip_ticks {
                estimator.sample(&timer, &clock, Time::ZERO, clock.instant_of(ticks));
            }
            [(); 10].map(|()| {
                estimator.back_off(&timer, &clock, false);
                estimator.backoffs()
            })
        };
        // 3 s: 60 s are reached at the fifth, but the factor goes on to 64.
        assert_eq!(doublings(None), [1, 2, 3, 4, 5, 6, 6, 6, 6, 6]);
        // 0.2 s: 51.2 s at a factor of 256, 60 s at 512.
        assert_eq!(doublings(Some(1)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
    }

    #[test]
    fn bsd_timeouts_stay_at_the_end_of_the_table() {
        let timer = HostProfile::named("bsd45").unwrap().retransmission;
        let after_twenty: [u64; 21] = series(&timer, &[8]);
        assert_eq!(after_twenty[12..], [6400; 9]);
    }
}
