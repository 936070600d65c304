//! `video` of `[[datagrams]]`: frames that come at a constant rate and have the sizes of their kinds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A video in groups of pictures, as in MPEG-1: frames at a constant rate with sizes in a repeating pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VideoTable {
    /// Frames per second.
    #[schemars(range(min = 0.001, max = 100_000.0))]
    pub frames_hz: f64,

    /// Kinds of the frames of a group of pictures in the order in which they are sent: I, P and B.
    #[schemars(length(min = 1, max = 1000))]
    pub pattern: String,

    /// Mean length of an intra-coded frame, without packet headers.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub i_frame_bytes: u32,

    /// Mean length of a frame predicted from an earlier one.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub p_frame_bytes: u32,

    /// Mean length of a frame predicted from earlier and later ones.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub b_frame_bytes: u32,

    /// Coefficient of variation of the lengths of one kind, lognormal; 0: constant.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub variation: f64,

    /// When the packets of a frame leave.
    pub spacing: FrameSpacing,
}

/// When the packets of a frame leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameSpacing {
    /// All with the frame, one after the other at the rate of the machine's interface.
    #[default]
    Burst,
    /// Evenly over the time until the next frame.
    Even,
}

impl Default for VideoTable {
    /// A typical MPEG-1 trace as Chung, Claypool and Kinicki 2004 (section 5.4) describe it: 1.04 Mbit/s of
    /// frames.
    fn default() -> Self {
        Self {
            frames_hz: 30.0,
            pattern: "IBBPBBPBB".to_owned(),
            i_frame_bytes: 11_000,
            p_frame_bytes: 8000,
            b_frame_bytes: 2000,
            variation: 0.0,
            spacing: FrameSpacing::Burst,
        }
    }
}
