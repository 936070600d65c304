//! Where a packet goes next.
//!
//! A row of the table is a node that has to choose: a router, or a machine with several ways out. A column
//! stands for all destinations that are reached alike from everywhere, so that a thousand machines behind
//! ideal wires of one router need one. A machine with a single way out has no row: whatever it sends takes
//! that way. In a row stands what is on the way of some traffic, and nothing else: a table of many routers
//! grows with what passes them.

use super::packed_rows::PackedRows;
use crate::identifiers::{Column, Egress, Hop};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{Distances, LinkIndex, NodeIndex, NodeKind, Routes, Scenario, Way};
use std::collections::{BTreeMap, BTreeSet};
#[derive(Clone)]

pub(crate) struct RouteTable {
    /// Row per hop, column per kind of destination.
    egresses: PackedRows,
    /// The egresses of the hops beyond the rows: machines with a single way out.
    only_egress: Vec<Egress>,
    /// By node, where its own packets begin.
    departures: Vec<Hop>,
    /// By node; only those where traffic ends are reached.
    destinations: Vec<Column>,
}

impl RouteTable {
    /// The routes of all traffic of a scenario; `egresses` are those of its links, none for ideal wires,
    /// which are followed to their ends.
    pub(crate) fn new(scenario: &Scenario, egresses: &[Option<Egress>]) -> Self {
        let network = &scenario.network;
        let mut table = Self {
            egresses: PackedRows::pack(&[]),
            only_egress: Vec::new(),
            departures: hops(network),
            destinations: vec![Column::of(0); network.nodes.len()],
        };
        let ends = ends(scenario);
        let mut choices =
            Choices { network, routes: &Routes::new(network), egresses, rows: routers(network) };
        table.depart(&mut choices, &ends);
        let columns = table.arrive(&choices, &ends);
        let mut rows = vec![Vec::new(); 1 + choices.rows.len()];
        // Behind its last link every packet has arrived, whatever its destination.
        rows[0] = (0..columns.len()).map(|column| (Column::of(column), Egress::DELIVERY)).collect();
        let begins = table.begins(scenario, &choices, columns.len());
        // Those with the same entrances stand together: thousands of hosts behind one router are equally far.
        let mut number = 0;
        for alike in columns.chunk_by(|one, other| one.entrances == other.entrances) {
            let distances = choices.routes.distances(&alike[0].entrances);
            for &Destinations { destination, .. } in alike {
                let column = choices.column(destination, &distances, &table.departures, &begins[number]);
                for (row, egress) in column {
                    rows[row].push((Column::of(number), egress));
                }
                number += 1;
            }
        }
        table.egresses = PackedRows::pack(&rows);
        table
    }

    /// Gives the machines where traffic begins their hops, and rows to those with a choice.
    fn depart(&mut self, choices: &mut Choices<'_>, ends: &[NodeIndex]) {
        for &node in ends.iter().filter(|&&node| choices.routes.leaving(node).len() > 1) {
            choices.rows.push(node);
            self.departures[node.0 as usize] = Hop::of(choices.rows.len());
        }
        for &node in ends {
            if let [only] = *choices.routes.leaving(node) {
                self.departures[node.0 as usize] = match choices.egresses[only.0 as usize] {
                    Some(egress) => {
                        self.only_egress.push(egress);
                        Hop::of(choices.rows.len() + self.only_egress.len())
                    }
                    None => hop_at(&self.departures, choices.network, only),
                };
            }
        }
    }

    /// Gives the machines where traffic ends their columns; answers with these.
    fn arrive(&mut self, choices: &Choices<'_>, ends: &[NodeIndex]) -> Vec<Destinations> {
        let mut by_entrances: BTreeMap<Vec<NodeIndex>, Vec<NodeIndex>> = BTreeMap::new();
        for &node in ends {
            by_entrances.entry(choices.routes.entrances(node)).or_default().push(node);
        }
        let mut columns = Vec::new();
        for (entrances, destinations) in by_entrances {
            let mut known: BTreeMap<Vec<(NodeIndex, Option<Egress>)>, Column> = BTreeMap::new();
            for destination in destinations {
                let last_steps = choices.last_steps(destination);
                self.destinations[destination.0 as usize] = *known.entry(last_steps).or_insert_with(|| {
                    columns.push(Destinations { destination, entrances: entrances.clone() });
                    Column::of(columns.len() - 1)
                });
            }
        }
        columns
    }

    /// For each column, the rows at which its traffic first has to choose.
    fn begins(&self, scenario: &Scenario, choices: &Choices<'_>, columns: usize) -> Vec<BTreeSet<usize>> {
        let mut begins = vec![BTreeSet::new(); columns];
        let mut join = |senders: &[NodeIndex], receivers: &[NodeIndex]| {
            let rows: BTreeSet<usize> =
                senders.iter().map(|&node| choices.first_row(node, self.departure(node))).collect();
            let to: BTreeSet<Column> = receivers.iter().map(|&node| self.destination(node)).collect();
            to.into_iter().for_each(|column| begins[column.place()].extend(&rows));
        };
        for Way { from, to } in scenario.conversations().flat_map(|conversation| conversation.ways()) {
            join(from, to);
        }
        begins
    }

    /// Where the packets of a machine begin.
    pub(crate) fn departure(&self, node: NodeIndex) -> Hop {
        self.departures[node.0 as usize]
    }

    /// How packets name a machine where they end.
    pub(crate) fn destination(&self, node: NodeIndex) -> Column {
        self.destinations[node.0 as usize]
    }

    /// The next egress from a hop, on the way of traffic to its destination.
    #[inline(always)]
    pub(crate) fn egress(&self, at: Hop, destination: Column) -> Egress {
        match self.egresses.get(at.place(), destination) {
            Some(egress) => egress,
            None => self.only_egress(at),
        }
    }

    /// The egress from a hop where there is only one: a machine's with a single way out.
    pub(crate) fn only_egress_of(&self, at: Hop) -> Option<Egress> {
        self.only_egress.get(at.place().checked_sub(self.egresses.rows())?).copied()
    }

    #[cold]
    fn only_egress(&self, at: Hop) -> Egress {
        self.only_egress[at.place() - self.egresses.rows()]
    }
}

/// Destinations that are reached alike: one of them, and the routers that have a link to it.
struct Destinations {
    destination: NodeIndex,
    entrances: Vec<NodeIndex>,
}

/// What the columns are made from.
struct Choices<'a> {
    network: &'a scenario::Network,
    routes: &'a Routes<'a>,
    egresses: &'a [Option<Egress>],
    /// The nodes of the rows but the first.
    rows: Vec<NodeIndex>,
}

impl Choices<'_> {
    /// What tells a destination from others with the same entrances: the last egresses to it, by their
    /// senders.
    fn last_steps(&self, destination: NodeIndex) -> Vec<(NodeIndex, Option<Egress>)> {
        let last = |link: &LinkIndex| (self.network.link(*link).from, self.egresses[link.0 as usize]);
        let mut egresses: Vec<_> = self.routes.arriving(destination).iter().map(last).collect();
        egresses.sort_unstable();
        egresses
    }

    /// The row of the table at which packets of a machine first have to choose.
    fn first_row(&self, machine: NodeIndex, departure: Hop) -> usize {
        match *self.routes.leaving(machine) {
            [only] => match self.network.node(self.network.link(only).to).kind {
                NodeKind::Router => self.row_of_router(self.network.link(only).to),
                NodeKind::Host => Hop::ARRIVED.place(),
            },
            _ => departure.place(),
        }
    }

    fn row_of_router(&self, router: NodeIndex) -> usize {
        // Routers are the first rows, in the order of the nodes.
        1 + self.rows.partition_point(|&node| self.is_router(node) && node < router)
    }

    fn is_router(&self, node: NodeIndex) -> bool {
        self.network.node(node).kind == NodeKind::Router
    }

    /// The egresses towards a destination of the rows on the ways that begin at some.
    fn column(
        &self,
        destination: NodeIndex,
        distances: &Distances,
        hops: &[Hop],
        begins: &BTreeSet<usize>,
    ) -> BTreeMap<usize, Egress> {
        let arrived = Hop::ARRIVED.place();
        let mut column = BTreeMap::from([(arrived, Egress::DELIVERY)]);
        for &begin in begins {
            let (mut row, mut passed) = (begin, Vec::new());
            while !column.contains_key(&row) {
                let link = self.routes.next(self.rows[row - 1], destination, distances);
                let Some(link) = link else { unreachable!("traffic without a route was refused") };
                passed.push((row, self.egresses[link.0 as usize]));
                row = hop_at(hops, self.network, link).place();
            }
            // Behind an ideal wire comes the egress of the next node.
            let mut beyond = column[&row];
            for (row, egress) in passed.into_iter().rev() {
                beyond = egress.unwrap_or(beyond);
                column.insert(row, beyond);
            }
        }
        column.remove(&arrived);
        column
    }
}

/// The hop of packets that have reached the far end of a link: machines forward nothing.
fn hop_at(hops: &[Hop], network: &scenario::Network, link: LinkIndex) -> Hop {
    let node = network.link(link).to;
    match network.node(node).kind {
        NodeKind::Router => hops[node.0 as usize],
        NodeKind::Host => Hop::ARRIVED,
    }
}

/// By node, the hop of packets that reach it.
pub(crate) fn hops(network: &scenario::Network) -> Vec<Hop> {
    let mut routers = 0;
    let hop = |node: &scenario::Node| match node.kind {
        NodeKind::Router => {
            routers += 1;
            Hop::of(routers)
        }
        NodeKind::Host => Hop::ARRIVED,
    };
    network.nodes.iter().map(hop).collect()
}

fn routers(network: &scenario::Network) -> Vec<NodeIndex> {
    let nodes = (0..).map(NodeIndex).take(network.nodes.len());
    nodes.filter(|&node| network.node(node).kind == NodeKind::Router).collect()
}

/// The machines where traffic begins and ends, in the order of the nodes.
fn ends(scenario: &Scenario) -> Vec<NodeIndex> {
    let mut is_end = vec![false; scenario.network.nodes.len()];
    let machines = scenario.conversations().flat_map(|conversation| conversation.machines());
    machines.for_each(|node| is_end[node.0 as usize] = true);
    (0..).map(NodeIndex).zip(is_end).filter(|(_, is_end)| *is_end).map(|(node, _)| node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::network::egresses;
    use aqmlab_random::Key;
    use std::fmt::Write as _;

    /// A random network of three to five routers and six hosts, each host with one to three links of which
    /// some are ideal, and a flow between each pair of hosts.
    fn random(key: Key) -> String {
        let draw = |n: u64, below: u64| key.below(n, below);
        let routers = 3 + draw(0, 3);
        let mut text = "name = \"random\"\nduration_s = 1.0\n".to_owned();
        let names = (0..6).map(|n| (format!("h{n}"), "host"));
        for (name, kind) in names.chain((0..routers).map(|n| (format!("r{n}"), "router"))) {
            let _ = write!(text, "[[topology.nodes]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
        }
        let kinds = [
            "",
            "rate_mbps = 1.0\n",
            "delay_ms = 1.0\n",
            "rate_mbps = 1.0\nqueue = { scheme = \"drop-tail\", limit_packets = 9 }\n",
        ];
        let mut link = |from: String, to: String, n: u64| {
            let kind = kinds[usize::try_from(key.named("kind").below(n, 4)).unwrap()];
            let _ = write!(text, "[[topology.links]]\nfrom = \"{from}\"\nto = \"{to}\"\n{kind}");
        };
        for router in 1..routers {
            link(format!("r{router}"), format!("r{}", draw(10 + router, router)), router);
        }
        if draw(1, 2) == 0 {
            link("r0".to_owned(), "r2".to_owned(), 20);
        }
        for host in 0..6 {
            let first = draw(20 + host, routers);
            for more in 0..1 + draw(30 + host, 3) {
                link(format!("h{host}"), format!("r{}", (first + more) % routers), 40 + 3 * host + more);
            }
        }
        link("h1".to_owned(), "h0".to_owned(), 90);
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            let _ = write!(
                text,
                "[[flows]]\nsenders = \"h{from}\"\nreceivers = \"h{to}\"\ncount = 1\nbase_rtt_ms = 1.0\n"
            );
        }
        text
    }

    /// The links that take time on the way of a packet, by the table alone.
    fn walked(
        table: &RouteTable,
        network: &scenario::Network,
        egresses: &[Option<Egress>],
        ends: [NodeIndex; 2],
    ) -> Vec<usize> {
        let (mut at, destination) = (table.departure(ends[0]), table.destination(ends[1]));
        let mut links = Vec::new();
        loop {
            let egress = table.egress(at, destination);
            let Some(link) = egresses.iter().position(|&of_link| of_link == Some(egress)) else {
                return links;
            };
            links.push(link);
            assert!(links.len() < 20, "a packet goes round");
            at = hops(network)[network.links[link].to.0 as usize];
        }
    }

    #[test]
    fn packets_take_the_shortest_path_whatever_the_network() {
        let (mut checked, mut columns) = (0, 0);
        for case in 0..300 {
            let text = random(Key::from_seed(5).indexed(case));
            // A second link between two nodes is refused, now and then.
            let Ok(scenario) = Scenario::from_toml(&text, "random", &[]) else { continue };
            let network = &scenario.network;
            let egresses = egresses(network);
            let table = RouteTable::new(&scenario, &egresses);
            columns += table.destinations.iter().max().map_or(0, |last| 1 + last.place());
            for flow in scenario.flows.iter().flat_map(|group| &group.flows) {
                let path = network.path(flow.sender, flow.receiver).unwrap();
                let timed = path.iter().map(|link| link.0 as usize).filter(|&link| egresses[link].is_some());
                let expected: Vec<usize> = timed.collect();
                assert_eq!(
                    walked(&table, network, &egresses, [flow.sender, flow.receiver]),
                    expected,
                    "{text}"
                );
                checked += 1;
            }
        }
        assert!(checked > 5_000 && columns < checked / 5, "{checked} paths, {columns} columns");
    }

    #[test]
    fn a_thousand_machines_behind_ideal_wires_need_two_columns_and_three_rows() {
        let text = "name = \"wide\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 1.0\n\
                    browser_machines_per_side = 10000\nserver_machines_per_side = 10000\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 9 }\n[users]\nper_side = 9\n";
        let scenario = Scenario::from_toml(text, "wide", &[]).unwrap();
        let table = RouteTable::new(&scenario, &egresses(&scenario.network));
        assert_eq!((table.egresses.rows(), table.egresses.places()), (3, 6));
    }

    /// A street of homes that each have a router and a machine behind it, and so many people who read in all
    /// of them.
    fn street(homes: usize) -> String {
        let mut text = "name = \"street\"\nduration_s = 1.0\n\
                        [[topology.nodes]]\nname = \"hub\"\nkind = \"router\"\n\
                        [[topology.nodes]]\nname = \"site\"\nkind = \"host\"\n\
                        [[topology.links]]\nfrom = \"site\"\nto = \"hub\"\nrate_mbps = 1.0\n"
            .to_owned();
        for home in 0..homes {
            for (name, kind, next) in [("r", "router", "hub".to_owned()), ("h", "host", format!("r{home}"))] {
                let _ = write!(
                    text,
                    "[[topology.nodes]]\nname = \"{name}{home}\"\nkind = \"{kind}\"\n\
                     [[topology.links]]\nfrom = \"{name}{home}\"\nto = \"{next}\"\nrate_mbps = 1.0\n"
                );
            }
            let _ = write!(
                text,
                "[[populations]]\nname = \"p{home}\"\nbrowsers = \"h{home}\"\nservers = \"site\"\ncount = 1\n"
            );
        }
        text
    }

    #[test]
    fn routers_grow_the_table_by_what_passes_them_and_not_by_their_square() {
        let places = |homes: usize| {
            let scenario = Scenario::from_toml(&street(homes), "street", &[]).unwrap();
            RouteTable::new(&scenario, &egresses(&scenario.network)).egresses.places()
        };
        let (few, many) = (places(100), places(400));
        assert!(few <= 500 && many <= 2000, "{few} and {many} places");
    }
}
