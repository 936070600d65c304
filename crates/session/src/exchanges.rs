//! What happens on connections that carry one exchange at a time.

use crate::answers::{Made, PendingAnswer, respond};
use crate::browser_connection::Carries;
use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::response::ResponseEnd;
use crate::transport::{
    Alarm, ConnectionEvent, ConnectionEventKind, ConnectionId, Side, Transport, UserConnection,
};
use aqmlab_record::Completion;
use aqmlab_units::Span;
use aqmlab_web::{ObjectKind, UserEvent, WaitsFor};

impl Browsing {
    /// One end of such a connection has something to say.
    #[inline]
    pub(crate) fn handle_exchange(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let connection = event.connection;
        match (event.side, event.kind) {
            (Side::Passive, ConnectionEventKind::Delivered { bytes }) => {
                self.serve(connection, bytes, transport);
            }
            (Side::Active, ConnectionEventKind::Delivered { bytes }) => {
                self.receive(connection, bytes, whose, transport);
            }
            (Side::Passive, ConnectionEventKind::PeerClosed) => transport.close(connection, Side::Passive),
            (Side::Active, ConnectionEventKind::PeerClosed) => {
                self.on_server_closed(connection, whose, transport);
            }
            (Side::Active, ConnectionEventKind::Established) => {
                self.notify_of((connection, whose), UserEvent::Connected(whose.ordinal), transport);
            }
            _ => {}
        }
    }

    /// Bytes of a request have reached the server.
    #[inline]
    fn serve(&mut self, connection: ConnectionId, bytes: u32, transport: &mut impl Transport) {
        let record = self.connections.at(connection);
        let Carries::Exchange(server) = &mut record.carries else { return };
        let Some(response) = server.on_bytes(transport.now(), bytes) else { return };
        if response.after == Span::ZERO {
            respond(connection, &response, transport);
        } else {
            let number = record.number;
            let made = Made::Response(response);
            let answer = self.answers.insert(PendingAnswer { connection, number, made });
            transport.wake_at(transport.now() + response.after, Alarm::Answer { answer });
        }
    }

    /// Bytes of a response have reached the browser.
    #[inline]
    fn receive(
        &mut self,
        connection: ConnectionId,
        bytes: u32,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let record = self.connections.at(connection);
        let Some(under_way) = &mut record.under_way else { return };
        under_way.missing_bytes -= u64::from(bytes);
        if under_way.missing_bytes == 0 {
            self.on_last_byte(connection, whose, transport);
        }
    }

    fn on_last_byte(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let servers_close = self.populations[whose.population.place()].users.servers_close();
        if !servers_close || self.settings.response_end == ResponseEnd::LastByte {
            self.record_response(connection, whose, transport);
        }
        if !servers_close {
            self.connections.at(connection).under_way = None;
            self.notify_of((connection, whose), UserEvent::Response(whose.ordinal), transport);
        }
    }

    /// The server has closed, and everything before its close has arrived. A browser that closed first has
    /// nothing under way any more.
    pub(crate) fn on_server_closed(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        if self.connections.at(connection).under_way.is_none() {
            return;
        }
        if self.settings.response_end == ResponseEnd::ConnectionClosed {
            self.record_response(connection, whose, transport);
        }
        self.connections.at(connection).under_way = None;
        self.notify_of((connection, whose), UserEvent::Response(whose.ordinal), transport);
    }

    /// The response time of the exchange under way ends now.
    pub(crate) fn record_response(
        &mut self,
        connection: ConnectionId,
        UserConnection { population, user, .. }: UserConnection,
        transport: &mut impl Transport,
    ) {
        let record = self.connections.at(connection);
        let number = record.number;
        let lasted_before = std::mem::take(&mut record.lasted_before);
        let Some(under_way) = &mut record.under_way else { return };
        under_way.completed = true;
        let (now, under_way) = (transport.now(), *under_way);
        let completion = Completion {
            completed_at: now,
            response_time: lasted_before + (now - under_way.began),
            request_bytes: under_way.request_bytes,
            response_bytes: under_way.response_bytes,
            connection: number,
            population: population.number(),
            user,
            page: 0,
            embedded: under_way.kind == ObjectKind::Embedded,
            first_on_connection: under_way.first_on_connection,
        };
        self.complete(population, completion, transport);
    }

    /// The browser's end has given up.
    pub(crate) fn fail_exchange(
        &mut self,
        connection: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let UserConnection { population, user, ordinal } = whose;
        let record = self.connections.at(connection);
        record.browser_gave_up = true;
        let (connecting, under_way) = (record.exchanges == 0, record.under_way.take());
        let group = &mut self.populations[population.place()];
        // A connection that gave up while it was being closed is no longer known to its user.
        if group.open.find((user, ordinal), Some(connection), &self.connections).is_none() {
            return;
        }
        group.open.remove(user, connection, &mut self.connections);
        let missing = connecting || under_way.is_some_and(|under_way| !under_way.completed);
        if missing && group.users.waits_for() != WaitsFor::Nothing {
            group.fail_object(user, transport.now());
        }
        // Idle connections fail as well, and those whose exchange is complete but for the server's close.
        let Some(failed) = self.notify(population, user, UserEvent::Failed(ordinal), transport) else {
            return;
        };
        if connecting {
            self.populations[population.place()].note_generated(&failed);
        }
        if under_way.is_none_or(|under_way| !under_way.completed) {
            self.count_exchange(population, ExchangeCounts::FAILED, transport);
        }
    }
}
