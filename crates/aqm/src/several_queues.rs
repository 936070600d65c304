//! A port with several queues, and guards in front of them: who is asked, and in which order.

use crate::aqm::Reason;
use crate::conservation::{self, ConservationError};
use crate::counters::{QueueCounters, Tally};
use crate::discipline::Composite;
use crate::fifo::Fifo;
use crate::guard::{Behind, Decision, Guards};
use crate::header::HeaderFields;
use crate::packet::{PacketFacts, Queued};
use crate::parts::{Limit, Room, Shaper};
use crate::queue::{Queue, Shared};
use crate::scheduler::{Backlogs, Scheduler};
use aqmlab_units::{Probability, Time};

/// Queues with their scheduler, and the guards in front.
pub(crate) struct SeveralQueues<P: Queued> {
    scheduler: Box<dyn Scheduler>,
    queues: Queues<P>,
    /// How much may wait in all queues together.
    room: Room,
    front: Front,
    shaper: Option<Shaper>,
    /// Packets and bytes that wait, in all queues together, as these count them.
    waiting: (u32, u64),
    /// When the timer of each queue is due. It runs when the queue is touched next, or somebody looks: each scheme sees
    /// its own queue alone, so nothing can change in between that a tick would see.
    timers: Vec<Time>,
}

/// The guards, and the counters of the queues: those who hear of every decision.
struct Front {
    guards: Guards,
    counters: Vec<QueueCounters>,
    /// What the queues count with each packet, on top of its IP length: guards and the scheduler are told of this length.
    layer2_bytes: u32,
}

impl Front {
    #[inline(always)]
    fn tell_of_discard(&mut self, now: Time, queue: usize, facts: &PacketFacts, reason: Reason) {
        self.counters[queue].discards[reason.index()].count(facts.bytes);
        self.tell(now, facts, Decision::Discarded(reason));
    }

    #[inline(always)]
    fn tell_of_mark(&mut self, now: Time, queue: usize, facts: &PacketFacts) {
        self.counters[queue].marks.count(facts.bytes);
        self.tell(now, facts, Decision::Marked);
    }

    #[inline(always)]
    fn tell(&mut self, now: Time, facts: &PacketFacts, decision: Decision) {
        self.guards.tell(now, &facts.longer_by(self.layer2_bytes), decision);
    }
}

struct Queues<P: Queued>(Vec<Queue<P>>);

impl<P: Queued> Backlogs for Queues<P> {
    fn queues(&self) -> usize {
        self.0.len()
    }

    fn packets(&self, queue: usize) -> u32 {
        self.0[queue].fifo().packets()
    }

    fn bytes(&self, queue: usize) -> u64 {
        self.0[queue].fifo().bytes()
    }
}

/// Packets and bytes that wait in a queue.
#[inline(always)]
fn length<P: Queued>(queue: &Queue<P>) -> (u32, u64) {
    (queue.fifo().packets(), queue.fifo().bytes())
}

impl<P: Queued> Queues<P> {
    fn length(&self, queue: usize) -> (u32, u64) {
        length(&self.0[queue])
    }

    /// The mean over the queues, each by its waiting packets.
    fn signal_probability(&self) -> Probability {
        let (mut sum, mut packets) = (0.0, 0.0);
        for queue in self.0.iter().filter(|queue| queue.fifo().packets() > 0) {
            let weight = f64::from(queue.fifo().packets());
            sum += weight * queue.scheme().signal_probability().value();
            packets += weight;
        }
        if packets > 0.0 { Probability::clamped(sum / packets) } else { Probability::ZERO }
    }
}

/// A scheme on the heap with what the allocator adds, and a queue's place with its scheduler.
const SCHEME_AND_TURN_BYTES: usize = 192;

impl<P: Queued> SeveralQueues<P> {
    /// Memory of one queue without packets.
    pub(crate) const BYTES_PER_QUEUE: usize =
        size_of::<Queue<P>>() + size_of::<QueueCounters>() + size_of::<Time>() + SCHEME_AND_TURN_BYTES;

    /// # Panics
    /// If there is no queue.
    pub(crate) fn new(composite: Composite, limit: Limit) -> Self {
        let Composite { guards, scheduler, queues, queue_limit, shaper } = composite;
        assert!(!queues.is_empty(), "a port has at least one queue");
        let own = queue_limit.room(limit);
        let queues: Vec<Queue<P>> = queues.into_iter().map(|scheme| Queue::new(scheme, own)).collect();
        Self {
            scheduler,
            shaper,
            room: limit.room(),
            front: Front {
                guards: Guards::new(guards),
                counters: vec![QueueCounters::default(); queues.len()],
                layer2_bytes: 0,
            },
            waiting: (0, 0),
            timers: queues.iter().map(|queue| queue.next_timer().unwrap_or(Time::MAX)).collect(),
            queues: Queues(queues),
        }
    }

    /// From here on each packet counts so many bytes more than its IP length. The queues are empty.
    pub(crate) fn count_layer2(&mut self, bytes: u32) {
        self.front.layer2_bytes = bytes;
        self.queues.0.iter_mut().for_each(|queue| queue.count_layer2(bytes));
    }

    pub(crate) const fn packets(&self) -> u32 {
        self.waiting.0
    }

    /// The IP lengths of the waiting packets together.
    pub(crate) fn ip_bytes(&self) -> u64 {
        self.waiting.1 - u64::from(self.waiting.0) * u64::from(self.front.layer2_bytes)
    }

    pub(crate) fn signal_probability(&self) -> Probability {
        self.queues.signal_probability()
    }

    /// Guards first, then the scheduler.
    pub(crate) fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.front.guards.observe(sink);
        self.scheduler.observe(sink);
    }

    pub(crate) fn queue(&self, queue: usize) -> (&Queue<P>, &QueueCounters) {
        (&self.queues.0[queue], &self.front.counters[queue])
    }

    pub(crate) fn len(&self) -> usize {
        self.queues.0.len()
    }

    pub(crate) fn fifos(&self) -> impl Iterator<Item = &Fifo<P>> {
        self.queues.0.iter().map(Queue::fifo)
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &P> {
        self.fifos().flat_map(Fifo::waiting)
    }

    pub(crate) fn check_conservation(&self) -> Result<(), ConservationError> {
        for (queue, (counters, fifo)) in self.front.counters.iter().zip(self.fifos()).enumerate() {
            let waiting = Tally { packets: fifo.packets().into(), bytes: fifo.ip_bytes() };
            conservation::check_queue(queue, counters, waiting)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn arrive(
        &mut self,
        now: Time,
        packet: P,
        header: impl FnOnce(&P) -> HeaderFields,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let (facts, header) = (packet.facts(), &header(&packet));
        let counted = facts.longer_by(self.front.layer2_bytes);
        let signalled = match self.admission(now, &counted, header, port) {
            Ok(signalled) => signalled,
            Err(reason) => return port.discard(packet, reason, discarded),
        };
        let place = self.scheduler.classify(&counted, header, &self.queues);
        self.advance_queue(place, now);
        let Self { queues, front, .. } = self;
        let queue = &mut queues.0[place];
        let before = length(queue);
        front.counters[place].arrivals.count(facts.bytes);
        let mut marked = false;
        let mut on_mark = || marked = true;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let queued = if signalled {
            queue.arrive_signalled(now, packet, &facts, port, &mut on_mark, &mut on_discard)
        } else {
            queue.arrive(now, packet, &facts, port, &mut on_mark, &mut on_discard)
        };
        let after = length(queue);
        self.note_length(before, after);
        if !queued {
            return;
        }
        if let Some(shaper) = self.shaper.as_mut().filter(|_| self.waiting.0 == 1) {
            shaper.begin(now);
        }
        if marked {
            self.front.tell_of_mark(now, place, &facts);
        } else {
            self.front.tell(now, &facts, Decision::Queued);
        }
        self.scheduler.on_queued(place, &counted);
        self.make_room(now, port, discarded);
    }

    #[inline(never)]
    pub(crate) fn depart(
        &mut self,
        now: Time,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        if self.opens().is_some_and(|opens| now < opens) {
            return None;
        }
        while let Some(place) = self.scheduler.next(&self.queues) {
            self.advance_queue(place, now);
            let Self { queues, front, scheduler, .. } = self;
            let queue = &mut queues.0[place];
            let before = length(queue);
            // Every flow that pauses leaves an empty queue behind, which has its turn once or twice more.
            if before.0 == 0 {
                queue.find_empty(now);
                scheduler.on_empty(place);
                continue;
            }
            let mut marked = false;
            let mut on_mark = || marked = true;
            let mut on_discard = |packet: P, reason| {
                front.tell_of_discard(now, place, &packet.facts(), reason);
                discarded(packet, reason);
            };
            let sent = if scheduler.asks_again_after_discard() {
                queue.depart_one(now, port, &mut on_mark, &mut on_discard)
            } else {
                queue.depart(now, port, &mut on_mark, &mut on_discard)
            };
            let after = length(queue);
            self.note_length(before, after);
            let Some(packet) = sent else {
                if after.0 == 0 {
                    self.scheduler.on_empty(place);
                }
                continue;
            };
            let facts = packet.facts();
            self.scheduler.on_sent(place, facts.longer_by(self.front.layer2_bytes).bytes);
            if let Some(shaper) = &mut self.shaper {
                shaper.on_sent(facts.bytes);
            }
            self.front.counters[place].departures.count(facts.bytes);
            if marked {
                self.front.tell_of_mark(now, place, &facts);
            }
            self.front.tell(now, &facts, Decision::Sent);
            return Some(packet);
        }
        assert_eq!(self.waiting.0, 0, "a scheduler serves every queue in which packets wait");
        None
    }

    /// Until when a shaper holds back what waits.
    pub(crate) fn opens(&self) -> Option<Time> {
        self.shaper.as_ref().filter(|_| self.waiting.0 > 0).map(Shaper::opens)
    }

    /// The next timer of a guard; `Time::MAX` without one.
    pub(crate) fn next_timer(&self) -> Time {
        self.front.guards.next_timer()
    }

    /// Runs the timers of guards that are due at this instant.
    pub(crate) fn run_timers(&mut self, due: Time) {
        self.advance(due);
        let Self { front, queues, waiting, .. } = self;
        let signals = || queues.signal_probability();
        front.guards.run_timers(due, &Behind::new(waiting.0, waiting.1, &signals));
    }

    /// Runs the timers of all queues that are due by `now`.
    pub(crate) fn advance(&mut self, now: Time) {
        (0..self.timers.len()).for_each(|queue| self.advance_queue(queue, now));
    }

    #[inline(always)]
    fn advance_queue(&mut self, queue: usize, now: Time) {
        if self.timers[queue] <= now {
            self.run_timers_of_queue(queue, now);
        }
    }

    #[inline(never)]
    fn run_timers_of_queue(&mut self, queue: usize, now: Time) {
        let timer = &mut self.timers[queue];
        while *timer <= now {
            *timer = self.queues.0[queue].run_timer(*timer);
        }
    }

    /// Asks the guards: whether the arrival is to be marked, or why it is discarded.
    fn admission(
        &mut self,
        now: Time,
        facts: &PacketFacts,
        header: &HeaderFields,
        port: &mut Shared,
    ) -> Result<bool, Reason> {
        if self.front.guards.is_empty() {
            return Ok(false);
        }
        self.advance(now);
        let Self { front, queues, waiting, .. } = self;
        let signals = || queues.signal_probability();
        front.guards.admission(now, facts, header, &Behind::new(waiting.0, waiting.1, &signals), port)
    }

    /// A queue has changed: what it held before is no longer what waits there.
    #[inline(always)]
    fn note_length(&mut self, before: (u32, u64), after: (u32, u64)) {
        self.waiting.0 = self.waiting.0 - before.0 + after.0;
        self.waiting.1 = self.waiting.1 - before.1 + after.1;
    }

    /// Discards what the scheduler chooses until the buffer that all queues share holds the rest.
    fn make_room(&mut self, now: Time, port: &mut Shared, discarded: &mut impl FnMut(P, Reason)) {
        while !self.room.holds(self.waiting.0, self.waiting.1) {
            let victim = self.scheduler.victim(&self.queues);
            let place = victim.queue;
            self.advance_queue(place, now);
            let Self { queues, front, .. } = self;
            let before = length(&queues.0[place]);
            let amount = (victim.end, victim.most_packets, victim.enough_bytes);
            queues.0[place].make_room(now, amount, port, &mut |packet: P, reason| {
                front.tell_of_discard(now, place, &packet.facts(), reason);
                discarded(packet, reason);
            });
            let after = self.queues.length(place);
            self.note_length(before, after);
        }
    }
}
