//! A threshold of waiting time above which packets are marked, whatever else is decided.
//!
//! Source: Linux `codel_impl.h` (`ce_threshold`, and since 5.15 its selector), tc-fq_codel(8), tc-fq(8).

use crate::aqm::Departing;
use crate::packet::Codepoint;
use crate::parameter_error::{ParameterError, require};
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packets a threshold of marks concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CeThresholdEcn {
    /// All that can be marked (Linux without a selector).
    #[default]
    Any,
    /// Those with ECT(1) (Linux's `ce_threshold_selector 0x1/0x3`).
    Ect1,
}

/// The threshold at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CeThreshold {
    waited: Span,
    ecn: CeThresholdEcn,
}

impl CeThreshold {
    /// The threshold of a scheme's parameters; none where they have none.
    pub(crate) fn new(ms: Option<f64>, ecn: CeThresholdEcn) -> Option<Self> {
        ms.map(|ms| Self { waited: Span::from_seconds(ms / 1e3), ecn })
    }

    pub(crate) fn validate(ms: Option<f64>, ecn: CeThresholdEcn) -> Result<(), ParameterError> {
        let threshold = ms.unwrap_or(1.0);
        require((1e-3..=1e6).contains(&threshold), "ce_threshold_ms", threshold, "from 0.001 to 1e6 ms")?;
        let concerns_something = ms.is_some() || ecn == CeThresholdEcn::Any;
        let legal = "\"any\" without ce_threshold_ms, the threshold that it is about";
        require(concerns_something, "ce_threshold_ecn", "\"ect1\"", legal)
    }

    /// Whether a packet that passes is to be marked.
    pub(crate) fn marks(self, now: Time, packet: &Departing) -> bool {
        let concerned = match self.ecn {
            CeThresholdEcn::Any => packet.facts.codepoint.can_be_marked(),
            CeThresholdEcn::Ect1 => packet.facts.codepoint == Codepoint::Ect1,
        };
        concerned && packet.arrived.is_some_and(|arrived| now.since(arrived) > self.waited)
    }
}
