//! Distributions given by their quantile function: one uniform number makes one value.
//!
//! One uniform per value keeps streams aligned: the k-th value of a stream is a function of the k-th draw,
//! whatever the law.

use crate::normal::{normal_cumulative, normal_quantile};
use crate::{EmpiricalTable, Key};

/// A distribution of a positive quantity; its unit is the caller's.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Always this value.
    Constant(f64),
    /// Uniform on `[low, high)`.
    Uniform {
        /// Lower end, included.
        low: f64,
        /// Upper end, excluded.
        high: f64,
    },
    /// Exponential with this mean.
    Exponential {
        /// Mean.
        mean: f64,
    },
    /// Geometric on 1, 2, 3, … with this mean (at least 1).
    Geometric {
        /// Mean, at least 1.
        mean: f64,
    },
    /// Lognormal body with a Pareto tail.
    LognormalPareto(LognormalPareto),
    /// Lognormal; values above `maximum` are redrawn.
    Lognormal {
        /// Median, without the cut.
        median: f64,
        /// Standard deviation of the logarithm, without the cut.
        sigma: f64,
        /// The greatest value, at least the median.
        maximum: f64,
    },
    /// A measured table.
    Empirical(EmpiricalTable),
}

impl Law {
    /// The value below which a share `u` of the distribution lies.
    ///
    /// # Panics
    /// If `u` is not in `[0, 1)`.
    #[must_use]
    pub fn quantile(&self, u: f64) -> f64 {
        assert!((0.0..1.0).contains(&u), "a quantile needs a share in [0, 1), not {u}");
        match self {
            Self::Constant(value) => *value,
            Self::Uniform { low, high } => low + (high - low) * u,
            Self::Exponential { mean } => -mean * libm::log1p(-u),
            Self::Geometric { mean } if *mean <= 1.0 => 1.0,
            Self::Geometric { mean } => 1.0 + libm::floor(libm::log1p(-u) / libm::log1p(-1.0 / mean)),
            Self::LognormalPareto(law) => law.quantile(u),
            Self::Lognormal { median, sigma, maximum } => {
                let below = normal_cumulative(libm::log(maximum / median) / sigma) * u;
                // The smallest legal argument keeps u = 0 at a tiny positive value.
                let value = median * libm::exp(sigma * normal_quantile(below.max(f64::MIN_POSITIVE)));
                value.min(*maximum)
            }
            Self::Empirical(table) => table.quantile(u),
        }
    }

    /// The value of draw `n` at `key`.
    #[must_use]
    pub fn draw(&self, key: Key, n: u64) -> f64 {
        self.quantile(key.uniform(n))
    }

    /// The share of the distribution that is at most a value, found by halving: as near to it as numbers are
    /// to one another.
    #[must_use]
    pub fn share_at_most(&self, value: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        loop {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                return high;
            }
            if self.quantile(middle) <= value { low = middle } else { high = middle }
        }
    }

    /// The mean of the distribution.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform { low, high } => f64::midpoint(*low, *high),
            Self::Exponential { mean } => *mean,
            Self::Geometric { mean } => mean.max(1.0),
            Self::LognormalPareto(law) => law.mean(),
            Self::Lognormal { median, sigma, maximum } => {
                let cut = libm::log(maximum / median) / sigma;
                let whole = median * libm::exp(sigma * sigma / 2.0);
                whole * normal_cumulative(cut - sigma) / normal_cumulative(cut)
            }
            Self::Empirical(table) => table.mean(),
        }
    }
}

/// Complementary distribution lognormal below the splice point and Pareto above it, with a continuous
/// log-log slope at the splice point (which therefore follows from the other parameters); values above
/// `maximum` are redrawn.
///
/// F̄(x) = Q(ln(x/median)/σ) for x < x_c, F̄(x) = F̄(x_c)·(x/x_c)^−α for x ≥ x_c; x_c solves
/// hazard(z) = α·σ with z = ln(x_c/median)/σ and hazard(z) = φ(z)/Q(z).
#[derive(Clone, Debug, PartialEq)]
pub struct LognormalPareto {
    median: f64,
    sigma: f64,
    alpha: f64,
    maximum: f64,
    splice: f64,
    splice_z: f64,
    share_above_splice: f64,
    share_above_maximum: f64,
}

impl LognormalPareto {
    /// The law with this median, standard deviation of the logarithm, tail index and maximum.
    ///
    /// # Panics
    /// If a parameter is not positive, `alpha` is at most 1 (the mean would not exist without the maximum),
    /// or `maximum` lies below the splice point.
    #[must_use]
    pub fn new(median: f64, sigma: f64, alpha: f64, maximum: f64) -> Self {
        assert!(median > 0.0 && sigma > 0.0 && alpha > 1.0, "median {median}, sigma {sigma}, alpha {alpha}");
        let splice_z = splice_point(alpha * sigma);
        let splice = median * libm::exp(sigma * splice_z);
        assert!(maximum > splice, "the maximum {maximum} must lie above the splice point {splice}");
        let share_above_splice = 1.0 - normal_cumulative(splice_z);
        let share_above_maximum = share_above_splice * libm::pow(maximum / splice, -alpha);
        Self { median, sigma, alpha, maximum, splice, splice_z, share_above_splice, share_above_maximum }
    }

    /// The law whose mean is `mean`, with the other parameters given: solves for σ.
    ///
    /// # Panics
    /// As [`LognormalPareto::new`], or if no σ between 0.05 and 5 gives this mean.
    #[must_use]
    pub fn with_mean(median: f64, mean: f64, alpha: f64, maximum: f64) -> Self {
        let (mut low, mut high) = (0.05, 5.0);
        while splice_exceeds(median, high, alpha, maximum) {
            high *= 0.95;
        }
        assert!(
            Self::new(median, low, alpha, maximum).mean() < mean
                && mean < Self::new(median, high, alpha, maximum).mean(),
            "no sigma gives median {median} and mean {mean} with alpha {alpha} and maximum {maximum}"
        );
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if Self::new(median, middle, alpha, maximum).mean() < mean { low = middle } else { high = middle }
        }
        Self::new(median, f64::midpoint(low, high), alpha, maximum)
    }

    /// The value below which a share `u` lies.
    #[must_use]
    pub fn quantile(&self, u: f64) -> f64 {
        let remaining = 1.0 - u * (1.0 - self.share_above_maximum);
        if remaining <= self.share_above_splice {
            return self.splice * libm::pow(remaining / self.share_above_splice, -1.0 / self.alpha);
        }
        // The smallest legal argument keeps u = 0 at a tiny positive value.
        let below = (1.0 - remaining).max(f64::MIN_POSITIVE);
        self.median * libm::exp(self.sigma * normal_quantile(below))
    }

    /// Share of values above `x`.
    #[must_use]
    pub fn share_above(&self, x: f64) -> f64 {
        let plain = if x < self.splice {
            1.0 - normal_cumulative(libm::log(x / self.median) / self.sigma)
        } else {
            self.share_above_splice * libm::pow(x / self.splice, -self.alpha)
        };
        ((plain - self.share_above_maximum) / (1.0 - self.share_above_maximum)).max(0.0)
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let body = self.median
            * libm::exp(self.sigma * self.sigma / 2.0)
            * normal_cumulative(self.splice_z - self.sigma);
        let cut = 1.0 - libm::pow(self.splice / self.maximum, self.alpha - 1.0);
        let tail = self.share_above_splice * self.splice * self.alpha / (self.alpha - 1.0) * cut;
        (body + tail) / (1.0 - self.share_above_maximum)
    }

    /// Where the lognormal body meets the Pareto tail.
    #[must_use]
    pub const fn splice(&self) -> f64 {
        self.splice
    }

    /// Standard deviation of the logarithm of the body.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }
}

/// Solves hazard(z) = `slope` for the standard normal hazard φ(z)/Q(z), which increases with z.
fn splice_point(slope: f64) -> f64 {
    let (mut low, mut high) = (-5.0, 30.0);
    for _ in 0..200 {
        let z = f64::midpoint(low, high);
        let above = upper_tail(z);
        let density = libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * std::f64::consts::PI);
        let hazard = if above > 0.0 { density / above } else { z };
        if hazard < slope { low = z } else { high = z }
    }
    f64::midpoint(low, high)
}

/// Probability that a standard normal variable exceeds `z`. Far out the difference from one has no digits
/// left; nearer it has them, and keeps the bits that the laws of published models have always had.
fn upper_tail(z: f64) -> f64 {
    if z < 5.0 { 1.0 - normal_cumulative(z) } else { normal_cumulative(-z) }
}

fn splice_exceeds(median: f64, sigma: f64, alpha: f64, maximum: f64) -> bool {
    median * libm::exp(sigma * splice_point(alpha * sigma)) >= maximum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unc_responses() -> LognormalPareto {
        LognormalPareto::new(1000.0, 1.8348, 1.2673, 1e9)
    }

    #[test]
    fn unc_response_law_has_its_published_constants() {
        // traffic-models sheet, section b: x_c = 35,510 B, F̄(x_c) = 0.02585, mean 7,000 B.
        let law = unc_responses();
        assert!((law.splice() - 35_510.0).abs() < 40.0, "{}", law.splice());
        assert!((law.share_above_splice - 0.025_85).abs() < 2e-5);
        assert!((law.mean() - 7000.0).abs() < 10.0, "{}", law.mean());
    }

    #[test]
    fn unc_response_quantiles_match_the_reference_table() {
        // Quantiles computed by an independent script with Python's statistics.NormalDist.
        let rows = [
            (0.01, 14.0048),
            (0.1, 95.2381),
            (0.5, 1000.0),
            (0.9, 10500.0),
            (0.97, 31527.4),
            (0.99, 75131.3),
            (0.9999, 2.84338e6),
            (0.999_999_9, 4.588_03e8),
        ];
        for (u, bytes) in rows {
            let ours = unc_responses().quantile(u);
            assert!((ours / bytes - 1.0).abs() < 2e-3, "quantile {u}: {ours} against {bytes}");
        }
    }

    #[test]
    fn share_above_undoes_the_quantile() {
        let law = unc_responses();
        for u in [0.001, 0.2, 0.5, 0.9, 0.97, 0.98, 0.999, 0.999_999] {
            assert!((law.share_above(law.quantile(u)) - (1.0 - u)).abs() < 1e-9, "{u}");
        }
    }

    #[test]
    fn shares_and_quantiles_belong_together() {
        let exponential = Law::Exponential { mean: 2.0 };
        assert!((exponential.share_at_most(2.0) - (1.0 - libm::exp(-1.0))).abs() < 1e-12);
        let law = Law::LognormalPareto(unc_responses());
        for u in [0.001, 0.5, 0.97, 0.98, 0.999_99] {
            assert!((law.share_at_most(law.quantile(u)) - u).abs() < 1e-12, "{u}");
        }
        let constant = Law::Constant(5.0);
        assert_eq!([4.9, 5.0].map(|value| constant.share_at_most(value) > 0.5), [false, true]);
    }

    #[test]
    fn a_mean_can_be_asked_for() {
        // Sheet: think times median 10 s, alpha 1.5, maximum 3600 s, mean 30.07 s have sigma 1.4510.
        let law = LognormalPareto::with_mean(10.0, 30.07, 1.5, 3600.0);
        assert!((law.sigma() - 1.4510).abs() < 2e-3, "{}", law.sigma());
    }

    #[test]
    fn a_cut_lognormal_law_has_its_quantiles_below_its_maximum() {
        let law = |maximum| Law::Lognormal { median: 10.0, sigma: 2.0, maximum };
        // Φ(0.6745) = 0.75: 10·exp(2 · 0.67449).
        assert!((law(1e12).quantile(0.75) - 38.54).abs() < 0.01);
        assert!((law(1e12).quantile(0.5) - 10.0).abs() < 1e-9);
        // Cut at the median: half of the whole law, whose lower quarter is the first half of that.
        assert!((law(10.0).quantile(0.5) - 10.0 * 10.0 / 38.54).abs() < 0.01);
        assert!(law(10.0).quantile(1.0 - f64::EPSILON / 2.0) <= 10.0);
        assert!(law(10.0).quantile(0.0) > 0.0);
    }

    #[test]
    fn means_agree_with_averaged_quantiles() {
        let laws = [
            Law::Uniform { low: 2.0, high: 6.0 },
            Law::Exponential { mean: 30.0 },
            Law::Geometric { mean: 5.0 },
            Law::LognormalPareto(LognormalPareto::new(10.0, 1.451, 1.5, 3600.0)),
            Law::Lognormal { median: 15.0, sigma: 1.6, maximum: 3600.0 },
            Law::Lognormal { median: 15.0, sigma: 1.6, maximum: 20.0 },
        ];
        for law in laws {
            let strata = 2_000_000;
            let sum: f64 = (0..strata).map(|i| law.quantile((f64::from(i) + 0.5) / f64::from(strata))).sum();
            let mean = sum / f64::from(strata);
            assert!((mean / law.mean() - 1.0).abs() < 1e-3, "{law:?}: {mean} against {}", law.mean());
        }
    }

    #[test]
    fn the_splice_lies_where_the_hazards_meet_however_far_out() {
        // Bounds of Mills' ratio (Gordon 1941): z < hazard(z) < z + 1/z for z > 0.
        for slope in (25..=299).map(|tenths| f64::from(tenths) / 10.0) {
            let z = splice_point(slope);
            assert!(z < slope && slope < z + 1.0 / z, "slope {slope}: {z}");
        }
    }
}
