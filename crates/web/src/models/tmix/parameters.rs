//! What can be set.

use crate::ParameterError;
use crate::parameter_error::within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Connections of a trace, as a file of Tmix's connection vectors describes them: `count` copies of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TmixParameters {
    /// File of connection vectors, in the original form or the alternate one.
    pub vectors_file: String,
    /// Probability that each vector is replayed; 0 to 1. Default 1.
    #[serde(default = "whole")]
    pub kept_share: f64,
    /// Whether each connection has the round-trip time of its vector; otherwise `minimum_delay_ms` of its
    /// population. Default true.
    #[serde(default = "yes")]
    pub round_trip_times: bool,
    /// Number of servers, which connections take in turn; at least 1. Default 8.
    #[serde(default = "servers")]
    pub server_count: u32,
}

const fn whole() -> f64 {
    1.0
}

const fn yes() -> bool {
    true
}

const fn servers() -> u32 {
    8
}

impl Default for TmixParameters {
    /// The replay of a file that has no name yet.
    fn default() -> Self {
        Self::of_file(String::new())
    }
}

impl TmixParameters {
    /// The replay of a file, with every other parameter at its default.
    #[must_use]
    pub const fn of_file(vectors_file: String) -> Self {
        Self { vectors_file, kept_share: whole(), round_trip_times: yes(), server_count: servers() }
    }

    /// Whether every number lies in its legal range.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that does not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        within("kept_share", self.kept_share, 0.0, 1.0)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))
    }
}
