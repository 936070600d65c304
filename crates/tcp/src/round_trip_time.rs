//! Round-trip time estimation and the retransmission timeout (RTO).
//!
//! Source: Jacobson, "Congestion avoidance and control", SIGCOMM 1988, appendix A, in three arithmetics:
//!
//! | algorithm | source | first sample m | later samples | RTO |
//! | --- | --- | --- | --- | --- |
//! | `Bsd` | FreeBSD 4.x tcp_input.c `tcp_xmit_timer` | S = 32m, V = 8m | d = 4(m − 1) − ⌊S/8⌋; S += d; V += \|d\| − ⌊V/4⌋; both at least 1 | R = ⌊(⌊S/8⌋ + V)/4⌋ ticks, at least m + 2 |
//! | `Ns2` | ns-2.35 tcp.cc `rtt_update` | S = 8m, V = 2m | d = m − ⌊S/8⌋; S += d; V += \|d\| − ⌊V/4⌋; both at least 1 | R = ⌊(8V + S)/8⌋ ticks with V in quarters: ⌊(2·4·V/4 + S)/8⌋ |
//! | `Rfc6298` | RFC 6298 rules 2.2 and 2.3 | SRTT = m, RTTVAR = m/2 | RTTVAR = ¾ RTTVAR + ¼ \|SRTT − m\|, then SRTT = ⅞ SRTT + ⅛ m | SRTT + max(G, 4 RTTVAR) |
//!
//! m is in ticks of the host's clock for `Bsd` and `Ns2` (whole ticks that the clock counted during the round
//! trip; `Ns2` takes at least one), and in microseconds for `Rfc6298`, where G is the tick.
//!
//! Back-off after the n-th timeout: `Bsd` multiplies R by min(2ⁿ, 64) (a SYN by 1, 1, 1, 1, 2, 4, 8… for n = 1,
//! 2, 3…) and, from the fourth on, moves SRTT into RTTVAR so that the next sample starts afresh; `Ns2` doubles a
//! factor kept beside R, and moves SRTT likewise once the factor exceeds 8; `Rfc6298` doubles the RTO (rule 5.5).
//! A back-off lasts until a valid sample (Karn).
//!
//! Departures and silences: RFC 6298 allows any granularity; samples here are exact, so that G only enters the
//! RTO. Rule 5.7 (3 s when data begin after a lost SYN) is in `handshake.rs`.

use crate::clock::HostClock;
use crate::profile::{RetransmissionTimer, RtoAlgorithm};
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
/// Back-offs after which BSD no longer trusts its estimate (`TCP_MAXRXTSHIFT / 4`).
const BSD_TRUSTED_BACKOFFS: u8 = 3;
/// Microseconds in a nanosecond count.
const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;

impl RoundTripTime {
    /// An estimator without a sample.
    pub(crate) fn new(timer: &RetransmissionTimer) -> Self {
        let timeout = in_units(timer, timer.initial);
        let variation = match timer.algorithm {
            // FreeBSD 4.x tcp_subr.c: RTTVAR starts where R gives the initial timeout.
            RtoAlgorithm::Bsd { .. } => 4 * timeout as i32,
            RtoAlgorithm::Ns2 | RtoAlgorithm::Rfc6298 => 0,
        };
        Self { smoothed: 0, variation, timeout, backoffs: 0 }
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
            RtoAlgorithm::Bsd { .. } => self.sample_bsd(timer, clock.ticks_between(start, now) as i32),
            RtoAlgorithm::Ns2 => self.sample_ns2((clock.ticks_between(start, now) as i32).max(1)),
            RtoAlgorithm::Rfc6298 => {
                self.sample_rfc6298(timer, (now - start).nanoseconds() / NANOSECONDS_PER_MICROSECOND);
            }
        }
    }

    fn sample_bsd(&mut self, timer: &RetransmissionTimer, ticks: i32) {
        if self.smoothed == 0 {
            self.smoothed = ticks << 5;
            self.variation = ticks << 3;
        } else {
            let difference = ((ticks - 1) << 2) - (self.smoothed >> 3);
            self.smoothed = (self.smoothed + difference).max(1);
            self.variation = (self.variation + difference.abs() - (self.variation >> 2)).max(1);
        }
        let least = in_units(timer, timer.minimum).max(ticks as u32 + 2);
        self.timeout = self.bsd_base(timer).clamp(least, in_units(timer, timer.maximum).max(least));
    }

    /// `TCP_REXMTVAL` in ticks.
    fn bsd_base(&self, timer: &RetransmissionTimer) -> u32 {
        let base = (((self.smoothed >> 3) + self.variation) >> 2) as u32;
        match timer.algorithm {
            RtoAlgorithm::Bsd { minimum_before_backoff: true } => base.max(in_units(timer, timer.minimum)),
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

    fn sample_rfc6298(&mut self, timer: &RetransmissionTimer, microseconds: u64) {
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
        let granularity = in_units(timer, timer.tick);
        let timeout = (self.smoothed >> 3) as u32 + granularity.max(self.variation as u32);
        self.timeout = timeout.clamp(in_units(timer, timer.minimum), in_units(timer, timer.maximum));
    }

    /// Backs off after a timeout; `opening` when it was a client's SYN that timed out.
    pub(crate) fn back_off(&mut self, timer: &RetransmissionTimer, opening: bool) {
        self.backoffs = self.backoffs.saturating_add(1);
        let longest = in_units(timer, timer.maximum);
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => self.back_off_bsd(timer, opening && timer.linear_syn_backoff),
            RtoAlgorithm::Ns2 => self.back_off_ns2(timer, longest),
            RtoAlgorithm::Rfc6298 => self.timeout = (2 * self.timeout).min(longest),
        }
    }

    fn back_off_bsd(&mut self, timer: &RetransmissionTimer, linear: bool) {
        let table = if linear { &BSD_SYN_BACKOFF } else { &BSD_BACKOFF };
        let factor = table[usize::from(self.backoffs).min(table.len() - 1)];
        let least = in_units(timer, timer.minimum);
        self.timeout =
            (self.bsd_base(timer) * factor).clamp(least, in_units(timer, timer.maximum).max(least));
        if self.backoffs > BSD_TRUSTED_BACKOFFS {
            self.variation += self.smoothed >> 5;
            self.smoothed = 0;
        }
    }

    fn back_off_ns2(&mut self, timer: &RetransmissionTimer, longest: u32) {
        // The count was raised by the caller; ns-2 raises its factor only while that still matters.
        let before = self.backoffs - 1;
        if before >= 6 && self.ns2_timeout(timer, before) >= longest {
            self.backoffs = before;
        }
        if self.backoffs > 3 {
            self.variation += self.smoothed >> 3;
            self.smoothed = 0;
        }
    }

    fn ns2_timeout(&self, timer: &RetransmissionTimer, backoffs: u8) -> u32 {
        let base = u64::from(self.timeout.max(in_units(timer, timer.minimum)));
        let longest = u64::from(in_units(timer, timer.maximum));
        (base << u32::from(backoffs).min(20)).min(longest).max(2) as u32
    }

    /// Raises the timeout to at least `least`: RFC 6298 rule 5.7.
    pub(crate) fn raise_to(&mut self, timer: &RetransmissionTimer, least: Span) {
        self.timeout = self.timeout.max(in_units(timer, least));
    }

    /// The timeout now in force.
    pub(crate) fn timeout(&self, timer: &RetransmissionTimer) -> Span {
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => timer.tick * u64::from(self.timeout),
            RtoAlgorithm::Ns2 => timer.tick * u64::from(self.ns2_timeout(timer, self.backoffs)),
            RtoAlgorithm::Rfc6298 => Span::from_microseconds(u64::from(self.timeout)),
        }
    }

    /// When a timer started `now` fires. A BSD callout counts ticks, so its first tick may be short.
    #[inline]
    pub(crate) fn deadline(&self, timer: &RetransmissionTimer, clock: &HostClock, now: Time) -> Time {
        match timer.algorithm {
            RtoAlgorithm::Bsd { .. } => clock.instant_of(clock.ticks_at(now) + u64::from(self.timeout)),
            _ => now + self.timeout(timer),
        }
    }
}

/// A span in the algorithm's unit: whole ticks, or microseconds; rounded down.
fn in_units(timer: &RetransmissionTimer, span: Span) -> u32 {
    match timer.algorithm {
        RtoAlgorithm::Rfc6298 => (span.nanoseconds() / NANOSECONDS_PER_MICROSECOND) as u32,
        RtoAlgorithm::Bsd { .. } | RtoAlgorithm::Ns2 => span.div_floor(timer.tick) as u32,
    }
}
