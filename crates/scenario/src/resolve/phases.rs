//! Flows whose number changes by a schedule.

use super::quantity::seconds;
use crate::document::{Document, FlowsTable, PhasesTable};
use crate::mistakes::{Mistakes, joined};
use crate::scenario::{FlowStarts, Life};

/// From when until when each flow of a group with phases is there: flow i in those that have more than i
/// flows, which follow one another.
pub(super) fn resolve(
    document: &Document,
    table: &FlowsTable,
    phases: &PhasesTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> FlowStarts {
    check_others(table, path, mistakes);
    check_numbers(document, table, phases, path, mistakes);
    let begins = |phase: usize| seconds(table.start_s + phase as f64 * phases.each_s);
    let life = |flow: u32| {
        let has = |&number: &u32| number > flow;
        let first = phases.flows.iter().position(has).unwrap_or(0);
        let behind = phases.flows.iter().rposition(has).map_or(0, |last| last + 1);
        Life { from: begins(first), until: begins(behind) }
    };
    FlowStarts::Phases { lives: (0..table.count).map(life).collect(), spread: seconds(table.start_spread_s) }
}

/// What would say otherwise when flows start and stop.
fn check_others(table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let others = [
        ("starts_s", !table.starts_s.is_empty()),
        ("arrivals_hz", table.arrivals_hz.is_some()),
        ("think_s", table.think_s.is_some()),
        ("stop_s", table.stop_s.is_some()),
    ];
    for (key, _) in others.into_iter().filter(|(_, given)| *given) {
        mistakes.value(&joined(path, key), "phases already set when flows start and stop", "without phases");
    }
}

/// Numbers that rise, then fall, to the greatest of which `count` is equal; phases within the run, longer
/// than flows take to start.
fn check_numbers(
    document: &Document,
    table: &FlowsTable,
    phases: &PhasesTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) {
    let most = phases.flows.iter().copied().max().unwrap_or(0);
    if most != table.count {
        let wrong = format!("{}, where the fullest of phases has {most}", table.count);
        mistakes.value(&joined(path, "count"), wrong, format!("{most}"));
    }
    let fall = phases.flows.windows(2).position(|pair| pair[1] < pair[0]).unwrap_or(phases.flows.len());
    let rise = phases.flows.windows(2).rposition(|pair| pair[1] > pair[0]);
    if let Some(place) = rise.filter(|&place| place > fall) {
        let wrong = format!(
            "{} is more than the {} before, after a fall",
            phases.flows[place + 1],
            phases.flows[place]
        );
        let key = joined(path, &format!("phases.flows.{}", place + 1));
        mistakes.value(&key, wrong, "numbers that rise, then fall; another group for another rise");
    }
    let end_s = table.start_s + phases.flows.len() as f64 * phases.each_s;
    if end_s > document.duration_s * (1.0 + 1e-12) {
        let wrong = format!("{} phases of {} s end at {end_s}", phases.flows.len(), phases.each_s);
        let legal = format!("phases that end by {}", document.duration_s);
        mistakes.value(&joined(path, "phases.each_s"), wrong, legal);
    }
    if table.start_spread_s >= phases.each_s {
        let wrong = format!("{} is not below phases.each_s = {}", table.start_spread_s, phases.each_s);
        mistakes.value(&joined(path, "start_spread_s"), wrong, format!("0 to below {}", phases.each_s));
    }
}
