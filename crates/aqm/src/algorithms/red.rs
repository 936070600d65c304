//! RED: Random Early Detection.
//!
//! Source: Floyd, Jacobson, *Random Early Detection Gateways for Congestion Avoidance*, IEEE/ACM Transactions
//! on Networking 1(4), 1993; `gentle` and `max_p` 1/10 from Floyd's later recommendations. The variants are
//! those of ns-2.35 `red.cc`, ns-3 `red-queue-disc.cc` and `altq_red.c`, whose behaviour the studies of RED
//! rest on.
//!
//! ```text
//! on each arrival     avg ← (1 − w_q)·avg + w_q·q           aged over idle time: IdleRule
//!   avg < min_th      pass
//!   avg < max_th      p_b = max_p·(avg − min_th)/(max_th − min_th)
//!   avg < 2 max_th    p_b = max_p + (1 − max_p)·(avg − max_th)/max_th     (gentle)
//!   above             every packet is dropped (or, by ecn_rule, marked)
//!   on the curve      signal with probability p_a, which spreads p_b over the arrivals: Spacing
//! ```
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | | at least one of them |
//! | `min_th_packets`, `max_th_packets` | packets of mean size | 5, 15 | 0 ≤ min < max; max alone is refused |
//! | `target_delay_ms` | ms | | above 0; instead of thresholds |
//! | `w_q` | per arrival, or a time constant | 0.002 | above 0, at most 1 |
//! | `max_p` | probability | 0.02 in 1993, 0.1 later | above 0, at most 1 |
//! | `mean_packet_bytes`, `max_packet_bytes` | bytes | | 1 or more |
//! | `mark_p` | probability | | 0 to 1; read under `ecn_rule = "mark_p"` |
//!
//! Departures and silences. The paper counts arrivals from −1 on entering the region, so that its first
//! arrival has count 0: this is what happens here with `spare_first_in_region = false`. The paper has no
//! guard for nearly empty queues (`spare_nearly_empty`). A forced drop and an overflow restart the count, as
//! the paper's pseudocode says for forced drops and as ns-2 does for both. When the coin selects an arrival
//! that would not have found room either, the discard counts as early (ALTQ's order); ns-2 calls it forced.
//! Forced drops take the arrival, not a random victim. The paper is silent on ECN-capable packets: see
//! [`EcnRule`].

use crate::aqm::{Aqm, Verdict};
use crate::packet::PacketFacts;
use crate::parameters::{ParameterError, Parameters, require_share};
use crate::parts::{
    AverageQueue, Detector, DetectorSettings, EcnRule, Gauge, IdleRule, Limit, LimitRule, Measure,
    PacketScale, RedCurve, ScaleProbability, Spacing, Thresholds, Weight,
};
use crate::port::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED: signals congestion with a probability that grows with the average queue, spread over the arrivals.
///
/// Source: Floyd and Jacobson 1993, with Floyd's later recommendations (gentle, max_p 0.1). A scenario that
/// repeats an ns-2 study sets spacing = "ns2_wait", idle = "ns2", both spare rules, and the ecn_rule of its
/// version; one that repeats an ALTQ study sets spacing = "altq", idle = "altq", gentle = false and both
/// spare rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that may wait. At least one of the two limits has to be given.
    pub limit_packets: Option<u32>,
    /// Bytes (IP lengths) that may wait.
    pub limit_bytes: Option<u64>,
    /// What a limit of L means.
    pub limit_rule: LimitRule,
    /// Average queue, in packets of mean size, from which on packets are signalled. Unset: half of the target
    /// queue but at least 5, or 5 without a target delay.
    pub min_th_packets: Option<f64>,
    /// Average queue, in packets of mean size, at which the probability reaches max_p. Unset: three times the
    /// lower threshold.
    pub max_th_packets: Option<f64>,
    /// Queueing delay from which the thresholds are derived, in milliseconds, instead of giving them.
    pub target_delay_ms: Option<f64>,
    /// Weight of each arrival's sample in the average queue: a number, or { time_constant_s = ... }.
    pub w_q: Weight,
    /// Base probability at max_th.
    pub max_p: f64,
    /// Whether the probability rises from max_p to 1 between max_th and twice max_th, instead of jumping to
    /// 1.
    pub gentle: bool,
    /// How signals are spread over the arrivals.
    pub spacing: Spacing,
    /// How idle time ages the average.
    pub idle: IdleRule,
    /// In what the queue is measured.
    pub measure: Measure,
    /// How the probability depends on a packet's size.
    pub scale_probability: ScaleProbability,
    /// Length of a mean packet (IP length): the clock of idle time, and the reference of sizes.
    pub mean_packet_bytes: u32,
    /// Length of the largest packet, for scale_probability = "max".
    pub max_packet_bytes: u32,
    /// Whether selected packets that are ECN-capable are marked, as ecn_rule says, instead of dropped.
    pub ecn: bool,
    /// What a selected ECN-capable packet gets.
    pub ecn_rule: EcnRule,
    /// Base probability below which packets are marked, for ecn_rule = "mark_p": 1 drops only where it is 1.
    pub mark_p: f64,
    /// Never select an arrival that finds at most one packet waiting (measured in bytes: at most one byte).
    pub spare_nearly_empty: bool,
    /// Never select the first arrival after the average has risen above min_th.
    pub spare_first_in_region: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            limit_packets: None,
            limit_bytes: None,
            limit_rule: LimitRule::HoldLimit,
            min_th_packets: None,
            max_th_packets: None,
            target_delay_ms: None,
            w_q: Weight::Fixed(0.002),
            max_p: 0.1,
            gentle: true,
            spacing: Spacing::Classic,
            idle: IdleRule::Paper,
            measure: Measure::Packets,
            scale_probability: ScaleProbability::None,
            mean_packet_bytes: 500,
            max_packet_bytes: 1500,
            ecn: false,
            ecn_rule: EcnRule::MarkBelowMaxTh,
            mark_p: 0.1,
            spare_nearly_empty: false,
            spare_first_in_region: false,
        }
    }
}

impl Params {
    fn thresholds(&self) -> Thresholds {
        Thresholds {
            min_th_packets: self.min_th_packets,
            max_th_packets: self.max_th_packets,
            target_delay_ms: self.target_delay_ms,
        }
    }

    fn settings(&self) -> DetectorSettings {
        DetectorSettings {
            spacing: self.spacing,
            gauge: Gauge { measure: self.measure, mean_packet_bytes: self.mean_packet_bytes },
            scale: PacketScale {
                mode: self.scale_probability,
                mean_packet_bytes: self.mean_packet_bytes,
                max_packet_bytes: self.max_packet_bytes,
            },
            ecn_rule: self.ecn_rule,
            mark_p: self.mark_p,
            spare_nearly_empty: self.spare_nearly_empty,
            spare_first_in_region: self.spare_first_in_region,
        }
    }

    fn curve(&self, facts: &PortFacts) -> RedCurve {
        let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
        let (min_th, max_th) = self.thresholds().resolve(packets_per_second);
        let steep = RedCurve::new(min_th, max_th, self.max_p);
        if self.gentle { steep.gentle(false) } else { steep }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.limit().validate()?;
        self.thresholds().validate()?;
        self.w_q.validate("w_q")?;
        require_share("max_p", self.max_p)?;
        self.settings().validate()
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: self.limit_bytes, rule: self.limit_rule }
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn build(&self, facts: &PortFacts) -> Box<dyn Aqm> {
        let settings = self.settings();
        let average = AverageQueue::new(self.w_q, settings.gauge, self.idle, facts);
        Box::new(Red { detector: Detector::new(settings, average, self.curve(facts)) })
    }
}

/// RED at a port.
#[derive(Clone, Debug)]
pub struct Red {
    detector: Detector,
}

impl Aqm for Red {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.detector.average.on_arrival(now, queue);
        self.detector.decide(packet, queue, coins)
    }

    fn on_overflow(&mut self, _now: Time, _packet: &PacketFacts) {
        self.detector.restart_count();
    }

    fn on_idle(&mut self, now: Time) {
        self.detector.average.on_idle(now);
    }

    fn signal_probability(&self) -> Probability {
        self.detector.signal_probability()
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.detector.observe(sink);
    }

    fn watches_departures(&self) -> bool {
        false
    }
}
