//! Blue: a probability that rises with losses and falls while the link is idle.
//!
//! Source: Feng, Kandlur, Saha, Shin, *Blue: A New Class of Active Queue Management Algorithms*, University
//! of Michigan CSE-TR-387-99, 1999, figure 3; also IEEE/ACM Transactions on Networking 10(4), 2002.
//!
//! ```text
//! loss, or queue above threshold    if now − last_update > freeze_time: p ← min(1, p + increment), last_update ← now
//! link idle                         if now − last_update > freeze_time: p ← max(0, p − decrement), last_update ← now
//! on each arrival                   signal with probability p
//! ```
//!
//! | parameter | unit | values used | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | | at least one of them |
//! | `increment` | probability | 0.0025 (its authors' simulator) | above 0, at most 1 |
//! | `decrement` | probability | 0.00025 (its authors' simulator) | above 0, at most 1 |
//! | `freeze_ms` | ms | 100 | 0.001 to 1e9 |
//! | `threshold_packets` | packets | none | 1 or more |
//!
//! Departures and silences. The paper's `link idle` is an event; whether a link that stays idle is one event
//! or many it leaves open: `while_idle` lowers p once per freeze time, as long as nothing waits, at the ticks
//! of a timer with that period, and `once` only when the link falls idle. A step may follow another after the
//! freeze time, not only after more than it, so that these ticks count; and the first step needs no wait. A
//! loss is one to a full queue: the packets that Blue itself drops raise nothing. An arrival that finds no
//! room meets no coin.

use crate::aqm::{Aqm, Reason, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require, require_period_ms, require_share};
use crate::parameters::Parameters;
use crate::parts::{BlueProbability, BlueSettings, Limit, Ticker, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// How an idle link changes the probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Idleness {
    /// It falls when the link becomes idle, and again after each freeze time while it stays idle.
    #[default]
    WhileIdle,
    /// It falls when the link becomes idle.
    Once,
}

buffered_params! {
    /// Blue: signals with a probability that rises with losses and falls while the link is idle.
    ///
    /// Source: Feng, Kandlur, Saha and Shin 1999. The defaults are those of its authors' simulator.
    struct Params {
        /// Increase of the probability per loss.
        increment: f64 = 0.0025,
        /// Decrease of the probability when the link is idle.
        decrement: f64 = 0.000_25,
        /// Minimum time between two steps of the probability; longer than a round trip.
        freeze_ms: f64 = 100.0,
        /// How an idle link changes the probability.
        idleness: Idleness = Idleness::WhileIdle,
        /// Packets beyond which an arrival raises the probability as a loss does. Unset: only losses do.
        threshold_packets: Option<u32> = None,
        /// Whether selected ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_share("increment", self.increment)?;
        require_share("decrement", self.decrement)?;
        require_period_ms("freeze_ms", self.freeze_ms)?;
        let threshold = self.threshold_packets.unwrap_or(1);
        require(threshold >= 1, "threshold_packets", threshold, "at least 1")
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "limit_bytes", "increment", "decrement", "threshold_packets", "ecn"]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(Blue {
            probability: BlueProbability::default(),
            settings: BlueSettings {
                increment: self.increment,
                decrement: self.decrement,
                freeze: Span::from_seconds(self.freeze_ms / 1e3),
            },
            threshold_packets: self.threshold_packets.unwrap_or(u32::MAX),
            idle: false,
            ticker: (self.idleness == Idleness::WhileIdle).then(|| Ticker::new(self.freeze_ms / 1e3, facts)),
        })
    }
}

/// Blue at a port.
#[derive(Clone, Debug)]
pub struct Blue {
    probability: BlueProbability,
    settings: BlueSettings,
    threshold_packets: u32,
    idle: bool,
    ticker: Option<Ticker>,
}

impl Aqm for Blue {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.idle = false;
        if !queue.has_room_for(packet.bytes) {
            return Verdict::Pass;
        }
        if queue.packets() > self.threshold_packets {
            self.probability.rise(now, &self.settings);
        }
        if coins.uniform() < self.probability.value() {
            return Verdict::Signal(Reason::Early);
        }
        Verdict::Pass
    }

    fn on_overflow(&mut self, now: Time, _packet: &PacketFacts) {
        self.probability.rise(now, &self.settings);
    }

    fn on_idle(&mut self, now: Time) {
        // A link that is asked again while it is idle has not fallen idle once more.
        if !std::mem::replace(&mut self.idle, true) {
            self.probability.fall(now, &self.settings);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.ticker.as_ref().map(Ticker::due)
    }

    fn on_timer(&mut self, due: Time, _queue: &QueueView<'_>) {
        if self.idle {
            self.probability.fall(due, &self.settings);
        }
        self.ticker.iter_mut().for_each(Ticker::advance);
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.probability.value())
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.probability.value());
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = Self { settings: self.settings, threshold_packets: self.threshold_packets, ..before.clone() };
        true
    }
}
