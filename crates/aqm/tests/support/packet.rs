//! A packet with an identity, for following it through a port.

use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Queued};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestPacket {
    pub(crate) id: u64,
    pub(crate) facts: PacketFacts,
}

impl TestPacket {
    pub(crate) fn data(id: u64, bytes: u32, codepoint: Codepoint) -> Self {
        Self { id, facts: PacketFacts { flow: 1, bytes, codepoint, class: PacketClass::Data } }
    }
}

impl Queued for TestPacket {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
    }
}
