//! `think_s` of a group of flows: one number, or a law from which each pause is drawn.

use aqmlab_random::Law;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The pauses between the transfers of one user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ThinkTime {
    /// All the same.
    Same(#[schemars(range(min = 0.0, max = 10_000_000.0))] f64),
    /// Drawn for each transfer: by seed, group and number of the flow, whatever the queues.
    Drawn(ThinkTimeLaw),
}

/// A law of pauses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ThinkTimeLaw {
    /// Exponential.
    Exponential {
        /// The mean.
        #[schemars(range(min = 0.001, max = 10_000_000.0))]
        mean_s: f64,
    },
    /// Lognormal; what exceeds the maximum is drawn again.
    Lognormal {
        /// Half of the pauses are shorter, without the maximum.
        #[schemars(range(min = 0.001, max = 10_000_000.0))]
        median_s: f64,
        /// Standard deviation of the logarithm.
        #[schemars(range(min = 0.01, max = 10.0))]
        sigma: f64,
        /// The longest pause, at least the median.
        #[serde(default = "hour")]
        #[schemars(range(min = 0.001, max = 10_000_000.0))]
        maximum_s: f64,
    },
}

impl ThinkTime {
    /// The law, in seconds; with a maximum below the median there is none.
    pub(crate) fn law(&self) -> Option<Law> {
        Some(match *self {
            Self::Same(pause_s) => Law::Constant(pause_s),
            Self::Drawn(ThinkTimeLaw::Exponential { mean_s }) => Law::Exponential { mean: mean_s },
            Self::Drawn(ThinkTimeLaw::Lognormal { median_s, maximum_s, .. }) if maximum_s < median_s => {
                return None;
            }
            Self::Drawn(ThinkTimeLaw::Lognormal { median_s, sigma, maximum_s }) => {
                Law::Lognormal { median: median_s, sigma, maximum: maximum_s }
            }
        })
    }
}

/// Longer nobody waits for a user.
const fn hour() -> f64 {
    3_600.0
}
