//! A port: the queue in front of a link, its scheme, and the count of all that happens there.

use crate::algorithms::Scheme;
use crate::aqm::{Aqm, Departing, Positions, Reason, Verdict};
use crate::conservation::{self, ConservationError};
use crate::counters::Counters;
use crate::fifo::Fifo;
use crate::packet::{PacketFacts, Queued};
use crate::parts::{Limit, Room};
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Rate, Time};

/// What a scheme may know of the port it works at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortFacts {
    /// Rate of the link that empties the queue.
    pub link_rate: Rate,
    /// Where periodic timers tick within their period, in `[0, 1)`: at `(timer_phase + k)` periods, k = 0, 1,
    /// …, instant 0 left out. Draw it at random where ticks that are locked to packet clocks would alias.
    pub timer_phase: f64,
}

impl PortFacts {
    /// A port of a link with this rate, whose timers tick at whole multiples of their period.
    #[must_use]
    pub const fn new(link_rate: Rate) -> Self {
        Self { link_rate, timer_phase: 0.0 }
    }

    /// The same port with another timer phase, in `[0, 1)`.
    ///
    /// # Panics
    /// If `timer_phase` lies outside.
    #[must_use]
    pub fn with_timer_phase(self, timer_phase: f64) -> Self {
        assert!((0.0..1.0).contains(&timer_phase), "a phase lies in [0, 1): {timer_phase}");
        Self { timer_phase, ..self }
    }
}

/// The waiting packets of one link under one scheme.
///
/// The port holds only packets that wait: the one being transmitted belongs to the link, as in ns-2 and ALTQ.
/// On an idle link the driver calls [`Port::arrive`] and then [`Port::depart`] at the same instant. When a
/// transmission ends it calls [`Port::depart`] again; `None` means that the link falls idle.
///
/// The port alone turns a verdict into deeds: it enforces the limit, decides between mark and discard, runs
/// the scheme's timers, and counts. A timer that is due at the instant of an arrival or a departure comes
/// first.
pub struct Port<P: Queued> {
    queue: Fifo<P>,
    room: Room,
    ecn: bool,
    asks_on_departure: bool,
    latest: Time,
    next_timer: Time,
    coins: Stream,
    scheme: Box<dyn Aqm>,
    counters: Counters,
}

impl<P: Queued> Port<P> {
    /// An empty port with an idle link, under a scheme that [is valid](Scheme::validate).
    ///
    /// `coins` is the stream from which the scheme draws; no other consumer may use it.
    ///
    /// # Panics
    /// If `scheme` or `facts` is not valid.
    #[must_use]
    pub fn new(scheme: &Scheme, facts: PortFacts, coins: Stream) -> Self {
        Self::with_scheme(scheme.build(&facts), scheme.limit(), scheme.ecn(), coins)
    }

    /// An empty port under a scheme from outside this crate, with its buffer limit, and with or without ECN.
    #[must_use]
    pub fn with_scheme(scheme: Box<dyn Aqm>, limit: Limit, ecn: bool, coins: Stream) -> Self {
        Self {
            queue: Fifo::new(scheme.needs_arrival_instants()),
            room: limit.room(),
            ecn,
            asks_on_departure: scheme.watches_departures(),
            latest: Time::ZERO,
            next_timer: scheme.next_timer().unwrap_or(Time::MAX),
            coins,
            scheme,
            counters: Counters::ZERO,
        }
    }

    /// A packet arrives. It is queued, or handed to `discarded` with the reason; so are waiting packets that
    /// the scheme evicts.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, packet: P, discarded: &mut impl FnMut(P, Reason)) {
        self.advance(now);
        let facts = packet.facts();
        self.counters.arrivals.count(&facts);
        let queue = QueueView::new(self.queue.packets(), self.queue.bytes(), &self.room, &self.queue);
        let verdict = self.scheme.on_arrival(now, &facts, &queue, &mut self.coins);
        let mark = self.marks_on(&verdict, &facts);
        let packet = if mark || matches!(verdict, Verdict::Pass) {
            packet
        } else {
            let Some(packet) = self.carry_out(verdict, packet, discarded) else { return };
            packet
        };
        if !self.room.admits(self.queue.packets(), self.queue.bytes(), facts.bytes) {
            self.scheme.on_overflow(now, &facts);
            return self.discard(packet, Reason::Overflow, discarded);
        }
        let packet = if mark { self.mark(packet) } else { packet };
        self.queue.push(now, packet, facts.bytes);
    }

    /// A packet is lost on its way to the queue: it is counted, and the scheme never hears of it.
    #[cold]
    pub fn lose(&mut self, packet: P, discarded: &mut impl FnMut(P, Reason)) {
        self.counters.arrivals.count(&packet.facts());
        self.discard(packet, Reason::Impairment, discarded);
    }

    /// The link asks for the next packet; none when no packet waits, and the link falls idle. Packets that
    /// the scheme discards on the way are handed to `discarded`.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn depart(&mut self, now: Time, discarded: &mut impl FnMut(P, Reason)) -> Option<P> {
        self.advance(now);
        while let Some(packet) = self.queue.pop() {
            let (facts, arrived) = (packet.facts(), self.queue.pop_instant());
            if !self.asks_on_departure {
                self.counters.departures.count(&facts);
                return Some(packet);
            }
            let departing = Departing { facts, arrived };
            let queue = QueueView::new(self.queue.packets(), self.queue.bytes(), &self.room, &self.queue);
            let verdict = self.scheme.on_departure(now, &departing, &queue, &mut self.coins);
            let packet = if self.marks_on(&verdict, &facts) {
                self.mark(packet)
            } else if matches!(verdict, Verdict::Pass) {
                packet
            } else {
                let Some(packet) = self.carry_out(verdict, packet, discarded) else { continue };
                packet
            };
            self.counters.departures.count(&packet.facts());
            return Some(packet);
        }
        self.scheme.on_idle(now);
        None
    }

    /// Lets time pass: runs the timers that are due by `now`, each at its own instant. Call it before reading
    /// the state; arrivals and departures do it themselves.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn advance(&mut self, now: Time) {
        assert!(now >= self.latest, "time ran backwards: {now} after {}", self.latest);
        self.latest = now;
        if now >= self.next_timer {
            self.run_timers(now);
        }
    }

    /// How many packets wait.
    #[must_use]
    #[inline]
    pub fn packets(&self) -> u32 {
        self.queue.packets()
    }

    /// How many bytes wait.
    #[must_use]
    #[inline]
    pub const fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    /// The probability with which the scheme now signals congestion to a packet of average size.
    #[must_use]
    pub fn signal_probability(&self) -> Probability {
        self.scheme.signal_probability()
    }

    /// Reports names and values of the scheme's state.
    pub fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.scheme.observe(sink);
    }

    /// Whether packets that wait [may still be discarded or marked](Aqm::decides_about_waiting).
    #[must_use]
    pub fn decides_about_waiting(&self) -> bool {
        self.scheme.decides_about_waiting()
    }

    /// What happened here so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Checks that every packet and byte that arrived has left, was discarded, or waits. Walks the queue.
    ///
    /// # Errors
    /// [`ConservationError`] with the first balance that does not close.
    pub fn check_conservation(&self) -> Result<(), ConservationError> {
        conservation::check(&self.counters, &self.queue)
    }

    #[cold]
    fn run_timers(&mut self, now: Time) {
        while self.next_timer <= now {
            let due = self.next_timer;
            let queue = QueueView::new(self.queue.packets(), self.queue.bytes(), &self.room, &self.queue);
            self.scheme.on_timer(due, &queue);
            self.next_timer = self.scheme.next_timer().unwrap_or(Time::MAX);
            assert!(self.next_timer > due, "a timer must move forward: {} after {due}", self.next_timer);
        }
    }

    /// The ECN policy: a signal is a mark when ECN is on and the packet is capable, otherwise a discard.
    #[inline(always)]
    fn marks_on(&self, verdict: &Verdict, facts: &PacketFacts) -> bool {
        matches!(verdict, Verdict::Signal(_)) && self.ecn && facts.codepoint.can_be_marked()
    }

    /// Discards what a verdict that is no mark condemns; answers with the packet it is about if that one passes.
    #[cold]
    #[inline(never)]
    fn carry_out(&mut self, verdict: Verdict, packet: P, discarded: &mut impl FnMut(P, Reason)) -> Option<P> {
        match verdict {
            Verdict::Pass => return Some(packet),
            Verdict::Signal(reason) | Verdict::Drop(reason) => self.discard(packet, reason, discarded),
            Verdict::DropWith { positions, reason } => {
                self.discard(packet, reason, discarded);
                self.evict(&positions, reason, discarded);
            }
            Verdict::PassEvicting { positions, reason } => {
                self.evict(&positions, reason, discarded);
                return Some(packet);
            }
        }
        None
    }

    /// Marks a packet that passes. On arrival this comes after the test for room: what is lost to overflow
    /// was never marked.
    #[cold]
    fn mark(&mut self, mut packet: P) -> P {
        self.counters.marks.count(&packet.facts());
        packet.mark();
        packet
    }

    #[cold]
    fn evict(&mut self, positions: &Positions, reason: Reason, discarded: &mut impl FnMut(P, Reason)) {
        for &position in positions.as_slice() {
            let packet = self.queue.remove(position);
            self.discard(packet, reason, discarded);
        }
    }

    /// The one way by which a packet is lost.
    #[cold]
    fn discard(&mut self, packet: P, reason: Reason, discarded: &mut impl FnMut(P, Reason)) {
        self.counters.discards[reason.index()].count(&packet.facts());
        discarded(packet, reason);
    }
}
