//! The packets of a program of the user's own, counted apart from those of the scenario.

use crate::addresses::Half;
use crate::packet::Packet;
use aqmlab_aqm::Codepoint;
use serde::Serialize;

/// Set in what tells flows apart: below it stand a machine, of which there are fewer than 2²³, and its
/// connection.
pub(crate) const GUEST_FLOW: u64 = 1 << 63;

/// What became of packets in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Crossing {
    /// Packets that came to the router.
    pub sent: u64,
    /// Their bytes, with headers of IP.
    pub sent_bytes: u64,
    /// Packets that queues threw away.
    pub discarded: u64,
    /// Packets that were handed over with Congestion Experienced.
    pub marked: u64,
    /// Packets that were handed over.
    pub handed_over: u64,
}

/// Both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Crossings {
    /// What the program sent.
    pub from_command: Crossing,
    /// What came back.
    pub from_server: Crossing,
}

impl Crossings {
    /// That of a packet, if a program of the user's sent it.
    fn of(&mut self, packet: &Packet) -> Option<&mut Crossing> {
        (packet.facts.flow & GUEST_FLOW != 0).then_some(match packet.to {
            Half::Passive => &mut self.from_command,
            Half::Active => &mut self.from_server,
        })
    }

    pub(crate) fn come(&mut self, packet: &Packet) {
        if let Some(crossing) = self.of(packet) {
            crossing.sent += 1;
            crossing.sent_bytes += u64::from(packet.facts.bytes);
        }
    }

    pub(crate) fn discarded(&mut self, packet: &Packet) {
        if let Some(crossing) = self.of(packet) {
            crossing.discarded += 1;
        }
    }

    pub(crate) fn handed_over(&mut self, packet: &Packet) {
        if let Some(crossing) = self.of(packet) {
            crossing.handed_over += 1;
            crossing.marked += u64::from(packet.facts.codepoint == Codepoint::Ce);
        }
    }
}
