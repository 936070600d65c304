//! Exchanges over two one-way connections, as ns-2's Webtraf has them (`webcache/webtraf.cc`).
//!
//! The browser opens a connection, writes the request and closes behind it. When the browser's host knows
//! that all of it has arrived, the server opens a connection of its own to the browser, writes the response
//! and closes. The response time ends, and the user goes on, when the server's host knows that all has
//! arrived. That the server learns of the request and the user of the end at once, across the network, is
//! ns-2's: its senders call the next step.

use crate::browser_connection::Carries;
use crate::browsing::Browsing;
use crate::transport::{
    ConnectionEvent, ConnectionEventKind, ConnectionId, Opening, Side, Transport, UserConnection,
};
use aqmlab_web::UserEvent;

impl Browsing {
    /// One end of such a connection has something to say.
    pub(crate) fn handle_one_way(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let connection = event.connection;
        match (self.connections.at(connection).carries, event.side, event.kind) {
            (Carries::Request, Side::Active, ConnectionEventKind::Established) => {
                self.notify_of((connection, whose), UserEvent::Connected(whose.ordinal), transport);
            }
            (Carries::Request, Side::Active, ConnectionEventKind::Ended) => {
                self.open_response(connection, whose, transport);
            }
            (Carries::Response, Side::Passive, ConnectionEventKind::Established) => {
                let under_way = self.connections.at(connection).under_way;
                let bytes = under_way.map_or(0, |under_way| under_way.response_bytes);
                transport.write_and_close(connection, Side::Passive, bytes);
            }
            (Carries::Response, Side::Passive, ConnectionEventKind::Ended) => {
                self.record_response(connection, whose, transport);
                self.connections.at(connection).under_way = None;
                self.notify_of((connection, whose), UserEvent::Response(whose.ordinal), transport);
            }
            (_, Side::Passive, ConnectionEventKind::PeerClosed) => transport.close(connection, Side::Passive),
            (_, Side::Active, ConnectionEventKind::PeerClosed) => {
                self.on_server_closed(connection, whose, transport);
            }
            _ => {}
        }
    }

    /// A request is acknowledged: its connection is over, and the server opens one for the response.
    fn open_response(
        &mut self,
        request: ConnectionId,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let UserConnection { population, user, .. } = whose;
        transport.close(request, Side::Passive);
        let record = self.connections.at(request);
        let (under_way, lost) = (record.under_way.take(), record.gave_up);
        let opening = self.connections.opening_of_request(request);
        let (Some(under_way), Some(opening), false) = (under_way, opening, lost) else { return };
        let opened = transport.open(&Opening { opener: Side::Passive, ..opening });
        let group = &mut self.populations[population.place()];
        group.open.remove(user, request, &mut self.connections);
        group.open.insert(whose, opened, transport.now(), Carries::Response, &mut self.connections);
        self.connections.begin_response(opened.connection, under_way);
    }
}
