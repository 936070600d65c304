//! A packet with an identity, for following it through a port.

use aqmlab_aqm::{Acknowledgement, Codepoint, HeaderFields, PacketClass, PacketFacts, Queued};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestPacket {
    pub(crate) id: u64,
    pub(crate) facts: PacketFacts,
    pub(crate) dscp: u8,
    pub(crate) acknowledgement: Option<Acknowledgement>,
}

impl TestPacket {
    pub(crate) fn data(id: u64, bytes: u32, codepoint: Codepoint) -> Self {
        let facts = PacketFacts { flow: 1, bytes, codepoint, class: PacketClass::Data };
        Self { id, facts, dscp: 0, acknowledgement: None }
    }
}

impl Queued for TestPacket {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
    }

    fn wash(&mut self) {
        self.dscp = 0;
    }

    fn header_fields(&self) -> HeaderFields {
        HeaderFields { dscp: self.dscp, ..HeaderFields::of_flow(self.facts.flow) }
    }

    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.acknowledgement
    }
}
