//! Keys of what varies on a link: files of conditions and traces, and reconfigurations.

use super::Decides;
use aqmlab_link::RateTrace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The way of a line whose columns a link takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionsWay {
    /// `down_mbps`.
    Down,
    /// `up_mbps`.
    Up,
}

/// What comes behind the last row of a file of conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionsEnd {
    /// The first row again: the last one holds as long as the one before it.
    #[default]
    Repeat,
    /// The last row, for good.
    Hold,
}

impl ConditionsEnd {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(crate) const fn is_repeat(&self) -> bool {
        matches!(self, Self::Repeat)
    }
}

/// One file, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TraceFiles {
    /// One file.
    One(String),
    /// Several files, which follow one another.
    Several(#[schemars(length(min = 1))] Vec<String>),
}

impl TraceFiles {
    /// The mean rate of all traces together; none where a text is not there or not legal, which is told
    /// elsewhere.
    pub(super) fn mean_mbps(&self, files: &BTreeMap<String, String>) -> Option<f64> {
        let texts = self.names().iter().map(|name| RateTrace::parse(files.get(name)?).ok());
        let traces: Vec<RateTrace> = texts.collect::<Option<_>>()?;
        let mean = RateTrace::in_a_row(&traces)?.mean_rate();
        Some(mean.bits_per_second() as f64 / 1e6)
    }

    /// Their names, in order.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// Rates and delay that are drawn anew at each reconfiguration of a satellite network, both ways at the same
/// instants: whole multiples of the interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconfigurations {
    /// Time from one reconfiguration to the next.
    #[serde(default = "fifteen")]
    #[schemars(range(min = 0.1, max = 100.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interval_s: f64,

    /// Standard deviation of a way's rate over its mean, log-normal, each way by itself; 0: the rates stay.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_variation: f64,

    /// Standard deviation of a way's delay, normal, each way by itself; 0: the delay stays.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_deviation_ms: f64,
}

const fn fifteen() -> f64 {
    15.0
}
