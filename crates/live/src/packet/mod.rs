//! A packet in the router: its bytes, what is read in them, and what queues know of it.

pub(crate) mod buffer;
pub(crate) mod headers;
pub(crate) mod ping;

use self::buffer::Buffer;
use self::ping::Ping;
use crate::addresses::Half;
use aqmlab_aqm::{Acknowledgement, Codepoint, HeaderFields, PacketFacts, Queued};
use aqmlab_driver::{CountedPacket, Whose};
use aqmlab_session::Side;
use aqmlab_units::Span;
use aqmlab_wire::ReceivedPacket;

/// A packet on its way, as a queue holds it.
pub(crate) struct Packet {
    pub(crate) facts: PacketFacts,
    pub(crate) header: HeaderFields,
    pub(crate) buffer: Buffer,
    pub(crate) whose: Whose,
    /// The half of the network that it goes to.
    pub(crate) to: Half,
    pub(crate) path: u32,
    /// How many stages of its path it has behind it.
    pub(crate) passed: u16,
    /// What is left to be waited for at its own machine.
    pub(crate) delay: Span,
    /// Where it is the router's own.
    pub(crate) ping: Option<Ping>,
}

impl Packet {
    /// What is counted of it.
    pub(crate) fn counted(&self) -> CountedPacket {
        CountedPacket {
            whose: self.whose,
            from: if self.to == Half::Passive { Side::Active } else { Side::Passive },
            ip_bytes: self.facts.bytes,
            is_marked: self.facts.codepoint == Codepoint::Ce,
        }
    }
}

impl Queued for Packet {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        aqmlab_wire::mark(self.buffer.bytes_mut());
        self.facts.codepoint = Codepoint::Ce;
    }

    fn wash(&mut self) {
        aqmlab_wire::wash(self.buffer.bytes_mut());
        self.header.dscp = 0;
    }

    fn header_fields(&self) -> HeaderFields {
        self.header
    }

    fn acknowledgement(&self) -> Option<Acknowledgement> {
        let said = ReceivedPacket::read(self.buffer.bytes()).ok()?.acknowledgement()?;
        let (flags, number) = (said.flags.bits(), said.number);
        let segment = Acknowledgement::of_segment(flags, number, said.timestamps, said.has_more)?;
        Some(said.blocks.into_iter().flatten().fold(segment, Acknowledgement::with_block))
    }
}
