//! PIE: the proportional-integral controller of queueing delay, enhanced.
//!
//! Source: Pan, Natarajan, Baker, White, *Proportional Integral Controller Enhanced (PIE)*, RFC 8033 (2017),
//! sections 4 and 5 and appendix A.
//!
//! ```text
//! each update_interval  step ← α·(delay − target) + β·(delay − delay_old), scaled down while p is small
//!                       p ← clamp(p + step, 0, 1), times 0.98 if delay and delay_old are both 0
//!                       delay_old ← delay;  burst ← max(0, burst − update_interval)
//! on each arrival       p = 0, delay and delay_old < target/2     burst ← max_burst
//!                       burst > 0, or delay_old < target/2 and p < 0.2, or no more than 2 mean packets wait: pass
//!                       otherwise                                 selected with probability p
//! ```
//!
//! | parameter | unit | RFC 8033 | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | the tail-drop threshold | at least one of them |
//! | `target_ms`, `update_interval_ms` | ms | 15, 15 | 0.001 to 1e9 |
//! | `alpha_hz`, `beta_hz` | per second | 0.125, 1.25 | above 0, at most 1e9 |
//! | `max_burst_ms` | ms | 150 | 0 to 1e9 |
//! | `mark_ecn_threshold` | | 0.1 (5.1) | above 0, at most 1 |
//! | `fixed_probability` | | | 0 to 1 |
//! | `activation_share` | share of the limit | 1/3 (5.3) | above 0, at most 1 |
//! | `largest_probability` | | 1 | 1 to 256 |
//! | `mean_packet_bytes`, `max_packet_bytes` | bytes | | 1 or more |
//!
//! Departures and silences. Defaults are section 4 with auto-tuning; each element of section 5 is a setting.
//! The decay asks for two delays of zero (section 4.2 and appendix A; appendix B asks for two below half the
//! target). The burst allowance is looked at before the coin and before `derandomize` counts (appendix A; B
//! counts first). On arrival the delay is that of the queue at this instant. `departure_rate` measures by
//! section 5.2 whose listing would end every measurement at once if its last line were read as written; the
//! queue tested is what stays behind. An arrival that finds no room is an overflow and meets no coin. RFC
//! 8034 (DOCSIS) differs in its settings: `latency = "link_rate"`, `scale_probability = "mean"` with 1024
//! bytes, `derandomize`, `cap_adjustment`, `target_ms = 10`, `update_interval_ms = 16`, `alpha_hz = 0.25`,
//! `beta_hz = 2.5`, `max_burst_ms = 142`; its gains above a probability of 1, its decay below 5 ms, its step
//! above 200 ms and its quiescent state are not modelled. Linux (read in 6.1) adds 0.02 to a step while the
//! delay is above 250 ms (`high_delay_step`) and looks for a probability above 1 only where its 64 bits would
//! overflow, which is at 256 (`largest_probability`): after a long queue it is above 1 for as long as its
//! steps need to bring it down, seconds in which all but two packets are selected. `fixed_probability` is
//! nobody's: with it an agent takes the place of the controller, and nothing else changes.

use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::packet::PacketFacts;
use crate::parameter_error::{
    ParameterError, require, require_delay_controller, require_packet_bytes, require_share,
};
use crate::parameters::Parameters;
use crate::parts::{Limit, PacketScale, ScaleProbability, Ticker, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Bytes whose departure is timed as one measurement (RFC 8033, section 5.2).
const DEPARTURES_MEASURED_BYTES: u64 = 1 << 14;
/// Weight of a new measurement: those bytes over 2^16.
const MEASUREMENT_WEIGHT: f64 = 0.25;
/// Below this sum of probabilities no packet is selected, beyond the other one is for certain (section 5.4).
const LEAST_ACCUMULATED: f64 = 0.85;
const MOST_ACCUMULATED: f64 = 8.5;
/// Where `cap_adjustment` acts, and what it lets pass (section 5.5).
const CAPPED_FROM: f64 = 0.1;
const LARGEST_STEP: f64 = 0.02;
/// From which delay on Linux adds to each step, and how much.
const HIGH_DELAY_S: f64 = 0.25;
const HIGH_DELAY_STEP: f64 = 0.02;

/// How the queueing delay is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// How long the packet at the head has waited (RFC 8033, section 4.3; Linux, with time stamps).
    #[default]
    Sojourn,
    /// The queue in bytes over the measured rate of departures (RFC 8033, section 5.2).
    DepartureRate,
    /// The queue in bytes over the rate of the link (RFC 8034).
    LinkRate,
}

buffered_params! {
    /// PIE: signals on arrival with a probability driven by the queueing delay's deviation from a target.
    ///
    /// Source: RFC 8033 (2017). The defaults are those of its section 4.
    struct Params {
        /// Target queueing delay.
        target_ms: f64 = 15.0,
        /// Time between two updates of the probability.
        update_interval_ms: f64 = 15.0,
        /// Gain of the deviation from the target, per second of delay.
        alpha_hz: f64 = 0.125,
        /// Gain of the change of the delay, per second of delay.
        beta_hz: f64 = 1.25,
        /// Whether steps are smaller while the probability is small (RFC 8033, section 4.2).
        auto_tuning: bool = true,
        /// Time after an idle period in which nothing is selected.
        max_burst_ms: f64 = 150.0,
        /// How the queueing delay is measured.
        latency: Latency = Latency::Sojourn,
        /// Whether selections are spread out: none below a sum of probabilities of 0.85, for certain above
        /// 8.5 (section 5.4).
        derandomize: bool = false,
        /// Whether steps are at most 0.02 once the probability is 0.1 (section 5.5).
        cap_adjustment: bool = false,
        /// Whether 0.02 is added to each step while the delay is above 250 ms (Linux), beyond
        /// cap_adjustment.
        high_delay_step: bool = false,
        /// What the probability is at most, from 1 to 256; above 1 everything is selected until it has come
        /// down (Linux: 256).
        largest_probability: f64 = 1.0,
        /// Share of the limit at which PIE begins to act; it stops when probability and delay are zero
        /// (section 5.3). Unset: it always acts.
        activation_share: Option<f64> = None,
        /// How the probability depends on a packet's size.
        scale_probability: ScaleProbability = ScaleProbability::None,
        /// Length of a mean packet (IP length): nothing is selected while no more than two of them wait; the
        /// reference of sizes for scale_probability = "mean".
        mean_packet_bytes: u32 = 1000,
        /// Length of the largest packet, for scale_probability = "max".
        max_packet_bytes: u32 = 1500,
        /// Whether selected ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
        /// Probability above which ECN-capable packets are dropped (section 5.1).
        mark_ecn_threshold: f64 = 0.1,
        /// The probability, for an agent that sets it during a run. The controller then computes none; what
        /// PIE spares, it still spares. Unset: the controller's.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("default" = null))]
        fixed_probability: Option<f64> = None,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_delay_controller(self.target_ms, self.update_interval_ms, (self.alpha_hz, self.beta_hz))?;
        let burst_ms = self.max_burst_ms;
        require((0.0..=1e9).contains(&burst_ms), "max_burst_ms", burst_ms, "from 0 to 1e9 milliseconds")?;
        require_share("activation_share", self.activation_share.unwrap_or(1.0))?;
        require_share("mark_ecn_threshold", self.mark_ecn_threshold)?;
        let largest = self.largest_probability;
        require((1.0..=256.0).contains(&largest), "largest_probability", largest, "from 1 to 256")?;
        let fixed = self.fixed_probability.unwrap_or_default();
        require((0.0..=1.0).contains(&fixed), "fixed_probability", fixed, "from 0 to 1")?;
        require_packet_bytes("mean_packet_bytes", self.mean_packet_bytes)?;
        require_packet_bytes("max_packet_bytes", self.max_packet_bytes)
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(Onset::of_delay("target_ms", self.target_ms, facts.link_rate))
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &[
            "limit_packets",
            "limit_bytes",
            "target_ms",
            "alpha_hz",
            "beta_hz",
            "auto_tuning",
            "max_burst_ms",
            "cap_adjustment",
            "high_delay_step",
            "largest_probability",
            "ecn",
            "mark_ecn_threshold",
            "fixed_probability",
        ]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(Pie {
            controller: Controller::new(self),
            delay: DelayEstimate {
                latency: self.latency,
                link_bytes_per_s: facts.link_rate.bits_per_second() as f64 / 8.0,
                measurement: Measurement::default(),
            },
            selection: Selection { derandomize: self.derandomize, accumulated: 0.0 },
            activation: self.activation_share.map(|share| Activation {
                packets: share * self.limit_packets.map_or(f64::INFINITY, f64::from),
                bytes: share * self.limit_bytes.map_or(f64::INFINITY, |bytes| bytes as f64),
                active: false,
            }),
            scale: PacketScale {
                mode: self.scale_probability,
                mean_packet_bytes: self.mean_packet_bytes,
                max_packet_bytes: self.max_packet_bytes,
            },
            least_backlog_bytes: 2 * u64::from(self.mean_packet_bytes),
            mark_below: self.mark_ecn_threshold,
            ticker: Ticker::new(self.update_interval_ms / 1e3, facts),
        })
    }
}

/// The probability, and what it follows from. Times are in seconds.
#[derive(Clone, Copy, Debug)]
struct Controller {
    target_s: f64,
    interval_s: f64,
    alpha_hz: f64,
    beta_hz: f64,
    auto_tuning: bool,
    cap_adjustment: bool,
    high_delay_step: bool,
    largest_probability: f64,
    max_burst_s: f64,
    /// The probability where somebody else sets it.
    fixed: Option<f64>,
    probability: f64,
    delay_old_s: f64,
    burst_s: f64,
}

impl Controller {
    fn new(params: &Params) -> Self {
        Self {
            target_s: params.target_ms / 1e3,
            interval_s: params.update_interval_ms / 1e3,
            alpha_hz: params.alpha_hz,
            beta_hz: params.beta_hz,
            auto_tuning: params.auto_tuning,
            cap_adjustment: params.cap_adjustment,
            high_delay_step: params.high_delay_step,
            largest_probability: params.largest_probability,
            max_burst_s: params.max_burst_ms / 1e3,
            fixed: params.fixed_probability,
            probability: params.fixed_probability.unwrap_or(0.0),
            delay_old_s: 0.0,
            burst_s: 0.0,
        }
    }

    /// One update, at which the queue's delay is `delay_s`.
    fn update(&mut self, delay_s: f64) {
        let mut step =
            self.alpha_hz * (delay_s - self.target_s) + self.beta_hz * (delay_s - self.delay_old_s);
        if self.auto_tuning {
            step /= tuning(self.probability);
        }
        if self.cap_adjustment && self.probability >= CAPPED_FROM {
            step = step.min(LARGEST_STEP);
        }
        if self.high_delay_step && delay_s > HIGH_DELAY_S {
            step += HIGH_DELAY_STEP;
        }
        self.probability += step;
        if delay_s == 0.0 && self.delay_old_s == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.fixed.unwrap_or(self.probability.clamp(0.0, self.largest_probability));
        self.delay_old_s = delay_s;
        self.burst_s = (self.burst_s - self.interval_s).max(0.0);
    }

    /// Whether an arrival passes without a coin, at a queue with this delay.
    fn spares(&mut self, delay_s: f64) -> bool {
        let half = self.target_s / 2.0;
        let short = self.delay_old_s < half;
        if self.probability == 0.0 && delay_s < half && short {
            self.burst_s = self.max_burst_s;
        }
        self.burst_s > 0.0 || (short && self.probability < 0.2)
    }
}

/// By how much steps are divided at a probability (RFC 8033, section 4.2).
fn tuning(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |&(_, divisor)| divisor)
}

/// The delay of the queue.
#[derive(Clone, Copy, Debug)]
struct DelayEstimate {
    latency: Latency,
    link_bytes_per_s: f64,
    measurement: Measurement,
}

impl DelayEstimate {
    fn of(&self, now: Time, queue: &QueueView<'_>) -> f64 {
        match self.latency {
            Latency::Sojourn => queue.arrived(0).map_or(0.0, |arrived| now.since(arrived).seconds()),
            Latency::LinkRate => queue.bytes() as f64 / self.link_bytes_per_s,
            Latency::DepartureRate => {
                queue.bytes() as f64 * self.measurement.mean_s / DEPARTURES_MEASURED_BYTES as f64
            }
        }
    }
}

/// The time that a certain number of bytes needs to depart.
#[derive(Clone, Copy, Debug, Default)]
struct Measurement {
    /// When the present measurement began, and what has departed since.
    under_way: Option<(Time, u64)>,
    /// Weighted mean of the measurements; 0 before the first.
    mean_s: f64,
}

impl Measurement {
    fn on_departure(&mut self, now: Time, bytes: u32, waiting_bytes: u64) {
        let (begun, departed) = match self.under_way {
            Some(under_way) => under_way,
            None if waiting_bytes >= DEPARTURES_MEASURED_BYTES => (now, 0),
            None => return,
        };
        let departed = departed + u64::from(bytes);
        self.under_way = Some((begun, departed));
        if departed >= DEPARTURES_MEASURED_BYTES {
            let took_s = now.since(begun).seconds();
            let weight = if self.mean_s == 0.0 { 1.0 } else { MEASUREMENT_WEIGHT };
            self.mean_s = weight * took_s + (1.0 - weight) * self.mean_s;
            self.under_way = None;
        }
    }
}

/// The coin, or its spread-out form.
#[derive(Clone, Copy, Debug)]
struct Selection {
    derandomize: bool,
    accumulated: f64,
}

impl Selection {
    fn selects(&mut self, probability: f64, chance: f64, coins: &mut Stream) -> bool {
        if !self.derandomize {
            return coins.uniform() < chance;
        }
        self.accumulated = if probability == 0.0 { 0.0 } else { self.accumulated + chance };
        if self.accumulated < LEAST_ACCUMULATED {
            return false;
        }
        let selected = self.accumulated >= MOST_ACCUMULATED || coins.uniform() < chance;
        if selected {
            self.accumulated = 0.0;
        }
        selected
    }
}

/// Whether PIE acts at all.
#[derive(Clone, Copy, Debug)]
struct Activation {
    /// It begins to when more than this waits.
    packets: f64,
    bytes: f64,
    active: bool,
}

/// PIE at a port.
#[derive(Clone, Debug)]
pub struct Pie {
    controller: Controller,
    delay: DelayEstimate,
    selection: Selection,
    activation: Option<Activation>,
    scale: PacketScale,
    least_backlog_bytes: u64,
    mark_below: f64,
    ticker: Ticker,
}

impl Pie {
    fn is_active(&mut self, queue: &QueueView<'_>) -> bool {
        let Some(activation) = &mut self.activation else { return true };
        let beyond =
            f64::from(queue.packets()) > activation.packets || queue.bytes() as f64 > activation.bytes;
        if !activation.active && beyond {
            activation.active = true;
            self.controller.probability = self.controller.fixed.unwrap_or(0.0);
            self.controller.delay_old_s = 0.0;
            self.controller.burst_s = self.controller.max_burst_s;
            self.delay.measurement.under_way = None;
        }
        activation.active
    }
}

impl Aqm for Pie {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        if !queue.has_room_for(packet.bytes)
            || !self.is_active(queue)
            || self.controller.spares(self.delay.of(now, queue))
            || queue.bytes() <= self.least_backlog_bytes
        {
            return Verdict::Pass;
        }
        let probability = self.controller.probability;
        let chance = self.scale.apply(probability, packet.bytes);
        if !self.selection.selects(probability, chance, coins) {
            return Verdict::Pass;
        }
        if probability < self.mark_below {
            Verdict::Signal(Reason::Early)
        } else {
            Verdict::Drop(Reason::Early)
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        self.delay.measurement.on_departure(now, packet.facts.bytes, queue.bytes());
        Verdict::Pass
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        self.ticker.advance();
        if self.activation.is_some_and(|activation| !activation.active) {
            return;
        }
        let before_s = self.controller.delay_old_s;
        let delay_s = self.delay.of(due, queue);
        self.controller.update(delay_s);
        let quiet = self.controller.probability == 0.0 && delay_s == 0.0 && before_s == 0.0;
        if let Some(activation) = self.activation.as_mut().filter(|_| quiet) {
            activation.active = false;
        }
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.controller.probability)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability", self.controller.probability);
        sink("delay_old_ms", self.controller.delay_old_s * 1e3);
        sink("burst_ms", self.controller.burst_s * 1e3);
        sink("accumulated_probability", self.selection.accumulated);
    }

    fn watches_departures(&self) -> bool {
        self.delay.latency == Latency::DepartureRate
    }

    /// It measures departures, and decides on arrival.
    fn decides_about_waiting(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        self.delay.latency == Latency::Sojourn
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = {
            let Controller { probability, delay_old_s, burst_s, .. } = before.controller;
            let probability = self.controller.fixed.unwrap_or(probability);
            let activation = self.activation.zip(before.activation);
            Self {
                controller: Controller { probability, delay_old_s, burst_s, ..self.controller },
                activation: activation.map(|(own, Activation { active, .. })| Activation { active, ..own }),
                mark_below: self.mark_below,
                ..before.clone()
            }
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(probability: f64, delay_ms: f64, delay_old_ms: f64, cap_adjustment: bool) -> f64 {
        let params = Params { cap_adjustment, ..Params::default() };
        let mut controller = Controller::new(&params);
        (controller.probability, controller.delay_old_s) = (probability, delay_old_ms / 1e3);
        controller.update(delay_ms / 1e3);
        controller.probability
    }

    #[test]
    fn single_updates_worked_by_hand() {
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-5 * expected, "{found}");
        // (0.125·15 + 1.25·0) ms over 2048; and with the delay's own step of 30 ms.
        close(after(0.0, 30.0, 30.0, false), 9.1553e-7);
        close(after(0.0, 30.0, 0.0, false), 1.92261e-5);
        close(after(0.005, 20.0, 20.0, false), 0.005_078_125);
        close(after(0.05, 25.0, 20.0, false), 0.053_75);
        close(after(0.2, 100.0, 20.0, true), 0.22);
        close(after(0.1, 0.0, 0.0, false), 0.096_162_5);
    }

    #[test]
    fn a_long_queue_drives_the_probability_of_linux_above_1() {
        let params = Params {
            cap_adjustment: true,
            high_delay_step: true,
            largest_probability: 256.0,
            ..Params::default()
        };
        let mut controller = Controller::new(&params);
        (controller.probability, controller.delay_old_s) = (0.9, 0.5);
        // 0.125·(500 − 15) ms are more than the cap of 0.02, and 0.02 is added: 0.04 an update.
        for _ in 0..25 {
            controller.update(0.5);
        }
        assert!((controller.probability - 1.9).abs() < 1e-9, "{}", controller.probability);
        // Down by 0.125·(15 − 5) ms an update, after one whose delay falls by 495 ms.
        controller.update(0.005);
        let fallen = 1.9 - 0.125 * 0.010 - 1.25 * 0.495;
        assert!((controller.probability - fallen).abs() < 1e-9, "{}", controller.probability);
        let updates = (1..).find(|_| {
            controller.update(0.005);
            controller.probability < 0.9995
        });
        assert_eq!(updates, Some(225), "(1.28 - 0.9995) / 0.00125 is 224.4");
    }

    #[test]
    fn a_constant_delay_of_twice_the_target_reaches_one_per_cent_in_66_updates() {
        let mut controller = Controller::new(&Params::default());
        controller.delay_old_s = 0.030;
        let updates = (1..).find(|_| {
            controller.update(0.030);
            controller.probability >= 0.01
        });
        assert_eq!(updates, Some(66));
    }

    /// Whether an arrival is spared and the burst allowance after it, in milliseconds, at the default target
    /// of 15 ms.
    fn spared(probability: f64, delay_ms: f64, delay_old_ms: f64) -> (bool, f64) {
        let mut controller = Controller::new(&Params::default());
        (controller.probability, controller.delay_old_s) = (probability, delay_old_ms / 1e3);
        (controller.spares(delay_ms / 1e3), controller.burst_s * 1e3)
    }

    #[test]
    fn a_burst_is_allowed_only_where_probability_and_both_delays_are_small() {
        assert_eq!(spared(0.0, 7.4, 7.4), (true, 150.0));
        assert_eq!(spared(0.0, 7.5, 7.4), (true, 0.0), "half the target is not below it");
        assert_eq!(spared(0.0, 7.4, 7.5), (false, 0.0));
        assert_eq!(spared(0.001, 7.4, 7.4), (true, 0.0));
        assert_eq!(spared(0.0, 20.0, 20.0), (false, 0.0));
    }

    #[test]
    fn below_half_the_target_only_a_high_probability_selects() {
        assert_eq!(spared(0.19, 30.0, 7.4), (true, 0.0));
        assert_eq!(spared(0.2, 30.0, 7.4), (false, 0.0));
        assert_eq!(spared(0.3, 30.0, 7.4), (false, 0.0));
        assert_eq!(spared(0.1, 30.0, 10.0), (false, 0.0), "above half the target");
    }

    #[test]
    fn a_fixed_probability_takes_the_place_of_the_controllers_and_nothing_else() {
        let params = Params { fixed_probability: Some(0.3), ..Params::default() };
        let mut controller = Controller::new(&params);
        controller.update(0.030);
        assert_eq!((controller.probability, controller.delay_old_s), (0.3, 0.030));
        let facts = PortFacts::new(aqmlab_units::Rate::from_megabits_per_second(10.0));
        let pie = |fixed_probability| {
            let Discipline::Fifo(pie) = (Params { fixed_probability, ..Params::default() }).build(&facts)
            else {
                unreachable!("PIE has one queue")
            };
            pie
        };
        let continued = |from: Option<f64>, to| {
            let mut next = pie(to);
            assert!(next.continue_from(pie(from).as_any()));
            next.signal_probability().value()
        };
        assert_eq!(continued(None, Some(0.3)), 0.3);
        assert_eq!(continued(Some(0.3), Some(0.0)), 0.0);
        assert_eq!(continued(Some(0.3), None), 0.3, "the controller goes on from there");
    }

    #[test]
    fn a_sum_of_085_may_select_and_one_below_may_not() {
        let mut coins = aqmlab_random::Key::from_seed(1).stream();
        let mut selected = |chance: f64| {
            let fresh = || Selection { derandomize: true, accumulated: 0.0 };
            (0..100).filter(|_| fresh().selects(chance, chance, &mut coins)).count()
        };
        assert_eq!(selected(0.849), 0);
        assert!(selected(0.85) > 70, "of 100, each with 0.85");
    }

    #[test]
    fn the_rate_of_departures_is_a_weighted_mean() {
        let mut measurement = Measurement::default();
        let mut depart = |ms: u64| {
            let now = Time::from_nanoseconds(ms * 1_000_000);
            measurement.on_departure(now, 8192, 20_000);
            measurement.mean_s
        };
        // Two packets of 8 KiB are one measurement of 16 KiB: 10 ms, then 30 ms.
        assert_eq!((depart(0), depart(10)), (0.0, 0.010));
        assert_eq!(depart(20), 0.010);
        assert!((depart(50) - (0.25 * 0.030 + 0.75 * 0.010)).abs() < 1e-15);
        measurement.under_way = None;
        measurement.on_departure(Time::from_seconds(1.0), 8192, 16_383);
        assert_eq!(measurement.under_way, None, "too little waits to begin one");
    }
}
