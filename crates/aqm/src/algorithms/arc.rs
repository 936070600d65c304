//! ARC, the Aggregate Rate Controller: a probability that follows what has arrived, against what the link can
//! carry.
//!
//! Source: Chung, Claypool, Kinicki, *Stochastic Fair Aggregate Rate Control: Practical Traffic Management
//! for Efficient and Robust IP Networking*, Worcester Polytechnic Institute, 2004, section 2, algorithm 1 and
//! equation (1).
//!
//! ```text
//! each interval d_a   p ← clamp(p + α·(b − γ·(d_a·C − (q − q_0))), 0, 1);  b ← 0
//! on each arrival     with probability p: mark, or drop what cannot be marked, and that is all
//!                     b ← b + size, also of what then finds no room
//! ```
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 500 000 bytes | at least one of them |
//! | `interval_ms` | ms | 1000; from the largest round-trip time to 2 s | 0.001 to 1e9 |
//! | `gain.fixed` `alpha` | per mean packet, or per byte | 1.42e-5 | above 0 |
//! | `gain.designed` `flows`, `rtt_ms` | flows, ms | equation (1) | 1 to 1e12, above 0; an admissible range must exist |
//! | `utilization` | share of the capacity | 0.98 | above 0, at most 1 |
//! | `q_ref_packets` | packets of mean size | 0 | 0 or above |
//! | `mean_packet_bytes` | bytes | 1000 | 1 or more |
//!
//! Departures and silences. The listing does not bound p: here it is a probability. It compares `U ≤ p`: here
//! `U < p`, which selects nothing at p = 0. It gives b, q and C in bytes, but its α keeps a loop stable only
//! per packet of 1000 bytes: per byte it is a thousand times beyond equation (1) for any number of flows, and
//! p jumps between 0 and 1. `alpha_unit` names which is meant. b counts what the coin let pass, marked or
//! not, and overflows among it; what was dropped early it does not. The transfer function of equation (1)
//! does not follow literally from the listing (its integral gain is (1 + γ)·α/d_a, the listing's γ·α/d_a),
//! its derivation is in a report that is not available: `designed` takes equation (1) as it stands, and of
//! the admissible range the geometric mean.

use crate::aqm::{Aqm, Reason, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::{
    ParameterError, require, require_not_negative, require_packet_bytes, require_period_ms, require_positive,
    require_share,
};
use crate::parameters::Parameters;
use crate::parts::{ArcLoop, Limit, Ticker, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The gain of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Gain {
    /// Given, for one measurement interval, in the unit that alpha_unit names.
    Fixed {
        /// By how much the probability grows with each packet, or byte, beyond the target.
        alpha: f64,
    },
    /// Designed for this link by the paper's stability condition: the geometric mean of the stable range.
    Designed {
        /// Smallest expected number of long TCP flows.
        flows: f64,
        /// Largest expected round-trip time, in milliseconds.
        rtt_ms: f64,
    },
}

/// The unit that a fixed gain refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlphaUnit {
    /// Per packet of mean size: with 1000 bytes the paper's gain is stable where the paper's figures are.
    #[default]
    MeanPacket,
    /// Per byte, as the paper's listing reads: the paper's gain is then far beyond its own condition.
    Byte,
}

buffered_params! {
    /// ARC: a reduced proportional-integral controller that keeps the arrival rate at a share of the link
    /// rate.
    ///
    /// Source: Chung, Claypool and Kinicki 2004. The defaults are the paper's; `aqmlab design arc` prints the
    /// stable gains for a link.
    struct Params {
        /// Time between two updates of the probability, over which arrivals are measured.
        interval_ms: f64 = 1000.0,
        /// Gain of the controller: { fixed = { alpha = ... } } or { designed = { flows = ..., rtt_ms = ... }
        /// }.
        gain: Gain = Gain::Fixed { alpha: 1.42e-5 },
        /// The unit that a fixed gain refers to.
        alpha_unit: AlphaUnit = AlphaUnit::MeanPacket,
        /// Target share of the link rate.
        utilization: f64 = 0.98,
        /// Target queue length, in packets of mean size.
        q_ref_packets: f64 = 0.0,
        /// Length of a mean packet (IP length): the unit of the gain and of the reference queue.
        mean_packet_bytes: u32 = 1000,
        /// Whether selected ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
    }
}

impl Params {
    /// The loop that a design is for.
    fn design(&self, flows: f64, rtt_ms: f64, facts: &PortFacts) -> ArcLoop {
        ArcLoop {
            flows,
            rtt_s: rtt_ms / 1e3,
            packets_per_second: facts.link_rate.packets_per_second(self.mean_packet_bytes),
            utilization: self.utilization,
        }
    }

    /// The gain per packet of mean size; none where no gain is admissible.
    fn alpha(&self, facts: &PortFacts) -> Option<f64> {
        match (self.gain, self.alpha_unit) {
            (Gain::Fixed { alpha }, AlphaUnit::MeanPacket) => Some(alpha),
            (Gain::Fixed { alpha }, AlphaUnit::Byte) => Some(alpha * f64::from(self.mean_packet_bytes)),
            (Gain::Designed { flows, rtt_ms }, _) => {
                let (lowest, highest) = self.design(flows, rtt_ms, facts).admissible()?;
                Some(lowest.sqrt() * highest.sqrt() * self.interval_ms / 1e3)
            }
        }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_period_ms("interval_ms", self.interval_ms)?;
        match self.gain {
            Gain::Fixed { alpha } => require_positive("gain.fixed.alpha", alpha)?,
            Gain::Designed { flows, rtt_ms } => {
                let legal = (1.0..=1e12).contains(&flows);
                require(legal, "gain.designed.flows", flows, "from 1 to 1e12")?;
                require_positive("gain.designed.rtt_ms", rtt_ms)?;
            }
        }
        require_share("utilization", self.utilization)?;
        require_not_negative("q_ref_packets", self.q_ref_packets)?;
        require_packet_bytes("mean_packet_bytes", self.mean_packet_bytes)
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        let Gain::Designed { flows, rtt_ms } = self.gain else { return Ok(()) };
        let capacity = facts.link_rate.packets_per_second(self.mean_packet_bytes);
        let legal = format!(
            "so few that some gain is stable for them over {rtt_ms} ms, with C = {capacity:.1} packets/s at this link: \
             `aqmlab design arc` prints which are"
        );
        let alpha = self.alpha(facts).filter(|alpha| (1e-300..=1e300).contains(alpha));
        require(alpha.is_some(), "gain.designed.flows", flows, legal)
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        (self.utilization < 0.5)
            .then_some("it holds the link to the share that its parameter utilization names")
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let mean_packet_bytes = f64::from(self.mean_packet_bytes);
        let per_interval =
            facts.link_rate.packets_per_second(self.mean_packet_bytes) * self.interval_ms / 1e3;
        Discipline::fifo(Arc {
            controller: Controller {
                alpha: self.alpha(facts).expect("checked with the link's facts"),
                utilization: self.utilization,
                capacity_packets: per_interval,
                q_ref_packets: self.q_ref_packets,
                probability: 0.0,
            },
            mean_packet_bytes,
            ecn: self.ecn,
            arrived_bytes: 0,
            ticker: Ticker::new(self.interval_ms / 1e3, facts),
        })
    }
}

/// The controller, in packets of mean size.
#[derive(Clone, Copy, Debug)]
struct Controller {
    alpha: f64,
    utilization: f64,
    /// What the link carries in one interval.
    capacity_packets: f64,
    q_ref_packets: f64,
    probability: f64,
}

impl Controller {
    /// The end of an interval in which `arrived` packets passed the coin, with `queue` packets waiting.
    fn update(&mut self, arrived: f64, queue: f64) {
        let target = self.utilization * (self.capacity_packets - (queue - self.q_ref_packets));
        self.probability = (self.probability + self.alpha * (arrived - target)).clamp(0.0, 1.0);
    }
}

/// ARC at a port.
#[derive(Clone, Debug)]
pub struct Arc {
    controller: Controller,
    mean_packet_bytes: f64,
    ecn: bool,
    arrived_bytes: u64,
    ticker: Ticker,
}

impl Aqm for Arc {
    fn on_arrival(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        _queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        let selected = coins.uniform() < self.controller.probability;
        if !selected || (self.ecn && packet.codepoint.can_be_marked()) {
            self.arrived_bytes += u64::from(packet.bytes);
        }
        if selected { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, _due: Time, queue: &QueueView<'_>) {
        let arrived = std::mem::take(&mut self.arrived_bytes) as f64 / self.mean_packet_bytes;
        self.controller.update(arrived, queue.bytes() as f64 / self.mean_packet_bytes);
        self.ticker.advance();
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.controller.probability)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.controller.probability);
        sink("arrived_bytes", self.arrived_bytes as f64);
        sink("alpha", self.controller.alpha);
    }

    fn watches_departures(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Rate;

    /// The paper's controller at 10 Mbit/s: 1250 packets of 1000 bytes in each interval of a second.
    fn paper() -> Controller {
        Controller {
            alpha: 1.42e-5,
            utilization: 0.98,
            capacity_packets: 1250.0,
            q_ref_packets: 0.0,
            probability: 0.0,
        }
    }

    #[test]
    fn one_interval_by_hand() {
        // At the target with 100 packets waiting: 1.42e-5·0.98·100. Ten per cent too much: 1.42e-5·(1375 −
        // 1225).
        for (arrived, queue, expected) in [(1225.0, 100.0, 0.001_391_6), (1375.0, 0.0, 0.002_13)] {
            let mut controller = paper();
            controller.update(arrived, queue);
            assert!((controller.probability - expected).abs() < 1e-12, "{}", controller.probability);
        }
        // Nothing came: 0.02 − 1.42e-5·1225, and then never below 0.
        let mut controller = Controller { probability: 0.02, ..paper() };
        controller.update(0.0, 0.0);
        assert!((controller.probability - 0.002_605).abs() < 1e-12);
        controller.update(0.0, 0.0);
        assert_eq!(controller.probability, 0.0);
    }

    #[test]
    fn the_gain_is_designed_inside_what_is_admissible_per_interval() {
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let gain = Gain::Designed { flows: 60.0, rtt_ms: 500.0 };
        let params = Params { limit_packets: Some(500), gain, interval_ms: 2000.0, ..Params::default() };
        // sqrt(5.7063449e-6·1.6813059e-5)·2, from the table of `parts::ArcLoop`.
        let alpha = params.alpha(&facts).expect("an admissible gain");
        assert!((alpha / 1.958_990_7e-5 - 1.0).abs() < 1e-6, "{alpha}");
        let per_byte = Params { alpha_unit: AlphaUnit::Byte, ..Params::default() };
        assert!((per_byte.alpha(&facts).expect("given") - 0.0142).abs() < 1e-15);
    }
}
