//! Connections over a transport with streams, where each exchange has one of its own: what is lost of one
//! response keeps no other waiting.
//!
//! The browser writes a request on a new stream and finishes it. The server answers on the same stream when
//! all of the request is there, and finishes that. How urgent a response is goes with its request (RFC 9218);
//! which of several is sent first is left to the transport. The transport brings a handshake of its own.

use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::streams::Stream;
use crate::transport::{
    ConnectionEvent, ConnectionEventKind, ConnectionId, PopulationId, Side, Transport, UserConnection,
};
use aqmlab_transport::Urgency;
use aqmlab_web::{Exchange, ObjectKind, UserEvent};

impl Browsing {
    /// One end of such a connection has something to say.
    pub(crate) fn handle_separate_streams(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let (connection, stream) = (event.connection, event.stream);
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                let response = self.connections.separate(connection).on_server_bytes(stream, bytes);
                if let Some(bytes) = response {
                    transport.write_on(connection, Side::Passive, stream, bytes);
                    transport.finish(connection, Side::Passive, stream);
                }
            }
            (Side::Active, ConnectionEventKind::Delivered { bytes }) => {
                let complete = self.connections.separate(connection).on_browser_bytes(stream, bytes);
                if let Some(exchange) = complete {
                    let UserConnection { population, user, ordinal } = whose;
                    self.complete_stream(connection, whose, &exchange, transport);
                    self.notify(population, user, UserEvent::Object(ordinal, exchange.object), transport);
                }
            }
            (Side::Passive, ConnectionEventKind::PeerClosed) => transport.close(connection, Side::Passive),
            (Side::Active, ConnectionEventKind::Established) => {
                self.notify(whose.population, whose.user, UserEvent::Connected(whose.ordinal), transport);
            }
            _ => {}
        }
    }

    /// A user asks for an object, on a stream of its own.
    pub(crate) fn ask_separately(
        &mut self,
        (population, connection): (PopulationId, ConnectionId),
        first: bool,
        exchange: &Exchange,
        transport: &mut impl Transport,
    ) {
        let began = if first { self.connections.at(connection).opened } else { transport.now() };
        let stream = Stream::of(exchange, began, first);
        let id = self.connections.separate(connection).ask(stream);
        if !first {
            self.count_exchange(population, ExchangeCounts::STARTED, transport);
        }
        transport.prioritize(connection, Side::Passive, id, urgency_of(exchange.kind));
        transport.write_on(connection, Side::Active, id, u64::from(exchange.request_bytes));
        transport.finish(connection, Side::Active, id);
    }
}

/// What a page cannot go on without comes before what it embeds.
const fn urgency_of(kind: ObjectKind) -> Urgency {
    match kind {
        ObjectKind::Embedded => Urgency::DEFAULT,
        ObjectKind::TopLevel => Urgency::DOCUMENT,
    }
}
