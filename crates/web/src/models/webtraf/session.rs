//! One session of Webtraf.

use super::laws::WebtrafModel;
use crate::models::single_exchanges::SingleExchanges;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, StartRule};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// A session that thinks and fetches pages: a state machine that a driver tells what happened.
///
/// Every method appends the resulting commands to `out`, in the order in which they are to be carried out. Of
/// a page with several objects the later ones are launched at instants of their own: each [`Command::Wait`]
/// is answered by one [`WebtrafSession::on_wake`]. A connection carries one exchange. An event that cannot be
/// is a bug of the driver and panics.
#[derive(Clone, Debug)]
pub struct WebtrafSession {
    key: Key,
    /// The page in progress or, while it thinks, the next one.
    page: u32,
    /// Objects of the page whose connection was opened.
    launched: u32,
    /// Objects under way, by their number within the page.
    fetching: SingleExchanges,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    Thinking,
    Fetching,
}

impl WebtrafSession {
    /// A session that has not started. `key` is its address: fold seed, replication, population and index
    /// into it.
    #[must_use]
    pub const fn new(key: Key) -> Self {
        Self { key, page: 0, launched: 0, fetching: SingleExchanges::new(), phase: Phase::NotStarted }
    }

    /// Begins its life at [`Time::ZERO`], thinking: appends one [`Command::Think`].
    ///
    /// # Panics
    /// If it has started before.
    pub fn start(&mut self, model: &WebtrafModel, start: StartRule, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::NotStarted, "a session starts once");
        self.phase = Phase::Thinking;
        let wait = model.think_cycle().wait_at_start(start, self.key.named("start"));
        out.push(Command::Think { until: Time::ZERO + wait });
    }

    /// An instant has come: a page begins, or its next object is launched.
    ///
    /// # Panics
    /// If it has not started, or all objects of its page were launched.
    pub fn on_wake(&mut self, now: Time, model: &WebtrafModel, out: &mut Vec<Command>) {
        match self.phase {
            Phase::NotStarted => panic!("woken before the start"),
            Phase::Thinking => {
                self.phase = Phase::Fetching;
                self.launched = 0;
            }
            Phase::Fetching => assert!(self.launched < model.objects, "woken without having waited"),
        }
        self.launch(model, out);
        // Without gaps all are launched at once.
        while self.launched < model.objects {
            let gap = model.gap(self.page_key(), self.launched);
            if gap > Span::ZERO {
                out.push(Command::Wait { until: now + gap });
                return;
            }
            self.launch(model, out);
        }
    }

    /// A connection that it asked for is established: the request is written.
    ///
    /// # Panics
    /// If it did not ask for it.
    pub fn on_connected(
        &mut self,
        connection: ConnectionOrdinal,
        model: &WebtrafModel,
        out: &mut Vec<Command>,
    ) {
        let object = self.fetching.connect(connection);
        out.push(Command::Request { connection, exchange: self.exchange(object, model) });
    }

    /// The response on a connection is complete.
    ///
    /// # Panics
    /// If no response was expected on it.
    pub fn on_response(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &WebtrafModel,
        out: &mut Vec<Command>,
    ) {
        self.fetching.complete(connection);
        out.push(Command::Close { connection });
        self.go_on(now, model, out);
    }

    /// A connection gave up: its exchange has failed and is returned, for the driver to count. The object is
    /// not asked for again.
    ///
    /// # Panics
    /// If the connection is neither open nor being opened.
    pub fn on_failed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &WebtrafModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let object = self.fetching.fail(connection);
        let failed = self.exchange(object, model);
        self.go_on(now, model, out);
        Some(failed)
    }

    fn page_key(&self) -> Key {
        self.key.named("page").indexed(u64::from(self.page))
    }

    fn launch(&mut self, model: &WebtrafModel, out: &mut Vec<Command>) {
        let (object, page) = (self.launched, self.page_key());
        self.launched += 1;
        self.fetching.open(object);
        out.push(Command::Open {
            connection: ConnectionOrdinal::new(object),
            visit: self.page,
            server: model.server(page),
            machine: None,
            delay: MinimumDelay::Drawn(page.named("delay").uniform(0)),
            persistent: false,
            reopened: false,
        });
    }

    fn exchange(&self, object: u32, model: &WebtrafModel) -> Exchange {
        Exchange {
            object,
            page: 0,
            kind: if object == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded },
            on_persistent_connection: false,
            request_bytes: model.request_bytes,
            response_bytes: model.object_bytes(self.page_key(), object),
            server_time: Span::ZERO,
            server_closes: true,
        }
    }

    /// An exchange is over, well or not; with the last one of the page it thinks.
    fn go_on(&mut self, now: Time, model: &WebtrafModel, out: &mut Vec<Command>) {
        if self.launched == model.objects && self.fetching.is_empty() {
            let think = model.think(self.page_key());
            self.page = self.page.wrapping_add(1);
            self.fetching.release();
            self.phase = Phase::Thinking;
            out.push(Command::Think { until: now + think });
        }
    }
}
