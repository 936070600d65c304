//! One user of today's pages.

use super::browser::{Browser, Plans, page_key};
use super::plan::PageObject;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, StartRule};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// A person who thinks and loads pages of many objects: a state machine that a driver tells what happened.
///
/// Every method appends the resulting commands to `out`, in the order in which they are to be carried out.
/// Several requests may be under way on one connection: the driver says which object has arrived. An event
/// that cannot be is a bug of the driver and panics.
#[derive(Clone, Debug)]
pub struct PagesUser<R = ()> {
    key: Key,
    /// The page in progress or, while she thinks, the next one.
    page: u32,
    /// Objects of the page in progress, wave by wave; none while she thinks.
    objects: Vec<Wanted>,
    /// Objects of the waves that are known.
    known: usize,
    /// Of these, those that have neither arrived nor failed.
    missing: usize,
    connections: Vec<Open>,
    /// The number of the page's next connection.
    next_ordinal: u32,
    /// What was drawn with the page in progress for its end; none while she thinks.
    rest: Option<R>,
    phase: Phase,
}

/// An object of the page in progress.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    object: PageObject,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody has asked for it.
    Waiting,
    /// It is to be the first one on this connection, or was asked for there.
    On(ConnectionOrdinal),
    /// It is there, or will never come.
    Done,
}

/// An open connection, or one that is being opened.
#[derive(Clone, Copy, Debug)]
struct Open {
    ordinal: ConnectionOrdinal,
    host: u16,
    established: bool,
    /// Requests under way.
    under_way: u32,
}

/// Bytes of so many objects and connections of a page in progress.
pub(in crate::models) const fn bytes_of_plan(objects: f64, connections: f64) -> f64 {
    objects * size_of::<Wanted>() as f64 + connections * size_of::<Open>() as f64
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    Thinking,
    Loading,
}

/// The heaviest light page: half a minute at a window of 16 KB per round trip, were it on one connection.
const LIGHT_PAGE_BYTES: u64 = 5_000_000;

impl<R: Copy> PagesUser<R> {
    /// A user who has not started. `key` is her address: fold seed, replication, side and index into it.
    #[must_use]
    pub const fn new(key: Key) -> Self {
        Self {
            key,
            page: 0,
            objects: Vec::new(),
            known: 0,
            missing: 0,
            connections: Vec::new(),
            next_ordinal: 0,
            rest: None,
            phase: Phase::NotStarted,
        }
    }

    /// Begins her life at [`Time::ZERO`], thinking: appends one [`Command::Think`].
    ///
    /// # Panics
    /// If she has started before.
    pub fn start(&mut self, model: &impl Plans<Rest = R>, start: StartRule, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::NotStarted, "a user starts once");
        self.phase = Phase::Thinking;
        let wait = model.think_cycle().wait_at_start(start, self.key.named("start"));
        out.push(Command::Think { until: Time::ZERO + wait });
    }

    /// The think time is over: the root of the next page is asked for.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn on_wake(&mut self, _now: Time, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "woken while {:?}", self.phase);
        self.phase = Phase::Loading;
        let mut objects = Vec::new();
        self.rest = Some(model.page(self.key, self.page, &mut objects));
        self.objects = objects.into_iter().map(|object| Wanted { object, state: State::Waiting }).collect();
        (self.known, self.missing, self.next_ordinal) = (0, 0, 0);
        self.learn_next_wave(model, out);
    }

    /// Whether her next page takes no longer than some seconds.
    ///
    /// # Panics
    /// If she is not thinking.
    #[must_use]
    pub fn next_page_is_light(&self, model: &impl Plans<Rest = R>) -> bool {
        assert!(self.phase == Phase::Thinking, "asked for the next page while {:?}", self.phase);
        let mut objects = Vec::new();
        model.page(self.key, self.page, &mut objects);
        objects.iter().map(|object| object.response_bytes).sum::<u64>() <= LIGHT_PAGE_BYTES
    }

    /// Her next page passes without an exchange, and she thinks from `end` on. None of its connections stays
    /// open.
    ///
    /// # Panics
    /// If she is not thinking.
    pub fn pass_over_page(&mut self, end: Time, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "passed over a page while {:?}", self.phase);
        self.rest = Some(model.rest(self.key, self.page));
        self.end_page(end, model, out);
    }

    /// A connection that she asked for is established: what waits for it is asked for.
    ///
    /// # Panics
    /// If she did not ask for it.
    pub fn on_connected(
        &mut self,
        _now: Time,
        connection: ConnectionOrdinal,
        model: &impl Plans<Rest = R>,
        out: &mut Vec<Command>,
    ) {
        let place = self.find(connection);
        assert!(!self.connections[place].established, "{connection} established twice");
        self.connections[place].established = true;
        let first = self.objects.iter().position(|wanted| wanted.state == State::On(connection));
        self.request(place, first.expect("a connection is opened for an object"), out);
        if model.browser().multiplexes() {
            while let Some(next) = self.waiting_for(self.connections[place].host) {
                self.request(place, next, out);
            }
        }
    }

    /// An object that was asked for on a connection has arrived.
    ///
    /// # Panics
    /// If it was not asked for there.
    pub fn on_object(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        object: u32,
        model: &impl Plans<Rest = R>,
        out: &mut Vec<Command>,
    ) {
        let place = self.find(connection);
        let wanted = &mut self.objects[object as usize];
        assert!(wanted.state == State::On(connection), "object {object} is not asked for on {connection}");
        wanted.state = State::Done;
        self.missing -= 1;
        self.connections[place].under_way -= 1;
        if !model.browser().multiplexes() {
            let next = self.waiting_for(self.connections[place].host);
            next.into_iter().for_each(|next| self.request(place, next, out));
        }
        self.go_on(now, model, out);
    }

    /// A connection gave up: what was asked for on it will never come. If it was being opened, that is the
    /// object that it was opened for, which is returned, for the driver to count. Other objects are asked for
    /// on another connection.
    ///
    /// # Panics
    /// If the connection is neither open nor being opened.
    pub fn on_failed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &impl Plans<Rest = R>,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let place = self.find(connection);
        let Open { host, established, .. } = self.connections.remove(place);
        let mut failed = None;
        for number in 0..self.known {
            if self.objects[number].state == State::On(connection) {
                self.objects[number].state = State::Done;
                self.missing -= 1;
                failed = Some(self.exchange(number));
            }
        }
        if let Some(next) = self.waiting_for(host) {
            self.find_a_way(next, model, out);
        }
        self.go_on(now, model, out);
        failed.filter(|_| !established)
    }

    /// Whether she is between pages (or has not started).
    #[must_use]
    pub const fn is_thinking(&self) -> bool {
        matches!(self.phase, Phase::NotStarted | Phase::Thinking)
    }

    /// Memory that she takes at the moment, in bytes, her lists included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.objects.capacity() * size_of::<Wanted>()
            + self.connections.capacity() * size_of::<Open>()
    }
}

// Waves and pages.
impl<R: Copy> PagesUser<R> {
    fn page_key(&self) -> Key {
        page_key(self.key, self.page)
    }

    /// What follows when something has arrived or failed.
    fn go_on(&mut self, now: Time, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        if self.missing > 0 {
            return;
        }
        if self.known < self.objects.len() {
            self.learn_next_wave(model, out);
        } else {
            self.end_page(now, model, out);
        }
    }

    fn learn_next_wave(&mut self, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        let begins = self.known;
        let wave = self.objects[begins].object.wave;
        let ends = self.objects.partition_point(|wanted| wanted.object.wave <= wave);
        (self.known, self.missing) = (ends, ends - begins);
        for number in begins..ends {
            self.find_a_way(number, model, out);
        }
    }

    fn end_page(&mut self, now: Time, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        let rest = self.rest.take().expect("a page that ends was drawn");
        let think = model.think(self.page_key(), rest);
        for open in std::mem::take(&mut self.connections) {
            out.push(Command::Close { connection: open.ordinal });
        }
        self.objects = Vec::new();
        self.page += 1;
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: now + think });
    }
}

// Objects and connections.
impl<R: Copy> PagesUser<R> {
    fn find(&self, connection: ConnectionOrdinal) -> usize {
        let found = self.connections.iter().position(|open| open.ordinal == connection);
        found.unwrap_or_else(|| panic!("{connection} of page {} is not there", self.page))
    }

    /// The first known object of a host that nobody has asked for.
    fn waiting_for(&self, host: u16) -> Option<usize> {
        let waits = |wanted: &Wanted| wanted.state == State::Waiting && wanted.object.host == host;
        self.objects[..self.known].iter().position(waits)
    }

    /// Asks for an object on a connection that is free, or opens another one for it; else it waits.
    fn find_a_way(&mut self, number: usize, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        let host = self.objects[number].object.host;
        let free = |open: &Open| {
            open.host == host && open.established && (model.browser().multiplexes() || open.under_way == 0)
        };
        if let Some(place) = self.connections.iter().position(free) {
            return self.request(place, number, out);
        }
        let of_host = self.connections.iter().filter(|open| open.host == host).count();
        if of_host < usize::from(model.browser().connections_per_host()) {
            self.open(number, model, out);
        }
    }

    fn open(&mut self, number: usize, model: &impl Plans<Rest = R>, out: &mut Vec<Command>) {
        let (host, page) = (self.objects[number].object.host, self.page_key());
        let ordinal = ConnectionOrdinal::new(self.next_ordinal);
        self.next_ordinal += 1;
        self.objects[number].state = State::On(ordinal);
        self.connections.push(Open { ordinal, host, established: false, under_way: 0 });
        out.push(Command::Open {
            connection: ordinal,
            visit: self.page,
            server: model.browser().server(page, host),
            machine: None,
            delay: MinimumDelay::Drawn(Browser::delay_draw(page, host)),
            persistent: true,
            reopened: false,
        });
    }

    fn request(&mut self, place: usize, number: usize, out: &mut Vec<Command>) {
        let open = &mut self.connections[place];
        open.under_way += 1;
        self.objects[number].state = State::On(open.ordinal);
        let connection = open.ordinal;
        out.push(Command::Request { connection, exchange: self.exchange(number) });
    }

    /// The exchange of an object. Each page is a visit of its own.
    fn exchange(&self, number: usize) -> Exchange {
        let PageObject { wave, request_bytes, response_bytes, .. } = self.objects[number].object;
        Exchange {
            object: u32::try_from(number).expect("a page has a few thousand objects at most"),
            page: 0,
            kind: if wave == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded },
            on_persistent_connection: true,
            request_bytes,
            response_bytes,
            server_time: Span::ZERO,
            server_closes: false,
        }
    }
}
