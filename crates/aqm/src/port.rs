//! A port: the queues in front of a link, what decides about them, and the count of all that happens there.

use crate::adjustment::{Adjusted, AdjustmentError};
use crate::algorithms::Scheme;
use crate::aqm::{Aqm, Reason};
use crate::conservation::{self, ConservationError};
use crate::counters::{Counters, QueueCounters};
use crate::discipline::Discipline;
use crate::headers::Headers;
use crate::occupancy::Occupancy;
use crate::packet::Queued;
use crate::parts::Limit;
use crate::port_facts::PortFacts;
use crate::queue::Queue;
use crate::scheduled_queues::ScheduledQueues;
use crate::shared::Shared;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Rate, Time};

/// The waiting packets of one link under one discipline.
///
/// The port holds only packets that wait: the one being transmitted belongs to the link, as in ns-2 and ALTQ.
/// On an idle link the driver calls [`Port::arrive`] and then [`Port::depart`] at the same instant. When a
/// transmission ends it calls [`Port::depart`] again; `None` means that the link falls idle.
///
/// The port alone turns a verdict into deeds: it enforces the limits, decides between mark and discard, runs
/// the timers, and counts. A timer that is due at the instant of an arrival or a departure comes
/// first.
// What every packet touches lies together, in front of the counters.
#[repr(C)]
#[derive(Clone)]
pub struct Port<P: Queued> {
    /// Until the last call.
    occupancy: Occupancy,
    next_timer: Time,
    layout: Layout<P>,
    shared: Shared,
}

/// The plain case stands beside the others, so that it pays for nothing but a test: of a byte.
#[repr(u8)]
#[derive(Clone)]
enum Layout<P: Queued> {
    Fifo(Queue<P>),
    Scheduled(Box<ScheduledQueues<P>>),
}

/// One queue of a port, as it is now.
#[derive(Clone, Copy)]
pub struct QueueReport<'a> {
    /// How many packets wait.
    pub packets: u32,
    /// How many bytes wait: of the IP packets.
    pub bytes: u64,
    /// What happened in this queue so far.
    pub counters: QueueCounters,
    scheme: &'a dyn Aqm,
}

impl QueueReport<'_> {
    /// Reports names and values of the state of the queue's scheme.
    pub fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.scheme.observe(sink);
    }
}

/// The scheme at a port, behind its shaper if there is one.
fn discipline_of(scheme: &Scheme, facts: &PortFacts) -> Discipline {
    let discipline = scheme.build(facts);
    match facts.shaping {
        Some(shaping) => discipline.shaped(shaping, facts.layer2_queued_bytes),
        None => discipline,
    }
}

impl<P: Queued> Port<P> {
    /// Memory in bytes of each queue of a port that has several, without packets: for estimates.
    pub const BYTES_PER_QUEUE: usize = ScheduledQueues::<P>::BYTES_PER_QUEUE;

    /// An empty port with an idle link, under a scheme that [is valid](Scheme::validate).
    ///
    /// `coins` is the stream from which the scheme draws; no other consumer may use it.
    ///
    /// # Panics
    /// If `scheme` or `facts` is not valid.
    #[must_use]
    pub fn new(scheme: &Scheme, facts: PortFacts, coins: Stream) -> Self {
        let mut port =
            Self::with_discipline(discipline_of(scheme, &facts), scheme.limit(), scheme.ecn(), coins);
        port.count_layer2(facts.layer2_queued_bytes);
        port
    }

    /// An empty port with one queue under this scheme, with its buffer limit, and with or without ECN.
    #[must_use]
    pub fn with_scheme(scheme: Box<dyn Aqm>, limit: Limit, ecn: bool, coins: Stream) -> Self {
        Self::with_discipline(Discipline::Fifo(scheme), limit, ecn, coins)
    }

    /// An empty port under this discipline, with the limit of what waits in all its queues together, and with
    /// or without ECN.
    ///
    /// # Panics
    /// If the discipline has no queue.
    #[must_use]
    pub fn with_discipline(discipline: Discipline, limit: Limit, ecn: bool, coins: Stream) -> Self {
        let layout = match discipline {
            Discipline::Fifo(scheme) => Layout::Fifo(Queue::new(scheme, limit.room())),
            Discipline::Scheduled(scheduled) => {
                Layout::Scheduled(Box::new(ScheduledQueues::new(scheduled, limit)))
            }
        };
        let next_timer = layout.next_timer();
        Self { occupancy: Occupancy::ZERO, next_timer, layout, shared: Shared::new(ecn, coins) }
    }

    /// From here on the scheme is given the instants of arrivals even if it does not ask for them. The port
    /// is empty; one with guards or several queues stays as it is.
    pub(crate) fn keep_arrival_instants(&mut self) {
        if let Layout::Fifo(queue) = &mut self.layout {
            queue.tell_arrival_instants();
        }
    }

    /// From here on the queues count so many bytes with each packet, on top of its IP length. The port is
    /// empty.
    fn count_layer2(&mut self, bytes: u32) {
        match &mut self.layout {
            Layout::Fifo(queue) => queue.count_layer2(bytes),
            Layout::Scheduled(queues) => queues.count_layer2(bytes),
        }
    }

    /// Puts other values of [adjustable](Scheme::adjustable) parameters into force: `adjusted` is the scheme
    /// that the port works under with these values. What waits stays, even beyond a lower limit; the next
    /// arrivals meet it.
    ///
    /// # Errors
    /// [`AdjustmentError::NotContinued`] where the scheme of a queue does not take the new settings over from
    /// the one before ([`Aqm::continue_from`](crate::Aqm::continue_from)); nothing has changed.
    ///
    /// # Panics
    /// If `now` lies before an earlier call, or `adjusted` or `facts` is not valid.
    pub fn adjust(
        &mut self,
        now: Time,
        adjusted: &Adjusted,
        facts: &PortFacts,
    ) -> Result<(), AdjustmentError> {
        let scheme = adjusted.scheme();
        self.advance(now);
        let is_under_way = match (&mut self.layout, discipline_of(scheme, facts)) {
            (Layout::Fifo(queue), Discipline::Fifo(next)) => {
                let next = queue.continued(next);
                let legal = next.is_some() || !adjusted.concerns_scheme();
                if legal {
                    queue.adjust(next, Some(scheme.limit().room()));
                }
                legal
            }
            (Layout::Scheduled(queues), Discipline::Scheduled(next)) => {
                queues.adjust(next, scheme.limit(), adjusted.concerns_scheme())
            }
            _ => panic!("the port works under another scheme than {}", scheme.name()),
        };
        if !is_under_way {
            return Err(adjusted.not_continued());
        }
        self.shared.ecn = scheme.ecn();
        self.next_timer = self.layout.next_timer();
        Ok(())
    }

    /// What leaves is shaped to another rate from the next packet on; answers whether a shaper stands in
    /// front of the link. What the schemes have worked out from the rate before stays.
    pub fn change_shaped_rate(&mut self, rate: Rate) -> bool {
        match &mut self.layout {
            Layout::Fifo(_) => false,
            Layout::Scheduled(queues) => queues.change_shaped_rate(rate),
        }
    }

    /// A packet arrives. It is queued, or handed to `discarded` with the reason; so are waiting packets that
    /// the scheme evicts, or that make room for it.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, packet: P, discarded: &mut impl FnMut(P, Reason)) {
        self.arrive_with(now, packet, P::header_fields, discarded);
    }

    /// As [`Port::arrive`], of a packet that does not carry what several queues are sorted by: `header` is
    /// asked for it, and only where the port [classifies](Port::classifies).
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn arrive_with(
        &mut self,
        now: Time,
        packet: P,
        header: impl Headers<P>,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        self.begin(now);
        let facts = packet.facts();
        self.shared.counters.arrivals.count(&facts);
        match &mut self.layout {
            Layout::Fifo(queue) => {
                let counted = queue.fifo().counted(facts);
                queue.arrive(now, packet, &counted, &mut self.shared, &mut || {}, discarded);
            }
            Layout::Scheduled(queues) => queues.arrive(now, packet, header, &mut self.shared, discarded),
        }
    }

    /// As [`Port::arrive`], for a driver that has to know what becomes of the packet: answers with it as it
    /// is queued, which it is behind all others if the port has one queue.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn accept(&mut self, now: Time, packet: P, discarded: &mut impl FnMut(P, Reason)) -> Option<P>
    where
        P: Copy,
    {
        self.begin(now);
        let facts = packet.facts();
        self.shared.counters.arrivals.count(&facts);
        let mut as_queued = packet;
        let mut mark = || as_queued.mark();
        let accepted = match &mut self.layout {
            Layout::Fifo(queue) => {
                let counted = queue.fifo().counted(facts);
                queue.arrive(now, packet, &counted, &mut self.shared, &mut mark, discarded)
            }
            Layout::Scheduled(_) => {
                unreachable!("which of several queues is served next nobody knows, nor what guards say")
            }
        };
        accepted.then_some(as_queued)
    }

    /// A packet arrives and the link is idle, so that nothing waits, and asks for it at once:
    /// [`Port::arrive_with`] followed by [`Port::depart`].
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn pass(
        &mut self,
        now: Time,
        packet: P,
        header: impl Headers<P>,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        self.begin(now);
        let facts = packet.facts();
        self.shared.counters.arrivals.count(&facts);
        match &mut self.layout {
            Layout::Fifo(queue) => queue.pass(now, packet, &facts, &mut self.shared, discarded),
            Layout::Scheduled(queues) => {
                queues.arrive(now, packet, header, &mut self.shared, discarded);
                queues.depart(now, &mut self.shared, discarded)
            }
        }
    }

    /// A packet is lost on its way to the queue: it is counted, and nothing at the port ever hears of it.
    #[cold]
    pub fn lose(&mut self, packet: P, discarded: &mut impl FnMut(P, Reason)) {
        self.shared.counters.arrivals.count(&packet.facts());
        self.shared.discard(packet, Reason::Impairment, discarded);
    }

    /// The link asks for the next packet; none when no packet waits, or when the port [holds it
    /// back](Port::opens), and the link falls idle. Packets that the scheme discards on the way are handed to
    /// `discarded`.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    #[inline(always)]
    pub fn depart(&mut self, now: Time, discarded: &mut impl FnMut(P, Reason)) -> Option<P> {
        self.begin(now);
        match &mut self.layout {
            Layout::Fifo(queue) => queue.depart(now, &mut self.shared, &mut || {}, discarded),
            Layout::Scheduled(queues) => queues.depart(now, &mut self.shared, discarded),
        }
    }

    /// Until when the port holds back what waits, whoever asks for it: the instant from which on the link has
    /// to ask again where [`Port::depart`] gave it nothing. None where nothing waits, or nothing holds it
    /// back, as of most ports.
    #[must_use]
    #[inline]
    pub fn opens(&self) -> Option<Time> {
        match &self.layout {
            Layout::Fifo(_) => None,
            Layout::Scheduled(queues) => queues.opens(),
        }
    }

    /// When a timer of the scheme is due next; none if it has none.
    #[must_use]
    pub fn next_timer(&self) -> Option<Time> {
        (self.next_timer < Time::MAX).then_some(self.next_timer)
    }

    /// Lets time pass: runs the timers that are due by `now`, each at its own instant. Call it before reading
    /// the state; arrivals and departures do it themselves.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    pub fn advance(&mut self, now: Time) {
        self.begin(now);
        if let Layout::Scheduled(queues) = &mut self.layout {
            queues.advance(now);
        }
    }

    /// Lets time pass for what any arrival or departure may meet.
    #[inline(always)]
    fn begin(&mut self, now: Time) {
        let latest = self.occupancy.until();
        assert!(now >= latest, "time ran backwards: {now} after {latest}");
        self.occupancy = self.occupancy.advanced(now, self.packets());
        if now >= self.next_timer {
            self.run_timers(now);
        }
    }

    /// Whether arrivals are sorted into queues, or shown to guards: whether [`Port::arrive_with`] asks for
    /// the fields of their headers.
    #[must_use]
    pub const fn classifies(&self) -> bool {
        !matches!(self.layout, Layout::Fifo(_))
    }

    /// How many packets wait, in all queues together.
    #[must_use]
    #[inline]
    pub fn packets(&self) -> u32 {
        match &self.layout {
            Layout::Fifo(queue) => queue.fifo().packets(),
            Layout::Scheduled(queues) => queues.packets(),
        }
    }

    /// How many bytes wait, in all queues together: of the IP packets, whatever else the queues count.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        match &self.layout {
            Layout::Fifo(queue) => queue.fifo().ip_bytes(),
            Layout::Scheduled(queues) => queues.ip_bytes(),
        }
    }

    /// The packets that wait, in all queues together, integrated over time until `now`, before which nothing
    /// else has happened since the last call.
    #[must_use]
    pub fn occupancy(&self, now: Time) -> Occupancy {
        self.occupancy.advanced(now, self.packets())
    }

    /// The probability with which the scheme now signals congestion to a packet of average size; of several
    /// queues the mean, each by its waiting packets.
    #[must_use]
    pub fn signal_probability(&self) -> Probability {
        match &self.layout {
            Layout::Fifo(queue) => queue.scheme().signal_probability(),
            Layout::Scheduled(queues) => queues.signal_probability(),
        }
    }

    /// Reports names and values of the state of the port: of its guards, of its scheme where it has one
    /// queue, and of its scheduler where it has several. [`Port::queue`] tells of the schemes of several
    /// queues.
    pub fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        match &self.layout {
            Layout::Fifo(queue) => queue.scheme().observe(sink),
            Layout::Scheduled(queues) => queues.observe(sink),
        }
    }

    /// How many queues the port sorts packets into; a port that does not has one.
    #[must_use]
    pub fn queues(&self) -> usize {
        match &self.layout {
            Layout::Fifo(_) => 1,
            Layout::Scheduled(queues) => queues.len(),
        }
    }

    /// One of several queues by its number; none beyond the last, and none where the port has a single queue
    /// without guards, of which [`Port::counters`] and [`Port::observe`] tell all.
    #[must_use]
    pub fn queue(&self, queue: usize) -> Option<QueueReport<'_>> {
        let (queue, counters) = match &self.layout {
            Layout::Scheduled(queues) if queue < queues.len() => queues.queue(queue),
            _ => return None,
        };
        let (packets, bytes) = (queue.fifo().packets(), queue.fifo().ip_bytes());
        Some(QueueReport { packets, bytes, counters: *counters, scheme: queue.scheme() })
    }

    /// Whether packets that wait [may still be discarded or marked](Aqm::decides_about_waiting): by a scheme,
    /// or to make room for others.
    #[must_use]
    pub fn decides_about_waiting(&self) -> bool {
        match &self.layout {
            Layout::Fifo(queue) => queue.scheme().decides_about_waiting(),
            Layout::Scheduled(queues) => queues.decides_about_waiting(),
        }
    }

    /// Every packet that waits, in all queues, queue by queue from its head.
    #[must_use]
    pub fn waiting(&self) -> Box<dyn Iterator<Item = &P> + '_> {
        match &self.layout {
            Layout::Fifo(queue) => Box::new(queue.fifo().waiting()),
            Layout::Scheduled(queues) => Box::new(queues.waiting()),
        }
    }

    /// What happened here so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Checks that every packet and byte that arrived has left, was discarded, or waits, at the port and in
    /// each of its queues. Walks the queues.
    ///
    /// # Errors
    /// [`ConservationError`] with the first balance that does not close.
    pub fn check_conservation(&self) -> Result<(), ConservationError> {
        match &self.layout {
            Layout::Fifo(queue) => conservation::check(self.counters(), std::iter::once(queue.fifo())),
            Layout::Scheduled(queues) => {
                conservation::check(self.counters(), queues.fifos())?;
                queues.check_conservation()
            }
        }
    }

    #[cold]
    fn run_timers(&mut self, now: Time) {
        while self.next_timer <= now {
            let due = self.next_timer;
            self.next_timer = match &mut self.layout {
                Layout::Fifo(queue) => queue.run_timer(due),
                Layout::Scheduled(queues) => {
                    queues.run_timers(due);
                    queues.next_timer()
                }
            };
        }
    }
}

impl<P: Queued> Layout<P> {
    fn next_timer(&self) -> Time {
        match self {
            Self::Fifo(queue) => queue.next_timer().unwrap_or(Time::MAX),
            Self::Scheduled(queues) => queues.next_timer(),
        }
    }
}
