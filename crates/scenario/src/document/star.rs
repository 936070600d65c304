//! `[star]`: access links behind one router.

use super::dumbbell::{
    ethernet_gap, ethernet_minimum_frame, ethernet_overhead, interface_rate, server_machines,
    uncongested_queue, uncongested_rate,
};
use super::ports::{Lookup, MachineGroup, Port, Ports};
use super::twin::twin_rate_mbps;
use crate::Scheme;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Access links from one router to homes, with servers behind the router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// Number of access links from the hub, one per home.
    #[schemars(range(min = 1, max = 4_096))]
    pub homes: u32,

    /// Rate of each access link towards the home; and back, unless that has a rate of its own.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_mbps: f64,

    /// Rate from the home; absent: `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_up_mbps: Option<f64>,

    /// Propagation delay of each access link, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub delay_ms: f64,

    /// Queue discipline in front of each access link.
    pub queue: Scheme,

    /// Queue discipline of the direction from the home; absent: the same as `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_up: Option<Scheme>,

    /// Access links that differ from the others; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<AccessTable>,

    /// Machines with servers.
    #[serde(default = "server_machines")]
    #[schemars(range(min = 1, max = 10_000))]
    pub server_machines: u32,

    /// Rate of each server's interface, and of the hub's port towards it.
    #[serde(default = "interface_rate")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub interface_rate_mbps: f64,

    /// Propagation delay between each server and the hub, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub interface_delay_ms: f64,

    /// Header and check sequence of a frame: counted in frame bytes.
    #[serde(default = "ethernet_overhead")]
    #[schemars(range(max = 10_000))]
    pub layer2_overhead_bytes: u32,

    /// The shortest frame.
    #[serde(default = "ethernet_minimum_frame")]
    #[schemars(range(max = 10_000))]
    pub layer2_minimum_frame_bytes: u32,

    /// Preamble and gap between frames: they take time but are not counted in frame bytes.
    #[serde(default = "ethernet_gap")]
    #[schemars(range(max = 10_000))]
    pub layer2_gap_bytes: u32,

    /// Bytes of the link layer that the queues of the access links count with each packet, on top of its IP
    /// length: in probabilities, targets, turns and limits that go by bytes. The wire carries the same. 14
    /// where drivers queue whole Ethernet frames.
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    pub layer2_queued_bytes: u32,

    /// Rate of each access link in the uncongested twin; ten times the fastest where this is not faster.
    #[serde(default = "uncongested_rate")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub uncongested_rate_mbps: f64,

    /// Queue discipline of each access link in the uncongested twin, both directions.
    #[serde(default = "uncongested_queue")]
    pub uncongested_queue: Scheme,
}

/// An access link that differs from the others; missing keys keep the common values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessTable {
    /// Number of its home, from 0.
    #[schemars(range(max = 4_095))]
    pub home: u32,

    /// Rate of the link towards the home; and back, unless that has a rate of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_mbps: Option<f64>,

    /// Rate of the link from the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub rate_up_mbps: Option<f64>,

    /// Propagation delay of the link, one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub delay_ms: Option<f64>,

    /// Queue discipline in front of the link towards the home; and back, unless that has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Scheme>,

    /// Queue discipline of the direction from the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

    /// The same discipline or rate said twice is the same, as of a dumbbell.
    pub(crate) fn settle(&mut self) {
        if self.queue_up.as_ref() == Some(&self.queue) {
            self.queue_up = None;
        }
        if self.rate_up_mbps == Some(self.rate_mbps) {
            self.rate_up_mbps = None;
        }
    }

    /// Every access link takes its uncongested rate and queue.
    pub(crate) fn become_uncongested(&mut self) {
        let links = self.ports().map(|port| (port.rate_mbps, port.queue));
        self.uncongested_rate_mbps =
            twin_rate_mbps((self.uncongested_rate_mbps, &self.uncongested_queue), links);
        self.rate_mbps = self.uncongested_rate_mbps;
        self.rate_up_mbps = None;
        self.queue = self.uncongested_queue.clone();
        self.queue_up = None;
        for own in &mut self.links {
            (own.rate_mbps, own.rate_up_mbps) = (None, None);
            (own.queue, own.queue_up) = (None, None);
        }
        // What is left of a link's own is its delay.
        self.links.retain(|own| own.delay_ms.is_some());
    }
}

impl Ports for Star {
    fn port_count(&self) -> usize {
        2 * self.homes as usize
    }

    fn port(&self, place: usize) -> Port<'_> {
        let (home, up) = (place as u32 / 2, place % 2 == 1);
        let own = self.links.iter().position(|table| table.home == home);
        let table = own.map(|own| &self.links[own]);
        let lookup = Lookup { path: "star", own, is_back: up };
        let rates = table.map_or([None; 2], |own| [own.rate_mbps.as_ref(), own.rate_up_mbps.as_ref()]);
        let (&rate_mbps, rate_key) =
            lookup.of(["rate_mbps", "rate_up_mbps"], rates, (&self.rate_mbps, self.rate_up_mbps.as_ref()));
        let queues = table.map_or([None; 2], |own| [own.queue.as_ref(), own.queue_up.as_ref()]);
        let (queue, queue_key) =
            lookup.of(["queue", "queue_up"], queues, (&self.queue, self.queue_up.as_ref()));
        let delay_ms = table.and_then(|own| own.delay_ms).unwrap_or(self.delay_ms);
        let (hub, machine) = (0, 1 + home);
        let (from, to) = if up { (machine, hub) } else { (hub, machine) };
        Port { from, to, rate_mbps, rate_key, delay_ms, queue, queue_key }
    }
}
