//! Users and servers on simulated TCP.

use crate::access_delay::AccessDelay;
use crate::agenda::Timer;
use crate::connection::{AddedDelay, Connections, NONE, Opening, Owner, UnderWay};
use crate::control::{Control, RunError};
use crate::exchanges::ExchangeCounts;
use crate::identifiers::{MonitoredId, PopulationId, ProfileId};
use crate::monitor::Window;
use crate::network::Network;
use crate::packet::{Packet, Side};
use crate::prefetch::prefetch;
use crate::simulation::Simulation;
use crate::table_names::TableNames;
use crate::transport::{Hosts, Machine, News};
use aqmlab_random::Key;
use aqmlab_record::{ColumnValues, Completion, Table};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{ResponseEnd, Scenario, UserModel};
use aqmlab_units::Time;
use aqmlab_web::{
    Command, ConnectionOrdinal, Exchange, Fact, ObjectKind, People, Person, Server, StartRule, Statistics,
};

/// Users that start between two looks at what the caller wants.
const USERS_BETWEEN_LOOKS: u32 = 1 << 12;

/// A population with its users and what they did.
pub(crate) struct Population {
    people: People,
    users: u32,
    /// First open connection of each user.
    open: Vec<u32>,
    servers_close: bool,
    start: StartRule,
    browsers: Vec<Machine>,
    servers: Vec<Machine>,
    minimum_delay: AccessDelay,
    profile: ProfileId,
    pub(crate) generated: Statistics,
    /// Of the whole run.
    pub(crate) in_run: ExchangeCounts,
    /// Of the measured window, each by the instant at which it began or ended.
    pub(crate) in_window: ExchangeCounts,
    /// Connections that gave up in the measured window.
    pub(crate) gave_up: u64,
}

pub(crate) struct Populations {
    pub(crate) all: Vec<Population>,
    bytes_per_user: Option<BytesPerUser>,
}

/// Bytes on monitored links in the measured window, by the user who caused them.
struct BytesPerUser {
    window: Window,
    links: usize,
    /// Per population: row per user, column per link.
    counts: Vec<Vec<u64>>,
}

impl Populations {
    pub(crate) fn new(
        scenario: &Scenario,
        network: &Network,
        hosts: &mut Hosts,
        key: Key,
    ) -> Result<Self, RunError> {
        let all = scenario
            .populations
            .iter()
            .enumerate()
            .map(|(index, population)| {
                Population::new(scenario, population, ProfileId::of(index), hosts, key)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let links = network.monitored_links().count();
        let bytes_per_user = scenario.record.users.then(|| BytesPerUser {
            window: Window::of(scenario),
            links,
            counts: all.iter().map(|population| vec![0; population.people.len() * links]).collect(),
        });
        Ok(Self { all, bytes_per_user })
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Fetches a user's record.
    #[inline(always)]
    pub(crate) fn prefetch(&self, population: PopulationId, user: u32) {
        match self.all.get(population.place()).and_then(|group| group.people.person(user)) {
            Some(Person::Unc(user)) => prefetch(user),
            Some(Person::Mah(user)) => prefetch(user),
            None => {}
        }
    }

    pub(crate) fn counts_bytes_per_user(&self) -> bool {
        self.bytes_per_user.is_some()
    }

    pub(crate) fn count_bytes(
        &mut self,
        now: Time,
        link: MonitoredId,
        packet: &Packet,
        connections: &mut Connections,
        bytes: u32,
    ) {
        let Some(per_user) = &mut self.bytes_per_user else { return };
        let Some(connection) = connections.current(packet.connection(), packet.generation()) else { return };
        if let Owner::User { population, user, .. } = connection.owner {
            if per_user.window.contains(now) {
                let column = user as usize * per_user.links + link.place();
                per_user.counts[population.place()][column] += u64::from(bytes);
            }
        }
    }

    /// The table `users`: for each user and monitored link the bytes (at the layer that the scenario counts) that
    /// her connections put on it.
    pub(crate) fn users_table(&self, names: &TableNames) -> Option<Table> {
        let bytes = self.bytes_per_user.as_ref()?;
        let (mut population, mut user, mut link) = (Vec::new(), Vec::new(), Vec::new());
        for (place, group) in (0..).zip(&self.all) {
            for number in 0..group.users {
                population.extend(std::iter::repeat_n(Some(place), bytes.links));
                user.extend(std::iter::repeat_n(number, bytes.links));
                link.extend((0..).take(bytes.links));
            }
        }
        let columns = vec![
            ("population", names.of_populations(population.into_iter())),
            ("user", ColumnValues::U32(user)),
            ("link", names.of_links(&link)),
            ("bytes", ColumnValues::U64(bytes.counts.concat())),
        ];
        Some(Table::new("users", columns))
    }
}

impl Population {
    fn new(
        scenario: &Scenario,
        population: &scenario::Population,
        profile: ProfileId,
        hosts: &mut Hosts,
        key: Key,
    ) -> Result<Self, RunError> {
        let minimum_delay = AccessDelay::new(population, key);
        let people = people(scenario, population, key.named("user").named(&population.name))?;
        let mut machines =
            |nodes: &[scenario::NodeIndex]| nodes.iter().map(|&node| hosts.machine(profile, node)).collect();
        Ok(Self {
            users: population.users,
            open: vec![NONE; population.users as usize],
            start: population.start,
            browsers: machines(&population.browsers),
            servers: machines(&population.servers),
            minimum_delay,
            profile,
            generated: Statistics::new(),
            in_run: ExchangeCounts::default(),
            in_window: ExchangeCounts::default(),
            gave_up: 0,
            servers_close: people.servers_close(),
            people,
        })
    }

    /// The open connection of a user with this number.
    fn find(&self, user: u32, ordinal: ConnectionOrdinal, connections: &mut Connections) -> Option<u32> {
        let mut place = self.open[user as usize];
        while place != NONE {
            let connection = connections.at(place);
            if matches!(connection.owner, Owner::User { ordinal: this, .. } if this == ordinal) {
                return Some(place);
            }
            place = connection.next_of_user;
        }
        None
    }

    /// Takes a connection off the user's list: the user knows it no longer.
    fn forget(&mut self, user: u32, place: u32, connections: &mut Connections) {
        let next = connections.at(place).next_of_user;
        let mut current = self.open[user as usize];
        if current == place {
            self.open[user as usize] = next;
            return;
        }
        while current != NONE {
            let connection = connections.at(current);
            if connection.next_of_user == place {
                connection.next_of_user = next;
                return;
            }
            current = connection.next_of_user;
        }
    }
}

/// The users of a population under their model. Whatever files this names, the scenario holds their texts.
fn people(scenario: &Scenario, population: &scenario::Population, key: Key) -> Result<People, RunError> {
    let texts = &scenario.document().files;
    let read = |name: &str| texts.get(name).cloned().ok_or_else(|| "its text is not there".to_owned());
    let people = match &population.model {
        UserModel::Unc(parameters) => People::unc(parameters, population.users, key, &read),
        UserModel::Mah(parameters) => People::mah(parameters, population.users, key, &read),
    };
    people.map_err(|error| RunError::Model(error.to_string()))
}

impl Simulation {
    pub(crate) fn start_users(&mut self, control: &Control) -> Result<(), RunError> {
        for population in 0..self.populations.all.len() {
            let start = self.populations.all[population].start;
            for user in 0..self.populations.all[population].users {
                if user % USERS_BETWEEN_LOOKS == 0 {
                    control.check()?;
                }
                self.tell(PopulationId::of(population), user, Fact::Start(start));
            }
        }
        Ok(())
    }

    pub(crate) fn on_user_timer(&mut self, population: PopulationId, user: u32) {
        self.tell(population, user, Fact::Wake);
    }

    /// Tells a user something, and carries out her commands; answers with the exchange that failed, if one did.
    fn tell(&mut self, population: PopulationId, user: u32, fact: Fact) -> Option<Exchange> {
        let mut commands = std::mem::take(&mut self.commands);
        let group = &mut self.populations.all[population.place()];
        let failed = group.people.tell(user, fact, self.now, &mut commands);
        for command in &commands {
            self.populations.all[population.place()].generated.record(command);
            self.carry_out(population, user, command);
        }
        commands.clear();
        self.commands = commands;
        failed
    }

    fn count_exchange(&mut self, population: PopulationId, what: ExchangeCounts) {
        let measured = self.window.contains(self.now);
        let group = &mut self.populations.all[population.place()];
        group.in_run.add(what);
        if measured {
            group.in_window.add(what);
        }
    }

    fn carry_out(&mut self, population: PopulationId, user: u32, command: &Command) {
        match *command {
            Command::Think { until } => self.agenda.wake(until, Timer::User { population, user }),
            Command::Open { connection, server, delay_draw, .. } => {
                self.open_for_user(population, user, connection, server, delay_draw);
            }
            Command::Request { connection, exchange } => {
                self.request(population, user, connection, &exchange);
            }
            Command::Close { connection } => self.close_for_user(population, user, connection),
        }
    }

    fn open_for_user(
        &mut self,
        population: PopulationId,
        user: u32,
        ordinal: ConnectionOrdinal,
        server: u32,
        delay_draw: f64,
    ) {
        let group = &self.populations.all[population.place()];
        let browser = group.browsers[user as usize % group.browsers.len()];
        let server_place = server as usize % group.servers.len();
        let server = group.servers[server_place];
        let delay = group.minimum_delay.of(user as usize % group.browsers.len(), server_place, delay_draw);
        let opening = Opening {
            owner: Owner::User { population, user, ordinal },
            profile: group.profile,
            machines: [browser, server],
            added_delay: [AddedDelay::Own(delay), AddedDelay::None],
        };
        let servers_close = group.servers_close;
        let place = self.open(&opening);
        let open = &mut self.populations.all[population.place()].open[user as usize];
        let connection = self.connections.at(place);
        connection.next_of_user = std::mem::replace(open, place);
        if servers_close {
            connection.server = Server::closing();
        }
        self.count_exchange(population, ExchangeCounts::STARTED);
        self.act(place, Side::Active, |end, now, context, outbox| end.connect(now, context, outbox));
    }

    fn request(
        &mut self,
        population: PopulationId,
        user: u32,
        ordinal: ConnectionOrdinal,
        exchange: &Exchange,
    ) {
        let group = &self.populations.all[population.place()];
        let Some(place) = group.find(user, ordinal, &mut self.connections) else { return };
        let now = self.now;
        let connection = self.connections.at(place);
        let first = connection.exchanges == 0;
        connection.exchanges += 1;
        connection.server.expect(exchange);
        connection.under_way = Some(UnderWay {
            request_bytes: exchange.request_bytes,
            response_bytes: exchange.response_bytes,
            kind: exchange.kind,
            began: if first { connection.opened } else { now },
            missing_bytes: exchange.response_bytes,
            first_on_connection: first,
            completed: false,
        });
        if !first {
            self.count_exchange(population, ExchangeCounts::STARTED);
        }
        let bytes = u64::from(exchange.request_bytes);
        self.act(place, Side::Active, |end, now, context, outbox| end.write(now, context, bytes, outbox));
    }

    fn close_for_user(&mut self, population: PopulationId, user: u32, ordinal: ConnectionOrdinal) {
        let group = &mut self.populations.all[population.place()];
        let Some(place) = group.find(user, ordinal, &mut self.connections) else { return };
        group.forget(user, place, &mut self.connections);
        self.act(place, Side::Active, |end, now, context, outbox| end.close(now, context, outbox));
    }

    /// One end of a user's connection has news.
    #[inline]
    pub(crate) fn react_for_user(&mut self, place: u32, side: Side, news: &News) {
        match side {
            Side::Passive => self.react_as_server(place, news),
            Side::Active => self.react_as_browser(place, news),
        }
    }

    #[inline]
    fn react_as_server(&mut self, place: u32, news: &News) {
        if news.delivered_bytes > 0 {
            let now = self.now;
            if let Some(response) = self.connections.at(place).server.on_bytes(now, news.delivered_bytes) {
                let bytes = response.bytes;
                self.act(place, Side::Passive, |end, now, context, outbox| {
                    end.write(now, context, bytes, outbox);
                });
                if response.then_close {
                    self.act(place, Side::Passive, |end, now, context, outbox| {
                        end.close(now, context, outbox);
                    });
                }
            }
        }
        if news.peer_closed {
            self.act(place, Side::Passive, |end, now, context, outbox| end.close(now, context, outbox));
        }
    }

    #[inline]
    fn react_as_browser(&mut self, place: u32, news: &News) {
        if news.delivered_bytes > 0 {
            let Some(under_way) = &mut self.connections.at(place).under_way else { return };
            under_way.missing_bytes -= u64::from(news.delivered_bytes);
            if under_way.missing_bytes == 0 {
                self.on_last_byte(place);
            }
        }
        if news.peer_closed {
            self.on_server_closed(place);
        }
        if news.established || news.gave_up {
            self.connection_changed(place, news);
        }
    }

    fn connection_changed(&mut self, place: u32, news: &News) {
        let Owner::User { population, user, ordinal } = self.connections.at(place).owner else { return };
        if news.gave_up {
            self.fail(place, population, user, ordinal);
        } else {
            self.tell(population, user, Fact::Connected(ordinal));
        }
    }

    fn on_last_byte(&mut self, place: u32) {
        let Owner::User { population, user, ordinal } = self.connections.at(place).owner else { return };
        let servers_close = self.populations.all[population.place()].servers_close;
        if !servers_close || self.response_end == ResponseEnd::LastByte {
            self.record_response(place, population, user);
        }
        if !servers_close {
            self.connections.at(place).under_way = None;
            self.tell(population, user, Fact::Response(ordinal));
        }
    }

    /// The server has closed, and everything before its close has arrived. A browser that closed first has
    /// nothing under way any more.
    fn on_server_closed(&mut self, place: u32) {
        let connection = self.connections.at(place);
        let Owner::User { population, user, ordinal } = connection.owner else { return };
        if connection.under_way.is_none() {
            return;
        }
        if self.response_end == ResponseEnd::ConnectionClosed {
            self.record_response(place, population, user);
        }
        self.connections.at(place).under_way = None;
        self.tell(population, user, Fact::Response(ordinal));
    }

    /// The response time of the exchange under way ends now.
    fn record_response(&mut self, place: u32, population: PopulationId, user: u32) {
        let connection = self.connections.at(place);
        let number = connection.number;
        let Some(under_way) = &mut connection.under_way else { return };
        under_way.completed = true;
        let under_way = *under_way;
        self.count_exchange(population, ExchangeCounts::COMPLETED);
        if self.window.contains(self.now) {
            self.responses.record(&Completion {
                completed_at: self.now,
                response_time: self.now - under_way.began,
                request_bytes: under_way.request_bytes,
                response_bytes: under_way.response_bytes,
                connection: number,
                population: population.number(),
                user,
                embedded: under_way.kind == ObjectKind::Embedded,
                first_on_connection: under_way.first_on_connection,
            });
        }
    }

    fn fail(&mut self, place: u32, population: PopulationId, user: u32, ordinal: ConnectionOrdinal) {
        let connection = self.connections.at(place);
        let (connecting, under_way) = (connection.exchanges == 0, connection.under_way.take());
        let group = &mut self.populations.all[population.place()];
        // A connection that gave up while it was being closed is no longer known to its user.
        if group.find(user, ordinal, &mut self.connections) != Some(place) {
            return;
        }
        group.forget(user, place, &mut self.connections);
        // Idle connections fail as well, and those whose exchange is complete but for the server's close.
        let Some(failed) = self.tell(population, user, Fact::Failed(ordinal)) else { return };
        if connecting {
            self.populations.all[population.place()].generated.record_exchange(&failed);
        }
        if under_way.is_none_or(|under_way| !under_way.completed) {
            self.count_exchange(population, ExchangeCounts::FAILED);
        }
    }
}
