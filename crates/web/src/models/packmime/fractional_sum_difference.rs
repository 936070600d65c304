//! Gaussian numbers with long-range dependence: the fractional sum-difference time series.
//!
//! Source: J. Cao, W. S. Cleveland, Y. Gao, K. Jeffay, F. D. Smith, M. C. Weigle, *Stochastic Models for Generating Synthetic
//! HTTP Source Traffic* (INFOCOM 2004), as their ns-2 code has it. x is fractionally differenced noise FARIMA(0, d, 0) with
//! unit innovations, made by the Durbin-Levinson recursion up to a number of terms and by the fixed autoregression of that
//! many terms from then on; y_t = x_t + x_(t-1); and z_t = σ y_t + √θ n_t with independent standard normal n_t, where θ is
//! the share of the variance that does not depend on the past and σ is such that z has variance 1.
//!
//! Departure: x begins one number before the first z, so that all z have the same law.

use aqmlab_random::{Key, normal_quantile};

/// Sums that a product of coefficients and past numbers is added up in: one alone would wait for each addition.
const LANES: usize = 8;

/// What all series of one kind have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FractionalNoise {
    /// Order of the fractional difference, 0 to 0.5.
    pub(super) difference: f64,
    /// Terms of the autoregression.
    pub(super) terms: usize,
    /// θ, the share of the variance that is independent from number to number.
    pub(super) independent_share: f64,
}

/// A series.
#[derive(Clone, Debug)]
pub(super) struct FractionalSumDifference {
    noise: FractionalNoise,
    key: Key,
    /// How many x were made.
    made: u64,
    /// Coefficients of the present order, that of the latest x first.
    coefficients: Vec<f64>,
    /// The variance of x about its prediction.
    innovation_variance: f64,
    /// The latest x first, from `begin` on; room before it for those to come.
    past: Vec<f64>,
    begin: usize,
    /// σ.
    scale: f64,
}

impl FractionalSumDifference {
    /// The series at a key.
    pub(super) fn new(noise: FractionalNoise, key: Key) -> Self {
        let FractionalNoise { difference: d, terms, independent_share } = noise;
        let variance = libm::tgamma(1.0 - 2.0 * d) / (libm::tgamma(1.0 - d) * libm::tgamma(1.0 - d));
        let of_sum = variance * (2.0 + 2.0 * d / (1.0 - d));
        let room = 2 * terms;
        let mut series = Self {
            noise,
            key,
            made: 0,
            coefficients: Vec::with_capacity(terms),
            innovation_variance: variance,
            past: vec![0.0; room],
            begin: room,
            scale: libm::sqrt((1.0 - independent_share) / of_sum),
        };
        series.advance();
        series
    }

    /// The next z.
    pub(super) fn next(&mut self) -> f64 {
        let before = self.past[self.begin];
        let number = self.made;
        self.advance();
        let sum = self.past[self.begin] + before;
        let alone = standard_normal(self.key.named("alone"), number);
        self.scale * sum + libm::sqrt(self.noise.independent_share) * alone
    }

    /// Makes the next x.
    fn advance(&mut self) {
        let innovation = standard_normal(self.key.named("innovation"), self.made);
        let predicted = dot(&self.coefficients, &self.past[self.begin..]);
        let x = predicted + libm::sqrt(self.innovation_variance) * innovation;
        if self.begin == 0 {
            let kept = self.noise.terms;
            let room = self.past.len();
            self.past.copy_within(0..kept, room - kept);
            self.begin = room - kept;
        }
        self.begin -= 1;
        self.past[self.begin] = x;
        self.made += 1;
        if self.coefficients.len() + 1 < self.noise.terms {
            self.raise_order();
        }
    }

    /// The Durbin-Levinson recursion, whose partial autocorrelations are known: d/(t - d) (Hosking, *Biometrika* 68, 1981).
    fn raise_order(&mut self) {
        let order = self.coefficients.len() + 1;
        let partial = self.noise.difference / (order as f64 - self.noise.difference);
        let (early, late) = self.coefficients.split_at_mut((order - 1) / 2);
        for (first, last) in early.iter_mut().zip(late.iter_mut().rev()) {
            (*first, *last) = (*first - partial * *last, *last - partial * *first);
        }
        if let (true, Some(middle)) = (late.len() > early.len(), late.first_mut()) {
            *middle -= partial * *middle;
        }
        self.coefficients.push(partial);
        self.innovation_variance *= 1.0 - partial * partial;
    }
}

/// Σ coefficients · past, in an order that does not depend on the machine.
fn dot(coefficients: &[f64], past: &[f64]) -> f64 {
    let past = &past[..coefficients.len()];
    let whole = coefficients.len() / LANES * LANES;
    let rest: f64 = coefficients[whole..].iter().zip(&past[whole..]).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (some, others) in coefficients.chunks_exact(LANES).zip(past.chunks_exact(LANES)) {
        // Arrays of a known length: the additions of a chunk are then made side by side.
        let (some, others): (&[f64; LANES], &[f64; LANES]) =
            (some.try_into().expect("a chunk"), others.try_into().expect("a chunk"));
        for lane in 0..LANES {
            sums[lane] += some[lane] * others[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Draw number `n` at a key.
pub(super) fn standard_normal(key: Key, n: u64) -> f64 {
    // The middle of a multiple of 2⁻⁵³, never 0 or 1.
    normal_quantile(key.uniform(n) + 0.5 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: FractionalNoise =
        FractionalNoise { difference: 0.33, terms: 1_000, independent_share: 0.25 };

    fn numbers(noise: FractionalNoise, seed: u64, count: usize) -> Vec<f64> {
        let mut series = FractionalSumDifference::new(noise, Key::from_seed(seed));
        (0..count).map(|_| series.next()).collect()
    }

    /// Autocovariances of FARIMA(0, d, 0) at lags 0 to 3 in units of the variance: ρ_k = ρ_(k-1) (k - 1 + d)/(k - d) (Hosking
    /// 1981, theorem 1).
    fn correlations(d: f64) -> [f64; 4] {
        let mut found = [1.0; 4];
        for lag in 1..4 {
            let k = lag as f64;
            found[lag] = found[lag - 1] * (k - 1.0 + d) / (k - d);
        }
        found
    }

    #[test]
    fn variance_and_correlation_of_neighbours_are_those_of_the_closed_form() {
        let [_, one, two, three] = correlations(NOISE.difference);
        // Of sums of neighbours, times the share that depends on the past.
        let neighbours = 0.75 * (1.0 + 2.0 * one + two) / (2.0 + 2.0 * one);
        let at_two = 0.75 * (one + 2.0 * two + three) / (2.0 + 2.0 * one);
        let (mut squares, mut products, mut at_distance) = (0.0, 0.0, 0.0);
        let (seeds, count) = (400, 300);
        for seed in 0..seeds {
            let z = numbers(NOISE, seed, count);
            // About the law's mean, which is 0: that of a series with such a memory is no estimate of it.
            squares += z.iter().map(|z| z * z).sum::<f64>() / count as f64;
            products += z.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / (count - 1) as f64;
            at_distance += z.windows(3).map(|three| three[0] * three[2]).sum::<f64>() / (count - 2) as f64;
        }
        let [variance, lag_one, lag_two] = [squares, products, at_distance].map(|sum| sum / seeds as f64);
        // Standard errors over 400 independent series are about 0.015.
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
        assert!((lag_one - neighbours).abs() < 0.05, "{lag_one} for {neighbours}");
        assert!((lag_two - at_two).abs() < 0.05, "{lag_two} for {at_two}");
    }

    /// The recursion's coefficients against their closed form (Hosking 1981): φ_tj = -(t choose j) Γ(j-d) Γ(t-d-j+1) /
    /// (Γ(-d) Γ(t-d+1)).
    #[test]
    fn coefficients_are_those_of_the_closed_form() {
        let d: f64 = 0.31;
        let noise = FractionalNoise { difference: d, terms: 8, independent_share: 0.5 };
        let mut series = FractionalSumDifference::new(noise, Key::from_seed(1));
        for _ in 0..20 {
            series.next();
        }
        let t = 7_u32;
        assert_eq!(series.coefficients.len(), t as usize, "one fewer than the terms, from then on");
        let gamma = libm::tgamma;
        let choose = |j: u32| (1..=j).map(|i| f64::from(t + 1 - i) / f64::from(i)).product::<f64>();
        for j in 1..=t {
            let (order, place) = (f64::from(t), f64::from(j));
            let expected = -choose(j) * gamma(place - d) * gamma(order - d - place + 1.0)
                / (gamma(-d) * gamma(order - d + 1.0));
            let found = series.coefficients[j as usize - 1];
            assert!((found - expected).abs() < 1e-12, "{j}: {found} for {expected}");
        }
    }

    #[test]
    fn the_past_is_kept_when_its_room_is_used_up() {
        let noise = FractionalNoise { difference: 0.4, terms: 5, independent_share: 0.0 };
        let mut series = FractionalSumDifference::new(noise, Key::from_seed(3));
        let mut x = vec![series.past[series.begin]];
        for number in 0..40 {
            series.next();
            x.push(series.past[series.begin]);
            let kept = &series.past[series.begin..];
            let latest: Vec<f64> = x.iter().rev().copied().take(4).collect();
            assert_eq!(kept[..latest.len()], latest, "after {number}");
        }
    }

    #[test]
    fn with_all_variance_independent_there_is_no_memory() {
        let noise = FractionalNoise { independent_share: 1.0, ..NOISE };
        let z = numbers(noise, 7, 20_000);
        let product: f64 = z.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 19_999.0;
        assert!(product.abs() < 0.03, "{product}");
    }
}
