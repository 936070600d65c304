//! Gaussian numbers with long-range dependence: the fractional sum-difference time series.
//!
//! Source: J. Cao, W. S. Cleveland, Y. Gao, K. Jeffay, F. D. Smith, M. C. Weigle, *Stochastic Models for
//! Generating Synthetic HTTP Source Traffic* (INFOCOM 2004), as their ns-2 code has it. x is fractionally
//! differenced noise FARIMA(0, d, 0) with unit innovations, predicted from all of its past up to a number of
//! terms and by the fixed autoregression of that many terms from then on; y_t = x_t + x_(t-1); and z_t = σ
//! y_t + √θ n_t with independent standard normal n_t, where θ is the share of the variance that does not
//! depend on the past and σ is such that z has variance 1.
//!
//! Departure: x begins one number before the first z, so that all z have the same law.

use super::past_weights::{BLOCK, PastWeights};
use aqmlab_random::{Key, normal_quantile};
use std::sync::Arc;

/// Numbers that are added to the past before it is moved to the front.
const ROOM: usize = 32 * BLOCK;

/// What all series of one kind have in common.
#[derive(Clone, Debug)]
pub(super) struct FractionalNoise {
    weights: Arc<PastWeights>,
    /// √θ.
    independent_scale: f64,
    /// The variance of x.
    variance: f64,
    /// σ.
    scale: f64,
}

impl FractionalNoise {
    /// Noise of the order `difference`, 0 to 0.5, with so many terms of the autoregression, where
    /// `independent_share` is θ, the share of the variance that is independent from number to number.
    pub(super) fn new(difference: f64, terms: usize, independent_share: f64) -> Self {
        let d = difference;
        let variance = libm::tgamma(1.0 - 2.0 * d) / (libm::tgamma(1.0 - d) * libm::tgamma(1.0 - d));
        let of_sum = variance * (2.0 + 2.0 * d / (1.0 - d));
        Self {
            weights: Arc::new(PastWeights::new(difference, terms)),
            independent_scale: libm::sqrt(independent_share),
            variance,
            scale: libm::sqrt((1.0 - independent_share) / of_sum),
        }
    }
}

/// A series.
#[derive(Clone, Debug)]
pub(super) struct FractionalSumDifference {
    noise: FractionalNoise,
    innovations: Key,
    alone: Key,
    /// How many x were made.
    made: usize,
    /// The variance of x about its prediction, and its root.
    innovation_variance: f64,
    innovation_scale: f64,
    /// The x until `end`, times the factor of their place while the order grows; zeros before the first and
    /// from `end` on.
    past: Vec<f64>,
    end: usize,
    /// Where in `past` the present block begins, how long it is, and what stood before it adds to each of its
    /// numbers.
    block: usize,
    block_length: usize,
    far: [f64; BLOCK],
    /// The latest x.
    latest: f64,
}

impl FractionalSumDifference {
    /// The series at a key.
    pub(super) fn new(noise: &FractionalNoise, key: Key) -> Self {
        let order = noise.weights.order();
        let mut series = Self {
            noise: noise.clone(),
            innovations: key.named("innovation"),
            alone: key.named("alone"),
            made: 0,
            innovation_variance: noise.variance,
            innovation_scale: libm::sqrt(noise.variance),
            past: vec![0.0; order + ROOM + BLOCK],
            end: order,
            block: order,
            block_length: 0,
            far: [0.0; BLOCK],
            latest: 0.0,
        };
        series.advance();
        series
    }

    /// The next z.
    pub(super) fn next(&mut self) -> f64 {
        let before = self.latest;
        let alone = standard_normal(self.alone, self.made as u64);
        self.advance();
        self.noise.scale * (self.latest + before) + self.noise.independent_scale * alone
    }

    /// Whether the order grows up to the next x.
    fn grows(&self) -> bool {
        self.made <= self.noise.weights.order()
    }

    /// Makes the next x.
    fn advance(&mut self) {
        if self.end == self.block + self.block_length {
            self.begin_block();
        }
        let grows = self.grows();
        let innovation = standard_normal(self.innovations, self.made as u64);
        let weights = &*self.noise.weights;
        let sum = self.far[self.end - self.block] + weights.near_sum(grows, &self.past[self.block..self.end]);
        let place = if grows { weights.of_place(self.made) } else { 1.0 };
        self.latest = sum / place + self.innovation_scale * innovation;
        self.past[self.end] = self.latest * place;
        self.end += 1;
        self.made += 1;
        if self.made <= weights.order() {
            let partial = weights.partial(self.made);
            self.innovation_variance *= 1.0 - partial * partial;
            self.innovation_scale = libm::sqrt(self.innovation_variance);
        }
    }

    /// Sums up what the past adds to the next numbers. No block goes on from the growing order to the settled
    /// one.
    fn begin_block(&mut self) {
        let Self { noise, past, .. } = self;
        let order = noise.weights.order();
        if self.made == order + 1 {
            // From here on they are kept as they are.
            for (place, kept) in (1..=order).rev().zip(past[..self.end].iter_mut().rev()) {
                *kept /= noise.weights.of_place(place);
            }
        }
        if self.end + BLOCK > past.len() {
            past.copy_within(self.end - order..self.end, 0);
            past[order..].fill(0.0);
            self.end = order;
        }
        let grows = self.made <= order;
        self.block = self.end;
        self.block_length = if grows { BLOCK.min(order + 1 - self.made) } else { BLOCK };
        let window = &past[self.end - order..self.end + BLOCK];
        self.far = noise.weights.far_sums(grows, window, self.made);
    }
}

/// Draw number `n` at a key.
pub(crate) fn standard_normal(key: Key, n: u64) -> f64 {
    // The middle of a multiple of 2⁻⁵³, never 0 or 1.
    normal_quantile(key.uniform(n) + 0.5 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(independent_share: f64) -> FractionalNoise {
        FractionalNoise::new(0.33, 1_000, independent_share)
    }

    fn numbers(noise: &FractionalNoise, seed: u64, count: usize) -> Vec<f64> {
        let mut series = FractionalSumDifference::new(noise, Key::from_seed(seed));
        (0..count).map(|_| series.next()).collect()
    }

    /// Autocovariances of FARIMA(0, d, 0) at lags 0 to 3 in units of the variance: ρ_k = ρ_(k-1) (k - 1 +
    /// d)/(k - d) (Hosking 1981, theorem 1).
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
        let [_, one, two, three] = correlations(0.33);
        // Of sums of neighbours, times the share that depends on the past.
        let neighbours = 0.75 * (1.0 + 2.0 * one + two) / (2.0 + 2.0 * one);
        let at_two = 0.75 * (one + 2.0 * two + three) / (2.0 + 2.0 * one);
        let (mut squares, mut products, mut at_distance) = (0.0, 0.0, 0.0);
        let (seeds, count) = (400, 300);
        for seed in 0..seeds {
            let z = numbers(&noise(0.25), seed, count);
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

    /// The Durbin-Levinson recursion as ns-2 has it, number by number; answers with x.
    fn by_recursion(d: f64, terms: usize, innovations: Key, count: u64) -> Vec<f64> {
        let mut variance = libm::tgamma(1.0 - 2.0 * d) / (libm::tgamma(1.0 - d) * libm::tgamma(1.0 - d));
        let (mut weights, mut x): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for number in 0..count {
            let predicted: f64 = weights.iter().zip(x.iter().rev()).map(|(weight, x)| weight * x).sum();
            x.push(predicted + variance.sqrt() * standard_normal(innovations, number));
            let order = weights.len() + 1;
            if order < terms {
                let partial = d / (order as f64 - d);
                let turned: Vec<f64> = weights.iter().rev().copied().collect();
                weights.iter_mut().zip(turned).for_each(|(weight, other)| *weight -= partial * other);
                weights.push(partial);
                variance *= 1.0 - partial * partial;
            }
        }
        x
    }

    #[test]
    fn numbers_are_those_of_the_recursion_while_the_order_grows_and_when_it_has_settled() {
        // Orders within a block, at its edge and beyond it; the past is moved to the front several times.
        for (d, terms) in [(0.31, 2), (0.4, 5), (0.33, 16), (0.31, 17), (0.32, 100), (0.31, 700)] {
            let noise = FractionalNoise::new(d, terms, 0.0);
            let key = Key::from_seed(terms as u64);
            let mut series = FractionalSumDifference::new(&noise, key);
            let expected = by_recursion(d, terms, key.named("innovation"), 3_000);
            for (number, expected) in expected.into_iter().enumerate() {
                let found = series.latest;
                assert!((found - expected).abs() < 1e-9, "{terms} terms, {number}: {found} for {expected}");
                series.next();
            }
        }
    }

    #[test]
    fn with_all_variance_independent_there_is_no_memory() {
        let z = numbers(&noise(1.0), 7, 20_000);
        let product: f64 = z.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 19_999.0;
        assert!(product.abs() < 0.03, "{product}");
    }
}
