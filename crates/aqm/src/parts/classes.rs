//! Classes of traffic at a port: each has queues of its own under any scheme, and something says whose turn
//! it is among the classes.

use super::queue_range::QueueRange;
use super::{Limit, LimitRule, OneQueue};
use crate::aqm::{Aqm, Departing, Load, Verdict};
use crate::discipline::{Discipline, QueueClass, QueueLimit, Scheduled};
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::place_set::PlaceSet;
use crate::scheduler::{Backlogs, Scheduler, Turn, Victim};
use aqmlab_units::{Probability, Rate, Span, Time};
use dyn_clone::DynClone;

/// Whose turn it is among classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassTurn {
    /// A class's.
    Class(usize),
    /// Nobody's before this instant.
    At(Time),
    /// Nobody's: no class has anything to send.
    Nobody,
}

/// Sorts arrivals into classes, and says which of them is served next.
pub(crate) trait ClassOrder: Send + DynClone {
    /// The class of an arrival.
    fn class_of(&self, header: &HeaderFields) -> usize;

    /// Whose turn it is among the classes that have something to send.
    fn next(&mut self, now: Time, ready: &PlaceSet) -> ClassTurn;

    /// The rate of the shaper in a class whose turn it is, if that changes now; `waits` says of each class
    /// whether packets wait there.
    fn new_rate(&mut self, now: Time, class: usize, waits: &dyn Fn(usize) -> bool) -> Option<Rate> {
        let _ = (now, class, waits);
        None
    }

    /// The class whose turn it was has sent a packet of so many bytes, with which it `has_emptied` or not.
    fn on_sent(&mut self, now: Time, class: usize, bytes: u32, has_emptied: bool) {
        let _ = (now, class, bytes, has_emptied);
    }

    /// Reports names and values of the state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }
}

dyn_clone::clone_trait_object!(ClassOrder);

/// What is counted of each of the first classes, as it is observed.
const COUNTED: [[&str; 4]; 16] = {
    macro_rules! of {
        ($($number:literal)+) => {
            [$([
                concat!("class_", $number, "_arrived_packets"),
                concat!("class_", $number, "_sent_packets"),
                concat!("class_", $number, "_sent_bytes"),
                concat!("class_", $number, "_longest_wait_for_a_turn_s"),
            ]),+]
        };
    }
    of!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
};

/// A class: its queues among those of the port, and who schedules them.
#[derive(Clone)]
struct Class {
    scheduler: Box<dyn Scheduler>,
    first: usize,
    count: usize,
    /// Whether it has one queue, whose scheme hears when it has become empty.
    is_one_queue: bool,
    /// Until when its own scheduler holds back what waits.
    held_until: Time,
    /// Since when it waits for a turn, if anything waits.
    waits_since: Option<Time>,
    longest_wait: Span,
    arrived_packets: u64,
    sent: (u64, u64),
}

/// The scheduler of a port with classes.
#[derive(Clone)]
pub(crate) struct Classes {
    order: Box<dyn ClassOrder>,
    row: Vec<Class>,
    /// The class of each queue.
    class_of: Vec<u16>,
    /// Those with packets that nothing holds back.
    ready: PlaceSet,
    /// Those with packets that their own schedulers hold back.
    held: PlaceSet,
    /// The class whose turn it is, and whether one packet waits there.
    turn: (usize, bool),
    /// A class of one queue that has just sent its last packet: its scheme is to hear of that.
    emptied: Option<usize>,
    last_arrival: usize,
}

/// A class as it is built.
pub(crate) struct BuiltClass {
    scheduler: Box<dyn Scheduler>,
    schemes: Vec<Box<dyn Aqm>>,
    of_queues: QueueClass,
    is_one_queue: bool,
}

impl BuiltClass {
    /// A class under this discipline, with the limit that the scheme has for itself, if any.
    ///
    /// # Panics
    /// If it has guards, or classes of its own.
    pub(crate) fn new(discipline: Discipline, own_limit: Option<Limit>, ecn: bool) -> Self {
        let unlimited = Limit { packets: None, bytes: None, rule: LimitRule::HoldLimit };
        let limit = own_limit.unwrap_or(unlimited);
        match discipline {
            Discipline::Fifo(scheme) => Self {
                scheduler: Box::new(OneQueue::default()),
                schemes: vec![scheme],
                of_queues: QueueClass {
                    queues: 1,
                    queue_limit: QueueLimit::OfPort,
                    limit,
                    ecn,
                    ack_filter: None,
                    washes: false,
                },
                is_one_queue: true,
            },
            Discipline::Scheduled(scheduled) => {
                let Scheduled { guards, scheduler, queues, queue_limit, ack_filter, washes, classes } =
                    scheduled;
                assert!(guards.is_empty() && classes.is_empty(), "a class of queues and nothing else");
                let scheduler = scheduler.expect("several queues have a scheduler");
                let count = queues.len();
                Self {
                    scheduler,
                    schemes: queues,
                    of_queues: QueueClass { queues: count, queue_limit, limit, ecn, ack_filter, washes },
                    is_one_queue: false,
                }
            }
        }
    }
}

/// Classes in this order at a port.
pub(crate) fn classes(order: Box<dyn ClassOrder>, built: Vec<BuiltClass>) -> Discipline {
    let (mut row, mut class_of, mut schemes, mut classes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, class) in (0_u16..).zip(built) {
        let (first, count) = (schemes.len(), class.schemes.len());
        class_of.extend(std::iter::repeat_n(number, count));
        schemes.extend(class.schemes);
        classes.push(class.of_queues);
        row.push(Class {
            scheduler: class.scheduler,
            first,
            count,
            is_one_queue: class.is_one_queue,
            held_until: Time::ZERO,
            waits_since: None,
            longest_wait: Span::ZERO,
            arrived_packets: 0,
            sent: (0, 0),
        });
    }
    let (ready, held) = (PlaceSet::new(row.len()), PlaceSet::new(row.len()));
    let (turn, emptied, last_arrival) = ((0, false), None, 0);
    let scheduler = Classes { order, row, class_of, ready, held, turn, emptied, last_arrival };
    Discipline::Scheduled(Scheduled { classes, ..Scheduled::queues(Box::new(scheduler), schemes) })
}

impl Classes {
    /// The class of a queue, and the queue's number there.
    fn place_of(&self, queue: usize) -> (usize, usize) {
        let class = usize::from(self.class_of[queue]);
        (class, queue - self.row[class].first)
    }

    /// Asks the scheduler of a class.
    fn of_class<R>(
        &mut self,
        class: usize,
        queues: &dyn Backlogs,
        ask: impl FnOnce(&mut dyn Scheduler, &QueueRange<'_>) -> R,
    ) -> R {
        let Class { scheduler, first, count, .. } = &mut self.row[class];
        ask(&mut **scheduler, &QueueRange { queues, first: *first, count: *count, class: Some(class) })
    }

    /// Nothing holds back what waits in a class, until its scheduler says so again.
    fn release(&mut self, class: usize) {
        self.row[class].held_until = Time::ZERO;
        if self.held.contains(class) {
            self.held.toggle(class);
            self.ready.toggle(class);
        }
    }

    /// Takes a class that is ready out of those that are.
    fn leave(&mut self, class: usize) {
        self.ready.toggle(class);
        self.row[class].waits_since = None;
    }
}

impl Scheduler for Classes {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        let class = self.order.class_of(header);
        self.row[class].arrived_packets += 1;
        let place =
            self.of_class(class, queues, |scheduler, own| scheduler.classify(now, packet, header, own));
        self.last_arrival = class;
        self.row[class].first + place
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        let (class, place) = self.place_of(queue);
        self.of_class(class, queues, |scheduler, own| scheduler.on_queued(now, place, packet, own));
        if self.held.contains(class) {
            self.release(class);
        } else if !self.ready.contains(class) {
            self.ready.toggle(class);
        }
        if queues.waiting_in(class).0 == 1 {
            self.row[class].waits_since = Some(now);
        }
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        if let Some(class) = self.emptied.take()
            && queues.waiting_in(class).0 == 0
        {
            // Its scheme hears that it is empty, as the only queue of a port does.
            return Turn::Queue(self.row[class].first);
        }
        let mut opens = None;
        loop {
            let over = self.held.iter().find(|&class| self.row[class].held_until <= now);
            match over {
                Some(class) => self.release(class),
                None => break,
            }
        }
        loop {
            let class = match self.order.next(now, &self.ready) {
                ClassTurn::Class(class) => class,
                ClassTurn::At(at) => {
                    opens = Some(at);
                    break;
                }
                ClassTurn::Nobody => break,
            };
            if queues.waiting_in(class).0 == 0 {
                // What waited was discarded.
                self.leave(class);
                continue;
            }
            let waits = |other| queues.waiting_in(other).0 > 0;
            if let Some(rate) = self.order.new_rate(now, class, &waits) {
                let scheduler = &mut self.row[class].scheduler;
                scheduler.change_shaped_rate(rate);
                scheduler.on_rate(rate);
            }
            match self.of_class(class, queues, |scheduler, own| scheduler.next(now, own)) {
                Turn::Queue(place) => {
                    self.turn = (class, queues.waiting_in(class).0 == 1);
                    return Turn::Queue(self.row[class].first + place);
                }
                Turn::At(at) => {
                    self.row[class].held_until = at;
                    self.ready.toggle(class);
                    self.held.toggle(class);
                }
                Turn::Nobody => unreachable!("a scheduler serves every queue in which packets wait"),
            }
        }
        let held = self.held.iter().map(|class| self.row[class].held_until);
        match held.chain(opens).min() {
            Some(at) if queues.waiting() > 0 => Turn::At(at),
            _ => Turn::Nobody,
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        let (class, place) = self.place_of(queue);
        self.of_class(class, queues, |scheduler, own| scheduler.on_departure(now, place, packet, own))
    }

    fn watches_departures(&self) -> bool {
        self.row.iter().any(|class| class.scheduler.watches_departures())
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        let (number, place) = self.place_of(queue);
        let has_emptied = self.turn == (number, true);
        let class = &mut self.row[number];
        class.scheduler.on_sent(now, place, bytes);
        class.sent = (class.sent.0 + 1, class.sent.1 + u64::from(bytes));
        if let Some(since) = class.waits_since.replace(now) {
            class.longest_wait = class.longest_wait.max(now.since(since));
        }
        let is_one_queue = class.is_one_queue;
        self.order.on_sent(now, number, bytes, has_emptied);
        if has_emptied {
            self.leave(number);
            self.emptied = is_one_queue.then_some(number);
        }
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        let (class, place) = self.place_of(queue);
        self.row[class].scheduler.on_empty(now, place);
    }

    fn asks_again_after_discard(&self) -> bool {
        // What a class has to send may be nothing any more.
        true
    }

    /// What the class with the most bytes discards, the first of these.
    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        let bytes = |class: &usize| (queues.waiting_in(*class).1, std::cmp::Reverse(*class));
        let class = (0..self.row.len()).max_by_key(bytes).unwrap_or_default();
        self.victim_of_class(now, class, queues)
    }

    fn victim_of_class(&mut self, now: Time, class: usize, queues: &dyn Backlogs) -> Victim {
        let victim = self.of_class(class, queues, |scheduler, own| scheduler.victim(now, own));
        Victim { queue: self.row[class].first + victim.queue, ..victim }
    }

    fn on_discarded(&mut self, now: Time, queue: usize, bytes: u32, had_turn: bool) {
        let (class, place) = self.place_of(queue);
        let scheduler = &mut self.row[class].scheduler;
        if scheduler.counts_discards() {
            scheduler.on_discarded(now, place, bytes, had_turn);
        }
    }

    fn counts_discards(&self) -> bool {
        self.row.iter().any(|class| class.scheduler.counts_discards())
    }

    fn load(&self, queue: usize) -> Load {
        let (class, place) = self.place_of(queue);
        self.row[class].scheduler.load(place)
    }

    fn tells_load(&self) -> bool {
        self.row.iter().any(|class| class.scheduler.tells_load())
    }

    fn on_rate(&mut self, rate: Rate) {
        let _ = rate;
    }

    fn advance(&mut self, now: Time, queues: &dyn Backlogs) {
        for class in 0..self.row.len() {
            self.of_class(class, queues, |scheduler, own| scheduler.advance(now, own));
            let waits = queues.waiting_in(class).0 > 0;
            let class = &mut self.row[class];
            if let Some(since) = class.waits_since.filter(|_| waits) {
                class.longest_wait = class.longest_wait.max(now.since(since));
            }
        }
    }

    fn signal_probability(&self, queue: usize) -> Option<Probability> {
        let (class, place) = self.place_of(queue);
        self.row[class].scheduler.signal_probability(place)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("class_of_last_arrival", self.last_arrival as f64);
        sink("class_of_last_turn", self.turn.0 as f64);
        self.order.observe(sink);
        for (class, [arrived, sent, bytes, wait]) in self.row.iter().zip(COUNTED) {
            sink(arrived, class.arrived_packets as f64);
            sink(sent, class.sent.0 as f64);
            sink(bytes, class.sent.1 as f64);
            sink(wait, class.longest_wait.seconds());
        }
    }
}
