//! RED-PD: RED with preferential dropping, which finds the flows that lose most and drops from them in front
//! of RED.
//!
//! Source: Mahajan, Floyd, Wetherall, *Controlling High-Bandwidth Flows at the Congested Router*, ICNP 2001,
//! as its authors' code in ns-2.35 has it: `red-pd.cc` and the scripts of `tcl/ex/red-pd`; settings of Chung,
//! Claypool, Kinicki, *Stochastic Fair Aggregate Rate Control*, 2004. The RED behind is [`super::red`].
//!
//! ```text
//! on each arrival     of a monitored flow, with probability P spread as in RED's classic spacing: drop, if it responds
//!                     only while RED's average is above min_th and packets wait; otherwise on to RED
//! each interval B     a list of the flows that RED dropped from, with their bytes; regular: in X of the last M lists
//!                     share ← usable·(bytes of the flow)/(mean bytes of the regular ones);  usable ← least of the
//!                     interval's drop rate and of their average
//!                     a regular flow that lost packets now and has stood for 4 B: P grows by its share, or doubles
//!                     B ← (X/M)·R/sqrt(1.5·p), from 2R to 10R
//! 1 ms after that     a monitored flow in no list that has stood for 3 B: P falls, or it is released
//! ```
//!
//! | parameter | unit | values used | legal |
//! | --- | --- | --- | --- |
//! | `rtt_ms` | ms | 40 (ns-2), 100 (Chung et al.) | 1 to 1e9 |
//! | `lists`, `appearances`, `flows_per_list` | | 5, 3, 50 | 1 to 64; 1 to lists; 1 or more |
//! | `first_detection_s`, `least_hold_ms` | s, ms | 10.1, 400 | 1e-3 to 1e6; 0 to 1e9 |
//! | `least_drop_rate`, `average_weight` | | 0.001, 0.5 | 0 to 1; above 0, at most 1 |
//! | `unmonitor_below`, `largest_decrease`, `largest_increase` | | 0.005, 0.05, none | above 0, at most 1 |
//! | `unmonitor_after_s` | s | none (ns-2), 15 (the literal reading) | above 0 |
//! | `unresponsive_penalty` | | 1; 3 in ns-2's tests | 1e-12 to 1e12 |
//! | the others | | | as for RED |
//!
//! Departures and silences. The paper was not at hand: this is the authors' code, whose scripts set a time of
//! 15 s and a drop rate of 0.005 to release a flow and never use them, the rate being in the rule as a number
//! and the time being three intervals, five for a flow that does not respond; and their 0.05 bounds the
//! decrease of P, where Chung et al. call it the largest increase. The literal readings are settings:
//! `unmonitor_after_s`, `largest_increase`. An interval without drops lasts 10R and does not count among the
//! last ones. The drop rate and the lists leave out what the filter itself drops; whether a flow responds,
//! and whether it lost packets now, is told with it. Queue lengths are in packets. RED's average counts as
//! above min_th where its base probability is above zero. ns-2 counts drops only; where RED marks, a history
//! of drops is empty: `history`. The flow of a packet is the hash of its addresses and ports.

mod lists;
mod monitored;

use self::lists::{ListSettings, Lists};
use self::monitored::{Monitored, Steps};
use super::red::Red;
use crate::aqm::Reason;
use crate::discipline::Discipline;
use crate::guard::{Admission, Behind, Decision, Guard};
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require, require_positive, require_share};
use crate::parameters::Parameters;
use crate::parts::{FlowByteTable, RedCurve, Weight, red_parameters, red_params};
use crate::port_facts::PortFacts;
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What counts as a loss of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// The packets that RED, or its full queue, drops (ns-2).
    #[default]
    Drops,
    /// Those that RED marks too.
    DropsAndMarks,
}

red_params! {
    /// RED-PD: RED behind a filter that finds the flows that lose most and drops from them in front of it.
    ///
    /// Source: Mahajan, Floyd and Wetherall 2001, as their code in ns-2 has it, whose values are the
    /// defaults.
    struct Params {
        w_q = Weight::Fixed(0.002);
        /// Whether RED's probability rises from max_p to 1 between max_th and twice max_th, instead of
        /// jumping to 1.
        gentle: bool = true,
        /// Round-trip time that defines the TCP rate above which flows are monitored, in milliseconds.
        rtt_ms: f64 = 40.0,
        /// Lists that are kept, one of each interval.
        lists: u32 = 5,
        /// Number of lists with a flow that make it regular.
        appearances: u32 = 3,
        /// Most flows in a list.
        flows_per_list: u32 = 50,
        /// When the first interval ends, in seconds.
        first_detection_s: f64 = 10.1,
        /// Drop rate below which no flow is punished.
        least_drop_rate: f64 = 0.001,
        /// Weight of an interval in the average drop rate.
        average_weight: f64 = 0.5,
        /// Minimum time between changes of a flow's probability, in milliseconds.
        least_hold_ms: f64 = 400.0,
        /// What counts as a loss of a flow.
        history: History = History::Drops,
        /// Whether flows are tested for responsiveness.
        unresponsive_test: bool = true,
        /// Factor of the probability of an unresponsive flow.
        unresponsive_penalty: f64 = 1.0,
        /// Whether such a flow is spared as well while at most one packet waits.
        spare_idle_link: bool = false,
        /// Probability at which a flow is released instead of loosened; half of it for one that does not
        /// respond.
        unmonitor_below: f64 = 0.005,
        /// Time without a change after which a flow is loosened or released, in seconds. Unset: three
        /// intervals, five for one that does not respond.
        unmonitor_after_s: Option<f64> = None,
        /// Largest decrease of a probability in one step.
        largest_decrease: f64 = 0.05,
        /// Largest increase of a probability in one step. Unset: none.
        largest_increase: Option<f64> = None,
    }
}

/// Time from the search for flows to punish to that for flows to reward.
const REWARD_AFTER: Span = Span::from_milliseconds(1);
/// Intervals for which a probability stands before it grows; before it falls; and of a flow that does not
/// respond.
const HOLD_BEFORE_PUNISHMENT: usize = 4;
const HOLD_BEFORE_REWARD: usize = 3;
const HOLD_BEFORE_REWARD_UNRESPONSIVE: usize = 5;

impl Params {
    fn filter(&self, facts: &PortFacts) -> PreferentialDrops {
        let first = Span::from_seconds(self.first_detection_s);
        let phase = Span::from_seconds(facts.timer_phase * self.rtt_ms / 1e3);
        PreferentialDrops {
            lists: Lists::new(ListSettings {
                lists: self.lists as usize,
                appearances: self.appearances as usize,
                flows_per_list: self.flows_per_list as usize,
                rtt_s: self.rtt_ms / 1e3,
                least_hold_s: self.least_hold_ms / 1e3,
            }),
            steps: Steps {
                largest_increase: self.largest_increase.unwrap_or(f64::INFINITY),
                largest_decrease: self.largest_decrease,
                unmonitor_below: self.unmonitor_below,
                unmonitor_after_s: self.unmonitor_after_s,
                tests_response: self.unresponsive_test,
                unresponsive_penalty: self.unresponsive_penalty,
            },
            history: self.history,
            spare_idle_link: self.spare_idle_link,
            least_drop_rate: self.least_drop_rate,
            average_weight: self.average_weight,
            average_drop_rate: None,
            bytes: FlowByteTable::new(),
            monitored: BTreeMap::new(),
            begun: Time::ZERO,
            detection: Time::ZERO + first + phase,
            reward: None,
            last_flow: 0,
            regular_flows: 0,
        }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require((1.0..=1e9).contains(&self.rtt_ms), "rtt_ms", self.rtt_ms, "from 1 to 1e9 milliseconds")?;
        require((1..=64).contains(&self.lists), "lists", self.lists, "from 1 to 64")?;
        let (appearances, legal) = (self.appearances, format!("from 1 to lists ({})", self.lists));
        require((1..=self.lists).contains(&appearances), "appearances", appearances, legal)?;
        require(self.flows_per_list >= 1, "flows_per_list", self.flows_per_list, "at least 1")?;
        let first = self.first_detection_s;
        require((1e-3..=1e6).contains(&first), "first_detection_s", first, "from 0.001 to 1e6 seconds")?;
        let least = self.least_drop_rate;
        require((0.0..=1.0).contains(&least), "least_drop_rate", least, "from 0 to 1")?;
        require_share("average_weight", self.average_weight)?;
        let hold = self.least_hold_ms;
        require((0.0..=1e9).contains(&hold), "least_hold_ms", hold, "from 0 to 1e9 milliseconds")?;
        require_positive("unresponsive_penalty", self.unresponsive_penalty)?;
        require_share("unmonitor_below", self.unmonitor_below)?;
        require_positive("unmonitor_after_s", self.unmonitor_after_s.unwrap_or(1.0))?;
        require_share("largest_decrease", self.largest_decrease)?;
        require_share("largest_increase", self.largest_increase.unwrap_or(1.0))?;
        self.validate_shared(&self.given_thresholds())
    }

    red_parameters!(given_thresholds);

    fn is_one_queue(&self) -> bool {
        false
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let shape = |steep: RedCurve| if self.gentle { steep.gentle(false) } else { steep };
        let red = Red::new(self.detector(facts, &self.given_thresholds(), shape));
        Discipline::fifo(red).guarded_by(Box::new(self.filter(facts)))
    }
}

/// The filter at a port.
#[derive(Clone, Debug)]
struct PreferentialDrops {
    lists: Lists,
    steps: Steps,
    history: History,
    spare_idle_link: bool,
    least_drop_rate: f64,
    average_weight: f64,
    /// None before the first interval has ended.
    average_drop_rate: Option<f64>,
    bytes: FlowByteTable,
    /// Flows that were punished once; those released stay until nobody asks when.
    monitored: BTreeMap<u32, Monitored>,
    begun: Time,
    detection: Time,
    reward: Option<Time>,
    /// The last arrival's, of which the next decision tells: RED decides about arrivals alone.
    last_flow: u32,
    regular_flows: usize,
}

impl PreferentialDrops {
    /// The drop rate behind the filter in the interval that ends.
    fn drop_rate(&self) -> f64 {
        let (mut lost, mut arrived) = (0, 0);
        for flow in self.bytes.flows() {
            lost += flow.lost;
            arrived += flow.arrived - flow.filtered;
        }
        if arrived == 0 { 0.0 } else { lost as f64 / arrived as f64 }
    }

    fn detect(&mut self, now: Time) {
        let rate = self.drop_rate();
        let weight = self.average_weight;
        let average = self.average_drop_rate.map_or(rate, |before| weight * rate + (1.0 - weight) * before);
        self.average_drop_rate = Some(average);
        self.lists.note(&self.bytes);
        let regular = self.lists.regular();
        self.regular_flows = regular.len();
        if rate > self.least_drop_rate {
            self.punish(now, &regular, rate.min(average));
        }
        self.detection = now + self.lists.next_interval(average);
        self.begun = now;
        self.bytes.clear();
    }

    fn punish(&mut self, now: Time, regular: &[(u32, u64)], usable: f64) {
        let hold = Span::from_seconds(self.lists.hold_s(HOLD_BEFORE_PUNISHMENT));
        let elapsed_s = now.since(self.begun).seconds();
        let mean = regular.iter().map(|&(_, lost)| lost as f64).sum::<f64>() / regular.len() as f64;
        for &(flow, lost) in regular {
            let known = self.monitored.get(&flow);
            let now_lost = *self.bytes.of(flow);
            let dropped = now_lost.lost + now_lost.filtered;
            if now.since(known.map_or(Time::ZERO, |flow| flow.last_change)) < hold || dropped == 0 {
                continue;
            }
            let sent = (now_lost.arrived as f64 / elapsed_s, dropped as f64 / now_lost.arrived as f64);
            let share = usable * lost as f64 / mean;
            let flow = self.monitored.entry(flow).or_insert_with(Monitored::new);
            flow.punish(now, (share, usable), sent, &self.steps);
        }
    }

    fn reward(&mut self, now: Time) {
        let (lists, steps) = (&self.lists, &self.steps);
        let longest = Span::from_seconds(lists.hold_s(usize::MAX));
        for (&flow, known) in &mut self.monitored {
            let intervals =
                if known.unresponsive { HOLD_BEFORE_REWARD_UNRESPONSIVE } else { HOLD_BEFORE_REWARD };
            let hold_s = steps.unmonitor_after_s.unwrap_or_else(|| lists.hold_s(intervals));
            let stood = now.since(known.last_change) >= Span::from_seconds(hold_s);
            if stood && known.probability.is_some() && lists.know_nothing_of(flow) {
                known.reward(now, steps);
            }
        }
        // Of who was released only the time counts, until it is long ago. Intervals grow at most fivefold.
        let remembered = longest + longest + longest + longest + longest;
        self.monitored
            .retain(|_, flow| flow.probability.is_some() || now.since(flow.last_change) <= remembered);
    }
}

impl Guard for PreferentialDrops {
    fn admits(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission {
        self.last_flow = header.flow_hash;
        self.bytes.of(header.flow_hash).arrived += u64::from(packet.bytes);
        let Some(flow) = self.monitored.get_mut(&header.flow_hash) else { return Admission::Pass };
        let chance = flow.arrival_probability(self.steps.unresponsive_penalty);
        if chance == 0.0 {
            return Admission::Pass;
        }
        let waits = behind.packets > 1;
        let applies = if flow.unresponsive {
            waits || !self.spare_idle_link
        } else {
            waits && behind.signal_probability().value() > 0.0
        };
        let survives = coins.uniform() >= chance || !applies;
        flow.survives(survives);
        if survives {
            return Admission::Pass;
        }
        self.bytes.of(header.flow_hash).filtered += u64::from(packet.bytes);
        Admission::Refuse(Reason::Filter)
    }

    fn on_decision(&mut self, _now: Time, packet: &PacketFacts, decision: Decision) {
        let lost = match decision {
            Decision::Discarded(_) => true,
            Decision::Marked => self.history == History::DropsAndMarks,
            Decision::Queued | Decision::Sent => false,
        };
        if lost {
            let flow = self.bytes.of(self.last_flow);
            flow.lost += u64::from(packet.bytes);
            flow.packets_lost += 1;
        }
    }

    fn hears_of_all(&self) -> bool {
        false
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.reward.map_or(self.detection, |reward| reward.min(self.detection)))
    }

    fn on_timer(&mut self, due: Time, _behind: &Behind<'_>) {
        if self.reward == Some(due) {
            self.reward = None;
            self.reward(due);
        } else {
            self.detect(due);
            self.reward = Some(due + REWARD_AFTER);
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let monitored = self.monitored.values().filter(|flow| flow.probability.is_some());
        sink("monitored_flows", monitored.clone().count() as f64);
        sink("unresponsive_flows", monitored.filter(|flow| flow.unresponsive).count() as f64);
        sink("regular_flows", self.regular_flows as f64);
        sink("average_drop_rate", self.average_drop_rate.unwrap_or(0.0));
        sink("next_detection_ms", self.detection.seconds() * 1e3);
        let last = self.monitored.get(&self.last_flow).and_then(|flow| flow.probability);
        sink("filter_probability_of_last_arrival", last.unwrap_or(0.0));
    }
}
