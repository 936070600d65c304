//! `[line]` and `[[devices]]`: a line to the Internet as its owner has it.

mod devices;
mod technology;
mod unfolded;

pub use devices::{Connection, DeviceKind, DeviceTable};
pub use technology::{LineFraming, Technology};
pub(crate) use unfolded::{AUTORATE, INTERNET, RESERVED, SOLD, is_in_router, keys_of};

use super::Decides;
use super::conditions::{ConditionsEnd, ConditionsWay, Reconfigurations, TraceFiles};
use super::dumbbell::{server_machines, uncongested_rate};
use super::topology::Means;
use super::twin::{twin_rate_mbps, uncongested_queue};
use crate::Scheme;
use crate::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use aqmlab_aqm::parts::LinkLayer;
use aqmlab_link::{CakeAutorate, Jitter, Medium, Netem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A line to the Internet: the provider's end, a modem, a router behind it, and the devices of a home.
///
/// What is not given is what is usual for the technology (`docs/reference/presets.md`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Kind of line.
    #[schemars(extend("x-decides" = Decides::Network))]
    pub technology: Technology,

    /// Rate down: what the modem shows of a vdsl or adsl line, which counts cells and frames; what is sold of
    /// others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub down_mbps: Option<f64>,

    /// Rate up, counted alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub up_mbps: Option<f64>,

    /// Rate of Ethernet frames to which the provider holds the way down of a line that is faster and does not
    /// vary; absent: the line alone limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub sold_down_mbps: Option<f64>,

    /// The same of the way up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub sold_up_mbps: Option<f64>,

    /// Propagation delay of the line, one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_ms: Option<f64>,

    /// How the line frames packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub framing: Option<LineFraming>,

    /// Bytes of each packet beside its IP length, in front of cells or PTM's blocks; absent: those of the
    /// framing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 256))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub overhead_bytes: Option<u32>,

    /// The shortest frame; absent: that of the framing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 256))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub minimum_frame_bytes: Option<u32>,

    /// Whether the rates vary around those given, each way by itself, as is usual for the technology: of
    /// `lte`, `5g` and `starlink` unless this is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rates_vary: Option<bool>,

    /// How the way down uses its medium: `aggregation`, `slots`, `varying_rate` or `wifi`; absent: as
    /// `rates_vary` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub medium_down: Option<Medium>,

    /// The same of the way up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub medium_up: Option<Medium>,

    /// File of conditions over time: comma-separated columns `t_s` and one or more of `down_mbps`, `up_mbps`,
    /// `rtt_ms` and `loss_percent`. The rates and `delay_ms` here may then be left out, or are their means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_file: Option<String>,

    /// What comes behind that file's last row; absent: the first row again.
    #[serde(default, skip_serializing_if = "ConditionsEnd::is_repeat")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub conditions_end: ConditionsEnd,

    /// Rates and delay drawn anew at each reconfiguration of a satellite network; absent: as `rates_vary`
    /// says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub reconfigurations: Option<Reconfigurations>,

    /// File of instants at which the way down may send, in Mahimahi's format; `down_mbps` is then its mean
    /// rate, or left out. Several files in brackets follow one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_down_trace_file: Option<TraceFiles>,

    /// The same of the way up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_up_trace_file: Option<TraceFiles>,

    /// Probability that a packet is lost in front of the line, down.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub loss_probability_down: f64,

    /// The same up.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub loss_probability_up: f64,

    /// What netem does to packets on the way down: jitter, reordering, duplicates, bursts of loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub netem_down: Option<Netem>,

    /// The same on the way up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub netem_up: Option<Netem>,

    /// Queue at the provider's end, in front of the way down; absent: drop-tail of the usual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub provider_queue: Option<Scheme>,

    /// Queue in the modem, in front of the way up; absent: drop-tail, alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub modem_queue: Option<Scheme>,

    /// Queue in the router to the devices; absent: FQ-CoDel where the router shapes, else drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub router_queue_down: Option<Scheme>,

    /// Queue in the router to the modem; absent: FQ-CoDel where the router shapes, else drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub router_queue_up: Option<Scheme>,

    /// Share of the line's rate to which the router holds what goes down; absent: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub shaped_share_down: Option<f64>,

    /// Share of the line's rate to which the router holds what goes up; absent: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01, max = 1.0))]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub shaped_share_up: Option<f64>,

    /// Whether the router's shapers count packets as the line frames them. False: IP packets and 14 bytes
    /// each, as Linux by default.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub shapers_know_framing: bool,

    /// The router's shapers follow the line by cake-autorate's rule; absent: they stay at the shaped shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-decides" = Decides::Queue))]
    pub cake_autorate: Option<CakeAutorate>,

    /// Rate of the router's ports, of wired devices and of servers; absent: 1000 Mbit/s, or 10,000 beside a
    /// line of more than half of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub interface_rate_mbps: Option<f64>,

    /// Machines with servers, of the group `internet`.
    #[serde(default = "server_machines")]
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub server_machines: u32,

    /// Rate of the line in the uncongested twin, both ways; if it is not above the line's own rate, ten times
    /// that rate.
    #[serde(default = "uncongested_rate")]
    #[schemars(range(min = LOWEST_MBPS, max = HIGHEST_MBPS))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_rate_mbps: f64,

    /// Queue of the line in the uncongested twin, both ways.
    #[serde(default = "uncongested_queue")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub uncongested_queue: Scheme,
}

/// In front of a shaper what Linux has without a word; of a port that is faster than the line anything does.
fn router_queue(is_shaped: bool) -> Scheme {
    let queue = if is_shaped {
        serde_json::json!({ "scheme": "fq-codel" })
    } else {
        serde_json::json!({ "scheme": "drop-tail", "limit_packets": 10_240 })
    };
    serde_json::from_value(queue).expect("a scheme with its defaults")
}

const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

/// The least buffer: 20 full packets.
const LEAST_BUFFER_BYTES: f64 = 20.0 * 1_500.0;

/// One of the two ways of a line, settled.
#[derive(Clone)]
pub(crate) struct LineWay<'a> {
    /// How keys and links of it are called: `down` or `up`.
    pub(crate) name: &'static str,
    pub(crate) rate_mbps: f64,
    pub(crate) sold_mbps: Option<f64>,
    pub(crate) medium: Option<Medium>,
    pub(crate) trace: Option<&'a TraceFiles>,
    pub(crate) conditions: Option<&'a String>,
    pub(crate) conditions_way: ConditionsWay,
    pub(crate) conditions_end: ConditionsEnd,
    pub(crate) loss_probability: f64,
    pub(crate) netem: Option<Netem>,
    /// At the line, and the key that says it.
    pub(crate) queue: Option<&'a Scheme>,
    pub(crate) queue_key: &'static str,
    /// In the router.
    pub(crate) router_queue: Option<&'a Scheme>,
    pub(crate) shaped_share: Option<f64>,
}

impl Line {
    /// Both ways: down, up.
    pub(crate) fn ways(&self) -> [LineWay<'_>; 2] {
        let usual = self.technology.usual();
        let vary = self.rates_vary.unwrap_or_else(|| self.conditions_file.is_none());
        let redrawn = self.reconfigurations.and_then(|own| own.medium());
        let is_redrawn = self.reconfigurations.is_some();
        let varying = if is_redrawn { redrawn } else { usual.medium().filter(|_| vary) };
        let medium = |own: &Option<Medium>, trace: &Option<TraceFiles>| {
            own.clone().or_else(|| varying.clone().filter(|_| trace.is_none()))
        };
        let netem = |own: Option<Netem>| self.reconfigurations.map_or(own, |table| table.netem(own));
        [
            LineWay {
                name: "down",
                rate_mbps: self.down_mbps.unwrap_or(usual.down_mbps),
                sold_mbps: self.sold_down_mbps,
                medium: medium(&self.medium_down, &self.rate_down_trace_file),
                trace: self.rate_down_trace_file.as_ref(),
                conditions: self.conditions_file.as_ref(),
                conditions_way: ConditionsWay::Down,
                conditions_end: self.conditions_end,
                loss_probability: self.loss_probability_down,
                netem: netem(self.netem_down),
                queue: self.provider_queue.as_ref(),
                queue_key: "provider_queue",
                router_queue: self.router_queue_down.as_ref(),
                shaped_share: self.shaped_share_down,
            },
            LineWay {
                name: "up",
                rate_mbps: self.up_mbps.unwrap_or(usual.up_mbps),
                sold_mbps: self.sold_up_mbps,
                medium: medium(&self.medium_up, &self.rate_up_trace_file),
                trace: self.rate_up_trace_file.as_ref(),
                conditions: self.conditions_file.as_ref(),
                conditions_way: ConditionsWay::Up,
                conditions_end: self.conditions_end,
                loss_probability: self.loss_probability_up,
                netem: netem(self.netem_up),
                queue: self.modem_queue.as_ref(),
                queue_key: "modem_queue",
                router_queue: self.router_queue_up.as_ref(),
                shaped_share: self.shaped_share_up,
            },
        ]
    }

    /// The means of its files: of the conditions, and of the traces.
    pub(crate) fn means(&self, files: &BTreeMap<String, String>) -> Means {
        let of_conditions = self.conditions_file.as_ref().and_then(|name| Means::of(name, files));
        let mut means = of_conditions.unwrap_or_default();
        let traces = [&self.rate_down_trace_file, &self.rate_up_trace_file];
        for (mean, trace) in means.rates_mbps.iter_mut().zip(traces) {
            *mean = mean.or_else(|| trace.as_ref()?.mean_mbps(files));
        }
        means
    }

    /// What each packet costs on the line.
    pub(crate) fn link_layer(&self) -> LinkLayer {
        let framing = self.framing.unwrap_or_else(|| self.technology.usual().framing[0]);
        let usual = framing.link_layer();
        LinkLayer {
            overhead_bytes: self
                .overhead_bytes
                .map_or(usual.overhead_bytes, |own| i32::try_from(own).unwrap_or(i32::MAX)),
            minimum_frame_bytes: self.minimum_frame_bytes.unwrap_or(usual.minimum_frame_bytes),
            coding: usual.coding,
        }
    }

    /// Fills in what follows from the technology, or from the means of the conditions that it names.
    pub(crate) fn settle(&mut self, means: Means) {
        let usual = self.technology.usual();
        self.framing.get_or_insert(usual.framing[0]);
        let link_layer = self.link_layer();
        let down_mbps = *self.down_mbps.get_or_insert(means.rates_mbps[0].unwrap_or(usual.down_mbps));
        let up_mbps = *self.up_mbps.get_or_insert(means.rates_mbps[1].unwrap_or(usual.up_mbps));
        self.delay_ms.get_or_insert(means.delay_ms.unwrap_or(usual.delay_ms));
        self.overhead_bytes.get_or_insert(link_layer.overhead_bytes.unsigned_abs());
        self.minimum_frame_bytes.get_or_insert(link_layer.minimum_frame_bytes);
        let others = self.conditions_file.is_some() || self.reconfigurations.is_some();
        self.rates_vary.get_or_insert(usual.medium().is_some() && !others);
        let payload = |line: f64, sold: Option<f64>| match sold {
            Some(sold) => payload_mbps(sold, SOLD),
            None => payload_mbps(line, link_layer),
        };
        let down = payload(down_mbps, self.sold_down_mbps);
        let up = payload(up_mbps, self.sold_up_mbps);
        self.provider_queue.get_or_insert_with(|| tail_drop(down, usual.provider_buffer_ms));
        self.modem_queue.get_or_insert_with(|| tail_drop(up, usual.modem_buffer_ms));
        let shapes = [self.shaped_share_down, self.shaped_share_up].map(|share| share.is_some());
        self.router_queue_down.get_or_insert_with(|| router_queue(shapes[0]));
        self.router_queue_up.get_or_insert_with(|| router_queue(shapes[1]));
        let is_fast = down_mbps.max(up_mbps) > 500.0;
        self.interface_rate_mbps.get_or_insert(if is_fast { 10_000.0 } else { 1_000.0 });
    }

    /// Without what `settle` fills in again: what follows from a key that is overridden then follows from its
    /// new value. A value that is what follows anyway is as good as not given.
    pub(crate) fn unsettled(&self, means: Means) -> Self {
        let mut own = self.clone();
        macro_rules! leave_out {
            ($($key:ident),+) => { $(
                let mut without = self.clone();
                without.$key = None;
                without.settle(means);
                if without.$key == self.$key {
                    own.$key = None;
                }
            )+ };
        }
        leave_out!(
            down_mbps,
            up_mbps,
            delay_ms,
            framing,
            overhead_bytes,
            minimum_frame_bytes,
            rates_vary,
            provider_queue,
            modem_queue,
            router_queue_down,
            router_queue_up,
            interface_rate_mbps
        );
        own
    }

    /// Both ways take the uncongested settings, and nothing in front of them holds anything back.
    pub(crate) fn become_uncongested(&mut self) {
        let line = self.ways().map(|way| (way.rate_mbps, way.queue.cloned()));
        let queues = line.iter().filter_map(|(rate_mbps, queue)| Some((*rate_mbps, queue.as_ref()?)));
        let rate_mbps = twin_rate_mbps((self.uncongested_rate_mbps, &self.uncongested_queue), queues);
        self.uncongested_rate_mbps = rate_mbps;
        (self.down_mbps, self.up_mbps) = (Some(rate_mbps), Some(rate_mbps));
        (self.sold_down_mbps, self.sold_up_mbps) = (None, None);
        self.provider_queue = Some(self.uncongested_queue.clone());
        self.modem_queue = Some(self.uncongested_queue.clone());
        (self.shaped_share_down, self.shaped_share_up, self.cake_autorate) = (None, None, None);
        (self.router_queue_down, self.router_queue_up) =
            (Some(router_queue(false)), Some(router_queue(false)));
        self.interface_rate_mbps =
            self.interface_rate_mbps.map(|own| own.max(10.0 * rate_mbps).min(HIGHEST_MBPS));
        self.rates_vary = Some(false);
        (self.medium_down, self.medium_up) = (None, None);
        (self.rate_down_trace_file, self.rate_up_trace_file) = (None, None);
        (self.conditions_file, self.conditions_end) = (None, ConditionsEnd::Repeat);
        self.reconfigurations = None;
        (self.loss_probability_down, self.loss_probability_up) = (0.0, 0.0);
        (self.netem_down, self.netem_up) = (None, None);
    }
}

impl Reconfigurations {
    /// The rates, if they change.
    fn medium(self) -> Option<Medium> {
        // After an interval nothing is left of the rate before it.
        const FORGOTTEN_S: f64 = 0.001;
        let table = serde_json::json!({ "varying_rate": {
            "coefficient_of_variation": self.rate_variation,
            "correlation_time_s": FORGOTTEN_S,
            "interval_ms": 1e3 * self.interval_s,
        }});
        (self.rate_variation > 0.0)
            .then(|| serde_json::from_value(table).expect("a medium with all of its numbers"))
    }

    /// The delay, beside what else happens to packets.
    fn netem(self, own: Option<Netem>) -> Option<Netem> {
        if self.delay_deviation_ms == 0.0 {
            return own;
        }
        Some(Netem {
            jitter_ms: self.delay_deviation_ms,
            jitter_distribution: Jitter::Normal,
            jitter_correlation: 0.0,
            jitter_interval_ms: 1e3 * self.interval_s,
            ..own.unwrap_or_default()
        })
    }
}

/// What is left of a rate for IP packets of full size and what each costs.
fn payload_mbps(rate_mbps: f64, link_layer: LinkLayer) -> f64 {
    const FULL_PACKET_BYTES: u32 = 1_500;
    rate_mbps * f64::from(FULL_PACKET_BYTES) / f64::from(link_layer.bytes(FULL_PACKET_BYTES))
}

/// In bytes: a limit of packets would hold far less than this time where acknowledgements wait too.
fn tail_drop(rate_mbps: f64, buffer_ms: f64) -> Scheme {
    let bytes = (rate_mbps * 1e6 / 8.0 * buffer_ms / 1e3).round().max(LEAST_BUFFER_BYTES);
    let queue = serde_json::json!({ "scheme": "drop-tail", "limit_bytes": bytes as u64 });
    serde_json::from_value(queue).expect("drop-tail with a limit in bytes is a scheme")
}
