//! The ends of connections: packets in and out of them, their timers, and what they have to say to applications.

use super::connections::{Connection, Connections, Ends};
use super::events::{Events, Timer};
use super::hosts::{Hosts, Machine};
use super::network::Network;
use super::packet::Packet;
use super::path::AddedDelay;
use crate::identifiers::ProfileId;
use aqmlab_session::{ConnectionEvent, ConnectionEventKind, ConnectionId, Owner, Side};
use aqmlab_tcp::{Context, Endpoint, Handshake, Outbox, respond_to_stray};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// Where the ends of a new connection are, and how far from each other.
pub(crate) struct Location {
    pub(crate) profile: ProfileId,
    pub(crate) machines: [Machine; 2],
    pub(crate) added_delay: [AddedDelay; 2],
}

/// All connections, and what their ends have said.
pub(crate) struct Endpoints {
    pub(crate) hosts: Hosts,
    pub(crate) connections: Connections,
    /// Connections that gave up so far.
    pub(crate) gave_up: u64,
    /// What nobody has asked for yet; nearly always one or none.
    connection_events: VecDeque<ConnectionEvent>,
    /// A reused buffer of what an endpoint answered.
    outbox: Outbox,
}

impl Endpoints {
    pub(crate) fn new(hosts: Hosts) -> Self {
        Self {
            hosts,
            connections: Connections::default(),
            gave_up: 0,
            connection_events: VecDeque::new(),
            outbox: Outbox::default(),
        }
    }

    /// The next thing that an end has to say.
    #[inline(always)]
    pub(crate) fn poll(&mut self) -> Option<ConnectionEvent> {
        self.connection_events.pop_front()
    }

    /// Makes a connection; nothing is sent yet.
    pub(crate) fn add(
        &mut self,
        now: Time,
        owner: Owner,
        location: &Location,
        network: &mut Network,
    ) -> ConnectionId {
        let Location { profile, machines: [active, passive], added_delay: [from_active, from_passive] } =
            *location;
        let paths = [
            network.path(active.node, passive.node, from_active),
            network.path(passive.node, active.node, from_passive),
        ];
        let clocks = [active.clock, passive.clock];
        ConnectionId::from_number(self.connections.open(now, owner, profile, paths, clocks))
    }

    pub(crate) fn connect(&mut self, connection: ConnectionId, network: &mut Network, events: &mut Events) {
        self.act(connection, Side::Active, network, events, |end, now, context, outbox| {
            end.connect(now, context, outbox);
        });
    }

    pub(crate) fn write(
        &mut self,
        (connection, side): (ConnectionId, Side),
        bytes: u64,
        network: &mut Network,
        events: &mut Events,
    ) {
        self.act(connection, side, network, events, |end, now, context, outbox| {
            end.write(now, context, bytes, outbox);
        });
    }

    pub(crate) fn close(
        &mut self,
        (connection, side): (ConnectionId, Side),
        network: &mut Network,
        events: &mut Events,
    ) {
        self.act(connection, side, network, events, |end, now, context, outbox| {
            end.close(now, context, outbox);
        });
    }

    /// Lets one end of a connection act, and sends what follows.
    #[inline]
    fn act(
        &mut self,
        connection: ConnectionId,
        side: Side,
        network: &mut Network,
        events: &mut Events,
        action: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox),
    ) {
        let place = connection.number();
        let connection = self.connections.at(place);
        let context = self.hosts.context(connection.profile, connection.clocks[side as usize]);
        self.outbox.clear();
        let Ends::Tcp(ends) = &mut connection.ends;
        action(&mut ends[side as usize], events.now(), &context, &mut self.outbox);
        self.conclude(place, side, network, events);
    }

    /// A packet has reached its destination.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, packet: Packet, network: &mut Network, events: &mut Events) {
        let (place, side) = (packet.connection(), packet.from().other());
        let Some(connection) = self.connections.current(place, packet.generation()) else { return };
        if connection.finished[side as usize] {
            return self.answer_stray(&packet, side, network, events);
        }
        let context = self.hosts.context(connection.profile, connection.clocks[side as usize]);
        self.outbox.clear();
        match &mut connection.ends {
            Ends::Tcp(ends) => ends[side as usize].on_segment(
                events.now(),
                &context,
                &packet.segment(),
                packet.is_marked(),
                &mut self.outbox,
            ),
        }
        self.conclude(place, side, network, events);
    }

    #[cold]
    fn answer_stray(&mut self, packet: &Packet, side: Side, network: &mut Network, events: &mut Events) {
        if let Some(answer) = respond_to_stray(&packet.segment()) {
            self.outbox.clear();
            self.outbox.segments.push(answer);
            self.send_segments(packet.connection(), side, network, events);
        }
    }

    /// The instant has come for which an end was to be woken.
    pub(crate) fn fire(
        &mut self,
        (place, generation): (u32, u16),
        side: Side,
        network: &mut Network,
        events: &mut Events,
    ) {
        let now = events.now();
        let Some(connection) = self.connections.current(place, generation) else { return };
        // An entry that was overtaken by an earlier one is stale.
        if connection.timer[side as usize] != now {
            return;
        }
        connection.timer[side as usize] = Time::MAX;
        if connection.finished[side as usize] {
            return;
        }
        if deadline(connection, side) > now {
            return self.arm_timer(place, side, events);
        }
        let connection = ConnectionId::from_number(place);
        self.act(connection, side, network, events, |end, now, context, outbox| {
            end.on_timer(now, context, outbox);
        });
    }

    /// Carries out what an endpoint has put into the outbox.
    #[inline(never)]
    fn conclude(&mut self, place: u32, side: Side, network: &mut Network, events: &mut Events) {
        if !self.outbox.segments.is_empty() {
            self.send_segments(place, side, network, events);
        }
        self.arm_timer(place, side, events);
        if self.outbox.tells_something() {
            self.report(place, side);
        }
    }

    #[inline(always)]
    fn send_segments(&mut self, place: u32, from: Side, network: &mut Network, events: &mut Events) {
        let Self { connections, hosts, outbox, .. } = self;
        let connection = connections.at(place);
        let path = connection.paths[from as usize];
        if !path.by_interface {
            return self.send_without_interface(place, from, events);
        }
        let identity = (place, connection.generation);
        let profile = hosts.profile(connection.profile);
        let Some(interface) = network.interface(path.step) else {
            return self.send_if_not_lost(place, from, network, events);
        };
        for segment in &outbox.segments {
            let ip_bytes = segment.ip_bytes(profile);
            let packet = Packet::new(segment, ip_bytes, identity, from, &path);
            let arrival = interface.send(events.now(), ip_bytes).nanoseconds() + path.delay_ns;
            events.push(path.rank, Time::from_nanoseconds(arrival), packet);
        }
    }

    /// Behind any other link the delay comes first: the packet waits at its own node. It goes through the event queue
    /// even without a delay: handed on here, it could make the other end answer while this end is still being served.
    #[cold]
    fn send_without_interface(&mut self, place: u32, from: Side, events: &mut Events) {
        let connection = self.connections.at(place);
        let (path, generation) = (connection.paths[from as usize], connection.generation);
        let profile = self.hosts.profile(connection.profile);
        let arrival = events.now() + Span::from_nanoseconds(path.delay_ns);
        for segment in &self.outbox.segments {
            let packet = Packet::new(segment, segment.ip_bytes(profile), (place, generation), from, &path);
            events.push(path.rank, arrival, packet);
        }
    }

    /// Sends over an impaired interface.
    #[cold]
    #[inline(never)]
    fn send_if_not_lost(&mut self, place: u32, from: Side, network: &mut Network, events: &mut Events) {
        let connection = self.connections.at(place);
        let (path, generation) = (connection.paths[from as usize], connection.generation);
        let profile = self.hosts.profile(connection.profile);
        for segment in &self.outbox.segments {
            let ip_bytes = segment.ip_bytes(profile);
            let packet = Packet::new(segment, ip_bytes, (place, generation), from, &path);
            let Ok(step) = network.pass_impairment(path.step, &packet, Some(connection.owner)) else {
                continue;
            };
            let Some(interface) = network.interface(step) else { unreachable!("{step:?} is no interface") };
            let arrival = interface.send(events.now(), ip_bytes).nanoseconds() + path.delay_ns;
            events.push(path.rank, Time::from_nanoseconds(arrival), packet);
        }
    }

    /// Keeps one timer entry per end: a deadline that moves later needs no new one, it is looked at again when
    /// the entry fires.
    #[inline(always)]
    fn arm_timer(&mut self, place: u32, side: Side, events: &mut Events) {
        let connection = self.connections.at(place);
        if deadline(connection, side) < connection.timer[side as usize] {
            add_timer(connection, place, side, events);
        }
    }

    /// Puts what an endpoint has said, beside segments, before the applications.
    #[inline]
    fn report(&mut self, place: u32, side: Side) {
        let Self { connections, outbox, connection_events, .. } = self;
        let connection = connections.at(place);
        let (id, owner) = (ConnectionId::from_number(place), connection.owner);
        let mut say = |kind| {
            connection_events.push_back(ConnectionEvent { connection: id, owner, side, kind });
        };
        if outbox.delivered > 0 {
            say(ConnectionEventKind::Delivered { bytes: outbox.delivered });
        }
        if outbox.peer_closed {
            say(ConnectionEventKind::PeerClosed);
        }
        if outbox.gave_up || outbox.reset {
            say(ConnectionEventKind::GaveUp);
            // Counted once, whichever of its ends gives up first: its reset ends the other.
            self.gave_up += u64::from(!std::mem::replace(&mut connection.gave_up, true));
        } else if outbox.established {
            say(ConnectionEventKind::Established);
        }
        if outbox.finished {
            say(ConnectionEventKind::Ended);
        }
    }

    /// One end needs its record no longer; answers with the record when both do. The receiver of a one-way connection
    /// has no end to wait for: the connection is over with its sender, but what still arrives is acknowledged.
    pub(crate) fn end(&mut self, connection: ConnectionId, side: Side, now: Time) -> Option<&Connection> {
        let connection = self.connections.at(connection.number());
        connection.finished[side as usize] = true;
        let is_over = connection.is_over();
        if is_over || self.hosts.profile(connection.profile).handshake == Handshake::OneWay {
            connection.closed = Some(now);
        }
        is_over.then_some(connection)
    }
}

/// When an end wants to be woken.
#[inline(always)]
fn deadline(connection: &Connection, side: Side) -> Time {
    let Ends::Tcp(ends) = &connection.ends;
    ends[side as usize].deadline()
}

#[inline(never)]
fn add_timer(connection: &mut Connection, place: u32, side: Side, events: &mut Events) {
    let instant = deadline(connection, side);
    connection.timer[side as usize] = instant;
    let timer = Timer::Endpoint { connection: place, generation: connection.generation, side };
    events.wake_at(instant, timer);
}
