//! Whether a sender answers marks by their share: a setting of hosts that congestion controllers heed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a BBR sender answers marks by their share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AnswersMarks {
    /// Not at all.
    #[serde(rename = "never")]
    Never,
    /// As soon as a round trip has taken 5 ms or less.
    #[serde(rename = "up-to-5-ms")]
    UpTo5Ms,
    /// Whatever the round trip.
    #[serde(rename = "always")]
    Always,
}

impl AnswersMarks {
    /// Its name in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::UpTo5Ms => "up-to-5-ms",
            Self::Always => "always",
        }
    }
}
