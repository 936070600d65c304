//! `[topology]`: any network, as nodes and links.

use super::Decides;
use super::conditions::{ConditionsEnd, ConditionsWay, TraceFiles};
use super::framing::framed_table;
use super::shaper::ShaperTable;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use crate::{EcnField, NodeKind, Scheme};
use aqmlab_link::{Conditions, Medium, Netem, Steps, Way, mean_rate};
use aqmlab_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Any network, as nodes and links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// Routers, hosts and groups of hosts; a repeated table.
    #[schemars(length(min = 1))]
    pub nodes: Vec<NodeTable>,

    /// Links between them; a repeated table.
    #[schemars(length(min = 1))]
    pub links: Vec<LinkTable>,
}

/// A router, a host, or a group of hosts alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTable {
    /// Name of the node; machines in a group of several are called by its name, `-` and their number from 0.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub name: String,

    /// What it does with datagrams.
    #[schemars(extend("x-decides" = Decides::Users))]
    pub kind: NodeKind,

    /// Hosts in the group; a router is one.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub count: u32,
}

framed_table! {
/// A link, or one link for each machine of a group.
pub struct LinkTable {
    /// Name of the link in results; absent: the names of its ends, joined by `-to-`. Not of a link both ways
    /// or to a group of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub name: Option<String>,

    /// The sending node.
    #[schemars(extend("x-decides" = Decides::Network))]
    pub from: String,

    /// The node at the far end.
    #[schemars(extend("x-decides" = Decides::Network))]
    pub to: String,

    /// Rate; absent: an ideal wire, which never queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_mbps: Option<f64>,

    /// File of instants at which the link may send, in Mahimahi's format, both ways alike; `rate_mbps` is its
    /// mean rate. Several files in brackets follow one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_trace_file: Option<TraceFiles>,

    /// File of conditions over time, as of `[line]`: the link, which leads one way, has their rates, half of
    /// their round trip and their losses. `rate_mbps` and `delay_ms` may then be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_file: Option<String>,

    /// Whose rates in that file the link has; absent: those down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_way: Option<ConditionsWay>,

    /// What comes behind that file's last row; absent: the first row again.
    #[serde(default, skip_serializing_if = "ConditionsEnd::is_repeat")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_end: ConditionsEnd,

    /// How the link may use its medium, both ways alike: `aggregation`, `slots`, `varying_rate` or `wifi`;
    /// absent: without limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub medium: Option<Medium>,

    /// Propagation delay, one way.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: f64,

    /// Queue discipline; absent: an interface, whose first-in first-out queue has no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub queue: Option<Scheme>,

    /// Shaper between the queue and the link; absent: the link alone empties the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub shaper: Option<ShaperTable>,

    /// Whether the same link, with its own queue, also exists in the other direction.
    #[serde(default = "yes")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub both_ways: bool,

    /// Whether the link is recorded; absent: when it has a queue discipline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub monitored: Option<bool>,

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

    /// Ordinals, from 1, of packets of each connection that are lost in front of the link.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub drop: Vec<u32>,

    /// Probability that any other packet is lost in front of the link.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub loss_probability: f64,

    /// What a middle box in front of the link makes of the ECN field.
    #[serde(default, skip_serializing_if = "EcnField::is_kept")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub ecn_field: EcnField,

    /// What netem does to packets: jitter, reordering, duplicates, bursts of loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub netem: Option<Netem>,

    /// Rate in the uncongested twin; absent: as `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_rate_mbps: Option<f64>,

    /// Queue discipline in the uncongested twin; absent: as `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_queue: Option<Scheme>,
}
}

impl LinkTable {
    /// A link with every default.
    pub(crate) fn between(from: &str, to: &str) -> Self {
        let ends = serde_json::json!({ "from": from, "to": to });
        serde_json::from_value(ends).expect("a link needs no more than its ends")
    }
}

/// The means of a file of conditions, over the time that its rows hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Means {
    /// Down and up.
    pub(crate) rates_mbps: [Option<f64>; 2],
    /// Of each way.
    pub(crate) delay_ms: Option<f64>,
}

impl Means {
    /// Those of the file with this name; none where its text is not there or not legal, which is told
    /// elsewhere.
    pub(crate) fn of(name: &str, files: &BTreeMap<String, String>) -> Option<Self> {
        let conditions = Conditions::parse(files.get(name)?).ok()?;
        let rate = |way| Some(mean_rate(&conditions.rates(way, true)?)?.bits_per_second() as f64 / 1e6);
        let delay_ms = conditions.delays(true).map(|steps| mean_ms(&steps));
        Some(Self { rates_mbps: [Way::Down, Way::Up].map(rate), delay_ms })
    }
}

/// The mean of delays in milliseconds, to a nanosecond.
pub(crate) fn mean_ms(delays: &Steps<Span>) -> f64 {
    delays.mean(|delay| delay.nanoseconds() as f64).round() / 1e6
}

impl Topology {
    /// How many machines a group has, if there is such a group.
    pub(crate) fn machines_in(&self, group: &str) -> Option<u32> {
        self.nodes.iter().find(|node| node.name == group).map(|node| node.count)
    }

    pub(crate) fn settle(&mut self, files: &BTreeMap<String, String>) {
        for link in &mut self.links {
            let has_queue = link.queue.is_some();
            link.monitored.get_or_insert(has_queue);
            let conditions = link.conditions_file.as_ref().and_then(|name| Means::of(name, files));
            if let Some(means) = conditions {
                let is_up = link.conditions_way == Some(ConditionsWay::Up);
                link.rate_mbps = link.rate_mbps.or(means.rates_mbps[usize::from(is_up)]);
                if link.delay_ms == 0.0 {
                    link.delay_ms = means.delay_ms.unwrap_or_default();
                }
            }
        }
    }
}

const fn one() -> u32 {
    1
}

const fn yes() -> bool {
    true
}
