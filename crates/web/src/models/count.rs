//! Laws of whole numbers, prepared for drawing.

use aqmlab_random::{Key, Law};

/// A law of the numbers of something.
#[derive(Clone, Debug)]
pub(in crate::models) enum Count {
    /// Geometric from `first` on. Its mean is `first` + 1/(1 − q) − 1, where q is the probability to go on.
    Geometric { first: u32, mean: f64, log_of_going_on: f64 },
    /// What a law gives, rounded, plus something.
    Other { law: Law, plus: u32 },
}

impl Count {
    /// Geometric on `first`, `first` + 1, … with this mean, which is at least `first`.
    pub(in crate::models) fn geometric(first: u32, mean: f64) -> Self {
        let above_first = mean - f64::from(first);
        if above_first <= 0.0 {
            return Self::Other { law: Law::Constant(0.0), plus: first };
        }
        // Probability to stop 1/(1 + above_first). The logarithm is taken here once, not with every draw.
        let log_of_going_on = libm::log1p(-1.0 / (1.0 + above_first));
        Self::Geometric { first, mean, log_of_going_on }
    }

    pub(in crate::models) fn draw(&self, key: Key, n: u64) -> u32 {
        match self {
            Self::Geometric { first, log_of_going_on, .. } => {
                first + (libm::log1p(-key.uniform(n)) / log_of_going_on) as u32
            }
            Self::Other { law, plus } => whole(law.draw(key, n)) + plus,
        }
    }

    pub(in crate::models) fn mean(&self) -> f64 {
        match self {
            Self::Geometric { mean, .. } => *mean,
            Self::Other { law, plus } => law.mean() + f64::from(*plus),
        }
    }
}

/// The nearest whole number, halves upwards. (`f64::round` is a call into the C library.)
#[inline]
pub(in crate::models) fn nearest(value: f64) -> u64 {
    (value + 0.5) as u64
}

/// The nearest whole number; the legal ranges keep every drawn count and request length within 32 bits.
#[inline]
pub(in crate::models) fn whole(value: f64) -> u32 {
    u32::try_from(nearest(value)).unwrap_or_else(|_| panic!("{value} drawn where 32 bits were expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_counts_are_the_general_law_drawn_with_the_same_numbers() {
        let key = Key::from_seed(8).named("count");
        for (first, mean) in [(1, 1.0), (1, 4.09), (1, 5.0), (2, 8.0), (2, 2.0), (1, 1000.0)] {
            let count = Count::geometric(first, mean);
            let general = Law::Geometric { mean: mean - f64::from(first) + 1.0 };
            for n in 0..10_000 {
                assert_eq!(count.draw(key, n), general.draw(key, n) as u32 + first - 1, "{first} {mean} {n}");
            }
            assert!((count.mean() - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn other_counts_are_rounded() {
        let count = Count::Other { law: Law::Constant(3.6), plus: 2 };
        assert_eq!(count.draw(Key::from_seed(1), 0), 6);
    }
}
