//! The ends of connections: packets in and out of them, their timers, and what they have to say to
//! applications. What comes for no connection is left to the ends of datagrams.

use super::connections::{Connection, Connections};
use super::datagrams::DatagramEnds;
use super::events::{Events, Timer};
use super::hosts::{Hosts, Machine};
use super::interface::Interface;
use super::network::Network;
use super::options::Options;
use super::packet::Packet;
use super::path::{AddedDelay, Delayed, Path};
use super::transport_end::{End, Transports};
use crate::identifiers::{ConnectionIdentity, EndpointId, ProfileId};
use aqmlab_session::{ConnectionEvent, ConnectionEventKind, ConnectionId, Opening, Owner, Side, StreamId};
use aqmlab_tcp::{Context, Endpoint, HostProfile, Outbox, Past, Segment, SegmentOptions, respond_to_stray};
use aqmlab_transport::{Answer, TransportEnd};
use aqmlab_units::Time;

/// Where the ends of a new connection are, and how far from each other.
pub(crate) struct Location {
    pub(crate) profile: ProfileId,
    pub(crate) machines: [Machine; 2],
    pub(crate) added_delay: [AddedDelay; 2],
}

/// All connections, and what their ends have said; and all ends of datagrams, who say nothing.
#[derive(Clone)]
pub(crate) struct Endpoints {
    pub(crate) hosts: Hosts,
    pub(crate) connections: Connections,
    pub(crate) datagrams: DatagramEnds,
    /// Of groups whose connections are not TCP's.
    transports: Transports,
    /// What the packets under way say in their options, or carry.
    pub(crate) options: Options,
    /// Connections that gave up so far.
    pub(crate) gave_up: u64,
    /// What was said since the last event, and how much of it has been asked for; nearly always one or none.
    pub(super) connection_events: Vec<ConnectionEvent>,
    polled: usize,
    /// Reused buffers of what an endpoint answered, and an end that is not TCP's.
    outbox: Outbox,
    pub(super) answer: Answer,
}

impl Endpoints {
    pub(crate) fn new(hosts: Hosts, datagrams: DatagramEnds, transports: Transports) -> Self {
        Self {
            hosts,
            connections: Connections::default(),
            datagrams,
            transports,
            options: Options::default(),
            gave_up: 0,
            connection_events: Vec::new(),
            polled: 0,
            outbox: Outbox::default(),
            answer: Answer::default(),
        }
    }

    /// The next thing that an end has to say.
    #[inline(always)]
    pub(crate) fn poll(&mut self) -> Option<ConnectionEvent> {
        let event = *self.connection_events.get(self.polled)?;
        self.polled += 1;
        if self.polled == self.connection_events.len() {
            self.connection_events.clear();
            self.polled = 0;
        }
        Some(event)
    }

    /// Makes a connection; nothing is sent yet.
    pub(crate) fn add(
        &mut self,
        now: Time,
        &Opening { owner, opener, .. }: &Opening,
        location: &Location,
        network: &mut Network,
    ) -> ConnectionId {
        let Location { profile, machines: [active, passive], added_delay: [from_active, from_passive] } =
            *location;
        let mut paths = [
            network.path(active.node, passive.node, from_active),
            network.path(passive.node, active.node, from_passive),
        ];
        let has_boxes = network.delay_boxes.has(profile);
        if has_boxes {
            paths = paths.map(Path::with_box);
        }
        let clocks = [active.clock, passive.clock];
        let ends = self.transports.ends(profile, || self.hosts.key_of_transport(owner));
        let ends = ends.unwrap_or_else(|| [Endpoint::active(), Endpoint::passive()].map(End::Tcp));
        let place = self.connections.open(now, owner, profile, paths, clocks, ends);
        if opener == Side::Passive {
            self.connections.at(place).ends.reverse();
        }
        if has_boxes {
            let generation = self.connections.at(place).generation;
            network.delay_boxes.open(ConnectionIdentity { place, generation }, profile, owner);
        }
        ConnectionId::from_number(place)
    }

    pub(crate) fn connect(&mut self, end: EndpointId, network: &mut Network, events: &mut Events) {
        let otherwise = |end: &mut dyn TransportEnd, now, answer: &mut _| end.connect(now, answer);
        self.act(end, network, events, otherwise, |end, now, context, outbox| {
            end.connect(now, context, outbox);
        });
    }

    /// Puts both ends of a connection into the middle of it.
    pub(crate) fn resume(&mut self, connection: ConnectionId, pasts: [Past; 2], now: Time) {
        let connection = self.connections.at(connection.number());
        let owner = connection.owner;
        let ends = connection.ends.iter_mut().zip([Side::Active, Side::Passive]);
        for (((end, side), clock), past) in ends.zip(connection.clocks).zip(pasts) {
            let End::Tcp(end) = end else { unreachable!("users who start stationary use TCP") };
            end.resume(now, &self.hosts.context(connection.profile, clock), past);
            end.draw_from(|| self.hosts.random_numbers_of(owner, side));
        }
    }

    pub(crate) fn write(
        &mut self,
        end: EndpointId,
        stream: StreamId,
        bytes: u64,
        network: &mut Network,
        events: &mut Events,
    ) {
        let otherwise =
            move |end: &mut dyn TransportEnd, now, answer: &mut _| end.write(now, stream, bytes, answer);
        self.act(end, network, events, otherwise, |end, now, context, outbox| {
            end.write(now, context, bytes, outbox);
        });
    }

    pub(crate) fn unsent(&self, end: EndpointId) -> u64 {
        match self.connections.end(end.connection.number(), end.side) {
            End::Tcp(end) => end.unsent_bytes(),
            End::Other(end) => end.unsent_bytes(),
        }
    }

    pub(crate) fn close(&mut self, end: EndpointId, network: &mut Network, events: &mut Events) {
        let otherwise = |end: &mut dyn TransportEnd, now, answer: &mut _| end.close(now, answer);
        self.act(end, network, events, otherwise, |end, now, context, outbox| {
            end.close(now, context, outbox);
        });
    }

    pub(crate) fn write_and_close(
        &mut self,
        end: EndpointId,
        bytes: u64,
        network: &mut Network,
        events: &mut Events,
    ) {
        let profile = self.connections.at(end.connection.number()).profile;
        if self.hosts.profile(profile).closes_with_last_write() {
            let otherwise = move |end: &mut dyn TransportEnd, now, answer: &mut _| {
                end.write(now, StreamId::FIRST, bytes, answer);
                end.close(now, answer);
            };
            return self.act(end, network, events, otherwise, |end, now, context, outbox| {
                end.write_and_close(now, context, bytes, outbox);
            });
        }
        // What the write makes the network do comes before the close.
        self.write(end, StreamId::FIRST, bytes, network, events);
        self.close(end, network, events);
    }

    pub(crate) fn withdraw_and_close(&mut self, end: EndpointId, network: &mut Network, events: &mut Events) {
        let otherwise = |end: &mut dyn TransportEnd, now, answer: &mut _| end.withdraw_and_close(now, answer);
        self.act(end, network, events, otherwise, |end, now, context, outbox| {
            end.withdraw_and_close(now, context, outbox);
        });
    }

    /// Lets one end of a connection act, TCP's or another, and sends what follows.
    #[inline]
    fn act(
        &mut self,
        acting: EndpointId,
        network: &mut Network,
        events: &mut Events,
        otherwise: impl FnOnce(&mut dyn TransportEnd, Time, &mut Answer),
        action: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox),
    ) {
        let Self { connections, hosts, outbox, options, .. } = self;
        let (now, place, side) = (events.now(), acting.connection.number(), acting.side);
        let connection = connections.at(place);
        let context = hosts.context(connection.profile, connection.clocks[side as usize]);
        let End::Tcp(end) = &mut connection.ends[side as usize] else {
            return self.act_otherwise(acting, network, events, otherwise);
        };
        outbox.clear();
        action(end, now, &context, outbox);
        let sender = Sender { now, connection, place, side, profile: context.profile };
        sender.conclude_apart(outbox, options, network, events);
        self.report(acting);
    }

    /// As [`Endpoints::deliver`], before the packet is there.
    #[inline(never)]
    pub(crate) fn deliver_in_advance(
        &mut self,
        arrival: Time,
        packet: Packet,
        network: &mut Network,
        events: &mut Events,
    ) {
        self.deliver(arrival, packet, network, events);
    }

    /// A packet reaches its destination at `now`: the present instant, or a later one where nobody can tell.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, now: Time, packet: Packet, network: &mut Network, events: &mut Events) {
        if packet.options().is_some() {
            return self.deliver_with_options(now, &packet, network, events);
        }
        let receiver = packet.receiver();
        let (place, side) = (receiver.connection.number(), receiver.side);
        let Self { connections, hosts, outbox, options, connection_events, .. } = self;
        let Some(connection) = connections.current(packet.connection_identity()) else {
            return self.datagrams.receive(now, &packet, network, events);
        };
        if connection.finished[side as usize] {
            return self.answer_stray(&packet, &packet.segment(), side, network, events);
        }
        let context = hosts.context(connection.profile, connection.clocks[side as usize]);
        outbox.clear();
        let End::Tcp(end) = &mut connection.ends[side as usize] else { return };
        debug_assert!(end.deadline() >= now, "an end was to be woken at {}, and it is {now}", end.deadline());
        end.on_segment(now, &context, &packet.segment(), packet.is_marked(), outbox);
        if outbox.delivered > 0 {
            connection_events.push(delivered(outbox, receiver, connection.owner));
        }
        let sender = Sender { now, connection, place, side, profile: context.profile };
        sender.conclude(outbox, options, network, events);
        if self.outbox.tells_of_changes() {
            self.report_changes(receiver, Changes::of(&self.outbox));
        }
    }

    /// The same for one with options, or of another transport.
    #[inline(never)]
    fn deliver_with_options(
        &mut self,
        now: Time,
        packet: &Packet,
        network: &mut Network,
        events: &mut Events,
    ) {
        let Self { connections, options, .. } = self;
        let Some(connection) = connections.current(packet.connection_identity()) else {
            return options.release(packet);
        };
        let End::Tcp(_) = connection.ends[packet.receiver().side as usize] else {
            return self.deliver_payload(now, packet, network, events);
        };
        let (segment, timestamps, report) = options.take(packet);
        if let Some(report) = report {
            let said = options.take_report(report);
            return self.deliver_report(now, packet, (&segment, &said), network, events);
        }
        // Without blocks and counts, which nearly no segment has, nothing asks for them.
        let said = SegmentOptions { timestamps, ..SegmentOptions::default() };
        self.deliver_said(now, packet, (&segment, &said), network, events);
    }

    /// One that says more than when it was sent.
    #[inline(never)]
    fn deliver_report(
        &mut self,
        now: Time,
        packet: &Packet,
        said: (&Segment, &SegmentOptions),
        network: &mut Network,
        events: &mut Events,
    ) {
        self.deliver_said(now, packet, said, network, events);
    }

    /// A segment, with all that it says, reaches the end that it is for; compiled into those two.
    #[inline(always)]
    fn deliver_said(
        &mut self,
        now: Time,
        packet: &Packet,
        said: (&Segment, &SegmentOptions),
        network: &mut Network,
        events: &mut Events,
    ) {
        let receiver = packet.receiver();
        let (place, side) = (receiver.connection.number(), receiver.side);
        let Self { connections, hosts, outbox, options, connection_events, .. } = self;
        let connection = connections.at(place);
        if connection.finished[side as usize] {
            return self.answer_stray(packet, said.0, side, network, events);
        }
        let context = hosts.context(connection.profile, connection.clocks[side as usize]);
        let End::Tcp(end) = &mut connection.ends[side as usize] else { return };
        outbox.clear();
        end.on_segment_with_options(now, &context, said, packet.is_marked(), outbox);
        if outbox.delivered > 0 {
            connection_events.push(delivered(outbox, receiver, connection.owner));
        }
        let mut sender = Sender { now, connection, place, side, profile: context.profile };
        if !outbox.segments.is_empty() {
            sender.send_with_options(&outbox.segments, options, network, events);
        }
        keep_timer(connection, place, side, events);
        if self.outbox.tells_of_changes() {
            self.report_changes(receiver, Changes::of(&self.outbox));
        }
    }

    #[cold]
    fn answer_stray(
        &mut self,
        packet: &Packet,
        segment: &Segment,
        side: Side,
        network: &mut Network,
        events: &mut Events,
    ) {
        let Some(answer) = respond_to_stray(segment) else { return };
        let Self { connections, hosts, .. } = self;
        let place = packet.connection();
        let connection = connections.at(place);
        let profile = hosts.profile(connection.profile);
        Sender { now: events.now(), connection, place, side, profile }.send(&[answer], network, events);
    }

    /// The instant has come for which the ends of a connection were to be woken.
    pub(crate) fn fire(&mut self, identity: ConnectionIdentity, network: &mut Network, events: &mut Events) {
        let now = events.now();
        let Some(connection) = self.connections.current(identity) else { return };
        // An entry that was overtaken by an earlier one is stale.
        if connection.timer != now {
            return;
        }
        // While an end acts, nothing earlier than this can be asked for.
        let due = [Side::Active, Side::Passive].map(|side| connection.ends[side as usize].deadline() <= now);
        for side in [Side::Active, Side::Passive].into_iter().filter(|&side| due[side as usize]) {
            let end = EndpointId { connection: ConnectionId::from_number(identity.place), side };
            let otherwise = |end: &mut dyn TransportEnd, now, answer: &mut _| end.on_timer(now, answer);
            self.act(end, network, events, otherwise, |end, now, context, outbox| {
                end.on_timer(now, context, outbox);
            });
        }
        let connection = self.connections.at(identity.place);
        connection.timer = Time::MAX;
        let instant = connection.ends[0].deadline().min(connection.ends[1].deadline());
        if instant < Time::MAX {
            add_timer(connection, identity.place, instant, events);
        }
    }

    /// Puts what an endpoint has said, beside segments, before the applications.
    fn report(&mut self, end: EndpointId) {
        let Self { connections, outbox, connection_events, .. } = self;
        if outbox.delivered > 0 {
            let owner = connections.at(end.connection.number()).owner;
            connection_events.push(delivered(outbox, end, owner));
        }
        if outbox.tells_of_changes() {
            self.report_changes(end, Changes::of(&self.outbox));
        }
    }

    /// A connection was opened, closed or lost.
    #[inline(never)]
    pub(super) fn report_changes(&mut self, end: EndpointId, changes: Changes) {
        let Self { connections, connection_events, hosts, .. } = self;
        let EndpointId { connection: id, side } = end;
        let connection = connections.at(id.number());
        let owner = connection.owner;
        let mut say = |kind| {
            let stream = StreamId::FIRST;
            connection_events.push(ConnectionEvent { connection: id, owner, side, stream, kind });
        };
        if changes.peer_closed {
            say(ConnectionEventKind::PeerClosed);
        }
        if changes.gave_up {
            say(ConnectionEventKind::GaveUp);
            // Counted once, whichever of its ends gives up first: its reset ends the other.
            self.gave_up += u64::from(!std::mem::replace(&mut connection.gave_up, true));
        } else if changes.established {
            say(ConnectionEventKind::Established);
            if let End::Tcp(end) = &mut connection.ends[side as usize] {
                end.draw_from(|| hosts.random_numbers_of(owner, side));
            }
        }
        if changes.finished {
            say(ConnectionEventKind::Ended);
        }
    }

    /// One end needs its record no longer; answers with the record when both do. The receiver of a one-way
    /// connection has no end to wait for: the connection is over with its sender, but what still arrives is
    /// acknowledged.
    pub(crate) fn end(&mut self, connection: ConnectionId, side: Side, now: Time) -> Option<&Connection> {
        let connection = self.connections.at(connection.number());
        connection.finished[side as usize] = true;
        let is_over = connection.is_over();
        if is_over || self.hosts.profile(connection.profile).is_one_way() {
            connection.closed = Some(now);
        }
        is_over.then_some(connection)
    }
}

/// Data have reached the end of a connection.
#[inline(always)]
const fn delivered(
    outbox: &Outbox,
    EndpointId { connection, side }: EndpointId,
    owner: Owner,
) -> ConnectionEvent {
    let kind = ConnectionEventKind::Delivered { bytes: outbox.delivered };
    ConnectionEvent { connection, owner, side, stream: StreamId::FIRST, kind }
}

/// How the state of a connection has changed at one of its ends.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    pub(super) established: bool,
    pub(super) peer_closed: bool,
    pub(super) finished: bool,
    /// No answer for too long, or a reset.
    pub(super) gave_up: bool,
}

impl Changes {
    const fn of(outbox: &Outbox) -> Self {
        let &Outbox { established, peer_closed, finished, gave_up, reset, .. } = outbox;
        Self { established, peer_closed, finished, gave_up: gave_up || reset }
    }
}

/// One end of a connection that has been called, and sends what it answered.
pub(super) struct Sender<'a> {
    pub(super) now: Time,
    pub(super) connection: &'a mut Connection,
    pub(super) place: u32,
    pub(super) side: Side,
    pub(super) profile: &'a HostProfile,
}

impl Sender<'_> {
    /// Sends, and keeps one timer entry per connection, for the end that wants to be woken first: a deadline
    /// that moves later needs no new one, it is looked at again when the entry fires.
    #[inline(always)]
    fn conclude(
        mut self,
        outbox: &Outbox,
        options: &mut Options,
        network: &mut Network,
        events: &mut Events,
    ) {
        if !outbox.segments.is_empty() {
            if self.profile.has_options() {
                self.send_with_options(&outbox.segments, options, network, events);
            } else {
                self.send(&outbox.segments, network, events);
            }
        }
        keep_timer(self.connection, self.place, self.side, events);
    }

    /// The same, not compiled into whatever an end was called for.
    #[inline(never)]
    fn conclude_apart(
        self,
        outbox: &Outbox,
        options: &mut Options,
        network: &mut Network,
        events: &mut Events,
    ) {
        self.conclude(outbox, options, network, events);
    }

    /// Sends segments with what the end says in their options.
    #[inline(always)]
    fn send_with_options(
        &mut self,
        segments: &[Segment],
        kept: &mut Options,
        network: &mut Network,
        events: &mut Events,
    ) {
        for segment in segments {
            self.send_one_with_options(segment, kept, network, events);
        }
    }

    /// Sends one of them. A function of its own: where it stands in a loop, a dozen addresses are made and
    /// put aside before the first segment, and there are one or two.
    #[inline(never)]
    fn send_one_with_options(
        &mut self,
        segment: &Segment,
        kept: &mut Options,
        network: &mut Network,
        events: &mut Events,
    ) {
        let End::Tcp(end) = &mut self.connection.ends[self.side as usize] else { return };
        let scalable = end.is_scalable();
        let timestamps = end.timestamps(self.now, self.profile, segment);
        let (place, ip_bytes) = if end.reports_with(segment) {
            let said = end.report(self.profile, timestamps);
            let ip_bytes = said.ip_bytes(segment, self.profile);
            (kept.keep(segment, said), ip_bytes)
        } else {
            (kept.keep_timestamps(segment, timestamps), segment.ip_bytes(self.profile))
        };
        let packet = self.packet(segment, ip_bytes).with_options(place, scalable);
        if !self.hand_over(packet, network, events) {
            kept.release(&packet);
        }
    }

    /// Hands a packet to the interface, or to whatever is in its place; answers whether it was not lost
    /// there. Compiled into what makes the packet: it would be written word by word and read by two words.
    #[inline(always)]
    pub(super) fn hand_over(&self, packet: Packet, network: &mut Network, events: &mut Events) -> bool {
        let path = self.path();
        let behind = path.delayed == Delayed::BehindInterface;
        let interface = if behind { network.interface(path.egress) } else { None };
        let Some(interface) = interface else {
            return network.send_off(packet, path, Some(self.connection.owner), self.now, events);
        };
        let arrival = interface.send(self.now, packet.ip_bytes()).nanoseconds() + path.delay_ns;
        events.push(path.rank, Time::from_nanoseconds(arrival), packet);
        true
    }

    #[inline(always)]
    fn send(&self, segments: &[Segment], network: &mut Network, events: &mut Events) {
        let path = self.path();
        let behind = path.delayed == Delayed::BehindInterface;
        let interface = if behind { network.interface(path.egress) } else { None };
        let Some(interface) = interface else { return self.send_otherwise(segments, network, events) };
        // Nearly always one: then nothing has to be kept for the next.
        if let [segment] = segments {
            self.send_one(segment, interface, events);
        } else {
            for segment in segments {
                self.send_one(segment, interface, events);
            }
        }
    }

    #[inline(always)]
    fn send_one(&self, segment: &Segment, interface: &mut Interface, events: &mut Events) {
        let path = self.path();
        let ip_bytes = segment.ip_bytes(self.profile);
        let arrival = interface.send(self.now, ip_bytes).nanoseconds() + path.delay_ns;
        events.push(path.rank, Time::from_nanoseconds(arrival), self.packet(segment, ip_bytes));
    }

    /// Over an impaired interface, through a box, or behind any other link.
    #[cold]
    #[inline(never)]
    fn send_otherwise(&self, segments: &[Segment], network: &mut Network, events: &mut Events) {
        for segment in segments {
            let packet = self.packet(segment, segment.ip_bytes(self.profile));
            network.send_off(packet, self.path(), Some(self.connection.owner), self.now, events);
        }
    }

    #[inline(always)]
    fn packet(&self, segment: &Segment, ip_bytes: u16) -> Packet {
        let generation = self.connection.generation;
        let connection = ConnectionIdentity { place: self.place, generation };
        Packet::new(segment, ip_bytes, connection, self.side, self.path())
    }

    #[inline(always)]
    const fn path(&self) -> &Path {
        &self.connection.paths[self.side as usize]
    }
}

/// Keeps one timer entry per connection, for the end that wants to be woken first.
#[inline(always)]
pub(super) fn keep_timer(connection: &mut Connection, place: u32, side: Side, events: &mut Events) {
    let deadline = connection.ends[side as usize].deadline();
    if deadline < connection.timer {
        add_timer(connection, place, deadline, events);
    }
}

#[inline(never)]
fn add_timer(connection: &mut Connection, place: u32, instant: Time, events: &mut Events) {
    // An end may ask for a time that has passed: it is now.
    let instant = instant.max(events.now());
    connection.timer = instant;
    events.wake_at(instant, Timer::Connection { connection: place, generation: connection.generation });
}
