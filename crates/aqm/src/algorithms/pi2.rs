//! PI2: a linear controller of delay whose output is squared for senders that answer to its root.
//!
//! Source: De Schepper, Bondarenko, Tsang, Briscoe, *PI2: A Linearized AQM for both Classic and Scalable
//! TCP*, CoNEXT 2016, and RFC 9332 (2023), section 2.4 and appendix A.
//!
//! ```text
//! each update_interval  p' ← clamp(p' + α·(delay − target) + β·(delay − delay_old), 0, 1);  delay_old ← delay
//! on each arrival       Classic: selected with probability p'²;  scalable: with k·p'
//!                       mark what can be marked while p'² < highest_marking, drop otherwise
//!                       from there on scalable packets are dropped with p'² first
//! ```
//!
//! | parameter | unit | RFC 9332 | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 250 ms | at least one of them |
//! | `target_ms`, `update_interval_ms` | ms | 15, 16 | 0.001 to 1e9 |
//! | `alpha_hz`, `beta_hz` | per second | 0.16, 3.2 | above 0, at most 1e9 |
//! | `coupling` | | 2 | 1e-12 to 1e12 |
//! | `highest_marking` | probability | 1/k² = 0.25 | above 0, at most 1 |
//! | `mtu_bytes` | bytes | | 1 or more |
//!
//! Departures and silences. The RFC quotes β = 0.3/RTT_max as 3.2 per second, which for its 100 ms is 3.0
//! exactly: the default is 3.2. The delay is how long the packet at the head has waited at the update.
//! Decisions are made on arrival, as in the paper; the RFC's are made on departure, see [`super::dualpi2`].
//! The paper squares by comparing two coins with p' (`selection = "two_coins"`), or one with p'². The RFC's
//! note on queues of less than two packets is `spare_nearly_empty`. An arrival that finds no room meets no
//! coin.

use crate::aqm::{Aqm, Reason, Verdict};
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::packet::{Codepoint, PacketFacts};
use crate::parameter_error::{
    ParameterError, require_delay_controller, require_packet_bytes, require_positive, require_share,
};
use crate::parameters::Parameters;
use crate::parts::{Limit, Pi2Controller, Ticker, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// How the square is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// One coin, compared with the square of the base probability.
    #[default]
    Squared,
    /// Two coins, both compared with the base probability.
    TwoCoins,
}

buffered_params! {
    /// PI2: a controller of queueing delay that is linear, and squared for senders that answer to the root of
    /// a probability.
    ///
    /// Source: De Schepper, Bondarenko, Tsang and Briscoe 2016; the defaults are those of RFC 9332 (2023).
    struct Params {
        /// Target queueing delay.
        target_ms: f64 = 15.0,
        /// Time between two updates of the probability.
        update_interval_ms: f64 = 16.0,
        /// Gain of the deviation from the target, per second of delay.
        alpha_hz: f64 = 0.16,
        /// Gain of the change of the delay, per second of delay.
        beta_hz: f64 = 3.2,
        /// How the square of the base probability is computed.
        selection: Selection = Selection::Squared,
        /// Whether packets of ECT(1) and CE are scalable: selected with coupling times the base probability.
        scalable: bool = true,
        /// Factor of the probability of scalable packets over the base probability.
        coupling: f64 = 2.0,
        /// Probability of Classic packets above which packets are dropped instead of marked.
        highest_marking: f64 = 0.25,
        /// Whether nothing is selected while less than two packets of mtu_bytes wait.
        spare_nearly_empty: bool = false,
        /// Length of the largest packet (IP length), for spare_nearly_empty.
        mtu_bytes: u32 = 1500,
        /// Whether selected ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_delay_controller(self.target_ms, self.update_interval_ms, (self.alpha_hz, self.beta_hz))?;
        require_positive("coupling", self.coupling)?;
        require_share("highest_marking", self.highest_marking)?;
        require_packet_bytes("mtu_bytes", self.mtu_bytes)
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(Onset::of_delay("target_ms", self.target_ms, facts.link_rate))
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &[
            "limit_packets",
            "limit_bytes",
            "target_ms",
            "alpha_hz",
            "beta_hz",
            "coupling",
            "scalable",
            "highest_marking",
            "ecn",
        ]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(Pi2 {
            controller: Pi2Controller::new(self.target_ms / 1e3, self.alpha_hz, self.beta_hz, 1.0),
            selection: self.selection,
            coupling: (self.scalable && self.ecn).then_some(self.coupling),
            highest_marking: self.highest_marking,
            spared_bytes: if self.spare_nearly_empty { 2 * u64::from(self.mtu_bytes) } else { 0 },
            ticker: Ticker::new(self.update_interval_ms / 1e3, facts),
        })
    }
}

/// PI2 at a port.
#[derive(Clone, Debug)]
pub struct Pi2 {
    controller: Pi2Controller,
    selection: Selection,
    /// None where no packet is scalable.
    coupling: Option<f64>,
    highest_marking: f64,
    /// Nothing is selected while fewer bytes wait.
    spared_bytes: u64,
    ticker: Ticker,
}

impl Pi2 {
    fn selects_classic(&self, coins: &mut Stream) -> bool {
        match self.selection {
            Selection::Squared => coins.uniform() < self.controller.classic(),
            Selection::TwoCoins => {
                let base = self.controller.base();
                let (first, second) = (coins.uniform(), coins.uniform());
                first < base && second < base
            }
        }
    }

    /// The probability of scalable packets, if this is one.
    fn scalable(&self, packet: &PacketFacts) -> Option<f64> {
        let coupling = self.coupling?;
        let is_scalable = matches!(packet.codepoint, Codepoint::Ect1 | Codepoint::Ce);
        is_scalable.then(|| self.controller.coupled(coupling))
    }
}

impl Aqm for Pi2 {
    fn on_arrival(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        if !queue.has_room_for(packet.bytes) || queue.bytes() < self.spared_bytes {
            return Verdict::Pass;
        }
        let (scalable, overloaded) =
            (self.scalable(packet), self.controller.classic() >= self.highest_marking);
        if (scalable.is_none() || overloaded) && self.selects_classic(coins) {
            let reason = Reason::Early;
            return if overloaded { Verdict::Drop(reason) } else { Verdict::Signal(reason) };
        }
        match scalable {
            Some(chance) if coins.uniform() < chance => Verdict::Signal(Reason::Early),
            _ => Verdict::Pass,
        }
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        self.controller.update(queue.arrived(0).map_or(0.0, |arrived| due.since(arrived).seconds()));
        self.ticker.advance();
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.controller.classic())
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("base_probability", self.controller.base());
        sink("classic_probability", self.controller.classic());
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = {
            let Self { coupling, highest_marking, .. } = *self;
            let controller = self.controller.continued_from(&before.controller);
            Self { controller, coupling, highest_marking, ..before.clone() }
        };
        true
    }
}
