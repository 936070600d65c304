//! What the networks of shorthands with several ports are made of.

use super::quantity::{megabits_per_second, milliseconds};
use super::traffic::{check_scheme, check_shaper};
use crate::Scheme;
use crate::document::{MachineGroup, Port, Ports};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Link, Network, Node, NodeIndex, NodeKind};
use aqmlab_link::{Framing, ServiceModel};
use std::collections::{BTreeMap, BTreeSet};

/// Checks every scheme at the rate of each port that has it. What is wrong with a scheme is told once, by its
/// key.
pub(super) fn check_schemes(ports: &impl Ports, mistakes: &mut Mistakes<'_>) {
    check_shapers(ports, mistakes);
    let mut checked = BTreeSet::new();
    for port in ports.ports() {
        let fresh = checked.insert((port.queue_key.clone(), port.rate_mbps.to_bits()));
        if fresh && !mistakes.concern(&port.queue_key) {
            check_scheme(&port.queue_key, port.queue, Some(port.rate_mbps), mistakes);
        }
    }
}

/// A shaper that several ports share shapes links of one rate.
fn check_shapers(ports: &impl Ports, mistakes: &mut Mistakes<'_>) {
    let mut shared: BTreeMap<String, (&Scheme, Vec<f64>)> = BTreeMap::new();
    for Port { queue_key, queue, rate_mbps, .. } in ports.ports() {
        shared.entry(queue_key).or_insert((queue, Vec::new())).1.push(rate_mbps);
    }
    for (key, (scheme, rates)) in shared {
        let remedy = "a queue with a rate_mbps of its own where the rate is another, or none";
        check_shaper(&key, scheme, &rates, remedy, mistakes);
    }
}

/// Checks the scheme of the uncongested twin of the shorthand at `path`.
pub(super) fn check_twin(path: &str, scheme: &Scheme, rate_mbps: f64, mistakes: &mut Mistakes<'_>) {
    check_scheme(&joined(path, "uncongested_queue"), scheme, Some(rate_mbps), mistakes);
}

/// Adds a node.
pub(super) fn add_node(network: &mut Network, name: String, group: &str, kind: NodeKind) {
    network.nodes.push(Node { name, group: group.to_owned(), kind });
}

/// The names of the machines of a group.
pub(super) fn machine_names(group: &str, count: u32) -> impl Iterator<Item = String> {
    (0..count).map(move |index| if count == 1 { group.to_owned() } else { format!("{group}-{index}") })
}

/// Adds the links with a queue, which counts so many bytes of the link layer with each packet, in their
/// order.
pub(super) fn add_ports(
    network: &mut Network,
    ports: &impl Ports,
    (framing, layer2_queued_bytes): (Framing, u32),
) {
    for Port { from, to, rate_mbps, delay_ms, queue, .. } in ports.ports() {
        let mut link = interface(network, (NodeIndex(from), NodeIndex(to)), (rate_mbps, delay_ms), framing);
        link.queue = Some(queue.clone());
        link.layer2_queued_bytes = layer2_queued_bytes;
        link.monitored = true;
        network.links.push(link);
    }
}

/// Adds the machines of a group, and a link from and to each of them without limit to its queue.
pub(super) fn add_machines(network: &mut Network, group: &MachineGroup, framing: Framing) {
    let router = NodeIndex(group.router);
    for name in machine_names(&group.name, group.count) {
        let machine = NodeIndex(network.nodes.len() as u32);
        add_node(network, name, &group.name, NodeKind::Host);
        for ends in [(machine, router), (router, machine)] {
            let link = interface(network, ends, (group.rate_mbps, group.delay_ms), framing);
            network.links.push(link);
        }
    }
}

/// A link with a rate and a first-in first-out queue without limit, which is not recorded.
fn interface(
    network: &Network,
    (from, to): (NodeIndex, NodeIndex),
    (rate_mbps, delay_ms): (f64, f64),
    framing: Framing,
) -> Link {
    Link {
        name: format!("{}-to-{}", network.node(from).name, network.node(to).name),
        from,
        to,
        rate: Some(megabits_per_second(rate_mbps)),
        service: ServiceModel::Constant,
        delay: milliseconds(delay_ms),
        framing,
        queue: None,
        layer2_queued_bytes: 0,
        transmit_ring_packets: 0,
        impairment: None,
        monitored: false,
    }
}
