//! What the link layer adds to an IP datagram.

use aqmlab_aqm::parts::{LineCoding, LinkLayer};

/// Bytes that a datagram costs on a link beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Header and check sequence: counted in frame bytes.
    pub overhead_bytes: u32,
    /// The shortest frame; shorter ones are padded to it.
    pub minimum_frame_bytes: u32,
    /// Preamble and gap between frames: take time on the wire, are not counted in frame bytes.
    pub gap_bytes: u32,
    /// What the line makes of all that: cells or blocks, which take time, and are not counted in frame bytes.
    pub coding: LineCoding,
}

impl Framing {
    /// IP datagrams alone.
    pub const NONE: Self =
        Self { overhead_bytes: 0, minimum_frame_bytes: 0, gap_bytes: 0, coding: LineCoding::None };

    /// What a shaper counts, as frames; an overhead below zero is none here.
    #[must_use]
    pub fn of_link_layer(link_layer: LinkLayer) -> Self {
        let LinkLayer { overhead_bytes, minimum_frame_bytes, coding } = link_layer;
        let overhead_bytes = u32::try_from(overhead_bytes).unwrap_or(0);
        Self { overhead_bytes, minimum_frame_bytes, gap_bytes: 0, coding }
    }

    /// Bytes of the frame that carries a datagram of `ip_bytes`: what a link's throughput counts.
    #[must_use]
    #[inline]
    pub const fn frame_bytes(self, ip_bytes: u32) -> u32 {
        let framed = ip_bytes + self.overhead_bytes;
        if framed < self.minimum_frame_bytes { self.minimum_frame_bytes } else { framed }
    }

    /// Bytes whose transmission time a datagram of `ip_bytes` takes: its frame, the preamble and the gap, as
    /// the line codes them.
    #[must_use]
    #[inline]
    pub const fn wire_bytes(self, ip_bytes: u32) -> u32 {
        self.coding.bytes(self.frame_bytes(ip_bytes) + self.gap_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 802.3: 14 bytes of header and 4 of check sequence, 64 at least, 8 of preamble and 12 of gap.
    const ETHERNET: Framing =
        Framing { overhead_bytes: 18, minimum_frame_bytes: 64, gap_bytes: 20, ..Framing::NONE };

    #[test]
    fn a_full_datagram_is_a_frame_of_1518_bytes_and_1538_on_the_wire() {
        assert_eq!(ETHERNET.frame_bytes(1500), 1518);
        assert_eq!(ETHERNET.wire_bytes(1500), 1538);
    }

    #[test]
    fn a_short_datagram_is_padded_to_the_minimum_frame() {
        assert_eq!(ETHERNET.frame_bytes(40), 64);
        assert_eq!(ETHERNET.wire_bytes(40), 84);
        assert_eq!(ETHERNET.frame_bytes(46), 64);
        assert_eq!(ETHERNET.frame_bytes(47), 65);
    }

    /// AAL5 (ITU-T I.363.5) under PPPoE, 40 bytes a packet: 1,500 bytes fill 33 cells of 53.
    #[test]
    fn cells_take_time_and_are_no_bytes_of_the_frame() {
        let adsl = Framing { overhead_bytes: 40, coding: LineCoding::Atm, ..Framing::NONE };
        assert_eq!((adsl.frame_bytes(1500), adsl.wire_bytes(1500)), (1540, 33 * 53));
    }
}
