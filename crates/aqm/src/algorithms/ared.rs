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
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require_period_ms};
use crate::parameters::Parameters;
use crate::parts::{
    AdaptMaxP, Bottom, Detector, RedCurve, Thresholds, Ticker, TimeConstant, Weight, red_parameters,
    red_params,
};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When steps of `max_p` are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdaptOn {
    /// Every interval, arrivals or not (the paper, Linux).
    #[default]
    Timer,
    /// On the first arrival more than an interval after the last step that changed max_p (ns-2, ns-3).
    Arrivals,
}

red_params! {
    /// Adaptive RED: gentle RED that adjusts max_p, from its first value on, to keep the average queue in the
    /// middle between its thresholds.
    ///
    /// Source: Floyd, Gummadi and Shenker 2001. Thresholds and weight follow from the link rate unless given.
    /// A scenario that repeats an ns-2 study sets adapt_on = "arrivals", gentle_frozen = true, bottom =
    /// "from_link_rate" (since June 2004), spacing = "ns2_wait", idle = "ns2", both spare rules, and the
    /// ecn_rule of its version.
    struct Params {
        w_q = Weight::FromLinkRate(TimeConstant { time_constant_s: 1.0 });
        /// Largest step up of max_p; a step is at most a quarter of max_p.
        alpha: f64 = 0.01,
        /// Factor of a step down of max_p.
        beta: f64 = 0.9,
        /// Highest max_p: above it no step up is taken.
        top: f64 = 0.5,
        /// Lowest max_p: below it no step down is taken; a number, or "from_link_rate".
        bottom: Bottom = Bottom::Fixed(0.01),
        /// Time between two steps, in milliseconds.
        interval_ms: f64 = 500.0,
        /// When the steps are taken.
        adapt_on: AdaptOn = AdaptOn::Timer,
        /// Whether the rise from max_th to twice max_th keeps starting from the first max_p instead of the
        /// present one.
        gentle_frozen: bool = false,
    }
}

/// The paper's target of the average queueing delay.
const TARGET_DELAY_MS: f64 = 5.0;

impl Params {
    fn thresholds(&self) -> Thresholds {
        let automatic = self.min_th_packets.is_none() && self.max_th_packets.is_none();
        let target_delay_ms = self.target_delay_ms.or(automatic.then_some(TARGET_DELAY_MS));
        Thresholds { target_delay_ms, ..self.given_thresholds() }
    }

    fn adaptation(&self, bottom: f64) -> AdaptMaxP {
        AdaptMaxP { alpha: self.alpha, beta: self.beta, top: self.top, bottom }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        self.validate_shared(&self.thresholds())?;
        self.adaptation(0.0).validate(self.bottom)?;
        require_period_ms("interval_ms", self.interval_ms)
    }

    red_parameters!(thresholds);

    fn build(&self, facts: &PortFacts) -> Discipline {
        let interval_s = self.interval_ms / 1e3;
        let pace = match self.adapt_on {
            AdaptOn::Timer => Pace::Timer(Ticker::new(interval_s, facts)),
            AdaptOn::Arrivals => {
                Pace::Arrivals { interval: Span::from_seconds(interval_s), last: Time::ZERO }
            }
        };
        let shape = |curve: RedCurve| curve.gentle(self.gentle_frozen);
        let detector = self.detector(facts, &self.thresholds(), shape);
        let adaptation = self.adaptation(self.bottom.value(facts.link_rate));
        Discipline::fifo(Ared { detector, adaptation, pace })
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
        if let Pace::Arrivals { interval, last } = self.pace
            && now > last + interval
            && self.adapt(self.detector.average.value())
        {
            self.pace = Pace::Arrivals { interval, last: now };
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

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Rate;
    use std::collections::BTreeMap;

    /// Section 5 of the paper at 100 Mbit/s, which are 25,000 packets of 500 bytes a second.
    #[test]
    fn what_is_in_force_follows_from_the_link_unless_it_is_given() {
        let facts = PortFacts::new(Rate::from_megabits_per_second(100.0));
        let in_force = |params: Params| BTreeMap::from_iter(params.in_force(&facts));
        let automatic = in_force(Params::default());
        let keys = ["target_delay_ms", "min_th_packets", "max_th_packets"];
        assert_eq!(keys.map(|key| automatic[key]), [5.0, 62.5, 187.5]);
        // 1 - exp(-1/25,000), by its series.
        assert!((automatic["w_q"] - (4e-5 - 8e-10 + 1.066_667e-14)).abs() < 1e-18);
        let given = in_force(Params { min_th_packets: Some(20.0), ..Params::default() });
        assert_eq!(keys.map(|key| given.get(key).copied()), [None, Some(20.0), Some(60.0)]);
    }
}
