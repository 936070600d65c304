//! The trait of a scheduler: which of several queues an arrival joins, and which one the link is offered next.

use crate::header::HeaderFields;
use crate::packet::PacketFacts;

/// Lengths of the queues that a scheduler serves.
pub trait Backlogs {
    /// How many queues there are.
    fn queues(&self) -> usize;
    /// How many packets wait in a queue.
    fn packets(&self, queue: usize) -> u32;
    /// How many bytes wait in a queue.
    fn bytes(&self, queue: usize) -> u64;
}

/// An end of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where packets leave: those that have waited longest.
    Head,
    /// Where packets arrive.
    Tail,
}

/// Packets to discard to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// The queue to take them from; at least one packet waits there.
    pub queue: usize,
    /// The end to take them from.
    pub end: End,
    /// So many at most, at least 1.
    pub most_packets: u32,
    /// No more than it takes to reach so many bytes.
    pub enough_bytes: u64,
}

/// Sorts arrivals into queues, and says which queue is served. It sees lengths, never packets: the port moves these,
/// and asks the scheme of the queue about each.
pub trait Scheduler: Send {
    /// The queue of an arrival.
    fn classify(&mut self, packet: &PacketFacts, header: &HeaderFields, queues: &dyn Backlogs) -> usize;

    /// A packet was queued.
    fn on_queued(&mut self, queue: usize, packet: &PacketFacts);

    /// The queue whose turn it is; none only when nothing waits in any.
    fn next(&mut self, queues: &dyn Backlogs) -> Option<usize>;

    /// The queue whose turn it was has sent a packet of so many bytes.
    fn on_sent(&mut self, queue: usize, bytes: u32);

    /// The queue whose turn it was had nothing to send, or nothing that its scheme let pass.
    fn on_empty(&mut self, queue: usize);

    /// Whether it is asked again for each packet that the scheme of a queue discards on departure; otherwise the queue goes
    /// on to its next packet.
    fn asks_again_after_discard(&self) -> bool {
        false
    }

    /// The buffer that all queues share is exceeded: what is to be discarded. Asked again until it is not. At least
    /// one packet waits.
    fn victim(&mut self, queues: &dyn Backlogs) -> Victim;

    /// Reports names (with their unit, where there is one) and values of the state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }
}
