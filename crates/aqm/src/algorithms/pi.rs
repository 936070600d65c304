//! PI: the proportional-integral controller.
//!
//! Source: Hollot, Misra, Towsley, Gong, *On Designing Improved Controllers for AQM Routers Supporting TCP
//! Flows*, INFOCOM 2001, section IV; ns-2.35 `pi.cc` by its authors' group.
//!
//! ```text
//! sampling_hz times a second    p ← clamp(p + a·(q − q_ref) − b·(q_old − q_ref), 0, 1);  q_old ← q
//! on each arrival               signal with probability p
//! ```
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 800 packets | at least one of them |
//! | `q_ref_packets` | packets of mean size | 200 | 0 or above |
//! | `sampling_hz` | per second | 160 | 1e-6 to 1e6 |
//! | `gains.fixed` `a`, `b` | per packet | 1.822e-5, 1.816e-5 | a > b > 0 |
//! | `gains.designed` `flows`, `rtt_ms` | flows, ms | 60, 246 | 1 or more and below 0.43·rtt·C; above 0; sampling_hz above w_g/2 |
//! | `mean_packet_bytes` | bytes | 500 | 1 or more |
//! | `max_packet_bytes` | bytes | | 1 or more |
//!
//! Departures and silences. q is the instantaneous queue. The paper works in packets; measured in bytes, q is
//! bytes over `mean_packet_bytes` and `q_ref_packets` stays in packets, as in ns-2. q_old follows q also when
//! p is clamped, so nothing winds up beyond the range. p and q_old start at 0. An arrival that finds no room
//! is an overflow, whatever the coin would say, and no coin is tossed. The default gains were designed for 15
//! Mbit/s of 500-byte packets: elsewhere they are sluggish or fast, and `gains.designed` fits them to the
//! link.

use crate::aqm::{Aqm, Reason, Verdict};
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require, require_positive, require_rate_hz};
use crate::parameters::Parameters;
use crate::parts::{Gauge, Limit, PacketScale, PiGains, Ticker, queue_control_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// The gains of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Gains {
    /// Given per packet of deviation, and for one sampling rate.
    Fixed {
        /// Gain of the present deviation.
        a: f64,
        /// Gain of the previous deviation, below a.
        b: f64,
    },
    /// Designed for this link by the paper's rule.
    Designed {
        /// Smallest number of long TCP flows that shall be kept stable.
        flows: f64,
        /// Largest round-trip time that shall be kept stable, in milliseconds.
        rtt_ms: f64,
    },
}

queue_control_params! {
    /// PI: a controller that signals with a probability driven by the queue's deviation from a reference.
    ///
    /// Source: Hollot, Misra, Towsley and Gong 2001. The defaults are the paper's; ns-2 samples at 170 Hz and
    /// aims at 50 packets.
    struct Params {
        q_ref_packets = 200.0;
        mean_packet_bytes = 500;
        /// Updates of the probability per second.
        sampling_hz: f64 = 160.0,
        /// Gains of the controller: { fixed = { a = ..., b = ... } } or { designed = { flows = ..., rtt_ms =
        /// ... } }.
        gains: Gains = Gains::Fixed { a: 1.822e-5, b: 1.816e-5 },
    }
}

impl Params {
    fn gains(&self, facts: &PortFacts) -> PiGains {
        match self.gains {
            Gains::Fixed { a, b } => PiGains { a, b },
            Gains::Designed { flows, rtt_ms } => {
                let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
                PiGains::designed(flows, rtt_ms / 1e3, packets_per_second, self.sampling_hz)
            }
        }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.validate_shared()?;
        require_rate_hz("sampling_hz", self.sampling_hz)?;
        match self.gains {
            Gains::Fixed { a, b } => {
                require_positive("gains.fixed.a", a)?;
                require(b > 0.0 && b < a, "gains.fixed.b", b, format!("above 0 and below a ({a})"))
            }
            Gains::Designed { flows, rtt_ms } => {
                let legal = (1.0..=1e12).contains(&flows);
                require(legal, "gains.designed.flows", flows, "from 1 to 1e12")?;
                require_positive("gains.designed.rtt_ms", rtt_ms)
            }
        }
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        let Gains::Designed { flows, rtt_ms } = self.gains else { return Ok(()) };
        let (rtt_s, capacity) = (rtt_ms / 1e3, facts.link_rate.packets_per_second(self.mean_packet_bytes));
        let most = PiGains::most_flows(rtt_s, capacity);
        require(flows < most, "gains.designed.flows", flows, legal_flows(most, capacity))?;
        let slowest = PiGains::design_frequency(flows, rtt_s, capacity) / 2.0;
        let legal = format!("above {slowest:.3} per second = flows/(rtt²·C) for this design at this link");
        let PiGains { a, b } = self.gains(facts);
        require(a.is_finite() && b > 0.0, "sampling_hz", self.sampling_hz, legal)
    }

    fn onset(&self, _facts: &PortFacts) -> Option<Onset> {
        Some(self.onset_of_reference())
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "limit_bytes", "q_ref_packets", "gains", "ecn"]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(Pi {
            controller: Controller::new(self.gains(facts), self.q_ref_packets),
            gauge: self.gauge(),
            scale: self.scale(),
            ticker: Ticker::new(1.0 / self.sampling_hz, facts),
        })
    }
}

/// How many flows a design may be for at a link of `capacity` packets per second, when the loop has no phase
/// margin from `most` on.
fn legal_flows(most: f64, capacity: f64) -> String {
    if most > 1.0 {
        format!("from 1 to below {most:.3} = 0.43·rtt·C, with C = {capacity:.1} packets/s at this link")
    } else {
        format!(
            "for a path of more packets: 0.43·rtt·C = {most:.3} flows, with C = {capacity:.1} packets/s at this \
             link, leave no design for even one"
        )
    }
}

/// The controller: what it last saw, and the probability that follows.
#[derive(Clone, Copy, Debug)]
struct Controller {
    gains: PiGains,
    q_ref: f64,
    q_old: f64,
    probability: f64,
}

impl Controller {
    const fn new(gains: PiGains, q_ref: f64) -> Self {
        Self { gains, q_ref, q_old: 0.0, probability: 0.0 }
    }

    /// One sampling instant, at which the queue holds `q` packets.
    fn update(&mut self, q: f64) {
        let step = self.gains.a * (q - self.q_ref) - self.gains.b * (self.q_old - self.q_ref);
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        self.q_old = q;
    }
}

/// PI at a port.
#[derive(Clone, Debug)]
pub struct Pi {
    controller: Controller,
    gauge: Gauge,
    scale: PacketScale,
    ticker: Ticker,
}

impl Aqm for Pi {
    fn on_arrival(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        if queue.has_room_for(packet.bytes)
            && coins.uniform() < self.scale.apply(self.controller.probability, packet.bytes)
        {
            return Verdict::Signal(Reason::Early);
        }
        Verdict::Pass
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, _due: Time, queue: &QueueView<'_>) {
        self.controller.update(self.gauge.length(queue));
        self.ticker.advance();
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.controller.probability)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.controller.probability);
        sink("q_old_packets", self.controller.q_old);
        sink("a", self.controller.gains.a);
        sink("b", self.controller.gains.b);
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = {
            let Controller { gains, q_ref, .. } = self.controller;
            Self { controller: Controller { gains, q_ref, ..before.controller }, ..before.clone() }
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: PiGains = PiGains { a: 1.822e-5, b: 1.816e-5 };

    #[test]
    fn one_step_with_the_papers_gains() {
        let mut controller = Controller { q_old: 240.0, probability: 0.01, ..Controller::new(PAPER, 200.0) };
        controller.update(250.0);
        // 0.01 + 1.822e-5·50 − 1.816e-5·40
        assert!((controller.probability - 0.010_184_6).abs() < 1e-12);
        assert_eq!(controller.q_old, 250.0);
    }

    #[test]
    fn a_bound_of_one_flow_leaves_none_below_it() {
        assert!(legal_flows(1.0, 2.3).ends_with("leave no design for even one"));
    }

    #[test]
    fn nothing_winds_up_beyond_the_range() {
        let mut controller = Controller::new(PiGains { a: 0.5, b: 0.4 }, 100.0);
        for _ in 0..50 {
            controller.update(0.0);
        }
        assert_eq!(controller.probability, 0.0);
        // The first sample above the reference acts at once: 0.5·1 + 0.4·100, clamped.
        controller.update(101.0);
        assert_eq!(controller.probability, 1.0);
        controller.update(0.0);
        assert_eq!(controller.probability, 0.0, "and so does the first one below");
    }
}
