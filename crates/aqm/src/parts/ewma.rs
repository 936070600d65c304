//! The exponentially weighted moving average.

/// `average ← (1 − w)·average + w·sample`, starting at zero.
#[derive(Clone, Copy, Debug)]
pub struct Ewma {
    weight: f64,
    keep: f64,
    average: f64,
}

impl Ewma {
    /// An average that gives each new sample this weight, above 0 and at most 1.
    #[must_use]
    pub fn new(weight: f64) -> Self {
        assert!(weight > 0.0 && weight <= 1.0, "not a weight: {weight}");
        Self { weight, keep: 1.0 - weight, average: 0.0 }
    }

    /// The same weight from another average on.
    #[must_use]
    pub const fn from(self, average: f64) -> Self {
        Self { average, ..self }
    }

    /// The average.
    #[must_use]
    #[inline]
    pub const fn average(&self) -> f64 {
        self.average
    }

    /// The weight of a sample.
    #[must_use]
    pub const fn weight(&self) -> f64 {
        self.weight
    }

    /// One more sample.
    #[inline]
    pub fn sample(&mut self, sample: f64) {
        self.average = self.keep * self.average + self.weight * sample;
    }

    /// What `count` samples of zero would leave of the average.
    #[must_use]
    pub fn after_zeros(&self, count: u64) -> f64 {
        self.average * power(self.keep, count)
    }
}

/// `base` to the power `exponent`, by repeated squaring: the same bits on every platform, at most 128
/// multiplications.
#[must_use]
pub fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: u32, weight: f64) -> f64 {
        let mut average = Ewma::new(weight);
        (0..samples).for_each(|_| average.sample(100.0));
        average.average()
    }

    #[test]
    fn a_constant_queue_of_100_packets_is_learnt_at_the_published_pace() {
        // Closed form: 100·(1 − (1 − w)^n).
        assert!((after(100, 1.0 / 512.0) - 17.758).abs() < 5e-4);
        assert!((after(100, 0.002) - 18.143).abs() < 5e-4);
        // One time constant: 63.2 % after 1/w samples.
        assert!((after(512, 1.0 / 512.0) - 63.2).abs() < 0.05);
    }

    #[test]
    fn the_longest_burst_below_the_threshold_is_the_papers() {
        // Samples 1, 2, …, L: the queue that each packet of a burst finds, itself included.
        for (weight, min_th, longest) in [(0.002, 5.0, 71), (1.0 / 512.0, 30.0, 185)] {
            let mut average = Ewma::new(weight);
            let below = (1..1000).take_while(|&packet| {
                average.sample(f64::from(packet));
                average.average() < min_th
            });
            assert_eq!(below.last(), Some(longest), "w = {weight}");
        }
    }

    #[test]
    fn powers_are_repeated_products() {
        assert!((power(1.0 - 1.0 / 512.0, 125) - 0.78319).abs() < 5e-6);
        assert!((power(1.0 - 1.0 / 512.0, 126) - 0.78166).abs() < 5e-6);
        assert_eq!(power(0.5, 10), 1.0 / 1024.0);
        assert_eq!(power(0.3, 0), 1.0);
        assert_eq!(power(0.999, u64::MAX), 0.0);
        assert_eq!(power(0.0, 3), 0.0);
    }
}
