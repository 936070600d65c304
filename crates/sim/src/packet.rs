//! A packet under way: a small record that is copied, never shared.

use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Queued};
use aqmlab_tcp::{Flags, Segment, SequenceNumber};

/// Which end of a connection: the one that opened it, or the one that was opened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Active = 0,
    Passive = 1,
}

impl Side {
    #[inline]
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Active => Self::Passive,
            Self::Passive => Self::Active,
        }
    }
}

const FROM_PASSIVE: u8 = 1;
const ECN_CAPABLE: u8 = 2;
const CONGESTION_EXPERIENCED: u8 = 4;
/// The packet class stands above the flags: it is asked for at every queue and never changes.
const CLASS_SHIFT: u32 = 3;

/// A TCP segment in its IP packet: 24 bytes, aligned so that it is copied as three words and never in parts that
/// a processor would have to put together again.
#[derive(Clone, Copy, Debug)]
#[repr(align(8))]
pub(crate) struct Packet {
    pub(crate) connection: u32,
    sequence: SequenceNumber,
    acknowledgement: SequenceNumber,
    pub(crate) ip_bytes: u16,
    payload: u16,
    /// Connections are stored in reused places; the generation tells a packet of an earlier tenant.
    pub(crate) generation: u16,
    /// Node where this packet leaves the network.
    pub(crate) destination: u16,
    /// Node where it arrives next, while it is under way by itself.
    pub(crate) at: u16,
    flags: Flags,
    bits: u8,
}

/// Where a packet belongs and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) connection: u32,
    pub(crate) generation: u16,
    pub(crate) from: Side,
    pub(crate) destination: u16,
    /// Where it arrives after the delay of its own, if it has one.
    pub(crate) at: u16,
}

impl Packet {
    #[inline]
    pub(crate) fn new(segment: &Segment, ip_bytes: u16, address: Address) -> Self {
        let from = if address.from == Side::Passive { FROM_PASSIVE } else { 0 };
        let capable = if segment.ect { ECN_CAPABLE } else { 0 };
        Self {
            connection: address.connection,
            sequence: segment.sequence,
            acknowledgement: segment.acknowledgement,
            ip_bytes,
            payload: segment.payload,
            generation: address.generation,
            destination: address.destination,
            at: address.at,
            flags: segment.flags,
            bits: from | capable | (class_of(segment).index() as u8) << CLASS_SHIFT,
        }
    }

    #[inline]
    pub(crate) const fn segment(&self) -> Segment {
        Segment {
            sequence: self.sequence,
            acknowledgement: self.acknowledgement,
            payload: self.payload,
            flags: self.flags,
            ect: self.bits & ECN_CAPABLE != 0,
        }
    }

    /// The end that sent it.
    #[inline]
    pub(crate) const fn from(&self) -> Side {
        if self.bits & FROM_PASSIVE == 0 { Side::Active } else { Side::Passive }
    }

    #[inline]
    pub(crate) const fn is_marked(&self) -> bool {
        self.bits & CONGESTION_EXPERIENCED != 0
    }

    #[inline]
    pub(crate) const fn class(&self) -> PacketClass {
        PacketClass::ALL[(self.bits >> CLASS_SHIFT) as usize]
    }

    #[inline]
    pub(crate) const fn codepoint(&self) -> Codepoint {
        const BY_BITS: [Codepoint; 4] = [Codepoint::NotEct, Codepoint::Ect0, Codepoint::Ce, Codepoint::Ce];
        BY_BITS[((self.bits / ECN_CAPABLE) & 3) as usize]
    }
}

#[inline]
fn class_of(segment: &Segment) -> PacketClass {
    if segment.payload > 0 {
        PacketClass::Data
    } else if segment.flags.contains(Flags::SYN) {
        if segment.flags.contains(Flags::ACK) { PacketClass::SynAck } else { PacketClass::Syn }
    } else if segment.flags.contains(Flags::FIN) {
        PacketClass::Fin
    } else if segment.flags.contains(Flags::RST) {
        PacketClass::Reset
    } else {
        PacketClass::PureAck
    }
}

impl Queued for Packet {
    #[inline]
    fn facts(&self) -> PacketFacts {
        PacketFacts {
            flow: u64::from(self.connection) << 17
                | u64::from(self.generation) << 1
                | u64::from(self.bits & FROM_PASSIVE),
            bytes: u32::from(self.ip_bytes),
            codepoint: self.codepoint(),
            class: self.class(),
        }
    }

    #[inline]
    fn mark(&mut self) {
        self.bits |= CONGESTION_EXPERIENCED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_small() {
        assert_eq!(size_of::<Packet>(), 24);
    }
}
