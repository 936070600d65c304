//! The ways that packets take from machine to machine.

use super::link::QueuedLink;
use crate::addresses::Addresses;
use aqmlab_driver::{datagram_sources::pings, serializer_of};
use aqmlab_link::Serializer;
use aqmlab_random::Key;
use aqmlab_scenario::{LinkIndex, NodeIndex, Routes, Scenario};
use aqmlab_units::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A link, as a packet meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    /// It takes this long.
    Wire(Span),
    /// It has a rate and no queue discipline; its propagation delay follows.
    Interface(usize, Span),
    /// It has a queue.
    Queue(usize),
}

/// The stages of all ways.
pub(crate) struct Paths {
    stages: Vec<Vec<Stage>>,
    between: BTreeMap<[u32; 2], u32>,
    /// Machines that programs of the user's count as: an opener and its answerer.
    pub(crate) guests: Option<[u32; 2]>,
    /// The way of probes, past all links, which takes [`PROBE_DELAY`].
    pub(crate) probe: u32,
}

/// What a probe is delayed on either way.
pub(crate) const PROBE_DELAY: Span = Span::from_milliseconds(10);

impl Paths {
    /// The ways between all machines that have something to say to each other, and the links on them.
    pub(crate) fn of(
        scenario: &Scenario,
        addresses: &Addresses,
        key: Key,
    ) -> (Self, Vec<QueuedLink>, Vec<Serializer>) {
        let (mut queues, mut interfaces, mut monitored) = (Vec::new(), Vec::new(), 0..);
        let links = (0..).map(LinkIndex).zip(&scenario.network.links);
        let stage_of: Vec<Option<Stage>> = links
            .map(|(number, link)| {
                if let (Some(rate), Some(scheme)) = (link.rate, &link.queue) {
                    let place = if link.monitored { monitored.next() } else { None };
                    queues.push(QueuedLink::new((number, place), link, (rate, scheme), key));
                    Some(Stage::Queue(queues.len() - 1))
                } else if let Some(serializer) = serializer_of(link) {
                    interfaces.push(serializer);
                    Some(Stage::Interface(interfaces.len() - 1, link.delay))
                } else {
                    (link.delay > Span::ZERO).then_some(Stage::Wire(link.delay))
                }
            })
            .collect();
        let routes = Routes::new(&scenario.network);
        let pinged = pings(scenario);
        let pairs: BTreeSet<[NodeIndex; 2]> =
            pairs(scenario).into_iter().chain(pinged[..pinged.len() / 2].iter().copied()).collect();
        let stages = vec![vec![Stage::Wire(PROBE_DELAY)]];
        let mut paths = Self { stages, between: BTreeMap::new(), guests: None, probe: 0 };
        for [from, to] in pairs.iter().flat_map(|&[active, passive]| [[active, passive], [passive, active]]) {
            let Some(way) = routes.path(from, to) else { continue };
            let number = u32::try_from(paths.stages.len()).unwrap_or(u32::MAX);
            paths.stages.push(way.iter().filter_map(|link| stage_of[link.0 as usize]).collect());
            paths.between.insert([from, to].map(|node| addresses.machine(node)), number);
        }
        paths.guests = guest_ends(scenario).map(|ends| ends.map(|node| addresses.machine(node)));
        (paths, queues, interfaces)
    }

    /// The way between two machines.
    pub(crate) fn between(&self, from: u32, to: u32) -> Option<u32> {
        self.between.get(&[from, to]).copied()
    }

    pub(crate) fn stage(&self, path: u32, passed: u16) -> Option<&Stage> {
        self.stages[path as usize].get(usize::from(passed))
    }
}

/// In whose place programs of the user's stand: that of the first user and a server of theirs, or of the ends
/// of the first flow.
pub(crate) fn guest_ends(scenario: &Scenario) -> Option<[NodeIndex; 2]> {
    let mut connected: Vec<_> = scenario.traffic().filter(|group| group.connections().is_some()).collect();
    // Sides without users are populations too.
    connected.sort_by_key(|group| group.size() == 0);
    let conversation = connected.into_iter().find_map(|group| group.conversations().next());
    conversation.map(|conversation| conversation.first_pair())
}

/// Who opens connections or sends datagrams to whom.
fn pairs(scenario: &Scenario) -> BTreeSet<[NodeIndex; 2]> {
    scenario.conversations().flat_map(|conversation| conversation.pairs()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_stand_where_users_are() {
        let text = |left: u32, right: u32| {
            format!(
                "name = \"n\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 1.0\n\
                 queue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n[users]\nleft = {left}\nright = {right}\n"
            )
        };
        let group_of = |left, right| {
            let scenario = Scenario::from_toml(&text(left, right), "test", &[]).unwrap();
            let [program, _] = guest_ends(&scenario).unwrap();
            let name = |node: NodeIndex| scenario.network.nodes[node.0 as usize].name.clone();
            name(program)
        };
        assert!(group_of(0, 2).starts_with("browsers-right"), "{}", group_of(0, 2));
        assert!(group_of(2, 0).starts_with("browsers-left"), "{}", group_of(2, 0));
        assert!(group_of(1, 1).starts_with("browsers-left"), "{}", group_of(1, 1));
    }
}
