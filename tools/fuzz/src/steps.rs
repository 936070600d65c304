//! The same run in steps, watched, and acted on in ways that change nothing.

use crate::dice::Dice;
use aqmlab_random::Key;
use aqmlab_scenario::{Link, Scenario};
use aqmlab_sim::{Action, Control, Output, Simulation};
use aqmlab_units::{Span, Time};

/// Steps of a run at most.
const MOST_STEPS: u64 = 12;

/// Runs a scenario in steps of random lengths. At each stop the links are observed, and the schemes of their
/// queues are given the values that they have.
pub(crate) fn run_in_steps(scenario: &Scenario, seed: u64) -> Result<Output, String> {
    let control = Control::default();
    let mut dice = Dice::new(Key::from_seed(seed).named("steps"));
    let mut simulation = Simulation::new(scenario, seed, &control).map_err(|error| error.to_string())?;
    let mut stops: Vec<Time> = (0..dice.between(1, MOST_STEPS)).map(|_| stop(scenario, &mut dice)).collect();
    stops.sort_unstable();
    let same: Vec<(&str, Action)> = scenario.network.links.iter().filter_map(unchanged).collect();
    for stop in stops {
        simulation.advance_until(stop, &control).map_err(|error| error.to_string())?;
        check_observation(&mut simulation, stop)?;
        for (link, action) in &same {
            simulation.act(link, action).map_err(|error| error.to_string())?;
        }
    }
    simulation.finish(&control).map_err(|error| error.to_string())
}

/// Some instant of a run; samples, ticks and starts fall on whole milliseconds.
fn stop(scenario: &Scenario, dice: &mut Dice) -> Time {
    let nanoseconds = (dice.uniform() * scenario.duration.nanoseconds() as f64) as u64;
    let millisecond = Span::from_milliseconds(1).nanoseconds();
    let whole = dice.chance(0.3);
    Time::from_nanoseconds(if whole { nanoseconds / millisecond * millisecond } else { nanoseconds })
}

/// An action that gives the scheme of a monitored link the values that it has.
fn unchanged(link: &Link) -> Option<(&str, Action)> {
    let scheme = link.queue.as_ref().filter(|_| link.monitored)?;
    let mut parameters = serde_json::to_value(scheme).ok()?.as_object()?.clone();
    let adjustable = scheme.adjustable();
    parameters.retain(|key, _| adjustable.contains(&key.as_str()));
    Some((&link.name, Action { rate_mbps: None, parameters }))
}

fn check_observation(simulation: &mut Simulation<'_>, stop: Time) -> Result<(), String> {
    let observation = simulation.observe();
    if observation.now != stop {
        return Err(format!("stopped at {} instead of {stop}", observation.now));
    }
    let share = |link: &aqmlab_sim::LinkObservation| (0.0..=1.0 + 1e-9).contains(&link.utilization);
    match observation.links.iter().find(|link| !share(link)) {
        Some(link) => Err(format!("{}: a utilization of {}", link.name, link.utilization)),
        None => Ok(()),
    }
}
