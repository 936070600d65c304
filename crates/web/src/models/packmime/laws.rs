//! The laws of PackMime, prepared once for all clouds of a population.

use super::curve::Curve;
use super::fractional_sum_difference::{FractionalNoise, standard_normal};
use super::own_laws::{OwnLaws, at_normal};
use super::parameters::{GapsDrawnPer, LARGEST_RESPONSE_BYTES, PackMimeParameters};
use super::round_trips::MeasuredRoundTrips;
use crate::models::gamma::GammaLaw;
use crate::{LoadFile, ModelError};
use aqmlab_random::{Key, normal_cumulative};
use aqmlab_units::Span;

const SIZES: &str = include_str!("../../../data/packmime_size_inverse_cdf.csv");

/// Responses up to this size are answers that nothing has changed: all of their connection are alike.
const LARGEST_VALIDATION_BYTES: u64 = 275;
/// The slowest server answers ten requests a second.
const SLOWEST_ANSWERS_PER_SECOND: f64 = 10.0;
/// Longer requests have a probability of 10⁻⁹ and would be cut.
const LONGEST_REQUEST_BYTES: f64 = 1e9;
/// How often a response beyond the law's end is drawn again before it is cut. Of first responses one in five
/// is above the smallest legal end; only the location of a rare persistent connection can lie above it.
const MOST_DRAWS: u64 = 64;
/// Gaps beyond a year outlast every run.
const LONGEST_GAP_SECONDS: f64 = 3e7;

/// PackMime with its parameters: immutable, shared by reference by all clouds of a population.
#[derive(Clone, Debug)]
pub struct PackMimeModel {
    pub(super) parameters: PackMimeParameters,
    arrivals: FractionalNoise,
    client_side: FractionalNoise,
    server_side: FractionalNoise,
    requests: FractionalNoise,
    gap_between_arrivals: Weibull,
    validations_in_a_row: Weibull,
    downloads_in_a_row: Weibull,
    round_trips: MeasuredRoundTrips,
    validation: Curve,
    download: Curve,
    short_request: Curve,
    long_request: Curve,
    own: OwnLaws,
}

/// 2^x / (1 + 2^x): how the parameters depend on the logarithm of the rate.
fn logistic(x: f64) -> f64 {
    let power = libm::exp2(x);
    power / (1.0 + power)
}

/// Weibull's law: scale (-ln u)^(1/shape) for a uniform u.
#[derive(Clone, Copy, Debug)]
struct Weibull {
    shape: f64,
    scale: f64,
}

impl Weibull {
    fn at(self, uniform: f64) -> f64 {
        self.scale * libm::pow(-libm::log(uniform), 1.0 / self.shape)
    }

    /// Draw number `n` at a key.
    fn draw(self, key: Key, n: u64) -> f64 {
        self.at(1.0 - key.uniform(n))
    }
}

/// 2^(L + S e): a location and a scale that several values have in common, and what each has for itself.
struct Spread {
    location: f64,
    location_variance: f64,
    /// Shape and rate of the law of the squared scale.
    squared_scale: f64,
    error_variance: f64,
}

const OBJECT_GAP: Spread =
    Spread { location: -4.15, location_variance: 3.12, squared_scale: 2.35, error_variance: 1.57 };
const PAGE_GAP: Spread =
    Spread { location: 3.22, location_variance: 0.73, squared_scale: 1.85, error_variance: 1.21 };
const LATER_RESPONSE: Spread =
    Spread { location: 10.62, location_variance: 0.94, squared_scale: 3.22, error_variance: 2.43 };

impl Spread {
    /// Value number `n` of those whose location and scale are drawn at `shared`.
    fn draw(&self, shared: Key, own: Key, n: u64) -> f64 {
        let location = self.location + libm::sqrt(self.location_variance) * standard_normal(shared, 0);
        let law = GammaLaw { shape: self.squared_scale, rate: self.squared_scale };
        let scale = libm::sqrt(law.draw(shared.named("scale")));
        libm::exp2(location + scale * libm::sqrt(self.error_variance) * standard_normal(own, n))
    }
}

impl PackMimeModel {
    /// Prepares the laws.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, or a file that is no law.
    pub fn new(parameters: &PackMimeParameters, load_file: &LoadFile<'_>) -> Result<Self, ModelError> {
        parameters.validate()?;
        let log_rate = libm::log2(parameters.connections_per_second);
        let noise =
            |difference, terms, a, b| FractionalNoise::new(difference, terms, logistic(a + b * log_rate));
        let shape = logistic(0.352 + 0.388 * log_rate);
        let scale = 1.0 / (parameters.connections_per_second * libm::tgamma(1.0 + 1.0 / shape));
        Ok(Self {
            arrivals: noise(0.33, 1_000, 0.333, 0.414),
            client_side: noise(0.31, 1_000, -0.445, 0.554),
            server_side: noise(0.32, 1_000, -0.053, 0.396),
            requests: noise(0.31, 5_000, 0.123, 0.494),
            gap_between_arrivals: Weibull { shape, scale },
            validations_in_a_row: Weibull { shape: logistic(0.718 + 0.357 * log_rate), scale: 0.775 },
            downloads_in_a_row: Weibull { shape: logistic(1.293 + 0.316 * log_rate), scale: 3.11 },
            round_trips: MeasuredRoundTrips::new(),
            validation: Curve::of_rows(SIZES, "response,cache_validation"),
            download: Curve::of_rows(SIZES, "response,download"),
            short_request: Curve::of_rows(SIZES, "request,lower_half"),
            long_request: Curve::of_rows(SIZES, "request,upper_half"),
            own: OwnLaws::read(parameters, load_file)?,
            parameters: parameters.clone(),
        })
    }

    /// The four series of numbers that depend on those before them: gaps between arrivals, round trips on the
    /// clients' and on the servers' side, requests.
    pub(super) const fn noises(&self) -> [&FractionalNoise; 4] {
        [&self.arrivals, &self.client_side, &self.server_side, &self.requests]
    }

    /// Connections per second.
    #[must_use]
    pub const fn connections_per_second(&self) -> f64 {
        self.parameters.connections_per_second
    }
}

// Laws, each at the normal number or the key that is drawn for it.
impl PackMimeModel {
    /// The time to the next arrival.
    pub(super) fn gap_between_arrivals(&self, z: f64) -> Span {
        if let Some((law, mean)) = &self.own.gaps {
            let gaps = at_normal(law, z) / mean;
            return Span::from_seconds(
                (gaps / self.parameters.connections_per_second).min(LONGEST_GAP_SECONDS),
            );
        }
        // At 8 standard deviations the share is 1, and the gap 0.
        Span::from_seconds(self.gap_between_arrivals.at(normal_cumulative(z).clamp(1e-300, 1.0)))
    }

    /// Milliseconds that a connection's round trip takes beyond those of the network: on the clients' side,
    /// and on the servers'.
    pub(super) fn round_trip_ms(&self, client: f64, server: f64) -> [f64; 2] {
        let own = [&self.own.client_round_trip, &self.own.server_round_trip];
        let [client_side, server_side] = own.map(Option::as_ref);
        [
            client_side.map_or_else(|| self.round_trips.client_ms(client), |law| at_normal(law, client)),
            server_side.map_or_else(|| self.round_trips.server_ms(server), |law| at_normal(law, server)),
        ]
    }

    /// Length of the requests of a connection.
    pub(super) fn request_bytes(&self, z: f64) -> u32 {
        let bytes = if let Some(law) = &self.own.request {
            at_normal(law, z)
        } else if z < 0.0 {
            self.short_request.at(2.0 * normal_cumulative(z))
        } else {
            libm::exp2(self.long_request.at(libm::log2(2.0 * normal_cumulative(-z)).max(-1_000.0)))
        };
        // Legal requests have fewer than 2³⁰ bytes.
        bytes.clamp(1.0, LONGEST_REQUEST_BYTES) as u32
    }

    /// How many connections in a row begin with a validation, or with a download.
    pub(super) fn run_length(&self, validations: bool, key: Key) -> u64 {
        let law = if validations { self.validations_in_a_row } else { self.downloads_in_a_row };
        (libm::ceil(law.draw(key, 0)) as u64).max(1)
    }

    /// Length of the first response of a connection.
    pub(super) fn first_response_bytes(&self, validation: bool, key: Key) -> u64 {
        self.up_to_the_end(|attempt| {
            let below = key.uniform(attempt);
            if let Some(law) = &self.own.response {
                law.quantile(below)
            } else if validation {
                self.validation.at(below)
            } else {
                libm::exp2(self.download.at(libm::log2(1.0 - below)))
            }
        })
    }

    /// Length of response number `n`, from 1 on, of a connection.
    pub(super) fn later_response_bytes(&self, first: u64, key: Key, n: u64) -> u64 {
        let own = key.named("responses");
        if let Some(law) = &self.own.response {
            return law.draw(own, n) as u64;
        }
        if first <= LARGEST_VALIDATION_BYTES {
            return first;
        }
        let shared = key.named("location of responses");
        self.up_to_the_end(|attempt| {
            // The first attempt is at the place where a law without an end draws.
            let own = if attempt == 0 { own } else { own.named("again").indexed(attempt) };
            LATER_RESPONSE.draw(shared, own, n)
        })
    }

    /// The first of some attempts that lies within the law's end. Drawn again and not cut: responses as large
    /// as the end would come in heaps else, and what lies below keeps its probabilities among itself.
    fn up_to_the_end(&self, draw: impl Fn(u64) -> f64) -> u64 {
        let end = self.parameters.largest_response_bytes.map_or(LARGEST_RESPONSE_BYTES, |bytes| bytes as f64);
        if self.parameters.largest_response_bytes.is_none() {
            return draw(0).clamp(1.0, end) as u64;
        }
        let within = (0..MOST_DRAWS).map(draw).find(|&bytes| bytes <= end);
        within.unwrap_or(end).max(1.0) as u64
    }

    /// The time between the end of a response and the next request, number `n`, of a connection, which begins
    /// a page or belongs to that before it.
    pub(super) fn gap(&self, begins_page: bool, cloud: Key, connection: Key, n: u64) -> Span {
        let shared = match self.parameters.gaps_drawn_per {
            GapsDrawnPer::Connection => connection,
            GapsDrawnPer::Run => cloud,
        };
        let seconds = if begins_page {
            PAGE_GAP.draw(shared.named("location of page gaps"), connection.named("page gaps"), n)
        } else {
            OBJECT_GAP.draw(shared.named("location of object gaps"), connection.named("object gaps"), n)
        };
        Span::from_seconds(seconds.min(LONGEST_GAP_SECONDS))
    }

    /// How long the server takes for exchange number `n` of a connection.
    pub(super) fn server_time(&self, key: Key, n: u64) -> Span {
        if !self.parameters.server_times {
            return Span::ZERO;
        }
        if let Some(law) = &self.own.server_time {
            return Span::from_seconds(law.draw(key.named("server time"), n));
        }
        let answers_per_second = Weibull { shape: 0.63, scale: 305.0 }.draw(key.named("server time"), n);
        Span::from_seconds(1.0 / answers_per_second.max(SLOWEST_ANSWERS_PER_SECOND))
    }

    /// Whether a connection is persistent.
    pub(super) fn is_persistent(&self, key: Key) -> bool {
        key.named("persistent").uniform(0) < self.parameters.persistent_share
    }

    /// The numbers of objects of the pages of a persistent connection.
    pub(super) fn objects_of_pages(key: Key) -> Vec<u32> {
        let key = key.named("pages");
        let beyond_one = |mean: f64, n: u64| libm::ceil(1.0 - mean * libm::log(1.0 - key.uniform(n))) as u32;
        if key.uniform(0) < 0.82 {
            return vec![beyond_one(1.578, 1).max(2)];
        }
        let objects = |page: u64| {
            if key.uniform(2 * page + 3) < 0.69 { 1 } else { beyond_one(1.578, 2 * page + 4) }
        };
        (0..u64::from(beyond_one(0.417, 2))).map(objects).collect()
    }
}
