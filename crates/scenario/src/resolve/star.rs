//! The network of a star: the hub, the homes, the servers; the access links first, the two directions of each
//! together, then each server's two links.

use super::ports::{add_machines, add_node, add_ports, check_ports, machine_names};
use crate::document::{HOMES, Star};
use crate::mistakes::Mistakes;
use crate::network::{Network, NodeKind};

pub(super) fn network(star: &Star, mistakes: &mut Mistakes<'_>) -> Network {
    check_ports(star, (&star.uncongested_queue, star.uncongested_rate_mbps), mistakes);
    let mut network = Network { nodes: Vec::new(), links: Vec::new() };
    add_node(&mut network, HUB.to_owned(), HUB, NodeKind::Router);
    for name in machine_names(HOMES, star.homes) {
        add_node(&mut network, name, HOMES, NodeKind::Host);
    }
    add_ports(&mut network, star, (star.framing(), star.layer2_queued_bytes));
    add_machines(&mut network, &star.servers(), star.framing());
    network
}

const HUB: &str = "hub";
