//! One user of Mah's model.

use super::laws::MahModel;
use crate::models::server_visit::visit_key;
use crate::models::single_exchanges::SingleExchanges;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, StartRule};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// A person who thinks and browses with HTTP/1.0: a state machine that a driver tells what happened.
///
/// Every method appends the resulting commands to `out`, in the order in which they are to be carried out. A
/// connection carries one exchange: `on_response` says that the response is complete and that the server has
/// closed the connection. Nothing may be reported about a connection after its [`Command::Close`]. An event
/// that cannot be is a bug of the driver and panics.
#[derive(Clone, Debug)]
pub struct MahUser {
    key: Key,
    /// The key of the current visit, below `key`.
    visit_key: Key,
    /// Files being fetched, by their number within the visit; at most as many as the browser works with at
    /// once.
    fetching: SingleExchanges,
    visit: u32,
    documents_in_visit: u32,
    /// The document in progress or, while she thinks, the next one; `documents_in_visit` after the last one.
    document: u32,
    /// Files of the visit on earlier documents.
    files_before_document: u32,
    files_in_document: u32,
    /// The next file of the document that nobody fetches yet, counted within the document.
    next_file: u32,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    Thinking,
    Fetching,
}

impl MahUser {
    /// A user who has not started. `key` is her address: fold seed, replication, side and index into it.
    #[must_use]
    pub fn new(key: Key, model: &MahModel) -> Self {
        let visit_key = visit_key(key, 0);
        Self {
            key,
            visit_key,
            fetching: SingleExchanges::new(),
            visit: 0,
            documents_in_visit: model.documents_in_visit(visit_key),
            document: 0,
            files_before_document: 0,
            files_in_document: 0,
            next_file: 0,
            phase: Phase::NotStarted,
        }
    }

    /// Begins her life at [`Time::ZERO`], thinking: appends one [`Command::Think`].
    ///
    /// # Panics
    /// If she has started before.
    pub fn start(&mut self, model: &MahModel, start: StartRule, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::NotStarted, "a user starts once");
        let key = self.key.named("start");
        if matches!(start, StartRule::Steady | StartRule::Stationary) {
            self.enter_visit_at_random_place(key, model);
        }
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: Time::ZERO + model.think_cycle().wait_at_start(start, key) });
    }

    /// The think time is over: the next document is asked for, its primary file first.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn on_wake(&mut self, _now: Time, model: &MahModel, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "woken while {:?}", self.phase);
        if self.document == self.documents_in_visit {
            self.enter_next_visit(model);
        }
        self.files_in_document = model.files_in_document(self.visit_key, self.document);
        self.next_file = 0;
        self.phase = Phase::Fetching;
        self.fetch_next(model, out);
    }

    /// Whether no response of her next document takes long.
    ///
    /// # Panics
    /// If she is not thinking.
    #[must_use]
    pub fn next_page_is_light(&self, model: &MahModel) -> bool {
        assert!(self.phase == Phase::Thinking, "asked for the next document while {:?}", self.phase);
        let new_visit = self.document == self.documents_in_visit;
        let (visit, document, before) = if new_visit {
            (visit_key(self.key, self.visit + 1), 0, 0)
        } else {
            (self.visit_key, self.document, self.files_before_document)
        };
        let is_light = |file: u32| {
            let kind = if file == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded };
            model.is_light(MahModel::file_key(visit, before + file), kind)
        };
        (0..model.files_in_document(visit, document)).all(is_light)
    }

    /// Her next document passes without an exchange, and she thinks from `end` on.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn pass_over_page(&mut self, end: Time, model: &MahModel, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "passed over a document while {:?}", self.phase);
        if self.document == self.documents_in_visit {
            self.enter_next_visit(model);
        }
        self.files_in_document = model.files_in_document(self.visit_key, self.document);
        self.end_document(end, model, out);
    }

    /// A connection that she asked for is established: she writes her request.
    ///
    /// # Panics
    /// If she did not ask for it.
    pub fn on_connected(
        &mut self,
        _now: Time,
        connection: ConnectionOrdinal,
        model: &MahModel,
        out: &mut Vec<Command>,
    ) {
        let file = self.fetching.connect(connection);
        out.push(Command::Request { connection, exchange: self.exchange(file, model) });
    }

    /// The response on a connection is complete, and the server has closed it.
    ///
    /// # Panics
    /// If no response was expected on it.
    pub fn on_response(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &MahModel,
        out: &mut Vec<Command>,
    ) {
        self.fetching.complete(connection);
        out.push(Command::Close { connection });
        self.go_on(now, model, out);
    }

    /// A connection gave up: its exchange has failed and is returned, for the driver to count. The file is
    /// not asked for again.
    ///
    /// # Panics
    /// If the connection is neither open nor being opened.
    pub fn on_failed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &MahModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let file = self.fetching.fail(connection);
        let failed = self.exchange(file, model);
        self.go_on(now, model, out);
        Some(failed)
    }

    /// Whether she is between documents (or has not started).
    #[must_use]
    pub const fn is_thinking(&self) -> bool {
        matches!(self.phase, Phase::NotStarted | Phase::Thinking)
    }

    /// Memory that she takes at the moment, in bytes, her list of connections included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.fetching.memory_bytes()
    }
}

// Documents and visits.
impl MahUser {
    fn enter_next_visit(&mut self, model: &MahModel) {
        self.visit += 1;
        self.visit_key = visit_key(self.key, self.visit);
        self.document = 0;
        self.files_before_document = 0;
        self.documents_in_visit = model.documents_in_visit(self.visit_key);
    }

    /// Puts her behind a random document of her first visit; the files of those before keep their numbers.
    fn enter_visit_at_random_place(&mut self, key: Key, model: &MahModel) {
        let (fetched, documents) = model.documents_per_visit().position_at_start(key);
        self.documents_in_visit = documents;
        let files = (0..fetched).map(|document| model.files_in_document(self.visit_key, document));
        self.files_before_document = files.sum();
        self.document = fetched;
    }

    fn end_document(&mut self, now: Time, model: &MahModel, out: &mut Vec<Command>) {
        let think = model.think(self.visit_key, self.document);
        self.files_before_document += self.files_in_document;
        self.document += 1;
        self.fetching.release();
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: now + think });
    }
}

// Files of a document.
impl MahUser {
    fn fetch_next(&mut self, model: &MahModel, out: &mut Vec<Command>) {
        let file = self.files_before_document + self.next_file;
        self.next_file += 1;
        self.fetching.open(file);
        out.push(Command::Open {
            connection: ConnectionOrdinal::new(file),
            visit: self.visit,
            server: model.server(self.visit_key),
            machine: None,
            delay: MinimumDelay::Drawn(MahModel::delay_draw(MahModel::file_key(self.visit_key, file))),
            persistent: false,
            reopened: false,
        });
    }

    /// The exchange of a file, by its number within the visit.
    fn exchange(&self, file: u32, model: &MahModel) -> Exchange {
        let primary = file == self.files_before_document;
        let kind = if primary { ObjectKind::TopLevel } else { ObjectKind::Embedded };
        let key = MahModel::file_key(self.visit_key, file);
        Exchange {
            object: file,
            page: self.document,
            kind,
            on_persistent_connection: false,
            request_bytes: model.request_bytes(key, kind),
            response_bytes: model.response_bytes(key, kind),
            server_time: Span::ZERO,
            server_closes: false,
        }
    }

    /// An exchange is over, well or not: others begin as places become free.
    fn go_on(&mut self, now: Time, model: &MahModel, out: &mut Vec<Command>) {
        while self.next_file < self.files_in_document
            && self.fetching.len() < usize::from(model.parallel_connections())
        {
            self.fetch_next(model, out);
        }
        if self.fetching.is_empty() {
            self.end_document(now, model, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MahParameters;
    use aqmlab_units::Span;

    #[test]
    fn a_user_takes_her_own_memory_while_she_thinks_and_that_of_a_list_while_she_waits() {
        let model = MahModel::new(&MahParameters::default(), &|path| Err(path.to_owned())).unwrap();
        let mut user = MahUser::new(Key::from_seed(1), &model);
        let mut commands = Vec::new();
        user.start(&model, StartRule::Fresh { spread: Span::ZERO }, &mut commands);
        assert_eq!(user.memory_bytes(), size_of::<MahUser>());
        assert!(user.is_thinking());
        user.on_wake(Time::from_seconds(1.0), &model, &mut commands);
        assert!(!user.is_thinking());
        // Places in the list: a number of four bytes and one byte each, rounded up.
        let listed = user.memory_bytes() - size_of::<MahUser>();
        assert!(listed >= 8 && listed % 8 == 0, "{listed}");
    }
}
