//! A rate that varies at random: its logarithm is a Gauss-Markov process.
//!
//! Source: M. Gudmundson, *Correlation model for shadow fading in mobile radio systems* (Electronics Letters
//! 27, 1991): received power in decibels is normal, and its autocorrelation decays exponentially. That the
//! rate of a link follows the same law is an assumption. K. Winstein, A. Sivaraman and H. Balakrishnan,
//! *Stochastic forecasts achieve high throughput and low delay over cellular networks* (NSDI 2013), model the
//! rate of a cellular link as a Brownian motion; this one returns to its mean, so that it has one.
//!
//! ```text
//! interval k     from k·interval_ms on, at s_k times the link's rate
//! s_k            exp(m + σ·x_k), at least minimum_share and at most maximum_share
//! x_0            z_0;  z are independent and standard normal
//! x_k            ρ·x_(k-1) + √(1-ρ²)·z_k,  ρ = exp(-interval/correlation time)
//! σ              √ln(1 + coefficient_of_variation²)
//! m              such that the mean of s_k is 1, bounds included
//! takes          the time until so many bytes have passed, at the rate of each interval
//! ```
//!
//! Departures and silences. The rate depends on seed, link and time alone, never on what waits: under every
//! scheme it is the same. Links vary independently, also both directions of one. A nanosecond that a
//! transmission begins and does not need to its end serves the next one. The bounds make the variation
//! smaller, and `correlation_time_s` is that of the logarithm. There are no outages: the rate never falls
//! below `minimum_share`, while mobile users have pauses of 100 ms and longer.

use super::intervals::{InIntervals, RateIntervals};
use super::{MediumModel, Service};
use aqmlab_aqm::ParameterError;
use aqmlab_random::{Key, Stream, normal_cumulative, normal_quantile};
use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rate varies at random around the link's rate, as that of a mobile network does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VaryingRate {
    /// Standard deviation of the rate over its mean, but for the bounds.
    #[schemars(range(min = 0.01, max = 3.0))]
    pub coefficient_of_variation: f64,

    /// Time after which the autocorrelation of the rate's logarithm has fallen to 1/e.
    #[schemars(range(min = 0.001, max = 100_000.0))]
    pub correlation_time_s: f64,

    /// Time for which a rate holds.
    #[serde(default = "interval_ms")]
    #[schemars(range(min = 1.0, max = 100_000.0))]
    pub interval_ms: f64,

    /// The lowest rate, as a share of the link's rate.
    #[serde(default = "minimum_share")]
    #[schemars(range(min = 0.01, max = 1.0))]
    pub minimum_share: f64,

    /// The highest rate, as a share of the link's rate.
    #[serde(default = "maximum_share")]
    #[schemars(range(min = 1.0, max = 100.0))]
    pub maximum_share: f64,
}

const fn interval_ms() -> f64 {
    100.0
}

const fn minimum_share() -> f64 {
    0.05
}

const fn maximum_share() -> f64 {
    4.0
}

/// The slowest and the fastest link of a scenario.
const SLOWEST_MBPS: f64 = 0.001;
const FASTEST_MBPS: f64 = 1_000_000.0;

impl VaryingRate {
    /// Standard deviation of the rate's logarithm.
    fn sigma(&self) -> f64 {
        let variation = self.coefficient_of_variation;
        libm::sqrt(libm::log1p(variation * variation))
    }

    /// The mean share where the logarithm of the median is `log_median`.
    fn mean_share(&self, log_median: f64) -> f64 {
        let sigma = self.sigma();
        let at_bound = |share: f64| (libm::log(share) - log_median) / sigma;
        let (low, high) = (at_bound(self.minimum_share), at_bound(self.maximum_share));
        let between = normal_cumulative(high - sigma) - normal_cumulative(low - sigma);
        self.minimum_share * normal_cumulative(low)
            + libm::exp(log_median + sigma * sigma / 2.0) * between
            + self.maximum_share * normal_cumulative(-high)
    }

    /// The logarithm of the median with which the mean share is 1, by bisection: the mean grows with the
    /// median, from one bound to the other.
    fn log_median(&self) -> f64 {
        let margin = 10.0 * self.sigma();
        let mut low = libm::log(self.minimum_share) - margin;
        let mut high = libm::log(self.maximum_share) + margin;
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if self.mean_share(middle) < 1.0 { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }

    /// The rates of the intervals, from the first one on, of a link with this mean rate.
    pub(crate) fn rates(&self, rate: Rate, key: Key) -> Rates {
        let persistence = libm::exp(-self.interval_ms / 1e3 / self.correlation_time_s);
        Rates {
            key,
            interval: 0,
            level: 0.0,
            persistence,
            innovation: libm::sqrt(1.0 - persistence * persistence),
            sigma: self.sigma(),
            log_median: self.log_median(),
            bounds: [self.minimum_share, self.maximum_share],
            mean_bits_per_second: rate.bits_per_second() as f64,
        }
    }
}

impl MediumModel for VaryingRate {
    fn validate(&self, rate: Rate) -> Result<(), ParameterError> {
        let megabits = rate.bits_per_second() as f64 / 1e6;
        let refuse = |key: &'static str, value: f64, legal: String| {
            Err(ParameterError { key: key.into(), value: Some(value.to_string()), legal })
        };
        let (least, most) = (SLOWEST_MBPS / megabits, FASTEST_MBPS / megabits);
        if self.minimum_share < least {
            let legal = format!("at least {least}: the lowest rate is this share of {megabits} Mbit/s");
            return refuse("minimum_share", self.minimum_share, format!("{legal}, at least 0.001 Mbit/s"));
        }
        if self.maximum_share > most {
            let legal = format!("at most {most}: the highest rate is this share of {megabits} Mbit/s");
            return refuse("maximum_share", self.maximum_share, format!("{legal}, at most 1000000 Mbit/s"));
        }
        Ok(())
    }

    fn service(&self, rate: Rate, key: Key) -> Box<dyn Service> {
        let interval = Span::from_seconds(self.interval_ms / 1e3);
        Box::new(InIntervals::new(Equal { rates: self.rates(rate, key), interval, ends: Time::ZERO }))
    }

    fn highest_rate(&self, rate: Rate) -> Rate {
        Rate::from_bits_per_second(bits_per_second(rate.bits_per_second() as f64, self.maximum_share))
    }

    fn drawn(dice: &mut Stream) -> Self {
        Self {
            coefficient_of_variation: 0.01 + 1.5 * dice.uniform(),
            correlation_time_s: 0.001 + 2.0 * dice.uniform(),
            interval_ms: 1.0 + dice.below(300) as f64 + dice.below(2) as f64 / 3.0,
            minimum_share: 0.02 + 0.8 * dice.uniform(),
            maximum_share: 1.1 + 9.0 * dice.uniform(),
        }
    }
}

/// The rates of one interval after the other.
#[derive(Clone)]
pub(crate) struct Rates {
    key: Key,
    /// Number of the next interval.
    interval: u64,
    /// The present value of x.
    level: f64,
    persistence: f64,
    innovation: f64,
    sigma: f64,
    log_median: f64,
    bounds: [f64; 2],
    mean_bits_per_second: f64,
}

impl Rates {
    /// Bits per second in the next interval.
    pub(crate) fn advance(&mut self) -> u64 {
        let normal = normal(self.key, self.interval);
        self.level = if self.interval == 0 {
            normal
        } else {
            self.persistence * self.level + self.innovation * normal
        };
        self.interval += 1;
        let [minimum, maximum] = self.bounds;
        let share = libm::exp(self.log_median + self.sigma * self.level).clamp(minimum, maximum);
        bits_per_second(self.mean_bits_per_second, share)
    }
}

/// Intervals of one length.
#[derive(Clone)]
struct Equal {
    rates: Rates,
    interval: Span,
    ends: Time,
}

impl RateIntervals for Equal {
    fn next(&mut self) -> (u64, Time) {
        self.ends += self.interval;
        (self.rates.advance(), self.ends)
    }
}

/// The standard normal number of an interval, from the middle of one of 2⁵³ equal shares.
fn normal(key: Key, interval: u64) -> f64 {
    normal_quantile(key.uniform(interval) + 0.5 / (1_u64 << 53) as f64)
}

fn bits_per_second(mean: f64, share: f64) -> u64 {
    (mean * share).round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Load;

    const INTERVALS: u64 = 400_000;

    fn rate() -> Rate {
        Rate::from_megabits_per_second(10.0)
    }

    /// Intervals of 100 ms, and bounds far out.
    fn model(coefficient_of_variation: f64, correlation_time_s: f64) -> VaryingRate {
        VaryingRate {
            coefficient_of_variation,
            correlation_time_s,
            interval_ms: 100.0,
            minimum_share: 0.01,
            maximum_share: 100.0,
        }
    }

    /// The shares of so many intervals.
    fn shares(model: &VaryingRate, seed: u64) -> Vec<f64> {
        let mut rates = model.rates(rate(), Key::from_seed(seed));
        (0..INTERVALS).map(|_| rates.advance() as f64 / 10e6).collect()
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    fn covariance(shares: &[f64], lag: usize) -> f64 {
        mean(shares.iter().zip(&shares[lag..]).map(|(now, later)| (now - 1.0) * (later - 1.0)))
    }

    /// Of a log-normal process with correlations ρ^k of the logarithm: (exp(σ²·ρ^k) - 1)/(exp(σ²) - 1), of
    /// which σ² = ln(1 + c²).
    #[test]
    fn mean_variation_and_autocorrelation_are_those_of_the_closed_forms() {
        let variation = 0.5;
        let shares = shares(&model(variation, 0.5), 1);
        // Standard error of the mean: c·√(2·5/400,000) or less, 0.0025.
        assert!((mean(shares.iter().copied()) - 1.0).abs() < 0.01);
        let variance = covariance(&shares, 0);
        assert!((variance.sqrt() - variation).abs() < 0.015, "{variance}");
        for (lag, persistence) in [(1, libm::exp(-0.2)), (5, libm::exp(-1.0)), (20, libm::exp(-4.0))] {
            let wanted =
                (libm::pow(1.0 + variation * variation, persistence) - 1.0) / (variation * variation);
            let found = covariance(&shares, lag) / variance;
            assert!((found - wanted).abs() < 0.02, "lag {lag}: {found}, not {wanted}");
        }
    }

    /// Bounds that cut off much on one side alone leave the mean where it is.
    #[test]
    fn between_narrow_bounds_the_mean_is_the_links_rate() {
        for (minimum_share, maximum_share) in [(0.9, 100.0), (0.01, 1.1), (0.5, 1.5)] {
            let narrow = VaryingRate { minimum_share, maximum_share, ..model(1.0, 0.05) };
            let shares = shares(&narrow, 2);
            let found = mean(shares.iter().copied());
            assert!((found - 1.0).abs() < 0.012, "{minimum_share} to {maximum_share}: {found}");
            assert!(shares.iter().all(|share| (minimum_share..=maximum_share).contains(share)));
            let at = |bound: f64| shares.iter().any(|share| (share - bound).abs() < 1e-6);
            assert!(at(minimum_share) || at(maximum_share), "{minimum_share} to {maximum_share}");
        }
    }

    /// x_k written out: ρ^k·z_0 + √(1-ρ²)·Σ ρ^(k-j)·z_j. Without bounds that matter the median of the rate is
    /// its mean over √(1 + c²).
    #[test]
    fn a_rate_is_what_its_numbers_add_up_to() {
        let (variation, key) = (0.3_f64, Key::from_seed(7));
        let persistence = libm::exp(-0.1);
        let median = 10e6 / (1.0 + variation * variation).sqrt();
        let mut rates = model(variation, 1.0).rates(rate(), key);
        for k in 0..200 {
            let level: f64 = (0..=k)
                .map(|j| {
                    let weight = if j == 0 { 1.0 } else { (1.0 - persistence * persistence).sqrt() };
                    weight * libm::pow(persistence, f64::from(k - j)) * normal(key, j as u64)
                })
                .sum();
            let wanted = median * libm::exp(libm::log(1.0 + variation * variation).sqrt() * level);
            let found = rates.advance() as f64;
            assert!((found / wanted - 1.0).abs() < 1e-6, "interval {k}: {found}, not {wanted}");
        }
    }

    /// Rates belong to times: who was idle, or sent other packets before, finds the same.
    #[test]
    fn what_was_sent_before_changes_no_rate() {
        let model = VaryingRate { maximum_share: 4.0, minimum_share: 0.05, ..model(0.6, 0.3) };
        let begun = |early: &[u64]| {
            let mut service = model.service(rate(), Key::from_seed(3));
            let load = Load { packets: 1, wire_bytes: 1_250 };
            for &ms in early {
                service.transmit(Time::ZERO + Span::from_milliseconds(ms), load);
            }
            let at = Time::ZERO + Span::from_milliseconds(30_010);
            (service.transmit(at, Load { packets: 1, wire_bytes: 250_000 }) - at).nanoseconds()
        };
        let idle = begun(&[]);
        for early in [&[0][..], &[0, 40, 80, 29_000], &[30_000]] {
            // What is left of a nanosecond may go to the next packet.
            assert!(begun(early).abs_diff(idle) <= 1, "{early:?}");
        }
        let others = (4..8).map(|seed| {
            let mut service = model.service(rate(), Key::from_seed(seed));
            service.transmit(Time::ZERO, Load { packets: 1, wire_bytes: 1_250 }).nanoseconds()
        });
        let others: std::collections::BTreeSet<u64> = others.collect();
        assert_eq!(others.len(), 4, "another seed has other rates");
    }

    /// What two intervals carry, and half of what the third does, is sent by the middle of the third.
    #[test]
    fn a_transmission_takes_the_rate_of_each_interval() {
        let model = model(0.8, 0.1);
        let key = Key::from_seed(5);
        let mut rates = model.rates(rate(), key);
        let [first, second, third] = [(); 3].map(|()| rates.advance());
        let bits = (first + second) as f64 * 0.1 + third as f64 * 0.05;
        let bytes = (bits / 8.0).floor() as u32;
        let ends = model.service(rate(), key).transmit(Time::ZERO, Load { packets: 1, wire_bytes: bytes });
        let early_s = (bits - 8.0 * f64::from(bytes)) / third as f64;
        assert!((ends.seconds() - (0.25 - early_s)).abs() < 2e-9, "{ends:?}");
    }

    /// A bound at the mean leaves one rate.
    #[test]
    fn a_bound_at_the_mean_is_the_mean() {
        for (minimum_share, maximum_share) in [(1.0, 100.0), (0.01, 1.0), (1.0, 1.0)] {
            let constant = VaryingRate { minimum_share, maximum_share, ..model(0.5, 0.1) };
            let mut rates = constant.rates(rate(), Key::from_seed(1));
            assert!((0..10_000).all(|_| rates.advance() == 10_000_000));
        }
    }

    #[test]
    fn rates_that_no_link_has_are_refused() {
        let refused = |model: &VaryingRate, mbps| {
            let wrong = model.validate(Rate::from_megabits_per_second(mbps));
            wrong.map_err(|error| error.to_string())
        };
        assert_eq!(refused(&model(0.3, 5.0), 10.0), Ok(()));
        let slow = "`minimum_share` is 0.01: it must be at least 0.02: the lowest rate is this share of 0.05 \
                    Mbit/s, at least 0.001 Mbit/s";
        assert_eq!(refused(&model(0.3, 5.0), 0.05), Err(slow.into()));
        let fast = "`maximum_share` is 100: it must be at most 50: the highest rate is this share of 20000 \
                    Mbit/s, at most 1000000 Mbit/s";
        assert_eq!(refused(&model(0.3, 5.0), 20_000.0), Err(fast.into()));
    }
}
