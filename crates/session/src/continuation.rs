//! What was in progress when the run began goes on.
//!
//! Wires are empty at the start: what was under way on them arrives when it would have arrived, or a little later, as the
//! network has it. A connection that was being opened is open when it would have been, and one that never would have been
//! is tried from the beginning; a response goes on when its next bytes would have arrived, and the server writes what is
//! missing of it then.

use crate::browser_connection::{Continuation, ExchangeUnderWay, UserConnection};
use crate::browsing::Browsing;
use crate::exchange_counts::ExchangeCounts;
use crate::history::{InProgress, PastConnection, live};
use crate::transport::{Alarm, ContinuationId, PopulationId, Side, Transport};
use aqmlab_web::UserEvent;

impl Browsing {
    /// Starts a user in the middle of her life.
    pub(crate) fn start_in_progress(
        &mut self,
        (population, user): (PopulationId, u32),
        transport: &mut impl Transport,
    ) {
        let users = &mut self.populations[population.place()].users;
        let present = live(users, (population, user), |opening| transport.idle_path(opening));
        if let Some(thinks_for) = present.thinks_for {
            transport.wake_at(transport.now() + thinks_for, Alarm::User { population, user });
        }
        for connection in &present.connections {
            self.resume((population, user, connection.ordinal), connection, transport);
        }
    }

    fn resume(&mut self, whose: UserConnection, past: &PastConnection, transport: &mut impl Transport) {
        if past.doing == InProgress::OpeningInVain {
            return self.open(whose, past.opening, transport);
        }
        let (population, user, ordinal) = whose;
        let (now, opened) = (transport.now(), transport.resume(&past.opening, past.carried));
        let group = &mut self.populations[population.place()];
        let (listed, server) = ((population.number(), user, ordinal), group.server());
        group.open.insert(listed, opened, now, server, &mut self.connections);
        let record = self.connections.at(opened.connection);
        record.exchanges = past.exchanges;
        record.lasted_before = past.lasted;
        let (goes_on_in, missing_bytes) = match past.doing {
            InProgress::Idle | InProgress::OpeningInVain => return,
            InProgress::Opening { open_in } => (open_in, None),
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
                (more_in, Some(missing_bytes))
            }
        };
        // It began before every window.
        group.in_run.add(ExchangeCounts::STARTED);
        let continuation = ContinuationId::of(self.continuations.len());
        self.continuations.push(Continuation { connection: opened.connection, whose, missing_bytes });
        transport.wake_at(now + goes_on_in, Alarm::Continuation { continuation });
    }

    /// The instant has come at which an exchange goes on that was in progress when the run began.
    pub(crate) fn go_on(&mut self, continuation: ContinuationId, transport: &mut impl Transport) {
        let Continuation { connection, whose, missing_bytes } = self.continuations[continuation.place()];
        let (population, user, ordinal) = whose;
        let Some(bytes) = missing_bytes else {
            self.notify(population, user, UserEvent::Connected(ordinal), transport);
            return;
        };
        if self.populations[population.place()].users.servers_close() {
            transport.write_and_close(connection, Side::Passive, bytes);
        } else {
            transport.write(connection, Side::Passive, bytes);
        }
    }
}
