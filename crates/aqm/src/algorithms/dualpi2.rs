//! DualPI2: two queues, one for scalable senders that want no delay and one for all others, coupled so that
//! both get the same rate.
//!
//! Source: De Schepper, Briscoe, White, *Dual-Queue Coupled Active Queue Management (AQM) for Low Latency,
//! Low Loss, and Scalable Throughput (L4S)*, RFC 9332 (2023), section 2 and appendix A; RFC 9331 (2023),
//! section 5, on who is sorted where. Queue protection is RFC 9957's (`dualpi2/protection.rs`).
//!
//! ```text
//! on each arrival       ECT(1), CE and low_latency_dscp: the L queue;  others: the C queue
//! each update_interval  delay ← longest of what waits at either head
//!                       p' ← clamp(p' + α·(delay − target) + β·(delay − delay_old));  p_CL = k·p', p_C = p'²
//! L departs, p_CL < 1   p'_L ← 0 while no more than queue_length packets stay behind, else the ramp over its own delay;
//!                       mark with likelihood max(p'_L, p_CL)
//! L departs, otherwise  drop with likelihood p_C, mark the rest with likelihood p_CL
//! C departs             with likelihood p_C: drop Not-ECT, and all where p_C ≥ highest_marking; mark ECT(0)
//! ```
//!
//! | parameter | unit | RFC 9332 | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 250 ms of the link | at least one of them |
//! | `target_ms`, `update_interval_ms` | ms | 15, 16 | 0.001 to 1e9 |
//! | `alpha_hz`, `beta_hz` | per second | 0.16, 3.2 | above 0, at most 1e9 |
//! | `coupling` | | 2 | 1e-12 to 1e12 |
//! | `highest_marking` | probability | 1/k² = 0.25 | above 0, at most 1 |
//! | `ramp_from_us`, `ramp_range_us` | µs | 800, 400; 1000, 0 (Linux) | 0 to 1e12 |
//! | `queue_length_packets` | packets | 1 | 0 or more |
//! | `schedule.weighted` `classic_share` | | 1/16; 0.1 (Linux) | above 0, below 1 |
//! | `schedule.time_shifted` `shift_ms` | ms | 50 | 0 to 1e9 |
//! | `low_latency_dscp` | | 45 (RFC 9956) | 0 to 63, or none |
//! | `queue_protection` | | RFC 9957 | in microseconds above 0 to 1e12, `aging_exponent` 0 to 40 |
//!
//! Departures and silences. The likelihoods are added up as in the RFC's `recur`, one sum for each queue,
//! and no coin is tossed; both likelihoods of an overloaded L queue go into its one sum, and one of more
//! than 1 counts as 1, so that no overload marks beyond its end. The buffer is exceeded by the bytes that
//! arrive, where the RFC tests for a packet of the largest size: what finds no room is discarded at the
//! tail of its queue. The L queue's own delay is that of the packet that leaves. The RFC's listing tests
//! the length of the L queue on departure, its text thinks of arrival: `length_tested_on`. Its weighted
//! round robin is not spelt out: here it is Linux's, whose credit moves only while both queues hold
//! packets, by what was sent, and begins anew when the link finds nothing to send (the RFC's note in
//! appendix A.1). Gains and interval are those of the RFC's text, which are for 16 ms: the formulas of its
//! listing give 15 ms, 0.15 and 3.0. Linux's overload without drops bounds p' where k·p' is 1: `overload`.
//! The RFC's note on backlogs of less than two packets is `spare_nearly_empty`. With `ecn = false` nothing
//! is told apart, and everything is Classic (RFC 9331, section 5.1 on what is disabled). Packets that join
//! the L queue by their DSCP (RFC 9332, section 2.5.1.1) and cannot be marked are let pass where others are
//! marked (RFC 9957, section 3), and are dropped with the others in overload.

mod coupled;
mod protection;
mod two_queues;

use self::coupled::{Coupled, CoupledSettings, Waiting};
use self::protection::{Protection, Ramp};
use self::two_queues::{Sorting, TwoQueues};
use crate::discipline::{Discipline, Scheduled};
use crate::parameter_error::{
    ParameterError, require, require_delay_controller, require_packet_bytes, require_positive, require_share,
};
use crate::parameters::Parameters;
use crate::parts::{Limit, LimitRule, Pi2Controller, Ticker};
use crate::port_facts::PortFacts;
use aqmlab_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::coupled::LengthTestedOn;
pub use self::protection::QueueProtection;

/// Which of the two queues is served next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// Both by weights, the L queue first: the C queue has at least its share while both hold packets.
    Weighted {
        /// The C queue's share of the link.
        classic_share: f64,
    },
    /// The packet that arrived first; arrivals in the L queue count as earlier.
    TimeShifted {
        /// By how much.
        shift_ms: f64,
    },
}

/// What happens when marks no longer suffice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overload {
    /// Packets of the L queue are dropped too, as those of the C queue are (RFC 9332).
    #[default]
    Drop,
    /// Probabilities stop where every packet of the L queue is marked, and the buffer overflows (Linux, on
    /// request).
    Overflow,
}

/// DualPI2: two coupled queues, of which one is kept next to empty for senders that answer to every mark.
///
/// Source: RFC 9332 (2023), appendix A. The defaults are the RFC's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that may wait in both queues together. At least one of the two limits has to be given.
    pub limit_packets: Option<u32>,
    /// Bytes (IP lengths) that may wait in both queues together.
    pub limit_bytes: Option<u64>,
    /// Target queueing delay.
    pub target_ms: f64,
    /// Time between two updates of the base probability.
    pub update_interval_ms: f64,
    /// Gain of the deviation from the target, per second of delay.
    pub alpha_hz: f64,
    /// Gain of the change of the delay, per second of delay.
    pub beta_hz: f64,
    /// Factor of the marking probability in the L queue over the base probability.
    pub coupling: f64,
    /// Probability in the C queue above which ECN-capable packets are dropped.
    pub highest_marking: f64,
    /// Delay of a packet in the L queue above which it may be marked, in microseconds.
    pub ramp_from_us: f64,
    /// Additional delay until it is marked with certainty, in microseconds; 0 is a step.
    pub ramp_range_us: f64,
    /// Packets in the L queue up to which none is marked for its delay.
    pub queue_length_packets: u32,
    /// When these are counted.
    pub length_tested_on: LengthTestedOn,
    /// Which queue is served: { weighted = { classic_share = ... } } or { time_shifted = { shift_ms = ... }
    /// }.
    pub schedule: Schedule,
    /// What happens when marks no longer suffice.
    pub overload: Overload,
    /// Whether nothing is dropped or marked for the coupled likelihoods while less than two packets of
    /// mtu_bytes wait in both queues.
    pub spare_nearly_empty: bool,
    /// Length of the largest packet (IP length): how far ahead the L queue begins, and for
    /// spare_nearly_empty.
    pub mtu_bytes: u32,
    /// Whether ECN-capable packets are marked; without it all packets are Classic.
    pub ecn: bool,
    /// Differentiated services codepoint of packets that join the L queue whatever their ECN field: 45 is
    /// that of traffic that builds no queue (RFC 9956).
    #[schemars(range(max = 63))]
    pub low_latency_dscp: Option<u8>,
    /// Sends packets of flows that build a queue in the L queue to the C queue, as DOCSIS does (RFC 9957):
    /// { } or { critical_score_us = ... }.
    pub queue_protection: Option<QueueProtection>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            limit_packets: None,
            limit_bytes: None,
            target_ms: 15.0,
            update_interval_ms: 16.0,
            alpha_hz: 0.16,
            beta_hz: 3.2,
            coupling: 2.0,
            highest_marking: 0.25,
            ramp_from_us: 800.0,
            ramp_range_us: 400.0,
            queue_length_packets: 1,
            length_tested_on: LengthTestedOn::Departure,
            schedule: Schedule::Weighted { classic_share: 0.0625 },
            overload: Overload::Drop,
            spare_nearly_empty: false,
            mtu_bytes: 1500,
            ecn: true,
            low_latency_dscp: None,
            queue_protection: None,
        }
    }
}

impl Params {
    fn protection(&self, facts: &PortFacts) -> Option<Box<Protection>> {
        let CoupledSettings { ramp_from: from, ramp_range: range, .. } = self.settings();
        let of = |own| Protection::new(own, Ramp { from, range }, self.mtu_bytes, facts.link_rate);
        self.queue_protection.map(|own| Box::new(of(own)))
    }

    fn require_protection(&self) -> Result<(), ParameterError> {
        let Some(own) = &self.queue_protection else { return Ok(()) };
        let delay = own.critical_delay_us.map(|delay| ("queue_protection.critical_delay_us", delay));
        let score = ("queue_protection.critical_score_us", own.critical_score_us);
        for (key, us) in delay.into_iter().chain([score]) {
            require(us > 0.0 && us <= 1e12, key, us, "above 0, at most 1e12 microseconds")?;
        }
        let (key, exponent) = ("queue_protection.aging_exponent", own.aging_exponent);
        require((0.0..=40.0).contains(&exponent), key, exponent, "from 0 to 40")
    }

    fn settings(&self) -> CoupledSettings {
        CoupledSettings {
            coupling: self.coupling,
            highest_marking: self.highest_marking,
            ramp_from: Span::from_seconds(self.ramp_from_us / 1e6),
            ramp_range: Span::from_seconds(self.ramp_range_us / 1e6),
            queue_length_packets: self.queue_length_packets,
            length_tested_on: self.length_tested_on,
            drops_on_overload: self.overload == Overload::Drop,
            spared_bytes: if self.spare_nearly_empty { 2 * u64::from(self.mtu_bytes) } else { 0 },
            marks: self.ecn,
        }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_delay_controller(self.target_ms, self.update_interval_ms, (self.alpha_hz, self.beta_hz))?;
        require_positive("coupling", self.coupling)?;
        require_share("highest_marking", self.highest_marking)?;
        for (key, span) in [("ramp_from_us", self.ramp_from_us), ("ramp_range_us", self.ramp_range_us)] {
            require((0.0..=1e12).contains(&span), key, span, "from 0 to 1e12 microseconds")?;
        }
        match self.schedule {
            Schedule::Weighted { classic_share: share } => {
                require(
                    share > 0.0 && share < 1.0,
                    "schedule.weighted.classic_share",
                    share,
                    "above 0 and below 1",
                )?;
            }
            Schedule::TimeShifted { shift_ms: shift } => {
                let legal = (0.0..=1e9).contains(&shift);
                require(legal, "schedule.time_shifted.shift_ms", shift, "from 0 to 1e9 milliseconds")?;
            }
        }
        let dscp = self.low_latency_dscp.unwrap_or(0);
        require(dscp < 64, "low_latency_dscp", dscp, "from 0 to 63")?;
        self.require_protection()?;
        require_packet_bytes("mtu_bytes", self.mtu_bytes)
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: self.limit_bytes, rule: LimitRule::HoldLimit }
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

    fn queues(&self) -> usize {
        2
    }

    /// A redirected packet waits behind others than the one before it.
    fn reorders_flows(&self) -> bool {
        self.queue_protection.is_some()
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let highest = if self.overload == Overload::Overflow { (1.0 / self.coupling).min(1.0) } else { 1.0 };
        let controller = Pi2Controller::new(self.target_ms / 1e3, self.alpha_hz, self.beta_hz, highest);
        let ticker = Ticker::new(self.update_interval_ms / 1e3, facts);
        let coupled = Coupled::new(self.settings(), controller, ticker);
        let sorting = Sorting {
            tells_apart: self.ecn,
            dscp: self.low_latency_dscp,
            protection: self.protection(facts),
        };
        let scheduler = TwoQueues::new(self.schedule, sorting, self.mtu_bytes, coupled);
        Discipline::Scheduled(Scheduled::queues(
            Box::new(scheduler),
            vec![Box::new(Waiting), Box::new(Waiting)],
        ))
    }
}
