//! A port with guards or several queues: who is asked, and in which order.

use crate::acknowledgement::Acknowledgement;
use crate::aqm::{Departing, Reason, Verdict};
use crate::conservation::{self, ConservationError};
use crate::counters::{QueueCounters, Tally};
use crate::direct_calls::PortScheduler;
use crate::discipline::{QueueClass, QueueLimit, Scheduled};
use crate::fifo::Fifo;
use crate::guard::{Behind, Decision, Guards};
use crate::header::HeaderFields;
use crate::headers::Headers;
use crate::packet::{PacketFacts, Queued};
use crate::parts::{AckFilter, Limit, Room};
use crate::place_set::PlaceSet;
use crate::queue::Queue;
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use crate::shared::Shared;
use aqmlab_units::{Probability, Rate, Time};

/// Queues, and what stands in front of them.
#[derive(Clone)]
pub(crate) struct ScheduledQueues<P: Queued> {
    front: Front,
    /// None in front of one queue that is first in, first out.
    scheduler: Option<PortScheduler>,
    watches_departures: bool,
    asks_again_after_discard: bool,
    counts_discards: bool,
    tells_load: bool,
    /// Any of these but asking again.
    takes_part_in_departures: bool,
    queues: Queues<P>,
    /// Where all queues are alike they are one class.
    classes: Vec<Class>,
    /// Whether they are not.
    has_classes: bool,
    /// Whether there is one class, which neither filters acknowledgements nor washes packets: then nobody has
    /// to look up a queue's.
    is_plain: bool,
    /// How much may wait in all queues together.
    room: Room,
    /// Whether a queue may hold more than that by itself.
    has_own_limit: bool,
    /// Until when the scheduler held back what waits, when it was asked last.
    opens: Option<Time>,
    /// Whether one queue without a scheduler was asked in vain since the last packet came: its scheme knows
    /// that the link is idle.
    is_idle: bool,
    /// When the timer of each queue is due. It runs when the queue is touched next, or somebody looks: each
    /// scheme sees its own queue alone, so nothing can change in between that a tick would see. Empty where
    /// no scheme has a timer.
    timers: Vec<Time>,
}

/// The guards, and the counters of the queues: those who hear of every decision.
#[derive(Clone)]
struct Front {
    guards: Guards,
    counters: Vec<QueueCounters>,
    /// What the queues count with each packet, on top of its IP length: guards and the scheduler are told of
    /// this length.
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
        if self.guards.hear_of(decision) {
            self.guards.tell(now, &facts.longer_by(self.layer2_bytes), decision);
        }
    }
}

/// What queues share that belong together.
#[derive(Clone)]
struct Class {
    /// The first of its queues.
    first: usize,
    /// How much may wait in them.
    room: Room,
    ecn: bool,
    ack_filter: Option<Box<AckFilter>>,
    washes: bool,
}

/// The queues, with the packets and bytes that wait in all of them together, as these count them.
#[derive(Clone)]
struct Queues<P: Queued> {
    row: Vec<Queue<P>>,
    waiting: (u32, u64),
    /// Of several classes: that of each queue, and what waits in each.
    class_of: Vec<u16>,
    in_classes: Vec<(u32, u64)>,
    /// In which of them packets wait: what is observed of a thousand queues is mostly of a handful.
    occupied: PlaceSet,
}

impl<P: Queued> Backlogs for Queues<P> {
    fn queues(&self) -> usize {
        self.row.len()
    }

    fn packets(&self, queue: usize) -> u32 {
        self.row[queue].fifo().packets()
    }

    fn bytes(&self, queue: usize) -> u64 {
        self.row[queue].fifo().bytes()
    }

    fn waiting(&self) -> u32 {
        self.waiting.0
    }

    fn waiting_in(&self, class: usize) -> (u32, u64) {
        self.in_classes[class]
    }

    fn head(&self, queue: usize) -> Option<Departing> {
        self.row[queue].fifo().head()
    }
}

/// Packets and bytes that wait in a queue.
#[inline(always)]
fn length<P: Queued>(queue: &Queue<P>) -> (u32, u64) {
    (queue.fifo().packets(), queue.fifo().bytes())
}

impl<P: Queued> Queues<P> {
    /// A queue has changed: what it held before is no longer what waits there.
    #[inline(always)]
    fn note_length(&mut self, queue: usize, before: (u32, u64)) {
        let after = length(&self.row[queue]);
        self.waiting.0 = self.waiting.0 - before.0 + after.0;
        self.waiting.1 = self.waiting.1 - before.1 + after.1;
        if let Some(&class) = self.class_of.get(queue) {
            let of_class = &mut self.in_classes[usize::from(class)];
            *of_class = (of_class.0 - before.0 + after.0, of_class.1 - before.1 + after.1);
        }
        if (before.0 == 0) != (after.0 == 0) {
            self.occupied.toggle(queue);
        }
    }

    /// The class of a queue.
    #[inline(always)]
    fn class_of(&self, queue: usize) -> usize {
        self.class_of.get(queue).copied().map_or(0, usize::from)
    }

    /// Of one queue what its scheme says; of several the mean, each by its waiting packets.
    fn signal_probability(&self, scheduler: Option<&dyn Scheduler>) -> Probability {
        let of = |place: usize, queue: &Queue<P>| {
            let of_scheduler = scheduler.and_then(|scheduler| scheduler.signal_probability(place));
            of_scheduler.unwrap_or_else(|| queue.scheme().signal_probability())
        };
        if let [queue] = &*self.row {
            return of(0, queue);
        }
        let (mut sum, mut packets) = (0.0, 0.0);
        for place in self.occupied.iter() {
            let queue = &self.row[place];
            let weight = f64::from(queue.fifo().packets());
            sum += weight * of(place, queue).value();
            packets += weight;
        }
        if packets > 0.0 { Probability::clamped(sum / packets) } else { Probability::ZERO }
    }
}

/// When the timers of the queues are due; of none if no scheme has one.
fn timers_of<P: Queued>(row: &[Queue<P>]) -> Vec<Time> {
    let timers: Vec<Option<Time>> = row.iter().map(Queue::next_timer).collect();
    if timers.iter().all(Option::is_none) {
        return Vec::new();
    }
    timers.into_iter().map(|timer| timer.unwrap_or(Time::MAX)).collect()
}

/// A scheme on the heap with what the allocator adds, and a queue's place with its scheduler.
const SCHEME_AND_TURN_BYTES: usize = 192;

impl<P: Queued> ScheduledQueues<P> {
    /// Memory of one queue without packets.
    pub(crate) const BYTES_PER_QUEUE: usize =
        size_of::<Queue<P>>() + size_of::<QueueCounters>() + size_of::<Time>() + SCHEME_AND_TURN_BYTES;

    /// # Panics
    /// If there is no queue, or nobody to schedule several.
    pub(crate) fn new(scheduled: Scheduled, limit: Limit) -> Self {
        let Scheduled { guards, scheduler, queues, queue_limit, ack_filter, washes, classes } = scheduled;
        let has_classes = !classes.is_empty();
        assert!(!queues.is_empty(), "a port has at least one queue");
        assert!(scheduler.is_some() || queues.len() == 1, "several queues have a scheduler");
        let says = |what: fn(&dyn Scheduler) -> bool| scheduler.as_deref().is_some_and(what);
        let watches_departures = says(|one| one.watches_departures());
        let (counts_discards, tells_load) = (says(|one| one.counts_discards()), says(|one| one.tells_load()));
        let asks_again_after_discard = says(|one| one.asks_again_after_discard());
        let of_all = QueueClass { queues: queues.len(), queue_limit, limit, ecn: false, ack_filter, washes };
        let classes = if has_classes { classes } else { vec![of_all] };
        let count: usize = classes.iter().map(|class| class.queues).sum();
        assert_eq!(count, queues.len(), "every queue is of a class");
        let numbered = || (0_u16..).zip(&classes);
        let class_of: Vec<u16> =
            numbered().flat_map(|(number, class)| std::iter::repeat_n(number, class.queues)).collect();
        let rooms = classes
            .iter()
            .flat_map(|class| std::iter::repeat_n(class.queue_limit.room(class.limit), class.queues));
        let mut row: Vec<Queue<P>> =
            queues.into_iter().zip(rooms).map(|(scheme, room)| Queue::new(scheme, room)).collect();
        if scheduler.is_some() {
            row.iter_mut().for_each(Queue::keep_arrival_instants);
        }
        let in_classes = vec![(0, 0); classes.len()];
        let class_of = if has_classes { class_of } else { Vec::new() };
        let mut first = 0;
        let classes = classes.into_iter().map(|class| {
            let QueueClass { queues, limit, ecn, ack_filter, washes, .. } = class;
            let own = Class { first, room: limit.room(), ecn, ack_filter: ack_filter.map(Box::new), washes };
            first += queues;
            own
        });
        let classes: Vec<Class> = classes.collect();
        let is_plain = |class: &Class| class.ack_filter.is_none() && !class.washes;
        Self {
            front: Front {
                guards: Guards::new(guards),
                counters: vec![QueueCounters::default(); row.len()],
                layer2_bytes: 0,
            },
            watches_departures,
            asks_again_after_discard,
            counts_discards,
            tells_load,
            takes_part_in_departures: watches_departures || counts_discards || tells_load,
            is_plain: !has_classes && classes.iter().all(is_plain),
            classes,
            has_classes,
            scheduler: scheduler.map(PortScheduler::from),
            room: limit.room(),
            has_own_limit: has_classes || queue_limit != QueueLimit::OfPort,
            opens: None,
            is_idle: false,
            timers: timers_of(&row),
            queues: Queues { waiting: (0, 0), class_of, in_classes, occupied: PlaceSet::new(row.len()), row },
        }
    }

    /// From here on each packet counts so many bytes more than its IP length. The queues are empty.
    pub(crate) fn count_layer2(&mut self, bytes: u32) {
        self.front.layer2_bytes = bytes;
        self.queues.row.iter_mut().for_each(|queue| queue.count_layer2(bytes));
    }

    /// Goes on under the same discipline with other settings of the queues' schemes and another limit. Guards
    /// and scheduler stay. False where `all` schemes have to go on under the new settings and one does not:
    /// nothing has changed then.
    pub(crate) fn adjust(&mut self, adjusted: Scheduled, limit: Limit, all: bool) -> bool {
        let row = self.queues.row.iter().zip(adjusted.queues);
        let continued: Vec<_> = row.map(|(queue, scheme)| queue.continued(scheme)).collect();
        if all && continued.iter().any(Option::is_none) {
            return false;
        }
        self.room = limit.room();
        let own = (!self.has_classes && adjusted.queue_limit == QueueLimit::OfPort).then_some(self.room);
        for (queue, scheme) in self.queues.row.iter_mut().zip(continued) {
            queue.adjust(scheme, own);
        }
        true
    }

    /// The shaper in front of the scheduler takes another rate, if there is one.
    pub(crate) fn change_shaped_rate(&mut self, rate: Rate) -> bool {
        self.scheduler.as_mut().is_some_and(|scheduler| scheduler.change_shaped_rate(rate))
    }

    pub(crate) const fn packets(&self) -> u32 {
        self.queues.waiting.0
    }

    /// The IP lengths of the waiting packets together.
    pub(crate) fn ip_bytes(&self) -> u64 {
        self.queues.waiting.1 - u64::from(self.queues.waiting.0) * u64::from(self.front.layer2_bytes)
    }

    pub(crate) fn signal_probability(&self) -> Probability {
        self.queues.signal_probability(self.scheduler.as_deref())
    }

    /// Whether packets that wait may still be discarded or marked: to make room for others, or by the scheme
    /// of one queue.
    pub(crate) fn decides_about_waiting(&self) -> bool {
        let by_scheme = || self.queues.row[0].scheme().decides_about_waiting();
        self.scheduler.is_some() || self.has_own_limit || by_scheme()
    }

    /// Guards first, then the scheduler, or the scheme of one queue without it.
    pub(crate) fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.front.guards.observe(sink);
        match &self.scheduler {
            Some(scheduler) => scheduler.observe(sink),
            None => self.queues.row[0].scheme().observe(sink),
        }
    }

    pub(crate) fn queue(&self, queue: usize) -> (&Queue<P>, &QueueCounters) {
        (&self.queues.row[queue], &self.front.counters[queue])
    }

    pub(crate) fn len(&self) -> usize {
        self.queues.row.len()
    }

    pub(crate) fn fifos(&self) -> impl Iterator<Item = &Fifo<P>> {
        self.queues.row.iter().map(Queue::fifo)
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
        mut packet: P,
        headers: impl Headers<P>,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let (facts, header) = (packet.facts(), &headers.fields(&packet));
        let counted = facts.longer_by(self.front.layer2_bytes);
        let admitted = if self.front.guards.is_empty() {
            Ok(false)
        } else {
            self.admission(now, &counted, header, port)
        };
        let signalled = match admitted {
            Ok(signalled) => signalled,
            Err(reason) => return port.discard(packet, reason, discarded),
        };
        let place = match &mut self.scheduler {
            Some(scheduler) => scheduler.classify(now, &counted, header, &self.queues),
            None => 0,
        };
        let of_class =
            if self.is_plain { None } else { Some(self.join_class(place, &mut packet, &headers, port)) };
        self.advance_queue(place, now);
        let Self { queues, front, .. } = self;
        let queue = &mut queues.row[place];
        let before = length(queue);
        front.counters[place].arrivals.count(facts.bytes);
        let mut marked = false;
        let mut on_mark = || marked = true;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let queued = if signalled {
            queue.arrive_signalled(now, packet, &counted, port, &mut on_mark, &mut on_discard)
        } else {
            queue.arrive(now, packet, &counted, port, &mut on_mark, &mut on_discard)
        };
        queues.note_length(place, before);
        if !queued {
            return;
        }
        if marked {
            self.front.tell_of_mark(now, place, &facts);
        } else {
            self.front.tell(now, &facts, Decision::Queued);
        }
        self.is_idle = false;
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_queued(now, place, &counted, &self.queues);
        }
        if let Some((class, acknowledgement)) = of_class {
            self.filter(now, (class, place), (facts.flow, acknowledgement), port, discarded);
            if self.has_classes {
                self.make_room_in_class(now, class, port, discarded);
            }
        }
        self.make_room(now, port, discarded);
    }

    /// A packet is sorted into a queue: what its class does with it. Answers with the class, and with what
    /// the packet acknowledges where the class filters.
    #[inline(never)]
    fn join_class(
        &self,
        place: usize,
        packet: &mut P,
        headers: &impl Headers<P>,
        port: &mut Shared,
    ) -> (usize, Option<Acknowledgement>) {
        let number = self.begin_with(place, port);
        let class = &self.classes[number];
        let acknowledgement = class.ack_filter.as_ref().and_then(|_| headers.acknowledgement(packet));
        if class.washes {
            packet.wash();
        }
        (number, acknowledgement)
    }

    /// A queue is asked about a packet: whether signals are marks is its class's to say. Answers with the
    /// class.
    #[inline(always)]
    fn begin_with(&self, place: usize, port: &mut Shared) -> usize {
        if !self.has_classes {
            return 0;
        }
        let class = self.queues.class_of(place);
        port.ecn = self.classes[class].ecn;
        class
    }

    /// Discards the acknowledgement that the packet which was just queued makes redundant, if there is one.
    #[inline(never)]
    fn filter(
        &mut self,
        now: Time,
        (class, place): (usize, usize),
        (flow, acknowledgement): (u64, Option<Acknowledgement>),
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let Self { queues, front, scheduler, classes, counts_discards, .. } = self;
        let Class { first, ack_filter: Some(filter), .. } = &mut classes[class] else { return };
        let before = length(&queues.row[place]);
        let Some(position) = filter.on_queued(place - *first, before.0, flow, acknowledgement) else {
            return;
        };
        queues.row[place].discard_redundant(now, position, port, &mut |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            if let (true, Some(scheduler)) = (*counts_discards, &mut *scheduler) {
                let bytes = packet.facts().longer_by(front.layer2_bytes).bytes;
                scheduler.on_discarded(now, place, bytes, false);
            }
            discarded(packet, reason);
        });
        queues.note_length(place, before);
    }

    /// The scheme of a queue hears of the load beside it, where the scheduler tells of that.
    #[inline(always)]
    fn tell_load(&mut self, place: usize) {
        if self.tells_load {
            self.tell_of_load(place);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_of_load(&mut self, place: usize) {
        if let Some(scheduler) = &self.scheduler {
            self.queues.row[place].scheme_mut().on_load(&scheduler.load(place));
        }
    }

    #[inline(never)]
    pub(crate) fn depart(
        &mut self,
        now: Time,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<P> {
        while let Some(place) = self.next(now) {
            self.advance_queue(place, now);
            // Every flow that pauses leaves an empty queue behind, which has its turn once or twice more.
            if self.queues.row[place].fifo().packets() == 0 {
                self.tell_load(place);
                self.queues.row[place].find_empty(now);
                self.end_turn(now, place);
                continue;
            }
            self.begin_with(place, port);
            let (sent, marked) = self.take(now, place, port, discarded);
            let Some(packet) = sent else {
                if self.queues.row[place].fifo().packets() == 0 {
                    self.end_turn(now, place);
                }
                continue;
            };
            let facts = packet.facts();
            if let Some(scheduler) = &mut self.scheduler {
                scheduler.on_sent(now, place, facts.longer_by(self.front.layer2_bytes).bytes);
            }
            self.front.counters[place].departures.count(facts.bytes);
            if marked {
                self.front.tell_of_mark(now, place, &facts);
            }
            self.front.tell(now, &facts, Decision::Sent);
            return Some(packet);
        }
        None
    }

    /// The queue whose turn it is. One queue without a scheduler is asked even if nothing waits, once.
    #[inline(always)]
    fn next(&mut self, now: Time) -> Option<usize> {
        let Some(scheduler) = &mut self.scheduler else { return (!self.is_idle).then_some(0) };
        self.opens = None;
        match scheduler.next(now, &self.queues) {
            Turn::Queue(place) => return Some(place),
            Turn::At(opens) => {
                assert!(
                    opens > now,
                    "a scheduler holds back what waits until a later instant: {opens} at {now}"
                );
                self.opens = Some(opens);
            }
            Turn::Nobody => {
                assert_eq!(self.queues.waiting.0, 0, "a scheduler serves every queue in which packets wait");
            }
        }
        None
    }

    /// The queue whose turn it was has nothing to send, and its scheme knows.
    #[inline(always)]
    fn end_turn(&mut self, now: Time, place: usize) {
        match &mut self.scheduler {
            Some(scheduler) => scheduler.on_empty(now, place),
            None => self.is_idle = true,
        }
    }

    /// Takes a packet out of a queue that is let pass, and says whether it was marked on the way.
    #[inline(always)]
    fn take(
        &mut self,
        now: Time,
        place: usize,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> (Option<P>, bool) {
        if self.takes_part_in_departures {
            return self.take_with_scheduler(now, place, port, discarded);
        }
        let Self { queues, front, .. } = self;
        let queue = &mut queues.row[place];
        let before = length(queue);
        port.elsewhere_bytes = queues.waiting.1 - before.1;
        let mut marked = false;
        let mut on_mark = || marked = true;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let sent = if self.asks_again_after_discard {
            queue.depart_one(now, port, &mut on_mark, &mut on_discard)
        } else {
            queue.depart(now, port, &mut on_mark, &mut on_discard)
        };
        queues.note_length(place, before);
        (sent, marked)
    }

    /// The same where the scheduler tells the scheme of the load, counts what it discards, or has something
    /// to say of the packet.
    #[inline(never)]
    fn take_with_scheduler(
        &mut self,
        now: Time,
        place: usize,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> (Option<P>, bool) {
        self.tell_load(place);
        if self.watches_departures {
            return self.take_under_scheduler(now, place, port, discarded);
        }
        let Self { queues, front, scheduler, counts_discards, .. } = self;
        let queue = &mut queues.row[place];
        let before = length(queue);
        port.elsewhere_bytes = queues.waiting.1 - before.1;
        let mut marked = false;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            if let (true, Some(scheduler)) = (*counts_discards, &mut *scheduler) {
                let bytes = packet.facts().longer_by(front.layer2_bytes).bytes;
                scheduler.on_discarded(now, place, bytes, true);
            }
            discarded(packet, reason);
        };
        let sent = if self.asks_again_after_discard {
            queue.depart_one(now, port, &mut || marked = true, &mut on_discard)
        } else {
            queue.depart(now, port, &mut || marked = true, &mut on_discard)
        };
        queues.note_length(place, before);
        (sent, marked)
    }

    /// The same where the scheduler has something to say of the packet, once its scheme lets it pass.
    #[inline(always)]
    fn take_under_scheduler(
        &mut self,
        now: Time,
        place: usize,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) -> (Option<P>, bool) {
        let Self { queues, front, scheduler, .. } = self;
        let before = length(&queues.row[place]);
        port.elsewhere_bytes = queues.waiting.1 - before.1;
        let Some((packet, departing)) = queues.row[place].take_head() else { return (None, false) };
        queues.note_length(place, before);
        let verdict = match (queues.row[place].verdict_on_departure(now, &departing, port), scheduler) {
            (Verdict::Pass, Some(scheduler)) => scheduler.on_departure(now, place, &departing, &*queues),
            (verdict, _) => verdict,
        };
        let before = length(&queues.row[place]);
        let mut marked = false;
        let mut on_discard = |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            discarded(packet, reason);
        };
        let waited = (now, departing.arrived);
        let sent =
            queues.row[place].release(verdict, waited, packet, port, &mut || marked = true, &mut on_discard);
        queues.note_length(place, before);
        (sent, marked)
    }

    /// Until when the scheduler holds back what waits.
    pub(crate) fn opens(&self) -> Option<Time> {
        self.opens.filter(|_| self.queues.waiting.0 > 0)
    }

    /// The next timer of a guard; `Time::MAX` without one.
    pub(crate) fn next_timer(&self) -> Time {
        self.front.guards.next_timer()
    }

    /// Runs the timers of guards that are due at this instant.
    pub(crate) fn run_timers(&mut self, due: Time) {
        self.advance(due);
        let Self { front, queues, scheduler, .. } = self;
        let signals = || queues.signal_probability(scheduler.as_deref());
        front.guards.run_timers(due, &Behind::new(queues.waiting.0, queues.waiting.1, &signals));
    }

    /// Lets time pass for the schemes of all queues, and for the scheduler.
    pub(crate) fn advance(&mut self, now: Time) {
        (0..self.timers.len()).for_each(|queue| self.advance_queue(queue, now));
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.advance(now, &self.queues);
        }
    }

    #[inline(always)]
    fn advance_queue(&mut self, queue: usize, now: Time) {
        if self.timers.get(queue).is_some_and(|&timer| timer <= now) {
            self.run_timers_of_queue(queue, now);
        }
    }

    #[inline(never)]
    fn run_timers_of_queue(&mut self, queue: usize, now: Time) {
        let timer = &mut self.timers[queue];
        while *timer <= now {
            *timer = self.queues.row[queue].run_timer(*timer);
        }
    }

    /// Asks the guards: whether the arrival is to be marked, or why it is discarded.
    #[inline(never)]
    fn admission(
        &mut self,
        now: Time,
        facts: &PacketFacts,
        header: &HeaderFields,
        port: &mut Shared,
    ) -> Result<bool, Reason> {
        self.advance(now);
        let Self { front, queues, scheduler, .. } = self;
        let signals = || queues.signal_probability(scheduler.as_deref());
        let behind = Behind::new(queues.waiting.0, queues.waiting.1, &signals);
        front.guards.admission(now, facts, header, &behind, port)
    }

    /// Discards what the scheduler chooses until the buffer that all queues share holds the rest; without a
    /// scheduler the last arrivals.
    fn make_room(&mut self, now: Time, port: &mut Shared, discarded: &mut impl FnMut(P, Reason)) {
        while !self.room.holds(self.queues.waiting.0, self.queues.waiting.1) {
            let victim = match &mut self.scheduler {
                Some(scheduler) => scheduler.victim(now, &self.queues),
                None => Victim { queue: 0, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX },
            };
            self.discard_victim(now, &victim, port, discarded);
        }
    }

    /// The same until the buffer of a class holds what waits there.
    #[inline(never)]
    fn make_room_in_class(
        &mut self,
        now: Time,
        class: usize,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        loop {
            let (packets, bytes) = self.queues.in_classes[class];
            let Some(scheduler) = &mut self.scheduler else { return };
            if self.classes[class].room.holds(packets, bytes) {
                return;
            }
            let victim = scheduler.victim_of_class(now, class, &self.queues);
            self.discard_victim(now, &victim, port, discarded);
        }
    }

    fn discard_victim(
        &mut self,
        now: Time,
        victim: &Victim,
        port: &mut Shared,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        let place = victim.queue;
        self.advance_queue(place, now);
        self.tell_load(place);
        let Self { queues, front, scheduler, counts_discards, .. } = self;
        let before = length(&queues.row[place]);
        queues.row[place].make_room(now, victim, port, &mut |packet: P, reason| {
            front.tell_of_discard(now, place, &packet.facts(), reason);
            if let (true, Some(scheduler)) = (*counts_discards, &mut *scheduler) {
                let bytes = packet.facts().longer_by(front.layer2_bytes).bytes;
                scheduler.on_discarded(now, place, bytes, false);
            }
            discarded(packet, reason);
        });
        queues.note_length(place, before);
    }
}
