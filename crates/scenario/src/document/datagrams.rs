//! `[[datagrams]]`: the senders of an application over datagrams, and who receives.

use super::{Decides, Direction};
use aqmlab_applications::datagrams::PacketKeys;
use aqmlab_applications::{ApplicationModel, ApplicationTables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// UDP sources that differ only in their machines and random draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatagramsTable {
    /// Name of the group, unique among groups of datagrams; absent: `datagrams-` and its number from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub name: Option<String>,

    /// How many sources, spread over the machines in turn.
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,

    /// Direction over a dumbbell, from servers to browsers, or over a line; this, or `senders` and
    /// `receivers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,

    /// The device behind a `[line]`, for `direction = "down"` or `"up"`; absent: the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,

    /// The machine group that sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders: Option<String>,

    /// The machine group that receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receivers: Option<String>,

    /// Length of the whole IP packet, with the headers of IP and UDP (28 bytes).
    #[schemars(range(min = 28, max = 65_535))]
    pub packet_bytes: u16,

    /// Packets at a rate.
    #[serde(flatten)]
    pub packets: PacketKeys,

    /// Other applications, by the keys of their tables.
    #[serde(flatten)]
    pub applications: ApplicationTables,

    /// The first instant at which a source may start.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub start_s: f64,

    /// Sources start uniformly within this time after `start_s`; 0: all at once.
    #[serde(default = "super::flows::start_spread")]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub start_spread_s: f64,

    /// From this instant on nothing is sent; absent: until the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub stop_s: Option<f64>,

    /// The ECN codepoint with which packets leave.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub ecn: EcnCodepoint,

    /// The differentiated services codepoint of the packets.
    #[serde(default)]
    #[schemars(range(max = 63))]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub dscp: u8,

    /// Whether each receiver sends every datagram back at once. What comes back is the group `NAME-echo`,
    /// whose delay is the round trip.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub echo: bool,
}

/// The ECN codepoint of packets that leave a sender (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnCodepoint {
    /// 00: a queue can signal congestion only by discarding.
    #[default]
    NotEct,
    /// 10: a queue may mark instead.
    Ect0,
    /// 01: a queue may mark instead; for experiments such as L4S (RFC 9331).
    Ect1,
}

impl DatagramsTable {
    /// How many sources it makes, those of what is sent back among them.
    pub(crate) fn sources(&self) -> u64 {
        let is_answered = |model: &ApplicationModel| model.facts(self.packet_bytes).receiver.is_some();
        let answers = self.echo || self.application_models().iter().any(is_answered);
        u64::from(self.count) * if answers { 2 } else { 1 }
    }

    /// The applications that its keys name; one, in a legal group.
    pub(crate) fn application_models(&self) -> Vec<ApplicationModel> {
        ApplicationModel::named_by(&self.packets, &self.applications)
    }

    pub(crate) fn settle(&mut self, index: usize) {
        self.name.get_or_insert_with(|| format!("datagrams-{index}"));
        self.packets.settle();
    }
}
