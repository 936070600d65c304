//! The network of a topology.

use super::conditions::{Given, OverTime, check_netem};
use super::quantity::{megabits_per_second, milliseconds};
use super::service::service;
use super::traffic::{check_ordinals, check_scheme};
use super::unused;
use crate::document::{ConditionsWay, LinkTable, NodeTable, Topology};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Impairment, Link, Network, Node, NodeIndex, NodeKind};
use aqmlab_link::ServiceModel;
use std::collections::{BTreeMap, BTreeSet};

/// The network of a topology: nodes and links in the order of the document, the machines of a group
/// together, a link's two directions together.
pub(super) fn network(
    topology: &Topology,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Network {
    let mut network = Network { nodes: Vec::new(), links: Vec::new() };
    let (mut groups, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (index, table) in topology.nodes.iter().enumerate() {
        let path = format!("topology.nodes.{index}");
        let group = add_nodes(&mut network, table, &path, mistakes);
        check_nodes(&network, group, &mut taken, (table, &path), mistakes);
        groups.insert(table.name.as_str(), group);
    }
    let mut pairs = BTreeSet::new();
    let mut names = BTreeSet::new();
    for (index, table) in topology.links.iter().enumerate() {
        let path = format!("topology.links.{index}");
        check_link(table, &path, mistakes);
        let service = service_of(table, &path, files, mistakes);
        let over_time = over_time(table, &path, files, mistakes);
        check_netem(table.netem.as_ref(), &joined(&path, "netem"), table.delay_ms, mistakes);
        let from = ends(&groups, &table.from, &joined(&path, "from"), mistakes);
        let to = ends(&groups, &table.to, &joined(&path, "to"), mistakes);
        let (Some(from), Some(to)) = (from, to) else { continue };
        if check_pair(table, from, to, &path, &mut pairs, mistakes) {
            let first = network.links.len();
            add_links(&mut network, table, (&service, &over_time), from, to);
            check_own_name(table, network.links.len() - first, &path, mistakes);
            check_names(&network.links[first..], &path, &mut names, mistakes);
        }
    }
    if !mistakes.concern("topology") {
        check_joined(topology, &network, &groups, mistakes);
    }
    network
}

/// A node without a link was meant to have one, or to be left out.
fn check_joined(
    topology: &Topology,
    network: &Network,
    groups: &BTreeMap<&str, Group>,
    mistakes: &mut Mistakes<'_>,
) {
    let joined_nodes: BTreeSet<NodeIndex> =
        network.links.iter().flat_map(|link| [link.from, link.to]).collect();
    for (index, table) in topology.nodes.iter().enumerate() {
        let first = NodeIndex(groups[table.name.as_str()].first);
        if !joined_nodes.contains(&first) {
            let wrong = format!("no link leads from or to \"{}\"", table.name);
            let legal = "a node that a link names, or none";
            mistakes.value(&format!("topology.nodes.{index}.name"), wrong, legal);
        }
    }
}

/// The nodes of one table of nodes: a range of indices.
#[derive(Clone, Copy)]
struct Group {
    first: u32,
    count: u32,
}

impl Group {
    fn nodes(self) -> impl Iterator<Item = NodeIndex> {
        (self.first..self.first + self.count).map(NodeIndex)
    }
}

fn add_nodes(network: &mut Network, table: &NodeTable, path: &str, mistakes: &mut Mistakes<'_>) -> Group {
    if table.kind == NodeKind::Router && table.count != 1 {
        let wrong = format!("{} routers in one group", table.count);
        mistakes.value(&joined(path, "count"), wrong, "1 for a router: give each router a name of its own");
    }
    let group = Group { first: network.nodes.len() as u32, count: table.count };
    let name_of =
        |index| if table.count == 1 { table.name.clone() } else { format!("{}-{index}", table.name) };
    for name in (0..table.count).map(name_of) {
        network.nodes.push(Node { name, group: table.name.clone(), kind: table.kind });
    }
    group
}

/// No group, and no machine of one, has the name of an earlier one.
fn check_nodes(
    network: &Network,
    group: Group,
    taken: &mut BTreeSet<String>,
    (table, path): (&NodeTable, &str),
    mistakes: &mut Mistakes<'_>,
) {
    let own = &network.nodes[group.first as usize..];
    let names: BTreeSet<&str> = own.iter().map(|node| node.name.as_str()).chain([&*table.name]).collect();
    if names.iter().any(|name| taken.contains(*name)) {
        let wrong = format!("a second node named \"{}\"", table.name);
        mistakes.value(&joined(path, "name"), wrong, "a name of its own");
    }
    taken.extend(names.into_iter().map(ToOwned::to_owned));
}

fn ends(groups: &BTreeMap<&str, Group>, name: &str, key: &str, mistakes: &mut Mistakes<'_>) -> Option<Group> {
    let group = groups.get(name).copied();
    if group.is_none() {
        let legal: Vec<&str> = groups.keys().copied().collect();
        mistakes.unknown_name(key, "node", name, &legal);
    }
    group
}

fn check_link(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if let Some(scheme) = &table.queue {
        let rate_mbps = table.shaper.map(|shaper| shaper.rate_mbps).or(table.rate_mbps);
        check_scheme(&joined(path, "queue"), scheme, rate_mbps, mistakes);
    }
    check_shaper(table, path, mistakes);
    if let Some(scheme) = &table.uncongested_queue {
        let rate = table.uncongested_rate_mbps.or(table.rate_mbps);
        check_scheme(&joined(path, "uncongested_queue"), scheme, rate, mistakes);
    }
    if let (Some(rate), Some(twin)) = (table.rate_mbps, table.uncongested_rate_mbps)
        && twin < rate
    {
        let wrong =
            format!("{twin} is below rate_mbps = {rate}: the uncongested network would be the slower one");
        mistakes.value(&joined(path, "uncongested_rate_mbps"), wrong, format!("at least {rate}"));
    }
    check_ordinals(&joined(path, "drop"), &table.drop, mistakes);
    unused::check_link(table, path, mistakes);
}

/// A shaper holds a queue back, and below its link's rate.
fn check_shaper(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let Some(shaper) = table.shaper else { return };
    let key = joined(path, "shaper");
    let (Some(rate_mbps), Some(_)) = (table.rate_mbps, &table.queue) else {
        mistakes.value(
            &key,
            "nothing waits in front of a link without a queue",
            "together with rate_mbps and queue",
        );
        return;
    };
    if shaper.rate_mbps > rate_mbps {
        let wrong = format!("{} is above rate_mbps = {rate_mbps} of its link", shaper.rate_mbps);
        mistakes.value(&joined(&key, "rate_mbps"), wrong, format!("at most {rate_mbps}"));
    }
}

/// What is wrong with a trace or a medium where nothing has a rate, or nothing waits, is told with the link.
fn service_of(
    table: &LinkTable,
    path: &str,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> ServiceModel {
    let Some(rate_mbps) = table.rate_mbps else { return ServiceModel::Constant };
    let [trace, medium, rate] = ["rate_trace_file", "medium", "rate_mbps"].map(|key| joined(path, key));
    let (trace, medium) = ((&*trace, table.rate_trace_file.as_ref()), (&*medium, table.medium.as_ref()));
    service(trace, medium, (&rate, rate_mbps), files, mistakes)
}

/// What the file of a link says of it. Where nothing has a rate, or nothing waits, that is told with the
/// link.
fn over_time(
    table: &LinkTable,
    path: &str,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> OverTime {
    let keys = ["conditions_file", "rate_mbps", "delay_ms", "loss_probability", "medium", "rate_trace_file"]
        .map(|key| joined(path, key));
    let [file, rate, delay, loss, medium, trace] = &keys;
    let Some(rate_mbps) = table.rate_mbps else { return OverTime::default() };
    let sends_by = table.medium.as_ref().map(|_| &**medium);
    let given = Given {
        file: (file, table.conditions_file.as_ref()),
        way: table.conditions_way.unwrap_or(ConditionsWay::Down),
        end: table.conditions_end,
        rate_mbps: (rate, rate_mbps),
        delay_ms: (delay, table.delay_ms),
        loss_probability: (loss, table.loss_probability),
        sends_by: sends_by.or_else(|| table.rate_trace_file.as_ref().map(|_| &**trace)),
    };
    OverTime::of(&given, files, mistakes)
}

/// Whether a link may join these two: different nodes, of which at most one is a group of several, and no
/// link the same way already.
fn check_pair(
    table: &LinkTable,
    from: Group,
    to: Group,
    path: &str,
    pairs: &mut BTreeSet<(u32, u32)>,
    mistakes: &mut Mistakes<'_>,
) -> bool {
    let key = joined(path, "to");
    if from.first == to.first {
        mistakes.value(&key, format!("a link from \"{}\" to itself", table.from), "another node");
        return false;
    }
    if from.count > 1 && to.count > 1 {
        let wrong = format!("a link between two groups, \"{}\" and \"{}\"", table.from, table.to);
        mistakes.value(&key, wrong, "a link with a single node at one end at least");
        return false;
    }
    let mut fresh = pairs.insert((from.first, to.first));
    if table.both_ways {
        fresh &= pairs.insert((to.first, from.first));
    }
    if !fresh {
        let wrong = format!("a second link between \"{}\" and \"{}\" the same way", table.from, table.to);
        mistakes.value(&key, wrong, "one link each way, which both_ways = true gives already");
    }
    fresh
}

/// A name of its own is for one link.
fn check_own_name(table: &LinkTable, links: usize, path: &str, mistakes: &mut Mistakes<'_>) {
    if let Some(name) = table.name.as_ref().filter(|_| links > 1) {
        let wrong = format!("{links} links named \"{name}\"");
        mistakes.value(
            &joined(path, "name"),
            wrong,
            "for a link one way between two nodes: both_ways = false",
        );
    }
}

/// Links are told apart by their names: results say them, and they address the random numbers of a queue. Two
/// are alike where the nodes' own names hold `-to-`.
fn check_names(links: &[Link], path: &str, names: &mut BTreeSet<String>, mistakes: &mut Mistakes<'_>) {
    for link in links {
        if !names.insert(link.name.clone()) {
            let wrong = format!("a second link named \"{}\"", link.name);
            mistakes.value(path, wrong, "nodes whose names, joined by \"-to-\", name no other link");
            return;
        }
    }
}

fn add_links(
    network: &mut Network,
    table: &LinkTable,
    varies: (&ServiceModel, &OverTime),
    from: Group,
    to: Group,
) {
    for sender in from.nodes() {
        for receiver in to.nodes() {
            add_link(network, table, varies, sender, receiver);
            if table.both_ways {
                add_link(network, table, varies, receiver, sender);
            }
        }
    }
}

fn add_link(
    network: &mut Network,
    table: &LinkTable,
    (service, over_time): (&ServiceModel, &OverTime),
    from: NodeIndex,
    to: NodeIndex,
) {
    let of_ends = || format!("{}-to-{}", network.node(from).name, network.node(to).name);
    let name = table.name.clone().unwrap_or_else(of_ends);
    let link = Link {
        name,
        from,
        to,
        rate: table.rate_mbps.map(megabits_per_second),
        service: service.clone(),
        delay: milliseconds(table.delay_ms),
        delay_model: None,
        framing: table.framing(),
        queue: table.queue.clone(),
        shaping: table.shaper.map(|shaper| shaper.shaping()),
        layer2_queued_bytes: table.layer2_queued_bytes,
        transmit_ring_packets: table.transmit_ring_packets,
        impairment: Impairment::new(&table.drop, table.loss_probability, table.ecn_field),
        monitored: table.monitored == Some(true),
    };
    network.links.push(over_time.clone().on(link, table.netem));
}
