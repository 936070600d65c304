//! Who sits where: the machines of users, servers and transfers, and the delays between them.

use super::endpoints::Location;
use super::hosts::{Hosts, Machine};
use super::network::Network;
use super::path::AddedDelay;
use crate::identifiers::{DelayClockId, ProfileId};
use aqmlab_driver::AccessDelay;
use aqmlab_random::Key;
use aqmlab_scenario::{FlowGroup, NodeIndex, Population, Scenario};
use aqmlab_session::{FlowId, Opening, Owner, PopulationId};
use aqmlab_units::Span;
use aqmlab_web::MinimumDelay;

/// The machines of a population.
struct PopulationLocation {
    browsers: Vec<Machine>,
    servers: Vec<Machine>,
    minimum_delay: AccessDelay,
    /// Of the browsers' machines, by their places; none if packets are delayed exactly.
    delay_clocks: Vec<DelayClockId>,
    profile: ProfileId,
}

/// The machines of a transfer.
struct FlowLocation {
    machines: [Machine; 2],
    added_delay: [AddedDelay; 2],
    profile: ProfileId,
}

/// All of them.
pub(crate) struct Locations {
    populations: Vec<PopulationLocation>,
    flows: Vec<FlowLocation>,
}

impl Locations {
    pub(crate) fn new(scenario: &Scenario, network: &mut Network, hosts: &mut Hosts, key: Key) -> Self {
        let mut flows = Vec::new();
        for (index, group) in scenario.flows.iter().enumerate() {
            let profile = ProfileId::of(scenario.populations.len() + index);
            flows.extend(of_group(group, profile, network, hosts));
        }
        let populations = scenario.populations.iter().enumerate();
        let populations = populations.map(|(index, population)| {
            PopulationLocation::new(population, ProfileId::of(index), network, hosts, key)
        });
        Self { populations: populations.collect(), flows }
    }

    /// Where a connection is to be opened.
    pub(crate) fn of(&self, opening: &Opening) -> Location {
        match opening.owner {
            Owner::User { population, .. } => self.of_user(population, opening),
            Owner::Flow { flow } => self.of_flow(flow),
        }
    }

    fn of_user(&self, population: PopulationId, opening: &Opening) -> Location {
        let population = &self.populations[population.place()];
        let browser = opening.machine as usize % population.browsers.len();
        let server = opening.server as usize % population.servers.len();
        let added_delay = match opening.delay {
            MinimumDelay::Drawn(draw) => {
                let delay = population.minimum_delay.of(browser, server, draw);
                [population.added_delay(browser, delay), AddedDelay::None]
            }
            MinimumDelay::EachWay(delay) => [population.added_delay(browser, delay), AddedDelay::Own(delay)],
        };
        Location {
            profile: population.profile,
            machines: [population.browsers[browser], population.servers[server]],
            added_delay,
        }
    }

    fn of_flow(&self, flow: FlowId) -> Location {
        let FlowLocation { machines, added_delay, profile } = self.flows[flow.place()];
        Location { profile, machines, added_delay }
    }
}

impl PopulationLocation {
    fn new(
        population: &Population,
        profile: ProfileId,
        network: &mut Network,
        hosts: &mut Hosts,
        key: Key,
    ) -> Self {
        let delay_clocks = match population.minimum_delay.clock_tick {
            Some(tick) => {
                let clock_of = |&node| network.delay_clock(node, hosts.kernel_clock(node, tick));
                population.browsers.iter().map(clock_of).collect()
            }
            None => Vec::new(),
        };
        let mut machines =
            |nodes: &[NodeIndex]| nodes.iter().map(|&node| hosts.machine(profile, node)).collect();
        Self {
            minimum_delay: AccessDelay::new(population, key),
            browsers: machines(&population.browsers),
            servers: machines(&population.servers),
            delay_clocks,
            profile,
        }
    }

    fn added_delay(&self, browser: usize, delay: Span) -> AddedDelay {
        match self.delay_clocks.get(browser) {
            Some(&clock) => AddedDelay::Ticks(clock, delay),
            None => AddedDelay::Own(delay),
        }
    }
}

fn of_group(
    group: &FlowGroup,
    profile: ProfileId,
    network: &mut Network,
    hosts: &mut Hosts,
) -> Vec<FlowLocation> {
    let of_flow = |flow: &aqmlab_scenario::Flow| {
        let [sender, receiver] = [flow.sender, flow.receiver];
        FlowLocation {
            machines: [hosts.machine(profile, sender), hosts.machine(profile, receiver)],
            added_delay: [
                added_delay(network, sender, receiver, flow.delay_from_sender),
                added_delay(network, receiver, sender, flow.delay_from_receiver),
            ],
            profile,
        }
    };
    group.flows.iter().map(of_flow).collect()
}

/// A flow's packets keep their order behind its own delay, so they have a pipe of their own.
fn added_delay(network: &mut Network, from: NodeIndex, towards: NodeIndex, delay: Span) -> AddedDelay {
    if delay == Span::ZERO {
        return AddedDelay::None;
    }
    if network.begins_with_interface(from, towards) {
        AddedDelay::Pipe(network.pipe(), delay)
    } else {
        AddedDelay::Own(delay)
    }
}
