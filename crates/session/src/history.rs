//! What users did before the run: each alone, on a network where nobody is in her way.
//!
//! For users who are met in the middle of everything: of their thoughts, of their pages, of the transfers
//! that take hours. Every draw has an address, so a past costs no more than drawing it. It depends on the
//! users and on the idle paths between them and their servers, never on a queue: the same users stand at the
//! same places under every scheme.
//!
//! Long before the run only those pages matter that may still be in progress when it begins. The others,
//! those whose responses are all light, are passed over: they take as long as a user's first ones did on
//! average, and leave open the connections that they would have left open.

use crate::idle_path::IdlePath;
use crate::past_streams::PastStreams;
use crate::streams::{BrowserStep, Stream, Streams};
use crate::transport::{Opening, Owner, PopulationId, Side};
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, ConnectionOrdinal, Connections, Exchange, Population, StartRule, UserEvent};
use std::sync::Arc;

/// How long everybody has browsed when the run begins. Of the transfers in progress those are missing that
/// have taken longer: see the page of the scenario for how much that is.
pub(crate) const HISTORY: Span = Span::from_milliseconds(1_800_000);

/// So long before the run no page is passed over any more.
const LIVED_THROUGH: Span = Span::from_milliseconds(60_000);
/// So many light pages of each user are lived through first, to find out how long they take.
const LIGHT_PAGES_MEASURED: u64 = 4;

/// What a connection is doing when the run begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum InProgress {
    /// It is being opened, and will be open after this span.
    Opening { open_in: Span },
    /// It is being opened, and never will be open.
    OpeningInVain,
    /// Nothing: it waits for its next request.
    Idle,
    /// A response is under way: so many of its bytes have arrived, and more will after this span.
    Response { exchange: Exchange, arrived: u64, more_in: Span },
    /// Several exchanges or the handshake before them: so many bytes are on their way to the server, and so
    /// many to the browser, or wait to be sent there. Sent after this span they arrive when they would have.
    Several { to_server: u64, to_browser: u64, more_in: Span },
}

/// A connection that is open, or being opened, when the run begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PastConnection {
    pub(crate) ordinal: ConnectionOrdinal,
    pub(crate) opening: Opening,
    pub(crate) doing: InProgress,
    /// How long the exchange in progress has lasted.
    pub(crate) lasted: Span,
    /// Bytes of responses that it has brought without a pause.
    pub(crate) carried: u64,
    /// Exchanges that it has carried, or carries; of pages that were passed over one.
    pub(crate) exchanges: u32,
    /// What is on it, if it is open and may carry several at once.
    pub(crate) streams: Option<Streams>,
}

/// A user when the run begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Present {
    /// How long she will still think; none if she waits for a page.
    pub(crate) thinks_for: Option<Span>,
    /// Her connections, in the order in which they were opened.
    pub(crate) connections: Vec<PastConnection>,
}

/// A connection of the past.
struct Connection {
    ordinal: ConnectionOrdinal,
    opening: Opening,
    path: Arc<IdlePath>,
    /// The exchange in progress.
    exchange: Option<Exchange>,
    /// When the exchange in progress began, and when its request was written.
    began: Time,
    requested: Time,
    /// When the connection will be open, or the response complete; `Time::MAX` while it is idle.
    due: Time,
    carried: u64,
    exchanges: u32,
    /// If it may carry several exchanges at once; then `exchange`, `requested` and `carried` mean nothing.
    streams: Option<PastStreams>,
}

/// One user and what she has to do with the network.
struct Past<'a, P> {
    users: &'a mut Population,
    whose: (PopulationId, u32),
    idle_path: P,
    now: Time,
    wakes: Option<Time>,
    connections: Vec<Connection>,
    commands: Vec<Command>,
    /// Since when she waits for a light page that is measured.
    measured_since: Option<Time>,
    /// Light pages that were lived through, and how long they took together.
    light_pages: u64,
    light_page_time: Span,
    /// Whether she has tried to open a connection that never opens.
    fails: bool,
}

/// Lets a user who has not started live until the run begins. `idle_path` says over what a connection would
/// go.
pub(crate) fn live(
    users: &mut Population,
    whose: (PopulationId, u32),
    idle_path: impl FnMut(&Opening) -> Arc<IdlePath>,
) -> Present {
    let (connections, commands) = (Vec::new(), Vec::new());
    let mut past = Past {
        users,
        whose,
        idle_path,
        now: Time::ZERO,
        wakes: None,
        connections,
        commands,
        measured_since: None,
        light_pages: 0,
        light_page_time: Span::ZERO,
        fails: false,
    };
    past.tell(UserEvent::Start(StartRule::Stationary));
    let end = Time::ZERO + HISTORY;
    while past.next_instant() < end {
        past.step();
    }
    past.now = end;
    past.present()
}

impl<P: FnMut(&Opening) -> Arc<IdlePath>> Past<'_, P> {
    /// When something happens next.
    fn next_instant(&self) -> Time {
        let of_connections = self.connections.iter().map(|connection| connection.due).min();
        self.wakes.or(of_connections).unwrap_or(Time::MAX)
    }

    fn step(&mut self) {
        self.now = self.next_instant();
        if self.wakes.take().is_some() {
            return self.begin_page();
        }
        let now = self.now;
        // Of those at one instant the one that was opened first.
        let Some(place) = self.connections.iter().position(|each| each.due == now) else { return };
        if !self.connections[place].path.opens {
            let connection = self.connections.remove(place);
            return self.tell(UserEvent::Failed(connection.ordinal));
        }
        let connection = &mut self.connections[place];
        if connection.streams.is_some() {
            return self.step_streams(place);
        }
        connection.due = Time::MAX;
        let event = match connection.exchange.take() {
            None => UserEvent::Connected(connection.ordinal),
            Some(exchange) => {
                connection.carried += exchange.response_bytes;
                UserEvent::Response(connection.ordinal)
            }
        };
        self.tell(event);
    }

    /// Something has come to an end of a connection that may carry several exchanges at once.
    fn step_streams(&mut self, place: usize) {
        let (now, ordinal) = (self.now, self.connections[place].ordinal);
        let mut step = self.connections[place].streams.as_mut().map(|streams| streams.come(now));
        // What she answers may open connections, and close this one.
        while let Some(next) = step {
            match next {
                BrowserStep::None | BrowserStep::Write(_) => {}
                BrowserStep::Secured => self.tell(UserEvent::Connected(ordinal)),
                BrowserStep::Complete(stream) => self.tell(UserEvent::Object(ordinal, stream.object)),
            }
            let Some(connection) = self.connections.iter_mut().find(|each| each.ordinal == ordinal) else {
                return;
            };
            let Some(streams) = &mut connection.streams else { return };
            if let BrowserStep::Write(bytes) = next {
                streams.write(now, u64::from(bytes));
            }
            step = (next != BrowserStep::None).then(|| streams.next_step());
            connection.due = streams.due();
        }
    }

    /// Her think time is over.
    fn begin_page(&mut self) {
        if self.now + LIVED_THROUGH < Time::ZERO + HISTORY && self.users.next_page_is_light(self.whose.1) {
            if self.light_pages >= LIGHT_PAGES_MEASURED && !self.fails {
                return self.pass_over_page();
            }
            self.measured_since = Some(self.now);
        }
        for connection in self.connections.iter_mut().filter(|each| !each.path.keeps_window) {
            connection.carried = 0;
        }
        self.tell(UserEvent::Wake);
    }

    fn pass_over_page(&mut self) {
        let page_time = Span::from_nanoseconds(self.light_page_time.nanoseconds() / self.light_pages);
        let mut commands = std::mem::take(&mut self.commands);
        self.users.pass_over_page(self.whose.1, self.now + page_time, &mut commands);
        for command in commands.drain(..) {
            self.carry_out(command);
        }
        self.commands = commands;
        // Connections that she keeps are open by now, and have carried something.
        for connection in &mut self.connections {
            connection.due = Time::MAX;
            connection.exchanges = connection.exchanges.max(1);
        }
    }

    fn tell(&mut self, event: UserEvent) {
        let mut commands = std::mem::take(&mut self.commands);
        self.users.handle(self.whose.1, event, self.now, &mut commands);
        for command in commands.drain(..) {
            self.carry_out(command);
        }
        self.commands = commands;
    }

    /// She thinks: her page is over, if she waited for one.
    fn think(&mut self, until: Time) {
        self.wakes = Some(until);
        if let Some(since) = self.measured_since.take() {
            self.light_pages += 1;
            self.light_page_time += self.now - since;
        }
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Think { until } => self.think(until),
            Command::Wait { .. } => unreachable!("what waits in the middle of something has no past"),
            Command::Open { connection: ordinal, server, machine, delay, .. } => {
                let (population, user) = self.whose;
                let owner = Owner::User { population, user, ordinal };
                let machine = machine.unwrap_or(user);
                let opening = Opening { owner, machine, server, delay, opener: Side::Active };
                let path = (self.idle_path)(&opening);
                self.fails |= !path.opens;
                let (began, due) = (self.now, self.now + path.time_to_open);
                let streams = match self.users.connections() {
                    Connections::Streams(handshake) => Some(PastStreams::new(handshake, Arc::clone(&path))),
                    Connections::Exchanges { .. } | Connections::Dialogues => None,
                };
                self.connections.push(Connection {
                    ordinal,
                    opening,
                    path,
                    exchange: None,
                    began,
                    requested: began,
                    due,
                    carried: 0,
                    exchanges: 0,
                    streams,
                });
            }
            Command::Request { connection, exchange } => self.request(connection, exchange),
            Command::Close { connection } => self.connections.retain(|each| each.ordinal != connection),
        }
    }

    fn request(&mut self, ordinal: ConnectionOrdinal, exchange: Exchange) {
        let now = self.now;
        let Some(connection) = self.connections.iter_mut().find(|each| each.ordinal == ordinal) else {
            return;
        };
        let first = connection.exchanges == 0;
        if !first {
            connection.began = now;
        }
        if let Some(streams) = &mut connection.streams {
            let began = connection.began;
            streams.ask(now, Stream::of(&exchange, began, first));
            connection.exchanges += 1;
            connection.due = streams.due();
            return;
        }
        connection.requested = now;
        connection.exchanges += 1;
        connection.due = now + connection.path.response_time(connection.carried, exchange.response_bytes);
        connection.exchange = Some(exchange);
    }

    fn present(self) -> Present {
        let now = self.now;
        Present {
            thinks_for: self.wakes.map(|instant| instant - now),
            connections: self.connections.into_iter().map(|connection| connection.at(now)).collect(),
        }
    }
}

impl Connection {
    /// What is seen of it at an instant.
    fn at(self, now: Time) -> PastConnection {
        let Self { ordinal, opening, path, exchange, began, requested, due, carried, exchanges, streams } =
            self;
        if let Some(streams) = streams.filter(PastStreams::is_open) {
            let seen = streams.at(now);
            let [to_server, to_browser] = seen.streams.on_the_wires();
            let doing = match seen.more_in {
                None => InProgress::Idle,
                Some(more_in) => InProgress::Several { to_server, to_browser, more_in },
            };
            // What was asked for knows itself how long it has lasted.
            let lasted = if exchanges == 0 { now - began } else { Span::ZERO };
            let (carried, streams) = (seen.carried, Some(seen.streams));
            return PastConnection { ordinal, opening, doing, lasted, carried, exchanges, streams };
        }
        let (doing, arrived) = match exchange {
            None if due == Time::MAX => (InProgress::Idle, 0),
            None if !path.opens => (InProgress::OpeningInVain, 0),
            None => (InProgress::Opening { open_in: due - now }, 0),
            Some(exchange) => {
                let progress = path.progress(carried, now - requested);
                // The last byte arrives when it is due, and not before.
                let arrived = progress.arrived.min(exchange.response_bytes - 1);
                (
                    InProgress::Response { exchange, arrived, more_in: progress.more_in.min(due - now) },
                    arrived,
                )
            }
        };
        let lasted = if doing == InProgress::Idle { Span::ZERO } else { now - began };
        let carried = carried + arrived;
        PastConnection { ordinal, opening, doing, lasted, carried, exchanges, streams: None }
    }
}
