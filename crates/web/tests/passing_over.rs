//! A page that is passed over leaves behind what it would have left had it been fetched.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, ConnectionOrdinal, Exchange, MahParameters, Parameters, Population, StartRule, UncParameters,
    UserEvent,
};
use std::collections::{BTreeSet, VecDeque};

const USERS: u32 = 200;
const PAGES: u32 = 30;

fn no_file(path: &str) -> Result<String, String> {
    Err(format!("no file {path}"))
}

fn populations() -> [Population; 2] {
    let key = Key::from_seed(12);
    [
        UncParameters::default().build(USERS, key, &no_file).unwrap(),
        MahParameters::default().build(USERS, key, &no_file).unwrap(),
    ]
}

/// A user with the connections that are open.
struct Life {
    population: Population,
    user: u32,
    open: BTreeSet<ConnectionOrdinal>,
    wakes: Time,
}

impl Life {
    fn new(mut population: Population, user: u32) -> Self {
        let mut commands = Vec::new();
        population.handle(user, UserEvent::Start(StartRule::Stationary), Time::ZERO, &mut commands);
        let [Command::Think { until }] = commands[..] else { panic!("{commands:?}") };
        Self { population, user, open: BTreeSet::new(), wakes: until }
    }

    /// Fetches a page in no time; answers with the exchanges and the connections that brought them.
    fn fetch_page(&mut self) -> Vec<(ConnectionOrdinal, Exchange)> {
        let (mut fetched, mut commands, now) = (Vec::new(), Vec::new(), self.wakes);
        let mut events = VecDeque::from([UserEvent::Wake]);
        while let Some(event) = events.pop_front() {
            self.population.handle(self.user, event, now, &mut commands);
            for command in commands.drain(..) {
                match command {
                    Command::Think { until } => self.wakes = until,
                    Command::Wait { .. } => panic!("{command:?}"),
                    Command::Open { connection, .. } => {
                        assert!(self.open.insert(connection), "{connection} opened twice");
                        events.push_back(UserEvent::Connected(connection));
                    }
                    Command::Request { connection, exchange } => {
                        fetched.push((connection, exchange));
                        events.push_back(UserEvent::Response(connection));
                    }
                    Command::Close { connection } => assert!(self.open.remove(&connection), "{connection}"),
                }
            }
        }
        fetched
    }

    fn pass_over_page(&mut self) {
        let mut commands = Vec::new();
        self.population.pass_over_page(self.user, self.wakes, &mut commands);
        for command in commands {
            match command {
                Command::Think { until } => self.wakes = until,
                Command::Open { connection, .. } => assert!(self.open.insert(connection), "{connection}"),
                Command::Close { connection } => assert!(self.open.remove(&connection), "{connection}"),
                Command::Request { .. } | Command::Wait { .. } => panic!("{command:?}"),
            }
        }
    }
}

#[test]
fn a_page_that_is_passed_over_leaves_what_it_leaves_when_it_is_fetched() {
    for population in populations() {
        let (mut kept_open, mut longest) = (0, 0);
        for user in 0..USERS {
            let mut fetching = Life::new(population.clone(), user);
            let mut passing = Life::new(population.clone(), user);
            for page in 0..PAGES {
                let fetched = fetching.fetch_page();
                // Every third page is fetched by both.
                if page % 3 == 2 {
                    assert_eq!(passing.fetch_page(), fetched, "user {user}, page {page}");
                } else {
                    passing.pass_over_page();
                }
                assert_eq!(passing.open, fetching.open, "user {user}, page {page}");
                assert_eq!(passing.wakes, fetching.wakes, "user {user}, page {page}");
                kept_open += fetching.open.len();
                longest = longest.max(fetched.len());
            }
        }
        assert!(longest > 10, "pages of one object show little: {longest}");
        assert_eq!(kept_open > 100, !population.servers_close(), "{kept_open}");
    }
}

#[test]
fn a_page_takes_as_long_as_it_is_said_to() {
    for mut population in populations() {
        let mut life = Life::new(population.clone(), 0);
        life.pass_over_page();
        let mut commands = Vec::new();
        let began = Life::new(population.clone(), 0).wakes;
        population.handle(0, UserEvent::Start(StartRule::Stationary), Time::ZERO, &mut commands);
        commands.clear();
        population.pass_over_page(0, began + Span::from_seconds(2.0), &mut commands);
        let Some(&Command::Think { until }) = commands.last() else { panic!("{commands:?}") };
        assert_eq!(until - life.wakes, Span::from_seconds(2.0));
    }
}

#[test]
fn light_pages_are_those_whose_responses_all_have_at_most_250_000_bytes() {
    for population in populations() {
        let (mut light, mut heavy) = (0, 0);
        for user in 0..USERS {
            let mut life = Life::new(population.clone(), user);
            for page in 0..PAGES {
                let said = life.population.next_page_is_light(user);
                let largest = life.fetch_page().iter().map(|(_, exchange)| exchange.response_bytes).max();
                assert_eq!(largest.unwrap() <= 250_000, said, "user {user}, page {page}: {largest:?}");
                if said { light += 1 } else { heavy += 1 }
            }
        }
        assert!(heavy > 20 && light > 20 * heavy, "{light} light pages, {heavy} others");
    }
}
