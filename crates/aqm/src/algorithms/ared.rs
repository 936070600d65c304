//! Adaptive RED: RED that adjusts `max_p` to keep its average queue between the thresholds.
//!
//! Source: Floyd, Gummadi, Shenker, *Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active
//! Queue Management*, technical report, August 2001; its authors' implementation in ns-2.35 `red.cc`.
//!
//! ```text
//! every interval      Δ = 0.4·(max_th − min_th)
//!   avg < min_th + Δ  and max_p > bottom:   max_p ← max_p·beta
//!   avg > max_th − Δ  and max_p < top:      max_p ← max_p + min(alpha, max_p/4)
//! automatic settings  w_q = 1 − exp(−1/C),  min_th = max(5, target·C/2),  max_th = 3·min_th
//! ```
//!
//! C is the link rate in packets of mean size per second. On arrivals it is gentle RED: see [`super::red`].
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `target_delay_ms` | ms | 5 | above 0; instead of thresholds |
//! | `min_th_packets`, `max_th_packets` | packets of mean size | automatic | 0 ≤ min < max; max alone is refused |
//! | `w_q` | per arrival, or a time constant | time constant 1 s | above 0, at most 1 |
//! | `max_p` | probability | 0.1 at the start | above 0, at most 1 |
//! | `alpha`, `beta` | | 0.01, 0.9 | 0 or above; above 0, at most 1 |
//! | `top`, `bottom` | probability | 0.5, 0.01 | 0 ≤ bottom < top; top with one more step at most 1 |
//! | `interval_ms` | ms | 500 | 0.001 to 1e9 |
//! | the others | | | as for RED |
//!
//! Departures and silences. The paper's steps come every interval; ns-2 takes them on the first arrival after
//! it, and restarts its clock only when a step was taken (`adapt_on = "arrivals"`). With a timer the average
//! that counts on an idle link is the aged one, as in Linux: an idle link is no reason to signal more. The
//! paper's gentle rise starts from the present `max_p`; ns-2's and ns-3's from the first one
//! (`gentle_frozen`). Neither clamps after a step, so `max_p` may pass a bound by one step. ns-2 before
//! August 2001 lacked the cap `max_p/4`; since June 2004 its bottom follows the link (`bottom =
//! "from_link_rate"`).

use crate::aqm::{Aqm, Verdict};
use crate::packet::PacketFacts;
use crate::parameters::{ParameterError, Parameters, require_period_ms, require_share};
use crate::parts::{
    AdaptMaxP, AverageQueue, Bottom, Detector, DetectorSettings, EcnRule, Gauge, IdleRule, Limit, LimitRule,
    Measure, PacketScale, RedCurve, ScaleProbability, Spacing, Thresholds, Ticker, TimeConstant, Weight,
};
use crate::port::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the steps of `max_p` are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdaptOn {
    /// Every interval, arrivals or not (the paper, Linux).
    #[default]
    Timer,
    /// On the first arrival more than an interval after the last step that changed max_p (ns-2, ns-3).
    Arrivals,
}

/// Adaptive RED: gentle RED that adjusts max_p to keep the average queue in the middle between its
/// thresholds.
///
/// Source: Floyd, Gummadi and Shenker 2001. Thresholds and weight follow from the link rate unless given. A
/// scenario that repeats an ns-2 study sets adapt_on = "arrivals", gentle_frozen = true, bottom =
/// "from_link_rate" (since June 2004), spacing = "ns2_wait", idle = "ns2", both spare rules, and the ecn_rule
/// of its version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that may wait. At least one of the two limits has to be given.
    pub limit_packets: Option<u32>,
    /// Bytes (IP lengths) that may wait.
    pub limit_bytes: Option<u64>,
    /// What a limit of L means.
    pub limit_rule: LimitRule,
    /// Average queue, in packets of mean size, from which on packets are signalled. Unset: half of the target
    /// queue, at least 5.
    pub min_th_packets: Option<f64>,
    /// Average queue, in packets of mean size, at which the probability reaches max_p. Unset: three times the
    /// lower threshold.
    pub max_th_packets: Option<f64>,
    /// Target of the average queueing delay, in milliseconds, from which the thresholds are derived. Unset:
    /// 5, unless thresholds are given.
    pub target_delay_ms: Option<f64>,
    /// Weight of each arrival's sample in the average queue: a number, or { time_constant_s = ... }.
    pub w_q: Weight,
    /// Base probability at max_th, at the start.
    pub max_p: f64,
    /// Largest step up of max_p; a step is at most a quarter of max_p.
    pub alpha: f64,
    /// Factor of a step down of max_p.
    pub beta: f64,
    /// max_p from which on no step up is taken.
    pub top: f64,
    /// max_p from which on no step down is taken: a number, or "from_link_rate".
    pub bottom: Bottom,
    /// Time between two steps, in milliseconds.
    pub interval_ms: f64,
    /// When the steps are taken.
    pub adapt_on: AdaptOn,
    /// Whether the rise from max_th to twice max_th keeps starting from the first max_p instead of the
    /// present one.
    pub gentle_frozen: bool,
    /// How signals are spread over the arrivals.
    pub spacing: Spacing,
    /// How idle time ages the average.
    pub idle: IdleRule,
    /// In what the queue is measured.
    pub measure: Measure,
    /// How the probability depends on a packet's size.
    pub scale_probability: ScaleProbability,
    /// Length of a mean packet (IP length): the unit of the link rate, and the reference of sizes.
    pub mean_packet_bytes: u32,
    /// Length of the largest packet, for scale_probability = "max".
    pub max_packet_bytes: u32,
    /// Whether selected packets that are ECN-capable are marked, as ecn_rule says, instead of dropped.
    pub ecn: bool,
    /// What a selected ECN-capable packet gets.
    pub ecn_rule: EcnRule,
    /// Base probability below which packets are marked, for ecn_rule = "mark_p": 1 drops only where it is 1.
    pub mark_p: f64,
    /// Never select an arrival that finds at most one packet waiting (measured in bytes: at most one byte).
    pub spare_nearly_empty: bool,
    /// Never select the first arrival after the average has risen above min_th.
    pub spare_first_in_region: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            limit_packets: None,
            limit_bytes: None,
            limit_rule: LimitRule::HoldLimit,
            min_th_packets: None,
            max_th_packets: None,
            target_delay_ms: None,
            w_q: Weight::FromLinkRate(TimeConstant { time_constant_s: 1.0 }),
            max_p: 0.1,
            alpha: 0.01,
            beta: 0.9,
            top: 0.5,
            bottom: Bottom::Fixed(0.01),
            interval_ms: 500.0,
            adapt_on: AdaptOn::Timer,
            gentle_frozen: false,
            spacing: Spacing::Classic,
            idle: IdleRule::Paper,
            measure: Measure::Packets,
            scale_probability: ScaleProbability::None,
            mean_packet_bytes: 500,
            max_packet_bytes: 1500,
            ecn: false,
            ecn_rule: EcnRule::MarkBelowMaxTh,
            mark_p: 0.1,
            spare_nearly_empty: false,
            spare_first_in_region: false,
        }
    }
}

/// The paper's target of the average queueing delay.
const TARGET_DELAY_MS: f64 = 5.0;

impl Params {
    fn thresholds(&self) -> Thresholds {
        let automatic = self.min_th_packets.is_none() && self.max_th_packets.is_none();
        Thresholds {
            min_th_packets: self.min_th_packets,
            max_th_packets: self.max_th_packets,
            target_delay_ms: self.target_delay_ms.or(automatic.then_some(TARGET_DELAY_MS)),
        }
    }

    fn settings(&self) -> DetectorSettings {
        DetectorSettings {
            spacing: self.spacing,
            gauge: Gauge { measure: self.measure, mean_packet_bytes: self.mean_packet_bytes },
            scale: PacketScale {
                mode: self.scale_probability,
                mean_packet_bytes: self.mean_packet_bytes,
                max_packet_bytes: self.max_packet_bytes,
            },
            ecn_rule: self.ecn_rule,
            mark_p: self.mark_p,
            spare_nearly_empty: self.spare_nearly_empty,
            spare_first_in_region: self.spare_first_in_region,
        }
    }

    fn adaptation(&self, facts: &PortFacts) -> AdaptMaxP {
        let bottom = self.bottom.value(facts.link_rate);
        AdaptMaxP { alpha: self.alpha, beta: self.beta, top: self.top, bottom }
    }

    fn detector(&self, facts: &PortFacts) -> Detector {
        let settings = self.settings();
        let packets_per_second = facts.link_rate.packets_per_second(self.mean_packet_bytes);
        let (min_th, max_th) = self.thresholds().resolve(packets_per_second);
        let curve = RedCurve::new(min_th, max_th, self.max_p).gentle(self.gentle_frozen);
        Detector::new(settings, AverageQueue::new(self.w_q, settings.gauge, self.idle, facts), curve)
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.limit().validate()?;
        self.thresholds().validate()?;
        self.w_q.validate("w_q")?;
        require_share("max_p", self.max_p)?;
        AdaptMaxP { alpha: self.alpha, beta: self.beta, top: self.top, bottom: 0.0 }.validate(self.bottom)?;
        require_period_ms("interval_ms", self.interval_ms)?;
        self.settings().validate()
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: self.limit_bytes, rule: self.limit_rule }
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn build(&self, facts: &PortFacts) -> Box<dyn Aqm> {
        let interval_s = self.interval_ms / 1e3;
        let pace = match self.adapt_on {
            AdaptOn::Timer => Pace::Timer(Ticker::new(interval_s, facts)),
            AdaptOn::Arrivals => {
                Pace::Arrivals { interval: Span::from_seconds(interval_s), last: Time::ZERO }
            }
        };
        Box::new(Ared { detector: self.detector(facts), adaptation: self.adaptation(facts), pace })
    }
}

/// What sets the pace of adaptation, with its state.
#[derive(Clone, Copy, Debug)]
enum Pace {
    Timer(Ticker),
    Arrivals { interval: Span, last: Time },
}

/// Adaptive RED at a port.
#[derive(Clone, Debug)]
pub struct Ared {
    detector: Detector,
    adaptation: AdaptMaxP,
    pace: Pace,
}

impl Ared {
    /// Takes a step of `max_p` if one is called for; answers whether it did.
    fn adapt(&mut self, average: f64) -> bool {
        let step = self.adaptation.step(average, &self.detector.curve);
        if let Some(max_p) = step {
            self.detector.curve.set_max_p(max_p);
        }
        step.is_some()
    }
}

impl Aqm for Ared {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.detector.average.on_arrival(now, queue);
        if let Pace::Arrivals { interval, last } = self.pace {
            if now > last + interval && self.adapt(self.detector.average.value()) {
                self.pace = Pace::Arrivals { interval, last: now };
            }
        }
        self.detector.decide(packet, queue, coins)
    }

    fn on_overflow(&mut self, _now: Time, _packet: &PacketFacts) {
        self.detector.restart_count();
    }

    fn on_idle(&mut self, now: Time) {
        self.detector.average.on_idle(now);
    }

    fn next_timer(&self) -> Option<Time> {
        match self.pace {
            Pace::Timer(ticker) => Some(ticker.due()),
            Pace::Arrivals { .. } => None,
        }
    }

    fn on_timer(&mut self, due: Time, _queue: &QueueView<'_>) {
        self.adapt(self.detector.average.aged(due));
        if let Pace::Timer(ticker) = &mut self.pace {
            ticker.advance();
        }
    }

    fn signal_probability(&self) -> Probability {
        self.detector.signal_probability()
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.detector.observe(sink);
        sink("bottom", self.adaptation.bottom);
    }

    fn watches_departures(&self) -> bool {
        false
    }
}
