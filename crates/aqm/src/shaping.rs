//! What a shaper is told.

use crate::line_coding::LinkLayer;
use aqmlab_units::Rate;

/// What a shaper is told: its rate, how the line behind it frames packets, and what may leave at once after
/// a pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaping {
    /// Rate, of bytes as `link_layer` counts them.
    pub rate: Rate,
    /// What each packet counts.
    pub link_layer: LinkLayer,
    /// Bytes that may leave at once after a pause, beyond the first packet.
    pub burst_bytes: u32,
}
