//! The machines whose packets are of a class, where a port's queue has classes: names become addresses.

use crate::Scheme;
use crate::mistakes::Mistakes;
use crate::network::{Network, NodeKind};

/// Looks for the hosts that classes name. A node's address is its number.
pub(super) fn find(network: &mut Network, mistakes: &mut Mistakes<'_>) {
    let Network { nodes, links, .. } = network;
    let addresses = |name: &str| -> Vec<u32> {
        let is_meant = |node: &crate::network::Node| {
            node.kind == NodeKind::Host && (node.name == name || node.group == name)
        };
        (0..).zip(nodes.iter()).filter(|(_, node)| is_meant(node)).map(|(number, _)| number).collect()
    };
    let mut legal: Vec<&str> = Vec::new();
    for node in nodes.iter().filter(|node| node.kind == NodeKind::Host) {
        if !legal.contains(&&*node.group) {
            legal.push(&node.group);
        }
    }
    for link in links {
        let Some(Scheme::Htb(htb)) = &mut link.queue else { continue };
        for (place, name) in htb.find_hosts(addresses) {
            let key = format!("{}: queue.classes.{place}.hosts", link.name);
            mistakes.unknown_name(&key, "machine or group of machines", &name, &legal);
        }
    }
}
