//! The network of a dumbbell.
//!
//! Two routers and the bottleneck link between them, one link each way. Each machine reaches its router over
//! its interface, at the interface's rate. A router reaches a machine over an ideal wire: a switch port as
//! fast as the bottleneck never queues what the bottleneck lets through one after another, and a model of it
//! would cost an event per packet and change nothing. Where the bottleneck is the faster one (the uncongested
//! twin), the wait of a burst at the port is left out.

use super::conditions::{Given, OverTime, check_netem};
use super::quantity::{megabits_per_second, milliseconds};
use super::service::service;
use super::traffic::{check_ordinals, check_scheme, check_shaper};
use crate::document::{BROWSERS_LEFT, BROWSERS_RIGHT, ConditionsWay, Dumbbell, SERVERS_LEFT, SERVERS_RIGHT};
use crate::mistakes::Mistakes;
use crate::network::{Impairment, Link, Network, Node, NodeIndex, NodeKind};
use aqmlab_aqm::PortFacts;
use aqmlab_link::{Framing, ServiceModel};
use aqmlab_units::{Rate, Span};
use std::collections::BTreeMap;

const ROUTER_LEFT: NodeIndex = NodeIndex(0);
const ROUTER_RIGHT: NodeIndex = NodeIndex(1);

/// The network of a dumbbell: routers first, then the left side's machines, then the right side's; the
/// bottleneck links first, then each machine's two.
pub(super) fn network(
    dumbbell: &Dumbbell,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Network {
    check_schemes(dumbbell, mistakes);
    let services = services(dumbbell, files, mistakes);
    let over_time = over_time(dumbbell, files, mistakes);
    let mut network =
        Network { nodes: vec![router("router-left"), router("router-right")], links: Vec::new() };
    add_bottleneck(&mut network, dumbbell, services, over_time);
    for (group, count, router) in [
        (BROWSERS_LEFT, dumbbell.browser_machines_per_side, ROUTER_LEFT),
        (SERVERS_LEFT, dumbbell.server_machines_per_side, ROUTER_LEFT),
        (BROWSERS_RIGHT, dumbbell.browser_machines_per_side, ROUTER_RIGHT),
        (SERVERS_RIGHT, dumbbell.server_machines_per_side, ROUTER_RIGHT),
    ] {
        let interface_rate = megabits_per_second(dumbbell.interface_rate_mbps);
        for index in 0..count {
            add_machine(&mut network, group, index, router, interface_rate, dumbbell.framing());
        }
    }
    network
}

fn check_schemes(dumbbell: &Dumbbell, mistakes: &mut Mistakes<'_>) {
    if dumbbell.queue_right_to_left.is_none() {
        let rates = [dumbbell.rate_mbps, dumbbell.rate_back_mbps()];
        let remedy = "queue_right_to_left with a rate_mbps of its own, or none in queue";
        check_shaper("dumbbell.queue", &dumbbell.queue, &rates, remedy, mistakes);
    }
    if !mistakes.concern("dumbbell.queue.rate_mbps") {
        check_scheme("dumbbell.queue", &dumbbell.queue, Some(dumbbell.rate_mbps), mistakes);
    }
    let back = Some(dumbbell.rate_back_mbps());
    if let Some(scheme) = &dumbbell.queue_right_to_left {
        check_scheme("dumbbell.queue_right_to_left", scheme, back, mistakes);
    } else if !mistakes.concern("dumbbell.queue.rate_mbps")
        && dumbbell.queue.validate_at(&PortFacts::new(megabits_per_second(dumbbell.rate_mbps))).is_ok()
    {
        // What a scheme derives from the rate must be legal at either; what is wrong at both is told once.
        check_scheme("dumbbell.queue", &dumbbell.queue, back, mistakes);
    }
    let twin = Some(dumbbell.uncongested_rate_mbps);
    check_scheme("dumbbell.uncongested_queue", &dumbbell.uncongested_queue, twin, mistakes);
    check_ordinals("dumbbell.drop", &dumbbell.drop, mistakes);
    check_ordinals("dumbbell.drop_right_to_left", &dumbbell.drop_right_to_left, mistakes);
}

fn router(name: &str) -> Node {
    Node { name: name.to_owned(), group: name.to_owned(), kind: NodeKind::Router }
}

/// How both directions serve packets, each beside its rate.
fn services(
    dumbbell: &Dumbbell,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> [ServiceModel; 2] {
    let back = match dumbbell.rate_right_to_left_mbps {
        Some(rate_mbps) => ("dumbbell.rate_right_to_left_mbps", rate_mbps),
        None => ("dumbbell.rate_mbps", dumbbell.rate_mbps),
    };
    let there = ("dumbbell.rate_mbps", dumbbell.rate_mbps);
    [
        (
            ("dumbbell.rate_trace_file", dumbbell.rate_trace_file.as_ref()),
            ("dumbbell.medium", dumbbell.medium.as_ref()),
            there,
        ),
        (
            ("dumbbell.rate_right_to_left_trace_file", dumbbell.rate_right_to_left_trace_file.as_ref()),
            ("dumbbell.medium_right_to_left", dumbbell.medium_right_to_left.as_ref()),
            back,
        ),
    ]
    .map(|(trace, medium, rate)| service(trace, medium, rate, files, mistakes))
}

/// What the file of conditions says of both directions.
fn over_time(
    dumbbell: &Dumbbell,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> [OverTime; 2] {
    check_netem(dumbbell.netem.as_ref(), "dumbbell.netem", dumbbell.delay_ms, mistakes);
    let back = dumbbell.netem_right_to_left.as_ref();
    check_netem(back, "dumbbell.netem_right_to_left", dumbbell.delay_ms, mistakes);
    if dumbbell.conditions_file.is_none() && !dumbbell.conditions_end.is_repeat() {
        let legal = "conditions_end together with conditions_file";
        mistakes.value("dumbbell.conditions_end", "there is no file of conditions", legal);
    }
    let own = [
        (
            ConditionsWay::Down,
            ("dumbbell.rate_mbps", dumbbell.rate_mbps),
            ("dumbbell.loss_probability", dumbbell.loss_probability),
            [
                ("dumbbell.medium", dumbbell.medium.is_some()),
                ("dumbbell.rate_trace_file", dumbbell.rate_trace_file.is_some()),
            ],
        ),
        (
            ConditionsWay::Up,
            ("dumbbell.rate_right_to_left_mbps", dumbbell.rate_back_mbps()),
            ("dumbbell.loss_probability_right_to_left", dumbbell.loss_probability_right_to_left),
            [
                ("dumbbell.medium_right_to_left", dumbbell.medium_right_to_left.is_some()),
                ("dumbbell.rate_right_to_left_trace_file", dumbbell.rate_right_to_left_trace_file.is_some()),
            ],
        ),
    ];
    own.map(|(way, rate_mbps, loss_probability, others)| {
        let given = Given {
            file: ("dumbbell.conditions_file", dumbbell.conditions_file.as_ref()),
            way,
            end: dumbbell.conditions_end,
            rate_mbps,
            delay_ms: ("dumbbell.delay_ms", dumbbell.delay_ms),
            loss_probability,
            sends_by: others.into_iter().find(|(_, is_given)| *is_given).map(|(key, _)| key),
        };
        OverTime::of(&given, files, mistakes)
    })
}

fn add_bottleneck(
    network: &mut Network,
    dumbbell: &Dumbbell,
    services: [ServiceModel; 2],
    over_time: [OverTime; 2],
) {
    let back = dumbbell.queue_right_to_left.as_ref().unwrap_or(&dumbbell.queue);
    let impaired = Impairment::new(&dumbbell.drop, dumbbell.loss_probability, dumbbell.ecn_field);
    let impaired_back = Impairment::new(
        &dumbbell.drop_right_to_left,
        dumbbell.loss_probability_right_to_left,
        dumbbell.ecn_field_right_to_left,
    );
    let directions = [
        ("left-to-right", ROUTER_LEFT, ROUTER_RIGHT, dumbbell.rate_mbps, &dumbbell.queue, impaired),
        ("right-to-left", ROUTER_RIGHT, ROUTER_LEFT, dumbbell.rate_back_mbps(), back, impaired_back),
    ];
    let netem = [dumbbell.netem, dumbbell.netem_right_to_left];
    let vary = services.into_iter().zip(over_time).zip(netem);
    for ((name, from, to, rate_mbps, queue, impairment), ((service, over_time), netem)) in
        directions.into_iter().zip(vary)
    {
        let link = Link {
            name: name.to_owned(),
            from,
            to,
            rate: Some(megabits_per_second(rate_mbps)),
            service,
            delay: milliseconds(dumbbell.delay_ms),
            delay_model: None,
            framing: dumbbell.framing(),
            queue: Some(queue.clone()),
            shaping: None,
            layer2_queued_bytes: dumbbell.layer2_queued_bytes,
            transmit_ring_packets: dumbbell.transmit_ring_packets,
            impairment,
            monitored: true,
        };
        network.links.push(over_time.on(link, netem));
    }
}

fn add_machine(
    network: &mut Network,
    group: &str,
    index: u32,
    router: NodeIndex,
    interface_rate: Rate,
    framing: Framing,
) {
    let name = format!("{group}-{index}");
    let machine = NodeIndex(network.nodes.len() as u32);
    let router_name = network.node(router).name.clone();
    let link = |from: (NodeIndex, &str), to: (NodeIndex, &str), rate: Option<Rate>| Link {
        name: format!("{}-to-{}", from.1, to.1),
        from: from.0,
        to: to.0,
        rate,
        service: ServiceModel::Constant,
        delay: Span::ZERO,
        delay_model: None,
        framing,
        queue: None,
        shaping: None,
        layer2_queued_bytes: 0,
        transmit_ring_packets: 0,
        impairment: None,
        monitored: false,
    };
    network.links.push(link((machine, &name), (router, &router_name), Some(interface_rate)));
    network.links.push(link((router, &router_name), (machine, &name), None));
    network.nodes.push(Node { name, group: group.to_owned(), kind: NodeKind::Host });
}
