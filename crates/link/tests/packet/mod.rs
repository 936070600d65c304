//! A packet of the tests of links: its facts, and nothing else.

use aqmlab_aqm::{Codepoint, PacketFacts, Queued};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet(pub(crate) PacketFacts);

impl Queued for Packet {
    fn facts(&self) -> PacketFacts {
        self.0
    }

    fn mark(&mut self) {
        self.0.codepoint = Codepoint::Ce;
    }
}
