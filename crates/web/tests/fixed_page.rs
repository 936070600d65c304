//! Users of the fixed page: what they ask for, in whatever order things happen.

use aqmlab_random::Key;
use aqmlab_units::Time;
use aqmlab_web::models::fixed_page::{FixedPageParameters, ThinkTimeLaw};
use aqmlab_web::{
    Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind, Parameters, Population, StartRule,
    UserEvent,
};
use std::collections::{BTreeMap, BTreeSet};

fn population(parameters: &FixedPageParameters, count: u32) -> Population {
    let no_file = |path: &str| Err(format!("unexpected file {path}"));
    parameters.build(count, Key::from_seed(5).named("user"), &no_file).unwrap()
}

/// A page: server, delay, and its objects by number; how many of these failed.
#[derive(Debug, Default, PartialEq)]
struct Page {
    server: u32,
    delay: u64,
    objects: BTreeMap<u32, Exchange>,
    failed: usize,
    most_open: usize,
}

/// Something that a connection waits for.
#[derive(Clone, Copy, PartialEq)]
enum Pending {
    Opening,
    Response(Exchange),
}

/// Loads so many pages, answering in an order drawn from `order`; a share `failing` of what is pending fails.
/// Answers with the pages and the think times, in seconds.
fn load(parameters: &FixedPageParameters, pages: usize, order: u64, failing: f64) -> (Vec<Page>, Vec<f64>) {
    let mut population = population(parameters, 1);
    let mut order = Key::from_seed(order).stream();
    let (mut now, mut commands, mut loaded, mut thoughts) = (Time::ZERO, Vec::new(), Vec::new(), Vec::new());
    let mut pending: Vec<(ConnectionOrdinal, Pending)> = Vec::new();
    let (mut page, mut open) = (Page::default(), BTreeSet::new());
    population.handle(0, UserEvent::Start(StartRule::Steady), now, &mut commands);
    loop {
        let mut wakes = None;
        for command in commands.drain(..) {
            match command {
                Command::Open { connection, server, delay, visit, .. } => {
                    let MinimumDelay::Drawn(delay) = delay else { panic!("{delay:?}") };
                    assert_eq!(visit as usize, loaded.len());
                    (page.server, page.delay) = (server, delay.to_bits());
                    assert!(open.insert(connection));
                    pending.push((connection, Pending::Opening));
                }
                Command::Request { connection, exchange } => {
                    assert!(open.contains(&connection), "a request on {connection}, which is not open");
                    assert!(pending.iter().all(|(other, _)| *other != connection), "{connection} is busy");
                    pending.push((connection, Pending::Response(exchange)));
                }
                Command::Close { connection } => assert!(open.remove(&connection)),
                Command::Think { until } => wakes = Some(until),
                Command::Wait { .. } => panic!("{command:?}"),
            }
        }
        page.most_open = page.most_open.max(open.len());
        let event = if let Some(until) = wakes {
            assert!(open.is_empty() && pending.is_empty(), "she thinks while something is open");
            if !page.objects.is_empty() {
                loaded.push(std::mem::take(&mut page));
            }
            if loaded.len() == pages {
                return (loaded, thoughts);
            }
            thoughts.push((until - now).seconds());
            now = until;
            UserEvent::Wake
        } else {
            let (connection, what) = pending.swap_remove(order.below(pending.len() as u64) as usize);
            if order.uniform() < failing {
                open.remove(&connection);
                page.failed += 1;
                let failed = population.handle(0, UserEvent::Failed(connection), now, &mut commands);
                let failed = failed.expect("an exchange was under way");
                assert!(page.objects.insert(failed.object, failed).is_none(), "asked for twice");
                continue;
            }
            match what {
                Pending::Opening => UserEvent::Connected(connection),
                Pending::Response(exchange) => {
                    if exchange.kind == ObjectKind::Embedded {
                        assert!(page.objects.contains_key(&0), "the root comes first and alone");
                    }
                    assert!(page.objects.insert(exchange.object, exchange).is_none(), "asked for twice");
                    UserEvent::Response(connection)
                }
            }
        };
        assert_eq!(population.handle(0, event, now, &mut commands), None);
    }
}

#[test]
fn the_order_of_events_and_lost_connections_change_nothing_that_is_asked_for() {
    let parameters =
        FixedPageParameters { objects_per_page: 20, root_bytes: 3, object_bytes: 7, ..Default::default() };
    let asked = |order, failing| {
        let (pages, thoughts) = load(&parameters, 100, order, failing);
        let failed: usize = pages.iter().map(|page| page.failed).sum();
        let pages: Vec<_> = pages.into_iter().map(|page| (page.server, page.delay, page.objects)).collect();
        (pages, thoughts, failed)
    };
    let (pages, thoughts, failed) = asked(1, 0.0);
    assert_eq!(failed, 0);
    for (_, _, objects) in &pages {
        assert_eq!(objects.keys().copied().collect::<Vec<u32>>(), (0..20).collect::<Vec<u32>>());
        let bytes: Vec<u64> = objects.values().map(|each| each.response_bytes).collect();
        assert_eq!((bytes[0], &bytes[1..]), (3, &[7; 19][..]));
        assert!(objects.values().all(|each| each.request_bytes == 500));
    }
    for (order, failing) in [(2, 0.0), (3, 0.2)] {
        let (other, other_thoughts, failed) = asked(order, failing);
        assert_eq!((&pages, &thoughts), (&other, &other_thoughts));
        assert_eq!(failed > 0, failing > 0.0);
    }
}

#[test]
fn as_many_connections_as_allowed_and_no_more_than_objects_need() {
    let most_open = |objects_per_page, parallel_connections| {
        let parameters = FixedPageParameters { objects_per_page, parallel_connections, ..Default::default() };
        load(&parameters, 20, 7, 0.0).0.iter().map(|page| page.most_open).max().unwrap()
    };
    // The root's connection takes one object more, each other connection one.
    assert_eq!([most_open(1, 6), most_open(2, 6), most_open(3, 6), most_open(50, 6)], [1, 1, 2, 6]);
    assert_eq!([most_open(50, 1), most_open(50, 255)], [1, 49]);
}

#[test]
fn thoughts_have_their_law() {
    let parameters = FixedPageParameters { objects_per_page: 1, ..Default::default() };
    let (_, thoughts) = load(&parameters, 20_001, 1, 0.0);
    // Behind the first page: 20,000 exponentials of mean 10. Five standard errors of the mean are 3.5 %; of a
    // share of 1/e 1.7 %.
    let thoughts = &thoughts[1..];
    let mean = thoughts.iter().sum::<f64>() / 20_000.0;
    assert!((mean - 10.0).abs() < 0.35, "{mean}");
    let longer = thoughts.iter().filter(|&&seconds| seconds > 10.0).count() as f64 / 20_000.0;
    assert!((longer - 1.0 / std::f64::consts::E).abs() < 0.017, "{longer}");
    let constant = FixedPageParameters { think_time_law: ThinkTimeLaw::Constant, ..parameters };
    let (_, thoughts) = load(&constant, 50, 1, 0.0);
    assert!(thoughts[1..].iter().all(|&seconds| seconds == 10.0), "{thoughts:?}");
}

#[test]
fn pages_come_from_all_servers_alike() {
    let parameters = FixedPageParameters { objects_per_page: 1, server_count: 4, ..Default::default() };
    let mut pages_of = [0_i32; 4];
    for page in load(&parameters, 20_000, 1, 0.0).0 {
        pages_of[page.server as usize] += 1;
    }
    // 5,000 each; five standard deviations are 306.
    assert!(pages_of.iter().all(|&pages| (pages - 5_000).abs() < 306), "{pages_of:?}");
}

#[test]
fn what_is_out_of_range_is_refused_with_its_range() {
    let refused = |parameters: FixedPageParameters| {
        let no_file = |path: &str| Err(format!("unexpected file {path}"));
        parameters.build(1, Key::from_seed(1), &no_file).unwrap_err().to_string()
    };
    let usual = FixedPageParameters::default;
    let cases = [
        (
            FixedPageParameters { objects_per_page: 0, ..usual() },
            "`objects_per_page` = 0: legal values are 1 to 10000",
        ),
        (
            FixedPageParameters { root_bytes: 0, ..usual() },
            "`root_bytes` = 0: legal values are 1 to 1000000000",
        ),
        (
            FixedPageParameters { object_bytes: 1_000_000_001, ..usual() },
            "`object_bytes` = 1000000001: legal values are 1 to 1000000000",
        ),
        (
            FixedPageParameters { request_bytes: 65_536, ..usual() },
            "`request_bytes` = 65536: legal values are 1 to 65535",
        ),
        (
            FixedPageParameters { parallel_connections: 0, ..usual() },
            "`parallel_connections` = 0: legal values are 1 to 255",
        ),
        (
            FixedPageParameters { think_time_mean_seconds: 0.0, ..usual() },
            "`think_time_mean_seconds` = 0: legal values are 0.001 to 1000000",
        ),
    ];
    for (parameters, message) in cases {
        assert_eq!(refused(parameters), message);
    }
}
