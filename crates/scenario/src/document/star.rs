//! `[star]`: access links behind one router.

use super::Decides;
use super::dumbbell::{interface_rate, server_machines, uncongested_rate};
use super::framing::framed_table;
use super::ports::{BothWays, CommonSettings, MachineGroup, OwnSettings, Ports, ports};
use super::twin::{twin_rate_mbps, uncongested_queue};
use crate::Scheme;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

framed_table! {
/// Access links from one router to homes, with servers behind the router.
pub struct Star {
    /// Number of access links from the hub, one per home.
    #[schemars(range(min = 1, max = 4_096))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub homes: u32,

    /// Rate of each access link towards the home; and back, unless that has a rate of its own.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: f64,

    /// Rate from the home; absent: `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_up_mbps: Option<f64>,

    /// Propagation delay of each access link, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: f64,

    /// Queue discipline in front of each access link.
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Scheme,

    /// Queue discipline of the direction from the home; absent: the same as `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue_up: Option<Scheme>,

    /// Access links that differ from the others; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<AccessTable>,

    /// Machines with servers.
    #[serde(default = "server_machines")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub server_machines: u32,

    /// Rate of each server's interface, and of the hub's port towards it.
    #[serde(default = "interface_rate")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interface_rate_mbps: f64,

    /// Propagation delay between each server and the hub, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interface_delay_ms: f64,

    ..framing,

    /// Bytes that queues count with each packet beside its IP length, in all that goes by bytes:
    /// probabilities, targets, turns, limits. 14 where drivers queue whole Ethernet frames.
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub layer2_queued_bytes: u32,

    /// Rate of each access link in the uncongested twin; ten times the fastest where this is not faster.
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

/// An access link that differs from the others; missing keys keep the common values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessTable {
    /// Number of its home, from 0.
    #[schemars(range(max = 4_095))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub home: u32,

    /// Rate of the link towards the home; and back, unless that has a rate of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: Option<f64>,

    /// Rate of the link from the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_up_mbps: Option<f64>,

    /// Propagation delay of the link, one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: Option<f64>,

    /// Queue discipline in front of the link towards the home; and back, unless that has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Option<Scheme>,

    /// Queue discipline of the direction from the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue_up: Option<Scheme>,
}

/// The machine groups of a star.
pub(crate) const HOMES: &str = "homes";
const SERVERS: &str = "servers";

impl Star {
    /// The machines behind the hub that have no access link.
    pub(crate) fn servers(&self) -> MachineGroup {
        MachineGroup {
            name: SERVERS.to_owned(),
            count: self.server_machines,
            router: 0,
            rate_mbps: self.interface_rate_mbps,
            delay_ms: self.interface_delay_ms,
        }
    }

    /// How many machines a group has, if there is such a group.
    pub(crate) fn machines_in(&self, group: &str) -> Option<u32> {
        match group {
            HOMES => Some(self.homes),
            SERVERS => Some(self.server_machines),
            _ => None,
        }
    }
}

ports! {
    // From the hub.
    Star at "star": homes, each a home from |home| (0, 1 + home);
    back: rate_up_mbps, queue_up;
}
