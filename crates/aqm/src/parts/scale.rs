//! Probabilities that depend on a packet's size.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a scheme's probability applies to a single packet. RFC 7141 (BCP 41) advises against anything but
/// `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScaleProbability {
    /// The same for every packet.
    #[default]
    None,
    /// Times the packet's bytes over `mean_packet_bytes`, at most 1 (ns-2, ns-3).
    Mean,
    /// Times the packet's bytes over `max_packet_bytes`, at most 1 (Floyd and Jacobson 1993).
    Max,
}

/// The scaling with its reference sizes.
#[derive(Clone, Copy, Debug)]
pub struct PacketScale {
    /// Which reference, if any.
    pub mode: ScaleProbability,
    /// Length of a mean packet.
    pub mean_packet_bytes: u32,
    /// Length of the largest packet.
    pub max_packet_bytes: u32,
}

impl PacketScale {
    /// The probability for a packet of `bytes` when that of a reference packet is `probability`.
    #[must_use]
    #[inline]
    pub fn apply(&self, probability: f64, bytes: u32) -> f64 {
        let reference = match self.mode {
            ScaleProbability::None => return probability,
            ScaleProbability::Mean => self.mean_packet_bytes,
            ScaleProbability::Max => self.max_packet_bytes,
        };
        (probability * f64::from(bytes) / f64::from(reference)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_is_selected_25_times_less_often_than_a_mean_packet() {
        let scale =
            PacketScale { mode: ScaleProbability::Mean, mean_packet_bytes: 1000, max_packet_bytes: 1500 };
        assert_eq!(scale.apply(0.1, 40), 0.004);
        assert_eq!(scale.apply(0.8, 1500), 1.0, "capped");
        assert_eq!(PacketScale { mode: ScaleProbability::Max, ..scale }.apply(0.1, 1500), 0.1);
        assert_eq!(PacketScale { mode: ScaleProbability::None, ..scale }.apply(0.1, 40), 0.1);
    }
}
