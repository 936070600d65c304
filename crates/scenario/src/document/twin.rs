//! The uncongested twin: the same users on links that are fast enough.

use super::{ConditionsEnd, Document, LinkTable, TraceFiles};
use crate::error::{Legal, Mistake, Place, ScenarioError};
use crate::limits::HIGHEST_MBPS;
use crate::{EcnField, Scheme};

impl Document {
    /// The same traffic on an uncongested network, where offered load is measured: a dumbbell's bottleneck, a
    /// line, the hops of a parking lot and the access links of a star take their uncongested rate and queue,
    /// the links of a topology that have uncongested settings take those, and no link loses anything on
    /// purpose. Everything else stays.
    ///
    /// The twin is called `uncongested` and has no description, so scenarios that differ in nothing but
    /// their queue share one twin, and one stored result.
    ///
    /// # Errors
    /// A topology in which no link has uncongested settings has no twin.
    pub fn uncongested_twin(&self) -> Result<Self, ScenarioError> {
        let mut twin = self.clone();
        twin.name = "uncongested".to_owned();
        twin.description = String::new();
        if let Some(dumbbell) = &mut twin.dumbbell {
            dumbbell.become_uncongested();
            let traces = [dumbbell.rate_trace_file.take(), dumbbell.rate_right_to_left_trace_file.take()];
            (dumbbell.medium, dumbbell.medium_right_to_left) = (None, None);
            let dropped = [names_of(&traces), dumbbell.conditions_file.take().into_iter().collect()].concat();
            dumbbell.conditions_end = ConditionsEnd::Repeat;
            (dumbbell.netem, dumbbell.netem_right_to_left) = (None, None);
            dumbbell.ecn_field = EcnField::Kept;
            dumbbell.ecn_field_right_to_left = EcnField::Kept;
            twin.files.retain(|name, _| !dropped.contains(name));
            (dumbbell.drop, dumbbell.loss_probability) = (Vec::new(), 0.0);
            (dumbbell.drop_right_to_left, dumbbell.loss_probability_right_to_left) = (Vec::new(), 0.0);
            return Ok(twin);
        }
        if let Some(parking_lot) = &mut twin.parking_lot {
            parking_lot.become_uncongested();
            return Ok(twin);
        }
        if let Some(line) = &mut twin.line {
            let traces = [line.rate_down_trace_file.clone(), line.rate_up_trace_file.clone()];
            let dropped = [names_of(&traces), line.conditions_file.clone().into_iter().collect()].concat();
            line.become_uncongested();
            twin.files.retain(|name, _| !dropped.contains(name));
            return Ok(twin);
        }
        if let Some(star) = &mut twin.star {
            star.become_uncongested();
            return Ok(twin);
        }
        let (mut settings, mut dropped) = (0, Vec::new());
        for link in twin.topology.iter_mut().flat_map(|topology| &mut topology.links) {
            (link.drop, link.loss_probability, link.netem) = (Vec::new(), 0.0, None);
            link.ecn_field = EcnField::Kept;
            if let Some(rate_mbps) = link.uncongested_rate_mbps {
                link.rate_mbps = Some(rate_mbps);
                dropped.extend(names_of(&[link.rate_trace_file.take()]));
                dropped.extend(link.conditions_file.take());
                (link.conditions_way, link.conditions_end) = (None, ConditionsEnd::Repeat);
                link.medium = None;
                link.stop_shaping();
                settings += 1;
            }
            if let Some(queue) = &link.uncongested_queue {
                link.queue = Some(queue.clone());
                settings += 1;
            }
        }
        if settings == 0 {
            return Err(no_uncongested_settings(&self.name));
        }
        // A trace may be that of several links.
        let topology = twin.topology.as_ref();
        let kept = |name: &String| {
            let names = |link: &LinkTable| {
                link.conditions_file.as_ref() == Some(name)
                    || link.rate_trace_file.as_ref().is_some_and(|own| own.names().contains(name))
            };
            topology.is_some_and(|own| own.links.iter().any(names))
        };
        twin.files.retain(|name, _| kept(name) || !dropped.contains(name));
        Ok(twin)
    }

    /// The uncongested twin without the flows that never end and write as fast as they can, save those of the
    /// groups that are `kept`: such flows take whatever they are let through, and would congest any network.
    /// What the others offer is measured on it.
    ///
    /// # Errors
    /// As of [`Document::uncongested_twin`].
    pub fn offering_twin(&self, kept: &[String]) -> Result<Self, ScenarioError> {
        let mut twin = self.uncongested_twin()?;
        let is_kept = |name: &Option<String>| name.as_ref().is_some_and(|name| kept.contains(name));
        twin.flows.retain(|group| !group.is_greedy() || is_kept(&group.name));
        if twin.flows.is_empty() {
            // Nobody is left whose window could be recorded.
            twin.record.congestion_window_interval_ms = None;
        }
        Ok(twin)
    }
}

impl LinkTable {
    /// Nothing below its rate holds it back: no shaper in front, and none that its queue is itself.
    fn stop_shaping(&mut self) {
        self.shaper = None;
        if self.queue.as_ref().is_some_and(|queue| queue.own_shaping(&|_| true).is_some()) {
            self.queue = Some(uncongested_queue());
        }
    }
}

/// The SIGCOMM 2003 study calibrated with drop-tail queues of 2,400 elements (section 3.2).
pub(super) fn uncongested_queue() -> Scheme {
    let queue = serde_json::json!({ "scheme": "drop-tail", "limit_packets": 2400 });
    serde_json::from_value(queue).expect("drop-tail with a limit in packets is a scheme")
}

/// How much faster than its fastest link the twin of a network is that is as fast as `uncongested_rate_mbps`:
/// a twin that is not faster would congest as the network does. Ten times is what the SIGCOMM 2003 study
/// took.
const TWIN_TIMES: f64 = 10.0;

/// The rate of links with these rates in the uncongested twin, in Mbit/s.
///
/// A network that has the rate and the queue of its twin already, as a twin has, stays as it is.
pub(super) fn twin_rate_mbps<'a>(
    (uncongested_rate_mbps, uncongested_queue): (f64, &Scheme),
    links: impl IntoIterator<Item = (f64, &'a Scheme)>,
) -> f64 {
    let (mut fastest, mut is_twin) = (0.0_f64, true);
    for (rate_mbps, queue) in links {
        fastest = fastest.max(rate_mbps);
        is_twin &= rate_mbps == uncongested_rate_mbps && queue == uncongested_queue;
    }
    if is_twin || uncongested_rate_mbps > fastest {
        uncongested_rate_mbps
    } else {
        (TWIN_TIMES * fastest).min(HIGHEST_MBPS)
    }
}

/// The names of all of these files.
fn names_of(traces: &[Option<TraceFiles>]) -> Vec<String> {
    traces.iter().flatten().flat_map(TraceFiles::names).cloned().collect()
}

fn no_uncongested_settings(name: &str) -> ScenarioError {
    ScenarioError::new(vec![Mistake {
        source_name: name.to_owned(),
        place: Place::Whole,
        key: "topology.links".to_owned(),
        missing: None,
        value: None,
        wrong: "no link has uncongested settings, so there is no uncongested twin".to_owned(),
        legal: Some(Legal::Remedy(
            "give uncongested_rate_mbps or uncongested_queue on at least one link".to_owned(),
        )),
        nearest: None,
    }])
}
