//! Who sits where: machines and delays of connections that are to be opened, drawn as the simulator draws
//! them.

use crate::addresses::Addresses;
use aqmlab_driver::AccessDelay;
use aqmlab_random::Key;
use aqmlab_scenario::{Flow, Scenario};
use aqmlab_session::{Opening, Owner};
use aqmlab_units::Span;
use aqmlab_web::MinimumDelay;

/// The machines and delays of a population.
struct Users {
    browsers: Vec<u32>,
    servers: Vec<u32>,
    delay: AccessDelay,
    dscp: u8,
}

/// Where a connection is to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The machine that opens it, and the one that answers.
    pub(crate) machines: [u32; 2],
    /// Delay added to the packets of either.
    pub(crate) delays: [Span; 2],
    /// Codepoint of services of its packets.
    pub(crate) dscp: u8,
}

/// All of them.
pub(crate) struct Places {
    users: Vec<Users>,
    flows: Vec<Place>,
}

impl Places {
    pub(crate) fn of(scenario: &Scenario, addresses: &Addresses, seed: u64) -> Self {
        let key = Key::from_seed(seed);
        let machines = |nodes: &[_]| nodes.iter().map(|&node| addresses.machine(node)).collect();
        let users = scenario.populations.iter().map(|population| Users {
            browsers: machines(&population.browsers),
            servers: machines(&population.servers),
            delay: AccessDelay::new(population, key),
            dscp: population.dscp,
        });
        let flows = scenario.flows.iter().flat_map(|group| {
            group.flows.iter().map(|flow: &Flow| Place {
                machines: [flow.sender, flow.receiver].map(|node| addresses.machine(node)),
                delays: [flow.delay_from_sender, flow.delay_from_receiver],
                dscp: group.dscp,
            })
        });
        Self { users: users.collect(), flows: flows.collect() }
    }

    /// Codepoint of services of the packets of an application.
    pub(crate) fn dscp_of(&self, owner: Owner) -> u8 {
        match owner {
            Owner::User { population, .. } => self.users[population.place()].dscp,
            Owner::Flow { flow } => self.flows[flow.place()].dscp,
        }
    }

    /// Where a connection is to be opened.
    pub(crate) fn of_opening(&self, opening: &Opening) -> Place {
        let population = match opening.owner {
            Owner::User { population, .. } => population,
            Owner::Flow { flow } => return self.flows[flow.place()],
        };
        let users = &self.users[population.place()];
        let browser = opening.machine as usize % users.browsers.len();
        let server = opening.server as usize % users.servers.len();
        let delays = match opening.delay {
            MinimumDelay::Drawn(draw) => [users.delay.of(browser, server, draw), Span::ZERO],
            MinimumDelay::EachWay(delay) => [delay; 2],
        };
        Place { machines: [users.browsers[browser], users.servers[server]], delays, dscp: users.dscp }
    }
}
