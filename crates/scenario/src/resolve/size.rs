//! Whether a run can hold the scenario: see [`crate::limits`].

use crate::document::{DatagramsTable, Document, LinkTable, ParkingLot, Topology};
use crate::limits::{
    DATAGRAM_GROUPS, DATAGRAM_SOURCES, FLOW_GROUPS, FLOWS, LINKS, NODES, POPULATIONS, QUEUED_LINKS, USERS,
};
use crate::mistakes::{Mistakes, joined};

/// Whether everything fits; the first of each kind that does not is a mistake. Nothing is built before this
/// is known: a few lines can ask for more links than there is memory.
pub(super) fn check(document: &Document, mistakes: &mut Mistakes<'_>) -> bool {
    let mut fits = document.topology.as_ref().is_none_or(|topology| check_topology(topology, mistakes));
    fits &= document.parking_lot.as_ref().is_none_or(|lot| check_parking_lot(lot, mistakes));
    fits &= check_traffic(document, mistakes);
    fits
}

fn check_topology(topology: &Topology, mistakes: &mut Mistakes<'_>) -> bool {
    let counts = topology.nodes.iter().map(|table| u64::from(table.count));
    let nodes = Tally { path: "topology.nodes", key: "count", what: "nodes", most: NODES as u64 };
    let mut fits = nodes.check(counts, mistakes);
    let links = Tally { path: "topology.links", key: "", what: "one-way links", most: LINKS as u64 };
    fits &= links.check(topology.links.iter().map(|table| links_of(topology, table)), mistakes);
    let queued = Tally {
        path: "topology.links",
        key: "queue",
        what: "one-way links with a queue",
        most: QUEUED_LINKS as u64,
    };
    let with_queue = |table: &LinkTable| if table.queue.is_some() { links_of(topology, table) } else { 0 };
    fits & queued.check(topology.links.iter().map(with_queue), mistakes)
}

/// Every machine has two links besides those of the hops, so that nodes are what there is too much of first.
fn check_parking_lot(lot: &ParkingLot, mistakes: &mut Mistakes<'_>) -> bool {
    let machines: u64 = lot.machine_groups().iter().map(|group| u64::from(group.count)).sum();
    let nodes = u64::from(lot.hops) + 1 + machines;
    let fits = nodes <= NODES as u64;
    if !fits {
        let wrong = format!("{nodes} nodes: {} routers and the machines behind them", lot.hops + 1);
        mistakes.value("parking_lot.hops", wrong, format!("{NODES} in all"));
    }
    fits
}

fn check_traffic(document: &Document, mistakes: &mut Mistakes<'_>) -> bool {
    let tallies = [
        (
            Tally { path: "populations", key: "", what: "populations", most: POPULATIONS as u64 },
            one_each(document.populations.len()),
        ),
        (
            Tally { path: "populations", key: "count", what: "users", most: USERS },
            document.populations.iter().map(|table| u64::from(table.count)).collect(),
        ),
        (
            Tally { path: "flows", key: "", what: "groups of flows", most: FLOW_GROUPS as u64 },
            one_each(document.flows.len()),
        ),
        (
            Tally { path: "flows", key: "count", what: "flows", most: FLOWS },
            document.flows.iter().map(|table| u64::from(table.count)).collect(),
        ),
        (
            Tally { path: "datagrams", key: "", what: "groups of datagrams", most: DATAGRAM_GROUPS as u64 },
            one_each(document.datagrams.len()),
        ),
        (
            Tally { path: "datagrams", key: "count", what: "sources of datagrams", most: DATAGRAM_SOURCES },
            document.datagrams.iter().map(DatagramsTable::sources).collect(),
        ),
    ];
    let mut fits = true;
    for (tally, counts) in tallies {
        fits &= tally.check(counts.into_iter(), mistakes);
    }
    fits
}

fn one_each(count: usize) -> Vec<u64> {
    vec![1; count]
}

/// How many one-way links a table of links is.
fn links_of(topology: &Topology, table: &LinkTable) -> u64 {
    let machines = |name: &str| u64::from(topology.machines_in(name).unwrap_or(0));
    machines(&table.from) * machines(&table.to) * if table.both_ways { 2 } else { 1 }
}

/// Things that the tables of an array add up to.
struct Tally {
    path: &'static str,
    /// The key in the table that says how many; empty for the table itself.
    key: &'static str,
    what: &'static str,
    most: u64,
}

impl Tally {
    /// Whether the sum is within the limit; if not, the table with which it passes it is the place.
    fn check(&self, counts: impl Iterator<Item = u64>, mistakes: &mut Mistakes<'_>) -> bool {
        let mut sum = 0;
        for (index, count) in counts.enumerate() {
            sum += count;
            if sum > self.most {
                let table = format!("{}.{index}", self.path);
                let key = if self.key.is_empty() { table } else { joined(&table, self.key) };
                let wrong = format!("{sum} {} with those before", self.what);
                mistakes.value(&key, wrong, format!("{} in all", self.most));
                return false;
            }
        }
        true
    }
}
