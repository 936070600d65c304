//! Queue protection: packets of flows that build a queue in the L queue are sent to the C queue.
//!
//! Source: Briscoe, White, *The DOCSIS Queue Protection Algorithm to Preserve Low Latency*, RFC 9957 (2026),
//! section 4. In its words, for a packet of `bytes` that finds the L queue with a delay of `qdelay`:
//!
//! ```text
//! probNative ← 0 up to MINTH, 1 from MAXTH on, a ramp in between
//! qLscore    ← min(t_exp − now + probNative·bytes/AGING, 5 s) of the flow's bucket; t_exp ← now + qLscore
//! to C       if qdelay > CRITICALqL and qdelay·qLscore > CRITICALqL·CRITICALqLSCORE, or qLscore ≥ 5 s
//! ```
//!
//! A flow has one of 32 buckets, of which its hash names two; if both are another flow's whose score has not
//! expired, it shares a 33rd one with all such flows.
//!
//! | | RFC 9957 | here |
//! | --- | --- | --- |
//! | `qdelay` | not told how | the bytes that wait in the L queue, at the rate of the link |
//! | ramp | 2^19 ns below 1 ms, and no lower than two frames of 2,000 bytes | that of the scheme, and no lower than two packets of `mtu_bytes` |
//! | `CRITICALqL` | the end of the ramp | the same, without the two packets |
//! | `AGING` | 2^19 B/s, a second being 2^30 ns | the same |
//! | the flow | its 5-tuple, by any hash of 32 bits | the flow, by the port's hash |

use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `ATTEMPTS`.
const ATTEMPTS: usize = 2;
/// `BI_SIZE`.
const INDEX_BITS: u32 = 5;
/// `NBUCKETS`; also the place of the bucket that flows share.
const BUCKETS: usize = 1 << INDEX_BITS;
/// `qLSCORE_MAX`, in nanoseconds.
const MOST_SCORE_NS: f64 = 5e9;

/// Queue protection as published for DOCSIS (RFC 9957).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueProtection {
    /// Delay of the L queue above which packets may be redirected, in microseconds (`CRITICALqL`); by
    /// default where its ramp ends.
    pub critical_delay_us: Option<f64>,
    /// Queuing score of a flow from which on its packets are redirected at that delay, in microseconds
    /// (`CRITICALqLSCORE`): at twice the delay half of it is enough.
    pub critical_score_us: f64,
    /// Rate at which scores age, as the logarithm to base 2 of bytes of congestion per second (`LG_AGING`).
    pub aging_exponent: f64,
}

impl Default for QueueProtection {
    fn default() -> Self {
        Self { critical_delay_us: None, critical_score_us: 4_000.0, aging_exponent: 19.0 }
    }
}

/// The ramp of the L queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    pub(super) from: Span,
    pub(super) range: Span,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// None as long as it has had no flow.
    flow: Option<u64>,
    expires: Time,
}

/// The scores of flows.
#[derive(Clone, Debug)]
pub(super) struct Protection {
    /// `CRITICALqL`, and `CRITICALqLPRODUCT`, in nanoseconds.
    critical_delay_ns: f64,
    critical_product: f64,
    /// `AGING`, in bytes per nanosecond.
    aging: f64,
    ramp: Ramp,
    mtu_bytes: u32,
    rate: Rate,
    buckets: [Bucket; BUCKETS + 1],
    redirected: u64,
}

impl Protection {
    pub(super) fn new(settings: QueueProtection, ramp: Ramp, mtu_bytes: u32, rate: Rate) -> Self {
        let end = (ramp.from + ramp.range).nanoseconds() as f64;
        let critical_delay_ns = settings.critical_delay_us.map_or(end, |us| us * 1e3);
        Self {
            critical_delay_ns,
            critical_product: critical_delay_ns * settings.critical_score_us * 1e3,
            aging: libm::exp2(settings.aging_exponent - 30.0),
            ramp,
            mtu_bytes,
            rate,
            buckets: [Bucket { flow: None, expires: Time::ZERO }; BUCKETS + 1],
            redirected: 0,
        }
    }

    /// Whether a packet of a flow belongs into the C queue, where so many bytes wait in the L queue.
    pub(super) fn redirects(&mut self, now: Time, flow: u64, hash: u32, bytes: u32, waiting: u64) -> bool {
        let delay_ns = self.time_of(waiting);
        let congested = self.likelihood(delay_ns) * f64::from(bytes);
        let bucket = self.pick(now, flow, hash);
        let score_ns = self.fill(now, bucket, congested);
        let redirects = delay_ns > self.critical_delay_ns && delay_ns * score_ns > self.critical_product
            || score_ns >= MOST_SCORE_NS;
        self.redirected += u64::from(redirects);
        redirects
    }

    /// The link has another rate from here on.
    pub(super) const fn change_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// Packets redirected so far.
    pub(super) const fn redirected(&self) -> u64 {
        self.redirected
    }

    /// Nanoseconds that so many bytes take on the link.
    fn time_of(&self, bytes: u64) -> f64 {
        8e9 * bytes as f64 / self.rate.bits_per_second() as f64
    }

    /// `calcProbNative`.
    fn likelihood(&self, delay_ns: f64) -> f64 {
        let floor = self.time_of(2 * u64::from(self.mtu_bytes));
        let from = (self.ramp.from.nanoseconds() as f64).max(floor);
        let range = self.ramp.range.nanoseconds() as f64;
        if delay_ns >= from + range {
            1.0
        } else if delay_ns > from {
            (delay_ns - from) / range
        } else {
            0.0
        }
    }

    /// `pick_bucket`: the flow's own, or one whose score has expired, or the shared one.
    fn pick(&mut self, now: Time, flow: u64, mut hash: u32) -> usize {
        let mut free = None;
        for _ in 0..ATTEMPTS {
            let place = hash as usize % BUCKETS;
            let bucket = &mut self.buckets[place];
            if bucket.flow == Some(flow) {
                bucket.expires = bucket.expires.max(now);
                return place;
            }
            if free.is_none() && bucket.expires <= now {
                free = Some(place);
            }
            hash >>= INDEX_BITS;
        }
        let place = free.unwrap_or(BUCKETS);
        let bucket = &mut self.buckets[place];
        *bucket = Bucket { flow: Some(flow), expires: bucket.expires.max(now) };
        place
    }

    /// `fill_bucket`: the score, in nanoseconds.
    fn fill(&mut self, now: Time, place: usize, congested_bytes: f64) -> f64 {
        let expires = &mut self.buckets[place].expires;
        let score_ns =
            (expires.since(now).nanoseconds() as f64 + congested_bytes / self.aging).min(MOST_SCORE_NS);
        *expires = now + Span::from_nanoseconds(score_ns as u64);
        score_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ramp of the RFC, to 1 ms from 2^19 ns before it.
    const DOCSIS: Ramp =
        Ramp { from: Span::from_nanoseconds(1_000_000 - 524_288), range: Span::from_nanoseconds(524_288) };
    /// 100 Mbit/s: a packet of 1,250 bytes takes 100 us, and two of 2,000 bytes 320 us, below the ramp.
    const MBPS: f64 = 100.0;

    fn protection(settings: QueueProtection) -> Protection {
        Protection::new(settings, DOCSIS, 2_000, Rate::from_megabits_per_second(MBPS))
    }

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_microseconds(us)
    }

    /// Bytes that wait so long at this rate.
    fn waiting_us(us: u64) -> u64 {
        us * 100 / 8
    }

    #[test]
    fn the_native_likelihood_is_a_ramp_of_half_a_millisecond_before_one_millisecond() {
        let own = protection(QueueProtection::default());
        let ends = [0.0, 475_712.0, 737_856.0, 1_000_000.0, 9e9].map(|ns| own.likelihood(ns));
        assert_eq!(ends, [0.0, 0.0, 0.5, 1.0, 1.0]);
    }

    /// At 10 Mbit/s two frames of 2,000 bytes take 3.2 ms (FLOOR), and the ramp begins there.
    #[test]
    fn on_a_slow_link_the_ramp_begins_with_two_frames() {
        let slow =
            Protection::new(QueueProtection::default(), DOCSIS, 2_000, Rate::from_megabits_per_second(10.0));
        let found = [3_200_000.0, 3_462_144.0, 3_724_288.0].map(|ns| slow.likelihood(ns));
        assert_eq!(found, [0.0, 0.5, 1.0]);
    }

    /// AGING is 2^-11 B/ns: 1,000 bytes of congestion are a score of 2,048,000 ns. At a delay of 2 ms it
    /// takes more than half of 4 ms: the first such packet has 2.048 ms, which is more.
    #[test]
    fn a_score_that_is_too_great_for_the_delay_redirects() {
        let mut own = protection(QueueProtection::default());
        assert!(own.redirects(at_us(0), 7, 0, 1_000, waiting_us(2_000)));
        // At 1.5 ms it takes more than 4 · 1 / 1.5 = 2.667 ms; 1,000 us later 1.048 of it are left, and
        // 500 bytes add 1.024: 2.072.
        assert!(!own.redirects(at_us(1_000), 7, 0, 500, waiting_us(1_500)));
        // Another 500 bytes at once: 3.096.
        assert!(own.redirects(at_us(1_000), 7, 0, 500, waiting_us(1_500)));
        assert_eq!(own.redirected(), 2);
    }

    #[test]
    fn no_score_redirects_at_the_critical_delay_or_below_and_without_congestion_there_is_none() {
        let mut own = protection(QueueProtection::default());
        for _ in 0..10 {
            assert!(!own.redirects(at_us(0), 7, 0, 2_000, waiting_us(1_000)));
        }
        // A score of 10 · 2,000 · 2,048 ns = 40.96 ms.
        assert!(own.redirects(at_us(0), 7, 0, 1, waiting_us(1_001)));
        let mut calm = protection(QueueProtection::default());
        for _ in 0..10_000 {
            assert!(!calm.redirects(at_us(0), 7, 0, 2_000, waiting_us(475)));
        }
        assert!(!calm.redirects(at_us(0), 7, 0, 1_000, waiting_us(1_900)), "2.048 ms of 2.105");
    }

    /// 5 s are 5e9 / 2,048 = 2,441,406 bytes of congestion, 1,221 packets of 2,000 bytes.
    #[test]
    fn a_full_score_redirects_at_any_delay_until_it_ages() {
        let mut own = protection(QueueProtection::default());
        let first = (1..).find(|_| own.redirects(at_us(0), 7, 0, 2_000, waiting_us(1_000)));
        assert_eq!(first, Some(1_221));
        assert!(own.redirects(at_us(0), 7, 0, 2_000, 0), "5 s");
        assert!(!own.redirects(at_us(1), 7, 0, 2_000, 0), "a microsecond less");
    }

    #[test]
    fn a_flow_finds_its_bucket_again_and_takes_an_expired_one() {
        let mut own = protection(QueueProtection::default());
        // Hash 33 is bucket 1 twice: 33 mod 32, and 33 / 32.
        let pick = |own: &mut Protection, us: u64, flow: u64, hash: u32, congested: f64| {
            let place = own.pick(at_us(us), flow, hash);
            own.fill(at_us(us), place, congested);
            place
        };
        assert_eq!(pick(&mut own, 0, 1, 33, 1_000.0), 1, "until 2,048 us");
        assert_eq!(pick(&mut own, 0, 2, 1 + 32 * 5, 1_000.0), 5, "the second place");
        assert_eq!(pick(&mut own, 0, 3, 33, 1_000.0), BUCKETS, "the shared one");
        assert_eq!(pick(&mut own, 1_000, 1, 33, 0.0), 1);
        assert_eq!(pick(&mut own, 2_000, 4, 33, 1_000.0), BUCKETS, "1 is flow 1's until 2,048 us");
        assert_eq!(own.buckets[BUCKETS].flow, Some(4));
        // Both share a score: 2,048 us of flow 3's are 48 us at 2,000, and 2,048 more.
        assert_eq!(own.buckets[BUCKETS].expires, at_us(4_096));
        assert_eq!(pick(&mut own, 2_048, 4, 33, 0.0), 1, "which has expired");
        assert_eq!(own.buckets[1].expires, at_us(2_048), "from nothing on");
    }

    #[test]
    fn parameters_are_those_of_the_rfc() {
        let settings = QueueProtection {
            critical_delay_us: Some(500.0),
            critical_score_us: 1_000.0,
            aging_exponent: 20.0,
        };
        let mut own = protection(settings);
        // 2^-10 B/ns: 600 bytes of congestion are 614.4 us. At 1 ms it takes more than 500 · 1,000 / 1,000.
        assert!(own.redirects(at_us(0), 7, 0, 600, waiting_us(1_000)));
        assert!(!protection(settings).redirects(at_us(0), 7, 0, 480, waiting_us(1_000)), "491.5 us");
    }
}
