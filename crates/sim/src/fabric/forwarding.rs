//! What happens to a packet at a link, and where it goes next.

use super::Fabric;
use super::connections::Connections;
use super::events::Events;
use super::headers::HeadersOf;
use super::losses::LossCounts;
use super::network::Passed;
use super::packet::Packet;
use super::trace::TraceEvent;
use crate::identifiers::{Egress, Hop, MonitoredId, QueuedId};
use aqmlab_aqm::{PacketClass, Reason};
use aqmlab_driver::{CountedPacket, Whose};
use aqmlab_record::MeasuredWindow;
use aqmlab_session::Owner;
use aqmlab_units::Time;

impl Fabric {
    /// A packet arrives where it was under way to.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, packet: Packet, events: &mut Events) {
        self.forward(packet.at(), packet, events);
    }

    /// The packet in service has left: the next one is taken into service, then the first moves on.
    #[inline(always)]
    pub(crate) fn end_transmission(&mut self, events: &mut Events) {
        let link = events.transmissions.first_link();
        let position = link.place();
        let Self { network, endpoints, discarded, trace, .. } = self;
        let queued = &mut network.queued[position];
        let packet = queued.link.end_transmission();
        if queued.link.is_sending() {
            return self.end_transmission_of_several(packet, events);
        }
        trace.record(events.now(), TraceEvent::Departure, queued.monitored, &packet, &endpoints.options);
        if let Some(channel) = queued.channel {
            return self.end_turn(link, channel, packet, events);
        }
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        match queued.serve(events, &mut discard) {
            Some(packet) => prefetch_delivery(&endpoints.connections, &packet),
            None => events.transmissions.end(link),
        }
        if !self.discarded.is_empty() {
            self.note_discards(position, events);
        }
        self.leave(position, packet, events);
    }

    /// The same of a transmission that carried several packets, of which this is the first.
    #[cold]
    #[inline(never)]
    fn end_transmission_of_several(&mut self, first: Packet, events: &mut Events) {
        let position = events.transmissions.first_link().place();
        let mut packet = first;
        loop {
            let Self { network, endpoints, trace, .. } = self;
            let monitored = network.queued[position].monitored;
            trace.record(events.now(), TraceEvent::Departure, monitored, &packet, &endpoints.options);
            self.leave(position, packet, events);
            let link = &mut self.network.queued[position].link;
            if !link.carries_another() {
                return self.end_transmission(events);
            }
            packet = link.end_transmission();
        }
    }

    /// A packet that a link has sent moves on to its far end.
    #[inline(always)]
    pub(super) fn leave(&mut self, position: usize, packet: Packet, events: &mut Events) {
        let queued = &self.network.queued[position];
        let (to, propagation, varies) = (queued.to, queued.propagation, queued.varying.is_some());
        let counts = self.user_bytes.is_some() || self.traffic.is_some();
        if let Some(link) = queued.monitored.filter(|_| counts) {
            let frame_bytes = queued.link.framing().frame_bytes(u32::from(packet.ip_bytes()));
            self.count_sent(link, &packet, frame_bytes, events);
        }
        match propagation {
            Some((pipe, delay)) => {
                let now = events.now();
                let arrival = if varies { self.network.varied_arrival(position, now) } else { now + delay };
                events.push(pipe, arrival, packet.towards(to));
            }
            None => self.forward(to, packet, events),
        }
    }

    /// Moves a packet on from a hop.
    #[inline(always)]
    fn forward(&mut self, at: Hop, packet: Packet, events: &mut Events) {
        let egress = self.network.egress(at, packet.destination());
        if !self.take(egress, packet, events) {
            self.take_impaired(egress, packet, events);
        }
    }

    /// Moves a packet on by an egress; answers whether it is an egress to a link itself, or to the
    /// destination.
    #[inline(always)]
    fn take(&mut self, egress: Egress, packet: Packet, events: &mut Events) -> bool {
        let Self { network, endpoints, .. } = self;
        let now = events.now();
        if egress == Egress::DELIVERY {
            endpoints.deliver(now, packet, network, events);
        } else if let Some(queued) = network.queued.get(egress.place()) {
            if queued.predicts {
                self.predict(egress.place(), packet, events);
            } else {
                self.enqueue(egress.place(), packet, events);
            }
        } else if network.interface(egress).is_some() {
            self.cross(egress, now, packet, events);
        } else {
            return false;
        }
        true
    }

    /// Moves a packet on over an interface, to which it is handed at an instant: now, or later where that is
    /// predicted.
    #[inline(always)]
    fn cross(&mut self, egress: Egress, from: Time, packet: Packet, events: &mut Events) {
        let Self { network, endpoints, end, window, .. } = self;
        let Some(interface) = network.interface(egress) else { unreachable!("{egress:?} is no interface") };
        let arrival = interface.send(from, packet.ip_bytes());
        if !interface.leads_to_responder {
            events.push_soon(interface.rank, arrival, packet.towards(interface.to));
        } else if interface.pending_until < events.now()
            && arrival <= *end
            && arrival < next_edge(window, events.now())
        {
            endpoints.deliver_in_advance(arrival, packet, network, events);
        } else {
            interface.pending_until = arrival;
            events.push(interface.rank, arrival, packet.towards(interface.to));
        }
    }

    /// Moves a packet on over an impaired link.
    #[cold]
    #[inline(never)]
    fn take_impaired(&mut self, egress: Egress, mut packet: Packet, events: &mut Events) {
        let connection = self.endpoints.connections.current(packet.connection_identity());
        let owner = connection.map(|connection| connection.owner);
        match self.network.pass_impairment(egress, &mut packet, owner, events.now()) {
            Ok(Passed { egress, repeats }) => {
                let copy = repeats.then(|| self.endpoints.options.copied(&packet));
                for packet in [Some(packet), copy].into_iter().flatten() {
                    let taken = self.take(egress, packet, events);
                    debug_assert!(taken, "{egress:?} behind an impairment leads nowhere");
                }
            }
            Err(egress) if egress.place() < self.network.queued.len() => {
                self.lose_before_queue(egress.place(), packet, events);
            }
            Err(_) => {
                self.endpoints.options.release(&packet);
                self.endpoints.datagrams.lose(&packet);
            }
        }
    }

    /// A packet comes to a queue whose departures are predicted: it moves on at once, from the instant at
    /// which it will have been sent.
    #[inline(always)]
    fn predict(&mut self, position: usize, packet: Packet, events: &mut Events) {
        let Self { network, discarded, .. } = self;
        let queued = &mut network.queued[position];
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        let accepted = queued.link.predict(events.now(), packet, &mut discard);
        let (to, propagation, feeds_alone) = (queued.to, queued.propagation, queued.feeds_alone);
        if let Some((packet, sent)) = accepted {
            match propagation {
                Some((pipe, delay)) if !feeds_alone => events.push(pipe, sent + delay, packet.towards(to)),
                _ => {
                    let arrival = propagation.map_or(sent, |(_, delay)| sent + delay);
                    let egress = network.egress(to, packet.destination());
                    self.cross(egress, arrival, packet, events);
                }
            }
        }
        if !self.discarded.is_empty() {
            // What waits has moved on already: it can't be taken back.
            assert_eq!(self.discarded, [packet], "a scheme that leaves what waits alone has discarded it");
            self.note_discards(position, events);
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, position: usize, packet: Packet, events: &mut Events) {
        let Self { network, endpoints, flow_hashes, discarded, trace, .. } = self;
        let queued = &mut network.queued[position];
        trace.record(events.now(), TraceEvent::Arrival, queued.monitored, &packet, &endpoints.options);
        endpoints.connections.prefetch_owner(packet.connection());
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        let headers = HeadersOf { flow_hashes, options: &endpoints.options };
        if let Some(packet) = queued.arrive(packet, headers, events, &mut discard) {
            prefetch_delivery(&endpoints.connections, &packet);
            if let Some(channel) = queued.channel {
                network.begin_turn(position, channel, events.now());
            }
        }
        if !self.discarded.is_empty() {
            self.note_discards(position, events);
        }
    }

    /// A link asks its port again, which has held back what waits.
    #[cold]
    pub(crate) fn ask_port_again(&mut self, link: QueuedId, events: &mut Events) {
        let Self { network, discarded, .. } = self;
        let position = link.place();
        let mut discard = |packet: Packet, _reason: Reason| discarded.push(packet);
        let queued = &mut network.queued[position];
        let channel = queued.channel;
        if let (Some(_), Some(channel)) = (queued.ask_again(events, &mut discard), channel) {
            network.begin_turn(position, channel, events.now());
        }
        if !self.discarded.is_empty() {
            self.note_discards(position, events);
        }
    }

    /// A packet is lost on its way to a queue.
    fn lose_before_queue(&mut self, position: usize, packet: Packet, events: &Events) {
        let Self { network, endpoints, discarded, trace, .. } = self;
        let queued = &mut network.queued[position];
        trace.record(events.now(), TraceEvent::Arrival, queued.monitored, &packet, &endpoints.options);
        queued.link.lose(packet, &mut |packet, _reason| discarded.push(packet));
        self.note_discards(position, events);
    }

    /// Records what a link with a queue has just discarded.
    #[cold]
    #[inline(never)]
    pub(super) fn note_discards(&mut self, position: usize, events: &Events) {
        let Self { network, endpoints, discarded, losses, trace, traffic, window, .. } = self;
        let queued = &network.queued[position];
        for packet in discarded.drain(..) {
            trace.record(events.now(), TraceEvent::Discard, queued.monitored, &packet, &endpoints.options);
            endpoints.options.release(&packet);
            endpoints.datagrams.lose(&packet);
            if let Some(link) = queued.monitored {
                let connections = &mut endpoints.connections;
                if let Some(traffic) = traffic {
                    let connection = connections.current(packet.connection_identity());
                    let owner = connection.map(|connection| connection.owner);
                    traffic.note_discarded(events.now(), link.place(), counted(owner, &packet));
                }
                note_loss(connections, losses, &packet, window.contains(events.now()));
            }
        }
    }

    #[inline(never)]
    fn count_sent(&mut self, link: MonitoredId, packet: &Packet, frame_bytes: u32, events: &Events) {
        let Self { endpoints, user_bytes, traffic, .. } = self;
        let connection = endpoints.connections.current(packet.connection_identity());
        let owner = connection.map(|connection| connection.owner);
        if let Some((user_bytes, owner)) = user_bytes.as_mut().zip(owner) {
            user_bytes.count(events.now(), link, owner, (frame_bytes, packet.ip_bytes()));
        }
        if let Some(traffic) = traffic {
            traffic.note_sent(events.now(), link.place(), counted(owner, packet));
        }
    }
}

/// What is counted of a packet whose connection has this owner or is over.
fn counted(owner: Option<Owner>, packet: &Packet) -> CountedPacket {
    let whose = match (owner, packet.as_datagram()) {
        (Some(owner), _) => Whose::Connection(owner),
        (None, Some((source, _))) => Whose::Datagrams(source),
        (None, None) => Whose::Nobody,
    };
    CountedPacket {
        whose,
        from: packet.from(),
        ip_bytes: u32::from(packet.ip_bytes()),
        is_marked: packet.is_marked(),
    }
}

/// When deliveries are counted next: at an edge of the measured window, before anything else that happens
/// then.
#[inline(always)]
fn next_edge(window: &MeasuredWindow, now: Time) -> Time {
    if now < window.from {
        window.from
    } else if now < window.until {
        window.until
    } else {
        Time::MAX
    }
}

/// Fetches what the delivery of a packet that is now being sent will touch of its connection.
#[inline(always)]
fn prefetch_delivery(connections: &Connections, packet: &Packet) {
    connections.prefetch_end(packet.connection(), packet.from().other());
}

/// Counts a packet that a monitored queue discarded, for its connection and for all.
fn note_loss(connections: &mut Connections, losses: &mut LossCounts, packet: &Packet, measured: bool) {
    let Some(connection) = connections.current(packet.connection_identity()) else { return };
    let handshake = LossCounts::of_handshake(packet.class());
    connection.losses.total = connection.losses.total.plus(handshake);
    *losses = losses.plus(handshake);
    if packet.class() == PacketClass::Data {
        let Some(sender) = connection.ends[packet.from() as usize].tcp() else { return };
        let highest_sent = sender.highest_sent();
        let sequence = packet.segment().sequence;
        *losses = losses.plus(connection.losses.data(packet.from(), sequence, highest_sent, measured));
    }
}
