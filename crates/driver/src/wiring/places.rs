//! Where connections are opened: at which machines, and with which delays in front of the network.

use crate::wiring::access_delay::AccessDelay;
use aqmlab_random::Key;
use aqmlab_scenario::{Flow, NodeIndex, Population, Scenario};
use aqmlab_session::{Opening, Owner, PopulationId, Side};
use aqmlab_units::Span;
use aqmlab_web::MinimumDelay;

/// The places of all populations and flows of a run, with machines as its driver knows them.
#[derive(Clone)]
pub struct Places<M> {
    users: Vec<Users<M>>,
    flows: Vec<Place<M>>,
    /// Of each flow.
    flow_groups: Vec<usize>,
}

/// Where a connection is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<M> {
    /// The machine of the browser or sender, and that of the server or receiver.
    pub machines: [M; 2],
    /// What is added to the delay of the packets of either; none: they enter the network at once.
    pub delays: [Option<Span>; 2],
}

/// An end of the connections of a population or of a flow, for the driver to say which machine it is.
#[derive(Clone, Copy, Debug)]
pub struct EndOfGroup<'a> {
    /// The place among [`Scenario::connection_groups`].
    pub group: usize,
    /// Browser or sender, or server or receiver.
    pub side: Side,
    /// The node at which it is.
    pub node: NodeIndex,
    /// Whose end it is.
    pub of: UsersOrFlow<'a>,
}

/// Who has ends of connections.
#[derive(Clone, Copy, Debug)]
pub enum UsersOrFlow<'a> {
    /// All users of a population.
    Users(&'a Population),
    /// One flow.
    Flow(&'a Flow),
}

/// The places of a population.
#[derive(Clone)]
struct Users<M> {
    browsers: Vec<M>,
    servers: Vec<M>,
    minimum_delay: AccessDelay,
}

impl<M: Copy> Places<M> {
    /// The places of a scenario under the key of its run. `machine` is asked for the sender and the receiver
    /// of every flow, then for the browsers and servers of every population, in the order of the scenario.
    pub fn new(scenario: &Scenario, key: Key, mut machine: impl FnMut(EndOfGroup<'_>) -> M) -> Self {
        let (mut flows, mut flow_groups) = (Vec::new(), Vec::new());
        for (group, own) in (scenario.populations.len()..).zip(&scenario.flows) {
            for flow in &own.flows {
                let of = UsersOrFlow::Flow(flow);
                let ends = [(Side::Active, flow.sender), (Side::Passive, flow.receiver)];
                let machines = ends.map(|(side, node)| machine(EndOfGroup { group, side, node, of }));
                let delays = [flow.delay_from_sender, flow.delay_from_receiver];
                let delays = delays.map(|delay| (delay > Span::ZERO).then_some(delay));
                flows.push(Place { machines, delays });
                flow_groups.push(group);
            }
        }
        let users = scenario.populations.iter().enumerate().map(|(group, population)| {
            let of = UsersOrFlow::Users(population);
            let mut all = |side, nodes: &[NodeIndex]| {
                nodes.iter().map(|&node| machine(EndOfGroup { group, side, node, of })).collect()
            };
            Users {
                browsers: all(Side::Active, &population.browsers),
                servers: all(Side::Passive, &population.servers),
                minimum_delay: AccessDelay::new(population, key),
            }
        });
        Self { users: users.collect(), flows, flow_groups }
    }

    /// Where a connection is to be opened.
    #[must_use]
    pub fn of(&self, opening: &Opening) -> Place<M> {
        match opening.owner {
            Owner::User { population, .. } => self.of_user(population, opening),
            Owner::Flow { flow } => self.flows[flow.place()],
        }
    }

    fn of_user(&self, population: PopulationId, opening: &Opening) -> Place<M> {
        let users = &self.users[population.place()];
        let browser = opening.machine as usize % users.browsers.len();
        let server = opening.server as usize % users.servers.len();
        let delays = match opening.delay {
            MinimumDelay::Drawn(draw) => [Some(users.minimum_delay.of(browser, server, draw)), None],
            MinimumDelay::EachWay(delay) => [Some(delay); 2],
        };
        Place { machines: [users.browsers[browser], users.servers[server]], delays }
    }

    /// The place among [`Scenario::connection_groups`] of the group that an application belongs to.
    #[must_use]
    pub fn group_of(&self, owner: Owner) -> usize {
        match owner {
            Owner::User { population, .. } => population.place(),
            Owner::Flow { flow } => self.flow_groups[flow.place()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_session::FlowId;
    use aqmlab_web::ConnectionOrdinal;

    const TEXT: &str = r#"
name = "places"
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
minimum_delay_ms = { low = 40, high = 40 }
[[flows]]
name = "upload"
count = 2
senders = "home"
receivers = "site"
base_rtt_ms = 10.0
delay_on = "receiver"
"#;

    fn named() -> (Scenario, Places<NodeIndex>) {
        let scenario = Scenario::from_toml(TEXT, "places", &[]).unwrap_or_else(|error| panic!("{error}"));
        let places = Places::new(&scenario, Key::from_seed(1), |end| end.node);
        (scenario, places)
    }

    fn opening(owner: Owner, machine: u32, server: u32, delay: MinimumDelay) -> Opening {
        Opening { owner, machine, server, delay, opener: Side::Active }
    }

    #[test]
    fn users_take_machines_in_turn_and_their_delay_is_the_browsers() {
        let (scenario, places) = named();
        let owner =
            Owner::User { population: PopulationId::of(0), user: 3, ordinal: ConnectionOrdinal::new(0) };
        let of = |machine, server, delay| places.of(&opening(owner, machine, server, delay));
        let [home, site] = [scenario.network.machines("home"), scenario.network.machines("site")];
        let there = Some(Span::from_milliseconds(40));
        let drawn = of(3, 4, MinimumDelay::Drawn(0.5));
        assert_eq!(drawn, Place { machines: [home[1], site[1]], delays: [there, None] });
        let recorded = Span::from_milliseconds(7);
        let both = of(2, 2, MinimumDelay::EachWay(recorded));
        assert_eq!(both, Place { machines: [home[0], site[2]], delays: [Some(recorded); 2] });
        assert_eq!(places.group_of(owner), 0);
    }

    #[test]
    fn flows_have_their_machines_and_no_delay_where_it_is_zero() {
        let (scenario, places) = named();
        let [home, site] = [scenario.network.machines("home"), scenario.network.machines("site")];
        for flow in [0, 1] {
            let owner = Owner::Flow { flow: FlowId::of(flow) };
            let delays = [None, Some(Span::from_milliseconds(10))];
            let place = places.of(&opening(owner, 0, 0, MinimumDelay::Drawn(0.0)));
            assert_eq!(place, Place { machines: [home[flow], site[flow]], delays });
            assert_eq!(places.group_of(owner), 1, "behind the population");
        }
    }
}
