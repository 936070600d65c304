//! `[[datagrams]]`: sources that send at a rate of their own, whatever the network does with it.

use super::{AdaptiveVideoTable, Decides, Direction, VideoTable};
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
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

    /// Direction over a dumbbell, from servers to browsers; this, or `senders` and `receivers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,

    /// The machine group that sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders: Option<String>,

    /// The machine group that receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receivers: Option<String>,

    /// Length of the whole IP packet, with the headers of IP and UDP (28 bytes).
    #[schemars(range(min = 28, max = 65_535))]
    pub packet_bytes: u16,

    /// Bits of IP packets per second that each source sends while it is on; framing is not counted. This,
    /// `video`, or `adaptive_video`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    pub rate_mbps: Option<f64>,

    /// Frames of a video, which packets of at most `packet_bytes` carry; instead of `rate_mbps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<VideoTable>,

    /// A video call whose bit rate adapts to what the network carries, in packets of at most `packet_bytes`;
    /// instead of `rate_mbps`. Its receiver sends reports: the group `NAME-feedback`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive_video: Option<AdaptiveVideoTable>,

    /// Length of the periods in which a source sends, their mean if they are drawn; together with `off_s`.
    /// Absent: it always sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    pub on_s: Option<f64>,

    /// Length of the silent periods between them, their mean if they are drawn; together with `on_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    pub off_s: Option<f64>,

    /// How long single periods are; only with `on_s` and `off_s`, then exponential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<PeriodLaw>,

    /// The first instant at which a source may start.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub start_s: f64,

    /// Sources start at a uniformly random instant within this time after `start_s`; 0: all at once.
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

    /// Whether each receiver sends every datagram back at once, as probes of a round trip are answered. What
    /// comes back is the group `NAME-echo`; its delay is counted from the sending of the probe: the round
    /// trip.
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

/// Distribution of a source's on and off periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeriodLaw {
    /// Exponential.
    #[default]
    Exponential,
    /// Constant.
    Fixed,
}

impl DatagramsTable {
    /// How many sources it makes, those of what is sent back among them.
    pub(crate) fn sources(&self) -> u64 {
        u64::from(self.count) * if self.echo || self.adaptive_video.is_some() { 2 } else { 1 }
    }

    pub(crate) fn settle(&mut self, index: usize) {
        self.name.get_or_insert_with(|| format!("datagrams-{index}"));
        if self.on_s.is_some() && self.off_s.is_some() {
            self.periods.get_or_insert_default();
        }
    }
}
