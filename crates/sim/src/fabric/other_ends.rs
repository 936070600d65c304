//! Packets in and out of ends that are not TCP's: what `endpoints.rs` does for TCP, for the seam of
//! `transport_end.rs`.

use super::endpoints::{Changes, Endpoints, Sender, keep_timer};
use super::events::Events;
use super::network::Network;
use super::packet::Packet;
use super::transport_end::{End, check_length};
use crate::identifiers::{ConnectionIdentity, EndpointId};
use aqmlab_session::{ConnectionEvent, ConnectionEventKind};
use aqmlab_transport::{Answer, StreamId, TransportEnd, Urgency};
use aqmlab_units::Time;

impl Endpoints {
    /// Lets an end that is not TCP's act, and sends what follows.
    #[cold]
    #[inline(never)]
    pub(super) fn act_otherwise(
        &mut self,
        end: EndpointId,
        network: &mut Network,
        events: &mut Events,
        action: impl FnOnce(&mut dyn TransportEnd, Time, &mut Answer),
    ) {
        let now = events.now();
        self.answer.clear();
        let EndpointId { connection, side } = end;
        let End::Other(acting) = &mut self.connections.at(connection.number()).ends[side as usize] else {
            return;
        };
        action(acting.as_mut(), now, &mut self.answer);
        self.carry_out(end, now, network, events);
    }

    /// Nothing more is written on a stream; TCP's end has one, which ends with the connection.
    pub(crate) fn finish(
        &mut self,
        end: EndpointId,
        stream: StreamId,
        network: &mut Network,
        events: &mut Events,
    ) {
        self.act_otherwise(end, network, events, |end, now, answer| end.finish(now, stream, answer));
    }

    /// How urgent is what is written on a stream from now on; to TCP it is all one.
    pub(crate) fn prioritize(&mut self, end: EndpointId, stream: StreamId, urgency: Urgency) {
        let connection = self.connections.at(end.connection.number());
        if let End::Other(end) = &mut connection.ends[end.side as usize] {
            end.prioritize(stream, urgency);
        }
    }

    /// A packet with a payload reaches the end of its connection at `now`.
    #[inline(never)]
    pub(super) fn deliver_payload(
        &mut self,
        now: Time,
        packet: &Packet,
        network: &mut Network,
        events: &mut Events,
    ) {
        let receiver = packet.receiver();
        let Some(payload) = self.options.take_payload(packet) else { return };
        self.answer.clear();
        let connection = self.connections.at(receiver.connection.number());
        let End::Other(end) = &mut connection.ends[receiver.side as usize] else { return };
        if connection.finished[receiver.side as usize] {
            return;
        }
        end.on_packet(now, &payload, packet.codepoint(), &mut self.answer);
        self.carry_out(receiver, now, network, events);
    }

    /// Sends what an end has answered, keeps its timer, and puts before the applications what it has said.
    fn carry_out(&mut self, end: EndpointId, now: Time, network: &mut Network, events: &mut Events) {
        let Self { connections, hosts, options, answer, connection_events, .. } = self;
        let EndpointId { connection: id, side } = end;
        let place = id.number();
        let connection = connections.at(place);
        let profile = hosts.profile(connection.profile);
        for outgoing in answer.packets.drain(..) {
            check_length(&outgoing);
            let (ip_bytes, codepoint) = (outgoing.ip_bytes, outgoing.codepoint);
            let at = options.keep_payload(outgoing.payload);
            let identity = ConnectionIdentity { place, generation: connection.generation };
            let path = &connection.paths[side as usize];
            let packet = Packet::with_payload(at, ip_bytes, codepoint, identity, side, path);
            let sender = Sender { now, connection, place, side, profile };
            if !sender.hand_over(packet, network, events) {
                options.release(&packet);
            }
        }
        keep_timer(connection, place, side, events);
        let owner = connection.owner;
        for &(stream, bytes) in &answer.delivered {
            let kind = ConnectionEventKind::Delivered { bytes };
            connection_events.push(ConnectionEvent { connection: id, owner, side, stream, kind });
        }
        let &mut Answer { established, peer_closed, finished, gave_up, .. } = answer;
        self.report_changes(end, Changes { established, peer_closed, finished, gave_up });
    }
}
