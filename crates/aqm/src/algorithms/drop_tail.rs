//! Drop-tail: first in, first out, until the buffer is full.
//!
//! Source: the queue of every router without queue management; limits as in the table of [`LimitRule`].
//!
//! An arrival is discarded when there is no room for it, whatever its codepoint; otherwise it is queued.
//!
//! | parameter | meaning | studies | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets` | packets that may wait | 24, 240, 2400 (Le et al. 2003); 30 to 240 (Christiansen et al. 2000) | 1 or more |
//! | `limit_bytes` | bytes that may wait | 500 000 (Chung et al.) | 1 or more |
//! | `limit_rule` | what a limit of L means | `hold_limit_minus_one` in ns-2 | see [`LimitRule`] |
//!
//! Departures and silences: none. With a limit in packets, small packets are lost as often as large ones;
//! with a limit in bytes they fit more often when the buffer is nearly full.

use crate::aqm::{Aqm, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::ParameterError;
use crate::parameters::Parameters;
use crate::parts::{Limit, LimitRule};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drop-tail: packets are queued first in, first out, and discarded only when the buffer is full.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that may wait. At least one of the two limits has to be given.
    pub limit_packets: Option<u32>,
    /// Bytes (IP lengths) that may wait.
    pub limit_bytes: Option<u64>,
    /// What a limit of L means.
    pub limit_rule: LimitRule,
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: self.limit_bytes, rule: self.limit_rule }
    }

    fn ecn(&self) -> bool {
        false
    }

    fn build(&self, _facts: &PortFacts) -> Discipline {
        Discipline::fifo(DropTail)
    }
}

/// A scheme that leaves everything to the buffer's limit.
#[derive(Clone, Copy, Debug)]
pub struct DropTail;

impl Aqm for DropTail {
    fn on_arrival(
        &mut self,
        _now: Time,
        _packet: &PacketFacts,
        _queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        Verdict::Pass
    }

    fn watches_arrivals(&self) -> bool {
        false
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn watches_idleness(&self) -> bool {
        false
    }
}
