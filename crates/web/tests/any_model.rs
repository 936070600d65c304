//! Every registered model: its users keep the rules of the vocabulary, and what they ask for does not depend
//! on the order in which things happen, nor on what fails; of those who adapt to the network, how long a
//! request is.

use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, ConnectionOrdinal, Connections, Exchange, Population, StartRule, UserEvent, UserModel, WaitsFor,
};
use std::collections::{BTreeMap, BTreeSet};

/// The file of the model that cannot do without one: ten connections of an exchange each.
fn load_file(_: &str) -> Result<String, String> {
    Ok((0..10).map(|n| format!("SEQ {} 1 1 1\nr 5000\n> 300\n< 9000\n", n * 1000)).collect())
}

fn population(model: &UserModel) -> Population {
    let users = model.parameters().build(1, Key::from_seed(3).named("user"), &load_file);
    users.unwrap_or_else(|error| panic!("{}: {error}", model.name()))
}

/// What is asked for, by visit and object: lengths of request and response.
type Asked = BTreeMap<(u32, u32), (u32, u64)>;

/// One user in a world that answers in an order of its own.
struct World {
    connections: Connections,
    order: Stream,
    failing: f64,
    now: Time,
    /// When she asked to be woken, in the order of these instants.
    wakes: BTreeSet<(Time, u32)>,
    /// Open connections, or those being opened, with their visits.
    open: BTreeMap<ConnectionOrdinal, u32>,
    /// What may happen next on a connection.
    pending: Vec<(ConnectionOrdinal, Option<Exchange>)>,
    asked: Asked,
    commands: u32,
}

impl World {
    fn take(&mut self, command: &Command) {
        self.commands += 1;
        match *command {
            Command::Open { connection, visit, .. } => {
                assert!(self.open.insert(connection, visit).is_none(), "{connection} opened twice");
                if self.connections != Connections::Dialogues {
                    self.pending.push((connection, None));
                }
            }
            Command::Request { connection, exchange } => {
                let visit = *self.open.get(&connection).expect("a request on an open connection");
                assert!(exchange.request_bytes >= 1 && exchange.response_bytes >= 1, "{exchange:?}");
                let several = matches!(self.connections, Connections::Streams(_));
                let busy = self.pending.iter().any(|(other, _)| *other == connection);
                assert!(several || !busy, "{connection} carries one exchange at a time");
                self.note(visit, &exchange);
                self.pending.push((connection, Some(exchange)));
            }
            Command::Close { connection } => {
                assert!(self.open.remove(&connection).is_some(), "{connection} is not open");
                assert!(self.pending.iter().all(|(other, _)| *other != connection), "{connection} is busy");
            }
            Command::Think { until } | Command::Wait { until } => {
                assert!(until >= self.now, "asked to be woken at {until}, at {}", self.now);
                self.wakes.insert((until, self.commands));
            }
        }
    }

    fn note(&mut self, visit: u32, exchange: &Exchange) {
        let lengths = (exchange.request_bytes, exchange.response_bytes);
        let before = self.asked.insert((visit, exchange.object), lengths);
        assert!(before.is_none(), "object {} of visit {visit} asked for twice", exchange.object);
    }

    /// What happens next, and the visit of the connection that fails, if one does.
    fn next(&mut self) -> (UserEvent, u32) {
        self.now += Span::from_milliseconds(self.order.below(50));
        let due = self.wakes.first().is_some_and(|(instant, _)| *instant <= self.now);
        if due || self.pending.is_empty() {
            let (instant, _) = self.wakes.pop_first().expect("she waits for something");
            self.now = self.now.max(instant);
            return (UserEvent::Wake, 0);
        }
        let place = self.order.below(self.pending.len() as u64) as usize;
        let (connection, what) = self.pending.swap_remove(place);
        if self.order.uniform() < self.failing {
            self.pending.retain(|(other, _)| *other != connection);
            return (UserEvent::Failed(connection), self.open.remove(&connection).expect("it was open"));
        }
        let event = match (what, self.connections) {
            (None, _) => UserEvent::Connected(connection),
            (Some(exchange), Connections::Streams(_)) => UserEvent::Object(connection, exchange.object),
            (Some(_), _) => UserEvent::Response(connection),
        };
        (event, 0)
    }
}

/// What a user asks for until she has given so many commands, or has nothing to wait for.
fn lived(model: &UserModel, order: u64, failing: f64) -> Asked {
    let mut population = population(model);
    let mut world = World {
        connections: model.parameters().facts().connections,
        order: Key::from_seed(order).stream(),
        failing,
        now: Time::ZERO,
        wakes: BTreeSet::new(),
        open: BTreeMap::new(),
        pending: Vec::new(),
        asked: Asked::new(),
        commands: 0,
    };
    let mut commands = Vec::new();
    population.handle(0, UserEvent::Start(StartRule::Steady), Time::ZERO, &mut commands);
    loop {
        for command in commands.drain(..) {
            world.take(&command);
        }
        if world.commands > 20_000 || (world.wakes.is_empty() && world.pending.is_empty()) {
            return world.asked;
        }
        let (event, visit) = world.next();
        let failed = population.handle(0, event, world.now, &mut commands);
        if let Some(exchange) = failed {
            // Of an exchange that was asked for this is known already.
            world
                .asked
                .entry((visit, exchange.object))
                .or_insert((exchange.request_bytes, exchange.response_bytes));
        }
    }
}

#[test]
fn what_is_asked_for_depends_on_no_order_and_no_failure() {
    for model in UserModel::all() {
        let first = lived(&model, 1, 0.0);
        let talks = model.parameters().facts().connections != Connections::Dialogues;
        assert_eq!(first.is_empty(), !talks, "{}", model.name());
        for (order, failing) in [(2, 0.0), (3, 0.1)] {
            let other = lived(&model, order, failing);
            let both = first.iter().filter(|(name, _)| other.contains_key(name)).count();
            assert!(!talks || both > 1000, "{}: {both} exchanges in both", model.name());
            let adapts = model.parameters().facts().waits_for.segments();
            for (name, lengths) in &first {
                let same = other
                    .get(name)
                    .is_none_or(|other| if adapts { other.0 == lengths.0 } else { other == lengths });
                assert!(same, "{}: {name:?} is {lengths:?} and {:?}", model.name(), other.get(name));
            }
        }
    }
}

#[test]
fn names_are_what_scenarios_may_spell_and_nobody_is_a_population() {
    let models = UserModel::all();
    let names: BTreeSet<&str> = models.iter().map(UserModel::name).collect();
    assert_eq!(names, UserModel::NAMES.iter().copied().collect());
    assert_eq!(names.len(), UserModel::NAMES.len());
    for model in UserModel::all() {
        let letters = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
        assert!(model.name().chars().all(letters), "{}", model.name());
        let nobody = model.parameters().build(0, Key::from_seed(1), &load_file).unwrap();
        assert!(nobody.is_empty());
    }
}

#[test]
fn habits_and_workloads_are_numbers_above_zero() {
    for model in UserModel::all() {
        let habits = model.parameters().habits(&load_file).unwrap();
        assert!(habits.user_bytes > 0 && habits.plan_bytes > 0.0, "{}: {habits:?}", model.name());
        assert!(
            habits.connections > 0.0 && habits.connections_per_second > 0.0,
            "{}: {habits:?}",
            model.name()
        );
        assert!(habits.exchanges_per_second > 0.0, "{}: {habits:?}", model.name());
        let pages = model.parameters().facts().waits_for != WaitsFor::Nothing;
        assert_eq!(habits.pages_per_second > 0.0, pages, "{}: {habits:?}", model.name());
        let workload = model.parameters().workload(&load_file).unwrap();
        assert!(workload.exchanges > 0.0 && workload.exchange_bytes > 0.0, "{}: {workload:?}", model.name());
        assert!(workload.seconds > 0.0, "{}: {workload:?}", model.name());
        assert_eq!(workload.connections.is_some(), pages, "{}: {workload:?}", model.name());
    }
}
