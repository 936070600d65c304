//! What the laws call independent is independent: no two draws share their random number.

mod driver;

use aqmlab_random::Key;
use aqmlab_units::Span;
use aqmlab_web::{Command, MinimumDelay, ObjectKind, StartRule, UncModel, UncParameters, User};
use driver::Browsing;
use std::collections::BTreeSet;

/// Pairs of quantities of which neither should tell anything about the other.
#[derive(Default)]
struct Pairs {
    request_and_response: Vec<(f64, f64)>,
    response_and_next: Vec<(f64, f64)>,
    delay_and_next: Vec<(f64, f64)>,
    delay_and_persistent: Vec<(f64, f64)>,
    objects_and_next_page: Vec<(f64, f64)>,
    objects_and_thought: Vec<(f64, f64)>,
    thought_and_next: Vec<(f64, f64)>,
    delays: Vec<f64>,
}

/// What the last command of its kind said.
#[derive(Default)]
struct Before {
    response: Option<f64>,
    delay: Option<f64>,
    objects: Option<f64>,
    thought: Option<f64>,
}

fn yes(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

fn remember(pairs: &mut Vec<(f64, f64)>, before: &mut Option<f64>, now: f64) {
    if let Some(earlier) = before.replace(now) {
        pairs.push((earlier, now));
    }
}

fn browse(model: &UncModel, user: u64, pages: u32, pairs: &mut Pairs) {
    let mut user = User::new(Key::from_seed(71).indexed(user), model);
    let mut commands = Vec::new();
    user.start(model, StartRule::Fresh { spread: Span::ZERO }, &mut commands);
    let mut browsing = Browsing::new(user, &commands, Span::ZERO);
    let mut before = Before::default();
    for _ in 0..pages {
        let (begin, mut objects) = (browsing.next_page(), 0);
        browsing.fetch_page(model, &mut |command| match *command {
            Command::Open { delay: MinimumDelay::Drawn(delay_draw), persistent, .. } => {
                pairs.delays.push(delay_draw);
                pairs.delay_and_persistent.push((delay_draw, yes(persistent)));
                remember(&mut pairs.delay_and_next, &mut before.delay, delay_draw);
            }
            Command::Request { exchange, .. } => {
                objects += 1;
                let large = yes(exchange.response_bytes > 1000);
                remember(&mut pairs.response_and_next, &mut before.response, large);
                if exchange.kind == ObjectKind::Embedded {
                    pairs.request_and_response.push((yes(exchange.request_bytes > 227), large));
                }
            }
            Command::Open { .. } | Command::Close { .. } | Command::Think { .. } | Command::Wait { .. } => {}
        });
        let long = yes((browsing.next_page() - begin).seconds() > 10.0);
        pairs.objects_and_thought.push((yes(objects > 3), long));
        remember(&mut pairs.objects_and_next_page, &mut before.objects, yes(objects > 3));
        remember(&mut pairs.thought_and_next, &mut before.thought, long);
    }
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (first, second) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|p| of(p.0 - first, p.1 - second)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Long visits with many connections, so that numbers within a visit grow large.
fn pairs() -> Pairs {
    let parameters = UncParameters { pages_per_server_visit_mean: 100.0, ..UncParameters::default() };
    let model = driver::model(&parameters);
    let mut pairs = Pairs::default();
    for user in 0..50 {
        browse(&model, user, 1000, &mut pairs);
    }
    pairs
}

#[test]
fn neighbouring_draws_are_not_correlated() {
    let pairs = pairs();
    let named = [
        ("request and response", &pairs.request_and_response),
        ("response and next response", &pairs.response_and_next),
        ("delay and next delay", &pairs.delay_and_next),
        ("delay and persistence", &pairs.delay_and_persistent),
        ("objects and objects of the next page", &pairs.objects_and_next_page),
        ("objects and think time", &pairs.objects_and_thought),
        ("think time and next think time", &pairs.thought_and_next),
    ];
    for (name, pairs) in named {
        assert!(pairs.len() > 40_000, "{name}: {} pairs", pairs.len());
        let found = correlation(pairs);
        // Four standard errors of the correlation of independent quantities.
        assert!(found.abs() < 4.0 / (pairs.len() as f64).sqrt(), "{name}: {found}");
    }
}

#[test]
fn every_connection_has_a_delay_of_its_own_and_delays_are_uniform() {
    let delays = pairs().delays;
    let distinct: BTreeSet<u64> = delays.iter().map(|delay| delay.to_bits()).collect();
    assert_eq!(distinct.len(), delays.len());
    let mut cells = [0.0; 16];
    delays.iter().for_each(|delay| cells[(delay * 16.0) as usize] += 1.0);
    let expected = delays.len() as f64 / 16.0;
    let statistic: f64 = cells.iter().map(|count| (count - expected) * (count - expected) / expected).sum();
    // 99.9 % point of chi-square with 15 degrees of freedom.
    assert!(statistic < 37.70, "{statistic}");
}
