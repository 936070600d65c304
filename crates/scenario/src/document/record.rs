//! `[record]`: what to keep of a run.

use super::Decides;
use aqmlab_session::ResponseEnd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordTable {
    /// Time between two samples of a monitored queue.
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub queue_interval_ms: f64,

    /// Bin of a monitored link's throughput.
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub link_interval_ms: f64,

    /// Which bytes throughput, offered load and bytes per user count.
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub throughput_layer: ThroughputLayer,

    /// Packets and bytes that arrive at monitored links, per millisecond.
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub arrivals: bool,

    /// How response times and page load times are recorded.
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub responses: Responses,

    /// When a response time ends.
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub response_end: ResponseEnd,

    /// Interval over which samples of a monitored queue are summarised: mean, variance, smallest and largest;
    /// absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub queue_summary_interval_ms: Option<f64>,

    /// Time between two of the samples that are summed up; only with `queue_summary_interval_ms`, then 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub queue_summary_sample_ms: Option<f64>,

    /// Sampling interval of internal variables of monitored links' schemes; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub scheme_state_interval_ms: Option<f64>,

    /// One row per connection: timeouts, recoveries, losses, lost SYNs.
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub flows: bool,

    /// Time between samples of congestion window, slow-start threshold, round-trip time and timeout of every
    /// long-lived flow; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub congestion_window_interval_ms: Option<f64>,

    /// Packets that monitored links sent, marked and discarded in the measured window, by population and
    /// group of flows.
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub traffic: bool,

    /// Interval of a time series of these counts, including UDP sources; absent: not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub traffic_interval_ms: Option<f64>,

    /// Bytes per user and direction in the measured window.
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub users: bool,

    /// One row per packet at monitored links: for small runs.
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub packets: bool,

    /// One row per datagram that arrived in the whole run.
    #[serde(skip_serializing_if = "super::is_false")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub datagrams: bool,

    /// Simulate all of `cool_down_s`; else the run ends in it as soon as nothing that is measured can change.
    #[serde(skip_serializing_if = "super::is_false")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub cool_down: bool,
}

/// Which bytes count as throughput.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThroughputLayer {
    /// Frames: IP packets with the header and check sequence of layer 2, padded; not the gaps between frames.
    #[default]
    Frame,
    /// Only IP packets, as a monitor of TCP/IP headers counts.
    Ip,
}

impl ThroughputLayer {
    /// The name as in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Ip => "ip",
        }
    }
}

/// How response times are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Responses {
    /// One row per exchange up to five million exchanges, above that only the histogram.
    #[default]
    Auto,
    /// One row per exchange, however many.
    Rows,
    /// Only the histogram.
    Histogram,
    /// Nothing.
    None,
}

impl RecordTable {
    /// The SIGCOMM 2000 study's monitor (section 3.1) sampled every 3 ms.
    pub(crate) fn settle(&mut self) {
        if self.queue_summary_interval_ms.is_some() {
            self.queue_summary_sample_ms.get_or_insert(3.0);
        }
    }
}

impl Default for RecordTable {
    fn default() -> Self {
        Self {
            queue_interval_ms: 10.0,
            link_interval_ms: 100.0,
            throughput_layer: ThroughputLayer::Frame,
            arrivals: false,
            responses: Responses::Auto,
            response_end: ResponseEnd::LastByte,
            queue_summary_interval_ms: None,
            queue_summary_sample_ms: None,
            scheme_state_interval_ms: None,
            flows: false,
            congestion_window_interval_ms: None,
            traffic: false,
            traffic_interval_ms: None,
            users: false,
            packets: false,
            datagrams: false,
            cool_down: false,
        }
    }
}
