//! What a line's coding makes of frames: cells, and bytes between blocks.
//!
//! Sources: ITU-T I.363.5 (AAL5: a frame fills whole cells of 48 bytes, each sent as 53); IEEE 802.3 clause
//! 61.3.3 (PTM, 64/65-octet encapsulation: a byte before each 64). Both as Linux `sch_cake.c` and tc-stab(8)
//! count them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a line codes frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineCoding {
    /// As they are.
    #[default]
    None,
    /// In whole ATM cells: 53 bytes for each 48, the last one filled up.
    Atm,
    /// In PTM: 65 bytes for each 64, or what is left of 64.
    Ptm,
}

impl LineCoding {
    /// Bytes on the line for a frame of so many.
    #[must_use]
    #[inline(always)]
    pub const fn bytes(self, frame_bytes: u32) -> u32 {
        match self {
            Self::None => frame_bytes,
            Self::Atm => frame_bytes.div_ceil(48) * 53,
            Self::Ptm => frame_bytes + frame_bytes.div_ceil(64),
        }
    }

    /// Whether it is the plain one, which need not be written.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// How a shaper counts packets: as the line behind it, if it is told how that one frames them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkLayer {
    /// Bytes of each frame beside its IP packet; negative where the length that the shaper is told is longer
    /// than what the line carries.
    pub overhead_bytes: i32,
    /// The shortest frame.
    pub minimum_frame_bytes: u32,
    /// What the line makes of frames.
    pub coding: LineCoding,
}

impl LinkLayer {
    /// Bytes on the line for an IP packet of so many.
    #[must_use]
    #[inline(always)]
    pub const fn bytes(self, ip_bytes: u32) -> u32 {
        let framed = ip_bytes.saturating_add_signed(self.overhead_bytes);
        let frame = if framed < self.minimum_frame_bytes { self.minimum_frame_bytes } else { framed };
        self.coding.bytes(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of tc-stab(8): 1,492 bytes of IP in PPPoE over bridged Ethernet in AAL5 are 1,532 bytes
    /// (40 of overhead), 32 cells of 48, 1,696 bytes. A bare acknowledgement of 40 bytes fills two cells.
    #[test]
    fn a_frame_fills_whole_cells() {
        let pppoe = LinkLayer { overhead_bytes: 40, minimum_frame_bytes: 0, coding: LineCoding::Atm };
        assert_eq!([1492, 40].map(|ip| pppoe.bytes(ip)), [32 * 53, 2 * 53]);
        assert_eq!([1, 48, 49, 96].map(|frame| LineCoding::Atm.bytes(frame)), [53, 53, 106, 106]);
    }

    #[test]
    fn ptm_adds_a_byte_to_each_64_or_what_is_left() {
        assert_eq!([1, 64, 65, 128].map(|frame| LineCoding::Ptm.bytes(frame)), [2, 65, 67, 130]);
    }

    #[test]
    fn frames_have_a_least_length_and_an_overhead_may_be_negative() {
        let docsis = LinkLayer { overhead_bytes: 18, minimum_frame_bytes: 64, coding: LineCoding::None };
        assert_eq!([40, 46, 47].map(|ip| docsis.bytes(ip)), [64, 64, 65]);
        assert_eq!(LinkLayer { overhead_bytes: -10, ..LinkLayer::default() }.bytes(100), 90);
        assert_eq!(LinkLayer { overhead_bytes: -64, ..LinkLayer::default() }.bytes(28), 0);
    }
}
