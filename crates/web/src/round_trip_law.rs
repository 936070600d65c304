//! Laws of round-trip times, from which connections without a user draw theirs.

use crate::cdf_file::CdfFile;
use crate::models::packmime::{MeasuredRoundTrips, standard_normal};
use crate::{FileError, LoadFile};
use aqmlab_random::{Key, Law};
use aqmlab_units::Span;

const LONGEST_MS: f64 = 100_000.0;

/// A law of the round-trip time that a connection has beyond the network's. Each key draws once.
///
/// ```
/// use aqmlab_random::Key;
/// use aqmlab_web::RoundTripLaw;
/// let law = RoundTripLaw::packmime();
/// let flow = Key::from_seed(1).named("flow").indexed(7);
/// assert_eq!(law.draw(flow), law.draw(flow));
/// assert!(law.draw(flow).seconds() > 0.001);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTripLaw(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    PackMime(MeasuredRoundTrips),
    Own(Law),
}

impl RoundTripLaw {
    /// The sum of PackMime's two measured laws, of the clients' and of the servers' side, drawn independently
    /// of each other and of other connections: median 65 ms, mean 106 ms.
    #[must_use]
    pub fn packmime() -> Self {
        Self(Kind::PackMime(MeasuredRoundTrips::new()))
    }

    /// The law of a file of values in milliseconds, 0 to 100,000, and cumulative shares. `key` is the
    /// parameter that names it.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be read, or is no such law.
    pub fn from_file(key: &'static str, path: &str, load_file: &LoadFile<'_>) -> Result<Self, FileError> {
        let file = CdfFile { key, path, minimum: 0.0, maximum: LONGEST_MS };
        file.read(load_file).map(|law| Self(Kind::Own(law)))
    }

    /// The round-trip time that is drawn at a key.
    #[must_use]
    pub fn draw(&self, key: Key) -> Span {
        let milliseconds = match &self.0 {
            Kind::PackMime(law) => {
                let [client, server] =
                    ["client side", "server side"].map(|side| standard_normal(key.named(side), 0));
                law.client_ms(client) + law.server_ms(server)
            }
            Kind::Own(law) => law.draw(key, 0),
        };
        Span::from_seconds(milliseconds.min(LONGEST_MS) / 1e3)
    }

    /// The shortest round-trip time that it can draw.
    #[must_use]
    pub fn shortest(&self) -> Span {
        let milliseconds = match &self.0 {
            // Ten standard deviations below the mean both curves are at their first knots.
            Kind::PackMime(law) => law.client_ms(-10.0) + law.server_ms(-10.0),
            Kind::Own(law) => law.quantile(0.0),
        };
        Span::from_seconds(milliseconds / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(law: &RoundTripLaw, seed: u64, count: u64) -> Vec<f64> {
        let key = Key::from_seed(seed).named("flows");
        let mut drawn: Vec<f64> = (0..count).map(|n| law.draw(key.indexed(n)).seconds() * 1e3).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    #[test]
    fn packmimes_law_is_the_one_that_the_study_prints() {
        // "The RTTs ... range from 1 ms to 6.5 s, with a median of 65 ms and a mean of 106 ms" of one run's
        // 50,000.
        let drawn = sorted(&RoundTripLaw::packmime(), 1, 50_000);
        let mean = drawn.iter().sum::<f64>() / 50_000.0;
        assert!((drawn[25_000] - 65.0).abs() < 3.0, "median {}", drawn[25_000]);
        assert!((mean - 106.0).abs() < 4.0, "mean {mean}");
        assert!(drawn[0] < 2.0 && drawn[0] > 0.9, "least {}", drawn[0]);
        assert!((3_000.0..12_000.0).contains(&drawn[49_999]), "greatest {}", drawn[49_999]);
    }

    #[test]
    fn packmimes_servers_side_has_the_quantiles_of_the_shipped_curve() {
        // Rows of the table by hand, their third powers: P = 1 - 10^-0.25, 1 - 10^-1, 1 - 10^-2.
        let law = MeasuredRoundTrips::new();
        let rows = [(0.437_658_7, 3.71848_f64), (0.9, 4.84954), (0.99, 8.75032)];
        for (share, root) in rows {
            let found = law.server_ms(aqmlab_random::normal_quantile(share));
            assert!((found - root * root * root).abs() < 1e-3 * found, "{share}: {found}");
        }
    }

    #[test]
    fn nothing_shorter_than_the_shortest_is_drawn() {
        let law = RoundTripLaw::packmime();
        let shortest = law.shortest().seconds() * 1e3;
        // First knots: 0.87741 to the fifth power and 0.79105 to the third.
        assert!((shortest - 1.015).abs() < 0.001, "{shortest}");
        assert!(sorted(&law, 2, 20_000)[0] >= shortest);
    }

    #[test]
    fn a_file_is_a_law_of_its_values() {
        let read = |text: &'static str| {
            RoundTripLaw::from_file("cdf_file", "rtt.cdf", &move |_: &str| Ok(text.to_owned()))
        };
        let law = read("20 0.25\n80 1\n").unwrap();
        let drawn = sorted(&law, 1, 4_000);
        assert_eq!((drawn[0], drawn[3_999]), (20.0, 80.0));
        let short = drawn.iter().filter(|&&one| one == 20.0).count();
        // Binomial: 1,000, standard deviation 27.
        assert!((890..=1_110).contains(&short), "{short}");
        assert_eq!(law.shortest(), Span::from_milliseconds(20));
        let error = read("20 0.5\n200000 1\n").unwrap_err();
        assert_eq!((error.key, error.line), ("cdf_file", Some(2)));
        assert!(error.reason.contains("legal are 0 to 100000"), "{}", error.reason);
    }
}
