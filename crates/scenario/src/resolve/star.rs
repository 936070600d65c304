//! The network of a star: the hub, the homes, the servers; the access links first, the two directions of each
//! together, then each server's two links.

use super::ports::{add_machines, add_node, add_ports, check_schemes, check_twin, machine_names};
use super::quantity::framing;
use crate::document::{HOMES, Star};
use crate::mistakes::Mistakes;
use crate::network::{Network, NodeKind};
use std::collections::BTreeSet;

pub(super) fn network(star: &Star, mistakes: &mut Mistakes<'_>) -> Network {
    check_schemes(star, mistakes);
    check_twin(PATH, &star.uncongested_queue, star.uncongested_rate_mbps, mistakes);
    check_links(star, mistakes);
    let framing = framing(star.layer2_overhead_bytes, star.layer2_minimum_frame_bytes, star.layer2_gap_bytes);
    let mut network = Network { nodes: Vec::new(), links: Vec::new() };
    add_node(&mut network, HUB.to_owned(), HUB, NodeKind::Router);
    for name in machine_names(HOMES, star.homes) {
        add_node(&mut network, name, HOMES, NodeKind::Host);
    }
    add_ports(&mut network, star, (framing, star.layer2_queued_bytes));
    add_machines(&mut network, &star.servers(), framing);
    network
}

const PATH: &str = "star";
const HUB: &str = "hub";

/// Every table of an access link is of a home that there is, and of another one than those before.
fn check_links(star: &Star, mistakes: &mut Mistakes<'_>) {
    let mut seen = BTreeSet::new();
    for (index, table) in star.links.iter().enumerate() {
        let key = format!("{PATH}.links.{index}.home");
        if table.home >= star.homes {
            let wrong = format!("there is no home {} among {}", table.home, star.homes);
            mistakes.value(&key, wrong, format!("0 to {}", star.homes - 1));
        } else if !seen.insert(table.home) {
            mistakes.value(&key, format!("home {} a second time", table.home), "each home once");
        }
    }
}
