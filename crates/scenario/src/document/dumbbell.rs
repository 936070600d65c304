//! `[dumbbell]`: one bottleneck link between two routers, with machines behind them.

use super::Decides;
use super::conditions::{ConditionsEnd, TraceFiles};
use super::framing::framed_table;
use super::ports::BothWays;
use super::topology::Means;
use super::twin::{twin_rate_mbps, uncongested_queue};
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use crate::{EcnField, Scheme};
use aqmlab_link::{Medium, Netem};
use std::collections::BTreeMap;

framed_table! {
/// One bottleneck link between two routers, with browser and server machines on both sides.
pub struct Dumbbell {
    /// Rate of the bottleneck link, from left to right; and back, unless that has a rate of its own.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: f64,

    /// Rate from right to left; absent: `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_right_to_left_mbps: Option<f64>,

    /// File of instants at which the bottleneck link may send, from left to right, in Mahimahi's format;
    /// `rate_mbps` is its mean rate. Several files in brackets follow one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_trace_file: Option<TraceFiles>,

    /// The same from right to left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_right_to_left_trace_file: Option<TraceFiles>,

    /// File of conditions over time, as of `[line]`: left to right has its rates down, right to left those
    /// up, and both half of its round trip and its losses. The rates here are then their means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_file: Option<String>,

    /// What comes behind that file's last row; absent: the first row again.
    #[serde(default, skip_serializing_if = "ConditionsEnd::is_repeat")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_end: ConditionsEnd,

    /// How the bottleneck link may use its medium, from left to right: `aggregation`, `slots`, `varying_rate`
    /// or `wifi`; absent: without limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub medium: Option<Medium>,

    /// The same from right to left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub medium_right_to_left: Option<Medium>,

    /// Propagation delay of the bottleneck link, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: f64,

    /// Queue discipline in front of the bottleneck link.
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Scheme,

    /// Queue discipline of the direction from right to left; absent: the same as `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue_right_to_left: Option<Scheme>,

    /// Machines with browsers, on each side.
    #[serde(default = "browser_machines")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub browser_machines_per_side: u32,

    /// Machines with servers, on each side.
    #[serde(default = "server_machines")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub server_machines_per_side: u32,

    /// Rate of each machine's interface.
    #[serde(default = "interface_rate")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interface_rate_mbps: f64,

    ..framing,

    /// Bytes that queues count with each packet beside its IP length, in all that goes by bytes:
    /// probabilities, targets, turns, limits. 14 where drivers queue whole Ethernet frames.
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub layer2_queued_bytes: u32,

    /// Packets that the driver takes out of the queue ahead of transmission, unseen by the queue discipline;
    /// 0: none.
    #[serde(default)]
    #[schemars(range(max = 100_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub transmit_ring_packets: u32,

    /// Ordinals, from 1, of packets of each connection that are lost in front of the bottleneck link, from
    /// left to right.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub drop: Vec<u32>,

    /// The same from right to left.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub drop_right_to_left: Vec<u32>,

    /// Probability that any other packet is lost in front of the bottleneck link, from left to right.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub loss_probability: f64,

    /// The same from right to left.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub loss_probability_right_to_left: f64,

    /// What a middle box in front of the bottleneck link makes of the ECN field, from left to right.
    #[serde(default, skip_serializing_if = "EcnField::is_kept")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub ecn_field: EcnField,

    /// The same from right to left.
    #[serde(default, skip_serializing_if = "EcnField::is_kept")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub ecn_field_right_to_left: EcnField,

    /// What netem does to packets from left to right: jitter, reordering, duplicates, bursts of loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub netem: Option<Netem>,

    /// The same from right to left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub netem_right_to_left: Option<Netem>,

    /// Rate of the bottleneck link in the uncongested twin; if it is not above the link's own rate, ten times
    /// that rate.
    #[serde(default = "uncongested_rate")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_rate_mbps: f64,

    /// Queue discipline in the uncongested twin, both directions.
    #[serde(default = "uncongested_queue")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_queue: Scheme,
}
}

/// The machine groups of a dumbbell.
pub(crate) const BROWSERS_LEFT: &str = "browsers-left";
pub(crate) const SERVERS_LEFT: &str = "servers-left";
pub(crate) const BROWSERS_RIGHT: &str = "browsers-right";
pub(crate) const SERVERS_RIGHT: &str = "servers-right";

impl Dumbbell {
    /// How many machines a group has, if there is such a group.
    pub(crate) fn machines_in(&self, group: &str) -> Option<u32> {
        match group {
            BROWSERS_LEFT | BROWSERS_RIGHT => Some(self.browser_machines_per_side),
            SERVERS_LEFT | SERVERS_RIGHT => Some(self.server_machines_per_side),
            _ => None,
        }
    }

    /// The rate from right to left.
    pub(crate) fn rate_back_mbps(&self) -> f64 {
        self.rate_right_to_left_mbps.unwrap_or(self.rate_mbps)
    }

    fn both_ways(&mut self) -> BothWays<'_> {
        BothWays {
            rate_mbps: &mut self.rate_mbps,
            queue: &mut self.queue,
            rate_back_mbps: &mut self.rate_right_to_left_mbps,
            queue_back: &mut self.queue_right_to_left,
        }
    }

    pub(crate) fn settle(&mut self, files: &BTreeMap<String, String>) {
        self.both_ways().settle();
        let means = self.conditions_file.as_ref().and_then(|name| Means::of(name, files));
        if let Some(delay_ms) = means.and_then(|own| own.delay_ms).filter(|_| self.delay_ms == 0.0) {
            self.delay_ms = delay_ms;
        }
    }

    /// Both directions take the uncongested settings.
    pub(crate) fn become_uncongested(&mut self) {
        let back = self.queue_right_to_left.as_ref().unwrap_or(&self.queue);
        let links = [(self.rate_mbps, &self.queue), (self.rate_back_mbps(), back)];
        let rate_mbps = twin_rate_mbps((self.uncongested_rate_mbps, &self.uncongested_queue), links);
        let queue = self.uncongested_queue.clone();
        self.uncongested_rate_mbps = rate_mbps;
        self.both_ways().become_alike(rate_mbps, &queue);
    }
}

/// The SIGCOMM 2003 study's laboratory (section 3): 14 browser machines for each direction.
const fn browser_machines() -> u32 {
    14
}

/// The SIGCOMM 2003 study's laboratory (section 3): 8 server machines for each direction.
pub(super) const fn server_machines() -> u32 {
    8
}

pub(super) const fn interface_rate() -> f64 {
    100.0
}

/// The SIGCOMM 2003 study calibrated at 1 Gbps (section 3.2).
pub(super) const fn uncongested_rate() -> f64 {
    1000.0
}
