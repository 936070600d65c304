//! `bytes` of a group of flows: one number, or a law from which each flow draws.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bytes of data of the flows of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TransferBytes {
    /// The same for every flow.
    Same(#[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))] u64),
    /// Drawn for each flow: by seed, group and number of the flow, whatever the queues.
    Drawn(TransferSizeLaw),
}

/// A law of sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TransferSizeLaw {
    /// Lognormal; what exceeds the maximum is drawn again.
    Lognormal {
        /// Half of the sizes are less, without the maximum.
        #[schemars(range(min = 1.0, max = 1e15))]
        median_bytes: f64,
        /// Standard deviation of the logarithm.
        #[schemars(range(min = 0.01, max = 10.0))]
        sigma: f64,
        /// The largest size, at least the median.
        #[serde(default = "largest")]
        #[schemars(range(min = 1.0, max = 1e15))]
        maximum_bytes: f64,
    },
    /// Pareto; what exceeds the maximum is drawn again.
    Pareto {
        /// The mean, without the maximum.
        #[schemars(range(min = 1.0, max = 1e15))]
        mean_bytes: f64,
        /// Index of the tail; the least size is mean (shape - 1) / shape.
        #[schemars(range(min = 1.01, max = 10.0))]
        shape: f64,
        /// The largest size, above the least.
        #[serde(default = "largest")]
        #[schemars(range(min = 1.0, max = 1e15))]
        maximum_bytes: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        #[schemars(range(min = 1.0, max = 1e12))]
        mean_bytes: f64,
    },
    /// That of a file.
    Empirical {
        /// Lines of a size in bytes and its cumulative share.
        cdf_file: String,
    },
}

/// A gigabyte, as of the responses of the SIGCOMM 2003 study.
const fn largest() -> f64 {
    1e9
}
