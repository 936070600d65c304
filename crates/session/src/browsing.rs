//! Users and their servers: connection events in, the users' commands out.

use crate::answers::{Made, PendingAnswer, PendingAnswers, respond};
use crate::browser_connection::{
    BrowserConnection, BrowserConnections, Carries, ConnectionLists, Continuation, ExchangeUnderWay,
};
use crate::exchange_counts::{Delivered, ExchangeCounts};
use crate::page_loads::PageLoads;
use crate::response::ResponseEnd;
use crate::starts::check_now_and_then;
use crate::transport::{
    Alarm, AnswerId, ConnectionEvent, ConnectionEventKind, ConnectionId, Opening, Owner, PopulationId, Side,
    Transport, UserConnection,
};
use aqmlab_record::{Completion, MeasuredWindow, PageLoad, Pages, Responses, Table, VideoSegments};
use aqmlab_units::Time;
use aqmlab_web::{
    Command, ConnectionOrdinal, Connections, Exchange, Population, Server, StartRule, Statistics, UserEvent,
    WaitsFor,
};

/// What the users of a run have in common.
#[derive(Clone)]
pub struct BrowsingSettings {
    /// What is counted as measured.
    pub window: MeasuredWindow,
    /// When a response time ends.
    pub response_end: ResponseEnd,
    /// Where completed exchanges go.
    pub responses: Responses,
    /// Where page loads go.
    pub pages: Pages,
}

/// What was recorded of users, at the end of a run.
pub struct Records {
    /// Completed exchanges of pages and of clouds.
    pub responses: Responses,
    /// Pages.
    pub pages: Pages,
    /// Segments of videos, where a population watches any.
    pub video_segments: Option<VideoSegments>,
}

impl Records {
    /// All tables; the populations have these names.
    ///
    /// # Panics
    /// If there are fewer names than populations.
    pub fn into_tables(self, populations: &[String]) -> impl Iterator<Item = Table> {
        let of_pages =
            self.responses.into_tables(populations).into_iter().chain(self.pages.into_tables(populations));
        of_pages.chain(self.video_segments.map(|segments| segments.into_table(populations)))
    }
}

/// A population with its users and what they did.
#[derive(Clone, Debug)]
pub struct BrowsingPopulation {
    pub(crate) users: Population,
    start: StartRule,
    pub(crate) open: ConnectionLists,
    pages: PageLoads,
    generated: Statistics,
    pub(crate) in_run: ExchangeCounts,
    delivered: Delivered,
    in_window: ExchangeCounts,
    gave_up: u64,
    /// Whether hosts send one way, so that request and response have a connection each.
    pub(crate) one_way: bool,
    /// Whether connections have streams, so that each of several exchanges has one of its own.
    has_streams: bool,
}

impl BrowsingPopulation {
    /// Users who have not started, and how they will.
    #[must_use]
    pub fn new(users: Population, start: StartRule) -> Self {
        Self {
            open: ConnectionLists::new(users.len()),
            pages: PageLoads::new(users.len()),
            users,
            start,
            generated: Statistics::new(),
            in_run: ExchangeCounts::default(),
            delivered: Delivered::default(),
            in_window: ExchangeCounts::default(),
            gave_up: 0,
            one_way: false,
            has_streams: false,
        }
    }

    /// The same users, whose hosts send one way alone: a request and its response take a connection each, as
    /// in ns-2.
    #[must_use]
    pub fn over_one_way_connections(self) -> Self {
        Self { one_way: true, ..self }
    }

    /// The same users, whose connections have streams: each of several exchanges at once has one of its own.
    #[must_use]
    pub fn over_streams(self) -> Self {
        Self { has_streams: true, ..self }
    }

    /// What a connection of these users carries.
    pub(crate) fn carries(&self, ordinal: ConnectionOrdinal) -> Carries {
        match self.users.connections() {
            Connections::Exchanges { .. } if self.one_way => Carries::Request,
            Connections::Exchanges { servers_close: true } => Carries::Exchange(Server::closing()),
            Connections::Exchanges { servers_close: false } => Carries::Exchange(Server::new()),
            Connections::Streams(_) if self.has_streams => Carries::SeparateStreams,
            Connections::Streams(_) => Carries::Streams,
            Connections::Dialogues => {
                let vector = self.users.vector(ordinal);
                let opens_exchange = vector.is_some_and(|vector| vector.exchange_at(0).is_some());
                Carries::Dialogue { opens_exchange }
            }
        }
    }

    /// An object of a user's page will never come.
    pub(crate) fn fail_object(&mut self, user: u32, now: Time) {
        self.pages.object_failed(user, now);
    }

    /// Notes an exchange that appears in no command.
    pub(crate) fn note_generated(&mut self, exchange: &Exchange) {
        self.generated.record_exchange(exchange);
    }

    /// What the users asked for.
    #[must_use]
    pub const fn generated(&self) -> &Statistics {
        &self.generated
    }

    /// Exchanges of the whole run.
    #[must_use]
    pub const fn in_run(&self) -> ExchangeCounts {
        self.in_run
    }

    /// The responses of the exchanges of the whole run that were completed.
    #[must_use]
    pub const fn delivered(&self) -> Delivered {
        self.delivered
    }

    /// Exchanges of the measured window, each by the instant at which it began or ended.
    #[must_use]
    pub const fn in_window(&self) -> ExchangeCounts {
        self.in_window
    }

    /// Connections that gave up in the measured window.
    #[must_use]
    pub const fn gave_up(&self) -> u64 {
        self.gave_up
    }
}

/// All users of a run, and their connections.
#[derive(Clone)]
pub(crate) struct Browsing {
    pub(crate) populations: Vec<BrowsingPopulation>,
    pub(crate) connections: BrowserConnections,
    pub(crate) settings: BrowsingSettings,
    /// Exchanges that were in progress when the run began.
    pub(crate) continuations: Vec<Continuation>,
    /// Responses that servers are making, and steps of dialogues.
    pub(crate) answers: PendingAnswers,
    /// A reused buffer of what a user answered.
    commands: Vec<Command>,
    video_segments: VideoSegments,
    /// The connection that a user is being told of: most of what she does then is done on it.
    at_hand: Option<(ConnectionOrdinal, ConnectionId)>,
}

impl Browsing {
    pub(crate) fn new(populations: Vec<BrowsingPopulation>, settings: BrowsingSettings) -> Self {
        Self {
            populations,
            connections: BrowserConnections::default(),
            settings,
            continuations: Vec::new(),
            answers: PendingAnswers::default(),
            commands: Vec::new(),
            video_segments: VideoSegments::default(),
            at_hand: None,
        }
    }

    pub(crate) fn start<E>(
        &mut self,
        transport: &mut impl Transport,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for place in 0..self.populations.len() {
            let start = self.populations[place].start;
            let users = u32::try_from(self.populations[place].users.len()).unwrap_or(u32::MAX);
            for user in 0..users {
                check_now_and_then(user as usize, &mut check)?;
                if start == StartRule::Stationary {
                    self.start_in_progress((PopulationId::of(place), user), transport);
                } else {
                    self.notify(PopulationId::of(place), user, UserEvent::Start(start), transport);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn wake(&mut self, population: PopulationId, user: u32, transport: &mut impl Transport) {
        let group = &mut self.populations[population.place()];
        if group.users.waits_for() != WaitsFor::Nothing {
            group.pages.begin(user, transport.now());
        }
        self.notify(population, user, UserEvent::Wake, transport);
    }

    /// One end of a user's connection has something to say.
    #[inline]
    pub(crate) fn handle(
        &mut self,
        event: &ConnectionEvent,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        if event.kind == ConnectionEventKind::GaveUp {
            return self.on_gave_up(event.connection, event.side, whose, transport);
        }
        match self.connections.at(event.connection).carries {
            Carries::Exchange(_) => self.handle_exchange(event, whose, transport),
            Carries::Streams => self.handle_streams(event, whose, transport),
            Carries::SeparateStreams => self.handle_separate_streams(event, whose, transport),
            Carries::Request | Carries::Response => self.handle_one_way(event, whose, transport),
            Carries::Dialogue { .. } => self.handle_dialogue(event, whose, transport),
        }
    }

    /// A connection is over: its record is free.
    pub(crate) fn forget(&mut self, connection: ConnectionId) {
        self.connections.remove(connection);
    }

    pub(crate) fn connection(&self, connection: ConnectionId) -> Option<&BrowserConnection> {
        self.connections.get(connection)
    }

    pub(crate) fn unfinished(&self) -> Vec<u64> {
        self.connections.unfinished(self.populations.len())
    }

    /// What was recorded until the end of the run, which is now: pages under way stay unfinished.
    pub(crate) fn into_records(mut self, now: Time) -> Records {
        let waiting = (0..).zip(&self.populations);
        let unfinished: Vec<_> =
            waiting.flat_map(|(number, group)| group.pages.unfinished(number, now)).collect();
        unfinished.iter().for_each(|load| self.record(load));
        let watched = self.populations.iter().any(|group| group.users.waits_for().segments());
        let BrowsingSettings { responses, pages, .. } = self.settings;
        Records { responses, pages, video_segments: watched.then_some(self.video_segments) }
    }

    /// Whether nothing that users asked for before an instant, which has passed, is waited for any more.
    pub(crate) fn is_settled(&mut self, before: Time) -> bool {
        self.populations.iter_mut().all(|group| match group.users.waits_for() {
            WaitsFor::Nothing => true,
            WaitsFor::Pages => group.pages.are_settled(before),
            WaitsFor::Segments { per_video, before_playback } => {
                group.pages.are_playing(before, per_video, before_playback)
            }
        })
    }

    fn record(&mut self, load: &PageLoad) {
        match self.populations[usize::from(load.population)].users.waits_for() {
            WaitsFor::Segments { .. } => self.video_segments.record(*load),
            WaitsFor::Pages | WaitsFor::Nothing => self.settings.pages.record(load),
        }
    }
}

// What users do.
impl Browsing {
    /// Reports an event to a user, and carries out her commands; answers with the exchange that failed, if
    /// one did.
    pub(crate) fn notify(
        &mut self,
        population: PopulationId,
        user: u32,
        event: UserEvent,
        transport: &mut impl Transport,
    ) -> Option<Exchange> {
        let mut commands = std::mem::take(&mut self.commands);
        let group = &mut self.populations[population.place()];
        let failed = group.users.handle(user, event, transport.now(), &mut commands);
        for command in &commands {
            self.populations[population.place()].generated.record(command);
            self.carry_out(population, user, command, transport);
        }
        commands.clear();
        self.commands = commands;
        failed
    }

    /// The same of an event on a connection.
    pub(crate) fn notify_of(
        &mut self,
        (connection, UserConnection { population, user, ordinal }): (ConnectionId, UserConnection),
        event: UserEvent,
        transport: &mut impl Transport,
    ) {
        self.at_hand = Some((ordinal, connection));
        self.notify(population, user, event, transport);
        self.at_hand = None;
    }

    fn carry_out(
        &mut self,
        population: PopulationId,
        user: u32,
        command: &Command,
        transport: &mut impl Transport,
    ) {
        match *command {
            Command::Think { until } => {
                let page = self.populations[population.place()].pages.end(population.number(), user);
                page.into_iter().for_each(|page| self.record(&page));
                transport.wake_at(until, Alarm::User { population, user });
            }
            Command::Wait { until } => transport.wake_at(until, Alarm::User { population, user }),
            Command::Open { connection, server, machine, delay, .. } => {
                let owner = Owner::User { population, user, ordinal: connection };
                let machine = machine.unwrap_or(user);
                let opening = Opening { owner, machine, server, delay, opener: Side::Active };
                self.open(UserConnection { population, user, ordinal: connection }, opening, transport);
            }
            Command::Request { connection, exchange } => {
                self.request(UserConnection { population, user, ordinal: connection }, &exchange, transport);
            }
            Command::Close { connection } => {
                self.close(UserConnection { population, user, ordinal: connection }, transport);
            }
        }
    }

    pub(crate) fn open(
        &mut self,
        UserConnection { population, user, ordinal }: UserConnection,
        opening: Opening,
        transport: &mut impl Transport,
    ) {
        let opened = transport.open(&opening);
        let group = &mut self.populations[population.place()];
        let carries = group.carries(ordinal);
        let whose = UserConnection { population, user, ordinal };
        group.open.insert(whose, opened, transport.now(), carries, &mut self.connections);
        match (carries, group.users.connections()) {
            (Carries::Request, _) => self.connections.begin_request(opened.connection, opening),
            (Carries::SeparateStreams, _) => self.connections.begin_separate(opened.connection),
            (_, Connections::Streams(handshake)) => {
                self.connections.begin_streams(opened.connection, handshake);
            }
            (_, Connections::Dialogues) => self.connections.begin_dialogue(opened.connection),
            (_, Connections::Exchanges { .. }) => {}
        }
        if carries == (Carries::Dialogue { opens_exchange: false }) {
            return;
        }
        self.count_exchange(population, ExchangeCounts::STARTED, transport);
    }

    fn request(
        &mut self,
        UserConnection { population, user, ordinal }: UserConnection,
        exchange: &Exchange,
        transport: &mut impl Transport,
    ) {
        let group = &self.populations[population.place()];
        let at_hand = at_hand(self.at_hand, ordinal);
        let found = group.open.find((user, ordinal), at_hand, &self.connections);
        let Some(connection) = found else { return };
        let record = self.connections.at(connection);
        let first = record.exchanges == 0;
        record.exchanges += 1;
        match &mut record.carries {
            Carries::Streams => return self.ask((population, connection), first, exchange, transport),
            Carries::SeparateStreams => {
                return self.ask_separately((population, connection), first, exchange, transport);
            }
            Carries::Exchange(server) => server.expect(exchange),
            Carries::Request | Carries::Response | Carries::Dialogue { .. } => {}
        }
        let closes_behind = record.carries == Carries::Request;
        record.under_way = Some(ExchangeUnderWay {
            request_bytes: exchange.request_bytes,
            response_bytes: exchange.response_bytes,
            kind: exchange.kind,
            began: if first { record.opened } else { transport.now() },
            missing_bytes: exchange.response_bytes,
            first_on_connection: first,
            completed: false,
        });
        if !first {
            self.count_exchange(population, ExchangeCounts::STARTED, transport);
        }
        let bytes = u64::from(exchange.request_bytes);
        if closes_behind {
            transport.write_and_close(connection, Side::Active, bytes);
        } else {
            transport.write(connection, Side::Active, bytes);
        }
    }

    fn close(
        &mut self,
        UserConnection { population, user, ordinal }: UserConnection,
        transport: &mut impl Transport,
    ) {
        let group = &mut self.populations[population.place()];
        let at_hand = at_hand(self.at_hand, ordinal);
        let found = group.open.find((user, ordinal), at_hand, &self.connections);
        let Some(connection) = found else { return };
        group.open.remove(user, connection, &mut self.connections);
        transport.close(connection, Side::Active);
    }
}

// What happens on any of their connections.
impl Browsing {
    /// A server has made a response, or the next step of a dialogue is due.
    pub(crate) fn answer_now(&mut self, answer: AnswerId, transport: &mut impl Transport) {
        let PendingAnswer { connection, number, made } = self.answers.take(answer);
        if !self.connections.awaits_answer(connection, number) {
            return;
        }
        match made {
            Made::Response(response) => respond(connection, &response, transport),
            Made::Step(track) => self.say_next(connection, track, transport),
        }
    }

    /// A response time has ended: the object belongs to the page that its user waits for, whose number is
    /// filled in.
    #[inline]
    pub(crate) fn complete(
        &mut self,
        population: PopulationId,
        mut completion: Completion,
        transport: &mut impl Transport,
    ) {
        self.count_exchange(population, ExchangeCounts::COMPLETED, transport);
        let Completion { completed_at, user, response_bytes, .. } = completion;
        let group = &mut self.populations[population.place()];
        group.delivered.add(&completion);
        let waits_for = group.users.waits_for();
        if waits_for != WaitsFor::Nothing {
            completion.page = group.pages.object_arrived(user, completed_at, response_bytes);
        }
        if !waits_for.segments() && self.settings.window.contains(completed_at) {
            self.settings.responses.record(&completion);
        }
    }

    /// Counts a connection once, whichever of its ends gives up first: its reset ends the other.
    #[cold]
    fn on_gave_up(
        &mut self,
        connection: ConnectionId,
        side: Side,
        whose: UserConnection,
        transport: &mut impl Transport,
    ) {
        let record = self.connections.at(connection);
        if !std::mem::replace(&mut record.gave_up, true) {
            let measured = self.settings.window.contains(transport.now());
            self.populations[whose.population.place()].gave_up += u64::from(measured);
        }
        if side == Side::Passive {
            return;
        }
        match self.connections.at(connection).carries {
            Carries::Streams | Carries::SeparateStreams => {
                self.fail_streams(connection, whose, transport);
            }
            Carries::Dialogue { .. } => self.fail_dialogue(connection, whose, transport),
            Carries::Exchange(_) | Carries::Request | Carries::Response => {
                self.fail_exchange(connection, whose, transport);
            }
        }
    }

    pub(crate) fn count_exchange(
        &mut self,
        population: PopulationId,
        what: ExchangeCounts,
        transport: &mut impl Transport,
    ) {
        let measured = self.settings.window.contains(transport.now());
        let group = &mut self.populations[population.place()];
        group.in_run.add(what);
        if measured {
            group.in_window.add(what);
        }
    }
}

/// The connection at hand, if it is the one with this ordinal.
#[inline]
fn at_hand(
    connection: Option<(ConnectionOrdinal, ConnectionId)>,
    ordinal: ConnectionOrdinal,
) -> Option<ConnectionId> {
    connection.filter(|(own, _)| *own == ordinal).map(|(_, connection)| connection)
}
