//! Checks that populations and flow groups share.

use super::quantity::megabits_per_second;
use crate::Scheme;
use crate::document::Document;
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex, NodeKind};
use crate::scenario::Population;
use aqmlab_aqm::PortFacts;
use std::collections::BTreeSet;

/// A scenario without traffic has nothing to say.
pub(super) fn check(document: &Document, populations: &[Population], mistakes: &mut Mistakes<'_>) {
    if document.flows.is_empty() && populations.iter().all(|population| population.users == 0) {
        let key = if document.users.is_some() { "users" } else { "" };
        mistakes.sentence(
            key,
            "there is no traffic: give at least one user in [users] or [[populations]], or [[flows]]",
        );
    }
}

/// Whether a scheme may work at a link of this rate; without one, whether its parameters are legal by themselves.
pub(super) fn check_scheme(path: &str, scheme: &Scheme, rate_mbps: Option<f64>, mistakes: &mut Mistakes<'_>) {
    let checked = match rate_mbps {
        Some(rate) => scheme.validate_at(&PortFacts::new(megabits_per_second(rate))),
        None => scheme.validate(),
    };
    if let Err(error) = checked {
        let wrong = match error.value {
            Some(value) => format!("{value} is not legal"),
            None => "not given".to_owned(),
        };
        mistakes.value(&joined(path, &error.key), wrong, error.legal);
    }
}

/// A packet is lost once: an ordinal that is written twice was meant to be another one.
pub(super) fn check_ordinals(key: &str, ordinals: &[u32], mistakes: &mut Mistakes<'_>) {
    let mut seen = BTreeSet::new();
    for (place, ordinal) in ordinals.iter().enumerate() {
        if !seen.insert(ordinal) {
            mistakes.value(
                &joined(key, &place.to_string()),
                format!("{ordinal} a second time"),
                "each ordinal once",
            );
        }
    }
}

/// The machines of the group that `key` names.
pub(super) fn machines(
    network: &Network,
    group: &str,
    key: &str,
    mistakes: &mut Mistakes<'_>,
) -> Vec<NodeIndex> {
    let machines = network.machines(group);
    if machines.is_empty() {
        let legal = host_groups(network);
        if network.nodes.iter().any(|node| node.group == group && node.kind == NodeKind::Router) {
            mistakes.value(key, format!("\"{group}\" is a router"), crate::legal::listed(&legal));
        } else {
            mistakes.unknown_name(key, "machine group", group, &legal);
        }
    }
    machines
}

fn host_groups(network: &Network) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for node in network.nodes.iter().filter(|node| node.kind == NodeKind::Host) {
        if groups.last() != Some(&node.group.as_str()) {
            groups.push(&node.group);
        }
    }
    groups
}
