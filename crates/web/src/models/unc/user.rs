//! One user of the UNC model.

use super::assignment::{PlannedConnection, Transport, assign_page, keep_left_over};
use super::laws::UncModel;
use crate::models::server_visit::visit_key;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, StartRule};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// A person who thinks and browses: a state machine that a driver tells what happened.
///
/// Every method appends the resulting commands to `out`, in the order in which they are to be carried out.
/// The events of one connection must be reported in the order in which they occurred, and nothing may be
/// reported about a connection after its [`Command::Close`]. An event that cannot be (a response on a
/// connection without a request, a wake-up during a page) is a bug of the driver and panics.
///
/// An idle user takes less than 100 bytes; connections are listed on the heap while a page is fetched, and
/// while persistent ones stay open between pages.
#[derive(Clone, Debug)]
pub struct User {
    key: Key,
    /// The key of the current visit, below `key`.
    visit_key: Key,
    /// Connections of the visit that have a part in this page or requests left.
    connections: Vec<PlannedConnection>,
    visit: u32,
    pages_in_visit: u32,
    /// The page in progress or, while she thinks, the next one; equal to `pages_in_visit` after the last one.
    page: u32,
    /// Objects of the visit on earlier pages.
    objects_before_page: u32,
    objects_in_page: u32,
    servers_in_page: u32,
    /// Connections that the visit has opened or planned so far.
    next_ordinal: u32,
    /// Before this index in `connections`, no batch waits for a place.
    next_waiting: u32,
    working: u8,
    parallel: u8,
    phase: Phase,
}

// More batches than this on one page are rare.
const USUAL_BATCHES: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    Thinking,
    TopLevel,
    Embedded,
}

impl User {
    /// A user who has not started. `key` is her address: fold seed, replication, side and index into it.
    #[must_use]
    pub fn new(key: Key, model: &UncModel) -> Self {
        let visit_key = visit_key(key, 0);
        Self {
            key,
            visit_key,
            connections: Vec::new(),
            visit: 0,
            pages_in_visit: model.pages_in_visit(visit_key),
            page: 0,
            objects_before_page: 0,
            objects_in_page: 0,
            servers_in_page: 1,
            next_ordinal: 0,
            next_waiting: 0,
            working: 0,
            parallel: model.parallel_connections(key),
            phase: Phase::NotStarted,
        }
    }

    /// Begins her life at [`Time::ZERO`], thinking: appends one [`Command::Think`].
    ///
    /// # Panics
    /// If she has started before.
    pub fn start(&mut self, model: &UncModel, start: StartRule, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::NotStarted, "a user starts once");
        let key = self.key.named("start");
        if matches!(start, StartRule::Steady | StartRule::Stationary) {
            self.enter_visit_at_random_place(key, model);
        }
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: Time::ZERO + model.think_cycle().wait_at_start(start, key) });
    }

    /// The think time is over: the next page begins.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn on_wake(&mut self, _now: Time, model: &UncModel, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "woken while {:?}", self.phase);
        if self.page == self.pages_in_visit {
            self.enter_next_visit(model);
        }
        self.assign_objects(model);
        self.phase = Phase::TopLevel;
        let with_top_level = self.connections.iter().position(|c| c.waits() && c.next_object == 0);
        self.begin_batch(
            with_top_level.expect("the top-level object is assigned to a connection"),
            model,
            out,
        );
    }

    /// Whether no response of her next page takes long.
    ///
    /// # Panics
    /// If she is not thinking.
    #[must_use]
    pub fn next_page_is_light(&self, model: &UncModel) -> bool {
        assert!(self.phase == Phase::Thinking, "asked for the next page while {:?}", self.phase);
        let new_visit = self.page == self.pages_in_visit;
        let (visit, page, before) = if new_visit {
            (visit_key(self.key, self.visit + 1), 0, 0)
        } else {
            (self.visit_key, self.page, self.objects_before_page)
        };
        let is_light = |object: u32| {
            let kind = if object == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded };
            model.is_light(UncModel::object_key(visit, before + object), kind)
        };
        (0..model.page_shape(visit, page).objects).all(is_light)
    }

    /// Her next page passes without an exchange, and she thinks from `end` on. Of its connections only those
    /// are opened that stay open, and are open at once; connections that end with the page are closed.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn pass_over_page(&mut self, end: Time, model: &UncModel, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "passed over a page while {:?}", self.phase);
        if self.page == self.pages_in_visit {
            self.enter_next_visit(model);
        }
        self.assign_objects(model);
        let visit_ends = self.page + 1 == self.pages_in_visit;
        for index in 0..self.connections.len() {
            let planned = &mut self.connections[index];
            planned.remaining = 0;
            let stays_open = planned.quota_left > 0 && !visit_ends;
            match planned.transport {
                Transport::Open if !stays_open => self.close(index, out),
                Transport::NotOpened | Transport::Lost if stays_open => {
                    self.open(index, model, out);
                    self.connections[index].transport = Transport::Open;
                }
                _ => {}
            }
        }
        let think = model.think(self.visit_key, self.page);
        self.turn_page();
        out.push(Command::Think { until: end + think });
    }

    /// A connection that she asked for is established.
    ///
    /// # Panics
    /// If she did not ask for it.
    pub fn on_connected(
        &mut self,
        _now: Time,
        connection: ConnectionOrdinal,
        model: &UncModel,
        out: &mut Vec<Command>,
    ) {
        let index = self.find(connection);
        let transport = self.connections[index].transport;
        assert!(transport == Transport::Connecting, "{connection} established while {transport:?}");
        self.connections[index].transport = Transport::Open;
        self.request(index, model, out);
    }

    /// The last byte of the current response on a connection has arrived.
    ///
    /// # Panics
    /// If no response was expected on it.
    pub fn on_response(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &UncModel,
        out: &mut Vec<Command>,
    ) {
        let index = self.find(connection);
        let planned = &self.connections[index];
        let expected = planned.working && planned.transport == Transport::Open;
        assert!(expected, "a response on {connection}, {:?}, without a request", planned.transport);
        self.end_exchange(index, now, model, out);
    }

    /// A connection gave up: no answer to the attempt to open it, too many retransmissions, a reset.
    ///
    /// The exchange in progress has failed and is returned, for the driver to count; while connecting that is
    /// the one for which the connection was opened. The object is not asked for again. Objects of the page
    /// left to this connection are fetched by opening it again, with the same numbers; so are objects of
    /// later pages. None when the connection was idle.
    ///
    /// # Panics
    /// If the connection is neither open nor being opened.
    pub fn on_failed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &UncModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let index = self.find(connection);
        let planned = &mut self.connections[index];
        let alive = matches!(planned.transport, Transport::Connecting | Transport::Open);
        assert!(alive, "{connection} failed while {:?}", planned.transport);
        planned.transport = Transport::Lost;
        if !planned.working {
            return None;
        }
        let failed = self.exchange(index, model);
        self.end_exchange(index, now, model, out);
        Some(failed)
    }

    /// The server closed an established connection. The browser closes its side; otherwise as
    /// [`User::on_failed`]. The servers of this crate never do this, real ones may.
    ///
    /// # Panics
    /// If the connection is not open.
    pub fn on_peer_closed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &UncModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let transport = self.connections[self.find(connection)].transport;
        assert!(transport == Transport::Open, "{connection} closed by its peer while {transport:?}");
        out.push(Command::Close { connection });
        self.on_failed(now, connection, model, out)
    }

    /// Whether she is between pages (or has not started).
    #[must_use]
    pub const fn is_thinking(&self) -> bool {
        matches!(self.phase, Phase::NotStarted | Phase::Thinking)
    }

    /// Connections that her browser works with at once for embedded objects.
    #[must_use]
    pub const fn parallel_connections(&self) -> u8 {
        self.parallel
    }

    /// Memory that she takes at the moment, in bytes, her list of connections included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.connections.capacity() * size_of::<PlannedConnection>()
    }
}

// Pages and visits.
impl User {
    fn enter_next_visit(&mut self, model: &UncModel) {
        self.visit += 1;
        self.visit_key = visit_key(self.key, self.visit);
        self.page = 0;
        self.objects_before_page = 0;
        self.next_ordinal = 0;
        self.pages_in_visit = model.pages_in_visit(self.visit_key);
    }

    /// Puts her behind a random page of her first visit. The objects of the pages before are assigned,
    /// without being fetched, so that connections with requests left have the numbers and quotas which they
    /// would have.
    fn enter_visit_at_random_place(&mut self, key: Key, model: &UncModel) {
        let (fetched, pages) = model.pages_per_visit().position_at_start(key);
        self.pages_in_visit = pages;
        while self.page < fetched {
            self.assign_objects(model);
            self.connections.iter_mut().for_each(|connection| connection.remaining = 0);
            self.leave_page();
        }
    }

    fn assign_objects(&mut self, model: &UncModel) {
        let visit = self.visit_key;
        let shape = model.page_shape(visit, self.page);
        self.objects_in_page = shape.objects;
        self.servers_in_page = shape.servers;
        // One allocation for most pages instead of growing step by step.
        self.connections.reserve(shape.objects.min(USUAL_BATCHES) as usize);
        let quota = |ordinal| model.quota(visit, ordinal);
        assign_page(&mut self.connections, shape, &mut self.next_ordinal, quota);
    }

    /// Turns to the next page of the visit, keeping the connections with requests left; after the last page
    /// of the visit there is nothing to keep them for.
    fn leave_page(&mut self) {
        self.turn_page();
        self.connections.shrink_to_fit();
    }

    /// The same, keeping the room for what the next page may need.
    fn turn_page(&mut self) {
        self.objects_before_page += self.objects_in_page;
        self.page += 1;
        self.next_waiting = 0;
        if self.page == self.pages_in_visit {
            self.connections.clear();
        }
        keep_left_over(&mut self.connections);
    }

    fn end_page(&mut self, now: Time, model: &UncModel, out: &mut Vec<Command>) {
        let think = model.think(self.visit_key, self.page);
        if self.page + 1 == self.pages_in_visit {
            for index in 0..self.connections.len() {
                self.close(index, out);
            }
        }
        self.leave_page();
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: now + think });
    }
}

// Work on the connections of a page.
impl User {
    fn find(&self, connection: ConnectionOrdinal) -> usize {
        let is_it = |planned: &PlannedConnection| planned.ordinal == connection.number();
        // The connections at work stand shortly before the first one that waits.
        let (begun, not_begun) = self.connections.split_at(self.next_waiting as usize);
        let found = begun.iter().rposition(is_it);
        let found = found.or_else(|| not_begun.iter().position(is_it).map(|index| begun.len() + index));
        found.unwrap_or_else(|| panic!("{connection} of visit {} is not there", self.visit))
    }

    fn begin_batch(&mut self, index: usize, model: &UncModel, out: &mut Vec<Command>) {
        self.connections[index].working = true;
        self.working += 1;
        self.next_exchange(index, model, out);
    }

    fn next_exchange(&mut self, index: usize, model: &UncModel, out: &mut Vec<Command>) {
        match self.connections[index].transport {
            Transport::Open => self.request(index, model, out),
            Transport::NotOpened | Transport::Lost => self.open(index, model, out),
            state @ (Transport::Connecting | Transport::Closed) => {
                unreachable!("connection {} asked to work while {state:?}", self.connections[index].ordinal)
            }
        }
    }

    fn open(&mut self, index: usize, model: &UncModel, out: &mut Vec<Command>) {
        let visit = self.visit_key;
        let planned = &mut self.connections[index];
        out.push(Command::Open {
            connection: ConnectionOrdinal::new(planned.ordinal),
            visit: self.visit,
            server: model.server(visit, planned.server_slot),
            machine: None,
            delay: MinimumDelay::Drawn(UncModel::delay_draw(visit, planned.ordinal)),
            persistent: planned.persistent,
            reopened: planned.transport == Transport::Lost,
        });
        planned.transport = Transport::Connecting;
    }

    fn request(&self, index: usize, model: &UncModel, out: &mut Vec<Command>) {
        let connection = ConnectionOrdinal::new(self.connections[index].ordinal);
        out.push(Command::Request { connection, exchange: self.exchange(index, model) });
    }

    /// The exchange that is next, or in progress, on a connection.
    fn exchange(&self, index: usize, model: &UncModel) -> Exchange {
        let planned = &self.connections[index];
        let kind = if planned.next_object == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded };
        let object = self.objects_before_page + planned.next_object;
        let key = UncModel::object_key(self.visit_key, object);
        Exchange {
            object,
            page: self.page,
            kind,
            on_persistent_connection: planned.persistent,
            request_bytes: model.request_bytes(key, kind),
            response_bytes: model.response_bytes(key, kind, planned.persistent),
            server_time: Span::ZERO,
            server_closes: false,
        }
    }

    /// The exchange in progress on a connection is over, well or not: goes on with what is left.
    fn end_exchange(&mut self, index: usize, now: Time, model: &UncModel, out: &mut Vec<Command>) {
        let planned = &mut self.connections[index];
        planned.remaining -= 1;
        planned.next_object += self.servers_in_page;
        if planned.remaining > 0 {
            self.next_exchange(index, model, out);
        } else {
            self.end_batch(index, out);
        }
        self.phase = Phase::Embedded;
        self.fill_places(model, out);
        if self.working == 0 {
            self.end_page(now, model, out);
        }
    }

    fn end_batch(&mut self, index: usize, out: &mut Vec<Command>) {
        self.connections[index].working = false;
        self.working -= 1;
        if self.connections[index].quota_left == 0 {
            self.close(index, out);
        }
    }

    fn close(&mut self, index: usize, out: &mut Vec<Command>) {
        let planned = &mut self.connections[index];
        if planned.transport == Transport::Open {
            planned.transport = Transport::Closed;
            out.push(Command::Close { connection: ConnectionOrdinal::new(planned.ordinal) });
        }
    }

    /// Puts waiting batches to work, in order, as long as a place is free.
    fn fill_places(&mut self, model: &UncModel, out: &mut Vec<Command>) {
        while self.working < self.parallel && (self.next_waiting as usize) < self.connections.len() {
            let index = self.next_waiting as usize;
            self.next_waiting += 1;
            if self.connections[index].waits() {
                self.begin_batch(index, model, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UncParameters;
    use aqmlab_units::Span;

    #[test]
    fn a_user_takes_her_own_memory_while_she_thinks_and_that_of_a_list_while_she_waits() {
        let model = UncModel::new(&UncParameters::default(), &|path| Err(path.to_owned())).unwrap();
        let mut user = User::new(Key::from_seed(1), &model);
        let mut commands = Vec::new();
        user.start(&model, StartRule::Fresh { spread: Span::ZERO }, &mut commands);
        assert_eq!(user.memory_bytes(), size_of::<User>());
        assert!(user.is_thinking());
        user.on_wake(Time::from_seconds(1.0), &model, &mut commands);
        assert!(!user.is_thinking());
        // A place in the list: five numbers of four bytes and three of one, rounded up.
        let listed = 24 * user.connections.capacity();
        assert!(listed > 0);
        assert_eq!(user.memory_bytes(), size_of::<User>() + listed);
    }
}
