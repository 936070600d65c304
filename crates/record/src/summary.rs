//! Everything about a run that is not a table: the content of `run.json`.
//!
//! It holds no wall-clock time and nothing about the machine, so that the same scenario, seed and version
//! give the same bytes.

use serde::Serialize;
use std::collections::BTreeMap;

/// The summary of one run. Serialises to `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Version of this layout.
    pub format: u32,
    /// Version of the laboratory that made the run.
    pub aqmlab_version: String,
    /// The scenario as resolved, every default filled in.
    pub scenario: serde_json::Value,
    /// Seed of the run.
    pub seed: u64,
    /// Start of the measured window in seconds.
    pub measured_from_s: f64,
    /// End of the measured window in seconds.
    pub measured_until_s: f64,
    /// When a run ended that ended in its cool-down; left out where it lasted as long as the scenario says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_s: Option<f64>,
    /// The monitored links.
    pub links: Vec<LinkSummary>,
    /// The impaired links, monitored or not; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub impairments: Vec<ImpairmentSummary>,
    /// The boxes of populations and groups of flows; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delay_boxes: Vec<DelayBoxSummary>,
    /// The shapers that follow the line; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapers: Vec<ShaperSummary>,
    /// The populations of users.
    pub populations: Vec<PopulationSummary>,
    /// The groups of long-lived flows.
    pub flows: Vec<FlowSummary>,
    /// What TCP did, over all connections, in the measured window.
    pub tcp: TcpSummary,
    /// Laws that were checked after the run.
    pub invariants: Vec<Invariant>,
    /// What a reader should know before trusting the run.
    pub warnings: Vec<String>,
}

/// A monitored link and its queue, over the measured window.
#[derive(Clone, Debug, Serialize)]
pub struct LinkSummary {
    /// Name of the link.
    pub name: String,
    /// Node it leaves.
    pub from: String,
    /// Node it reaches.
    pub to: String,
    /// Rate in Mbit/s (10⁶).
    pub rate_mbps: f64,
    /// What it carries of IP packets of 1,500 bytes if something always waits, in Mbit/s: less than its rate
    /// where its medium takes time for more than bytes, or is shared.
    pub capacity_mbps: f64,
    /// Queue discipline.
    pub scheme: String,
    /// Whether it lies on the way of what users or flows ask for, and not of requests and acknowledgements
    /// alone.
    pub carries_data: bool,
    /// Bits that left per second, in Mbit/s, at the layer that the scenario counts.
    pub throughput_mbps: f64,
    /// That layer: `frame` (headers of layer 2 counted, gaps between frames not) or `ip`.
    pub throughput_layer: String,
    /// Frame bits that left per second, in Mbit/s.
    pub throughput_frame_mbps: f64,
    /// Bits of IP packets that left per second, in Mbit/s.
    pub throughput_ip_mbps: f64,
    /// Share of the time in which the link was transmitting (gaps between frames counted).
    pub busy_share: f64,
    /// Mean frame in bytes.
    pub mean_frame_bytes: f64,
    /// Time average of the packets that waited.
    pub queue_packets_mean: f64,
    /// Mean time in seconds that packets had waited which the queue let go: those that it discarded while
    /// they waited are left out. None where none left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_mean_s: Option<f64>,
    /// Packets discarded over packets [at risk](LinkCounters::at_risk), 0 to 1.
    pub loss_ratio: f64,
    /// Packets marked over packets at risk, 0 to 1.
    pub mark_ratio: f64,
    /// Packets that arrived, left, were marked and were discarded.
    pub counters: LinkCounters,
}

/// What a shaper that follows the line was set to in the measured window.
#[derive(Clone, Debug, Serialize)]
pub struct ShaperSummary {
    /// Name of the link behind it.
    pub link: String,
    /// Mean rate over time in Mbit/s.
    pub mean_mbps: f64,
    /// Lowest rate in Mbit/s.
    pub minimum_mbps: f64,
    /// Highest rate in Mbit/s.
    pub maximum_mbps: f64,
    /// How often the rate changed in the run.
    pub changes: u64,
}

/// What the impairment of a link did in the measured window.
#[derive(Clone, Debug, Serialize)]
pub struct ImpairmentSummary {
    /// Name of the link.
    pub link: String,
    /// Packets on their way to it.
    pub arrived: Amount,
    /// Of these, packets that were lost.
    pub lost: Amount,
    /// Packets that came a second time; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicated: Option<Amount>,
    /// Packets of which a box changed the ECN field; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_changed: Option<Amount>,
}

/// What the boxes of the connections of a population, or of a group of flows, did in the measured window.
#[derive(Clone, Debug, Serialize)]
pub struct DelayBoxSummary {
    /// Name of the population or group.
    pub name: String,
    /// Packets that came to a box.
    pub arrived: Amount,
    /// Of these, packets that were lost there.
    pub lost: Amount,
}

/// Packets and bytes (IP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// Packets.
    pub packets: u64,
    /// Bytes of IP packets.
    pub bytes: u64,
}

/// Counters of a queue.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LinkCounters {
    /// Offered to the queue.
    pub arrived: Amount,
    /// Could be discarded or marked: what arrived and, under a scheme that decides about waiting packets,
    /// what waited when the window began.
    pub at_risk: Amount,
    /// Handed to the link.
    pub departed: Amount,
    /// Marked with Congestion Experienced.
    pub marked: Amount,
    /// Discarded, by reason.
    pub discarded: BTreeMap<String, Amount>,
    /// By packet class.
    pub by_class: BTreeMap<String, ClassCounts>,
    /// By ECN codepoint on arrival.
    pub by_codepoint: BTreeMap<String, ClassCounts>,
}

/// Packet counts of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// Offered to the queue.
    pub arrived_packets: u64,
    /// Could be discarded or marked.
    pub at_risk_packets: u64,
    /// Marked.
    pub marked_packets: u64,
    /// Discarded.
    pub discarded_packets: u64,
}

/// What a population of users did.
#[derive(Clone, Debug, Serialize)]
pub struct PopulationSummary {
    /// Name of the population.
    pub name: String,
    /// How many users.
    pub users: u32,
    /// Exchanges completed in the measured window.
    pub completed: u64,
    /// Exchanges that failed in the measured window because their connection gave up.
    pub failed: u64,
    /// Exchanges under way when the run ended.
    pub unfinished: u64,
    /// Connections that gave up in the measured window, with an exchange under way or without.
    pub gave_up: u64,
    /// Exchanges of the whole run.
    pub whole_run: ExchangeSummary,
    /// Statistics of the traffic that was generated over the whole run.
    pub generated: BTreeMap<String, f64>,
}

/// Exchanges by how they ended: what started is completed, failed, or under way at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExchangeSummary {
    /// Begun, by `connect()` or by the write of a request on an open connection.
    pub started: u64,
    /// Completed.
    pub completed: u64,
    /// Given up with their connection.
    pub failed: u64,
}

/// What a group of long-lived flows achieved.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSummary {
    /// Name of the group.
    pub name: String,
    /// Bytes delivered to the receivers' applications in the measured window, per flow.
    pub delivered_bytes: Vec<u64>,
    /// Where the flows have a size, how long each would take in seconds on an idle path at the lowest rate on
    /// its way, without headers; none of a flow without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone_s: Vec<f64>,
}

/// TCP's own events in the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TcpSummary {
    /// Connections opened.
    pub connections: u64,
    /// Connections that gave up.
    pub gave_up: u64,
    /// Retransmission timeouts of data or FIN.
    pub timeouts: u64,
    /// Retransmission timeouts of SYN or SYN/ACK.
    pub syn_retransmissions: u64,
    /// Entries into fast recovery.
    pub fast_recoveries: u64,
    /// Segments sent again.
    pub retransmitted_segments: u64,
    /// Window reductions for ECN; left out by a driver whose hosts do not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_reductions: Option<u64>,
    /// Connections whose sender, up to the end of the window, took its queue for one that marks as RFC 3168
    /// has it and fell back; left out where no host has `classic_ecn_fallback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classic_fallbacks: Option<u64>,
    /// Windows of data in which at least one segment was dropped at a monitored queue; left out likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_episodes: Option<u64>,
    /// Such windows with two or more drops; left out likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_episodes_multiple: Option<u64>,
    /// Data segments dropped at monitored queues.
    pub dropped_data_segments: u64,
    /// SYN and SYN/ACK segments dropped at monitored queues.
    pub dropped_handshake_segments: u64,
}

/// A law that every run must obey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invariant {
    /// What was checked.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// Where it does not hold, the numbers that contradict each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breach: Option<String>,
}

impl Invariant {
    /// The outcome of a check: the numbers that contradict each other, if some do.
    #[must_use]
    pub fn of(name: &str, outcome: Result<(), String>) -> Self {
        Self { name: name.to_owned(), holds: outcome.is_ok(), breach: outcome.err() }
    }

    /// What is wrong where some of these laws do not hold.
    #[must_use]
    pub fn breaches(laws: &[Self]) -> Option<String> {
        let broken = laws.iter().filter(|law| !law.holds);
        let said: Vec<String> =
            broken.map(|law| format!("{}: {}", law.name, law.breach.as_deref().unwrap_or("false"))).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl Summary {
    /// The summary as JSON text, keys in declaration order.
    ///
    /// # Panics
    /// Never: every field is representable.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a summary holds only numbers, text and lists")
    }
}
