//! `end_after`: a run that ends with a number of exchanges and not with the clock.

use super::Decides;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The run ends as soon as this many exchanges of a population are complete, at the latest at `duration_s`.
/// Those that end before `warm_up_s` do not count. Not together with `cool_down_s`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndAfterTable {
    /// The population; `left` or `right` on a network with sides.
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub population: String,

    /// Its exchanges that end within the measured window.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub exchanges: u64,
}
