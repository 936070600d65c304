//! Laws of the sizes of transfers, from which flows without a user draw theirs.

use crate::cdf_file::CdfFile;
use crate::{FileError, LoadFile};
use aqmlab_random::{Key, Law};

/// The largest size that can be drawn: what a transfer of a fixed size has at most.
const LARGEST_BYTES: f64 = 1e15;

/// A law of the number of bytes of a transfer. Each key draws once; what lies between two bytes is the upper
/// one.
///
/// ```
/// use aqmlab_random::Key;
/// use aqmlab_web::SizeLaw;
/// let flow = Key::from_seed(1).named("flow").indexed(7);
/// assert_eq!(SizeLaw::constant(9_000).draw(flow), 9_000);
/// assert!(SizeLaw::exponential(9_000.0).draw(flow) >= 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SizeLaw(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// No number with a fraction holds all of them.
    Constant(u64),
    Of(Law),
    Pareto {
        scale: f64,
        shape: f64,
        share_below_maximum: f64,
    },
}

impl SizeLaw {
    /// Always so many bytes.
    #[must_use]
    pub const fn constant(bytes: u64) -> Self {
        Self(Kind::Constant(bytes))
    }

    /// The size, where it is always the same.
    #[must_use]
    pub const fn fixed(&self) -> Option<u64> {
        match self.0 {
            Kind::Constant(bytes) => Some(bytes),
            Kind::Of(_) | Kind::Pareto { .. } => None,
        }
    }

    /// Lognormal with this median and standard deviation of the logarithm; what exceeds the maximum, which is
    /// at least the median, is drawn again.
    #[must_use]
    pub const fn lognormal(median: f64, sigma: f64, maximum: f64) -> Self {
        Self(Kind::Of(Law::Lognormal { median, sigma, maximum }))
    }

    /// Exponential.
    #[must_use]
    pub const fn exponential(mean: f64) -> Self {
        Self(Kind::Of(Law::Exponential { mean }))
    }

    /// Pareto with this mean, without the maximum, and this shape, above 1; what exceeds the maximum is drawn
    /// again. None where the maximum is not above the least size, mean (shape - 1) / shape.
    #[must_use]
    pub fn pareto(mean: f64, shape: f64, maximum: f64) -> Option<Self> {
        let scale = mean * (shape - 1.0) / shape;
        let share_below_maximum = 1.0 - libm::pow(maximum / scale, -shape);
        (maximum > scale).then_some(Self(Kind::Pareto { scale, shape, share_below_maximum }))
    }

    /// The law of a file of sizes in bytes and cumulative shares. `key` is the parameter that names it.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be read, or is no such law.
    pub fn from_file(key: &'static str, path: &str, load_file: &LoadFile<'_>) -> Result<Self, FileError> {
        let file = CdfFile { key, path, minimum: 1.0, maximum: LARGEST_BYTES };
        file.read(load_file).map(|law| Self(Kind::Of(law)))
    }

    /// The size that is drawn at a key.
    #[must_use]
    pub fn draw(&self, key: Key) -> u64 {
        let bytes = match &self.0 {
            Kind::Constant(bytes) => return *bytes,
            Kind::Of(law) => law.draw(key, 0),
            Kind::Pareto { scale, shape, share_below_maximum } => {
                scale * libm::pow(1.0 - key.uniform(0) * share_below_maximum, -1.0 / shape)
            }
        };
        libm::ceil(bytes).clamp(1.0, LARGEST_BYTES) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: u64 = 20_000;

    fn sorted(law: &SizeLaw) -> Vec<u64> {
        let key = Key::from_seed(3).named("sizes");
        let mut drawn: Vec<u64> = (0..DRAWN).map(|n| law.draw(key.indexed(n))).collect();
        drawn.sort_unstable();
        drawn
    }

    /// That a share of what is drawn lies below a value, within four standard errors.
    fn assert_share_below(drawn: &[u64], value: f64, share: f64) {
        let below = drawn.iter().filter(|&&bytes| bytes as f64 <= value).count() as f64 / DRAWN as f64;
        let error = (share * (1.0 - share) / DRAWN as f64).sqrt();
        assert!((below - share).abs() < 4.0 * error, "{below} below {value}, not {share}");
    }

    #[test]
    fn a_lognormal_law_has_its_median_and_its_standard_deviation() {
        let drawn = sorted(&SizeLaw::lognormal(20_000.0, 1.5, 1e9));
        assert_share_below(&drawn, 20_000.0, 0.5);
        // One standard deviation above: 20,000 e^1.5.
        assert_share_below(&drawn, 89_633.8, 0.841_345);
    }

    #[test]
    fn a_pareto_law_has_its_quantiles_by_hand_and_nothing_beyond_its_maximum() {
        // Scale 12,000·0.2/1.2 = 2,000; a share 1 - (2/x)^1.2 lies below x thousand.
        let drawn = sorted(&SizeLaw::pareto(12_000.0, 1.2, 1e12).unwrap());
        assert!((2_000..2_010).contains(&drawn[0]), "{}", drawn[0]);
        assert_share_below(&drawn, 4_000.0, 1.0 - 0.435_275);
        assert_share_below(&drawn, 20_000.0, 1.0 - 0.063_096);
        // Cut at 4,000 half of these lie below the size that a share of 0.5·0.564725 of all lies below.
        let cut = sorted(&SizeLaw::pareto(12_000.0, 1.2, 4_000.0).unwrap());
        assert!(cut[cut.len() - 1] <= 4_000);
        assert_share_below(&cut, 2_000.0 * libm::pow(1.0 - 0.5 * 0.564_725, -1.0 / 1.2), 0.5);
        assert_eq!(SizeLaw::pareto(12_000.0, 1.2, 1_999.0), None);
    }

    #[test]
    fn an_exponential_law_has_its_mean_and_no_transfer_is_empty() {
        let drawn = sorted(&SizeLaw::exponential(3.0));
        assert_eq!(drawn[0], 1);
        // Above k bytes lies a share e^(-k/3): sizes are rounded up.
        assert_share_below(&drawn, 1.0, 1.0 - libm::exp(-1.0 / 3.0));
        assert_share_below(&drawn, 6.0, 1.0 - libm::exp(-2.0));
    }

    #[test]
    fn a_file_is_a_law_of_its_sizes_and_has_none_below_a_byte() {
        let read = |text: &'static str| {
            SizeLaw::from_file("cdf_file", "sizes.cdf", &move |_: &str| Ok(text.to_owned()))
        };
        let drawn = sorted(&read("1000 0.25\n50000 1\n").unwrap());
        assert_eq!((drawn[0], drawn[drawn.len() - 1]), (1_000, 50_000));
        assert_share_below(&drawn, 1_000.0, 0.25);
        let error = read("0.5 0.5\n9 1\n").unwrap_err();
        assert_eq!((error.key, error.line), ("cdf_file", Some(1)));
    }
}
