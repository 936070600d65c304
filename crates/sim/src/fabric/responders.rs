//! Machines that do nothing but answer: receivers that acknowledge each segment when it arrives, and keep no
//! timer.
//!
//! What such a machine sends depends on nothing but what has arrived, and nobody else hears of it before. So
//! it can be asked as soon as the instant is known at which a packet will arrive, without an event of its
//! own. Nothing may be able to tell the difference: `forwarding.rs` asks in advance only where nobody counts
//! what was delivered until the packet is there.

use aqmlab_scenario::{DemandUnit, FlowGroup, Link, Network, NodeIndex, Routes, Scenario};
use aqmlab_tcp::{AckCounting, HostProfile, WindowUpdates};

/// By node, whether it is such a machine.
pub(crate) fn responders(scenario: &Scenario) -> Vec<bool> {
    let network = &scenario.network;
    let routes = Routes::new(network);
    let uses = uses(scenario);
    let mut responders = vec![false; network.nodes.len()];
    for group in scenario.flows.iter().filter(|group| only_acknowledges(group)) {
        for flow in group.flows.iter().filter(|flow| uses[flow.receiver.0 as usize] == 1) {
            responders[flow.receiver.0 as usize] = has_one_way_in_and_out(network, &routes, flow.receiver);
        }
    }
    responders
}

/// By node, in how many applications it takes part; users' machines count as used by many.
fn uses(scenario: &Scenario) -> Vec<u32> {
    let mut uses = vec![0; scenario.network.nodes.len()];
    for group in scenario.traffic() {
        let applications = if group.unit() == DemandUnit::Users { 2 } else { 1 };
        let machines = group.conversations().flat_map(|conversation| conversation.machines());
        machines.for_each(|node| uses[node.0 as usize] += applications);
    }
    let pinged = scenario.shaper_follower.iter().flat_map(|own| &own.reflectors);
    pinged.for_each(|node| uses[node.0 as usize] += 1);
    uses
}

/// Whether the receivers of a group never close, never wait with an acknowledgement, and never repeat one,
/// not even with another window.
fn only_acknowledges(group: &FlowGroup) -> bool {
    let HostProfile { delayed_ack, window_updates, .. } = &group.profile;
    group.bytes.is_none()
        && *window_updates == WindowUpdates::Never
        && group.profile.is_one_way()
        && delayed_ack.every_segments == 1
        && delayed_ack.counting == AckCounting::Segments
}

/// Whether a machine has one interface, so that packets come and go in the order of their instants.
fn has_one_way_in_and_out(network: &Network, routes: &Routes<'_>, node: NodeIndex) -> bool {
    let is_interface = |link: &Link| link.rate.is_some() && link.queue.is_none() && link.impairment.is_none();
    let (arriving, leaving) = (routes.arriving(node), routes.leaving(node));
    matches!((arriving, leaving), ([into], [out])
        if is_interface(network.link(*into)) && is_interface(network.link(*out)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows with receivers of their own, two that share one, and one whose receiver sends as well.
    const TEXT: &str = r#"
name = "responders"
duration_s = 1.0
[topology]
nodes = [
  { name = "senders", kind = "host", count = 2 },
  { name = "other", kind = "host" },
  { name = "r", kind = "router" },
  { name = "own", kind = "host", count = 2 },
  { name = "shared", kind = "host" },
]
links = [
  { from = "senders", to = "r", rate_mbps = 10.0 },
  { from = "other", to = "r", rate_mbps = 10.0 },
  { from = "r", to = "own", rate_mbps = 10.0 },
  { from = "r", to = "shared", rate_mbps = 10.0 },
]
[[flows]]
name = "alone"
count = 2
senders = "senders"
receivers = "own"
profile = "ns2-oneway"
base_rtt_ms = 10.0
[[flows]]
name = "together"
count = 2
senders = "senders"
receivers = "shared"
profile = "ns2-oneway"
base_rtt_ms = 10.0
[[flows]]
name = "back"
count = 1
senders = "shared"
receivers = "other"
profile = "ns2-oneway"
base_rtt_ms = 10.0
"#;

    fn named(overrides: &[(&str, &str)]) -> Vec<String> {
        named_in(TEXT, overrides)
    }

    fn named_in(text: &str, overrides: &[(&str, &str)]) -> Vec<String> {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let scenario =
            Scenario::from_toml(text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
        let found = responders(&scenario);
        let nodes = scenario.network.nodes.iter().zip(found);
        nodes.filter(|(_, found)| *found).map(|(node, _)| node.name.clone()).collect()
    }

    #[test]
    fn a_receiver_with_one_flow_and_one_interface_only_answers() {
        let expected = named(&[]);
        assert_eq!(expected.len(), 3, "{expected:?}");
        assert!(expected.iter().all(|name| name.starts_with("own") || name == "other"), "{expected:?}");
    }

    #[test]
    fn whoever_sends_or_browses_as_well_does_more_than_answer() {
        // The first of the two that receive one flow each sends another; then both are machines with users.
        assert_eq!(named(&[("flows.2.senders", "own")]), ["other", "own-1"]);
        let browsed = TEXT.to_owned()
            + "[[populations]]\nname = \"people\"\nbrowsers = \"own\"\nservers = \"shared\"\ncount = 2\n";
        assert_eq!(named_in(&browsed, &[]), ["other"]);
    }

    #[test]
    fn whoever_is_sent_datagrams_or_sends_them_does_more_than_answer() {
        let between = |senders: &str, receivers: &str| {
            let group = format!(
                "[[datagrams]]\ncount = 1\nsenders = \"{senders}\"\nreceivers = \"{receivers}\"\n\
                 packet_bytes = 500\nrate_mbps = 1.0\n"
            );
            named_in(&(TEXT.to_owned() + &group), &[])
        };
        assert_eq!(between("senders", "own"), ["other", "own-1"]);
        assert_eq!(between("own", "shared"), ["other", "own-1"]);
        assert_eq!(between("senders", "shared"), ["other", "own-0", "own-1"]);
    }

    #[test]
    fn whoever_closes_waits_or_handshakes_does_more_than_answer() {
        assert_eq!(named(&[("flows.0.bytes", "9000")]), ["other"]);
        assert_eq!(named(&[("flows.0.profile", "\"bsd45\"")]), ["other"]);
        assert_eq!(
            named(&[("topology.links.1.queue", "{ scheme = \"drop-tail\", limit_packets = 9 }")]).len(),
            2
        );
        assert_eq!(named(&[("topology.links.2.loss_probability", "0.5")]), ["other"]);
    }
}
