//! A port with guards in front of a single queue.

use crate::aqm::Reason;
use crate::conservation::{self, ConservationError};
use crate::counters::{QueueCounters, Tally};
use crate::discipline::{Guarded, QueueLimit};
use crate::guard::{Behind, Decision, Guards};
use crate::header::HeaderFields;
use crate::packet::{PacketFacts, Queued};
use crate::parts::{Limit, Room};
use crate::queue::{Queue, Shared};
use crate::scheduler::End;
use aqmlab_units::Time;

/// Guards, and the queue behind them.
pub(crate) struct GuardedQueue<P: Queued> {
    front: Front,
    queue: Queue<P>,
    /// How much may wait at the port, where the queue has a limit of its own.
    room: Room,
    has_own_limit: bool,
    /// Whether the queue was asked in vain since the last packet came: its scheme knows that the link is idle.
    is_idle: bool,
}

/// The guards, and the counters of the queue: those who hear of every decision.
struct Front {
    guards: Guards,
    counters: QueueCounters,
    /// What the queue counts with each packet, on top of its IP length: guards are told of this length.
    layer2_bytes: u32,
}

impl Front {
    #[inline(always)]
    fn tell_of_discard(&mut self, now: Time, facts: &PacketFacts, reason: Reason) {
        self.counters.discards[reason.index()].count(facts.bytes);
        self.tell(now, facts, Decision::Discarded(reason));
    }

    #[inline(always)]
    fn tell_of_mark(&mut self, now: Time, facts: &PacketFacts) {
        self.counters.marks.count(facts.bytes);
        self.tell(now, facts, Decision::Marked);
    }

    #[inline(always)]
    fn tell(&mut self, now: Time, facts: &PacketFacts, decision: Decision) {
        self.guards.tell(now, &facts.longer_by(self.layer2_bytes), decision);
    }
}

impl<P: Queued> GuardedQueue<P> {
    pub(crate) fn new(guarded: Guarded, limit: Limit) -> Self {
        let Guarded { guards, queue, queue_limit } = guarded;
        Self {
            front: Front { guards: Guards::new(guards), counters: QueueCounters::default(), layer2_bytes: 0 },
            queue: Queue::new(queue, queue_limit.room(limit)),
            room: limit.room(),
            has_own_limit: queue_limit != QueueLimit::OfPort,
            is_idle: false,
        }
    }

    pub(crate) const fn queue(&self) -> &Queue<P> {
        &self.queue
    }

    /// From here on each packet counts so many bytes more than its IP length. The queue is empty.
    pub(crate) fn count_layer2(&mut self, bytes: u32) {
        self.front.layer2_bytes = bytes;
        self.queue.count_layer2(bytes);
    }

    pub(crate) const fn counters(&self) -> &QueueCounters {
        &self.front.counters
    }

    /// The guards' state first, then that of the scheme behind.
    pub(crate) fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.front.guards.observe(sink);
        self.queue.scheme().observe(sink);
    }

    pub(crate) fn decides_about_waiting(&self) -> bool {
        self.has_own_limit || self.queue.scheme().decides_about_waiting()
    }

    pub(crate) fn check_conservation(&self) -> Result<(), ConservationError> {
        let fifo = self.queue.fifo();
        let waiting = Tally { packets: fifo.packets().into(), bytes: fifo.ip_bytes() };
        conservation::check_queue(0, &self.front.counters, waiting)
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
        let Self { front, queue, .. } = self;
        let (facts, header) = (packet.facts(), header(&packet));
        let signals = || queue.scheme().signal_probability();
        let behind = Behind::new(queue.fifo().packets(), queue.fifo().bytes(), &signals);
        let counted = facts.longer_by(front.layer2_bytes);
        let signalled = match front.guards.admission(now, &counted, &header, &behind, port) {
            Ok(signalled) => signalled,
            Err(reason) => return port.discard(packet, reason, discarded),
        };
        front.counters.arrivals.count(facts.bytes);
        let mut marked = false;
        let mut on_mark = || marked = true;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let queued = if signalled {
            queue.arrive_signalled(now, packet, &facts, port, &mut on_mark, &mut on_discard)
        } else {
            queue.arrive(now, packet, &facts, port, &mut on_mark, &mut on_discard)
        };
        if !queued {
            return;
        }
        if marked {
            front.tell_of_mark(now, &facts);
        } else {
            front.tell(now, &facts, Decision::Queued);
        }
        self.is_idle = false;
        if self.has_own_limit {
            self.make_room(now, port, discarded);
        }
    }

    #[inline(never)]
    pub(crate) fn depart(
        &mut self,
        now: Time,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        if self.is_idle {
            return None;
        }
        let Self { front, queue, .. } = self;
        let mut marked = false;
        let mut on_mark = || marked = true;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let Some(packet) = queue.depart(now, port, &mut on_mark, &mut on_discard) else {
            self.is_idle = true;
            return None;
        };
        let facts = packet.facts();
        front.counters.departures.count(facts.bytes);
        if marked {
            front.tell_of_mark(now, &facts);
        }
        front.tell(now, &facts, Decision::Sent);
        Some(packet)
    }

    /// The next timer of the scheme or of a guard; `Time::MAX` without one.
    pub(crate) fn next_timer(&self) -> Time {
        self.queue.next_timer().unwrap_or(Time::MAX).min(self.front.guards.next_timer())
    }

    /// Runs the timers that are due at this instant: that of the scheme, then those of the guards.
    pub(crate) fn run_timers(&mut self, due: Time) {
        if self.queue.next_timer() == Some(due) {
            self.queue.run_timer(due);
        }
        let Self { front, queue, .. } = self;
        let signals = || queue.scheme().signal_probability();
        let behind = Behind::new(queue.fifo().packets(), queue.fifo().bytes(), &signals);
        front.guards.run_timers(due, &behind);
    }

    /// Discards the last arrivals until the port's own limit holds the rest.
    fn make_room(&mut self, now: Time, port: &mut Shared, discarded: &mut impl FnMut(P, Reason)) {
        let Self { front, queue, room, .. } = self;
        while !room.holds(queue.fifo().packets(), queue.fifo().bytes()) {
            queue.make_room(now, (End::Tail, 1, u64::MAX), port, &mut |packet: P, reason| {
                front.tell_of_discard(now, &packet.facts(), reason);
                discarded(packet, reason);
            });
        }
    }
}
