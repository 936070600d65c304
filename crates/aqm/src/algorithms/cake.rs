//! CAKE's core: a queue for each flow under COBALT, and turns that are fair between hosts and between the
//! flows of each.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018, sections II and III, as Linux `sch_cake.c` has it; the COBALT of each
//! queue is [`super::cobalt`], the turns are [`crate::parts::HostFairness`].
//!
//! ```text
//! on each arrival    queue ← within its set of eight that of the flow, else a free one, else the first
//!                    at rest: deficit ← quantum/load, last of the new queues, sparse;  too much waits: drop from the head
//!                    of the queue with most bytes
//! on each departure  before the shaper opens: nothing
//!                    queue ← first of the new queues, without any the first of the old ones
//!                    deficit ≤ 0: sparse flows with packets become bulk, and count for their hosts;
//!                    deficit ← deficit + quantum/load, last of the old queues, begin again
//!                    ask COBALT for its packet: deficit ← deficit − bytes, the shaper opens (bytes + overhead)/rate
//!                    later; or, when none is left, at rest, begin again
//! load               most bulk flows of either of its hosts, at least 1
//! ```
//!
//! With several tins each has all of this for itself, and quantum, target and interval of its share of the
//! rate: [`crate::parts::TinPriority`]. Several hardware queues have a CAKE each and share the rate:
//! `parts/hardware_queues.rs`. The filter of acknowledgements is [`crate::parts::AckFilter`].
//!
//! | parameter | unit | Linux | legal |
//! | --- | --- | --- | --- |
//! | `rate_mbps` | Mbit/s | none | 0.001 to 1e6 |
//! | `overhead_bytes`, `minimum_frame_bytes` | bytes | the link's, 0 | -64 to 256, 0 to 256 |
//! | `framing` | none, atm, ptm | none | |
//! | `limit_packets`, `memory_limit_bytes` | packets, bytes | 4 MiB and more | 1 or more |
//! | `flows` | queues | 1024 | 8 to 65536, a multiple of 8 |
//! | `quantum_bytes` | bytes | rate/4096 s, from 300 to a full packet | 256 or more |
//! | `tins` | besteffort, diffserv3, diffserv4, diffserv8, precedence | diffserv3 | |
//! | `ack_filter` | none, conservative, aggressive | none | |
//! | `wash` | | false | |
//! | `ingress`, `autorate_ingress` | | false | the second with `rate_mbps` |
//! | `hardware_queues` | queues | the device's | 1 to 64 |
//! | `target_ms`, `interval_ms`, `mtu_bytes` | | 5, 100 | as for COBALT |
//!
//! Departures and silences. Lengths are IP lengths. Without a
//! rate of its own CAKE has no shaper; quantum, target and interval are then those of the link, in every tin,
//! where Linux has 1514 bytes, 5 and 100 ms. The shaper is [`crate::parts::Shaper`]: while packets wait
//! its clock goes on from where it was, however late the link asks, and an arrival at an empty port begins it
//! anew. Turns count the bytes that the shaper counts. Without a word about framing Linux counts the 14 bytes
//! of an Ethernet header, and this file none: `cake bandwidth 10Mbit` is `overhead_bytes = 14` here. Quantum,
//! target and interval follow the shaper's rate where there is one. A queue that runs empty is at rest at
//! once, where Linux goes on visiting it until its COBALT has come to rest. A turn is a whole number of
//! bytes, where Linux adds a random part of one. A rate that follows arrivals begins as after a long pause;
//! it counts what comes as the queues do, with what the filter of acknowledgements discards. The buffer is
//! given in IP lengths, and does not follow from the rate.

use super::cobalt::{self, Cobalt};
use crate::discipline::{Discipline, Scheduled};
use crate::parameter_error::{ParameterError, require};
use crate::parameters::Parameters;
use crate::parts::{
    AckFilter, AckFiltering, BuiltClass, CapacityEstimate, HardwareQueues, HostFairness, Isolation, Limit,
    LimitRule, LineCoding, LinkLayer, Shaped, Shaper, Shaping, TinPriority, TinShare, Tins, classes,
    quantum_of_rate,
};
use crate::port_facts::PortFacts;
use crate::scheduler::Scheduler;
use aqmlab_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest turn that a link gives: one full packet, as its queues count it. Linux has 1514 for it, and
/// counts frames of Ethernet: IP lengths against that would leave each full packet a rest of 14 bytes, with
/// which its flow is at rest at once, and first again.
const FULL_PACKET_BYTES: u32 = 1500;

/// CAKE's core: a queue for each flow under COBALT, with turns that are fair between hosts and between the
/// flows of each.
///
/// Source: Hoeiland-Joergensen, Taht and Morton 2018. The defaults are those of Linux's cake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Rate of the shaper, in Mbit/s. Unset: no shaper.
    pub rate_mbps: Option<f64>,
    /// Overhead bytes of each packet, beyond its IP length, as the shaper counts it; may be negative.
    #[schemars(range(min = -64, max = 256))]
    pub overhead_bytes: i32,
    /// The shortest frame as the shaper counts it (tc's mpu).
    #[schemars(range(max = 256))]
    pub minimum_frame_bytes: u32,
    /// What the shaper takes the line to make of frames: whole ATM cells, or PTM.
    pub framing: LineCoding,
    /// Packets that may wait in all queues together.
    pub limit_packets: u32,
    /// Bytes (IP lengths) that may wait in all queues together.
    pub memory_limit_bytes: u64,
    /// Number of queues for flows, in sets of eight.
    pub flows: u32,
    /// Bytes of a turn of a flow whose hosts have no other, as its queues count them. Unset: the link's in
    /// 1/4096 s, from 300 to a full packet: 1500, and layer2_queued_bytes of its link.
    pub quantum_bytes: Option<u32>,
    /// What gets an equal share of the link, or of a tin.
    pub isolation: Isolation,
    /// Classes of traffic by differentiated services codepoint. Linux's default is diffserv3.
    pub tins: Tins,
    /// Which acknowledgements are discarded that later ones make redundant.
    pub ack_filter: AckFiltering,
    /// Whether packets lose their DSCP once their tin is chosen; the ECN bits stay.
    pub wash: bool,
    /// Whether the line is in front: what is discarded counts in the shaper as well, and the more flows are
    /// busy, the longer packets may wait.
    pub ingress: bool,
    /// Whether the shaper's rate follows what arrives, from rate_mbps on.
    pub autorate_ingress: bool,
    /// Hardware queues of the interface, each with a CAKE of its own for the flows that its hash brings
    /// there: those that are active share rate_mbps (tc's cake_mq). The limits are each one's.
    #[serde(skip_serializing_if = "is_one")]
    #[schemars(range(min = 1, max = MOST_HARDWARE_QUEUES), extend("default" = 1))]
    pub hardware_queues: u32,
    /// Waiting time that is always acceptable.
    pub target_ms: f64,
    /// Time from the first packet that waits longer to the first drop.
    pub interval_ms: f64,
    /// Length of the largest packet (IP length): target and interval grow where it takes long.
    pub mtu_bytes: u32,
    /// Whether ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
}

/// More than an interface of a router has.
const MOST_HARDWARE_QUEUES: u32 = 64;

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
const fn is_one(count: &u32) -> bool {
    *count == 1
}

impl Default for Params {
    fn default() -> Self {
        Self {
            rate_mbps: None,
            overhead_bytes: 0,
            minimum_frame_bytes: 0,
            framing: LineCoding::None,
            limit_packets: 10_240,
            memory_limit_bytes: 4 << 20,
            flows: 1024,
            quantum_bytes: None,
            isolation: Isolation::Triple,
            tins: Tins::Besteffort,
            ack_filter: AckFiltering::None,
            wash: false,
            ingress: false,
            autorate_ingress: false,
            hardware_queues: 1,
            target_ms: 5.0,
            interval_ms: 100.0,
            mtu_bytes: 1500,
            ecn: true,
        }
    }
}

impl Params {
    fn cobalt(&self) -> cobalt::Params {
        cobalt::Params {
            target_ms: self.target_ms,
            interval_ms: self.interval_ms,
            mtu_bytes: self.mtu_bytes,
            ecn: self.ecn,
            ..cobalt::Params::default()
        }
    }

    /// The port of the link that everything is in proportion to: the shaper's, where there is one.
    fn shaped(&self, facts: &PortFacts) -> PortFacts {
        PortFacts { link_rate: self.rate().unwrap_or(facts.link_rate), ..*facts }
    }

    const fn link_layer(&self) -> LinkLayer {
        LinkLayer {
            overhead_bytes: self.overhead_bytes,
            minimum_frame_bytes: self.minimum_frame_bytes,
            coding: self.framing,
        }
    }

    fn rate(&self) -> Option<Rate> {
        self.rate_mbps.map(Rate::from_megabits_per_second)
    }

    fn quantum(&self, facts: &PortFacts) -> u32 {
        self.quantum_bytes.unwrap_or_else(|| quantum_of_rate(facts.link_rate, full_packet_bytes(facts)))
    }

    /// Whether a shaper holds what it sends: its own, or that of its link.
    const fn is_shaped(&self, facts: &PortFacts) -> bool {
        self.rate_mbps.is_some() || facts.shaping.is_some()
    }

    /// The shares of the tins; without a shaper each has the link's rate.
    fn shares(&self, facts: &PortFacts) -> Vec<TinShare> {
        let bytes_per_second = facts.link_rate.bits_per_second() / 8;
        let mut shares = self.tins.shares(bytes_per_second);
        if !self.is_shaped(facts) {
            shares.iter_mut().for_each(|share| share.bytes_per_second = bytes_per_second);
        }
        shares
    }

    /// The port of the link as one tin has it.
    fn in_tin(&self, share: &TinShare, facts: &PortFacts) -> PortFacts {
        if self.tins == Tins::Besteffort { *facts } else { PortFacts { link_rate: share.rate(), ..*facts } }
    }

    fn fairness(&self, facts: &PortFacts) -> HostFairness {
        let quantum = self.quantum(facts);
        let mut fairness = HostFairness::new(self.isolation, quantum, self.flows as usize, facts.flow_salt);
        if self.quantum_bytes.is_none() {
            fairness = fairness.following_rate(full_packet_bytes(facts));
        }
        if self.ingress { fairness.counting_discards() } else { fairness }
    }

    fn queue(&self, facts: &PortFacts) -> Cobalt {
        let queue = Cobalt::new(&self.cobalt(), facts);
        if self.autorate_ingress { queue.following_rate(&self.cobalt(), facts) } else { queue }
    }

    /// A scheduler behind the shaper, if there is one.
    fn behind_shaper<S: Scheduler + Clone + 'static>(
        &self,
        scheduler: S,
        facts: &PortFacts,
    ) -> Box<dyn Scheduler> {
        let Some(rate) = self.rate() else { return Box::new(scheduler) };
        let shaper = Shaper::new(Shaping { rate, link_layer: self.link_layer(), burst_bytes: 0 });
        let shaper = if self.ingress { shaper.counting_discards() } else { shaper };
        let shaped = Shaped::new(shaper, facts.layer2_queued_bytes, scheduler);
        Box::new(if self.autorate_ingress { shaped.following(CapacityEstimate::new(rate)) } else { shaped })
    }
}

/// The largest turn that a link gives.
fn full_packet_bytes(facts: &PortFacts) -> u32 {
    FULL_PACKET_BYTES + facts.layer2_queued_bytes
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        let rate = self.rate_mbps.unwrap_or(1.0);
        require((1e-3..=1e6).contains(&rate), "rate_mbps", rate, "from 0.001 to 1e6 Mbit/s")?;
        let overhead = self.overhead_bytes;
        require((-64..=256).contains(&overhead), "overhead_bytes", overhead, "from -64 to 256 bytes")?;
        let minimum = self.minimum_frame_bytes;
        require(minimum <= 256, "minimum_frame_bytes", minimum, "at most 256 bytes")?;
        require(self.limit_packets >= 1, "limit_packets", self.limit_packets, "at least 1")?;
        require(self.memory_limit_bytes >= 1, "memory_limit_bytes", self.memory_limit_bytes, "at least 1")?;
        let legal = (8..=65_536).contains(&self.flows) && self.flows % 8 == 0;
        require(legal, "flows", self.flows, "a multiple of 8, from 8 to 65536 queues")?;
        let quantum = self.quantum_bytes.unwrap_or(256);
        let legal = "at least 256 bytes: a smaller one takes many turns for one packet";
        require(quantum >= 256, "quantum_bytes", quantum, legal)?;
        let count = self.hardware_queues;
        require((1..=MOST_HARDWARE_QUEUES).contains(&count), "hardware_queues", count, "from 1 to 64")?;
        let legal = "1 together with autorate_ingress: several hardware queues share a rate that is given";
        require(count == 1 || !self.autorate_ingress, "hardware_queues", count, legal)?;
        let legal = "true together with rate_mbps, at which the rate begins that follows what arrives";
        let begins = !self.autorate_ingress || self.rate_mbps.is_some();
        require(begins, "autorate_ingress", self.autorate_ingress, legal)?;
        self.cobalt().validate()
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        let link_mbps = facts.link_rate.bits_per_second() as f64 / 1e6;
        let shapes =
            self.rate().is_none_or(|rate| rate.bits_per_second() <= facts.link_rate.bits_per_second());
        let legal =
            format!("at most the {link_mbps} Mbit/s of its link, below which the shaper holds the queue");
        require(shapes, "rate_mbps", self.rate_mbps.unwrap_or(0.0), legal)
    }

    fn limit(&self) -> Limit {
        let count = self.hardware_queues;
        Limit {
            packets: Some(self.limit_packets.saturating_mul(count)),
            bytes: Some(self.memory_limit_bytes.saturating_mul(count.into())),
            rule: LimitRule::HoldLimit,
        }
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn can_be_class(&self) -> bool {
        self.hardware_queues == 1
    }

    fn queues(&self) -> usize {
        self.queues_of_one() * self.hardware_queues as usize
    }

    fn adjustable(&self) -> &'static [&'static str] {
        // The limits are those of each hardware queue.
        if self.hardware_queues == 1 { &["limit_packets", "limit_bytes"] } else { &[] }
    }

    fn own_shaping(&self, _has_packets: &dyn Fn(usize) -> bool) -> Option<Shaping> {
        Some(Shaping { rate: self.rate()?, link_layer: self.link_layer(), burst_bytes: 0 })
    }

    fn in_force(&self, facts: &PortFacts) -> Vec<(&'static str, f64)> {
        vec![("quantum_bytes", f64::from(self.quantum(&self.shaped(facts))))]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        if self.hardware_queues == 1 {
            return self.one(facts);
        }
        let limit = Self { hardware_queues: 1, ..self.clone() }.limit();
        let order = HardwareQueues::new(self.hardware_queues as usize, self.rate());
        let each = (0..self.hardware_queues).map(|_| BuiltClass::new(self.one(facts), Some(limit), self.ecn));
        classes(Box::new(order), each.collect())
    }
}

impl Params {
    const fn queues_of_one(&self) -> usize {
        self.flows as usize * self.tins.count()
    }

    /// The CAKE of one hardware queue.
    fn one(&self, facts: &PortFacts) -> Discipline {
        let facts = &self.shaped(facts);
        let shares = self.shares(facts);
        let of_tins: Vec<PortFacts> = shares.iter().map(|share| self.in_tin(share, facts)).collect();
        let scheduler = if self.tins == Tins::Besteffort {
            self.behind_shaper(self.fairness(facts), facts)
        } else {
            let fairness = of_tins.iter().map(|facts| self.fairness(facts)).collect();
            let (flows, is_shaped) = (self.flows as usize, self.is_shaped(facts));
            let tins = TinPriority::new(self.tins, flows, &shares, fairness, is_shaped);
            self.behind_shaper(tins, facts)
        };
        let queue_of = |facts: &PortFacts| {
            let queue = self.queue(facts);
            (0..self.flows).map(move |_| Box::new(queue.clone()) as _)
        };
        let queues = of_tins.iter().flat_map(queue_of).collect();
        let ack_filter = AckFilter::new(self.ack_filter, self.queues_of_one());
        let washes = self.wash;
        Discipline::Scheduled(Scheduled { ack_filter, washes, ..Scheduled::queues(scheduler, queues) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantum_is_a_4096th_of_a_second_of_the_link_from_300_bytes_to_a_full_packet() {
        let quantum = |mbps| Params::default().quantum(&PortFacts::new(Rate::from_megabits_per_second(mbps)));
        // 10 Mbit/s: 1,250,000/4096 = 305.2; 20 Mbit/s: 610.4.
        assert_eq!([1.0, 10.0, 20.0, 1000.0].map(quantum), [300, 305, 610, 1500]);
        // Where queues count the 14 bytes of Ethernet that Linux counts, it is Linux's 1514.
        let frames = PortFacts::new(Rate::from_megabits_per_second(1000.0)).with_layer2_queued_bytes(14);
        assert_eq!(Params::default().quantum(&frames), 1514);
        let at_10_mbps = PortFacts::new(Rate::from_megabits_per_second(10.0));
        assert_eq!(Params::default().in_force(&at_10_mbps), [("quantum_bytes", 305.0)]);
        let shaped = Params { rate_mbps: Some(20.0), ..Params::default() };
        assert_eq!(shaped.in_force(&at_10_mbps), [("quantum_bytes", 610.0)]);
        let given = Params { quantum_bytes: Some(9000), ..Params::default() };
        assert_eq!(given.quantum(&PortFacts::new(Rate::from_megabits_per_second(10.0))), 9000);
    }
}
