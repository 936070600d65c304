//! Editions of Google's congestion control: which text a call follows, and all numbers in which the texts
//! differ.
//!
//! Beside TCP the answer turns on two of them, how fast the threshold of the delay follows what it is
//! compared with: libwebrtc's comes down within a second, so that a queue that others fill is over-use again
//! and again and the call gives way; the draft's stays up for minutes, and the call holds on.

use aqmlab_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The text of Google's congestion control that a call follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GccEdition {
    /// What browsers ship: libwebrtc since 2016.
    #[default]
    #[serde(rename = "libwebrtc")]
    Libwebrtc,
    /// The IETF's text of July 2016, with the values it recommends.
    #[serde(rename = "draft-ietf-rmcat-gcc-02")]
    Draft02,
}

/// The numbers in which the editions differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Constants {
    /// K_u and K_d: of the way to what is above the threshold, or below it, that it goes in a millisecond.
    pub(super) adapts_up: f64,
    pub(super) adapts_down: f64,
    /// A group of packets that were held up together is shorter than this.
    pub(super) longest_group: Span,
    /// The rate is lowered again after a round trip, but not sooner or later than these seconds.
    pub(super) lowered_again_s: [f64; 2],
    /// Near the capacity the rate grows by so many bit/s each second at least.
    pub(super) least_growth_bps: f64,
    /// And by so many bit/s with each report.
    pub(super) least_step_bps: f64,
    /// A report lets it grow for so many response times at most.
    pub(super) most_responses: f64,
    /// The rate grows up to 1.5 R and so many bit/s.
    pub(super) beyond_received_bps: f64,
    /// Where few packets are lost the rate that losses allow grows by this factor.
    pub(super) growth_without_losses: f64,
}

/// Longer than any run.
const NEVER: Span = Span::from_nanoseconds(1 << 62);

impl GccEdition {
    /// | number | libwebrtc | its file | the draft | its section |
    /// | --- | --- | --- | --- | --- |
    /// | threshold follows upwards, per ms | 0.0087 | trendline_estimator.cc | 0.01 | 5.4 |
    /// | downwards | 0.039 | the same | 0.00018 | 5.4 |
    /// | longest group | 100 ms | inter_arrival_delta.cc | none | 5.2 |
    /// | from one decrease to the next | round trip, 10 to 200 ms | aimd_rate_control.cc | each report | 5.5 |
    /// | least growth near the capacity | 4 kbit/s a second | the same | 1 kbit/s a report | 5.5 |
    /// | growth of one report | of any time | the same | of one response time | 5.5 |
    /// | bound of the growth | 1.5 R + 10 kbit/s | the same | 1.5 R | 5.5 |
    /// | without losses, a second | 8 % | send_side_bandwidth_estimation.cc | 5 % | 6 |
    pub(super) const fn constants(self) -> Constants {
        match self {
            Self::Libwebrtc => Constants {
                adapts_up: 0.0087,
                adapts_down: 0.039,
                longest_group: Span::from_milliseconds(100),
                lowered_again_s: [0.01, 0.2],
                least_growth_bps: 4000.0,
                least_step_bps: 0.0,
                most_responses: f64::INFINITY,
                beyond_received_bps: 10_000.0,
                growth_without_losses: 1.08,
            },
            Self::Draft02 => Constants {
                adapts_up: 0.01,
                adapts_down: 0.000_18,
                longest_group: NEVER,
                lowered_again_s: [0.0, 0.0],
                least_growth_bps: 0.0,
                least_step_bps: 1000.0,
                most_responses: 1.0,
                beyond_received_bps: 0.0,
                growth_without_losses: 1.05,
            },
        }
    }
}
