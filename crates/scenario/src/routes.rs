//! Routes through a network.
//!
//! Packets take a path of the fewest links. Only routers forward. Where several links lead on equally short
//! paths, a node uses the one that is listed first in [`Network::links`].
//!
//! Hosts never forward, so how far routers are from a host depends on nothing but the routers that have a
//! link to it, its entrances: one search serves all hosts behind the same routers.

use crate::network::{LinkIndex, Network, NodeIndex, NodeKind};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// So many searches are remembered: whoever asks for many paths asks for those of a few directions in turn.
const REMEMBERED: usize = 8;

/// The routes through one network, prepared for many questions. Time and memory grow with nodes and links.
#[derive(Debug)]
pub struct Routes<'a> {
    network: &'a Network,
    leaving: LinksByNode,
    arriving: LinksByNode,
    /// Links from routers to routers.
    trunks_leaving: LinksByNode,
    trunks_arriving: LinksByNode,
    /// The last searches that paths needed, by the entrances.
    searched: RefCell<VecDeque<(Vec<NodeIndex>, Rc<Distances>)>>,
}

/// How far each router is from the hosts behind some routers.
#[derive(Debug)]
pub struct Distances {
    /// Links to such a host, by node; none for hosts, and where there is no way.
    links: Vec<Option<u32>>,
    /// The routers that have a way, the nearest first.
    pub nearest_first: Vec<NodeIndex>,
}

impl<'a> Routes<'a> {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &'a Network) -> Self {
        let is_trunk = |link: LinkIndex| {
            let link = network.link(link);
            [link.from, link.to].iter().all(|&node| network.node(node).kind == NodeKind::Router)
        };
        let (from, to) = (|link| network.link(link).from, |link| network.link(link).to);
        Self {
            network,
            leaving: LinksByNode::new(network, |_| true, from),
            arriving: LinksByNode::new(network, |_| true, to),
            trunks_leaving: LinksByNode::new(network, is_trunk, from),
            trunks_arriving: LinksByNode::new(network, is_trunk, to),
            searched: RefCell::default(),
        }
    }

    /// The links that leave a node, in the order of the network.
    #[must_use]
    pub fn leaving(&self, node: NodeIndex) -> &[LinkIndex] {
        self.leaving.of(node)
    }

    /// The links that lead to a node, in the order of the network.
    #[must_use]
    pub fn arriving(&self, node: NodeIndex) -> &[LinkIndex] {
        self.arriving.of(node)
    }

    /// The routers that have a link to `destination`, in ascending order.
    #[must_use]
    pub fn entrances(&self, destination: NodeIndex) -> Vec<NodeIndex> {
        let senders = self.arriving(destination).iter().map(|&link| self.network.link(link).from);
        let mut routers: Vec<NodeIndex> =
            senders.filter(|&node| self.network.node(node).kind == NodeKind::Router).collect();
        routers.sort_unstable();
        routers.dedup();
        routers
    }

    /// How far each router is from a destination with these entrances.
    #[must_use]
    pub fn distances(&self, entrances: &[NodeIndex]) -> Distances {
        let mut links = vec![None; self.network.nodes.len()];
        let mut nearest_first = entrances.to_vec();
        entrances.iter().for_each(|entrance| links[entrance.0 as usize] = Some(1));
        let mut reached = 0;
        while let Some(&router) = nearest_first.get(reached) {
            reached += 1;
            let farther = links[router.0 as usize].map(|links| links + 1);
            for &trunk in self.trunks_arriving.of(router) {
                let sender = self.network.link(trunk).from;
                if links[sender.0 as usize].is_none() {
                    links[sender.0 as usize] = farther;
                    nearest_first.push(sender);
                }
            }
        }
        Distances { links, nearest_first }
    }

    /// The link on which `node` sends what is for the host `destination`, given the distances from its
    /// entrances; none at the destination itself and where there is no route.
    #[must_use]
    pub fn next(&self, node: NodeIndex, destination: NodeIndex, distances: &Distances) -> Option<LinkIndex> {
        if node == destination {
            return None;
        }
        // A router may have very many links, and all but those to other routers lead to hosts.
        let candidates = match (self.network.node(node).kind, distances.links[node.0 as usize]) {
            (NodeKind::Host, _) => self.leaving.of(node),
            (NodeKind::Router, Some(1)) => self.arriving.of(destination),
            (NodeKind::Router, _) => self.trunks_leaving.of(node),
        };
        let far = |link: LinkIndex| {
            let link = self.network.link(link);
            let beyond = if link.to == destination { Some(0) } else { distances.links[link.to.0 as usize] };
            beyond.filter(|_| link.from == node)
        };
        // The first of those that are equally near.
        candidates.iter().copied().filter(|&link| far(link).is_some()).min_by_key(|&link| far(link))
    }

    /// As [`Self::distances`], for which nothing is searched that was searched lately.
    fn remembered_distances(&self, entrances: Vec<NodeIndex>) -> Rc<Distances> {
        let mut searched = self.searched.borrow_mut();
        if let Some((_, known)) = searched.iter().find(|(of, _)| *of == entrances) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.distances(&entrances));
        searched.truncate(REMEMBERED - 1);
        searched.push_front((entrances, Rc::clone(&found)));
        found
    }

    /// The links from one node to the host `to`, in order; none when there is no route, empty when both are
    /// one node.
    #[must_use]
    pub fn path(&self, from: NodeIndex, to: NodeIndex) -> Option<Vec<LinkIndex>> {
        let distances = self.remembered_distances(self.entrances(to));
        let mut path = Vec::new();
        let mut node = from;
        while node != to {
            let link = self.next(node, to, &distances)?;
            path.push(link);
            node = self.network.link(link).to;
        }
        Some(path)
    }
}

/// Links by the node at one of their ends, in the order of the network.
#[derive(Debug)]
struct LinksByNode {
    links: Vec<LinkIndex>,
    /// Where the links of each node begin, and where the last one's end.
    begins: Vec<usize>,
}

impl LinksByNode {
    fn new(
        network: &Network,
        counts: impl Fn(LinkIndex) -> bool,
        end: impl Fn(LinkIndex) -> NodeIndex,
    ) -> Self {
        let all = (0..).map(LinkIndex).take(network.links.len());
        let mut links: Vec<LinkIndex> = all.filter(|&link| counts(link)).collect();
        links.sort_by_key(|&link| end(link));
        let node_of = |node: usize| links.partition_point(|&link| (end(link).0 as usize) < node);
        let begins = (0..=network.nodes.len()).map(node_of).collect();
        Self { links, begins }
    }

    fn of(&self, node: NodeIndex) -> &[LinkIndex] {
        let node = node.0 as usize;
        &self.links[self.begins[node]..self.begins[node + 1]]
    }
}

impl Network {
    /// For each node, in the order of [`Network::nodes`], the link on which it sends what is for the host
    /// `destination`; none at the destination itself and where there is no route. Time grows with nodes and
    /// links: who asks for many destinations prepares [`Routes`].
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn next_links(&self, destination: NodeIndex) -> Vec<Option<LinkIndex>> {
        let routes = Routes::new(self);
        let distances = routes.distances(&routes.entrances(destination));
        let nodes = (0..).map(NodeIndex).take(self.nodes.len());
        nodes.map(|node| routes.next(node, destination, &distances)).collect()
    }

    /// The links from one node to the host `to`, in order; none when there is no route, empty when both are
    /// one node. Time grows with nodes and links: who asks for many paths prepares [`Routes`].
    ///
    /// # Panics
    /// If an index is not of this network.
    #[must_use]
    pub fn path(&self, from: NodeIndex, to: NodeIndex) -> Option<Vec<LinkIndex>> {
        Routes::new(self).path(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Link, Node};
    use aqmlab_link::{Framing, ServiceModel};
    use aqmlab_units::Span;

    /// A network of `(name, is a router)` and one-way links by node numbers.
    fn network(nodes: &[(&str, bool)], links: &[(u32, u32)]) -> Network {
        let node = |(name, router): &(&str, bool)| Node {
            name: (*name).to_owned(),
            group: (*name).to_owned(),
            kind: if *router { NodeKind::Router } else { NodeKind::Host },
        };
        let link = |(from, to): &(u32, u32)| Link {
            name: format!("{from}-to-{to}"),
            from: NodeIndex(*from),
            to: NodeIndex(*to),
            rate: None,
            service: ServiceModel::Constant,
            delay: Span::ZERO,
            delay_model: None,
            framing: Framing::NONE,
            queue: None,
            shaping: None,
            layer2_queued_bytes: 0,
            transmit_ring_packets: 0,
            impairment: None,
            monitored: false,
        };
        Network { nodes: nodes.iter().map(node).collect(), links: links.iter().map(link).collect() }
    }

    fn path(network: &Network, from: u32, to: u32) -> Option<Vec<u32>> {
        let path = network.path(NodeIndex(from), NodeIndex(to))?;
        Some(path.into_iter().map(|link| link.0).collect())
    }

    #[test]
    fn the_shortest_path_is_taken() {
        // 0 -> 1 -> 2 -> 4 and the short cut 1 -> 4 over routers 1 and 2.
        let nodes = [("a", false), ("r", true), ("s", true), ("unused", true), ("b", false)];
        let network = network(&nodes, &[(0, 1), (1, 2), (2, 4), (1, 4)]);
        assert_eq!(path(&network, 0, 4), Some(vec![0, 3]));
        assert_eq!(path(&network, 4, 0), None);
        assert_eq!(path(&network, 0, 0), Some(vec![]));
    }

    #[test]
    fn of_equally_short_paths_the_first_listed_is_taken() {
        let nodes = [("a", false), ("r", true), ("s", true), ("b", false)];
        let upper_first = network(&nodes, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let lower_first = network(&nodes, &[(0, 2), (0, 1), (1, 3), (2, 3)]);
        assert_eq!(path(&upper_first, 0, 3), Some(vec![0, 2]));
        assert_eq!(path(&lower_first, 0, 3), Some(vec![0, 3]));
    }

    #[test]
    fn every_node_on_a_path_sends_on_its_own_next_link() {
        let nodes = [("a", false), ("r", true), ("s", true), ("b", false), ("alone", false)];
        let network = network(&nodes, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 2), (2, 0)]);
        let next = network.next_links(NodeIndex(3));
        assert_eq!(next, [Some(LinkIndex(0)), Some(LinkIndex(2)), Some(LinkIndex(3)), None, None]);
        assert_eq!(path(&network, 3, 0), Some(vec![4, 5]));
    }

    #[test]
    fn hosts_do_not_forward() {
        let through_a_host = network(&[("a", false), ("h", false), ("b", false)], &[(0, 1), (1, 2)]);
        assert_eq!(path(&through_a_host, 0, 2), None);
        assert_eq!(path(&through_a_host, 0, 1), Some(vec![0]));
    }

    #[test]
    fn a_way_through_a_host_is_no_way_however_short_or_early_listed() {
        let nodes = [("a", false), ("h", false), ("r", true), ("s", true), ("b", false)];
        let as_short = network(&nodes, &[(0, 1), (1, 4), (0, 2), (2, 4)]);
        assert_eq!(path(&as_short, 0, 4), Some(vec![2, 3]));
        let shorter = network(&nodes, &[(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)]);
        assert_eq!(path(&shorter, 0, 4), Some(vec![2, 3, 4]));
    }

    #[test]
    fn a_loop_ends() {
        let ring =
            network(&[("a", false), ("r", true), ("s", true), ("b", false)], &[(0, 1), (1, 2), (2, 1)]);
        assert_eq!(path(&ring, 0, 3), None);
    }
}
