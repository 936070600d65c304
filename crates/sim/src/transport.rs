//! Endpoints and the network: segments out, segments in, timers.

use crate::agenda::Timer;
use crate::connection::{AddedDelay, Owner};
use crate::network::Hop;
use crate::packet::{Address, Packet, Side};
use crate::simulation::Simulation;
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_tcp::{Context, Endpoint, HostClock, HostProfile, Outbox, Segment, respond_to_stray};
use aqmlab_units::{Span, Time};

/// Host profiles, and the clock of each machine under each of them.
pub(crate) struct Hosts {
    profiles: Vec<HostProfile>,
    /// Row per profile.
    clocks: Vec<HostClock>,
    nodes: usize,
}

impl Hosts {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Self {
        let of_users = scenario.populations.iter().map(|population| population.profile.clone());
        let of_flows = scenario.flows.iter().map(|group| group.profile.clone());
        let profiles: Vec<HostProfile> = of_users.chain(of_flows).collect();
        let nodes = &scenario.network.nodes;
        let clock = |profile: &HostProfile, name: &str| {
            let phase =
                key.named("clock phase").named(name).below(0, profile.retransmission.tick.nanoseconds());
            HostClock::new(profile.retransmission.tick, Span::from_nanoseconds(phase))
        };
        let clocks =
            profiles.iter().flat_map(|profile| nodes.iter().map(move |node| clock(profile, &node.name)));
        Self { clocks: clocks.collect(), nodes: nodes.len(), profiles }
    }

    #[inline]
    fn context(&self, profile: u8, node: u16) -> Context<'_> {
        let profile = usize::from(profile);
        Context {
            profile: &self.profiles[profile],
            clock: self.clocks[profile * self.nodes + usize::from(node)],
        }
    }
}

/// What an endpoint reported beside segments.
#[derive(Clone, Copy)]
pub(crate) struct News {
    pub(crate) established: bool,
    pub(crate) delivered_bytes: u32,
    pub(crate) peer_closed: bool,
    /// No answer for too long, or a reset: the connection is lost.
    pub(crate) gave_up: bool,
    finished: bool,
}

impl News {
    #[inline]
    fn of(outbox: &Outbox) -> Self {
        Self {
            established: outbox.established,
            delivered_bytes: outbox.delivered,
            peer_closed: outbox.peer_closed,
            gave_up: outbox.gave_up || outbox.reset,
            finished: outbox.finished,
        }
    }
}

/// How packets travel from one end of a connection.
struct Way {
    address: Address,
    node: u16,
    profile: u8,
    added_delay: AddedDelay,
    link: usize,
}

impl Simulation {
    /// Lets one end of a connection act, and carries out what follows.
    #[inline]
    pub(crate) fn act(
        &mut self,
        place: u32,
        side: Side,
        action: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox),
    ) {
        let connection = self.connections.at(place);
        let context = self.hosts.context(connection.profile, connection.node(side));
        self.outbox.clear();
        action(&mut connection.ends[side as usize], self.now, &context, &mut self.outbox);
        self.send_segments(place, side);
        self.arm_timer(place, side);
        let news = News::of(&self.outbox);
        self.react(place, side, &news);
    }

    /// Sends what the endpoint has put into the outbox.
    #[inline]
    fn send_segments(&mut self, place: u32, from: Side) {
        match self.outbox.segments.len() {
            0 => {}
            count => {
                let way = self.way(place, from);
                for index in 0..count {
                    let segment = self.outbox.segments[index];
                    self.send_segment(&way, &segment);
                }
            }
        }
    }

    /// How packets from one end travel to the other.
    #[inline]
    fn way(&mut self, place: u32, from: Side) -> Way {
        let connection = self.connections.at(place);
        let node = connection.node(from);
        let destination = connection.node(from.other());
        let link = self.network.route(node, destination);
        Way {
            address: Address {
                connection: place,
                generation: connection.generation,
                from,
                destination,
                at: self.network.next_stop(link, node),
            },
            node,
            profile: connection.profile,
            added_delay: connection.added_delay[from as usize],
            link,
        }
    }

    #[inline]
    fn send_segment(&mut self, way: &Way, segment: &Segment) {
        let ip_bytes = segment.ip_bytes(&self.hosts.profiles[usize::from(way.profile)]);
        let packet = Packet::new(segment, ip_bytes, way.address);
        match (&mut self.network.hops[way.link], way.added_delay) {
            (Hop::Interface(interface), AddedDelay::Own(delay)) => {
                let arrival = interface.send(self.now, &packet) + delay;
                self.agenda.delay(arrival, packet);
            }
            (Hop::Interface(interface), AddedDelay::Pipe(pipe, delay)) => {
                let arrival = interface.send(self.now, &packet) + delay;
                self.agenda.push(pipe, arrival, packet);
            }
            (_, AddedDelay::None) => self.forward(way.node, packet),
            // Behind any other link the delay comes first: the packet waits at its own node.
            (_, AddedDelay::Own(delay) | AddedDelay::Pipe(_, delay)) => {
                self.agenda.delay(self.now + delay, packet);
            }
        }
    }

    /// A packet has reached its destination.
    #[inline]
    pub(crate) fn receive(&mut self, packet: Packet) {
        let side = packet.from().other();
        let Some(connection) = self.connections.current(packet.connection, packet.generation) else { return };
        let segment = packet.segment();
        if connection.finished[side as usize] {
            if let Some(answer) = respond_to_stray(&segment) {
                let way = self.way(packet.connection, side);
                self.send_segment(&way, &answer);
            }
            return;
        }
        let marked = packet.is_marked();
        self.act(packet.connection, side, |end, now, context, outbox| {
            end.on_segment(now, context, &segment, marked, outbox);
        });
    }

    /// Keeps one timer entry per end: a deadline that moves later needs no new one, it is looked at again when
    /// the entry fires.
    #[inline]
    fn arm_timer(&mut self, place: u32, side: Side) {
        let connection = self.connections.at(place);
        let deadline = connection.ends[side as usize].deadline();
        if deadline < connection.timer[side as usize] {
            connection.timer[side as usize] = deadline;
            let timer = Timer::Endpoint { connection: place, generation: connection.generation, side };
            self.agenda.wake(deadline, timer);
        }
    }

    pub(crate) fn on_endpoint_timer(&mut self, place: u32, generation: u16, side: Side) {
        let now = self.now;
        let Some(connection) = self.connections.current(place, generation) else { return };
        // An entry that was overtaken by an earlier one is stale.
        if connection.timer[side as usize] != now {
            return;
        }
        connection.timer[side as usize] = Time::MAX;
        if connection.finished[side as usize] {
            return;
        }
        if connection.ends[side as usize].deadline() > now {
            return self.arm_timer(place, side);
        }
        self.act(place, side, |end, now, context, outbox| end.on_timer(now, context, outbox));
    }

    #[inline]
    fn react(&mut self, place: u32, side: Side, news: &News) {
        match self.connections.at(place).owner {
            Owner::User { .. } => self.react_for_user(place, side, news),
            Owner::Flow { flow } => self.react_for_flow(place, side, flow, news),
        }
        self.gave_up += u64::from(news.gave_up);
        if news.finished {
            self.finish(place, side);
        }
    }

    /// One end needs its record no longer; when both do, the place is free.
    fn finish(&mut self, place: u32, side: Side) {
        let connection = self.connections.at(place);
        connection.finished[side as usize] = true;
        if connection.is_over() {
            self.flow_rows.record(connection, Some(self.now));
            self.connections.close(place);
        }
    }
}
