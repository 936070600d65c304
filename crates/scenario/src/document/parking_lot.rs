//! `[parking_lot]`: routers in a row, traffic from end to end, and cross traffic on any of the hops between
//! them.

use super::Decides;
use super::dumbbell::{
    BROWSERS_LEFT, BROWSERS_RIGHT, SERVERS_LEFT, SERVERS_RIGHT, interface_rate, uncongested_rate,
};
use super::framing::framed_table;
use super::ports::{BothWays, CommonSettings, MachineGroup, OwnSettings, Ports, ports};
use super::twin::{twin_rate_mbps, uncongested_queue};
use crate::Scheme;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

framed_table! {
/// Routers in a row, each linked to the next, with browser and server machines at all of them.
pub struct ParkingLot {
    /// Number of links in a row, from `router-0` to the last router.
    #[schemars(range(min = 1, max = 1_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub hops: u32,

    /// Rate of each hop, from left to right; and back, unless that has a rate of its own.
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: f64,

    /// Rate from right to left; absent: `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_right_to_left_mbps: Option<f64>,

    /// Propagation delay of each hop, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: f64,

    /// Queue discipline in front of each hop.
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Scheme,

    /// Queue discipline of the direction from right to left; absent: the same as `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue_right_to_left: Option<Scheme>,

    /// Hops that differ from the others; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<HopTable>,

    /// Named machines behind a router; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachinesTable>,

    /// Machines with browsers, in each of their groups.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub browser_machines: u32,

    /// Machines with servers, in each of their groups.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub server_machines: u32,

    /// Rate of each machine's interface, and of its router's port towards it.
    #[serde(default = "interface_rate")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interface_rate_mbps: f64,

    /// Propagation delay between each machine and its router, one way.
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

    /// Rate of each hop in the uncongested twin; ten times the fastest where this is not faster.
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

/// A hop that differs from the others; missing keys keep the common values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopTable {
    /// Which one: hop `k` joins `router-k` to the next.
    #[schemars(range(max = 999))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub hop: u32,

    /// Rate of the hop, from left to right; and back, unless that has a rate of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: Option<f64>,

    /// Rate of the hop from right to left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_right_to_left_mbps: Option<f64>,

    /// Propagation delay of the hop, one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: Option<f64>,

    /// Queue discipline in front of the hop, from left to right; and back, unless that has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Option<Scheme>,

    /// Queue discipline of the direction from right to left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue_right_to_left: Option<Scheme>,
}

/// Named machines behind a router, for traffic to refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MachinesTable {
    /// Name of the group; machines in a group of several are called by its name, `-` and their number from 0.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub name: String,

    /// Number of their router: 0 is the leftmost.
    #[schemars(range(max = 1_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub router: u32,

    /// Machines in the group.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub count: u32,

    /// Rate of each one's interface, and of the router's port towards it; absent: `interface_rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: Option<f64>,

    /// Propagation delay between each one and the router, one way; absent: `interface_delay_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: Option<f64>,
}

impl ParkingLot {
    /// The groups of machines: at both ends for what crosses everything, at every router for what crosses a
    /// part of the way, and those of one's own.
    pub(crate) fn machine_groups(&self) -> Vec<MachineGroup> {
        let group = |name: String, count: u32, router: u32| MachineGroup {
            name,
            count,
            router,
            rate_mbps: self.interface_rate_mbps,
            delay_ms: self.interface_delay_ms,
        };
        let (browsers, servers) = (self.browser_machines, self.server_machines);
        let mut groups = vec![
            group(BROWSERS_LEFT.to_owned(), browsers, 0),
            group(SERVERS_LEFT.to_owned(), servers, 0),
            group(BROWSERS_RIGHT.to_owned(), browsers, self.hops),
            group(SERVERS_RIGHT.to_owned(), servers, self.hops),
        ];
        for router in 0..=self.hops {
            groups.push(group(format!("browsers-{router}"), browsers, router));
            groups.push(group(format!("servers-{router}"), servers, router));
        }
        groups.extend(self.machines.iter().map(|own| MachineGroup {
            name: own.name.clone(),
            count: own.count,
            router: own.router.min(self.hops),
            rate_mbps: own.rate_mbps.unwrap_or(self.interface_rate_mbps),
            delay_ms: own.delay_ms.unwrap_or(self.interface_delay_ms),
        }));
        groups
    }
}

ports! {
    ParkingLot at "parking_lot": hops, each a hop from |hop| (hop, hop + 1);
    back: rate_right_to_left_mbps, queue_right_to_left;
}

/// Two ns-2 nodes stand for each source and sink of the topology that Floyd proposed and "8Q" studies took
/// up.
const fn two() -> u32 {
    2
}

const fn one() -> u32 {
    1
}
