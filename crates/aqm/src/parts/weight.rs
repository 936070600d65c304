//! The weight of an average, given as a number or as a time.

use crate::parameter_error::{ParameterError, require_positive, require_share};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The weight of a queue average: a number, or the time constant that it shall have when packets of mean size
/// fill the link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "w_q: expected a number above 0 and at most 1, or { time_constant_s = SECONDS }"
)]
pub enum Weight {
    /// The weight itself, above 0 and at most 1.
    Fixed(f64),
    /// `1 − exp(−1/(τ·C))`, with C the link rate in packets of mean size per second.
    FromLinkRate(TimeConstant),
}

/// The time after which a queue average has covered 63.2 % of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeConstant {
    /// τ in seconds. ns-2's automatic weights are τ = 1 (`q_weight_` 0), ten round-trip times (−1) and 0.1
    /// (−2).
    pub time_constant_s: f64,
}

impl Weight {
    /// The weight at a link that carries `packets_per_second` packets of mean size.
    #[must_use]
    pub fn value(&self, packets_per_second: f64) -> f64 {
        match *self {
            Self::Fixed(weight) => weight,
            Self::FromLinkRate(TimeConstant { time_constant_s }) => {
                -libm::expm1(-1.0 / (time_constant_s * packets_per_second))
            }
        }
    }

    pub(crate) fn validate(&self, key: &'static str) -> Result<(), ParameterError> {
        match *self {
            Self::Fixed(weight) => require_share(key, weight),
            Self::FromLinkRate(TimeConstant { time_constant_s }) => require_positive(key, time_constant_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn automatic_weights_follow_the_link() {
        let one_second = Weight::FromLinkRate(TimeConstant { time_constant_s: 1.0 });
        // 100 Mbit/s and 500-byte packets; 10 Mbit/s and 615; 1.5 Mbit/s and 500.
        for (packets_per_second, weight) in
            [(25_000.0, 3.99992e-5), (1e7 / (8.0 * 615.0), 4.91879e-4), (375.0, 2.66311e-3)]
        {
            let value = one_second.value(packets_per_second);
            assert!((value / weight - 1.0).abs() < 2e-6, "{value} against {weight}");
        }
        assert_eq!(Weight::Fixed(0.002).value(25_000.0), 0.002);
    }
}
