//! The residual-life law: how long until the end of an interval that was met at a random instant.
//!
//! If intervals have law F with mean m, an observer at a random instant sees the remaining part of the
//! current one with density (1 − F(x))/m (renewal theory; Cox, *Renewal Theory*, 1962, chapter 5).
//! Equivalently: a uniform share of a length-biased interval. That second form needs only the quantile
//! function, so it works for every [`Law`].

use crate::{Key, Law};

// Strata of equal probability; the last ones, where a heavy tail keeps its mass, are halved again and again.
const EVEN_STRATA: usize = 4096;
const TAIL_HALVINGS: usize = 30;
const STRATA_PER_HALVING: usize = 32;

/// Residual-life sampler of a [`Law`].
#[derive(Clone, Debug)]
pub struct Equilibrium {
    law: Law,
    edges: Vec<f64>,
    cumulative_weight: Vec<f64>,
}

impl Equilibrium {
    /// Prepares the residual-life law of `law`: about 5,000 evaluations of its quantile function.
    #[must_use]
    pub fn new(law: Law) -> Self {
        let edges = edges();
        let mut cumulative_weight = Vec::with_capacity(edges.len() - 1);
        let mut total = 0.0;
        for pair in edges.windows(2) {
            total += (pair[1] - pair[0]) * law.quantile(f64::midpoint(pair[0], pair[1]));
            cumulative_weight.push(total);
        }
        Self { law, edges, cumulative_weight }
    }

    /// Draw `n` at `key` (which uses the uniform numbers 3n, 3n+1 and 3n+2 of the key).
    #[must_use]
    pub fn draw(&self, key: Key, n: u64) -> f64 {
        let total = self.cumulative_weight[self.cumulative_weight.len() - 1];
        let target = key.uniform(3 * n) * total;
        let stratum = self.cumulative_weight.partition_point(|&weight| weight <= target);
        let (low, high) = (self.edges[stratum], self.edges[stratum + 1]);
        let length = self.law.quantile(low + (high - low) * key.uniform(3 * n + 1));
        length * key.uniform(3 * n + 2)
    }
}

fn edges() -> Vec<f64> {
    let step = 1.0 / EVEN_STRATA as f64;
    let mut edges: Vec<f64> = (0..EVEN_STRATA).map(|i| i as f64 * step).collect();
    let mut remaining = step;
    for _ in 0..TAIL_HALVINGS {
        let start = 1.0 - remaining;
        for part in 1..=STRATA_PER_HALVING {
            edges.push(start + remaining / 2.0 * part as f64 / STRATA_PER_HALVING as f64);
        }
        remaining /= 2.0;
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LognormalPareto;

    fn mean_of_draws(law: Law, draws: u64) -> f64 {
        let equilibrium = Equilibrium::new(law);
        let key = Key::from_seed(1).named("residual");
        (0..draws).map(|n| equilibrium.draw(key, n)).sum::<f64>() / draws as f64
    }

    #[test]
    fn the_exponential_law_is_its_own_residual() {
        let mean = mean_of_draws(Law::Exponential { mean: 30.0 }, 200_000);
        assert!((mean - 30.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn the_residual_of_a_constant_is_uniform_below_it() {
        let mean = mean_of_draws(Law::Constant(8.0), 100_000);
        assert!((mean - 4.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn the_residual_share_below_x_is_the_integrated_tail() {
        // P(residual <= x) = 1/m · ∫₀ˣ (1 − F), here by a fine midpoint sum over the closed-form tail.
        let law = LognormalPareto::new(10.0, 1.451, 1.5, 3600.0);
        let x = 30.0;
        let steps = 100_000;
        let width = x / f64::from(steps);
        let integral: f64 = (0..steps).map(|i| law.share_above((f64::from(i) + 0.5) * width) * width).sum();
        let expected = integral / law.mean();
        let equilibrium = Equilibrium::new(Law::LognormalPareto(law));
        let key = Key::from_seed(2).named("residual");
        let draws = 200_000;
        let below = (0..draws).filter(|&n| equilibrium.draw(key, n) <= x).count();
        let share = below as f64 / draws as f64;
        // Four standard errors of a share of 200,000 draws.
        assert!((share - expected).abs() < 0.0045, "{share} against {expected}");
    }
}
