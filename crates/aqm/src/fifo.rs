//! The waiting packets, first in first out.

use crate::aqm::Departing;
use crate::packet::{PacketFacts, Queued};
use crate::queue_view::Waiting;
use aqmlab_units::Time;
use std::collections::VecDeque;

/// A ring of packets that only grows, with its length in bytes and, where a scheme needs them, the instants
/// at which the packets were queued. Lengths are those that the queue counts.
#[derive(Clone)]
pub(crate) struct Fifo<P> {
    packets: VecDeque<P>,
    arrived: Option<VecDeque<Time>>,
    bytes: u64,
    /// What the queue counts with each packet, on top of its IP length.
    layer2_bytes: u32,
}

impl<P: Queued> Fifo<P> {
    pub(crate) fn new(keep_instants: bool) -> Self {
        Self {
            packets: VecDeque::new(),
            arrived: keep_instants.then(VecDeque::new),
            bytes: 0,
            layer2_bytes: 0,
        }
    }

    /// Keeps the instants of arrivals from here on. No packet waits.
    pub(crate) fn keep_instants(&mut self) {
        debug_assert!(self.packets.is_empty());
        self.arrived.get_or_insert_default();
    }

    /// From here on each packet counts so many bytes more than its IP length. No packet waits.
    pub(crate) fn count_layer2(&mut self, bytes: u32) {
        debug_assert!(self.packets.is_empty());
        self.layer2_bytes = bytes;
    }

    /// A packet with these facts, as long as the queue counts it.
    #[inline(always)]
    pub(crate) const fn counted(&self, facts: PacketFacts) -> PacketFacts {
        facts.longer_by(self.layer2_bytes)
    }

    #[inline]
    pub(crate) fn packets(&self) -> u32 {
        // The port admits fewer than u32::MAX packets, so the cast loses nothing.
        self.packets.len() as u32
    }

    #[inline]
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The IP lengths of the waiting packets together.
    pub(crate) fn ip_bytes(&self) -> u64 {
        self.bytes - u64::from(self.packets()) * u64::from(self.layer2_bytes)
    }

    /// Queues a packet of so many bytes, as the queue counts them.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: P, bytes: u32) {
        self.bytes += u64::from(bytes);
        self.packets.push_back(packet);
        if let Some(arrived) = &mut self.arrived {
            arrived.push_back(now);
        }
    }

    /// Takes the head. The instant at which it was queued has to be taken next.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(self.counted(packet.facts()).bytes);
        Some(packet)
    }

    /// Takes the instant at which the packet just taken was queued, if instants are kept.
    #[inline]
    pub(crate) fn pop_instant(&mut self) -> Option<Time> {
        self.arrived.as_mut()?.pop_front()
    }

    /// The head, as long as the queue counts it, and the instant at which it was queued if instants are kept.
    pub(crate) fn head(&self) -> Option<Departing> {
        let facts = self.counted(self.packets.front()?.facts());
        Some(Departing { facts, arrived: self.arrived(0) })
    }

    /// Takes out the packet at `position`, counted from the head, with the instant at which it was queued if
    /// instants are kept.
    ///
    /// # Panics
    /// If there is no such packet.
    pub(crate) fn remove(&mut self, position: u32) -> (P, Option<Time>) {
        let place = position as usize;
        let waiting = self.packets.len();
        let Some(packet) = self.packets.remove(place) else {
            panic!("no packet at position {position}: {waiting} waiting");
        };
        let arrived = self.arrived.as_mut().and_then(|arrived| arrived.remove(place));
        self.bytes -= u64::from(self.counted(packet.facts()).bytes);
        (packet, arrived)
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &P> {
        self.packets.iter()
    }

    /// The facts of the waiting packets, with their IP lengths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = PacketFacts> {
        self.packets.iter().map(Queued::facts)
    }
}

impl<P: Queued> Waiting for Fifo<P> {
    fn facts(&self, position: u32) -> PacketFacts {
        match self.packets.get(position as usize) {
            Some(packet) => self.counted(packet.facts()),
            None => panic!("no packet at position {position}: {} waiting", self.packets.len()),
        }
    }

    fn arrived(&self, position: u32) -> Option<Time> {
        self.arrived.as_ref()?.get(position as usize).copied()
    }
}
