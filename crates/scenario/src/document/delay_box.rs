//! `delay_box`: what the packets of each connection meet at the routers that its two ends hang on.

use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bottleneck rate and loss of a connection, as in a DelayBox: drawn once when it opens, for the packets of
/// either end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayBoxTable {
    /// The rate at which the packets of either end pass one after the other, counted in bytes of IP; absent:
    /// at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_mbps: Option<BoxRate>,

    /// Probability that a packet is lost, 0 to 1; absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_probability: Option<BoxLoss>,
}

/// A bottleneck rate: one for all connections, or a law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BoxRate {
    /// The same for every connection.
    Same(#[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))] f64),
    /// Drawn for each connection.
    Drawn(BoxRateRange),
}

/// Rates from `low` to `high`, uniform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxRateRange {
    /// The lowest.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub low: f64,
    /// The highest.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub high: f64,
}

/// A probability of loss: one for all connections, or a law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BoxLoss {
    /// The same for every connection.
    Same(#[schemars(range(min = 0.0, max = 1.0))] f64),
    /// Drawn for each connection.
    Drawn(BoxLossRange),
}

/// Probabilities from `low` to `high`, uniform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxLossRange {
    /// The lowest.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub low: f64,
    /// The highest.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub high: f64,
}

impl BoxRate {
    /// The lowest and the highest.
    pub(crate) const fn range(self) -> [f64; 2] {
        match self {
            Self::Same(rate) => [rate, rate],
            Self::Drawn(BoxRateRange { low, high }) => [low, high],
        }
    }
}

impl BoxLoss {
    /// The lowest and the highest.
    pub(crate) const fn range(self) -> [f64; 2] {
        match self {
            Self::Same(probability) => [probability, probability],
            Self::Drawn(BoxLossRange { low, high }) => [low, high],
        }
    }
}
