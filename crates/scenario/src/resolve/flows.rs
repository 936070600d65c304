//! Long-lived flows.

use super::host;
use super::quantity::{milliseconds, seconds};
use super::traffic::{check_start, ends};
use super::unused;
use crate::document::{DelayOn, Document, FlowsTable};
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
        check_start(document, &path, (0.0, table.start_spread_s), mistakes);
        unused::check_flows(table, &path, mistakes);
        let asked = (table.direction, table.senders.as_deref(), table.receivers.as_deref());
        let ends = ends(document, network, &path, asked, mistakes)?;
        let flows =
            (0..).zip(ends.in_turn(table.count)).map(|(index, ends)| flow(table, index, ends)).collect();
        let profile = host::of_flows(&path, &table.profile, &table.host, mistakes)?;
        Some(FlowGroup {
            name,
            flows,
            start_spread: seconds(table.start_spread_s),
            profile,
            dscp: table.dscp,
            bytes: table.bytes,
        })
    });
    groups.collect()
}

fn flow(table: &FlowsTable, index: u32, [sender, receiver]: [NodeIndex; 2]) -> Flow {
    let round_trip = milliseconds(table.base_rtt_ms.of_flow(index, table.count));
    let half = Span::from_nanoseconds(round_trip.nanoseconds() / 2);
    let (delay_from_sender, delay_from_receiver) = match table.delay_on {
        DelayOn::Both => (half, round_trip - half),
        DelayOn::Sender => (round_trip, Span::ZERO),
        DelayOn::Receiver => (Span::ZERO, round_trip),
    };
    Flow { sender, receiver, delay_from_sender, delay_from_receiver }
}
