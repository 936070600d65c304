//! Endpoints and the network: segments out, segments in, timers.

use crate::agenda::Timer;
use crate::connection::{Opening, Owner};
use crate::identifiers::{ClockId, ProfileId};
use crate::packet::{Packet, Side};
use crate::simulation::Simulation;
use aqmlab_random::Key;
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_tcp::{Context, Endpoint, Handshake, HostClock, HostProfile, Outbox, Segment, respond_to_stray};
use aqmlab_units::{Span, Time};
use std::collections::BTreeMap;

/// A node where connections end, and its clock under the profile of those who use it.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) node: NodeIndex,
    pub(crate) clock: ClockId,
}

/// Host profiles, and the clocks of the machines under them.
pub(crate) struct Hosts {
    profiles: Vec<HostProfile>,
    clocks: Vec<HostClock>,
    /// Under which tick each node has which clock.
    known: BTreeMap<(Span, NodeIndex), ClockId>,
    /// The number that the phase of each node's clock is drawn from.
    phases: Vec<Key>,
}

impl Hosts {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Self {
        let of_users = scenario.populations.iter().map(|population| population.profile.clone());
        let of_flows = scenario.flows.iter().map(|group| group.profile.clone());
        let profiles: Vec<HostProfile> = of_users.chain(of_flows).collect();
        let nodes = scenario.network.nodes.iter();
        let phases = nodes.map(|node| key.named("clock phase").named(&node.name)).collect();
        Self { profiles, clocks: Vec::new(), known: BTreeMap::new(), phases }
    }

    /// A machine as those see it who use it under a profile. All clocks of one tick and node are one clock.
    pub(crate) fn machine(&mut self, profile: ProfileId, node: NodeIndex) -> Machine {
        let tick = self.profiles[profile.place()].retransmission.tick;
        let Self { clocks, known, phases, .. } = self;
        let clock = *known.entry((tick, node)).or_insert_with(|| {
            let phase = phases[node.0 as usize].below(0, tick.nanoseconds());
            clocks.push(HostClock::new(tick, Span::from_nanoseconds(phase)));
            ClockId::of(clocks.len() - 1)
        });
        Machine { node, clock }
    }

    /// Length of a segment's IP packet under a profile.
    pub(crate) fn ip_bytes(&self, segment: &Segment, profile: ProfileId) -> u16 {
        segment.ip_bytes(&self.profiles[profile.place()])
    }

    #[inline]
    fn context(&self, profile: ProfileId, clock: ClockId) -> Context<'_> {
        Context { profile: &self.profiles[profile.place()], clock: self.clocks[clock.place()] }
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
        let Opening { owner, profile, machines: [active, passive], added_delay: [from_active, from_passive] } =
            *opening;
        let ways = [
            self.network.way(active.node, passive.node, from_active),
            self.network.way(passive.node, active.node, from_passive),
        ];
        let clocks = [active.clock, passive.clock];
        let place = self.connections.open(self.now, owner, profile, ways, clocks);
        let connection = self.connections.at(place);
        self.trace.opened(place, connection.generation, connection.number);
        place
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
        let profile = &hosts.profiles[connection.profile.place()];
        let Some(interface) = network.passage(way.step) else { return self.send_if_not_lost(place, from) };
        for segment in &outbox.segments {
            let ip_bytes = segment.ip_bytes(profile);
            let packet = Packet::new(segment, ip_bytes, identity, from, &way);
            let arrival = interface.send(*now, ip_bytes).nanoseconds() + way.delay_ns;
            agenda.push(way.rank, Time::from_nanoseconds(arrival), packet);
        }
    }

    /// Behind any other link the delay comes first: the packet waits at its own node. It goes through the agenda even
    /// without a delay: handed on here, it could make the other end answer while this end is still being served.
    #[cold]
    fn send_without_interface(&mut self, place: u32, from: Side) {
        let connection = self.connections.at(place);
        let (way, generation, profile) =
            (connection.ways[from as usize], connection.generation, connection.profile);
        let arrival = self.now + Span::from_nanoseconds(way.delay_ns);
        for segment in &self.outbox.segments {
            let ip_bytes = segment.ip_bytes(&self.hosts.profiles[profile.place()]);
            let packet = Packet::new(segment, ip_bytes, (place, generation), from, &way);
            self.agenda.push(way.rank, arrival, packet);
        }
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
        if news.gave_up {
            self.note_gave_up(place);
        }
        match self.connections.at(place).owner {
            Owner::User { .. } => self.react_for_user(place, side, news),
            Owner::Flow { flow } => self.react_for_flow(place, side, flow, news),
        }
        if news.finished {
            self.finish(place, side);
        }
    }

    /// Counts a connection once, whichever of its ends gives up first: its reset ends the other.
    #[cold]
    fn note_gave_up(&mut self, place: u32) {
        let connection = self.connections.at(place);
        if std::mem::replace(&mut connection.gave_up, true) {
            return;
        }
        self.gave_up += 1;
        if let Owner::User { population, .. } = connection.owner {
            let measured = self.window.contains(self.now);
            self.populations.all[population.place()].gave_up += u64::from(measured);
        }
    }

    /// One end needs its record no longer; when both do, the place is free. The receiver of a one-way connection
    /// has no end to wait for: the connection is over with its sender, but what still arrives is acknowledged.
    fn finish(&mut self, place: u32, side: Side) {
        let connection = self.connections.at(place);
        connection.finished[side as usize] = true;
        let profile = &self.hosts.profiles[connection.profile.place()];
        if connection.is_over() || profile.handshake == Handshake::OneWay {
            connection.closed = Some(self.now);
        }
        if connection.is_over() {
            self.flow_rows.record(connection, &self.flows);
            self.connections.close(place);
        }
    }
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
}
