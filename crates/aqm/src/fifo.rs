//! The waiting packets, first in first out.

use crate::aqm::Departing;
use crate::packet::{PacketFacts, Queued};
use crate::queue_view::Waiting;
use aqmlab_units::Time;
use std::collections::VecDeque;

/// A ring of packets that only grows, with its length in bytes. Lengths are those that the queue counts.
///
/// The instant at which a packet was queued stands beside it, and is told where somebody asked for instants:
/// a ring of their own would be walked twice.
#[derive(Clone)]
pub(crate) struct Fifo<P> {
    packets: VecDeque<(P, Time)>,
    keeps_instants: bool,
    bytes: u64,
    /// What the queue counts with each packet, on top of its IP length.
    layer2_bytes: u32,
}

impl<P: Queued> Fifo<P> {
    pub(crate) fn new(keep_instants: bool) -> Self {
        Self { packets: VecDeque::new(), keeps_instants: keep_instants, bytes: 0, layer2_bytes: 0 }
    }

    /// Keeps the instants of arrivals from here on. No packet waits.
    pub(crate) fn keep_instants(&mut self) {
        debug_assert!(self.packets.is_empty());
        self.keeps_instants = true;
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
        self.packets.push_back((packet, now));
    }

    /// Takes the head, with the instant at which it was queued if instants are kept.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(P, Option<Time>)> {
        let (packet, arrived) = self.packets.pop_front()?;
        self.bytes -= u64::from(self.counted(packet.facts()).bytes);
        Some((packet, self.kept(arrived)))
    }

    #[inline(always)]
    fn kept(&self, arrived: Time) -> Option<Time> {
        self.keeps_instants.then_some(arrived)
    }

    /// The head, as long as the queue counts it, and the instant at which it was queued if instants are kept.
    pub(crate) fn head(&self) -> Option<Departing> {
        let (packet, arrived) = self.packets.front()?;
        Some(Departing { facts: self.counted(packet.facts()), arrived: self.kept(*arrived) })
    }

    /// Takes out the packet at `position`, counted from the head, with the instant at which it was queued if
    /// instants are kept.
    ///
    /// # Panics
    /// If there is no such packet.
    pub(crate) fn remove(&mut self, position: u32) -> (P, Option<Time>) {
        let place = position as usize;
        let waiting = self.packets.len();
        let Some((packet, arrived)) = self.packets.remove(place) else {
            panic!("no packet at position {position}: {waiting} waiting");
        };
        self.bytes -= u64::from(self.counted(packet.facts()).bytes);
        (packet, self.kept(arrived))
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &P> {
        self.packets.iter().map(|(packet, _)| packet)
    }

    /// The facts of the waiting packets, with their IP lengths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = PacketFacts> {
        self.waiting().map(Queued::facts)
    }
}

impl<P: Queued> Waiting for Fifo<P> {
    fn facts(&self, position: u32) -> PacketFacts {
        match self.packets.get(position as usize) {
            Some((packet, _)) => self.counted(packet.facts()),
            None => panic!("no packet at position {position}: {} waiting", self.packets.len()),
        }
    }

    fn arrived(&self, position: u32) -> Option<Time> {
        self.packets.get(position as usize).and_then(|&(_, arrived)| self.kept(arrived))
    }
}
