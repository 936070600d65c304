//! Deficit round robin with lists of new and old queues, as FQ-CoDel serves its flows.
//!
//! Source: Hoeiland-Joergensen, McKenney, Taht, Gettys, Dumazet, *The Flow Queue CoDel Packet Scheduler and
//! Active Queue Management Algorithm*, RFC 8290 (2018), sections 4.1 and 4.2; Shreedhar, Varghese, *Efficient
//! Fair Queuing Using Deficit Round-Robin*, IEEE/ACM Transactions on Networking 4(3), 1996.

use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketFacts};
use crate::parts::FlowTable;
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a queue has used up its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnds {
    /// With no credit left: it has sent at least a quantum (RFC 8290, section 4.2 in its explanation; Linux).
    #[default]
    AtZero,
    /// With less than no credit (RFC 8290, section 4.2 in its words).
    BelowZero,
}

/// What happens to a new queue that has become empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmptiedNewQueue {
    /// It becomes the last of the old queues (RFC 8290, section 4.2).
    #[default]
    BecomesOld,
    /// It becomes the last of the old queues if there are any, and is inactive otherwise (Linux).
    BecomesOldBehindOthers,
}

/// How arrivals are classified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Classifier {
    /// The keyed hash of addresses and ports: a queue for each flow.
    #[default]
    Flow,
    /// The ECN codepoint: ECT(1) and CE in one queue, the rest in another (RFC 9331, section 5.1).
    Codepoint,
    /// The differentiated services codepoint (RFC 2474): a queue for each, modulo the number of queues.
    Dscp,
}

/// The rules of one scheduler.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobinSettings {
    /// How arrivals are classified.
    pub classify: Classifier,
    /// Bytes that a queue may send in one turn.
    pub quantum_bytes: u32,
    /// When a turn is over.
    pub turn_ends: TurnEnds,
    /// What happens to a new queue that has become empty.
    pub emptied_new_queue: EmptiedNewQueue,
    /// Packets that are discarded at most, when the buffer is full.
    pub drop_batch_packets: u32,
}

/// The list that a queue stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    None,
    New,
    Old,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    credits: i64,
    list: List,
    /// The queue behind this one in its list.
    next: u32,
}

/// No queue.
const NONE: u32 = u32::MAX;

/// Queues that wait for their turns: each names the next, so that they go from list to list without being
/// copied.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    last: u32,
    length: u32,
}

impl Row {
    const EMPTY: Self = Self { first: NONE, last: NONE, length: 0 };

    #[inline]
    fn push_back(&mut self, queue: u32, places: &mut [Place]) {
        places[queue as usize].next = NONE;
        match places.get_mut(self.last as usize) {
            Some(last) => last.next = queue,
            None => self.first = queue,
        }
        self.last = queue;
        self.length += 1;
    }

    /// Takes out the first queue, which there has to be.
    #[inline]
    fn take_first(&mut self, places: &[Place]) {
        self.first = places[self.first as usize].next;
        if self.first == NONE {
            self.last = NONE;
        }
        self.length -= 1;
    }

    /// Takes out the last queue, which there has to be.
    fn take_last(&mut self, places: &mut [Place]) {
        let following = |queue: u32| Some(places[queue as usize].next).filter(|&next| next != NONE);
        let mut all = std::iter::successors(Some(self.first), |&queue| following(queue));
        let before_last = all.find(|&queue| following(queue) == Some(self.last));
        if let Some(before) = before_last {
            places[before as usize].next = NONE;
            self.last = before;
        } else {
            (self.first, self.last) = (NONE, NONE);
        }
        self.length -= 1;
    }
}

/// The scheduler: which queues are active, and in which order they have their turns.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    settings: RoundRobinSettings,
    flows: FlowTable,
    places: Vec<Place>,
    new: Row,
    old: Row,
    last_arrival: usize,
    last_sent: usize,
}

impl DeficitRoundRobin {
    /// A scheduler of so many queues that all are at rest.
    #[must_use]
    pub fn new(settings: RoundRobinSettings, queues: usize, flows: FlowTable) -> Self {
        Self {
            settings,
            flows,
            places: vec![Place { credits: 0, list: List::None, next: NONE }; queues],
            new: Row::EMPTY,
            old: Row::EMPTY,
            last_arrival: 0,
            last_sent: 0,
        }
    }

    /// The queue at the head of the lists; [`NONE`] if all are at rest.
    #[inline]
    const fn first(&self) -> u32 {
        if self.new.first == NONE { self.old.first } else { self.new.first }
    }

    /// The queue at the head of the lists leaves its list.
    #[inline]
    fn take_first(&mut self) {
        let row = if self.new.first == NONE { &mut self.old } else { &mut self.new };
        row.take_first(&self.places);
    }

    const fn is_over(&self, credits: i64) -> bool {
        match self.settings.turn_ends {
            TurnEnds::AtZero => credits <= 0,
            TurnEnds::BelowZero => credits < 0,
        }
    }

    /// The credits of a queue that is at rest; none of another.
    pub(crate) fn credits_at_rest(&self, queue: usize) -> Option<i64> {
        let place = &self.places[queue];
        (place.list == List::None).then_some(place.credits)
    }

    /// A queue may send so many bytes until its turn is over.
    pub(crate) fn set_credits(&mut self, queue: usize, credits: i64) {
        self.places[queue].credits = credits;
    }

    /// The last of the new queues, which there has to be, is at rest again with these credits: its first
    /// packet was discarded.
    pub(crate) fn take_back_last_new(&mut self, credits: i64) {
        let last = self.new.last as usize;
        self.new.take_last(&mut self.places);
        self.places[last] = Place { credits, list: List::None, next: NONE };
    }

    #[inline]
    fn becomes_old(&mut self, queue: usize) {
        self.places[queue].list = List::Old;
        self.old.push_back(queue as u32, &mut self.places);
    }
}

impl Scheduler for DeficitRoundRobin {
    fn classify(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        _queues: &dyn Backlogs,
    ) -> usize {
        let Self { flows, places, .. } = self;
        self.last_arrival = match self.settings.classify {
            Classifier::Flow => flows.queue_of(header.flow_hash, |queue| places[queue].list != List::None),
            Classifier::Codepoint => {
                usize::from(matches!(packet.codepoint, Codepoint::Ect1 | Codepoint::Ce)).min(places.len() - 1)
            }
            Classifier::Dscp => usize::from(header.dscp) % places.len(),
        };
        self.last_arrival
    }

    fn on_queued(&mut self, _now: Time, queue: usize, _packet: &PacketFacts, _queues: &dyn Backlogs) {
        let place = &mut self.places[queue];
        if place.list == List::None {
            *place = Place { credits: i64::from(self.settings.quantum_bytes), list: List::New, next: NONE };
            self.new.push_back(queue as u32, &mut self.places);
        }
    }

    fn next(&mut self, _now: Time, _queues: &dyn Backlogs) -> Turn {
        loop {
            let queue = self.first() as usize;
            let Some(&Place { credits, .. }) = self.places.get(queue) else { return Turn::Nobody };
            if !self.is_over(credits) {
                return Turn::Queue(queue);
            }
            self.places[queue].credits = credits + i64::from(self.settings.quantum_bytes);
            self.take_first();
            self.becomes_old(queue);
        }
    }

    fn on_sent(&mut self, _now: Time, queue: usize, bytes: u32) {
        self.places[queue].credits -= i64::from(bytes);
        self.last_sent = queue;
    }

    fn on_empty(&mut self, _now: Time, queue: usize) {
        let was_new = self.places[queue].list == List::New;
        self.take_first();
        let stays = match self.settings.emptied_new_queue {
            EmptiedNewQueue::BecomesOld => was_new,
            EmptiedNewQueue::BecomesOldBehindOthers => was_new && self.old.first != NONE,
        };
        if stays {
            self.becomes_old(queue);
        } else {
            self.places[queue].list = List::None;
        }
    }

    /// From the head of the queue with the most bytes, the first of these: up to half of its bytes.
    fn victim(&mut self, _now: Time, queues: &dyn Backlogs) -> Victim {
        let (mut queue, mut most) = (0, 0);
        for mut active in [self.new.first, self.old.first] {
            while let Some(place) = self.places.get(active as usize) {
                let bytes = queues.bytes(active as usize);
                if bytes > most || (bytes == most && (active as usize) < queue) {
                    (queue, most) = (active as usize, bytes);
                }
                active = place.next;
            }
        }
        Victim {
            queue,
            end: End::Head,
            most_packets: self.settings.drop_batch_packets,
            enough_bytes: most / 2,
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("new_queues", f64::from(self.new.length));
        sink("old_queues", f64::from(self.old.length));
        sink("queue_of_last_arrival", self.last_arrival as f64);
        sink("queue_of_last_packet_sent", self.last_sent as f64);
        sink("credit_of_last_packet_sent_bytes", self.places[self.last_sent].credits as f64);
    }
}
