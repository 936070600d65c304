//! What can be set.

use crate::ParameterError;
use crate::parameter_error::within;
use crate::unused::UnusedKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Below this end most of what persistent connections carry would be drawn again and again.
const SMALLEST_END_BYTES: f64 = 1e4;
/// Larger responses have a probability of 10⁻¹² and would be cut.
pub(super) const LARGEST_RESPONSE_BYTES: f64 = 1e15;

/// Clouds of PackMime's clients, whose connections arrive at a rate independent of earlier ones: `count`
/// clouds.
///
/// Absent keys take their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PackMimeParameters {
    /// New connections of a cloud per second; 0.01 to 100,000. Default 20.
    pub connections_per_second: f64,
    /// Share of the connections that carry several exchanges; 0 to 1. Default 0.09.
    pub persistent_share: f64,
    /// Whether each connection has a round-trip time from the model; otherwise `minimum_delay_ms` of its
    /// population. Default true.
    pub round_trip_times: bool,
    /// Whether servers take time to answer; else they answer at once. Default true.
    pub server_times: bool,
    /// Scope of the random location and scale of the gaps between the requests of a connection. Default
    /// "connection".
    pub gaps_drawn_per: GapsDrawnPer,
    /// File of the law of the gaps between arrivals, in any unit: they are scaled to
    /// `connections_per_second`.
    pub connection_gaps_cdf_file: Option<String>,
    /// File of the law of a connection's request length.
    pub request_bytes_cdf_file: Option<String>,
    /// File of the law of response lengths: each response is drawn from it, and there are no runs of
    /// validations.
    pub response_bytes_cdf_file: Option<String>,
    /// Largest response: larger ones are drawn again, which lowers the mean. 10,000 to 10¹⁵; absent: the
    /// law's tail has no end. Not together with `response_bytes_cdf_file`.
    pub largest_response_bytes: Option<u64>,
    /// File of the law of the round-trip time on the clients' side, in milliseconds.
    pub client_round_trip_ms_cdf_file: Option<String>,
    /// File of the law of the round-trip time on the servers' side, in milliseconds.
    pub server_round_trip_ms_cdf_file: Option<String>,
    /// File of the law of the time that a server takes to answer.
    pub server_time_seconds_cdf_file: Option<String>,
    /// Number of servers, which connections take in turn; at least 1. Default 8.
    pub server_count: u32,
}

/// Scope of the random location and scale of the gaps between requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GapsDrawnPer {
    /// Each connection has its own, as those of its responses.
    #[default]
    Connection,
    /// All connections of a run have the same, as in ns-2.
    Run,
}

impl Default for PackMimeParameters {
    fn default() -> Self {
        Self {
            connections_per_second: 20.0,
            persistent_share: 0.09,
            round_trip_times: true,
            server_times: true,
            gaps_drawn_per: GapsDrawnPer::Connection,
            connection_gaps_cdf_file: None,
            request_bytes_cdf_file: None,
            response_bytes_cdf_file: None,
            largest_response_bytes: None,
            client_round_trip_ms_cdf_file: None,
            server_round_trip_ms_cdf_file: None,
            server_time_seconds_cdf_file: None,
            server_count: 8,
        }
    }
}

impl PackMimeParameters {
    /// Whether every number lies in its legal range.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that does not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        within("connections_per_second", self.connections_per_second, 0.01, 100_000.0)?;
        within("persistent_share", self.persistent_share, 0.0, 1.0)?;
        if let Some(bytes) = self.largest_response_bytes {
            within("largest_response_bytes", bytes as f64, SMALLEST_END_BYTES, LARGEST_RESPONSE_BYTES)?;
        }
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))
    }

    /// An end of a law that a file has replaced.
    pub(super) fn end_of_replaced_law(&self) -> Option<UnusedKey> {
        (self.largest_response_bytes.is_some() && self.response_bytes_cdf_file.is_some()).then(|| {
            let (key, file) = ("largest_response_bytes", "response_bytes_cdf_file");
            UnusedKey::of_model(key, format!("{file} goes before it"), format!("{key} without {file}"))
        })
    }

    /// Files of laws that a switch turns off.
    pub(super) fn files_that_nothing_is_drawn_from(&self) -> impl Iterator<Item = UnusedKey> {
        let (round_trips, server_times) = (self.round_trip_times, self.server_times);
        let files = [
            (
                "client_round_trip_ms_cdf_file",
                &self.client_round_trip_ms_cdf_file,
                round_trips,
                "round_trip_times",
            ),
            (
                "server_round_trip_ms_cdf_file",
                &self.server_round_trip_ms_cdf_file,
                round_trips,
                "round_trip_times",
            ),
            (
                "server_time_seconds_cdf_file",
                &self.server_time_seconds_cdf_file,
                server_times,
                "server_times",
            ),
        ];
        let unused = files.into_iter().filter(|(_, file, used, _)| file.is_some() && !used);
        unused.map(|(key, _, _, switch)| {
            let wrong = format!("{switch} = false turns them off");
            UnusedKey::of_model(key, wrong, format!("{key} together with {switch} = true"))
        })
    }
}
