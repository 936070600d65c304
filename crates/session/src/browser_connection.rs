//! What is kept of the connections of users, and the list of each user's open ones.

use crate::exchange_streams::SeparateStreams;
use crate::streams::Streams;
use crate::tracks::Dialogue;
use crate::transport::{ConnectionId, Opened, Opening, UserConnection};
use aqmlab_units::{Span, Time};
use aqmlab_web::{ConnectionOrdinal, Handshake, ObjectKind, Server};

/// No connection.
const NONE: u32 = u32::MAX;

/// An exchange under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExchangeUnderWay {
    pub(crate) request_bytes: u32,
    pub(crate) response_bytes: u64,
    pub(crate) kind: ObjectKind,
    /// The opening of the connection for its first exchange, the request's write for later ones.
    pub(crate) began: Time,
    /// Bytes of the response still missing.
    pub(crate) missing_bytes: u64,
    pub(crate) first_on_connection: bool,
    /// Whether its response time has ended, while the server's close is still waited for.
    pub(crate) completed: bool,
}

/// An exchange that was in progress when the run began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Continuation {
    pub(crate) connection: ConnectionId,
    pub(crate) whose: UserConnection,
    pub(crate) goes_on: GoesOn,
}

/// How an exchange goes on that was in progress when the run began.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GoesOn {
    /// Its connection is open.
    Opened,
    /// So much was missing of the response.
    Response { missing_bytes: u64 },
    /// So many bytes were on their way to the server, and so many to the browser, or waited to be sent there.
    Several { to_server: u64, to_browser: u64 },
}

/// What a connection carries: to which part of `browsing.rs` its events belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// One exchange at a time, which this server answers (`exchanges.rs`).
    Exchange(Server),
    /// The request of an exchange whose response takes a connection of its own (`one_way.rs`).
    Request,
    /// The response of such an exchange.
    Response,
    /// Several exchanges at once, kept as [`Streams`] (`multiplexed.rs`).
    Streams,
    /// Several exchanges at once on streams of their own, kept as [`SeparateStreams`]
    /// (`separate_streams.rs`).
    SeparateStreams,
    /// What a vector says, kept as [`Dialogue`] (`dialogues.rs`).
    Dialogue {
        /// Whether an exchange begins with its opening.
        opens_exchange: bool,
    },
}

/// A user's connection: what it carries, and the exchange under way.
#[derive(Clone, Copy, Debug)]
pub struct BrowserConnection {
    /// None where it carries several.
    pub(crate) under_way: Option<ExchangeUnderWay>,
    pub(crate) carries: Carries,
    pub(crate) opened: Time,
    pub(crate) number: u32,
    pub(crate) exchanges: u32,
    /// How long the exchange that was in progress when the run began had lasted.
    pub(crate) lasted_before: Span,
    ordinal: ConnectionOrdinal,
    /// The next open connection of the same user, and the one before.
    next_of_user: u32,
    previous_of_user: u32,
    /// The population of its user.
    population: u16,
    /// Whether one of its ends gave up.
    pub(crate) gave_up: bool,
    /// Whether the browser's end gave up.
    pub(crate) browser_gave_up: bool,
    /// Whether it is not over.
    exists: bool,
    /// Whether it is on the list of its user.
    listed: bool,
}

impl BrowserConnection {
    /// The record of no connection.
    const VACANT: Self = Self {
        under_way: None,
        carries: Carries::Exchange(Server::new()),
        opened: Time::ZERO,
        number: 0,
        exchanges: 0,
        lasted_before: Span::ZERO,
        ordinal: ConnectionOrdinal::new(0),
        next_of_user: NONE,
        previous_of_user: NONE,
        population: 0,
        gave_up: false,
        browser_gave_up: false,
        exists: false,
        listed: false,
    };

    /// Whether it is being opened, for its first exchange.
    pub(crate) const fn is_connecting(&self) -> bool {
        let for_nobody = matches!(self.carries, Carries::Dialogue { opens_exchange: false });
        self.exchanges == 0 && !self.browser_gave_up && !for_nobody
    }

    /// Whether a user waits for the end of a response time.
    fn is_waited_for(&self) -> bool {
        self.is_connecting() || self.under_way.is_some_and(|under_way| !under_way.completed)
    }
}

/// The connections of all users, by their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct BrowserConnections {
    records: Vec<BrowserConnection>,
    /// Of connections that may carry several exchanges at once, by the same places; no longer than the last
    /// of these.
    streams: Vec<Streams>,
    /// Of connections with a stream for each of them, the same.
    separate: Vec<SeparateStreams>,
    /// Of connections whose ends write what a vector says, the same.
    dialogues: Vec<Dialogue>,
    /// Of connections of a request alone how they were opened, the same.
    requests: Vec<Option<Opening>>,
}

impl BrowserConnections {
    #[inline]
    pub(crate) fn at(&mut self, connection: ConnectionId) -> &mut BrowserConnection {
        &mut self.records[connection.place()]
    }

    #[inline(always)]
    pub(crate) fn get(&self, connection: ConnectionId) -> Option<&BrowserConnection> {
        self.records.get(connection.place())
    }

    /// The exchanges of a connection that may carry several at once.
    #[inline]
    pub(crate) fn streams(&mut self, connection: ConnectionId) -> &mut Streams {
        &mut self.streams[connection.place()]
    }

    /// The exchanges of a connection that has a stream for each.
    pub(crate) fn separate(&mut self, connection: ConnectionId) -> &mut SeparateStreams {
        &mut self.separate[connection.place()]
    }

    /// A connection that was just noted has a stream for each of its exchanges.
    pub(crate) fn begin_separate(&mut self, connection: ConnectionId) {
        *place_in(&mut self.separate, connection) = SeparateStreams::default();
    }

    /// The browser's end has given up. Answers with how many exchanges were under way on a connection that
    /// may carry several.
    pub(crate) fn give_up(&mut self, connection: ConnectionId) -> usize {
        match self.at(connection).carries {
            Carries::SeparateStreams => self.separate(connection).give_up(),
            _ => self.streams(connection).give_up(),
        }
    }

    /// How far the ends of a connection are that write what a vector says.
    pub(crate) fn dialogue(&mut self, connection: ConnectionId) -> &mut Dialogue {
        &mut self.dialogues[connection.place()]
    }

    /// The ends of a connection that was just noted write what a vector says.
    pub(crate) fn begin_dialogue(&mut self, connection: ConnectionId) {
        *place_in(&mut self.dialogues, connection) = Dialogue::default();
    }

    /// A connection that was just noted carries a request alone; the response takes another one between the
    /// same machines.
    pub(crate) fn begin_request(&mut self, connection: ConnectionId, opening: Opening) {
        *place_in(&mut self.requests, connection) = Some(opening);
    }

    /// How the connection of a request was opened.
    pub(crate) fn opening_of_request(&mut self, connection: ConnectionId) -> Option<Opening> {
        self.requests[connection.place()].take()
    }

    /// A connection that was just noted carries the response of an exchange under way.
    pub(crate) fn begin_response(&mut self, connection: ConnectionId, under_way: ExchangeUnderWay) {
        let record = self.at(connection);
        (record.exchanges, record.under_way) = (1, Some(under_way));
    }

    /// A connection that was just noted may carry several exchanges at once, behind a handshake.
    pub(crate) fn begin_streams(&mut self, connection: ConnectionId, handshake: Handshake) {
        place_in(&mut self.streams, connection).begin(handshake);
    }

    /// A connection that was just noted carries several exchanges at once.
    pub(crate) fn resume_streams(&mut self, connection: ConnectionId, streams: Streams) {
        *place_in(&mut self.streams, connection) = streams;
    }

    /// Whether the connection at a place is still the one with this number, and neither of its ends gave up.
    pub(crate) fn awaits_answer(&self, connection: ConnectionId, number: u32) -> bool {
        let record = &self.records[connection.place()];
        record.exists && record.number == number && !record.gave_up
    }

    /// Frees the record of a connection that is over.
    pub(crate) fn remove(&mut self, connection: ConnectionId) {
        if let Some(record) = self.records.get_mut(connection.place()) {
            record.exists = false;
        }
    }

    /// Exchanges of each population whose response time has not ended, of so many populations.
    pub(crate) fn unfinished(&self, populations: usize) -> Vec<u64> {
        let mut unfinished = vec![0; populations];
        for (place, record) in self.records.iter().enumerate().filter(|(_, record)| record.exists) {
            let under_way = match record.carries {
                Carries::Streams => self.streams.get(place).map(Streams::under_way),
                Carries::SeparateStreams => self.separate.get(place).map(SeparateStreams::under_way),
                _ => None,
            };
            let waited_for = match under_way {
                Some(under_way) => under_way as u64 + u64::from(record.is_connecting()),
                None => u64::from(record.is_waited_for()),
            };
            unfinished[usize::from(record.population)] += waited_for;
        }
        unfinished
    }
}

/// The place of a connection in a list that is no longer than it has to be.
fn place_in<T: Default>(list: &mut Vec<T>, connection: ConnectionId) -> &mut T {
    let place = connection.place();
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
    &mut list[place]
}

/// The open connections of each user of a population: lists through the records.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLists {
    /// The first of each user.
    first: Vec<u32>,
}

impl ConnectionLists {
    /// The empty lists of so many users.
    pub(crate) fn new(users: usize) -> Self {
        Self { first: vec![NONE; users] }
    }

    /// Notes a connection that a user has just opened.
    pub(crate) fn insert(
        &mut self,
        UserConnection { population, user, ordinal }: UserConnection,
        opened: Opened,
        now: Time,
        carries: Carries,
        connections: &mut BrowserConnections,
    ) {
        let place = opened.connection.place();
        if connections.records.len() <= place {
            connections.records.resize(place + 1, BrowserConnection::VACANT);
        }
        let first = &mut self.first[user as usize];
        let next_of_user = std::mem::replace(first, opened.connection.number());
        connections.records[place] = BrowserConnection {
            carries,
            opened: now,
            number: opened.number,
            ordinal,
            next_of_user,
            population: population.number(),
            exists: true,
            listed: true,
            ..BrowserConnection::VACANT
        };
        if next_of_user != NONE {
            connections.records[next_of_user as usize].previous_of_user = opened.connection.number();
        }
    }

    /// The open connection of a user with this ordinal. If that is the one at hand, of whose ordinal it is,
    /// nobody has to look for it.
    pub(crate) fn find(
        &self,
        (user, ordinal): (u32, ConnectionOrdinal),
        at_hand: Option<ConnectionId>,
        connections: &BrowserConnections,
    ) -> Option<ConnectionId> {
        if let Some(at_hand) = at_hand {
            return connections.get(at_hand).is_some_and(|record| record.listed).then_some(at_hand);
        }
        let mut place = self.first[user as usize];
        while place != NONE {
            let record = &connections.records[place as usize];
            if record.ordinal == ordinal {
                return Some(ConnectionId::from_number(place));
            }
            place = record.next_of_user;
        }
        None
    }

    /// Takes a connection off the user's list: the user knows it no longer.
    pub(crate) fn remove(
        &mut self,
        user: u32,
        connection: ConnectionId,
        connections: &mut BrowserConnections,
    ) {
        let record = connections.at(connection);
        if !std::mem::replace(&mut record.listed, false) {
            return;
        }
        let (previous, next) = (record.previous_of_user, record.next_of_user);
        match connections.records.get_mut(previous as usize) {
            Some(previous) => previous.next_of_user = next,
            None => self.first[user as usize] = next,
        }
        if let Some(next) = connections.records.get_mut(next as usize) {
            next.previous_of_user = previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::PopulationId;

    #[test]
    fn a_connection_is_taken_off_its_users_list_wherever_it_stands() {
        // Three connections of user 1 between those of another; the last opened stands first.
        for removed in [4, 7, 9] {
            let (mut lists, mut connections) = (ConnectionLists::new(2), BrowserConnections::default());
            let places = [(0, 3), (1, 4), (1, 7), (0, 8), (1, 9)].map(|(user, place)| {
                let connection = ConnectionId::from_number(place);
                let ordinal = ConnectionOrdinal::new(place + 100);
                let whose = UserConnection { population: PopulationId::of(0), user, ordinal };
                let opened = Opened { connection, number: place };
                lists.insert(whose, opened, Time::ZERO, Carries::Response, &mut connections);
                (user, place, connection)
            });
            lists.remove(1, ConnectionId::from_number(removed), &mut connections);
            for (user, place, connection) in places {
                let found = lists.find((user, ConnectionOrdinal::new(place + 100)), None, &connections);
                assert_eq!(found, (place != removed).then_some(connection), "{place} without {removed}");
            }
            // It is no longer on the list: nothing else is taken off in its stead.
            lists.remove(1, ConnectionId::from_number(removed), &mut connections);
            let left = places.iter().filter(|(user, place, _)| {
                lists.find((*user, ConnectionOrdinal::new(place + 100)), None, &connections).is_some()
            });
            assert_eq!(left.count(), 4);
        }
    }

    #[test]
    fn connections_are_waited_for_by_their_own_population() {
        let (mut lists, mut connections) = (ConnectionLists::new(1), BrowserConnections::default());
        for (population, place) in [(2, 0), (0, 1), (2, 2)] {
            let opened = Opened { connection: ConnectionId::from_number(place), number: place };
            let (population, ordinal) = (PopulationId::of(population), ConnectionOrdinal::new(place));
            let whose = UserConnection { population, user: 0, ordinal };
            lists.insert(whose, opened, Time::ZERO, Carries::Response, &mut connections);
        }
        assert_eq!(connections.unfinished(3), [1, 0, 2]);
    }
}
