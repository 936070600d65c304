//! `shaper` of a link: what leaves its queue is held to a rate below the link's.

use super::Decides;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use aqmlab_aqm::parts::{LineCoding, LinkLayer, Shaping};
use aqmlab_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shaper in front of a link, as a router has it whose own link is faster than the line behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShaperTable {
    /// Rate of what leaves the queue, in bytes as the shaper counts them.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub rate_mbps: f64,

    /// Bytes that it counts with each packet beside its IP length; may be negative.
    #[serde(default)]
    #[schemars(range(min = -64, max = 256))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub overhead_bytes: i32,

    /// The shortest frame as it counts it.
    #[serde(default)]
    #[schemars(range(max = 256))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub minimum_frame_bytes: u32,

    /// What it takes the line to make of frames: whole ATM cells, PTM, or nothing.
    #[serde(default, skip_serializing_if = "LineCoding::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub framing: LineCoding,

    /// Bytes that may leave at once after a pause, beyond the first packet.
    #[serde(default)]
    #[schemars(range(max = 10_000_000))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub burst_bytes: u32,
}

impl ShaperTable {
    /// What the port is told.
    pub(crate) fn shaping(&self) -> Shaping {
        Shaping {
            rate: Rate::from_megabits_per_second(self.rate_mbps),
            link_layer: LinkLayer {
                overhead_bytes: self.overhead_bytes,
                minimum_frame_bytes: self.minimum_frame_bytes,
                coding: self.framing,
            },
            burst_bytes: self.burst_bytes,
        }
    }
}
