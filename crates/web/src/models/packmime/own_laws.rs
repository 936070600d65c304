//! Laws of one's own, from files, in place of PackMime's marginals; what makes numbers depend on those before
//! stays.

use super::parameters::{LARGEST_RESPONSE_BYTES, PackMimeParameters};
use crate::cdf_file::{LEGAL, law_from_file};
use crate::{FileError, LoadFile};
use aqmlab_random::{Law, normal_cumulative};

const LONGEST_REQUEST_BYTES: f64 = 1e9;
const LONGEST_ROUND_TRIP_MS: f64 = 100_000.0;
const LONGEST_SERVER_TIME_SECONDS: f64 = 10_000.0;
const LONGEST_GAP: f64 = 1e12;

/// The laws whose files the parameters name.
#[derive(Clone, Debug)]
pub(super) struct OwnLaws {
    /// With their mean.
    pub(super) gaps: Option<(Law, f64)>,
    pub(super) request: Option<Law>,
    pub(super) response: Option<Law>,
    pub(super) client_round_trip: Option<Law>,
    pub(super) server_round_trip: Option<Law>,
    pub(super) server_time: Option<Law>,
}

impl OwnLaws {
    /// Reads the files.
    pub(super) fn read(parameters: &PackMimeParameters, load_file: &LoadFile<'_>) -> Result<Self, FileError> {
        let read = |key, path, bounds| law_from_file((key, path), bounds, load_file);
        let round_trips = (0.0, LONGEST_ROUND_TRIP_MS);
        let [client, server] =
            [&parameters.client_round_trip_ms_cdf_file, &parameters.server_round_trip_ms_cdf_file];
        let requests = (1.0, LONGEST_REQUEST_BYTES);
        let responses = (1.0, LARGEST_RESPONSE_BYTES);
        let server_times = (0.0, LONGEST_SERVER_TIME_SECONDS);
        Ok(Self {
            gaps: gaps(&parameters.connection_gaps_cdf_file, load_file)?,
            request: read("request_bytes_cdf_file", &parameters.request_bytes_cdf_file, requests)?,
            response: read("response_bytes_cdf_file", &parameters.response_bytes_cdf_file, responses)?,
            client_round_trip: read("client_round_trip_ms_cdf_file", client, round_trips)?,
            server_round_trip: read("server_round_trip_ms_cdf_file", server, round_trips)?,
            server_time: read(
                "server_time_seconds_cdf_file",
                &parameters.server_time_seconds_cdf_file,
                server_times,
            )?,
        })
    }
}

/// The value of a law below which the share of a standard normal number lies.
pub(super) fn at_normal(law: &Law, z: f64) -> f64 {
    law.quantile(normal_cumulative(z).clamp(0.0, 1.0 - f64::EPSILON))
}

/// The gaps, which can be scaled to a rate only if not all of them are 0.
fn gaps(path: &Option<String>, load_file: &LoadFile<'_>) -> Result<Option<(Law, f64)>, FileError> {
    const KEY: &str = "connection_gaps_cdf_file";
    let Some(law) = law_from_file((KEY, path), (0.0, LONGEST_GAP), load_file)? else { return Ok(None) };
    let mean = law.mean();
    if mean > 0.0 {
        return Ok(Some((law, mean)));
    }
    let reason = "all gaps are 0, and cannot be scaled to a rate".to_owned();
    Err(FileError { key: KEY, path: path.clone().unwrap_or_default(), line: None, reason, legal: LEGAL })
}
