//! How RED spreads its signals over the arrivals between two of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The law of the number X of arrivals from one signal to the next, given the base probability p of RED's
/// curve. The rates differ by a factor of three, so a study has to say which one it used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// p for every arrival: X is geometric, the rate is p.
    Geometric,
    /// p/(1 - c p): X is uniform on 1 to 1/p, the rate about 2 p (Floyd and Jacobson 1993, method 2).
    #[default]
    Classic,
    /// p/(2 - c p): X is uniform on 1 to 2/p - 1, the rate is p (`altq_red.c`).
    Altq,
    /// 0 while c p < 1, then p/(2 - c p): X is uniform on 1/p to 2/p - 1, the rate about 2p/3 (`wait_` in
    /// ns-2 and ns-3).
    Ns2Wait,
}

impl Spacing {
    /// The probability for the arrival number `since_signal` after the last signal (c above, itself
    /// included), when the base probability is `base`.
    #[must_use]
    #[inline]
    pub fn arrival_probability(self, base: f64, since_signal: f64) -> f64 {
        let progress = since_signal * base;
        let spread = |end: f64| if progress < end { (base / (end - progress)).min(1.0) } else { 1.0 };
        match self {
            Self::Geometric => base,
            Self::Classic => spread(1.0),
            Self::Altq => spread(2.0),
            Self::Ns2Wait => {
                if progress < 1.0 {
                    0.0
                } else {
                    spread(2.0)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probability that the signal comes at arrival 1, 2, … after the last one, by the chain rule.
    fn law(spacing: Spacing, base: f64) -> Vec<f64> {
        let mut still_none = 1.0;
        let arrival = |c: u32| {
            let now = spacing.arrival_probability(base, f64::from(c));
            let first = still_none * now;
            still_none *= 1.0 - now;
            first
        };
        (1..20_000).map(arrival).collect()
    }

    fn mean(law: &[f64]) -> f64 {
        law.iter().enumerate().map(|(before, p)| (before + 1) as f64 * p).sum()
    }

    #[test]
    fn worked_probabilities_at_one_in_twenty() {
        let cases: &[(Spacing, &[(f64, f64)])] = &[
            (Spacing::Geometric, &[(1.0, 0.05), (50.0, 0.05)]),
            (Spacing::Classic, &[(1.0, 0.052632), (5.0, 0.066667), (10.0, 0.1), (15.0, 0.2), (19.0, 1.0)]),
            (Spacing::Altq, &[(0.0, 0.025), (1.0, 0.025641), (10.0, 0.033333), (20.0, 0.05), (39.0, 1.0)]),
            (
                Spacing::Ns2Wait,
                &[(1.0, 0.0), (19.0, 0.0), (20.0, 0.05), (25.0, 0.066667), (30.0, 0.1), (39.0, 1.0)],
            ),
        ];
        for (spacing, points) in cases {
            for &(since_signal, expected) in *points {
                let found = spacing.arrival_probability(0.05, since_signal);
                assert!((found - expected).abs() < 5e-7, "{spacing:?} at {since_signal}: {found}");
            }
        }
    }

    #[test]
    fn mean_spacings_and_supports_at_one_in_fifty() {
        for (spacing, expected, first, last) in
            [(Spacing::Classic, 25.0, 1, 49), (Spacing::Altq, 50.0, 1, 99), (Spacing::Ns2Wait, 74.5, 50, 99)]
        {
            let law = law(spacing, 0.02);
            assert!((mean(&law) - expected).abs() < 1e-9, "{spacing:?}: mean {}", mean(&law));
            let support = |c: &usize| law[*c - 1] > 1e-9;
            assert_eq!((1..law.len()).find(support), Some(first), "{spacing:?}");
            assert_eq!((1..law.len()).rfind(support), Some(last), "{spacing:?}");
        }
        assert!((mean(&law(Spacing::Geometric, 0.02)) - 50.0).abs() < 1e-6);
    }

    #[test]
    fn all_but_geometric_are_uniform_over_their_support() {
        for (spacing, first, last) in [(Spacing::Classic, 1, 49), (Spacing::Altq, 1, 99)] {
            let law = law(spacing, 0.02);
            for arrival in first..last {
                assert!((law[arrival - 1] - law[first - 1]).abs() < 1e-12, "{spacing:?} at {arrival}");
            }
        }
    }
}
