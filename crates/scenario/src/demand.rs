//! What the traffic asks for: the numbers that say how much it is, and the links that carry it.

use crate::conversations::{DemandUnit, TrafficGroup, Way};
use crate::document::{Document, is_in_router, keys_of};
use crate::network::{Link, LinkIndex, Network, NodeIndex, NodeKind};
use crate::routes::{Distances, Routes};
use crate::scenario::Scenario;
use std::collections::BTreeMap;

/// A part of the traffic whose size is one number of the scenario: a population, a group of flows or one of
/// datagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// What it is called: `users.left`, `populations.readers`, `flows.cross-traffic`, `datagrams.voice`.
    pub name: String,
    /// The dotted key of its size, as overrides spell it: `populations.0.count`.
    pub key: String,
    /// What its size counts.
    pub unit: DemandUnit,
    /// How many there are.
    pub size: u32,
    /// Whether it takes whatever it is let through, as flows without end do: it offers no load of its own.
    pub endless: bool,
}

impl Scenario {
    /// Every population, then every group of flows, then every group of datagrams, in the order of the
    /// document; `[users]` are two populations and come first. What is sent back has no size of its own.
    #[must_use]
    pub fn demands(&self) -> Vec<Demand> {
        let sides = if self.document.users.is_some() { 2 } else { 0 };
        let populations = self.populations.iter().enumerate().map(|(place, population)| {
            let own = &population.name;
            let (name, key) = match place.checked_sub(sides) {
                None => (format!("users.{own}"), format!("users.{own}")),
                Some(place) => (format!("populations.{own}"), format!("populations.{place}.count")),
            };
            Demand { name, key, unit: DemandUnit::Users, size: population.users, endless: false }
        });
        let flows = self.flows.iter().enumerate().map(|(place, group)| Demand {
            name: format!("flows.{}", group.name),
            key: format!("flows.{place}.count"),
            unit: DemandUnit::Flows,
            size: group.flows.len() as u32,
            endless: group.bytes.is_none() && group.writes.is_none(),
        });
        let declared = self.datagrams.iter().filter(|group| group.answers.is_none());
        let datagrams = declared.enumerate().map(|(place, group)| Demand {
            name: format!("datagrams.{}", group.name),
            key: format!("datagrams.{place}.count"),
            unit: DemandUnit::Datagrams,
            size: group.sources.len() as u32,
            endless: false,
        });
        populations.chain(flows).chain(datagrams).collect()
    }

    /// For each link, in the order of [`crate::Network::links`], whether data travels on it: whether it lies
    /// on the route from a server to a browser at which somebody sits, or from the sender of a flow or of
    /// datagrams to the receiver. Requests, acknowledgements and echoes, which travel the other way, are no
    /// data. The port of a line's router counts only where it shapes: without that it holds nothing back and
    /// is as good as a wire.
    #[must_use]
    pub fn data_links(&self) -> Vec<bool> {
        self.data_links_of(|_| true)
    }

    /// As [`Scenario::data_links`], of the demands alone whose places in [`Scenario::demands`] count.
    pub fn data_links_of(&self, counts: impl Fn(usize) -> bool) -> Vec<bool> {
        let routes = Routes::new(&self.network);
        let mut data = DataLinks::new(&self.network, &routes);
        let sources = self.sources_by_destination(counts);
        let mut by_entrances: BTreeMap<Vec<NodeIndex>, Vec<NodeIndex>> = BTreeMap::new();
        for &destination in sources.keys() {
            by_entrances.entry(routes.entrances(destination)).or_default().push(destination);
        }
        for (entrances, destinations) in by_entrances {
            let distances = routes.distances(&entrances);
            let mut passed = BTreeMap::new();
            for destination in destinations {
                data.add(destination, &sources[&destination], &distances, &mut passed);
            }
        }
        let links = self.network.links.iter().zip(data.carries);
        links.map(|(link, carries)| carries && !self.is_wire_in_router(link)).collect()
    }

    fn is_wire_in_router(&self, link: &Link) -> bool {
        self.document.line.is_some() && is_in_router(&link.name) && !link.is_shaped()
    }

    /// The dotted key of the queue discipline in front of a link; none if it has none.
    ///
    /// # Panics
    /// If the index is not of this scenario's network.
    #[must_use]
    pub fn queue_key(&self, link: LinkIndex) -> Option<String> {
        self.network.link(link).queue.as_ref()?;
        if let Some(port) = self.document.port(link.0 as usize) {
            return Some(port.queue_key);
        }
        let own =
            self.document.dumbbell.as_ref().is_some_and(|dumbbell| dumbbell.queue_right_to_left.is_some());
        self.key_of_queued(link, ["queue", "queue_right_to_left"], own)
    }

    /// The dotted key of the rate of a link with a queue discipline; none if it has none.
    ///
    /// # Panics
    /// If the index is not of this scenario's network.
    #[must_use]
    pub fn rate_key(&self, link: LinkIndex) -> Option<String> {
        self.network.link(link).queue.as_ref()?;
        if let Some(port) = self.document.port(link.0 as usize) {
            return Some(port.rate_key);
        }
        let own = self
            .document
            .dumbbell
            .as_ref()
            .is_some_and(|dumbbell| dumbbell.rate_right_to_left_mbps.is_some());
        self.key_of_queued(link, ["rate_mbps", "rate_right_to_left_mbps"], own)
    }

    /// The dotted key of something about a link with a queue: of the two between the routers of a dumbbell,
    /// that from right to left has a key of its own where one is given.
    fn key_of_queued(&self, link: LinkIndex, [both, right_to_left]: [&str; 2], own: bool) -> Option<String> {
        let Self { network, document: Document { dumbbell, topology, line, .. }, .. } = self;
        let link = network.link(link);
        if line.is_some() {
            let [queue, rate] = keys_of(&link.name)?;
            return Some(if both == "queue" { queue } else { rate }.to_owned());
        }
        if dumbbell.is_some() {
            let name = if own && link.from > link.to { right_to_left } else { both };
            return Some(format!("dumbbell.{name}"));
        }
        let ends = (&network.node(link.from).group, &network.node(link.to).group);
        let place = topology.as_ref()?.links.iter().position(|table| {
            let one_way = (&table.from, &table.to) == ends;
            one_way || (table.both_ways && (&table.to, &table.from) == ends)
        })?;
        Some(format!("topology.links.{place}.{both}"))
    }

    /// Who sends data to each machine that receives any, for the demands that count.
    fn sources_by_destination(
        &self,
        counts: impl Fn(usize) -> bool,
    ) -> BTreeMap<NodeIndex, Vec<&[NodeIndex]>> {
        let mut sources: BTreeMap<NodeIndex, Vec<&[NodeIndex]>> = BTreeMap::new();
        let answers = |group| matches!(group, TrafficGroup::Datagrams(group) if group.answers.is_some());
        // Groups that answer stand behind all demands and are none.
        let groups = self.traffic().enumerate().filter(|(place, own)| !answers(*own) && counts(*place));
        for (group, conversation) in
            groups.flat_map(|(_, group)| group.conversations().map(move |own| (group, own)))
        {
            let Way { from, to } = conversation.data();
            // Users take their machines in turn: where nobody sits nothing arrives.
            for &receiver in &to[..to.len().min(group.size())] {
                sources.entry(receiver).or_default().push(from);
            }
        }
        sources
    }
}

/// Machines that send, and the one to which they send if some machine has a link to it of its own.
type Senders = (*const NodeIndex, usize, Option<NodeIndex>);

/// The links that carry data, as they are found.
struct DataLinks<'a> {
    network: &'a Network,
    routes: &'a Routes<'a>,
    carries: Vec<bool>,
    /// By node, the walk that came past it last.
    passed_by: Vec<u32>,
    walks: u32,
}

impl<'a> DataLinks<'a> {
    fn new(network: &'a Network, routes: &'a Routes<'a>) -> Self {
        let (links, nodes) = (network.links.len(), network.nodes.len());
        Self { network, routes, carries: vec![false; links], passed_by: vec![0; nodes], walks: 0 }
    }

    /// Adds what these sources send to a destination. All destinations with the same entrances are reached
    /// alike up to their last link: `last_nodes` remembers whence these leave.
    fn add(
        &mut self,
        destination: NodeIndex,
        sources: &[&[NodeIndex]],
        distances: &Distances,
        last_nodes: &mut BTreeMap<Senders, Vec<NodeIndex>>,
    ) {
        let has_neighbours = self
            .routes
            .arriving(destination)
            .iter()
            .any(|&link| self.network.node(self.network.link(link).from).kind == NodeKind::Host);
        for machines in sources {
            let senders = (machines.as_ptr(), machines.len(), has_neighbours.then_some(destination));
            let last =
                last_nodes.entry(senders).or_insert_with(|| self.walk(machines, destination, distances));
            for &node in last.iter() {
                if let Some(link) = self.routes.next(node, destination, distances) {
                    self.carries[link.0 as usize] = true;
                }
            }
        }
    }

    /// Follows the routes from these machines up to the last node before the destination; answers with these
    /// nodes.
    fn walk(
        &mut self,
        machines: &[NodeIndex],
        destination: NodeIndex,
        distances: &Distances,
    ) -> Vec<NodeIndex> {
        self.walks += 1;
        let mut last_nodes = Vec::new();
        for &machine in machines {
            let mut node = machine;
            // Behind a node that a route has passed, all routes to one destination are the same.
            while std::mem::replace(&mut self.passed_by[node.0 as usize], self.walks) != self.walks {
                let Some(link) = self.routes.next(node, destination, distances) else { break };
                let next = self.network.link(link).to;
                if next == destination {
                    last_nodes.push(node);
                    break;
                }
                self.carries[link.0 as usize] = true;
                node = next;
            }
        }
        last_nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Groups of machines behind a ring of five routers, some with two ways out, and one with a wire to
    /// another.
    fn ring() -> Scenario {
        let mut text = "name = \"ring\"\nduration_s = 1.0\n".to_owned();
        let mut node = |name: &str, kind: &str, count: u32| {
            let _ =
                write!(text, "[[topology.nodes]]\nname = \"{name}\"\nkind = \"{kind}\"\ncount = {count}\n");
        };
        (0..5).for_each(|n| node(&format!("r{n}"), "router", 1));
        (0..6).for_each(|n| node(&format!("g{n}"), "host", 1 + n % 3));
        let mut link = |from: String, to: String| {
            let _ = write!(text, "[[topology.links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate_mbps = 1.0\n");
        };
        (0..5).for_each(|n| link(format!("r{n}"), format!("r{}", (n + 1) % 5)));
        (0..6).for_each(|n| link(format!("g{n}"), format!("r{}", n % 5)));
        (0..3).for_each(|n| link(format!("g{}", 2 * n), format!("r{}", (2 * n + 3) % 5)));
        link("g3".to_owned(), "g4".to_owned());
        text = text.replace("from = \"g3\"\nto = \"g4\"", "from = \"g3\"\nto = \"g1\"");
        for (n, (browsers, servers)) in [(0, 1), (2, 1), (2, 4), (5, 0)].into_iter().enumerate() {
            let _ = write!(
                text,
                "[[populations]]\nname = \"p{n}\"\nbrowsers = \"g{browsers}\"\nservers = \"g{servers}\"\ncount = 2\n"
            );
        }
        for receivers in ["g4", "g1"] {
            let _ = write!(text, "[[flows]]\ncount = 3\nsenders = \"g3\"\nreceivers = \"{receivers}\"\n");
        }
        Scenario::from_toml(&text, "ring", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn data_links_are_those_of_all_paths_one_by_one() {
        let scenario = ring();
        let mut expected = vec![false; scenario.network.links.len()];
        for (destination, sources) in scenario.sources_by_destination(|_| true) {
            for &source in sources.into_iter().flatten() {
                for link in scenario.network.path(source, destination).unwrap() {
                    expected[link.0 as usize] = true;
                }
            }
        }
        assert_eq!(scenario.data_links(), expected);
        let carrying = expected.iter().filter(|&&carries| carries).count();
        assert!((8..expected.len() - 8).contains(&carrying), "{carrying} of {}", expected.len());
    }

    #[test]
    fn nobody_is_asked_whether_what_is_sent_back_counts() {
        let group = |name: &str, more: &str| {
            format!(
                "[[datagrams]]\nname = \"{name}\"\ncount = 1\ndirection = \"left-to-right\"\npacket_bytes = 99\n{more}\n"
            )
        };
        let groups =
            [group("ping", "rate_mbps = 0.1\necho = true"), group("call", "adaptive_video = {}")].concat();
        let text = "name = \"a\"\nduration_s = 1\n[dumbbell]\nrate_mbps = 1\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 9 }\n";
        let scenario = Scenario::from_toml(&format!("{text}{groups}"), "a", &[]).unwrap();
        let demands = scenario.demands();
        assert_eq!((demands.len(), scenario.datagrams.len()), (2, 4));
        let of_call = scenario.data_links_of(|place| demands[place].name == "datagrams.call");
        assert_eq!(of_call, scenario.data_links());
    }

    #[test]
    fn the_links_of_the_demands_together_are_the_data_links() {
        let scenario = ring();
        let demands = scenario.demands().len();
        assert_eq!(demands, 6);
        let each: Vec<Vec<bool>> =
            (0..demands).map(|own| scenario.data_links_of(|place| place == own)).collect();
        let together = |link: usize| each.iter().any(|links| links[link]);
        let links = scenario.network.links.len();
        assert_eq!(scenario.data_links(), (0..links).map(together).collect::<Vec<bool>>());
        assert!(each.iter().all(|links| *links != scenario.data_links()));
    }
}
