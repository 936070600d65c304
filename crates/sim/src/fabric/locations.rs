//! Who sits where: the machines of users, servers and transfers, and how their packets are delayed.

use super::endpoints::Location;
use super::hosts::{Hosts, Machine};
use super::network::Network;
use super::path::AddedDelay;
use crate::engine::Rank;
use crate::identifiers::{DelayClockId, ProfileId};
use aqmlab_driver::{EndOfGroup, Places, UsersOrFlow};
use aqmlab_random::Key;
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_session::{Opening, Side};
use aqmlab_units::Span;

/// The machine of an end, and how the delay of its packets is kept there.
#[derive(Clone, Copy)]
struct Seat {
    machine: Machine,
    delays: Delays,
}

/// How packets of an end that have a delay of their own wait.
#[derive(Clone, Copy)]
enum Delays {
    /// Each by itself.
    Singly,
    /// Until a tick of the clock of their machine.
    ByClock(DelayClockId),
    /// In a pipe: packets of one flow keep their order.
    InPipe(Rank),
}

/// The locations of all populations and flows.
#[derive(Clone)]
pub(crate) struct Locations {
    places: Places<Seat>,
}

impl Locations {
    pub(crate) fn new(scenario: &Scenario, network: &mut Network, hosts: &mut Hosts, key: Key) -> Self {
        let places = Places::new(scenario, key, |end| {
            let machine = hosts.machine(ProfileId::of(end.group), end.node);
            Seat { machine, delays: delays(&end, network, hosts) }
        });
        Self { places }
    }

    /// Where a connection is to be opened.
    pub(crate) fn of(&self, opening: &Opening) -> Location {
        let place = self.places.of(opening);
        let [one, other] = place.machines;
        let [from_one, from_other] = place.delays;
        Location {
            profile: ProfileId::of(self.places.group_of(opening.owner)),
            machines: [one.machine, other.machine],
            added_delay: [one.delays.added(from_one), other.delays.added(from_other)],
        }
    }
}

impl Delays {
    fn added(self, delay: Option<Span>) -> AddedDelay {
        match (delay, self) {
            (None, _) => AddedDelay::None,
            (Some(delay), Self::Singly) => AddedDelay::Own(delay),
            (Some(delay), Self::ByClock(clock)) => AddedDelay::Ticks(clock, delay),
            (Some(delay), Self::InPipe(rank)) => AddedDelay::Pipe(rank, delay),
        }
    }
}

fn delays(end: &EndOfGroup<'_>, network: &mut Network, hosts: &Hosts) -> Delays {
    match (end.of, end.side) {
        (UsersOrFlow::Users(population), Side::Active) => match population.minimum_delay.clock_tick {
            Some(tick) => Delays::ByClock(network.delay_clock(end.node, hosts.kernel_clock(end.node, tick))),
            None => Delays::Singly,
        },
        (UsersOrFlow::Users(_), Side::Passive) => Delays::Singly,
        (UsersOrFlow::Flow(flow), Side::Active) => {
            of_flow(network, [flow.sender, flow.receiver], flow.delay_from_sender)
        }
        (UsersOrFlow::Flow(flow), Side::Passive) => {
            of_flow(network, [flow.receiver, flow.sender], flow.delay_from_receiver)
        }
    }
}

fn of_flow(network: &mut Network, [from, towards]: [NodeIndex; 2], delay: Span) -> Delays {
    if delay > Span::ZERO && network.begins_with_interface(from, towards) {
        Delays::InPipe(network.pipe())
    } else {
        Delays::Singly
    }
}
