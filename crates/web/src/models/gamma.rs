//! The gamma law.

use aqmlab_random::{Key, normal_quantile};

/// Gamma with a shape of at least 1, and a rate.
///
/// G. Marsaglia, W. W. Tsang, *A Simple Method for Generating Gamma Variables* (ACM Transactions on
/// Mathematical Software 26, 2000): a cube of a normal number, refused now and then.
#[derive(Clone, Copy, Debug)]
pub(in crate::models) struct GammaLaw {
    /// At least 1.
    pub(in crate::models) shape: f64,
    pub(in crate::models) rate: f64,
}

impl GammaLaw {
    /// The value at a key.
    pub(in crate::models) fn draw(self, key: Key) -> f64 {
        let d = self.shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        let mut stream = key.stream();
        loop {
            let normal = normal_quantile(stream.uniform() + 0.5 / (1_u64 << 53) as f64);
            let uniform = 1.0 - stream.uniform();
            let root = 1.0 + c * normal;
            if root <= 0.0 {
                continue;
            }
            let cube = root * root * root;
            if libm::log(uniform) < 0.5 * normal * normal + d - d * cube + d * libm::log(cube) {
                return d * cube / self.rate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_variance_and_skewness_are_those_of_the_law() {
        for (shape, rate) in [(3.22, 3.22), (1.85, 1.85), (1.0, 2.0)] {
            let law = GammaLaw { shape, rate };
            let key = Key::from_seed(5).named("gamma");
            let values: Vec<f64> = (0..200_000).map(|n| law.draw(key.indexed(n))).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let moment = |power: i32| {
                values.iter().map(|x| libm::pow(x - mean, f64::from(power))).sum::<f64>() / count
            };
            let (variance, skewness) = (moment(2), moment(3) / libm::pow(moment(2), 1.5));
            assert!((mean * rate / shape - 1.0).abs() < 0.01, "{shape}: mean {mean}");
            assert!((variance * rate * rate / shape - 1.0).abs() < 0.03, "{shape}: variance {variance}");
            assert!((skewness * libm::sqrt(shape) / 2.0 - 1.0).abs() < 0.05, "{shape}: skewness {skewness}");
        }
    }
}
