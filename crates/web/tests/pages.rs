//! Users of today's pages under a driver that reports whatever can happen next, in random order.

use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, ConnectionOrdinal, Exchange, Http, MinimumDelay, PagesModel, PagesParameters, PagesUser,
    StartRule,
};
use std::collections::{BTreeMap, BTreeSet};

fn model(parameters: &PagesParameters) -> PagesModel {
    PagesModel::new(parameters, &|path| Err(format!("unexpected file {path}"))).unwrap()
}

/// A connection: where it leads, whether it is open, and what is under way on it.
#[derive(Clone, Debug)]
struct Connection {
    /// (Server, delay): what tells hosts apart from outside.
    host: (u32, u64),
    open: bool,
    under_way: Vec<u32>,
}

/// What a user did on her pages.
#[derive(Clone, Debug, Default, PartialEq)]
struct Diary {
    /// By page and object: the bytes, and where they came from.
    objects: BTreeMap<(u32, u32), (u64, (u32, u64))>,
    thoughts: Vec<Span>,
}

struct Driver {
    user: PagesUser,
    now: Time,
    wakes: Option<Time>,
    connections: BTreeMap<ConnectionOrdinal, Connection>,
    page: u32,
    diary: Diary,
    failed: BTreeSet<(u32, u32)>,
    most_to_a_host: usize,
    most_on_a_connection: usize,
    commands: Vec<Command>,
}

impl Driver {
    fn new(key: Key, model: &PagesModel) -> Self {
        let mut user = PagesUser::new(key);
        let mut commands = Vec::new();
        user.start(model, StartRule::Fresh { spread: Span::ZERO }, &mut commands);
        let [Command::Think { until }] = commands[..] else { panic!("{commands:?}") };
        Self {
            user,
            now: Time::ZERO,
            wakes: Some(until),
            connections: BTreeMap::new(),
            page: 0,
            diary: Diary::default(),
            failed: BTreeSet::new(),
            most_to_a_host: 0,
            most_on_a_connection: 0,
            commands: Vec::new(),
        }
    }

    /// Reports one thing that can happen now.
    fn step(&mut self, model: &PagesModel, failures: f64, order: &mut Stream) {
        if let Some(wakes) = self.wakes.take() {
            assert!(self.connections.is_empty(), "a page leaves no connection open");
            self.now = wakes;
            self.user.on_wake(self.now, model, &mut self.commands);
            return self.obey();
        }
        self.now += Span::from_nanoseconds(order.below(1_000_000_000));
        let busy: Vec<ConnectionOrdinal> = self.busy();
        let ordinal = busy[usize::try_from(order.below(busy.len() as u64)).unwrap()];
        if order.uniform() < failures {
            return self.fail(ordinal, model);
        }
        let connection = self.connections.get_mut(&ordinal).unwrap();
        if connection.open {
            let place = usize::try_from(order.below(connection.under_way.len() as u64)).unwrap();
            let object = connection.under_way.remove(place);
            self.user.on_object(self.now, ordinal, object, model, &mut self.commands);
        } else {
            connection.open = true;
            self.user.on_connected(self.now, ordinal, model, &mut self.commands);
        }
        self.obey();
    }

    /// Connections on which something will happen.
    fn busy(&self) -> Vec<ConnectionOrdinal> {
        let waits = |connection: &Connection| !connection.open || !connection.under_way.is_empty();
        self.connections.iter().filter(|(_, connection)| waits(connection)).map(|(&o, _)| o).collect()
    }

    fn fail(&mut self, ordinal: ConnectionOrdinal, model: &PagesModel) {
        let connection = self.connections.remove(&ordinal).unwrap();
        let failed = self.user.on_failed(self.now, ordinal, model, &mut self.commands);
        assert_eq!(failed.is_some(), !connection.open, "what was never asked is told");
        self.failed.extend(connection.under_way.iter().map(|&object| (self.page, object)));
        if let Some(Exchange { object, response_bytes, .. }) = failed {
            self.failed.insert((self.page, object));
            self.diary.objects.insert((self.page, object), (response_bytes, connection.host));
        }
        self.obey();
    }

    fn obey(&mut self) {
        for command in std::mem::take(&mut self.commands) {
            match command {
                Command::Open { connection, visit, server, delay, reopened, .. } => {
                    let MinimumDelay::Drawn(delay_draw) = delay else { panic!("{delay:?}") };
                    assert_eq!((visit, reopened), (self.page, false));
                    let host = (server, delay_draw.to_bits());
                    let made = Connection { host, open: false, under_way: Vec::new() };
                    assert!(self.connections.insert(connection, made).is_none(), "{connection} opened twice");
                    let to_host = self.connections.values().filter(|other| other.host == host).count();
                    self.most_to_a_host = self.most_to_a_host.max(to_host);
                }
                Command::Request { connection, exchange } => self.note(connection, &exchange),
                Command::Close { connection } => {
                    let closed = self.connections.remove(&connection).unwrap();
                    assert!(closed.open && closed.under_way.is_empty(), "{connection} is at work");
                }
                Command::Wait { .. } => panic!("a user waits for nothing but her next page"),
                Command::Think { until } => {
                    self.diary.thoughts.push(until - self.now);
                    self.page += 1;
                    self.wakes = Some(until);
                }
            }
        }
        assert_eq!(self.wakes.is_some(), self.user.is_thinking());
        assert!(self.wakes.is_some() || !self.busy().is_empty(), "nothing will happen any more");
    }

    fn note(&mut self, ordinal: ConnectionOrdinal, exchange: &Exchange) {
        let connection = self.connections.get_mut(&ordinal).unwrap();
        assert!(connection.open, "asked before it was open");
        connection.under_way.push(exchange.object);
        self.most_on_a_connection = self.most_on_a_connection.max(connection.under_way.len());
        let wrote = (exchange.response_bytes, connection.host);
        let before = self.diary.objects.insert((self.page, exchange.object), wrote);
        assert!(before.is_none(), "object {} asked for twice", exchange.object);
        if exchange.object == 0 {
            assert_eq!(self.connections.values().map(|other| other.under_way.len()).sum::<usize>(), 1);
        }
    }
}

/// Ten pages of a user.
fn ten_pages(model: &PagesModel, user: u64, failures: f64, order: u64) -> Driver {
    let mut driver = Driver::new(Key::from_seed(5).indexed(user), model);
    let mut order = Key::from_seed(order).stream();
    while driver.page < 10 {
        driver.step(model, failures, &mut order);
    }
    driver
}

#[test]
fn the_order_of_events_changes_no_object_no_host_and_no_thought() {
    for http in [Http::V1_1, Http::V2] {
        let model = model(&PagesParameters { http, ..PagesParameters::default() });
        for user in 0..6 {
            let diaries = [1, 2, 3].map(|order| ten_pages(&model, user, 0.0, order).diary);
            assert_eq!(diaries[0], diaries[1]);
            assert_eq!(diaries[0], diaries[2]);
            assert_eq!(diaries[0].thoughts.len(), 10);
        }
    }
}

#[test]
fn both_protocols_load_the_same_pages() {
    let of = |http| {
        let model = model(&PagesParameters { http, ..PagesParameters::default() });
        ten_pages(&model, 3, 0.0, 1).diary
    };
    assert_eq!(of(Http::V1_1), of(Http::V2));
}

#[test]
fn connections_to_a_host_and_requests_on_a_connection_keep_their_limits() {
    let most = |http| {
        let model = model(&PagesParameters { http, ..PagesParameters::default() });
        let drivers: Vec<Driver> = (0..20).map(|user| ten_pages(&model, user, 0.0, user)).collect();
        let most = |of: fn(&Driver) -> usize| drivers.iter().map(of).max();
        (most(|d| d.most_to_a_host), most(|d| d.most_on_a_connection).is_some_and(|most| most > 20))
    };
    assert_eq!(most(Http::V2), (Some(1), true));
    assert_eq!(most(Http::V1_1), (Some(6), false));
    let two = PagesParameters { http: Http::V1_1, connections_per_host: 2, ..PagesParameters::default() };
    let two = model(&two);
    let driver = ten_pages(&two, 1, 0.0, 1);
    assert_eq!((driver.most_to_a_host, driver.most_on_a_connection), (2, 1));
}

#[test]
fn every_object_is_asked_for_or_fails_and_pages_end_whatever_gives_up() {
    for http in [Http::V1_1, Http::V2] {
        let model = model(&PagesParameters { http, ..PagesParameters::default() });
        for user in 0..10 {
            let whole = ten_pages(&model, user, 0.0, 1).diary;
            let driver = ten_pages(&model, user, 0.2, user);
            assert!(!driver.failed.is_empty());
            assert_eq!(driver.diary, whole);
        }
    }
}

#[test]
fn objects_that_others_name_come_after_these() {
    // Of two waves behind the root, the second is asked for when all of the first is there: no connection is
    // at work then.
    let parameters = PagesParameters {
        objects_per_page_median: 20.0,
        objects_per_page_sigma: 0.01,
        named_by_root_share: 0.5,
        ..PagesParameters::default()
    };
    let model = model(&parameters);
    let mut driver = Driver::new(Key::from_seed(5), &model);
    let mut order = Key::from_seed(1).stream();
    let mut pauses = vec![0];
    while driver.page < 20 {
        let before = driver.diary.objects.len();
        let quiet = driver.busy().len() <= 1
            && driver.connections.values().map(|c| c.under_way.len()).sum::<usize>() == 1;
        driver.step(&model, 0.0, &mut order);
        let asked = driver.diary.objects.len() > before || driver.connections.values().any(|c| !c.open);
        if quiet && asked {
            *pauses.last_mut().unwrap() += 1;
        }
        if driver.wakes.is_some() {
            pauses.push(0);
        }
    }
    // Behind the root, and behind the first wave; a page may have none in one of them, but not twenty pages.
    assert!(pauses.contains(&2) && pauses.iter().all(|&pauses| pauses <= 2), "{pauses:?}");
}

#[test]
fn pages_of_a_file_are_loaded_as_they_stand_there() {
    let text = "1,0,0,300,1000\n1,1,0,310,2000\n1,1,1,320,3000\n1,3,1,330,4000\n9,0,0,400,50\n";
    let parameters = PagesParameters { pages_file: Some("own.csv".to_owned()), ..PagesParameters::default() };
    let model = PagesModel::new(&parameters, &|_| Ok(text.to_owned())).unwrap();
    let diary = ten_pages(&model, 1, 0.0, 1).diary;
    let sizes = |page| {
        let of_page = diary.objects.range((page, 0)..(page + 1, 0));
        of_page.map(|(_, &(bytes, _))| bytes).collect::<Vec<u64>>()
    };
    let pages: BTreeSet<Vec<u64>> = (0..10).map(sizes).collect();
    assert_eq!(pages, BTreeSet::from([vec![50], vec![1000, 2000, 3000, 4000]]));
    let hosts = |page| diary.objects.range((page, 0)..(page + 1, 0)).map(|(_, &(_, host))| host);
    let large = (0..10).find(|&page| sizes(page).len() == 4).unwrap();
    let hosts: Vec<(u32, u64)> = hosts(large).collect();
    assert_eq!((hosts[0], hosts[2]), (hosts[1], hosts[3]));
    assert_ne!(hosts[0], hosts[2]);
}

#[test]
fn a_user_takes_little_memory_while_she_thinks() {
    let model = model(&PagesParameters::default());
    let mut driver = Driver::new(Key::from_seed(5), &model);
    assert_eq!(driver.user.memory_bytes(), size_of::<PagesUser>());
    let mut order = Key::from_seed(1).stream();
    driver.step(&model, 0.0, &mut order);
    assert!(driver.user.memory_bytes() > size_of::<PagesUser>());
    while driver.page < 1 {
        driver.step(&model, 0.0, &mut order);
    }
    assert_eq!(driver.user.memory_bytes(), size_of::<PagesUser>());
}

/// What a user does on so many pages, all fetched, or the light ones passed over; and which these were.
fn lived(model: &PagesModel, pages: u32, pass_over: bool) -> (Diary, BTreeSet<u32>) {
    let mut driver = Driver::new(Key::from_seed(8), model);
    let (mut order, mut light) = (Key::from_seed(1).stream(), BTreeSet::new());
    while driver.page < pages {
        let begins = driver.wakes.is_some() && driver.user.next_page_is_light(model);
        if begins {
            light.insert(driver.page);
        }
        if begins && pass_over {
            driver.now = driver.wakes.take().unwrap();
            driver.user.pass_over_page(driver.now, model, &mut driver.commands);
            driver.obey();
        } else {
            driver.step(model, 0.0, &mut order);
        }
    }
    (driver.diary, light)
}

#[test]
fn a_page_that_is_passed_over_is_a_light_one_and_changes_no_other() {
    let model = model(&PagesParameters::default());
    let ((whole, light), (rest, passed)) = (lived(&model, 60, false), lived(&model, 60, true));
    assert_eq!(light, passed);
    let bytes = |page| -> u64 {
        whole.objects.range((page, 0)..(page + 1, 0)).map(|(_, (response_bytes, _))| response_bytes).sum()
    };
    // The median page has 2.7 MB.
    assert!((0..60).all(|page| light.contains(&page) == (bytes(page) <= 5_000_000)));
    assert!((30..55).contains(&light.len()), "{light:?}");
    assert_eq!(whole.thoughts, rest.thoughts);
    let heavy: BTreeMap<_, _> =
        whole.objects.into_iter().filter(|((page, _), _)| !light.contains(page)).collect();
    assert_eq!(rest.objects, heavy);
}
