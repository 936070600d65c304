//! What a scheme may see of the queue.

use crate::limit::Room;
use crate::packet::PacketFacts;
use aqmlab_units::Time;

/// Access to waiting packets by position, whatever they are made of.
pub(crate) trait Waiting {
    fn facts(&self, position: u32) -> PacketFacts;
    fn arrived(&self, position: u32) -> Option<Time>;
}

/// A read-only view of the waiting packets. The packet on the link, if any, is not among them.
pub struct QueueView<'a> {
    packets: u32,
    bytes: u64,
    elsewhere_bytes: u64,
    room: &'a Room,
    waiting: &'a dyn Waiting,
}

impl<'a> QueueView<'a> {
    #[inline]
    pub(crate) fn new(packets: u32, bytes: u64, room: &'a Room, waiting: &'a dyn Waiting) -> Self {
        Self { packets, bytes, elsewhere_bytes: 0, room, waiting }
    }

    /// The same where so many bytes wait in other queues of the port.
    #[inline]
    pub(crate) const fn beside(mut self, elsewhere_bytes: u64) -> Self {
        self.elsewhere_bytes = elsewhere_bytes;
        self
    }

    /// How many packets wait.
    #[must_use]
    #[inline]
    pub const fn packets(&self) -> u32 {
        self.packets
    }

    /// How many bytes wait.
    #[must_use]
    #[inline]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes wait in all queues of the port, as far as they are known when a packet leaves.
    #[must_use]
    #[inline]
    pub(crate) const fn bytes_of_port(&self) -> u64 {
        self.bytes + self.elsewhere_bytes
    }

    /// Whether the port would find room for a packet of `bytes` now. A scheme whose pseudocode tests for
    /// overflow before anything else lets a packet without room pass; the port then discards it.
    #[must_use]
    #[inline]
    pub const fn has_room_for(&self, bytes: u32) -> bool {
        self.room.admits(self.packets, self.bytes, bytes)
    }

    /// The facts of the packet at `position`; 0 is the head.
    ///
    /// # Panics
    /// If `position` is not below [`QueueView::packets`].
    #[must_use]
    pub fn facts(&self, position: u32) -> PacketFacts {
        self.waiting.facts(position)
    }

    /// When the packet at `position` was queued; none unless the scheme
    /// [asks for it](crate::Aqm::needs_arrival_instants), and none beyond the tail.
    #[must_use]
    pub fn arrived(&self, position: u32) -> Option<Time> {
        self.waiting.arrived(position)
    }
}

/// A queue without packets, for tests of parts that need a view.
#[cfg(test)]
pub(crate) struct EmptyQueue;

#[cfg(test)]
impl EmptyQueue {
    pub(crate) fn view() -> QueueView<'static> {
        static ROOM: std::sync::LazyLock<Room> =
            std::sync::LazyLock::new(|| crate::limit::Limit::of_packets(1).room());
        QueueView::new(0, 0, &ROOM, &Self)
    }
}

#[cfg(test)]
impl Waiting for EmptyQueue {
    fn facts(&self, position: u32) -> PacketFacts {
        panic!("no packet at position {position}: none wait")
    }

    fn arrived(&self, _position: u32) -> Option<Time> {
        None
    }
}
