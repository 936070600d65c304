//! The trait of a queue management scheme, and the verdicts it can give.

use crate::as_any::AsAny;
use crate::packet::{PacketFacts, counted_enum};
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Rate, Time};
use dyn_clone::DynClone;
use std::any::Any;

counted_enum! {
    /// Why a packet was discarded. Every discard is counted under one of these.
    pub enum Reason {
        /// The queue had no room.
        Overflow = "overflow",
        /// Chosen by the scheme's coin, to signal congestion early.
        Early = "early",
        /// The scheme's rule left no choice (RED's average above its upper region).
        Forced = "forced",
        /// Its flow matched a packet drawn from the queue (CHOKe).
        Match = "match",
        /// Refused by a filter in front of the queue (SFG, RED-PD, SFB's penalty box).
        Filter = "filter",
        /// Lost on its way to the queue, which had no part in it (an impaired link).
        Impairment = "impairment",
        /// An acknowledgement that a later one says again (CAKE's filter).
        Redundant = "redundant",
    }
}

/// What is to happen to the packet that a scheme was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: it is queued (on arrival) or sent (on departure).
    Pass,
    /// Tell its sender of congestion. The port marks it when it can be marked and ECN is on; otherwise the
    /// port discards it for this reason.
    Signal(Reason),
    /// Discard it, whatever its codepoint.
    Drop(Reason),
    /// Discard it together with some waiting packets.
    DropWith {
        /// The waiting packets to discard.
        positions: Positions,
        /// Counted for each of them and for the packet itself.
        reason: Reason,
    },
    /// Let it pass, and discard some waiting packets before it is queued.
    PassEvicting {
        /// The waiting packets to discard.
        positions: Positions,
        /// Counted for each of them.
        reason: Reason,
    },
}

/// A set of positions in the queue, at most [`Positions::CAPACITY`]; position 0 is the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    count: u8,
    descending: [u32; Self::CAPACITY],
}

impl Positions {
    /// Largest number of positions in one set.
    pub const CAPACITY: usize = 16;

    /// The set with one position.
    #[must_use]
    pub fn one(position: u32) -> Self {
        let mut set = Self::default();
        set.insert(position);
        set
    }

    /// Adds a position; answers whether it was new.
    ///
    /// # Panics
    /// If the set is full.
    pub fn insert(&mut self, position: u32) -> bool {
        let count = usize::from(self.count);
        let place = self.as_slice().partition_point(|&present| present > position);
        if self.as_slice().get(place) == Some(&position) {
            return false;
        }
        assert!(count < Self::CAPACITY, "more than {} positions", Self::CAPACITY);
        self.descending.copy_within(place..count, place + 1);
        self.descending[place] = position;
        self.count += 1;
        true
    }

    /// The positions, the one nearest to the tail first: removing in this order moves none of the others.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.descending[..usize::from(self.count)]
    }
}

/// A packet that the link asks for, on its way out of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departing {
    /// Its facts.
    pub facts: PacketFacts,
    /// When it was queued; none unless the scheme [asks for it](Aqm::needs_arrival_instants).
    pub arrived: Option<Time>,
}

/// The load beside a queue, where its scheduler tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Flows that send more than they get.
    pub busy_flows: u32,
    /// The rate that the queue's class of traffic is held to; none where it has not changed.
    pub rate: Option<Rate>,
}

/// A queue management scheme: it is told what happens at a port, and says what becomes of each packet.
///
/// A scheme owns no clock, no random generator and no packet. `now` never decreases from call to call. The
/// lengths it sees exclude the packet being transmitted on the link, and the packet it is asked about.
///
/// Every `U` of a published pseudocode is one draw from `coins`, compared with `U < p`, so that probability
/// zero never selects and probability one always does.
pub trait Aqm: Send + AsAny + DynClone {
    /// `packet` arrives; `queue` does not hold it. Full queues are the port's affair: it discards what is let
    /// pass but finds no room, and says so through [`Aqm::on_overflow`].
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict;

    /// `packet` was taken from the head because the link asked for a packet; `queue` holds what remains. When
    /// the verdict discards it, the next packet is asked about in turn.
    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        let _ = (now, packet, queue, coins);
        Verdict::Pass
    }

    /// `packet` was let pass (or would have been marked) on its arrival just now, but found no room.
    fn on_overflow(&mut self, now: Time, packet: &PacketFacts) {
        let _ = (now, packet);
    }

    /// The port has discarded `packets` of the waiting packets of this queue to make room for others: what a
    /// scheduler of several queues asks for when they fill their buffer.
    fn on_room_made(&mut self, now: Time, packets: u32) {
        let _ = (now, packets);
    }

    /// The load beside the queue, before anything else is said of it. Only where the scheduler
    /// [tells of it](crate::Scheduler::tells_load).
    fn on_load(&mut self, load: &Load) {
        let _ = load;
    }

    /// The link asked this queue for a packet and found none. Where it is the only queue of its port, the
    /// link is idle from now until the next departure.
    fn on_idle(&mut self, now: Time) {
        let _ = now;
    }

    /// The next instant at which [`Aqm::on_timer`] is due. The port asks when it is built and after each
    /// `on_timer`, which must have moved it strictly forward. It may not change in between: a scheme whose
    /// deadline moves with arrivals reports the earliest one possible and does nothing when it comes too
    /// soon.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer is due. Called with the due instant itself, before anything that happens at or after it,
    /// however late the port learns that time has passed.
    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        let _ = (due, queue);
    }

    /// The probability with which the scheme now signals congestion to a packet of average size, before any
    /// spacing of the signals in time.
    fn signal_probability(&self) -> Probability {
        Probability::ZERO
    }

    /// Reports names (with their unit, where there is one) and values of the state and of the settings that
    /// were derived from the port's facts.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }

    /// Whether [`Aqm::on_arrival`] has to be called. Answering false is for speed alone, where it would
    /// always pass. Asked once, when the port is built.
    fn watches_arrivals(&self) -> bool {
        true
    }

    /// Whether [`Aqm::on_departure`] has to be called. Answering false is for speed alone, where it would
    /// always pass. Asked once, when the port is built.
    fn watches_departures(&self) -> bool {
        true
    }

    /// Whether [`Aqm::on_idle`] has to be called. Answering false is for speed alone, where nothing follows
    /// from it. Asked once, when the port is built.
    fn watches_idleness(&self) -> bool {
        true
    }

    /// Whether it may discard or mark packets that wait: when they depart, or by eviction. Then a window of
    /// time decides about those that waited when it began as well as about those that arrive in it.
    fn decides_about_waiting(&self) -> bool {
        self.watches_departures()
    }

    /// Whether the port has to remember when each packet was queued. Asked once, when the port is built.
    fn needs_arrival_instants(&self) -> bool {
        false
    }

    /// Takes the place of `before`, the same scheme under other values of its
    /// [adjustable](crate::Parameters::adjustable) parameters: keeps its own settings and takes over the
    /// state. False if it cannot; then `before` stays.
    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let _ = before;
        false
    }
}

dyn_clone::clone_trait_object!(Aqm);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_a_set_in_descending_order() {
        let mut set = Positions::default();
        for position in [3, 9, 0, 9, 5] {
            set.insert(position);
        }
        assert_eq!(set.as_slice(), [9, 5, 3, 0]);
        assert!(!set.insert(5) && set.insert(4));
        assert_eq!(set.as_slice(), [9, 5, 4, 3, 0]);
    }

    #[test]
    #[should_panic(expected = "more than 16 positions")]
    fn a_seventeenth_position_is_a_bug() {
        let mut set = Positions::default();
        for position in 0..17 {
            set.insert(position);
        }
    }
}
