//! Routes through a network.
//!
//! Packets take a path of the fewest links. Only routers forward. Where several links lead on equally short
//! paths, a node uses the one that is listed first in [`Network::links`].

use crate::network::{LinkIndex, Network, NodeIndex, NodeKind};
use std::collections::VecDeque;

impl Network {
    /// For each node, in the order of [`Network::nodes`], the link on which it sends what is for `destination`;
    /// none at the destination itself and where there is no route. Time grows with nodes and links.
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn next_links(&self, destination: NodeIndex) -> Vec<Option<LinkIndex>> {
        let hops = self.hops_to(destination);
        let mut next = vec![None; self.nodes.len()];
        for (link, index) in self.links.iter().zip(0..) {
            let (from, to) = (link.from.0 as usize, link.to.0 as usize);
            let forwards = link.to == destination || self.nodes[to].kind == NodeKind::Router;
            let is_on_a_shortest_path = hops[from].is_some() && hops[from] == hops[to].map(|hops| hops + 1);
            if forwards && is_on_a_shortest_path && next[from].is_none() {
                next[from] = Some(LinkIndex(index));
            }
        }
        next
    }

    /// The links from one node to another, in order; none when there is no route, empty when both are one node.
    /// Time grows with the nodes and links of the network: this is for preparing a run.
    ///
    /// # Panics
    /// If an index is not of this network.
    #[must_use]
    pub fn path(&self, from: NodeIndex, to: NodeIndex) -> Option<Vec<LinkIndex>> {
        let next = self.next_links(to);
        let mut path = Vec::new();
        let mut node = from;
        while node != to {
            let link = next[node.0 as usize]?;
            path.push(link);
            node = self.link(link).to;
        }
        Some(path)
    }

    /// How many links each node is away from `destination`, over routers; none where there is no way.
    fn hops_to(&self, destination: NodeIndex) -> Vec<Option<u32>> {
        let mut arriving = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            arriving[link.to.0 as usize].push(link.from);
        }
        let mut hops = vec![None; self.nodes.len()];
        hops[destination.0 as usize] = Some(0);
        let mut reached = VecDeque::from([(destination, 0)]);
        while let Some((node, away)) = reached.pop_front() {
            if node != destination && self.node(node).kind == NodeKind::Host {
                continue;
            }
            for &sender in &arriving[node.0 as usize] {
                if hops[sender.0 as usize].is_none() {
                    hops[sender.0 as usize] = Some(away + 1);
                    reached.push_back((sender, away + 1));
                }
            }
        }
        hops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Framing, Link, Node};
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
            delay: Span::ZERO,
            framing: Framing { overhead_bytes: 0, minimum_frame_bytes: 0, gap_bytes: 0 },
            queue: None,
            transmit_ring_packets: 0,
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
