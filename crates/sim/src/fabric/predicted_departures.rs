//! Queues whose departures are predicted.
//!
//! Where nothing is decided about a packet once it is queued, and packets leave in the order of their
//! arrival, the instant at which one will have left is known when it comes. If nobody else can do anything
//! meanwhile to what it meets next, it moves on at once, from that instant, and the end of its transmission
//! needs no event. The queue itself lets its departures happen later, each at its own instant, when somebody
//! comes to it or looks at it.
//!
//! This is so behind a link with a propagation delay, whose packets travel in a pipe of their own, and in
//! front of interfaces that get all their packets from the link: these they enter at once, pipe or no pipe.
//! Nothing may be able to tell the difference, so that runs which record what leaves a link, packet by
//! packet, predict nothing.

use super::network::Network;
use crate::engine::DELAYED;
use crate::identifiers::{Column, Egress, Hop};
use aqmlab_scenario::{Scenario, Way};
use std::collections::{BTreeMap, BTreeSet};

/// Which egresses follow which in the paths of a scenario; nothing stands for a machine's own sending.
type Pairs = BTreeSet<(Option<Egress>, Egress)>;

/// The same by either of a pair: a hub has thousands of links, and each asks for its own.
struct Neighbours {
    behind: BTreeMap<Egress, Vec<Egress>>,
    into: BTreeMap<Egress, Vec<Option<Egress>>>,
}

impl Neighbours {
    fn of(pairs: &Pairs) -> Self {
        let mut neighbours = Self { behind: BTreeMap::new(), into: BTreeMap::new() };
        for &(from, next) in pairs {
            if let Some(from) = from {
                neighbours.behind.entry(from).or_default().push(next);
            }
            neighbours.into.entry(next).or_default().push(from);
        }
        neighbours
    }

    /// What follows a link.
    fn behind(&self, link: Egress) -> &[Egress] {
        self.behind.get(&link).map_or(&[], Vec::as_slice)
    }

    /// What leads to a link.
    fn into(&self, link: Egress) -> &[Option<Egress>] {
        self.into.get(&link).map_or(&[], Vec::as_slice)
    }
}

/// Lets the queues of a network predict their departures where that saves an event and nobody can tell.
pub(super) fn predict(scenario: &Scenario, network: &mut Network) {
    let Some(pairs) = pairs(scenario, network) else { return };
    let neighbours = Neighbours::of(&pairs);
    for position in 0..network.queued.len() {
        let (queued, egress) = (&network.queued[position], Egress::of(position));
        let feeds_alone = feeds_alone(network, &neighbours, egress);
        let moves_on = queued.varying.is_none() && (queued.propagation.is_some() || feeds_alone);
        let predicts =
            moves_on && queued.link.is_predictable() && !meets_an_end(network, &neighbours, egress);
        let queued = &mut network.queued[position];
        (queued.predicts, queued.feeds_alone) = (predicts, feeds_alone);
    }
}

/// Whether a packet can come to a link at the instant at which one of its own transmissions ends, and before
/// that: from a link in front of it, whose end comes first in the order of equal instants.
fn meets_an_end(network: &Network, neighbours: &Neighbours, link: Egress) -> bool {
    let into = neighbours.into(link).iter().filter_map(|from| *from);
    let mut ends_first = into.filter(|from| from.place() < link.place());
    ends_first.any(|from| network.queued[from.place()].propagation.is_none())
}

/// Whether all packets of a link go on to interfaces that keep their order, and get no others.
fn feeds_alone(network: &Network, neighbours: &Neighbours, link: Egress) -> bool {
    let next = neighbours.behind(link);
    let alone = |&egress: &Egress| keeps_order(network, egress) && neighbours.into(egress).len() == 1;
    !next.is_empty() && next.iter().all(alone)
}

fn keeps_order(network: &Network, egress: Egress) -> bool {
    network
        .interface_at(egress)
        .is_some_and(|interface| interface.takes_time_to_send() && interface.rank != DELAYED)
}

/// How many ways are walked at most for one population.
const MOST_WAYS: usize = 1 << 20;

/// The pairs of egresses on the ways of all traffic; none if there are too many ways.
fn pairs(scenario: &Scenario, network: &Network) -> Option<Pairs> {
    let mut pairs = Pairs::new();
    for way in scenario.conversations().flat_map(|conversation| conversation.ways()) {
        walk(network, way, &mut pairs)?;
    }
    Some(pairs)
}

/// Walks from each of these machines to each of those. Machines that send to one router, or are reached
/// alike, are one.
fn walk(network: &Network, Way { from, to }: Way<'_>, pairs: &mut Pairs) -> Option<()> {
    let entrances: BTreeSet<Hop> = from.iter().map(|&node| network.entrance(node)).collect();
    let columns: BTreeSet<Column> = to.iter().map(|&node| network.destination(node)).collect();
    if entrances.len().saturating_mul(columns.len()) > MOST_WAYS {
        return None;
    }
    for &entrance in &entrances {
        for &column in &columns {
            let (mut from, mut at) = (None, entrance);
            loop {
                let egress = network.egress(at, column);
                pairs.insert((from, egress));
                pairs.insert((from, network.behind_impairment(egress)));
                let Some(far_end) = network.far_end(egress) else { break };
                (from, at) = (Some(egress), far_end);
            }
        }
    }
    Some(())
}
