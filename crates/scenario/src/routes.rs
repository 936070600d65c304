//! Paths through a network.

use crate::network::{LinkIndex, Network, NodeIndex, NodeKind};
use std::collections::VecDeque;

impl Network {
    /// The links from one node to another, in order: a path of the fewest links; of several such, the one
    /// whose links come first in [`Network::links`], link by link from the start. Only routers forward.
    /// None when there is no path; empty when both nodes are one.
    ///
    /// Time grows with the links of the network: this is for preparing a run.
    #[must_use]
    pub fn path(&self, from: NodeIndex, to: NodeIndex) -> Option<Vec<LinkIndex>> {
        let leaving = self.links_by_sender();
        let mut arrived_by: Vec<Option<LinkIndex>> = vec![None; self.nodes.len()];
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            if node == to {
                return Some(self.walk_back(&arrived_by, from, to));
            }
            if node != from && self.node(node).kind == NodeKind::Host {
                continue;
            }
            for &link in &leaving[node.0 as usize] {
                let next = self.link(link).to;
                if next != from && arrived_by[next.0 as usize].is_none() {
                    arrived_by[next.0 as usize] = Some(link);
                    waiting.push_back(next);
                }
            }
        }
        None
    }

    /// The node at an index.
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn node(&self, index: NodeIndex) -> &crate::Node {
        &self.nodes[index.0 as usize]
    }

    /// The link at an index.
    ///
    /// # Panics
    /// If the index is not of this network.
    #[must_use]
    pub fn link(&self, index: LinkIndex) -> &crate::Link {
        &self.links[index.0 as usize]
    }

    /// The hosts of a machine group, in order; empty when no host belongs to it.
    #[must_use]
    pub fn machines(&self, group: &str) -> Vec<NodeIndex> {
        let hosts = self.nodes.iter().zip(0..).filter(|(node, _)| node.kind == NodeKind::Host);
        hosts.filter(|(node, _)| node.group == group).map(|(_, index)| NodeIndex(index)).collect()
    }

    fn links_by_sender(&self) -> Vec<Vec<LinkIndex>> {
        let mut leaving = vec![Vec::new(); self.nodes.len()];
        for (link, index) in self.links.iter().zip(0..) {
            leaving[link.from.0 as usize].push(LinkIndex(index));
        }
        leaving
    }

    fn walk_back(&self, arrived_by: &[Option<LinkIndex>], from: NodeIndex, to: NodeIndex) -> Vec<LinkIndex> {
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let link = arrived_by[node.0 as usize].expect("every node on the way was arrived at");
            path.push(link);
            node = self.link(link).from;
        }
        path.reverse();
        path
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
    fn hosts_do_not_forward() {
        let through_a_host = network(&[("a", false), ("h", false), ("b", false)], &[(0, 1), (1, 2)]);
        assert_eq!(path(&through_a_host, 0, 2), None);
        assert_eq!(path(&through_a_host, 0, 1), Some(vec![0]));
    }

    #[test]
    fn a_loop_ends() {
        let ring =
            network(&[("a", false), ("r", true), ("s", true), ("b", false)], &[(0, 1), (1, 2), (2, 1)]);
        assert_eq!(path(&ring, 0, 3), None);
    }
}
