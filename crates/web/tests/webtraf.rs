//! Webtraf's sessions: their laws over an ideal network, and their rules in any order of events.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, Exchange, MinimumDelay, StartRule, WebtrafModel, WebtrafParameters, WebtrafSession,
};
use std::collections::BTreeMap;

/// What a session asked for, by page and object: when it was launched, its server, its delay and the
/// exchange.
type Asked = BTreeMap<(u32, u32), (Time, u32, f64, Option<Exchange>)>;

#[derive(Default)]
struct Diary {
    asked: Asked,
    /// From the end of a page to the start of the next.
    thoughts_s: Vec<f64>,
}

/// Lives through so many pages. Each event on a connection takes its time, drawn from `order`; some
/// connections fail.
fn lived(parameters: &WebtrafParameters, seed: u64, pages: usize, order: u64, failing: f64) -> Diary {
    let model = WebtrafModel::new(parameters).unwrap();
    let mut session = WebtrafSession::new(Key::from_seed(seed));
    let mut order = Key::from_seed(order).stream();
    let (mut diary, mut commands) = (Diary::default(), Vec::new());
    // What is due: instant, number, and the connection it concerns (none: a wake), with whether it is
    // established.
    let mut due = std::collections::BTreeSet::new();
    let (mut now, mut number, mut page) = (Time::ZERO, 0_u32, 0);
    session.start(&model, StartRule::Steady, &mut commands);
    loop {
        for command in commands.drain(..) {
            number += 1;
            match command {
                Command::Think { until } => {
                    diary.thoughts_s.push((until - now).seconds());
                    due.insert((until, number, None));
                }
                Command::Wait { until } => assert!(due.insert((until, number, None))),
                Command::Open { connection, visit, server, delay, .. } => {
                    let MinimumDelay::Drawn(drawn) = delay else { panic!("{delay:?}") };
                    page = visit;
                    let asked = (now, server, drawn, None);
                    assert!(diary.asked.insert((visit, connection.number()), asked).is_none());
                    let later = now + Span::from_milliseconds(order.below(300));
                    due.insert((later, number, Some((connection, false))));
                }
                Command::Request { connection, exchange } => {
                    diary.asked.get_mut(&(page, connection.number())).unwrap().3 = Some(exchange);
                    let later = now + Span::from_milliseconds(order.below(300));
                    due.insert((later, number, Some((connection, true))));
                }
                Command::Close { .. } => {}
            }
        }
        if diary.thoughts_s.len() > pages {
            return diary;
        }
        let (instant, _, what) = due.pop_first().expect("a session always waits for something");
        now = instant;
        match what {
            None => session.on_wake(now, &model, &mut commands),
            Some((connection, _)) if order.uniform() < failing => {
                let failed = session.on_failed(now, connection, &model, &mut commands);
                diary.asked.get_mut(&(page, connection.number())).unwrap().3 = failed;
            }
            Some((connection, false)) => session.on_connected(connection, &model, &mut commands),
            Some((connection, true)) => session.on_response(now, connection, &model, &mut commands),
        }
    }
}

fn without_times(asked: &Asked) -> Asked {
    asked
        .iter()
        .map(|(&name, &(_, server, delay, exchange))| (name, (Time::ZERO, server, delay, exchange)))
        .collect()
}

#[test]
fn the_order_of_events_and_lost_connections_change_nothing_that_is_asked_for() {
    let parameters = WebtrafParameters { objects_per_page: 5, ..WebtrafParameters::default() };
    let first = lived(&parameters, 4, 200, 1, 0.0);
    assert_eq!(first.asked.len(), 1000);
    assert!(first.asked.values().all(|(.., exchange)| exchange.is_some_and(|each| each.server_closes)));
    for (order, failing) in [(2, 0.0), (3, 0.2)] {
        let other = lived(&parameters, 4, 200, order, failing);
        assert_eq!(without_times(&first.asked), without_times(&other.asked));
        assert_eq!(first.thoughts_s.len(), other.thoughts_s.len());
    }
}

#[test]
fn pages_have_their_objects_server_and_delay_and_thoughts_their_law() {
    let diary = lived(&WebtrafParameters::default(), 7, 20_000, 1, 0.0);
    assert_eq!(diary.asked.len(), 40_000);
    let mut servers = BTreeMap::new();
    for page in 0..20_000 {
        let [first, second] = [0, 1].map(|object| diary.asked[&(page, object)]);
        // One server and one path for a page.
        assert_eq!((first.1, first.2.to_bits()), (second.1, second.2.to_bits()));
        *servers.entry(first.1).or_insert(0) += 1;
    }
    // 2,500 pages from each of 8 servers: 5 standard deviations are 234.
    assert_eq!(servers.len(), 8);
    assert!(servers.values().all(|&pages: &i32| (pages - 2500).abs() < 234), "{servers:?}");
    // Means of 20,000 exponentials: 5 standard errors are 3.5 %.
    let thoughts = &diary.thoughts_s[1..];
    let mean = thoughts.iter().sum::<f64>() / thoughts.len() as f64;
    assert!((mean / 7.0 - 1.0).abs() < 0.036, "{mean}");
    let gaps = (0..20_000).map(|page| (diary.asked[&(page, 1)].0 - diary.asked[&(page, 0)].0).seconds());
    let mean = gaps.sum::<f64>() / 20_000.0;
    assert!((mean / 0.01 - 1.0).abs() < 0.036, "{mean}");
}

#[test]
fn objects_have_the_sizes_that_were_computed_apart_from_the_model() {
    // Of a hundred thousand objects the mean is typically 4.27 kB, and 4.88 packets where these are whole;
    // the median of many samples' means, since a single one has no bound.
    for (packet_bytes, expected) in [(1, 4.27e3), (1000, 4.88e3)] {
        let parameters =
            WebtrafParameters { packet_bytes, objects_per_page: 20, ..WebtrafParameters::default() };
        let mut means: Vec<f64> = (0..11)
            .map(|seed| {
                let diary = lived(&parameters, 100 + seed, 5000, 1, 0.0);
                let sizes = diary.asked.values().map(|(.., exchange)| exchange.unwrap().response_bytes);
                sizes.sum::<u64>() as f64 / 1e5
            })
            .collect();
        means.sort_by(f64::total_cmp);
        assert!((means[5] / expected - 1.0).abs() < 0.06, "{packet_bytes}: {}", means[5]);
    }
}

#[test]
fn without_gaps_a_page_is_launched_at_once() {
    let parameters = WebtrafParameters {
        object_gap_mean_seconds: 0.0,
        objects_per_page: 7,
        ..WebtrafParameters::default()
    };
    let model = WebtrafModel::new(&parameters).unwrap();
    let mut session = WebtrafSession::new(Key::from_seed(1));
    let mut commands = Vec::new();
    session.start(&model, StartRule::Fresh { spread: Span::ZERO }, &mut commands);
    commands.clear();
    session.on_wake(Time::from_seconds(9.0), &model, &mut commands);
    assert_eq!(commands.len(), 7);
    assert!(commands.iter().all(|command| matches!(command, Command::Open { visit: 0, .. })));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |parameters: WebtrafParameters| WebtrafModel::new(&parameters).unwrap_err().to_string();
    let message = refused(WebtrafParameters { object_bytes_shape: 1.0, ..WebtrafParameters::default() });
    assert_eq!(message, "`object_bytes_shape` = 1: legal values are 1.001 to 100");
    let message = refused(WebtrafParameters { objects_per_page: 0, ..WebtrafParameters::default() });
    assert_eq!(message, "`objects_per_page` = 0: legal values are 1 to 10000");
    let message =
        refused(WebtrafParameters { think_time_mean_seconds: f64::NAN, ..WebtrafParameters::default() });
    assert!(message.starts_with("`think_time_mean_seconds` = NaN"), "{message}");
}

#[test]
#[should_panic(expected = "woken without having waited")]
fn a_wake_that_nobody_asked_for_is_a_bug_of_the_driver() {
    let parameters = WebtrafParameters { objects_per_page: 1, ..WebtrafParameters::default() };
    let model = WebtrafModel::new(&parameters).unwrap();
    let mut session = WebtrafSession::new(Key::from_seed(1));
    let mut commands = Vec::new();
    session.start(&model, StartRule::Steady, &mut commands);
    session.on_wake(Time::from_seconds(9.0), &model, &mut commands);
    session.on_wake(Time::from_seconds(9.0), &model, &mut commands);
}
