//! Endpoints and the network: segments out, segments in, timers.

use crate::agenda::Timer;
use crate::connection::{Opening, Owner};
use crate::packet::{Packet, Side, Way};
use crate::simulation::Simulation;
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_tcp::{Context, Endpoint, HostClock, HostProfile, Outbox, respond_to_stray};
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

    /// Where the clock of a machine under a profile is.
    fn clock(&self, profile: u8, node: u16) -> u16 {
        (usize::from(profile) * self.nodes + usize::from(node)) as u16
    }

    #[inline]
    fn context(&self, profile: u8, clock: u16) -> Context<'_> {
        Context { profile: &self.profiles[usize::from(profile)], clock: self.clocks[usize::from(clock)] }
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

impl Simulation {
    /// Opens a connection; nothing is sent yet.
    pub(crate) fn open(&mut self, opening: &Opening) -> u32 {
        let Opening { owner, profile, nodes: [active, passive], added_delay: [from_active, from_passive] } =
            *opening;
        let ways =
            [self.network.way(active, passive, from_active), self.network.way(passive, active, from_passive)];
        let clocks = [self.hosts.clock(profile, active), self.hosts.clock(profile, passive)];
        self.connections.open(self.now, owner, profile, ways, clocks)
    }

    /// Lets one end of a connection act, and carries out what follows.
    #[inline]
    pub(crate) fn act(
        &mut self,
        place: u32,
        side: Side,
        action: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox),
    ) {
        let connection = self.connections.at(place);
        let context = self.hosts.context(connection.profile, connection.clocks[side as usize]);
        self.outbox.clear();
        action(&mut connection.ends[side as usize], self.now, &context, &mut self.outbox);
        self.conclude(place, side);
    }

    /// A packet has reached its destination.
    #[inline(always)]
    pub(crate) fn receive(&mut self, packet: Packet) {
        let (place, side) = (packet.connection(), packet.from().other());
        let Some(connection) = self.connections.current(place, packet.generation()) else { return };
        if connection.finished[side as usize] {
            return self.answer_stray(&packet, side);
        }
        let context = self.hosts.context(connection.profile, connection.clocks[side as usize]);
        self.outbox.clear();
        let end = &mut connection.ends[side as usize];
        end.on_segment(self.now, &context, &packet.segment(), packet.is_marked(), &mut self.outbox);
        self.conclude(place, side);
    }

    #[cold]
    fn answer_stray(&mut self, packet: &Packet, side: Side) {
        if let Some(answer) = respond_to_stray(&packet.segment()) {
            self.outbox.clear();
            self.outbox.segments.push(answer);
            self.send_segments(packet.connection(), side);
        }
    }

    /// Carries out what an endpoint has put into the outbox.
    #[inline(never)]
    fn conclude(&mut self, place: u32, side: Side) {
        if !self.outbox.segments.is_empty() {
            self.send_segments(place, side);
        }
        self.arm_timer(place, side);
        if self.outbox.tells_something() {
            let news = News::of(&self.outbox);
            self.react(place, side, &news);
        }
    }

    #[inline(always)]
    fn send_segments(&mut self, place: u32, from: Side) {
        let Self { connections, hosts, outbox, network, agenda, now, .. } = self;
        let connection = connections.at(place);
        let way = connection.ways[from as usize];
        if !way.by_interface {
            return self.send_without_interface(place, from);
        }
        let identity = (place, connection.generation);
        let profile = &hosts.profiles[usize::from(connection.profile)];
        let Some(interface) = network.passage(way.step) else { return };
        for segment in &outbox.segments {
            let ip_bytes = segment.ip_bytes(profile);
            let packet = Packet::new(segment, ip_bytes, identity, from, &way);
            let arrival = interface.send(*now, ip_bytes).nanoseconds() + way.delay_ns;
            agenda.push(way.rank, Time::from_nanoseconds(arrival), packet);
        }
    }

    /// Behind any other link the delay comes first: the packet waits at its own node.
    #[cold]
    fn send_without_interface(&mut self, place: u32, from: Side) {
        let connection = self.connections.at(place);
        let (way, generation, profile) =
            (connection.ways[from as usize], connection.generation, connection.profile);
        let segments = std::mem::take(&mut self.outbox.segments);
        for segment in &segments {
            let ip_bytes = segment.ip_bytes(&self.hosts.profiles[usize::from(profile)]);
            let packet = Packet::new(segment, ip_bytes, (place, generation), from, &way);
            if way.rank == Way::AT_ONCE {
                self.forward(way.at, packet);
            } else {
                let arrival = self.now + Span::from_nanoseconds(way.delay_ns);
                self.agenda.push(way.rank, arrival, packet);
            }
        }
        self.outbox.segments = segments;
    }

    /// Keeps one timer entry per end: a deadline that moves later needs no new one, it is looked at again when
    /// the entry fires.
    #[inline(always)]
    fn arm_timer(&mut self, place: u32, side: Side) {
        let connection = self.connections.at(place);
        if connection.ends[side as usize].deadline() < connection.timer[side as usize] {
            self.add_timer(place, side);
        }
    }

    #[inline(never)]
    fn add_timer(&mut self, place: u32, side: Side) {
        let connection = self.connections.at(place);
        let deadline = connection.ends[side as usize].deadline();
        connection.timer[side as usize] = deadline;
        let timer = Timer::Endpoint { connection: place, generation: connection.generation, side };
        self.agenda.wake(deadline, timer);
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
