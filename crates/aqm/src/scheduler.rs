//! The trait of a scheduler: which of several queues an arrival joins, and which one the link is offered, and
//! when.

use crate::aqm::{Departing, Load, Verdict};
use crate::as_any::AsAny;
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use aqmlab_units::{Probability, Rate, Time};
use dyn_clone::DynClone;

/// The queues that a scheduler serves, as they are now.
pub trait Backlogs {
    /// How many queues there are.
    fn queues(&self) -> usize;
    /// How many packets wait in a queue.
    fn packets(&self, queue: usize) -> u32;
    /// How many bytes wait in a queue.
    fn bytes(&self, queue: usize) -> u64;
    /// How many packets wait in all queues together.
    fn waiting(&self) -> u32;
    /// How many packets and bytes wait in the queues of a class, where the port has
    /// [classes](crate::Scheduled::classes).
    fn waiting_in(&self, class: usize) -> (u32, u64) {
        let _ = class;
        (0, 0)
    }
    /// The packet at the head of a queue; the instant at which it was queued is known where the scheme of the
    /// queue [asks for it](crate::Aqm::needs_arrival_instants).
    fn head(&self, queue: usize) -> Option<Departing>;
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A queue's; an empty one is told so, and the scheduler asked again.
    Queue(usize),
    /// Nobody's before this instant, which is later than now: packets wait, and are held back.
    At(Time),
    /// Nobody's: no packet waits.
    Nobody,
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

/// Sorts arrivals into queues, and says which queue is served and when. It holds no packet: the port moves
/// these, and asks the scheme of the queue about each.
///
/// `now` never decreases from call to call. Before anything changes in the queues at an instant the scheduler
/// is called at that instant: by [`Scheduler::classify`], [`Scheduler::next`], [`Scheduler::victim`] or
/// [`Scheduler::advance`].
pub trait Scheduler: Send + AsAny + DynClone {
    /// The queue of an arrival.
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize;

    /// A packet was queued.
    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs);

    /// Whose turn it is.
    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn;

    /// `packet` was taken from the head of the queue whose turn it is, and the scheme of the queue lets it
    /// pass; `queues` do not hold it. What is to happen to it: [`Verdict::Pass`], [`Verdict::Signal`] or
    /// [`Verdict::Drop`].
    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        let _ = (now, queue, packet, queues);
        Verdict::Pass
    }

    /// Whether [`Scheduler::on_departure`] has to be called. Answering false is for speed alone, where it
    /// would always pass. Asked once, when the port is built.
    fn watches_departures(&self) -> bool {
        false
    }

    /// The queue whose turn it was has sent a packet of so many bytes.
    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32);

    /// The queue whose turn it was had nothing to send, or nothing that was let pass.
    fn on_empty(&mut self, now: Time, queue: usize);

    /// Whether it is asked again for each packet that is discarded on departure; otherwise the queue goes on
    /// to its next packet.
    fn asks_again_after_discard(&self) -> bool {
        self.watches_departures()
    }

    /// The buffer that all queues share is exceeded: what is to be discarded, as it will be. Asked again
    /// until it is not. At least one packet waits.
    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim;

    /// The buffer of a [class](crate::Scheduled::classes) is exceeded: what of its packets is to be
    /// discarded. Asked again until it is not. At least one packet of the class waits.
    fn victim_of_class(&mut self, now: Time, class: usize, queues: &dyn Backlogs) -> Victim {
        let _ = class;
        self.victim(now, queues)
    }

    /// A packet of so many bytes was discarded that had been queued: to make room, because another made it
    /// redundant, or, where the queue `had_turn`, by its scheme. Called only where discards
    /// [count](Scheduler::counts_discards).
    fn on_discarded(&mut self, now: Time, queue: usize, bytes: u32, had_turn: bool) {
        let _ = (now, queue, bytes, had_turn);
    }

    /// Whether [`Scheduler::on_discarded`] has to be called. Asked once, when the port is built.
    fn counts_discards(&self) -> bool {
        false
    }

    /// What there is to say of the load beside a queue to its scheme. Asked only where the scheduler
    /// [tells of it](Scheduler::tells_load).
    fn load(&self, queue: usize) -> Load {
        let _ = queue;
        Load { busy_flows: 0, rate: None }
    }

    /// Whether schemes have to be told of the load. Asked once, when the port is built.
    fn tells_load(&self) -> bool {
        false
    }

    /// What is served is held to another rate from here on.
    fn on_rate(&mut self, rate: Rate) {
        let _ = rate;
    }

    /// Time passes in which nothing happens; the state is read next.
    fn advance(&mut self, now: Time, queues: &dyn Backlogs) {
        let _ = (now, queues);
    }

    /// The probability with which it signals congestion to a packet of a queue, where it and not the scheme
    /// of the queue does.
    fn signal_probability(&self, queue: usize) -> Option<Probability> {
        let _ = queue;
        None
    }

    /// A shaper holds what leaves to another rate from the next packet on; answers whether there is one.
    fn change_shaped_rate(&mut self, rate: Rate) -> bool {
        let _ = rate;
        false
    }

    /// Reports names (with their unit, where there is one) and values of the state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }
}

dyn_clone::clone_trait_object!(Scheduler);

impl Scheduler for Box<dyn Scheduler> {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        (**self).classify(now, packet, header, queues)
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        (**self).on_queued(now, queue, packet, queues);
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        (**self).next(now, queues)
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        (**self).on_departure(now, queue, packet, queues)
    }

    fn watches_departures(&self) -> bool {
        (**self).watches_departures()
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        (**self).on_sent(now, queue, bytes);
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        (**self).on_empty(now, queue);
    }

    fn asks_again_after_discard(&self) -> bool {
        (**self).asks_again_after_discard()
    }

    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        (**self).victim(now, queues)
    }

    fn victim_of_class(&mut self, now: Time, class: usize, queues: &dyn Backlogs) -> Victim {
        (**self).victim_of_class(now, class, queues)
    }

    fn on_discarded(&mut self, now: Time, queue: usize, bytes: u32, had_turn: bool) {
        (**self).on_discarded(now, queue, bytes, had_turn);
    }

    fn counts_discards(&self) -> bool {
        (**self).counts_discards()
    }

    fn load(&self, queue: usize) -> Load {
        (**self).load(queue)
    }

    fn tells_load(&self) -> bool {
        (**self).tells_load()
    }

    fn on_rate(&mut self, rate: Rate) {
        (**self).on_rate(rate);
    }

    fn advance(&mut self, now: Time, queues: &dyn Backlogs) {
        (**self).advance(now, queues);
    }

    fn signal_probability(&self, queue: usize) -> Option<Probability> {
        (**self).signal_probability(queue)
    }

    fn change_shaped_rate(&mut self, rate: Rate) -> bool {
        (**self).change_shaped_rate(rate)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        (**self).observe(sink);
    }
}
