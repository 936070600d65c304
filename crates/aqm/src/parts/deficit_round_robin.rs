//! Deficit round robin with lists of new and old queues, as FQ-CoDel serves its flows.
//!
//! Source: Hoeiland-Joergensen, McKenney, Taht, Gettys, Dumazet, *The Flow Queue CoDel Packet Scheduler and Active Queue
//! Management Algorithm*, RFC 8290 (2018), sections 4.1 and 4.2; Shreedhar, Varghese, *Efficient Fair Queuing Using
//! Deficit Round-Robin*, IEEE/ACM Transactions on Networking 4(3), 1996.

use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketFacts};
use crate::parts::FlowTable;
use crate::scheduler::{Backlogs, End, Scheduler, Victim};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

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

/// What becomes of a new queue that has run empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmptiedNewQueue {
    /// It becomes the last of the old queues (RFC 8290, section 4.2).
    #[default]
    BecomesOld,
    /// It becomes the last of the old queues if there are any, and is at rest otherwise (Linux).
    BecomesOldBehindOthers,
}

/// What arrivals are sorted by.
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
    /// What arrivals are sorted by.
    pub classify: Classifier,
    /// Bytes that a queue may send in one turn.
    pub quantum_bytes: u32,
    /// When a turn is over.
    pub turn_ends: TurnEnds,
    /// What becomes of a new queue that has run empty.
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
struct Turn {
    list: List,
    credits: i64,
}

/// The scheduler: which queues are active, and in which order they have their turns.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    settings: RoundRobinSettings,
    flows: FlowTable,
    turns: Vec<Turn>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
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
            turns: vec![Turn { list: List::None, credits: 0 }; queues],
            new: VecDeque::new(),
            old: VecDeque::new(),
            last_arrival: 0,
            last_sent: 0,
        }
    }

    /// The queue at the head of the lists.
    fn first(&self) -> Option<usize> {
        self.new.front().or(self.old.front()).copied()
    }

    /// Takes the queue at the head out of its list.
    fn take_first(&mut self) {
        if self.new.pop_front().is_none() {
            self.old.pop_front();
        }
    }

    const fn is_over(&self, credits: i64) -> bool {
        match self.settings.turn_ends {
            TurnEnds::AtZero => credits <= 0,
            TurnEnds::BelowZero => credits < 0,
        }
    }

    fn becomes_old(&mut self, queue: usize) {
        self.turns[queue].list = List::Old;
        self.old.push_back(queue);
    }
}

impl Scheduler for DeficitRoundRobin {
    fn classify(&mut self, packet: &PacketFacts, header: &HeaderFields, _queues: &dyn Backlogs) -> usize {
        let Self { flows, turns, .. } = self;
        self.last_arrival = match self.settings.classify {
            Classifier::Flow => flows.queue_of(header.flow_hash, |queue| turns[queue].list != List::None),
            Classifier::Codepoint => {
                usize::from(matches!(packet.codepoint, Codepoint::Ect1 | Codepoint::Ce)).min(turns.len() - 1)
            }
            Classifier::Dscp => usize::from(header.dscp) % turns.len(),
        };
        self.last_arrival
    }

    fn on_queued(&mut self, queue: usize, _packet: &PacketFacts) {
        if self.turns[queue].list == List::None {
            self.turns[queue] = Turn { list: List::New, credits: i64::from(self.settings.quantum_bytes) };
            self.new.push_back(queue);
        }
    }

    fn next(&mut self, _queues: &dyn Backlogs) -> Option<usize> {
        loop {
            let queue = self.first()?;
            if !self.is_over(self.turns[queue].credits) {
                return Some(queue);
            }
            self.turns[queue].credits += i64::from(self.settings.quantum_bytes);
            self.take_first();
            self.becomes_old(queue);
        }
    }

    fn on_sent(&mut self, queue: usize, bytes: u32) {
        self.turns[queue].credits -= i64::from(bytes);
        self.last_sent = queue;
    }

    fn on_empty(&mut self, queue: usize) {
        let was_new = self.turns[queue].list == List::New;
        self.take_first();
        let stays = match self.settings.emptied_new_queue {
            EmptiedNewQueue::BecomesOld => was_new,
            EmptiedNewQueue::BecomesOldBehindOthers => was_new && !self.old.is_empty(),
        };
        if stays {
            self.becomes_old(queue);
        } else {
            self.turns[queue].list = List::None;
        }
    }

    /// From the head of the queue with the most bytes, the first of these: up to half of its bytes.
    fn victim(&mut self, queues: &dyn Backlogs) -> Victim {
        let (mut queue, mut most) = (0, 0);
        for &active in self.new.iter().chain(&self.old) {
            let bytes = queues.bytes(active);
            if bytes > most || (bytes == most && active < queue) {
                (queue, most) = (active, bytes);
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
        sink("new_queues", self.new.len() as f64);
        sink("old_queues", self.old.len() as f64);
        sink("queue_of_last_arrival", self.last_arrival as f64);
        sink("queue_of_last_packet_sent", self.last_sent as f64);
        sink("credit_of_last_packet_sent_bytes", self.turns[self.last_sent].credits as f64);
    }
}
