//! Who talks to whom: the groups of traffic of a scenario, and the machines between which each of them sends
//! packets.
//!
//! Whatever depends on all traffic (routes, hosts, tables, memory, the links that carry data) is derived from
//! this one list.

use crate::HostProfile;
use crate::network::NodeIndex;
use crate::scenario::{DatagramGroup, DelayBox, FlowGroup, Population, Scenario, ShaperFollower};
use aqmlab_transport::OtherTransport;
use aqmlab_units::Span;
use std::slice::from_ref;

/// A population, a group of flows or a group of datagrams.
#[derive(Clone, Copy, Debug)]
pub enum TrafficGroup<'a> {
    /// Browsing users.
    Users(&'a Population),
    /// Long-lived flows.
    Flows(&'a FlowGroup),
    /// Sources of datagrams.
    Datagrams(&'a DatagramGroup),
}

/// What a group of traffic consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandUnit {
    /// Browsing users.
    Users,
    /// Long-lived flows.
    Flows,
    /// Sources of datagrams.
    Datagrams,
}

impl DemandUnit {
    /// Its plural, which is also the first part of `--demand`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::Flows => "flows",
            Self::Datagrams => "datagrams",
        }
    }
}

/// What a population or a group of flows says of its connections. Datagrams have none.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionGroup<'a> {
    /// Name of the population or group.
    pub name: &'a str,
    /// The TCP of both ends; where they have another transport, the one that comes nearest, for estimates.
    pub profile: &'a HostProfile,
    /// What carries its connections; none: TCP.
    pub transport: Option<OtherTransport>,
    /// What packets meet at the routers that their senders hang on.
    pub delay_box: Option<DelayBox>,
    /// Differentiated services codepoint of the packets, both ways, from 0 to 63.
    pub dscp: u8,
}

/// Machines that talk to each other: each of one end to each of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversation<'a> {
    /// The machines of both ends, neither empty: those that open connections or send datagrams, and those
    /// that answer or receive.
    pub ends: [&'a [NodeIndex]; 2],
    /// Whether the second end sends packets too.
    pub is_answered: bool,
    /// Whether an end has packets that enter the network at once, without a delay of their own.
    pub enters_at_once: [bool; 2],
    /// Which end sends the data: a server, or the sender of a flow or of datagrams.
    pub data_from: usize,
}

/// Packets in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way<'a> {
    /// The machines that send them.
    pub from: &'a [NodeIndex],
    /// The machines that receive them.
    pub to: &'a [NodeIndex],
}

impl<'a> Conversation<'a> {
    /// From the first end to the second, and back if that answers.
    pub fn ways(&self) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let [one, other] = self.ends;
        let back = self.is_answered.then_some(Way { from: other, to: one });
        std::iter::once(Way { from: one, to: other }).chain(back)
    }

    /// The direction of the data, as opposed to requests and acknowledgements.
    #[must_use]
    pub const fn data(&self) -> Way<'a> {
        Way { from: self.ends[self.data_from], to: self.ends[1 - self.data_from] }
    }

    /// The machines of both ends.
    pub fn machines(&self) -> impl Iterator<Item = NodeIndex> + use<'a> {
        let [one, other] = self.ends;
        one.iter().chain(other).copied()
    }

    /// Each machine of the first end with each of the second.
    pub fn pairs(&self) -> impl Iterator<Item = [NodeIndex; 2]> + use<'a> {
        let [one, other] = self.ends;
        one.iter().flat_map(move |&one| other.iter().map(move |&other| [one, other]))
    }

    /// The first machine of each end: those of a group have the same links, so one pair speaks for all.
    #[must_use]
    pub const fn first_pair(&self) -> [NodeIndex; 2] {
        [self.ends[0][0], self.ends[1][0]]
    }
}

impl<'a> TrafficGroup<'a> {
    /// Its name, unique among groups of its kind.
    #[must_use]
    pub fn name(self) -> &'a str {
        match self {
            Self::Users(population) => &population.name,
            Self::Flows(group) => &group.name,
            Self::Datagrams(group) => &group.name,
        }
    }

    /// What it consists of.
    #[must_use]
    pub const fn unit(self) -> DemandUnit {
        match self {
            Self::Users(_) => DemandUnit::Users,
            Self::Flows(_) => DemandUnit::Flows,
            Self::Datagrams(_) => DemandUnit::Datagrams,
        }
    }

    /// How many users, flows or sources it has.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Users(population) => population.users as usize,
            Self::Flows(group) => group.flows.len(),
            Self::Datagrams(group) => group.sources.len(),
        }
    }

    /// What it says of its connections; none for datagrams.
    #[must_use]
    pub fn connections(self) -> Option<ConnectionGroup<'a>> {
        match self {
            Self::Users(Population { name, profile, transport, delay_box, dscp, .. })
            | Self::Flows(FlowGroup { name, profile, transport, delay_box, dscp, .. }) => {
                let (transport, delay_box, dscp) = (*transport, *delay_box, *dscp);
                Some(ConnectionGroup { name, profile, transport, delay_box, dscp })
            }
            Self::Datagrams(_) => None,
        }
    }

    /// Its conversations: one of a population, one of each flow and of each source of datagrams.
    pub fn conversations(self) -> impl Iterator<Item = Conversation<'a>> {
        let count = if matches!(self, Self::Users(_)) { 1 } else { self.size() };
        (0..count).map(move |place| self.conversation(place))
    }

    fn conversation(self, place: usize) -> Conversation<'a> {
        match self {
            Self::Users(Population { browsers, servers, .. }) => Conversation {
                ends: [browsers, servers],
                is_answered: true,
                // The delay of a user's connection is on the browser's packets.
                enters_at_once: [false, true],
                data_from: 1,
            },
            Self::Flows(group) => {
                let flow = &group.flows[place];
                Conversation {
                    ends: [from_ref(&flow.sender), from_ref(&flow.receiver)],
                    is_answered: true,
                    enters_at_once: [flow.delay_from_sender, flow.delay_from_receiver]
                        .map(|delay| delay == Span::ZERO),
                    data_from: 0,
                }
            }
            Self::Datagrams(group) => {
                let [from, to] = &group.sources[place];
                Conversation {
                    ends: [from_ref(from), from_ref(to)],
                    is_answered: false,
                    enters_at_once: [true, false],
                    data_from: 0,
                }
            }
        }
    }
}

impl ShaperFollower {
    /// With each reflector, which sends back what it gets.
    fn conversations(&self) -> impl Iterator<Item = Conversation<'_>> {
        self.reflectors.iter().map(|reflector| Conversation {
            ends: [from_ref(&self.node), from_ref(reflector)],
            is_answered: true,
            enters_at_once: [true, true],
            data_from: 0,
        })
    }
}

impl Scenario {
    /// Every population, then every group of flows, then every group of datagrams, in the order of the
    /// document.
    pub fn traffic(&self) -> impl Iterator<Item = TrafficGroup<'_>> + Clone {
        let users = self.populations.iter().map(TrafficGroup::Users);
        let flows = self.flows.iter().map(TrafficGroup::Flows);
        users.chain(flows).chain(self.datagrams.iter().map(TrafficGroup::Datagrams))
    }

    /// What populations and then groups of flows say of their connections.
    pub fn connection_groups(&self) -> impl Iterator<Item = ConnectionGroup<'_>> + Clone {
        self.traffic().filter_map(TrafficGroup::connections)
    }

    /// Who talks to whom, in the order of [`Scenario::traffic`]; then whom a program in the router pings.
    pub fn conversations(&self) -> impl Iterator<Item = Conversation<'_>> {
        self.traffic().flat_map(TrafficGroup::conversations).chain(self.pings())
    }

    /// Whom a program in the router pings, if there is one.
    pub(crate) fn pings(&self) -> impl Iterator<Item = Conversation<'_>> {
        self.shaper_follower.iter().flat_map(ShaperFollower::conversations)
    }

    /// How many users, flows or sources of datagrams there are.
    #[must_use]
    pub fn count_of(&self, unit: DemandUnit) -> usize {
        self.traffic().filter(|group| group.unit() == unit).map(TrafficGroup::size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
name = "talk"
duration_s = 1.0
[topology]
nodes = [
  { name = "home", kind = "host", count = 2 },
  { name = "r", kind = "router" },
  { name = "site", kind = "host", count = 3 },
]
links = [
  { from = "home", to = "r", rate_mbps = 10.0 },
  { from = "r", to = "site", rate_mbps = 10.0 },
]
[[populations]]
name = "people"
browsers = "home"
servers = "site"
count = 5
[[flows]]
name = "upload"
count = 2
senders = "home"
receivers = "site"
base_rtt_ms = 10.0
delay_on = "receiver"
[[datagrams]]
name = "calls"
count = 1
senders = "site"
receivers = "home"
packet_bytes = 200
rate_mbps = 0.1
"#;

    fn scenario() -> Scenario {
        Scenario::from_toml(TEXT, "talk", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn users_talk_to_all_servers_flows_and_datagrams_from_machine_to_machine() {
        let scenario = scenario();
        let node = |name: &str| {
            let place = scenario.network.nodes.iter().position(|node| node.name == name);
            NodeIndex(u32::try_from(place.expect("a node of this name")).expect("a small network"))
        };
        let nodes = |names: &[&str]| names.iter().map(|name| node(name)).collect::<Vec<_>>();
        let named = |group: &str| {
            let group = scenario.traffic().find(|own| own.name() == group).expect("a group of this name");
            group.conversations().map(|own| own.ends.map(<[NodeIndex]>::to_vec)).collect::<Vec<_>>()
        };
        let (homes, sites) = (nodes(&["home-0", "home-1"]), nodes(&["site-0", "site-1", "site-2"]));
        assert_eq!(named("people"), [[homes.clone(), sites.clone()]]);
        let pair = |from: &NodeIndex, to: &NodeIndex| [vec![*from], vec![*to]];
        assert_eq!(named("upload"), [pair(&homes[0], &sites[0]), pair(&homes[1], &sites[1])]);
        assert_eq!(named("calls"), [pair(&sites[0], &homes[0])]);
        assert_eq!(scenario.conversations().count(), 4);
    }

    #[test]
    fn data_go_from_servers_and_senders_and_datagrams_have_no_answer() {
        let scenario = scenario();
        for (group, data_from, ways) in [("people", 1, 2), ("upload", 0, 2), ("calls", 0, 1)] {
            let group = scenario.traffic().find(|own| own.name() == group).expect("a group of this name");
            for conversation in group.conversations() {
                let Way { from, to } = conversation.data();
                assert_eq!([from, to], [0, 1].map(|end| conversation.ends[end ^ data_from]));
                assert_eq!(conversation.ways().count(), ways, "{}", group.name());
            }
        }
    }

    #[test]
    fn an_end_enters_at_once_unless_each_of_its_packets_is_delayed() {
        let at_once = |conversation: Conversation<'_>| conversation.enters_at_once;
        let found: Vec<[bool; 2]> = scenario().conversations().map(at_once).collect();
        assert_eq!(found, [[false, true], [true, false], [true, false], [true, false]]);
    }

    #[test]
    fn connections_are_those_of_populations_and_flows() {
        let scenario = scenario();
        let names: Vec<&str> = scenario.connection_groups().map(|group| group.name).collect();
        assert_eq!(names, ["people", "upload"]);
        let counts = [DemandUnit::Users, DemandUnit::Flows, DemandUnit::Datagrams];
        assert_eq!(counts.map(|unit| scenario.count_of(unit)), [5, 2, 1]);
    }
}
