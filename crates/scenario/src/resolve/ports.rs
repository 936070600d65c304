//! What the networks of shorthands with several ports are made of.

use super::quantity::{megabits_per_second, milliseconds};
use super::traffic::{check_scheme, check_shaper};
use crate::Scheme;
use crate::document::{MachineGroup, Port, Ports};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Link, Network, Node, NodeIndex, NodeKind};
use aqmlab_link::{Framing, ServiceModel};
use std::collections::{BTreeMap, BTreeSet};

/// Checks the settings of links: every scheme, that of the uncongested twin among them, and the tables of
/// single links.
pub(super) fn check_ports<P: Ports>(
    ports: &P,
    (uncongested_queue, uncongested_rate_mbps): (&Scheme, f64),
    mistakes: &mut Mistakes<'_>,
) {
    check_schemes(ports, mistakes);
    let twin_key = joined(P::PATH, "uncongested_queue");
    check_scheme(&twin_key, uncongested_queue, Some(uncongested_rate_mbps), mistakes);
    check_tables(ports, mistakes);
}

/// Every table of a single link is of one that there is, and of another one than those before.
fn check_tables<P: Ports>(ports: &P, mistakes: &mut Mistakes<'_>) {
    let (name, count) = (P::LINK, ports.link_count());
    let mut seen = BTreeSet::new();
    for (index, link) in ports.links_with_a_table().enumerate() {
        let key = format!("{}.links.{index}.{name}", P::PATH);
        if link >= count {
            let wrong = format!("there is no {name} {link} among {count}");
            mistakes.value(&key, wrong, format!("0 to {}", count - 1));
        } else if !seen.insert(link) {
            mistakes.value(&key, format!("{name} {link} a second time"), format!("each {name} once"));
        }
    }
}

/// Checks every scheme at the rate of each port that has it. What is wrong with a scheme is told once, by its
/// key.
fn check_schemes(ports: &impl Ports, mistakes: &mut Mistakes<'_>) {
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
        let wire = Wire { rate_mbps, delay_ms, framing };
        let mut link = interface(network, (NodeIndex(from), NodeIndex(to)), wire);
        link.queue = Some(queue.clone());
        link.layer2_queued_bytes = layer2_queued_bytes;
        link.monitored = true;
        network.links.push(link);
    }
}

/// Adds the machines of a group, and a link from and to each of them without limit to its queue.
pub(super) fn add_machines(network: &mut Network, group: &MachineGroup, framing: Framing) {
    let router = NodeIndex(group.router);
    let wire = Wire { rate_mbps: group.rate_mbps, delay_ms: group.delay_ms, framing };
    for name in machine_names(&group.name, group.count) {
        let machine = NodeIndex(network.nodes.len() as u32);
        add_node(network, name, &group.name, NodeKind::Host);
        for ends in [(machine, router), (router, machine)] {
            network.links.push(interface(network, ends, wire));
        }
    }
}

/// What a link is but for its ends and its queue.
#[derive(Clone, Copy)]
struct Wire {
    rate_mbps: f64,
    delay_ms: f64,
    framing: Framing,
}

/// A link with a rate and a first-in first-out queue without limit, which is not recorded.
fn interface(network: &Network, (from, to): (NodeIndex, NodeIndex), wire: Wire) -> Link {
    let Wire { rate_mbps, delay_ms, framing } = wire;
    Link {
        name: format!("{}-to-{}", network.node(from).name, network.node(to).name),
        from,
        to,
        rate: Some(megabits_per_second(rate_mbps)),
        service: ServiceModel::Constant,
        delay: milliseconds(delay_ms),
        delay_model: None,
        framing,
        queue: None,
        shaping: None,
        layer2_queued_bytes: 0,
        transmit_ring_packets: 0,
        impairment: None,
        monitored: false,
    }
}
