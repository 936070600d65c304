//! What populations, flows and datagrams share: checks, and the machines at their ends.

use super::quantity::megabits_per_second;
use crate::Scheme;
use crate::document::{BROWSERS_LEFT, BROWSERS_RIGHT, Direction, Document, SERVERS_LEFT, SERVERS_RIGHT};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex, NodeKind};
use crate::scenario::Population;
use aqmlab_aqm::PortFacts;
use std::collections::BTreeSet;

/// A scenario without traffic has nothing to say.
pub(super) fn check(document: &Document, populations: &[Population], mistakes: &mut Mistakes<'_>) {
    let without_users = populations.iter().all(|population| population.users == 0);
    if document.flows.is_empty() && document.datagrams.is_empty() && without_users {
        let key = if document.users.is_some() { "users" } else { "" };
        mistakes.sentence(
            key,
            "there is no traffic: give at least one user in [users] or [[populations]], or [[flows]] or [[datagrams]]",
        );
    }
}

/// Whether a scheme may work at a link of this rate; without one, whether its parameters are legal by
/// themselves.
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

/// Refuses one shaper for links of different rates: it would hold the faster one to the rate of the slower.
/// `remedy` says where each may have its own.
pub(super) fn check_shaper(
    path: &str,
    scheme: &Scheme,
    rates_mbps: &[f64],
    remedy: &str,
    mistakes: &mut Mistakes<'_>,
) {
    let Scheme::Cake(cake) = scheme else { return };
    let (slowest, fastest) = rates_mbps
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), &rate| (low.min(rate), high.max(rate)));
    if let Some(rate) = cake.rate_mbps.filter(|_| slowest < fastest) {
        let wrong = format!("one shaper of {rate} Mbit/s for links of {slowest} and {fastest} Mbit/s");
        mistakes.value(&joined(path, "rate_mbps"), wrong, remedy);
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

/// The machines between which the flows or datagrams of a group go.
pub(super) struct Ends {
    sending: Vec<NodeIndex>,
    receiving: Vec<NodeIndex>,
}

impl Ends {
    /// Sender and receiver of so many, who take the machines in turn; nothing where one of the groups has
    /// none.
    pub(super) fn in_turn(&self, count: u32) -> Vec<[NodeIndex; 2]> {
        let Self { sending, receiving } = self;
        let in_turn = sending.iter().cycle().zip(receiving.iter().cycle());
        in_turn.take(count as usize).map(|(&sender, &receiver)| [sender, receiver]).collect()
    }
}

/// `direction`, `senders` and `receivers` of a group, as they were given.
pub(super) type AskedEnds<'a> = (Option<Direction>, Option<&'a str>, Option<&'a str>);

/// A device is the near end of a way up or down a line. Where it has been found, the group has its senders
/// and receivers instead.
fn check_device(document: &Document, path: &str, device: Option<&str>, mistakes: &mut Mistakes<'_>) {
    let names: Vec<&str> = document.devices.iter().map(|device| device.name.as_str()).collect();
    let key = joined(path, "device");
    match device {
        Some(_) if document.line.is_none() => {
            mistakes.value(&key, "there is no line with devices", "together with [line] and [[devices]]");
        }
        Some(name) if !names.contains(&name) => mistakes.unknown_name(&key, "device", name, &names),
        Some(_) => {
            mistakes.value(
                &key,
                "no direction says which way",
                "together with direction = \"down\" or \"up\"",
            );
        }
        None => {}
    }
}

/// The machines that the group at `path` asks for.
pub(super) fn ends(
    document: &Document,
    network: &Network,
    path: &str,
    asked: AskedEnds<'_>,
    device: Option<&str>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Ends> {
    check_device(document, path, device, mistakes);
    if mistakes.concern(&joined(path, "device")) {
        return None;
    }
    let (senders, receivers) = machine_groups(document, path, asked, mistakes)?;
    let receivers_key = joined(path, "receivers");
    let mut ends = Ends {
        sending: machines(network, senders, &joined(path, "senders"), mistakes),
        receiving: machines(network, receivers, &receivers_key, mistakes),
    };
    if senders == receivers {
        mistakes.value(&receivers_key, "the senders' own machines", "another machine group");
        ends.receiving.clear();
    }
    Some(ends)
}

/// The names of the machine groups that send and receive, from the direction over a dumbbell or as given.
fn machine_groups<'a>(
    document: &Document,
    path: &str,
    asked: AskedEnds<'a>,
    mistakes: &mut Mistakes<'_>,
) -> Option<(&'a str, &'a str)> {
    const VERTICAL: [Direction; 2] = [Direction::Down, Direction::Up];
    match asked {
        (Some(direction), None, None) if document.line.is_some() => {
            if VERTICAL.contains(&direction) {
                let names: Vec<&str> = document.devices.iter().map(|device| device.name.as_str()).collect();
                mistakes.missing_key(path, "device", &crate::legal::listed(&names));
            } else {
                mistakes.value(
                    &joined(path, "direction"),
                    "a line has no left and right",
                    "\"down\" or \"up\"",
                );
            }
            None
        }
        (Some(_), None, None) if !document.has_sides() => {
            let network = document.networks().first().copied().unwrap_or_default();
            let wrong = format!("a {network} has no left and right");
            mistakes.value(&joined(path, "direction"), wrong, "senders and receivers instead");
            None
        }
        (Some(direction), None, None) if VERTICAL.contains(&direction) => {
            let legal = "\"left-to-right\" or \"right-to-left\"; \"down\" and \"up\" are those of a [line]";
            mistakes.value(&joined(path, "direction"), "only a line leads up and down", legal);
            None
        }
        (Some(Direction::LeftToRight), None, None) => Some((SERVERS_LEFT, BROWSERS_RIGHT)),
        (Some(_), None, None) => Some((SERVERS_RIGHT, BROWSERS_LEFT)),
        (None, Some(senders), Some(receivers)) => Some((senders, receivers)),
        (None, None, None) => {
            let whose = path.split('.').next().unwrap_or(path);
            let wrong = format!(
                "the route of the {whose} is missing: give direction (of a dumbbell, a parking lot or a line), or senders and receivers"
            );
            mistakes.sentence(path, wrong);
            None
        }
        (None, senders, _) => {
            let missing = if senders.is_none() { "senders" } else { "receivers" };
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

/// When those of a group start: from an instant on, spread over a time.
#[derive(Clone, Copy)]
pub(super) struct Starts {
    pub(super) start_s: f64,
    pub(super) start_spread_s: f64,
}

/// What would start behind the end of the run would never start, of the group at `path`.
pub(super) fn check_start(
    document: &Document,
    path: &str,
    Starts { start_s, start_spread_s }: Starts,
    mistakes: &mut Mistakes<'_>,
) {
    let whose = path.split('.').next().unwrap_or(path);
    if start_s > document.duration_s {
        let wrong = format!("{start_s} is after the end of the run: {whose} would never start");
        mistakes.value(&joined(path, "start_s"), wrong, format!("0 to {}", document.duration_s));
    } else if start_s + start_spread_s > document.duration_s {
        let wrong = format!("{start_spread_s} is longer than the run: {whose} would never start");
        let legal = format!("0 to {}", document.duration_s - start_s);
        mistakes.value(&joined(path, "start_spread_s"), wrong, legal);
    }
}

/// What stops before it starts sends nothing, of the group at `path`.
pub(super) fn check_stop(
    path: &str,
    Starts { start_s, start_spread_s }: Starts,
    stop_s: Option<f64>,
    mistakes: &mut Mistakes<'_>,
) {
    let last_start_s = start_s + start_spread_s;
    if let Some(stop_s) = stop_s.filter(|&stop_s| stop_s <= start_s || stop_s < last_start_s) {
        let wrong =
            format!("{stop_s} is not after the last start, start_s + start_spread_s = {last_start_s}");
        mistakes.value(&joined(path, "stop_s"), wrong, format!("above {last_start_s}"));
    }
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
