//! Whether the ends of all traffic reach each other, and whether their packets take time to do so.

use crate::conversations::{TrafficGroup, Way};
use crate::document::Document;
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex};
use crate::routes::Routes;
use crate::scenario::{DatagramGroup, Flow, FlowGroup, Population};
use aqmlab_units::Span;

/// Checks every population and group of flows or datagrams that was resolved. A network with mistakes is not
/// asked: links may be missing from it.
pub(super) fn check(
    document: &Document,
    network: &Network,
    (populations, flows, datagrams): (&[Population], &[FlowGroup], &[DatagramGroup]),
    mistakes: &mut Mistakes<'_>,
) {
    let of_dumbbell = if document.users.is_some() { 2 } else { 0 };
    let all_resolved =
        populations.len() == of_dumbbell + document.populations.len() && flows.len() == document.flows.len();
    let declared = datagrams.iter().filter(|group| group.answers.is_none()).count();
    let all_resolved = all_resolved && declared == document.datagrams.len();
    let network_is_wrong =
        ["devices", "line", "parking_lot", "star", "topology"].iter().any(|table| mistakes.concern(table));
    if network_is_wrong || !all_resolved {
        return;
    }
    let routes = Routes::new(network);
    for (index, population) in populations.iter().enumerate() {
        let path =
            index.checked_sub(of_dumbbell).map_or("users".to_owned(), |index| format!("populations.{index}"));
        let journey = Journey {
            group: TrafficGroup::Users(population),
            key: joined(&path, "servers"),
            delay_key: joined(&path, "minimum_delay_ms.low"),
            takes_time: population.minimum_delay.takes_time(),
        };
        journey.check(network, &routes, mistakes);
    }
    for (index, group) in flows.iter().enumerate() {
        let path = format!("flows.{index}");
        let delayed = |flow: &Flow| flow.delay_from_sender + flow.delay_from_receiver > Span::ZERO;
        let journey = Journey {
            group: TrafficGroup::Flows(group),
            key: joined(&path, "receivers"),
            delay_key: joined(&path, "base_rtt_ms"),
            takes_time: group.flows.iter().all(delayed),
        };
        journey.check(network, &routes, mistakes);
    }
    for (index, group) in datagrams.iter().enumerate() {
        let path = format!("datagrams.{}", group.answers.unwrap_or(index));
        let group = TrafficGroup::Datagrams(group);
        // Nobody answers datagrams, or just once: they may arrive at the instant at which they are sent.
        let journey = Journey { group, key: joined(&path, "receivers"), delay_key: path, takes_time: true };
        journey.check(network, &routes, mistakes);
    }
}

fn refuse_route(
    network: &Network,
    key: &str,
    (from, to): (NodeIndex, NodeIndex),
    mistakes: &mut Mistakes<'_>,
) {
    let legal = "groups joined both ways by links over routers";
    let wrong = format!("there is no route from {} to {}", network.node(from).name, network.node(to).name);
    mistakes.value(key, wrong, legal);
}

/// The way of a packet and of the answer to it. All machines of a group have the same links, so the first of
/// each speak for the others.
struct Journey<'a> {
    group: TrafficGroup<'a>,
    /// The key that says where the way leads.
    key: String,
    /// The key of a delay beside the links'.
    delay_key: String,
    /// Whether that delay is never zero.
    takes_time: bool,
}

impl Journey<'_> {
    fn check(&self, network: &Network, routes: &Routes<'_>, mistakes: &mut Mistakes<'_>) {
        let Some(conversation) = self.group.conversations().next() else { return };
        if conversation.ends.iter().any(|machines| machines.is_empty()) {
            return;
        }
        let name = |node: NodeIndex| &network.node(node).name;
        let mut takes_time = self.takes_time;
        for Way { from, to } in conversation.ways() {
            let (from, to) = (from[0], to[0]);
            let Some(path) = routes.path(from, to) else {
                return refuse_route(network, &self.key, (from, to), mistakes);
            };
            takes_time |= path.into_iter().any(|link| !network.link(link).is_ideal());
        }
        if !takes_time {
            // TCP would send and acknowledge for ever at one instant.
            let [one, other] = conversation.first_pair().map(name);
            let wrong = format!("nothing on the way from {one} to {other} and back takes time");
            let legal = "a delay above 0, or a link with rate_mbps or delay_ms on the way";
            mistakes.value(&self.delay_key, wrong, legal);
        }
    }
}
