//! What happens on connections that carry several exchanges at once: `streams.rs` says what, and this does
//! it.

use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::streams::{BrowserStep, Stream};
use crate::transport::{
    ConnectionEvent, ConnectionEventKind, ConnectionId, PopulationId, Side, Transport, UserConnection,
};
use aqmlab_record::Completion;
use aqmlab_web::{Exchange, ObjectKind, UserEvent};

impl Browsing {
    /// One end of such a connection has something to say.
    pub(crate) fn handle_streams(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let connection = event.connection;
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                self.answer(connection, bytes, transport);
            }
            (Side::Active, ConnectionEventKind::Delivered { bytes }) => {
                self.take(connection, bytes, whose, transport);
            }
            (Side::Passive, ConnectionEventKind::PeerClosed) => transport.close(connection, Side::Passive),
            (Side::Active, ConnectionEventKind::Established) => {
                self.begin_handshake(connection, whose, transport);
            }
            _ => {}
        }
    }

    /// The connection is open: the browser begins the handshake, or asks if there is none.
    pub(crate) fn begin_handshake(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let step = self.connections.streams(connection).on_established();
        self.carry_out_step(step, connection, whose, transport);
    }

    /// A user asks for an object.
    pub(crate) fn ask(
        &mut self,
        (population, connection): (PopulationId, ConnectionId),
        first: bool,
        exchange: &Exchange,
        transport: &mut impl Transport,
    ) {
        let record = self.connections.at(connection);
        let opened = record.opened;
        let lasted_before = std::mem::take(&mut record.lasted_before);
        let began = if first { opened } else { transport.now() };
        let stream = Stream { lasted_before, ..Stream::of(exchange, began, first) };
        let bytes = self.connections.streams(connection).ask(stream);
        if !first {
            self.count_exchange(population, ExchangeCounts::STARTED, transport);
        }
        transport.write(connection, Side::Active, bytes);
    }

    /// Bytes of the browser have reached the server.
    fn answer(&mut self, connection: ConnectionId, bytes: u32, transport: &mut impl Transport) {
        let unsent = || transport.unsent(connection, Side::Passive);
        let written = self.connections.streams(connection).on_server_bytes(bytes, unsent);
        if written > 0 {
            transport.write(connection, Side::Passive, written);
        }
    }

    /// Bytes of the server have reached the browser.
    fn take(
        &mut self,
        connection: ConnectionId,
        bytes: u32,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        self.connections.streams(connection).on_browser_bytes(bytes);
        loop {
            let step = self.connections.streams(connection).next_step();
            if step == BrowserStep::None {
                return;
            }
            self.carry_out_step(step, connection, whose, transport);
        }
    }

    fn carry_out_step(
        &mut self,
        step: BrowserStep,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let UserConnection { population, user, ordinal } = whose;
        match step {
            BrowserStep::None => {}
            BrowserStep::Write(bytes) => transport.write(connection, Side::Active, u64::from(bytes)),
            BrowserStep::Secured => {
                self.notify(population, user, UserEvent::Connected(ordinal), transport);
            }
            BrowserStep::Complete(stream) => {
                self.complete_stream(connection, whose, &stream, transport);
                self.notify(population, user, UserEvent::Object(ordinal, stream.object), transport);
            }
        }
    }

    pub(crate) fn complete_stream(
        &mut self,
        connection: ConnectionId,
        UserConnection { population, user, .. }: UserConnection,
        stream: &Stream,
        transport: &mut impl Transport,
    ) {
        let now = transport.now();
        let completion = Completion {
            completed_at: now,
            response_time: stream.lasted_before + (now - stream.began),
            request_bytes: stream.request_bytes,
            response_bytes: stream.response_bytes,
            connection: self.connections.at(connection).number,
            population: population.number(),
            user,
            page: 0,
            embedded: stream.kind == ObjectKind::Embedded,
            first_on_connection: stream.first_on_connection,
        };
        self.complete(population, completion, transport);
    }

    /// The browser's end has given up: everything that was asked for has failed.
    #[cold]
    pub(crate) fn fail_streams(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let UserConnection { population, user, ordinal } = whose;
        let connecting = self.connections.at(connection).is_connecting();
        self.connections.at(connection).browser_gave_up = true;
        let lost = self.connections.give_up(connection) + usize::from(connecting);
        let group = &mut self.populations[population.place()];
        // A connection that gave up while it was being closed is no longer known to its user.
        if group.open.find((user, ordinal), Some(connection), &self.connections).is_none() {
            return;
        }
        group.open.remove(user, connection, &mut self.connections);
        for _ in 0..lost {
            self.populations[population.place()].fail_object(user, transport.now());
            self.count_exchange(population, ExchangeCounts::FAILED, transport);
        }
        let never_asked = self.notify(population, user, UserEvent::Failed(ordinal), transport);
        if let Some(exchange) = never_asked.filter(|_| connecting) {
            self.populations[population.place()].note_generated(&exchange);
        }
    }
}
