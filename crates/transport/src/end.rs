//! One end of a connection, and what it answers.

use crate::{StreamId, Urgency};
use aqmlab_aqm::Codepoint;
use aqmlab_units::Time;
use dyn_clone::DynClone;

/// One end of a connection over a transport that is not TCP.
///
/// Each call returns at once; what it leads to stands in the [`Answer`]. The driver calls
/// [`TransportEnd::on_timer`] at the latest at [`TransportEnd::deadline`].
pub trait TransportEnd: Send + DynClone {
    /// Opens the connection. Called once, at the end that opens.
    fn connect(&mut self, now: Time, answer: &mut Answer);

    /// The application writes so many bytes on a stream; before the connection is open they wait.
    fn write(&mut self, now: Time, stream: StreamId, bytes: u64, answer: &mut Answer);

    /// The application writes no more on a stream. A transport that has one stream passes over it.
    fn finish(&mut self, now: Time, stream: StreamId, answer: &mut Answer) {
        let _ = (now, stream, answer);
    }

    /// What is written on a stream from now on is so urgent. A transport without priorities passes over it.
    fn prioritize(&mut self, stream: StreamId, urgency: Urgency) {
        let _ = (stream, urgency);
    }

    /// Bytes that were written and never sent, of all streams.
    fn unsent_bytes(&self) -> u64;

    /// The application writes no more.
    fn close(&mut self, now: Time, answer: &mut Answer);

    /// Takes back what was never sent, and closes.
    fn withdraw_and_close(&mut self, now: Time, answer: &mut Answer);

    /// A packet of the other end arrives, with the ECN field that it has now.
    fn on_packet(&mut self, now: Time, payload: &[u8], codepoint: Codepoint, answer: &mut Answer);

    /// The deadline has been reached.
    fn on_timer(&mut self, now: Time, answer: &mut Answer);

    /// When it wants to be called, whatever else happens; `Time::MAX`: not at all. A time that has passed is
    /// now.
    fn deadline(&self) -> Time;
}

dyn_clone::clone_trait_object!(TransportEnd);

/// A packet that an end sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingPacket {
    /// What the other end is handed.
    pub payload: Box<[u8]>,
    /// Length of the IP packet, headers included; at least that of the headers of IPv4 and UDP.
    pub ip_bytes: u16,
    /// With which it leaves.
    pub codepoint: Codepoint,
}

/// What a call of an end leads to. The caller owns it, and clears it before each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Packets to send now, in order.
    pub packets: Vec<OutgoingPacket>,
    /// Bytes that have newly arrived in order, by stream; at least one each.
    pub delivered: Vec<(StreamId, u32)>,
    /// The connection is open: both ends may write.
    pub established: bool,
    /// The other end has closed, and everything that it wrote has been delivered.
    pub peer_closed: bool,
    /// This end is over, well or not: nothing more is asked of it.
    pub finished: bool,
    /// The connection is lost. `finished` is set too.
    pub gave_up: bool,
}

impl Answer {
    /// Empties it for the next call.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.delivered.clear();
        (self.established, self.peer_closed, self.finished, self.gave_up) = (false, false, false, false);
    }
}
