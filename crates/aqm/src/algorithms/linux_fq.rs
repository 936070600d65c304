//! Linux's fq at a router: a queue for each flow, turns in which new flows go first, and a limit for each
//! flow; an arrival that finds its flow's queue full is discarded.
//!
//! Source: tc-fq(8) of iproute2 7; for what the manual page does not say Linux 6 `net/sched/sch_fq.c`: the
//! order of the two limits, the credits of a flow that was at rest, and the two lists of flows.
//!
//! ```text
//! on each arrival    limit_packets wait: discard it
//!                    queue ← hash of addresses and ports; flow_limit_packets wait there: discard it
//!                    a queue at rest: its first packet ever: credits ← initial quantum
//!                                     at rest for longer than the refill delay: credits ← at least a quantum
//!                                     last of the new queues
//! on each departure  queue ← first of the new queues, without any the first of the old ones
//!                    credits ≤ 0: credits ← credits + quantum, last of the old queues, begin again
//!                    none waits: a new queue becomes the last of the old ones if there are any; otherwise it
//!                    is at rest with what credits it has, begin again
//!                    send; credits ← credits − bytes; mark what waited longer than the threshold
//! ```
//!
//! | parameter | unit | tc-fq(8) | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets` | packets | 10000 | 1 or more |
//! | `flow_limit_packets` | packets | 100 | 1 or more |
//! | `flows` | queues | 1024: `orphan_mask` 1023 | 1 to 65536 |
//! | `quantum_bytes` | bytes | two packets of the device | 256 or more |
//! | `initial_quantum_bytes` | bytes | ten packets of the device | 1 or more |
//! | `refill_delay_ms` | ms | 40 | 0 to 1e9 |
//! | `ce_threshold_ms` | ms | none | 0.001 to 1e6 |
//!
//! Departures and silences. Linux's fq gives a queue to each socket of its own machine, and paces these. A
//! router's packets belong to no socket of its own: they are sorted by hash and never paced, and this is what
//! is here. Senders pace in this simulator themselves. `maxrate`, the queue for packets of highest priority
//! and the bands of Linux 6.8 are left out. Lengths are IP lengths: the manual's 3028 bytes are two full
//! Ethernet frames.

use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::discipline::{Discipline, QueueLimit, Scheduled};
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::Parameters;
use crate::parts::{
    CeThreshold, CeThresholdEcn, Classifier, DeficitRoundRobin, EmptiedNewQueue, FlowHashing, FlowTable,
    Limit, LimitRule, RoundRobinSettings, TurnEnds,
};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Linux's fq at a router: flows take turns, new ones first, and each has a buffer of its own.
///
/// Linux's fq also paces the flows of its own machine. A router's flows are not paced, and senders pace here
/// themselves. The scheme fq is another one: fair queueing with any scheme in each queue.
///
/// Source: tc-fq(8) of iproute2 7, Linux 6. The defaults are Linux's on Ethernet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that may wait in all queues together; an arrival beyond is dropped.
    pub limit_packets: u32,
    /// Packets that may wait in one queue; an arrival beyond is dropped.
    pub flow_limit_packets: u32,
    /// Number of queues for flows: Linux's orphan_mask, and one more.
    #[schemars(range(min = 1, max = 65_536))]
    pub flows: u32,
    /// Bytes (IP lengths) that a queue may send in one turn.
    pub quantum_bytes: u32,
    /// Bytes (IP lengths) that a queue may send in its first turn ever.
    pub initial_quantum_bytes: u32,
    /// A flow that sent nothing for longer has a whole quantum in its next turn, a sooner one what it had
    /// left.
    pub refill_delay_ms: f64,
    /// ECN-capable packets that waited longer are marked. Unset: none.
    pub ce_threshold_ms: Option<f64>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            limit_packets: 10_000,
            flow_limit_packets: 100,
            flows: 1024,
            quantum_bytes: 2 * 1514,
            initial_quantum_bytes: 10 * 1514,
            refill_delay_ms: 40.0,
            ce_threshold_ms: None,
        }
    }
}

impl Params {
    const fn flow_limit(&self) -> Limit {
        Limit { packets: Some(self.flow_limit_packets), bytes: None, rule: LimitRule::HoldLimit }
    }

    fn scheduler(&self, facts: &PortFacts) -> LinuxFq {
        let settings = RoundRobinSettings {
            classify: Classifier::Flow,
            quantum_bytes: self.quantum_bytes,
            turn_ends: TurnEnds::AtZero,
            emptied_new_queue: EmptiedNewQueue::BecomesOldBehindOthers,
            drop_batch_packets: 1,
        };
        let flows = FlowTable::new(self.queues(), FlowHashing::Plain, facts.flow_salt);
        LinuxFq {
            turns: DeficitRoundRobin::new(settings, self.queues(), flows),
            quantum_bytes: self.quantum_bytes.into(),
            initial_quantum_bytes: self.initial_quantum_bytes.into(),
            refill_delay: Span::from_seconds(self.refill_delay_ms / 1e3),
            rested_since: vec![None; self.queues()],
            last_arrival: 0,
            left_at_rest: None,
        }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require(self.limit_packets >= 1, "limit_packets", self.limit_packets, "at least 1")?;
        let packets = self.flow_limit_packets;
        require(packets >= 1, "flow_limit_packets", packets, "at least 1")?;
        require((1..=65_536).contains(&self.flows), "flows", self.flows, "from 1 to 65536 queues")?;
        let legal = "at least 256 bytes: a smaller one takes many turns for one packet";
        require(self.quantum_bytes >= 256, "quantum_bytes", self.quantum_bytes, legal)?;
        let initial = self.initial_quantum_bytes;
        require(initial >= 1, "initial_quantum_bytes", initial, "at least 1")?;
        let delay = self.refill_delay_ms;
        require((0.0..=1e9).contains(&delay), "refill_delay_ms", delay, "from 0 to 1e9 ms")?;
        CeThreshold::validate(self.ce_threshold_ms, CeThresholdEcn::Any)
    }

    fn limit(&self) -> Limit {
        Limit { packets: Some(self.limit_packets), bytes: None, rule: LimitRule::HoldLimit }
    }

    /// Each queue has a limit of its own: that of all guards memory.
    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ce_threshold_ms.is_some()
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn can_be_class(&self) -> bool {
        true
    }

    fn queues(&self) -> usize {
        self.flows as usize
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "ce_threshold_ms"]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let queue = LateMarks(CeThreshold::new(self.ce_threshold_ms, CeThresholdEcn::Any));
        let queues = (0..self.queues()).map(|_| Box::new(queue) as _).collect();
        Discipline::Scheduled(Scheduled {
            queue_limit: QueueLimit::Own(self.flow_limit()),
            ..Scheduled::queues(Box::new(self.scheduler(facts)), queues)
        })
    }
}

/// The scheduler: the turns of FQ-CoDel, with credits that outlast a rest.
#[derive(Clone, Debug)]
struct LinuxFq {
    turns: DeficitRoundRobin,
    quantum_bytes: i64,
    initial_quantum_bytes: i64,
    refill_delay: Span,
    /// When each queue came to rest; none before its first packet.
    rested_since: Vec<Option<Time>>,
    last_arrival: usize,
    /// The credits of the queue of the last arrival, where that found it at rest.
    left_at_rest: Option<i64>,
}

impl LinuxFq {
    /// What a queue may send that was at rest and has `left` of its last turn.
    fn credits_after_rest(&self, queue: usize, left: i64, now: Time) -> i64 {
        match self.rested_since[queue] {
            None => self.initial_quantum_bytes,
            Some(since) if now.since(since) > self.refill_delay => left.max(self.quantum_bytes),
            Some(_) => left,
        }
    }
}

impl Scheduler for LinuxFq {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        self.last_arrival = self.turns.classify(now, packet, header, queues);
        self.last_arrival
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        self.left_at_rest = self.turns.credits_at_rest(queue);
        self.turns.on_queued(now, queue, packet, queues);
        if let Some(left) = self.left_at_rest {
            let credits = self.credits_after_rest(queue, left, now);
            self.turns.set_credits(queue, credits);
        }
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        self.turns.next(now, queues)
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        self.turns.on_sent(now, queue, bytes);
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        self.turns.on_empty(now, queue);
        if self.turns.credits_at_rest(queue).is_some() {
            self.rested_since[queue] = Some(now);
        }
    }

    /// The arrival, as if it had never been queued: Linux looks at the limit first. Where the limit was made
    /// smaller, also what came last to the longest queues.
    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        if let Some(left) = self.left_at_rest.take() {
            self.turns.take_back_last_new(left);
        } else if queues.packets(self.last_arrival) == 0 {
            return Victim { end: End::Tail, ..self.turns.victim(now, queues) };
        }
        Victim { queue: self.last_arrival, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.turns.observe(sink);
    }
}

/// The scheme of a flow's queue: marks what waited longer than the threshold.
#[derive(Clone, Copy, Debug)]
struct LateMarks(Option<CeThreshold>);

impl Aqm for LateMarks {
    fn on_arrival(
        &mut self,
        _now: Time,
        _packet: &PacketFacts,
        _queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        _queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        match self.0 {
            Some(threshold) if threshold.marks(now, packet) => Verdict::Signal(Reason::Early),
            _ => Verdict::Pass,
        }
    }

    fn watches_arrivals(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        before.is::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::{Scheme, codel};
    use crate::packet::{Codepoint, PacketClass, Queued};
    use crate::port::Port;
    use aqmlab_random::Key;
    use aqmlab_units::Rate;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Packet {
        number: u32,
        flow: u64,
        codepoint: Codepoint,
    }

    impl Queued for Packet {
        fn facts(&self) -> PacketFacts {
            PacketFacts { flow: self.flow, bytes: 1500, codepoint: self.codepoint, class: PacketClass::Data }
        }

        fn mark(&mut self) {
            self.codepoint = Codepoint::Ce;
        }
    }

    /// What leaves and what is lost where each millisecond up to three packets of four flows come and one
    /// leaves, with pauses.
    fn story(scheme: &Scheme) -> Vec<(u32, Option<Packet>)> {
        let facts = PortFacts::new(Rate::from_megabits_per_second(12.0));
        let mut port = Port::new(scheme, facts, Key::from_seed(1).stream());
        let mut dice = Key::from_seed(2).stream();
        let (mut number, mut told) = (0, Vec::new());
        for ms in 0..4_000 {
            let now = Time::ZERO + Span::from_milliseconds(ms);
            let burst = if ms % 500 < 300 { dice.below(4) } else { 0 };
            for _ in 0..burst {
                number += 1;
                let codepoint = [Codepoint::NotEct, Codepoint::Ect0][number as usize % 2];
                let packet = Packet { number, flow: dice.below(4), codepoint };
                port.arrive(now, packet, &mut |lost, _| told.push((lost.number, None)));
            }
            if let Some(sent) = port.depart(now, &mut |lost, _| told.push((lost.number, None))) {
                told.push((sent.number, Some(sent)));
            }
        }
        told
    }

    /// A CoDel whose target is out of reach is a drop-tail queue with the threshold. With one queue there are
    /// no turns.
    #[test]
    fn one_queue_is_first_in_first_out_with_a_threshold() {
        let one = Params { flows: 1, limit_packets: 20, flow_limit_packets: 20, ..Params::default() };
        let fifo = codel::Params {
            limit_packets: Some(20),
            target_ms: 5e3,
            interval_ms: 1e4,
            ..codel::Params::default()
        };
        for ce_threshold_ms in [None, Some(5.0)] {
            let one = story(&Scheme::LinuxFq(Params { ce_threshold_ms, ..one.clone() }));
            let fifo = story(&Scheme::CoDel(codel::Params { ce_threshold_ms, ..fifo.clone() }));
            let marks =
                one.iter().filter_map(|(_, sent)| *sent).filter(|sent| sent.codepoint == Codepoint::Ce);
            assert_eq!(marks.count() > 100, ce_threshold_ms.is_some());
            assert!(one.iter().filter(|(_, sent)| sent.is_none()).count() > 100);
            assert_eq!(one, fifo);
        }
    }

    /// A flow of three packets a millisecond beside one of a packet each four: the busy one alone loses.
    #[test]
    fn who_fills_his_own_queue_pays_alone() {
        let scheme = Scheme::LinuxFq(Params { flow_limit_packets: 30, ..Params::default() });
        let mut port = Port::new(
            &scheme,
            PortFacts::new(Rate::from_megabits_per_second(12.0)),
            Key::from_seed(1).stream(),
        );
        let mut lost = [0; 2];
        for ms in 0..2_000 {
            let now = Time::ZERO + Span::from_milliseconds(ms);
            let flows = [0, 0, 0, 1];
            for flow in flows.into_iter().take(if ms % 4 == 0 { 4 } else { 3 }) {
                let packet = Packet { number: 0, flow, codepoint: Codepoint::NotEct };
                port.arrive(now, packet, &mut |packet: Packet, _| lost[packet.flow as usize] += 1);
            }
            let _ = port.depart(now, &mut |_, _| panic!("nothing is lost on departure"));
        }
        // 6,000 come, 1,500 leave beside the 500 of the other, and 29 wait behind the last that left.
        assert_eq!(lost, [6_000 - 1_500 - 29, 0]);
    }

    /// Ten packets of each of three flows wait when the limit becomes five. One of a fourth comes and is
    /// lost, and so is what came last to the longest queues: 2, 2 and 1 packets stay.
    #[test]
    fn a_limit_that_became_smaller_takes_from_the_longest_queues() {
        let scheme = Scheme::LinuxFq(Params { limit_packets: 30, ..Params::default() });
        let facts = PortFacts::new(Rate::from_megabits_per_second(12.0));
        let mut port = Port::new(&scheme, facts, Key::from_seed(1).stream());
        let packet = |number| Packet { number, flow: u64::from(number / 10), codepoint: Codepoint::NotEct };
        (0..30)
            .for_each(|number| port.arrive(Time::ZERO, packet(number), &mut |_, _| panic!("there is room")));
        let five = serde_json::json!({ "limit_packets": 5 });
        let five = scheme.adjusted(five.as_object().unwrap(), &facts).unwrap();
        port.adjust(Time::ZERO, &five, &facts).unwrap();
        let mut lost = [0; 4];
        port.arrive(Time::ZERO, packet(30), &mut |packet: Packet, _| lost[packet.flow as usize] += 1);
        lost.sort_unstable();
        assert_eq!(lost, [1, 8, 8, 9]);
        let left = (0..6).filter_map(|_| port.depart(Time::ZERO, &mut |_, _| panic!("no longer"))).count();
        assert_eq!(left, 5);
    }
}
