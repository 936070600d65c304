//! `adaptive_video` of `[[datagrams]]`: a video call whose bit rate adapts.

use crate::GccEdition;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video call as browsers make it: its bit rate follows Google's congestion control (GCC), from delays and
/// losses that its receiver reports; lost packets are sent again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveVideoTable {
    /// The least bit rate, of IP packets.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub minimum_mbps: f64,

    /// The greatest: that of the best picture the call has.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub maximum_mbps: f64,

    /// The bit rate at the beginning; absent: the greatest, as of a call that has had room so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub start_mbps: Option<f64>,

    /// Frames per second.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub frames_hz: f64,

    /// Coefficient of variation of the lengths of frames at one bit rate, lognormal; 0: constant.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub variation: f64,

    /// The text of the congestion control that is followed: what browsers ship, or the IETF's. Beside TCP
    /// they differ several-fold.
    pub edition: GccEdition,

    /// Time from one report of the receiver to the next.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    pub feedback_ms: f64,
}

impl Default for AdaptiveVideoTable {
    /// 720p at 30 frames a second: up to 2.5 Mbit/s; reports every 50 ms, as libwebrtc sends them where they
    /// are less than 5 % of the bit rate.
    fn default() -> Self {
        Self {
            minimum_mbps: 0.1,
            maximum_mbps: 2.5,
            start_mbps: None,
            frames_hz: 30.0,
            variation: 0.1,
            edition: GccEdition::Libwebrtc,
            feedback_ms: 50.0,
        }
    }
}
