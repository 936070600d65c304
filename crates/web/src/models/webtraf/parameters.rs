//! What can be set.

use crate::ParameterError;
use crate::parameter_error::within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sessions of ns-2's Webtraf, with a connection per object and no limit on them.
///
/// Absent keys take their defaults: the values of Chung, Claypool and
/// Kinicki 2004 where they print them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebtrafParameters {
    /// Mean time in seconds from the end of a page to the start of the next, exponential; 0.001 to 1e6.
    /// Default 7.
    pub think_time_mean_seconds: f64,
    /// Objects of every page; 1 to 10,000. Default 2.
    pub objects_per_page: u32,
    /// Mean time in seconds from the launch of an object to that of the next, exponential; 0 to 1000, 0
    /// launches all at once. Default 0.01.
    pub object_gap_mean_seconds: f64,
    /// Law of object sizes. Default "pareto".
    pub object_size_law: ObjectSizeLaw,
    /// Mean of that law in bytes; 1 to 1e9. Default 5000.
    pub object_bytes_mean: f64,
    /// Shape of that law, the index of its tail; 1.001 to 100, at 1 there is no mean. Default 1.2.
    pub object_bytes_shape: f64,
    /// Objects are rounded up to whole packets of this size in bytes; 1 to 65,535; 1 does not round. Default
    /// 1000.
    pub packet_bytes: u32,
    /// Length of every request in bytes; 1 to 1e9. Default 1000.
    pub request_bytes: u32,
    /// Number of servers among which a page chooses uniformly; at least 1. Default 8.
    pub server_count: u32,
    /// Mean time in seconds from the beginning of a page to its end, as assumed when users start in steady
    /// state; 0 to 1000. Default 1.
    pub steady_start_page_time_seconds: f64,
}

/// Two laws of one tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectSizeLaw {
    /// From mean × (shape - 1)/shape upwards.
    #[default]
    Pareto,
    /// The same from 0 upwards, with the scale mean × (shape - 1): `ParetoII` of ns-2.
    Lomax,
}

impl Default for WebtrafParameters {
    fn default() -> Self {
        Self {
            think_time_mean_seconds: 7.0,
            objects_per_page: 2,
            object_gap_mean_seconds: 0.01,
            object_size_law: ObjectSizeLaw::Pareto,
            object_bytes_mean: 5000.0,
            object_bytes_shape: 1.2,
            packet_bytes: 1000,
            request_bytes: 1000,
            server_count: 8,
            steady_start_page_time_seconds: 1.0,
        }
    }
}

impl WebtrafParameters {
    /// Whether every number lies in its legal range.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that does not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        within("think_time_mean_seconds", self.think_time_mean_seconds, 0.001, 1e6)?;
        within("objects_per_page", f64::from(self.objects_per_page), 1.0, 10_000.0)?;
        within("object_gap_mean_seconds", self.object_gap_mean_seconds, 0.0, 1000.0)?;
        within("object_bytes_mean", self.object_bytes_mean, 1.0, 1e9)?;
        within("object_bytes_shape", self.object_bytes_shape, 1.001, 100.0)?;
        within("packet_bytes", f64::from(self.packet_bytes), 1.0, 65_535.0)?;
        within("request_bytes", f64::from(self.request_bytes), 1.0, 1e9)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))?;
        within("steady_start_page_time_seconds", self.steady_start_page_time_seconds, 0.0, 1000.0)
    }
}
