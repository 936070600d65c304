//! The machines where connections end: their host profiles and clocks.

use crate::identifiers::{ClockId, ProfileId};
use aqmlab_random::Key;
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_session::{Owner, Side};
use aqmlab_tcp::{Context, HostClock, HostProfile};
use aqmlab_units::Span;
use std::collections::BTreeMap;

/// A node where connections end, and its clock under the profile of those who use it.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) node: NodeIndex,
    pub(crate) clock: ClockId,
}

/// Host profiles, and the clocks of the machines under them.
#[derive(Clone)]
pub(crate) struct Hosts {
    profiles: Vec<HostProfile>,
    clocks: Vec<HostClock>,
    /// Under which tick each node has which clock.
    known: BTreeMap<(Span, NodeIndex), ClockId>,
    /// The number that the phase of each node's clock is drawn from.
    phases: Vec<Key>,
    /// What the random numbers of congestion controllers are drawn from.
    controllers: Key,
    /// What those of connections that are not TCP's are drawn from.
    transports: Key,
}

impl Hosts {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Self {
        let profiles = scenario.connection_groups().map(|group| group.profile.clone()).collect();
        let nodes = scenario.network.nodes.iter();
        let phases = nodes.map(|node| key.named("clock phase").named(&node.name)).collect();
        let (controllers, transports) = (key.named("congestion control"), key.named("transport"));
        Self { profiles, clocks: Vec::new(), known: BTreeMap::new(), phases, controllers, transports }
    }

    /// A machine as those see it who use it under a profile. All clocks of one tick and node are one clock.
    pub(crate) fn machine(&mut self, profile: ProfileId, node: NodeIndex) -> Machine {
        let tick = self.profiles[profile.place()].retransmission.tick;
        let Self { clocks, known, phases, .. } = self;
        let clock = *known.entry((tick, node)).or_insert_with(|| {
            clocks.push(clock_of(phases, node, tick));
            ClockId::of(clocks.len() - 1)
        });
        Machine { node, clock }
    }

    /// The clock of a machine's kernel, which its timers of the same tick run by too.
    pub(crate) fn kernel_clock(&self, node: NodeIndex, tick: Span) -> HostClock {
        clock_of(&self.phases, node, tick)
    }

    /// The address of the random numbers of a congestion controller.
    pub(crate) fn random_numbers_of(&self, owner: Owner, side: Side) -> Key {
        key_of(self.controllers, owner).indexed(side as u64)
    }

    /// The address of the random numbers of a connection that is not TCP's.
    pub(crate) fn key_of_transport(&self, owner: Owner) -> Key {
        key_of(self.transports, owner)
    }

    /// A host profile.
    #[inline]
    pub(crate) fn profile(&self, profile: ProfileId) -> &HostProfile {
        &self.profiles[profile.place()]
    }

    #[inline]
    pub(crate) fn context(&self, profile: ProfileId, clock: ClockId) -> Context<'_> {
        Context { profile: &self.profiles[profile.place()], clock: self.clocks[clock.place()] }
    }
}

/// The address of a connection's numbers, by whose it is.
fn key_of(all: Key, owner: Owner) -> Key {
    match owner {
        Owner::User { population, user, ordinal } => {
            let key = all.named("user").indexed(population.number().into());
            key.indexed(user.into()).indexed(ordinal.number().into())
        }
        Owner::Flow { flow } => all.named("flow").indexed(flow.number().into()),
    }
}

fn clock_of(phases: &[Key], node: NodeIndex, tick: Span) -> HostClock {
    let phase = phases[node.0 as usize].below(0, tick.nanoseconds());
    HostClock::new(tick, Span::from_nanoseconds(phase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_machine_has_a_clock_for_each_tick_however_many_nodes_and_profiles_there_are() {
        let mut text = "name = \"many\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\n\
                        queue = { scheme = \"drop-tail\", limit_packets = 50 }\nbrowser_machines_per_side = 5000\n"
            .to_owned();
        for name in HostProfile::NAMES.iter().cycle().take(10) {
            text += &format!("[[flows]]\ncount = 1\ndirection = \"left-to-right\"\nprofile = \"{name}\"\n");
        }
        let scenario = Scenario::from_toml(&text, "many", &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut hosts = Hosts::new(&scenario, Key::from_seed(1));
        let tick_of = |name: &str| HostProfile::named(name).unwrap().retransmission.tick;
        for (place, name) in HostProfile::NAMES.iter().cycle().take(10).enumerate() {
            let profile = ProfileId::of(place);
            for node in [2, 5_000, 10_000].map(NodeIndex) {
                let machine = hosts.machine(profile, node);
                let tick = hosts.context(profile, machine.clock).clock.tick();
                assert_eq!(tick, tick_of(name), "profile {place} at node {}", node.0);
                assert_eq!(hosts.machine(profile, node).clock, machine.clock);
            }
        }
        let ticks: BTreeSet<Span> = HostProfile::NAMES.into_iter().map(tick_of).collect();
        assert!(
            ticks.len() > 1 && hosts.clocks.len() == 3 * ticks.len(),
            "a clock for each tick and machine"
        );
    }

    /// Flows draw numbers of their own, each end too, and the same ones in every run of a seed.
    #[test]
    fn every_end_has_random_numbers_of_its_own() {
        let scenario = Scenario::from_toml(
            "name = \"two\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 1.0\n\
             queue = { scheme = \"drop-tail\", limit_packets = 10 }\n[[flows]]\nname = \"a\"\ncount = 2\n\
             direction = \"left-to-right\"\n",
            "test",
            &[],
        );
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        let keys = |seed| {
            let hosts = Hosts::new(&scenario, Key::from_seed(seed));
            let flow = |flow| Owner::Flow { flow: aqmlab_session::FlowId::of(flow) };
            let ends = [(0, Side::Active), (0, Side::Passive), (1, Side::Active), (1, Side::Passive)];
            ends.map(|(number, side)| hosts.random_numbers_of(flow(number), side).bits(0))
        };
        let (one, again, other) = (keys(1), keys(1), keys(2));
        assert_eq!(one, again);
        let all: BTreeSet<u64> = one.into_iter().chain(other).collect();
        assert_eq!(all.len(), 8);
    }
}
