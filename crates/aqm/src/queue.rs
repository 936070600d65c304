//! One queue of a port with its scheme: asks the scheme, and carries out what it says.

use crate::aqm::{Aqm, Departing, Positions, Reason, Verdict};
use crate::direct_calls::QueueScheme;
use crate::fifo::Fifo;
use crate::packet::{PacketFacts, Queued};
use crate::parts::Room;
use crate::queue_view::QueueView;
use crate::scheduler::{End, Victim};
use crate::shared::Shared;
use aqmlab_units::Time;

/// The waiting packets of one queue under one scheme.
#[derive(Clone)]
pub(crate) struct Queue<P: Queued> {
    fifo: Fifo<P>,
    room: Room,
    asks_on_arrival: bool,
    asks_on_departure: bool,
    tells_of_idleness: bool,
    /// Whether the scheme is told when packets were queued: they may be kept without it.
    asks_for_instants: bool,
    scheme: QueueScheme,
}

impl<P: Queued> Queue<P> {
    pub(crate) fn new(scheme: Box<dyn Aqm>, room: Room) -> Self {
        Self {
            fifo: Fifo::new(scheme.needs_arrival_instants() || scheme.decides_about_waiting()),
            room,
            asks_on_arrival: scheme.watches_arrivals(),
            asks_on_departure: scheme.watches_departures(),
            tells_of_idleness: scheme.watches_idleness(),
            asks_for_instants: scheme.needs_arrival_instants(),
            scheme: scheme.into(),
        }
    }

    /// The same scheme with other settings and the state of the one here, if it goes on from that.
    pub(crate) fn continued(&self, mut adjusted: Box<dyn Aqm>) -> Option<Box<dyn Aqm>> {
        adjusted.continue_from((*self.scheme).as_any()).then_some(adjusted)
    }

    /// Goes on under a [continued](Self::continued) scheme, or the one here; with this room if it changes.
    pub(crate) fn adjust(&mut self, continued: Option<Box<dyn Aqm>>, room: Option<Room>) {
        self.room = room.unwrap_or(self.room);
        if let Some(scheme) = continued {
            self.scheme = scheme.into();
        }
    }

    /// Tells the scheme when packets were queued, whether it asks for that or not. The queue is empty.
    pub(crate) fn tell_arrival_instants(&mut self) {
        self.keep_arrival_instants();
        self.asks_for_instants = true;
    }

    /// Keeps the instants of arrivals from here on, whether the scheme asks for them or not: to tell how long
    /// packets had waited that are then discarded. The queue is empty.
    pub(crate) fn keep_arrival_instants(&mut self) {
        self.fifo.keep_instants();
    }

    /// From here on each packet counts so many bytes more than its IP length. The queue is empty.
    pub(crate) fn count_layer2(&mut self, bytes: u32) {
        self.fifo.count_layer2(bytes);
    }

    pub(crate) const fn fifo(&self) -> &Fifo<P> {
        &self.fifo
    }

    pub(crate) fn scheme(&self) -> &dyn Aqm {
        &*self.scheme
    }

    pub(crate) fn scheme_mut(&mut self) -> &mut dyn Aqm {
        &mut *self.scheme
    }

    /// A packet arrives, which the port has counted. It is queued, with a mark if `marked` is told, or handed
    /// to `discarded` with the reason; so are waiting packets that the scheme evicts. Answers whether it is
    /// queued. `facts` are the packet's, as long as the queue counts it.
    #[inline(always)]
    pub(crate) fn arrive(
        &mut self,
        now: Time,
        packet: P,
        facts: &PacketFacts,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> bool {
        let verdict = self.verdict(now, facts, port);
        if !matches!(verdict, Verdict::Pass) {
            return self.arrive_under((now, verdict), packet, facts, port, marked, discarded);
        }
        let Some(packet) = self.within_room(now, packet, facts, port, discarded) else { return false };
        self.fifo.push(now, packet, facts.bytes);
        true
    }

    /// As [`Queue::arrive`], of a packet that a guard has signalled and that can be marked: it is, unless the
    /// scheme discards it.
    #[cold]
    pub(crate) fn arrive_signalled(
        &mut self,
        now: Time,
        packet: P,
        facts: &PacketFacts,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> bool {
        let verdict = match self.verdict(now, facts, port) {
            Verdict::Pass => Verdict::Signal(Reason::Early),
            decided => decided,
        };
        self.arrive_under((now, verdict), packet, facts, port, marked, discarded)
    }

    /// A packet arrives where none waits, and the link asks for one at once: an arrival followed by a
    /// departure. What nobody has anything to say about need not be queued in between. `facts` are the
    /// packet's own, with its IP length.
    #[inline(always)]
    pub(crate) fn pass(
        &mut self,
        now: Time,
        packet: P,
        facts: &PacketFacts,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        debug_assert!(self.fifo.packets() == 0, "a packet waits in front of an idle link");
        let counted = &self.fifo.counted(*facts);
        let verdict = self.verdict(now, counted, port);
        if !matches!(verdict, Verdict::Pass) {
            self.arrive_under((now, verdict), packet, counted, port, &mut || {}, discarded);
        } else if let Some(packet) = self.within_room(now, packet, counted, port, discarded) {
            if !self.asks_on_departure {
                port.counters.departures.count(facts);
                return Some(packet);
            }
            self.fifo.push(now, packet, counted.bytes);
        }
        self.depart(now, port, &mut || {}, discarded)
    }

    /// What the scheme says of an arrival, as long as the queue counts it.
    #[inline(always)]
    fn verdict(&mut self, now: Time, facts: &PacketFacts, port: &mut Shared) -> Verdict {
        if !self.asks_on_arrival {
            return Verdict::Pass;
        }
        let queue = QueueView::new(self.fifo.packets(), self.fifo.bytes(), &self.room, &self.fifo);
        self.scheme.on_arrival(now, facts, &queue, &mut port.coins)
    }

    /// What remains of an arrival, as long as the queue counts it, that the scheme does not simply let pass.
    #[cold]
    #[inline(never)]
    fn arrive_under(
        &mut self,
        (now, verdict): (Time, Verdict),
        packet: P,
        facts: &PacketFacts,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> bool {
        let mark = port.marks_on(&verdict, facts);
        let passed =
            if mark { Some(packet) } else { self.carry_out(verdict, (now, None), packet, port, discarded) };
        let Some(packet) = passed else { return false };
        let Some(packet) = self.within_room(now, packet, facts, port, discarded) else { return false };
        let packet = if mark { port.mark(packet, marked) } else { packet };
        self.fifo.push(now, packet, facts.bytes);
        true
    }

    /// The packet, as long as the queue counts it, if there is room for it; otherwise it is discarded, and
    /// the scheme told.
    #[inline(always)]
    fn within_room(
        &mut self,
        now: Time,
        packet: P,
        facts: &PacketFacts,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        if self.room.admits(self.fifo.packets(), self.fifo.bytes(), facts.bytes) {
            return Some(packet);
        }
        self.scheme.on_overflow(now, facts);
        port.discard(packet, Reason::Overflow, discarded);
        None
    }

    /// Takes the first packet that the scheme lets pass, and counts its departure; none when no packet is
    /// left, which the scheme is told. Packets that it discards on the way are handed to `discarded`;
    /// `marked` is told of a mark.
    #[inline(always)]
    pub(crate) fn depart(
        &mut self,
        now: Time,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        while let Some(head) = self.fifo.pop() {
            if let Some(packet) = self.let_go(now, head, port, marked, discarded) {
                return Some(packet);
            }
        }
        self.find_empty(now);
        None
    }

    /// As [`Queue::depart`], where no packet waits: the scheme is told.
    #[inline(always)]
    pub(crate) fn find_empty(&mut self, now: Time) {
        debug_assert!(self.fifo.packets() == 0, "a packet waits");
        if self.tells_of_idleness {
            self.scheme.on_idle(now);
        }
    }

    /// As [`Queue::depart`], of the packet at the head alone: none as well where the scheme discards it.
    pub(crate) fn depart_one(
        &mut self,
        now: Time,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        let Some(head) = self.fifo.pop() else {
            self.find_empty(now);
            return None;
        };
        self.let_go(now, head, port, marked, discarded)
    }

    /// Takes the head, to ask about it and then [release](Queue::release) it.
    pub(crate) fn take_head(&mut self) -> Option<(P, Departing)> {
        let (packet, arrived) = self.fifo.pop()?;
        let departing = Departing { facts: self.fifo.counted(packet.facts()), arrived };
        Some((packet, departing))
    }

    /// Asks the scheme about the packet that was taken from the head, and counts its departure if it passes.
    #[inline(always)]
    fn let_go(
        &mut self,
        now: Time,
        (packet, arrived): (P, Option<Time>),
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        let facts = packet.facts();
        if !self.asks_on_departure {
            port.counters.departures.count(&facts);
            return Some(packet);
        }
        let verdict =
            self.verdict_on_departure(now, &Departing { facts: self.fifo.counted(facts), arrived }, port);
        self.release(verdict, (now, arrived), packet, port, marked, discarded)
    }

    /// What the scheme says of the packet that was taken from the head.
    #[inline(always)]
    pub(crate) fn verdict_on_departure(
        &mut self,
        now: Time,
        departing: &Departing,
        port: &mut Shared,
    ) -> Verdict {
        if !self.asks_on_departure {
            return Verdict::Pass;
        }
        let queue = QueueView::new(self.fifo.packets(), self.fifo.bytes(), &self.room, &self.fifo)
            .beside(port.elsewhere_bytes);
        let arrived = departing.arrived.filter(|_| self.asks_for_instants);
        self.scheme.on_departure(now, &Departing { facts: departing.facts, arrived }, &queue, &mut port.coins)
    }

    /// Does with the packet that was taken from the head what a verdict says, and counts its departure if it
    /// passes. Beside the present instant stands the one at which it was queued, if instants are kept.
    #[inline(always)]
    pub(crate) fn release(
        &mut self,
        verdict: Verdict,
        waited: (Time, Option<Time>),
        packet: P,
        port: &mut Shared,
        marked: &mut impl FnMut(),
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        let packet = if matches!(verdict, Verdict::Pass) {
            packet
        } else if port.marks_on(&verdict, &packet.facts()) {
            port.mark(packet, marked)
        } else {
            self.carry_out(verdict, waited, packet, port, discarded)?
        };
        port.counters.departures.count(&packet.facts());
        Some(packet)
    }

    /// Discards packets of a victim, which this queue is: one at least, until there are as many as it may be,
    /// or enough bytes in them. Tells the scheme how many were taken.
    ///
    /// # Panics
    /// If no packet waits.
    pub(crate) fn make_room(
        &mut self,
        now: Time,
        victim: &Victim,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let Victim { end, most_packets, enough_bytes, .. } = *victim;
        let (mut packets, mut bytes) = (0, 0);
        while packets == 0 || (packets < most_packets && bytes < enough_bytes && self.fifo.packets() > 0) {
            let position = match end {
                End::Head => 0,
                End::Tail => self.fifo.packets().saturating_sub(1),
            };
            let (packet, arrived) = self.fifo.remove(position);
            packets += 1;
            bytes += u64::from(self.fifo.counted(packet.facts()).bytes);
            port.discard_after((now, arrived), packet, Reason::Overflow, discarded);
        }
        self.scheme.on_room_made(now, packets);
    }

    /// Discards the acknowledgement at a position, which a later one has made redundant.
    ///
    /// # Panics
    /// If no packet waits there.
    pub(crate) fn discard_redundant(
        &mut self,
        now: Time,
        position: u32,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let (packet, arrived) = self.fifo.remove(position);
        port.discard_after((now, arrived), packet, Reason::Redundant, discarded);
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.scheme.next_timer()
    }

    /// Runs the scheme's timer, which is due; answers when the next one is.
    ///
    /// # Panics
    /// If the timer has not moved forward.
    pub(crate) fn run_timer(&mut self, due: Time) -> Time {
        let queue = QueueView::new(self.fifo.packets(), self.fifo.bytes(), &self.room, &self.fifo);
        self.scheme.on_timer(due, &queue);
        let next = self.scheme.next_timer().unwrap_or(Time::MAX);
        assert!(next > due, "a timer must move forward: {next} after {due}");
        next
    }

    /// Discards what a verdict that is no mark condemns; answers with the packet it is about if that one
    /// passes.
    #[cold]
    #[inline(never)]
    fn carry_out(
        &mut self,
        verdict: Verdict,
        waited: (Time, Option<Time>),
        packet: P,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        match verdict {
            Verdict::Pass => return Some(packet),
            Verdict::Signal(reason) | Verdict::Drop(reason) => {
                port.discard_after(waited, packet, reason, discarded);
            }
            Verdict::DropWith { positions, reason } => {
                port.discard_after(waited, packet, reason, discarded);
                self.evict(waited.0, &positions, reason, port, discarded);
            }
            Verdict::PassEvicting { positions, reason } => {
                self.evict(waited.0, &positions, reason, port, discarded);
                return Some(packet);
            }
        }
        None
    }

    #[cold]
    fn evict(
        &mut self,
        now: Time,
        positions: &Positions,
        reason: Reason,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        for &position in positions.as_slice() {
            let (packet, arrived) = self.fifo.remove(position);
            port.discard_after((now, arrived), packet, reason, discarded);
        }
    }
}
