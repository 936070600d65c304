//! Deficit round robin in which a flow's turn is the shorter the more busy flows its hosts have: CAKE's
//! triple isolation.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018, section III-A, as Linux `sch_cake.c` has it, whose names of the sets
//! these are.

use crate::aqm::Load;
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::parts::{FlowHashing, FlowTable};
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What gets an equal share of the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing: all packets wait in one queue (tc's flowblind).
    None,
    /// Hosts that send: all flows of one wait in one queue (srchost).
    Source,
    /// Hosts that receive: all flows to one wait in one queue (dsthost).
    Destination,
    /// Pairs of hosts: all flows between two wait in one queue (hosts).
    Hosts,
    /// Flows.
    Flows,
    /// Hosts that send, and the flows of each.
    DualSource,
    /// Hosts that receive, and the flows of each.
    DualDestination,
    /// Both: a flow gets the share of the one of its two hosts with more busy flows.
    #[default]
    Triple,
}

/// What a flow is to the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// Its queue is at rest.
    None,
    /// It goes first, and counts for no host.
    Sparse,
    /// It stands among those that take turns, but was empty when it came there.
    SparseWait,
    /// It takes turns, and counts for its hosts.
    Bulk,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    set: Set,
    in_new: bool,
    deficit: i64,
    flow_hash: u32,
    /// Places of the sending and of the receiving host.
    hosts: [usize; 2],
}

/// Hosts of one side by their places, with the busy flows of each.
#[derive(Clone, Debug)]
struct Hosts {
    table: FlowTable,
    busy: Vec<i64>,
}

impl Hosts {
    fn new(places: usize, salt: u64) -> Self {
        Self { table: FlowTable::new(places, FlowHashing::SetAssociative, salt), busy: vec![0; places] }
    }

    fn place_of(&mut self, address: u32) -> usize {
        let Self { table, busy } = self;
        table.queue_of(address, |place| busy[place] > 0)
    }
}

impl Isolation {
    /// The hosts that count: senders, receivers.
    const fn counting(self) -> [bool; 2] {
        match self {
            Self::None | Self::Source | Self::Destination | Self::Hosts | Self::Flows => [false, false],
            Self::DualSource => [true, false],
            Self::DualDestination => [false, true],
            Self::Triple => [true, true],
        }
    }
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct HostFairness {
    isolation: Isolation,
    /// The hosts that count: asked at every turn.
    counting: [bool; 2],
    quantum_bytes: i64,
    /// The most that the quantum may be where it follows a rate.
    most_quantum_bytes: Option<u32>,
    /// The rate that it follows, if there is one.
    rate: Option<Rate>,
    counts_discards: bool,
    table: FlowTable,
    flows: Vec<Flow>,
    /// Of those who send, and of those who receive.
    hosts: [Hosts; 2],
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Flows in the set of bulk ones.
    bulk: u32,
    last_arrival: usize,
    last_sent: usize,
}

/// Bytes of a turn at a rate: those of 1/4096 s, from 300 to a full packet.
#[must_use]
pub fn quantum_of_rate(rate: Rate, full_packet_bytes: u32) -> u32 {
    let of_link = u32::try_from((rate.bits_per_second() / 8) >> 12).unwrap_or(u32::MAX);
    of_link.clamp(300, full_packet_bytes)
}

impl HostFairness {
    /// Under which name the queue of the last arrival is observed.
    pub(super) const LAST_ARRIVAL: &'static str = "queue_of_last_arrival";

    /// A scheduler of so many queues, a multiple of eight, that all are at rest.
    #[must_use]
    pub fn new(isolation: Isolation, quantum_bytes: u32, queues: usize, salt: u64) -> Self {
        let at_rest = Flow { set: Set::None, in_new: false, deficit: 0, flow_hash: 0, hosts: [0; 2] };
        Self {
            isolation,
            counting: isolation.counting(),
            quantum_bytes: quantum_bytes.into(),
            most_quantum_bytes: None,
            rate: None,
            counts_discards: false,
            table: FlowTable::new(queues, FlowHashing::SetAssociative, salt),
            flows: vec![at_rest; queues],
            hosts: [1, 2].map(|side| Hosts::new(queues, salt.wrapping_add(side))),
            new: VecDeque::with_capacity(queues),
            old: VecDeque::with_capacity(queues),
            bulk: 0,
            last_arrival: 0,
            last_sent: 0,
        }
    }

    /// The same, whose quantum [follows its rate](Scheduler::on_rate) up to a full packet of so many bytes.
    #[must_use]
    pub const fn following_rate(mut self, full_packet_bytes: u32) -> Self {
        self.most_quantum_bytes = Some(full_packet_bytes);
        self
    }

    /// The same, whose turns count what is discarded in them, and whose schemes are told how many flows are
    /// busy.
    #[must_use]
    pub const fn counting_discards(mut self) -> Self {
        self.counts_discards = true;
        self
    }

    /// Whether any flow takes part in the schedule.
    pub(super) fn is_active(&self) -> bool {
        !self.new.is_empty() || !self.old.is_empty()
    }

    /// Whether a packet waits in any of its queues.
    pub(super) fn holds_packets(&self, queues: &dyn Backlogs) -> bool {
        self.new.iter().chain(&self.old).any(|&queue| queues.packets(queue) > 0)
    }

    /// What packets of one queue have in common.
    const fn hash_of(&self, header: &HeaderFields) -> u32 {
        match self.isolation {
            Isolation::None => 0,
            Isolation::Source => header.source,
            Isolation::Destination => header.destination,
            // An odd factor: pairs of neighbouring addresses stay apart.
            Isolation::Hosts => header.source.wrapping_mul(0x9e37_79b1) ^ header.destination,
            _ => header.flow_hash,
        }
    }

    fn count_for_hosts(&mut self, queue: usize, change: i64) {
        for (hosts, place) in self.hosts.iter_mut().zip(self.flows[queue].hosts) {
            hosts.busy[place] += change;
        }
    }

    /// Bytes of one turn: at least one, so that every flow has its turn in the end.
    #[inline(always)]
    fn turn_bytes(&self, queue: usize) -> i64 {
        let ([by_source, by_destination], [source, destination]) = (self.counting, self.flows[queue].hosts);
        let mut load = 1;
        if by_source {
            load = load.max(self.hosts[0].busy[source]);
        }
        if by_destination {
            load = load.max(self.hosts[1].busy[destination]);
        }
        (self.quantum_bytes / load).max(1)
    }

    /// The flow of a queue that was at rest, or had another one's packets.
    fn give(&mut self, queue: usize, header: &HeaderFields) {
        let counts = self.flows[queue].set == Set::Bulk;
        if counts {
            self.count_for_hosts(queue, -1);
        }
        let addresses = [header.source, header.destination];
        for (side, address) in addresses.into_iter().enumerate() {
            self.flows[queue].hosts[side] = self.hosts[side].place_of(address);
        }
        self.flows[queue].flow_hash = self.hash_of(header);
        if counts {
            self.count_for_hosts(queue, 1);
        }
    }

    fn becomes_bulk(&mut self, queue: usize) {
        self.flows[queue].set = Set::Bulk;
        self.bulk += 1;
        self.count_for_hosts(queue, 1);
    }

    /// Takes the queue, which is the first of its list, out of it.
    fn take(&mut self, queue: usize) {
        if self.flows[queue].in_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
    }
}

impl Scheduler for HostFairness {
    fn classify(
        &mut self,
        _now: Time,
        _packet: &PacketFacts,
        header: &HeaderFields,
        _queues: &dyn Backlogs,
    ) -> usize {
        let hash = self.hash_of(header);
        let last = &self.flows[self.last_arrival];
        // Nothing was sorted since the last one of the flow, which still has its place.
        if last.flow_hash == hash && last.set != Set::None {
            return self.last_arrival;
        }
        let Self { table, flows, .. } = self;
        let queue = table.queue_of(hash, |queue| flows[queue].set != Set::None);
        if flows[queue].set == Set::None || flows[queue].flow_hash != hash {
            self.give(queue, header);
        }
        self.last_arrival = queue;
        queue
    }

    fn on_queued(&mut self, _now: Time, queue: usize, _packet: &PacketFacts, _queues: &dyn Backlogs) {
        match self.flows[queue].set {
            Set::None => {
                let deficit = self.turn_bytes(queue);
                let flow = &mut self.flows[queue];
                (flow.set, flow.in_new, flow.deficit) = (Set::Sparse, true, deficit);
                self.new.push_back(queue);
            }
            Set::SparseWait => self.becomes_bulk(queue),
            Set::Sparse | Set::Bulk => {}
        }
    }

    fn next(&mut self, _now: Time, queues: &dyn Backlogs) -> Turn {
        loop {
            let is_new = !self.new.is_empty();
            let row = if is_new { &self.new } else { &self.old };
            let Some(&queue) = row.front() else { return Turn::Nobody };
            let Flow { set, deficit, .. } = self.flows[queue];
            if deficit > 0 {
                return Turn::Queue(queue);
            }
            if set == Set::Sparse {
                if queues.packets(queue) > 0 {
                    self.becomes_bulk(queue);
                } else {
                    self.flows[queue].set = Set::SparseWait;
                }
            }
            let turn_bytes = self.turn_bytes(queue);
            let flow = &mut self.flows[queue];
            flow.deficit = deficit + turn_bytes;
            flow.in_new = false;
            if is_new {
                self.new.pop_front()
            } else {
                self.old.pop_front()
            };
            self.old.push_back(queue);
        }
    }

    fn on_sent(&mut self, _now: Time, queue: usize, bytes: u32) {
        self.flows[queue].deficit -= i64::from(bytes);
        self.last_sent = queue;
    }

    fn on_empty(&mut self, _now: Time, queue: usize) {
        self.take(queue);
        if self.flows[queue].set == Set::Bulk {
            self.bulk -= 1;
            self.count_for_hosts(queue, -1);
        }
        self.flows[queue].set = Set::None;
    }

    /// One packet from the head of the queue with the most bytes, the first of these.
    fn victim(&mut self, _now: Time, queues: &dyn Backlogs) -> Victim {
        let active = self.new.iter().chain(&self.old).copied();
        let most = active.max_by_key(|&queue| (queues.bytes(queue), std::cmp::Reverse(queue)));
        Victim { queue: most.unwrap_or_default(), end: End::Head, most_packets: 1, enough_bytes: u64::MAX }
    }

    fn on_discarded(&mut self, _now: Time, queue: usize, bytes: u32, had_turn: bool) {
        if had_turn {
            self.flows[queue].deficit -= i64::from(bytes);
        }
    }

    fn asks_again_after_discard(&self) -> bool {
        self.counts_discards
    }

    fn counts_discards(&self) -> bool {
        self.counts_discards
    }

    fn load(&self, _queue: usize) -> Load {
        Load { busy_flows: if self.counts_discards { self.bulk } else { 0 }, rate: self.rate }
    }

    fn tells_load(&self) -> bool {
        self.counts_discards
    }

    fn on_rate(&mut self, rate: Rate) {
        self.rate = Some(rate);
        if let Some(most) = self.most_quantum_bytes {
            self.quantum_bytes = quantum_of_rate(rate, most).into();
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("new_queues", self.new.len() as f64);
        sink("old_queues", self.old.len() as f64);
        sink("bulk_flows", f64::from(self.bulk));
        sink(Self::LAST_ARRIVAL, self.last_arrival as f64);
        sink("deficit_of_last_packet_sent_bytes", self.flows[self.last_sent].deficit as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::Departing;
    use crate::packet::{Codepoint, PacketClass};

    /// As many packets as anybody asks for in each queue that has any.
    struct Endless(Vec<bool>);

    impl Backlogs for Endless {
        fn queues(&self) -> usize {
            self.0.len()
        }
        fn packets(&self, queue: usize) -> u32 {
            if self.0[queue] { 1_000 } else { 0 }
        }
        fn bytes(&self, queue: usize) -> u64 {
            u64::from(self.packets(queue)) * 1000
        }
        fn waiting(&self) -> u32 {
            (0..self.0.len()).map(|queue| self.packets(queue)).sum()
        }
        fn head(&self, _: usize) -> Option<Departing> {
            None
        }
    }

    /// Shares of the flows, each given by its hosts, in what is sent over many turns.
    fn shares(isolation: Isolation, flows: &[(u32, u32)]) -> Vec<f64> {
        let mut scheduler = HostFairness::new(isolation, 1514, 64, 7);
        let mut backlogs = Endless(vec![false; 64]);
        let packet =
            PacketFacts { flow: 1, bytes: 1000, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        let mut queues = Vec::new();
        for (flow, &(source, destination)) in (1..).zip(flows) {
            let header = HeaderFields { flow_hash: flow * 0x0101, dscp: 0, source, destination };
            let queue = scheduler.classify(Time::ZERO, &packet, &header, &backlogs);
            backlogs.0[queue] = true;
            scheduler.on_queued(Time::ZERO, queue, &packet, &backlogs);
            queues.push(queue);
        }
        let mut sent = vec![0.0; 64];
        for _ in 0..60_000 {
            let Turn::Queue(queue) = scheduler.next(Time::ZERO, &backlogs) else { panic!("somebody waits") };
            sent[queue] += 1.0 / 60_000.0;
            scheduler.on_sent(Time::ZERO, queue, 1000);
        }
        queues.into_iter().map(|queue| sent[queue]).collect()
    }

    fn close(found: Vec<f64>, expected: &[f64]) {
        let off = found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(off < 0.005 && found.len() == expected.len(), "{found:?}, not {expected:?}");
    }

    #[test]
    fn a_host_with_three_flows_has_as_much_as_one_with_one() {
        let (third, half) = (1.0 / 6.0, 0.5);
        let by_sender = [(1, 10), (1, 11), (1, 12), (2, 13)];
        close(shares(Isolation::DualSource, &by_sender), &[third, third, third, half]);
        close(shares(Isolation::Flows, &by_sender), &[0.25; 4]);
        close(shares(Isolation::DualDestination, &by_sender), &[0.25; 4]);
        // Of two hosts the busier one counts: three flows to one receiver from three senders have a third
        // each.
        let both = [(1, 10), (2, 10), (3, 10), (4, 20)];
        close(shares(Isolation::Triple, &both), &[third, third, third, half]);
    }

    /// tc-cake(8), "Flow isolation parameters": srchost, dsthost and hosts queue by addresses alone, and
    /// flowblind by nothing, so that flows of one host share its turn.
    #[test]
    fn queues_of_hosts_are_shared_by_their_flows() {
        let flows = [(1, 10), (1, 11), (1, 11), (2, 10)];
        let queues = |isolation| {
            let mut scheduler = HostFairness::new(isolation, 1514, 64, 7);
            let backlogs = Endless(vec![false; 64]);
            let packet =
                PacketFacts { flow: 1, bytes: 1000, codepoint: Codepoint::NotEct, class: PacketClass::Data };
            let mut found = Vec::new();
            for (flow, &(source, destination)) in (1..).zip(&flows) {
                let header = HeaderFields { flow_hash: flow * 0x0101, dscp: 0, source, destination };
                found.push(scheduler.classify(Time::ZERO, &packet, &header, &backlogs));
                scheduler.on_queued(Time::ZERO, found[found.len() - 1], &packet, &backlogs);
            }
            // Each by the first that shares its queue.
            let first = |queue: &usize| found.iter().position(|other| other == queue).unwrap_or_default();
            found.iter().map(first).collect::<Vec<_>>()
        };
        assert_eq!(queues(Isolation::None), [0, 0, 0, 0]);
        assert_eq!(queues(Isolation::Source), [0, 0, 0, 3]);
        assert_eq!(queues(Isolation::Destination), [0, 1, 1, 0]);
        assert_eq!(queues(Isolation::Hosts), [0, 1, 1, 3]);
        assert_eq!(queues(Isolation::Flows), [0, 1, 2, 3]);
    }
}
