//! A driver that reports whatever can happen next, in random order, and checks every command it is given.

use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, UncModel, User};
use std::collections::BTreeMap;

/// What happened on one connection: its numbers, and its exchanges in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConnectionRecord {
    pub(crate) server: u32,
    pub(crate) delay_draw: f64,
    pub(crate) persistent: bool,
    pub(crate) exchanges: Vec<Exchange>,
}

/// Everything a user did, by (visit, connection); think times by (visit, page).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Diary {
    pub(crate) connections: BTreeMap<(u32, u32), ConnectionRecord>,
    pub(crate) thoughts: Vec<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Connecting,
    Busy(Exchange),
    Idle,
}

/// How often something goes wrong, per event reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Troubles {
    pub(crate) failure: f64,
    pub(crate) peer_close: f64,
}

pub(crate) struct AnyOrder {
    user: User,
    now: Time,
    wake_at: Option<Time>,
    visit: u32,
    open: BTreeMap<ConnectionOrdinal, State>,
    lost: BTreeMap<ConnectionOrdinal, ()>,
    pub(crate) diary: Diary,
    pub(crate) pages: u32,
    pub(crate) failed_exchanges: u32,
    pub(crate) reopened: u32,
    pub(crate) most_at_once: usize,
    commands: Vec<Command>,
}

impl AnyOrder {
    pub(crate) fn new(user: User, start_commands: &[Command]) -> Self {
        let [Command::Think { until }] = *start_commands else { panic!("{start_commands:?}") };
        Self {
            user,
            now: Time::ZERO,
            wake_at: Some(until),
            visit: 0,
            open: BTreeMap::new(),
            lost: BTreeMap::new(),
            diary: Diary::default(),
            pages: 0,
            failed_exchanges: 0,
            reopened: 0,
            most_at_once: 0,
            commands: Vec::new(),
        }
    }

    /// Reports one thing that can happen now, drawn at random.
    pub(crate) fn step(&mut self, model: &UncModel, troubles: Troubles, order: &mut Stream) {
        if let Some(wake_at) = self.wake_at {
            let idle = self.open.keys().next().copied();
            match idle.filter(|_| order.uniform() < troubles.failure) {
                Some(connection) => self.fail(connection, model),
                None => self.wake(wake_at, model),
            }
            return;
        }
        self.now += Span::from_nanoseconds(order.below(1_000_000_000));
        let nth = usize::try_from(order.below(self.open.len() as u64)).unwrap();
        let (&connection, &state) = self.open.iter().nth(nth).expect("drawn below the length");
        let trouble = order.uniform();
        if trouble < troubles.failure {
            self.fail(connection, model);
        } else if trouble < troubles.failure + troubles.peer_close && state != State::Connecting {
            self.peer_closes(connection, model);
        } else {
            self.goes_well(connection, state, model);
        }
    }

    fn wake(&mut self, at: Time, model: &UncModel) {
        assert!(at >= self.now, "woken in the past");
        self.now = at;
        self.wake_at = None;
        self.pages += 1;
        self.user.on_wake(self.now, model, &mut self.commands);
        self.obey();
    }

    fn goes_well(&mut self, connection: ConnectionOrdinal, state: State, model: &UncModel) {
        match state {
            State::Idle => return,
            State::Connecting => {
                self.open.insert(connection, State::Idle);
                self.user.on_connected(self.now, connection, model, &mut self.commands);
                let asked =
                    matches!(self.commands[0], Command::Request { connection: c, .. } if c == connection);
                assert!(asked, "a new connection is used at once: {:?}", self.commands);
            }
            State::Busy(_) => {
                self.open.insert(connection, State::Idle);
                self.user.on_response(self.now, connection, model, &mut self.commands);
            }
        }
        self.obey();
    }

    fn fail(&mut self, connection: ConnectionOrdinal, model: &UncModel) {
        let state = self.open.remove(&connection).expect("an open one");
        self.lost.insert(connection, ());
        let failed = self.user.on_failed(self.now, connection, model, &mut self.commands);
        self.note_failure(connection, state, failed);
        self.obey();
    }

    fn peer_closes(&mut self, connection: ConnectionOrdinal, model: &UncModel) {
        let state = self.open[&connection];
        self.open.insert(connection, State::Idle);
        let failed = self.user.on_peer_closed(self.now, connection, model, &mut self.commands);
        assert_eq!(self.commands[0], Command::Close { connection }, "the browser closes its side first");
        self.note_failure(connection, state, failed);
        self.obey_as_lost(connection);
    }

    fn note_failure(&mut self, connection: ConnectionOrdinal, before: State, failed: Option<Exchange>) {
        match (before, failed) {
            (State::Idle, None) => return,
            (State::Busy(asked), Some(failed)) => assert_eq!(asked, failed),
            (State::Connecting, Some(never_asked)) => self.write_down(connection, never_asked),
            (before, failed) => panic!("{connection} was {before:?}, and {failed:?} failed"),
        }
        self.failed_exchanges += 1;
    }

    fn obey_as_lost(&mut self, connection: ConnectionOrdinal) {
        self.commands.remove(0);
        self.open.remove(&connection);
        self.lost.insert(connection, ());
        self.obey();
    }

    /// Carries the commands out, checking each against what a browser may do.
    fn obey(&mut self) {
        for command in std::mem::take(&mut self.commands) {
            assert!(self.wake_at.is_none(), "{command:?} after the order to think");
            match command {
                Command::Open { .. } => self.obey_open(&command),
                Command::Request { connection, exchange } => self.obey_request(connection, exchange),
                Command::Close { connection } => {
                    let closed = self.open.remove(&connection);
                    assert_eq!(closed, Some(State::Idle), "{connection} closed at the wrong moment");
                }
                Command::Wait { .. } => panic!("a user waits for nothing but her next page"),
                Command::Think { until } => {
                    assert_eq!(self.at_once(), 0, "thinking before the page is there");
                    self.diary.thoughts.push(until - self.now);
                    self.wake_at = Some(until);
                }
            }
        }
        self.check_parallelism();
    }

    fn obey_open(&mut self, command: &Command) {
        let &Command::Open { connection, visit, machine: None, server, delay, persistent, reopened } =
            command
        else {
            panic!("not a user's order to open: {command:?}")
        };
        let MinimumDelay::Drawn(delay_draw) = delay else { panic!("{delay:?} is not the driver's") };
        assert!((0.0..1.0).contains(&delay_draw));
        if visit != self.visit {
            assert_eq!(visit, self.visit + 1, "visits are counted");
            assert!(self.open.is_empty(), "{:?} outlived visit {}", self.open, self.visit);
            self.visit = visit;
            self.lost.clear();
        }
        assert_eq!(self.lost.remove(&connection).is_some(), reopened, "{connection}: reopened?");
        assert_eq!(self.open.insert(connection, State::Connecting), None, "{connection} opened twice");
        self.reopened += u32::from(reopened);
        let record = ConnectionRecord { server, delay_draw, persistent, exchanges: Vec::new() };
        let known = self.diary.connections.entry((visit, connection.number())).or_insert(record.clone());
        let same = (known.server, known.delay_draw, known.persistent);
        assert_eq!(same, (server, delay_draw, persistent), "{connection} came back with other numbers");
    }

    fn obey_request(&mut self, connection: ConnectionOrdinal, exchange: Exchange) {
        let before = self.open.insert(connection, State::Busy(exchange));
        assert_eq!(before, Some(State::Idle), "{connection} is not free for {exchange:?}");
        assert!(exchange.request_bytes >= 1 && exchange.response_bytes >= 1);
        self.write_down(connection, exchange);
    }

    fn write_down(&mut self, connection: ConnectionOrdinal, exchange: Exchange) {
        let record = self.diary.connections.get_mut(&(self.visit, connection.number())).expect("opened");
        assert_eq!(record.persistent, exchange.on_persistent_connection);
        record.exchanges.push(exchange);
    }

    fn at_once(&self) -> usize {
        self.open.values().filter(|&&state| state != State::Idle).count()
    }

    fn check_parallelism(&mut self) {
        let at_work = self.at_once();
        self.most_at_once = self.most_at_once.max(at_work);
        assert!(at_work <= usize::from(self.user.parallel_connections()), "{at_work} connections at work");
        let top_level = |state: &State| matches!(state, State::Busy(e) if e.kind == ObjectKind::TopLevel);
        if self.open.values().any(top_level) {
            assert_eq!(at_work, 1, "the top-level object is fetched alone");
        }
        assert_eq!(self.wake_at.is_some(), self.user.is_thinking());
    }
}
