//! Which links carry what the traffic asks for.

use crate::network::NodeIndex;
use crate::scenario::{Population, Scenario};
use std::collections::BTreeMap;

impl Scenario {
    /// For each link, in the order of [`crate::Network::links`], whether data travels on it: whether it lies on the
    /// route from a server to a browser at which somebody sits, or from the sender of a flow to its receiver. Requests
    /// and acknowledgements, which travel the other way, are no data.
    #[must_use]
    pub fn data_links(&self) -> Vec<bool> {
        let mut carries = vec![false; self.network.links.len()];
        for (destination, sources) in self.sources_by_destination() {
            let next = self.network.next_links(destination);
            // Behind a node that a route has passed, all routes to one destination are the same.
            let mut passed = vec![false; self.network.nodes.len()];
            for source in sources.into_iter().flatten() {
                let mut node = source.0 as usize;
                while !std::mem::replace(&mut passed[node], true) {
                    let Some(link) = next[node] else { break };
                    carries[link.0 as usize] = true;
                    node = self.network.link(link).to.0 as usize;
                }
            }
        }
        carries
    }

    /// Who sends data to each machine that receives any.
    fn sources_by_destination(&self) -> BTreeMap<NodeIndex, Vec<&[NodeIndex]>> {
        let mut sources: BTreeMap<NodeIndex, Vec<&[NodeIndex]>> = BTreeMap::new();
        for population in &self.populations {
            for &browser in occupied_browsers(population) {
                sources.entry(browser).or_default().push(&population.servers);
            }
        }
        for flow in self.flows.iter().flat_map(|group| &group.flows) {
            sources.entry(flow.receiver).or_default().push(std::slice::from_ref(&flow.sender));
        }
        sources
    }
}

/// The machines at which somebody sits: users take them in turn.
fn occupied_browsers(population: &Population) -> &[NodeIndex] {
    let occupied = population.browsers.len().min(population.users as usize);
    &population.browsers[..occupied]
}
