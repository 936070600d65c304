//! `[[flows]]`: long-lived flows.

use super::Decides;
use super::delay_box::DelayBoxTable;
use super::think_time::ThinkTime;
use super::transfer_bytes::TransferBytes;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use crate::{HostOverrides, HostProfile};
use aqmlab_transport::Transport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Long-lived flows that differ only in their delays and machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowsTable {
    /// Name of the group, unique among flow groups; absent: `flows-` and its number from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub name: Option<String>,

    /// How many flows, spread over the machines in turn.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub count: u32,

    /// Direction of the data over a dumbbell, from servers to browsers, or over a line; this, or `senders`
    /// and `receivers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub direction: Option<Direction>,

    /// The device behind a `[line]`, for `direction = "down"` or `"up"`; absent: the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub device: Option<String>,

    /// The machine group that sends the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub senders: Option<String>,

    /// The machine group that receives the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub receivers: Option<String>,

    /// Round-trip delay added to each flow: one number; first and last, evenly spaced between; or a law.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub base_rtt_ms: BaseRoundTripTime,

    /// Which end's outbound packets carry that delay.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub delay_on: DelayOn,

    /// The first instant at which a flow may start.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub start_s: f64,

    /// Instants at which the flows start, one for each; instead of `start_s` and `start_spread_s`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(range(min = 0.0, max = 10_000_000.0)))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub starts_s: Vec<f64>,

    /// Mean number of flow starts per second, as a Poisson process from `start_s` on; instead of
    /// `start_spread_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub arrivals_hz: Option<f64>,

    /// Pause of a user from the end of one flow to the start of the next: one number, or a law; absent: flows
    /// do not wait for one another. Instead of `arrivals_hz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub think_s: Option<ThinkTime>,

    /// Users who think, to whom the flows are dealt in turn; only with `think_s`, then 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub users: Option<u32>,

    /// Flows start uniformly within this time after `start_s`; 0: all at once.
    #[serde(default = "start_spread")]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub start_spread_s: f64,

    /// From this instant on nothing new is sent, and the flow closes; absent: until the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub stop_s: Option<f64>,

    /// Number of active flows over time; instead of `stop_s` and the other ways to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub phases: Option<PhasesTable>,

    /// Bytes of data per flow, after which it closes: one number, or a law; absent: endless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub bytes: Option<TransferBytes>,

    /// The rate at which the application of each flow writes; absent: as fast as the connection takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub application_mbps: Option<f64>,

    /// The time from one write of that application to the next; only with `application_mbps`, then 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.1, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub application_write_ms: Option<f64>,

    /// Bottleneck rate and loss of each connection at the routers of its ends; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub delay_box: Option<DelayBoxTable>,

    /// The differentiated services codepoint of the packets, both ways.
    #[serde(default, skip_serializing_if = "super::is_best_effort")]
    #[schemars(range(max = 63))]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub dscp: u8,

    /// What carries the connections: TCP, or QUIC, whose packets are datagrams to the network; absent:
    /// `"tcp"`.
    #[serde(default = "default_transport", skip_serializing_if = "is_tcp")]
    #[schemars(schema_with = "transport_name")]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub transport: String,

    /// Host profile of both ends.
    #[serde(default = "default_profile", skip_serializing_if = "String::is_empty")]
    #[schemars(schema_with = "profile_name")]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub profile: String,

    /// Changes to single settings of the host profile.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Hosts))]
    pub host: HostOverrides,
}

/// A schedule of the number of flows: flow 0 is active first and last, the last ones only in the largest
/// phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhasesTable {
    /// Length of each phase; the first begins at `start_s`.
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    pub each_s: f64,

    /// Flows in each phase: numbers that rise, then fall; the largest is `count`.
    #[schemars(length(min = 1), inner(range(max = 1_000_000)))]
    pub flows: Vec<u32>,
}

/// The way data goes over a dumbbell, a parking lot or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From servers on the left to browsers on the right.
    LeftToRight,
    /// From servers on the right to browsers on the left.
    RightToLeft,
    /// Over a line, from the Internet to a device.
    Down,
    /// Over a line, from a device to the Internet.
    Up,
}

/// Which end's outbound packets carry the delay of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayOn {
    /// Half on the sender's, half on the receiver's packets.
    #[default]
    Both,
    /// All on the sender's.
    Sender,
    /// All on the receiver's.
    Receiver,
}

/// The round-trip delay added to the flows of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BaseRoundTripTime {
    /// The same for every flow.
    Same(#[schemars(range(min = 0.0, max = 100_000.0))] f64),
    /// Evenly spaced over a range.
    Spaced(RoundTripTimeRange),
    /// Drawn for each flow from a law with a name.
    Law(NamedRoundTripLaw),
    /// Drawn for each flow from the law of a file.
    File(RoundTripLawFile),
}

/// A law from which each flow draws its delay: by seed, group and number of the flow, whatever the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedRoundTripLaw {
    /// Which law.
    pub law: RoundTripLawName,
}

/// Laws of round-trip times that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundTripLawName {
    /// PackMime's, measured on a campus link: median 65 ms, mean 106 ms.
    #[serde(rename = "packmime")]
    PackMime,
}

/// A law from which each flow draws its delay, in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundTripLawFile {
    /// Lines of a delay in milliseconds and its cumulative share.
    pub cdf_file: String,
}

/// Place `i` of `n` has `first + (last - first) i / (n - 1)`; a single flow has `first`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundTripTimeRange {
    /// Of the first flow.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub first: f64,
    /// Of the last flow.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub last: f64,
    /// In which order flows have them.
    #[serde(default, skip_serializing_if = "DelayOrder::is_ascending")]
    pub order: DelayOrder,
}

/// In which order the flows of a group have their delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayOrder {
    /// From the first to the last.
    #[default]
    Ascending,
    /// In random order, drawn from the seed: uniform delays, the same set in every run.
    Drawn,
}

impl DelayOrder {
    fn is_ascending(&self) -> bool {
        *self == Self::Ascending
    }
}

impl Default for BaseRoundTripTime {
    /// The network's own delays alone.
    fn default() -> Self {
        Self::Same(0.0)
    }
}

impl BaseRoundTripTime {
    /// Whether the order of the delays is drawn.
    pub(crate) const fn is_dealt(&self) -> bool {
        matches!(self, Self::Spaced(RoundTripTimeRange { order: DelayOrder::Drawn, .. }))
    }

    /// The delay of flow `index` of `count`, in milliseconds; none where a run draws it.
    pub(crate) fn of_flow(&self, index: u32, count: u32) -> Option<f64> {
        match *self {
            Self::Same(delay) => Some(delay),
            Self::Spaced(RoundTripTimeRange { first, .. }) if count < 2 => Some(first),
            Self::Spaced(RoundTripTimeRange { first, last, .. }) => {
                Some(first + (last - first) * f64::from(index) / f64::from(count - 1))
            }
            Self::Law(_) | Self::File(_) => None,
        }
    }
}

impl FlowsTable {
    /// Whether the flows take whatever they are let through, without end.
    pub(crate) const fn is_greedy(&self) -> bool {
        self.bytes.is_none() && self.application_mbps.is_none()
    }

    pub(crate) fn settle(&mut self, index: usize) {
        self.name.get_or_insert_with(|| format!("flows-{index}"));
        if self.application_mbps.is_some() {
            self.application_write_ms.get_or_insert(USUAL_WRITE_MS);
        }
    }
}

/// A timer tick of many applications and kernels.
const USUAL_WRITE_MS: f64 = 10.0;

/// Flows that start at one instant stay synchronised for long; a second undoes that.
pub(crate) const fn start_spread() -> f64 {
    1.0
}

pub(super) fn default_transport() -> String {
    Transport::TCP.to_owned()
}

pub(super) fn is_tcp(name: &str) -> bool {
    name == Transport::TCP
}

/// The schema of a transport's name.
pub(super) fn transport_name(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = Transport::names().collect();
    schemars::json_schema!({ "type": "string", "enum": names })
}

/// The hosts of the SIGCOMM 2003 study.
pub(super) fn default_profile() -> String {
    "bsd45".to_owned()
}

/// The schema of a host profile's name.
pub(super) fn profile_name(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": HostProfile::NAMES })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_evenly_spaced_from_first_to_last() {
        let order = DelayOrder::Ascending;
        let range = BaseRoundTripTime::Spaced(RoundTripTimeRange { first: 10.0, last: 150.0, order });
        let delays: Vec<f64> = (0..5).filter_map(|index| range.of_flow(index, 5)).collect();
        assert_eq!(delays, [10.0, 45.0, 80.0, 115.0, 150.0]);
        assert_eq!(range.of_flow(0, 1), Some(10.0));
        assert_eq!(BaseRoundTripTime::Same(80.0).of_flow(3, 5), Some(80.0));
    }
}
