//! Long-lived flows.

use super::host;
use super::quantity::{milliseconds, seconds};
use super::traffic::machines;
use super::unused;
use crate::document::{
    BROWSERS_LEFT, BROWSERS_RIGHT, DelayOn, Direction, Document, FlowsTable, SERVERS_LEFT, SERVERS_RIGHT,
};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex};
use crate::scenario::{Flow, FlowGroup, Population};
use aqmlab_units::Span;
use std::collections::BTreeSet;

/// Every group of flows. Connections are told apart by the name of their population or group, so that these differ.
pub(super) fn resolve(
    document: &Document,
    network: &Network,
    populations: &[Population],
    mistakes: &mut Mistakes<'_>,
) -> Vec<FlowGroup> {
    let mut names = BTreeSet::new();
    let groups = document.flows.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("flows.{index}");
        let name = table.name.clone().unwrap_or_default();
        if !names.insert(name.clone()) {
            let wrong = format!("a second group of flows named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        if populations.iter().any(|population| population.name == name) {
            let wrong = format!("there is a population named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        check_start(document, table, &path, mistakes);
        unused::check_flows(table, &path, mistakes);
        let (senders, receivers) = machine_groups(document, table, &path, mistakes)?;
        let flows = flows(table, &path, network, (senders, receivers), mistakes);
        let profile = host::of_flows(&path, &table.profile, &table.host, mistakes)?;
        Some(FlowGroup {
            name,
            flows,
            start_spread: seconds(table.start_spread_s),
            profile,
            bytes: table.bytes,
        })
    });
    groups.collect()
}

fn check_start(document: &Document, table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.start_spread_s > document.duration_s {
        let wrong = format!("{} is longer than the run: flows would never start", table.start_spread_s);
        mistakes.value(&joined(path, "start_spread_s"), wrong, format!("0 to {}", document.duration_s));
    }
}

/// The names of the machine groups that send and receive, from the direction over a dumbbell or as given.
fn machine_groups<'a>(
    document: &Document,
    table: &'a FlowsTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<(&'a str, &'a str)> {
    match (table.direction, &table.senders, &table.receivers) {
        (Some(_), None, None) if document.dumbbell.is_none() => {
            let key = joined(path, "direction");
            mistakes.value(&key, "a topology has no left and right", "senders and receivers instead");
            None
        }
        (Some(Direction::LeftToRight), None, None) => Some((SERVERS_LEFT, BROWSERS_RIGHT)),
        (Some(Direction::RightToLeft), None, None) => Some((SERVERS_RIGHT, BROWSERS_LEFT)),
        (None, Some(senders), Some(receivers)) => Some((senders, receivers)),
        (None, None, None) => {
            mistakes.sentence(
                path,
                "whose flows are they? give direction (of a dumbbell), or senders and receivers",
            );
            None
        }
        (None, _, _) => {
            let missing = if table.senders.is_none() { "senders" } else { "receivers" };
            mistakes.missing_key(path, missing, "a machine group");
            None
        }
        (Some(_), _, _) => {
            let wrong = "given together with senders or receivers";
            mistakes.value(&joined(path, "direction"), wrong, "direction alone, or senders and receivers");
            None
        }
    }
}

fn flows(
    table: &FlowsTable,
    path: &str,
    network: &Network,
    (senders, receivers): (&str, &str),
    mistakes: &mut Mistakes<'_>,
) -> Vec<Flow> {
    let receivers_key = joined(path, "receivers");
    let sending = machines(network, senders, &joined(path, "senders"), mistakes);
    let receiving = machines(network, receivers, &receivers_key, mistakes);
    if senders == receivers {
        mistakes.value(&receivers_key, "the senders' own machines", "another machine group");
        return Vec::new();
    }
    if sending.is_empty() || receiving.is_empty() {
        return Vec::new();
    }
    (0..table.count).map(|index| flow(table, index, &sending, &receiving)).collect()
}

fn flow(table: &FlowsTable, index: u32, sending: &[NodeIndex], receiving: &[NodeIndex]) -> Flow {
    let round_trip = milliseconds(table.base_rtt_ms.of_flow(index, table.count));
    let half = Span::from_nanoseconds(round_trip.nanoseconds() / 2);
    let (delay_from_sender, delay_from_receiver) = match table.delay_on {
        DelayOn::Both => (half, round_trip - half),
        DelayOn::Sender => (round_trip, Span::ZERO),
        DelayOn::Receiver => (Span::ZERO, round_trip),
    };
    Flow {
        sender: sending[index as usize % sending.len()],
        receiver: receiving[index as usize % receiving.len()],
        delay_from_sender,
        delay_from_receiver,
    }
}
