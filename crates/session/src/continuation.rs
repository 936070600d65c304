//! What was in progress when the run began goes on.
//!
//! Wires are empty at the start: what was under way on them arrives when it would have arrived, or a little
//! later, as the network has it. A connection that was being opened is open when it would have been, and one
//! that never would have been is tried from the beginning; a response goes on when its next bytes would have
//! arrived, and the server writes what is missing of it then. Of a connection that carries several exchanges
//! everything that was under way goes on at once, as much before something would have arrived as it takes
//! from one end to the other.

use crate::browser_connection::{Carries, Continuation, ExchangeUnderWay, GoesOn};
use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::history::{InProgress, PastConnection, live};
use crate::transport::{Alarm, ContinuationId, PastTransport, PopulationId, Side, Transport, UserConnection};
use aqmlab_web::{Connections, UserEvent};

/// What has a past; a driver whose connections have none refuses a stationary start.
fn past_of(transport: &mut impl Transport) -> &mut dyn PastTransport {
    transport.past().expect("users start in the middle of a page where connections have a past")
}

impl Browsing {
    /// Starts a user in the middle of her life.
    pub(crate) fn start_in_progress(
        &mut self,
        (population, user): (PopulationId, u32),
        transport: &mut impl Transport,
    ) {
        let users = &mut self.populations[population.place()].users;
        let present = live(users, (population, user), |opening| past_of(transport).idle_path(opening));
        if let Some(thinks_for) = present.thinks_for {
            transport.wake_at(transport.now() + thinks_for, Alarm::User { population, user });
        }
        for connection in &present.connections {
            self.resume(
                UserConnection { population, user, ordinal: connection.ordinal },
                connection,
                transport,
            );
        }
    }

    fn resume(&mut self, whose: UserConnection, past: &PastConnection, transport: &mut impl Transport) {
        if past.doing == InProgress::OpeningInVain {
            return self.open(whose, past.opening, transport);
        }
        let UserConnection { population, ordinal, .. } = whose;
        let (now, opened) = (transport.now(), past_of(transport).resume(&past.opening, past.carried));
        let group = &mut self.populations[population.place()];
        let carries = group.carries(ordinal);
        group.open.insert(whose, opened, now, carries, &mut self.connections);
        match &past.streams {
            Some(streams) => self.connections.resume_streams(opened.connection, streams.clone()),
            None => {
                if let Connections::Streams(handshake) = group.users.connections() {
                    self.connections.begin_streams(opened.connection, handshake);
                }
            }
        }
        let record = self.connections.at(opened.connection);
        record.exchanges = past.exchanges;
        record.lasted_before = past.lasted;
        let (goes_on_in, goes_on) = match past.doing {
            InProgress::Idle | InProgress::OpeningInVain => return,
            InProgress::Opening { open_in } => (open_in, GoesOn::Opened),
            InProgress::Several { to_server, to_browser, more_in } => {
                (more_in, GoesOn::Several { to_server, to_browser })
            }
            InProgress::Response { exchange, arrived, more_in } => {
                let missing_bytes = exchange.response_bytes - arrived;
                record.under_way = Some(ExchangeUnderWay {
                    request_bytes: exchange.request_bytes,
                    response_bytes: exchange.response_bytes,
                    kind: exchange.kind,
                    began: now,
                    missing_bytes,
                    first_on_connection: past.exchanges == 1,
                    completed: false,
                });
                (more_in, GoesOn::Response { missing_bytes })
            }
        };
        // They began before every window.
        let in_progress = past.streams.as_ref().map_or(1, |streams| streams.under_way().max(1));
        (0..in_progress).for_each(|_| group.in_run.add(ExchangeCounts::STARTED));
        let continuation = ContinuationId::of(self.continuations.len());
        self.continuations.push(Continuation { connection: opened.connection, whose, goes_on });
        transport.wake_at(now + goes_on_in, Alarm::Continuation { continuation });
    }

    /// The instant has come at which an exchange goes on that was in progress when the run began.
    pub(crate) fn go_on(&mut self, continuation: ContinuationId, transport: &mut impl Transport) {
        let Continuation { connection, whose, goes_on } = self.continuations[continuation.place()];
        let UserConnection { population, user, ordinal } = whose;
        match goes_on {
            GoesOn::Opened if self.connections.at(connection).carries == Carries::Streams => {
                self.begin_handshake(connection, whose, transport);
            }
            GoesOn::Opened => {
                self.notify(population, user, UserEvent::Connected(ordinal), transport);
            }
            GoesOn::Response { missing_bytes } => {
                if self.populations[population.place()].users.servers_close() {
                    transport.write_and_close(connection, Side::Passive, missing_bytes);
                } else {
                    transport.write(connection, Side::Passive, missing_bytes);
                }
            }
            GoesOn::Several { to_server, to_browser } => {
                let sides = [(Side::Passive, to_browser), (Side::Active, to_server)];
                for (side, bytes) in sides.into_iter().filter(|(_, bytes)| *bytes > 0) {
                    transport.write(connection, side, bytes);
                }
            }
        }
    }
}
