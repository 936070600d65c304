//! How long the first think time is, where every think time is 100 s and a page takes 50 s.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, MahParameters, Parameters, Population, StartRule, UncParameters, UserEvent};

const USERS: u32 = 40_000;

fn constant(name: &str) -> Result<String, String> {
    match name {
        "think" => Ok("100 1\n".to_owned()),
        other => Err(format!("unexpected file {other}")),
    }
}

/// Users of both models.
fn population() -> [Population; 2] {
    let unc = UncParameters {
        think_time_seconds_cdf_file: Some("think".to_owned()),
        steady_start_page_time_seconds: 50.0,
        ..UncParameters::default()
    };
    let mah = MahParameters {
        think_time_seconds_cdf_file: Some("think".to_owned()),
        steady_start_page_time_seconds: 50.0,
        ..MahParameters::default()
    };
    let key = Key::from_seed(8);
    [unc.build(USERS, key, &constant).unwrap(), mah.build(USERS, key, &constant).unwrap()]
}

/// Seconds until each user asks for her first page.
fn first_pages(population: &mut Population, rule: StartRule) -> Vec<f64> {
    let first = |user| {
        let mut commands = Vec::new();
        population.handle(user, UserEvent::Start(rule), Time::ZERO, &mut commands);
        let [Command::Think { until }] = commands[..] else { panic!("{commands:?}") };
        until.seconds()
    };
    (0..USERS).map(first).collect()
}

/// The mean of these, held against that of a uniform law to within four standard errors.
fn is_uniform(values: &[f64], low: f64, high: f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let four_standard_errors = 4.0 * (high - low) / 12_f64.sqrt() / (values.len() as f64).sqrt();
    assert!(
        (mean - f64::midpoint(low, high)).abs() < four_standard_errors,
        "{mean} between {low} and {high}"
    );
    assert!(values.iter().all(|value| (low..=high).contains(value)));
}

#[test]
fn a_user_met_at_random_thinks_for_what_is_left_or_is_on_a_page_and_then_thinks() {
    for mut population in population() {
        let (on_a_page, thinking): (Vec<f64>, Vec<f64>) =
            first_pages(&mut population, StartRule::Steady).into_iter().partition(|&seconds| seconds > 100.0);
        // 50 of 150 s are those of a page; four standard errors of a share of a third.
        let share = on_a_page.len() as f64 / f64::from(USERS);
        assert!((share - 1.0 / 3.0).abs() < 4.0 * (2.0 / 9.0 / f64::from(USERS)).sqrt(), "{share}");
        is_uniform(&thinking, 0.0, 100.0);
        is_uniform(&on_a_page, 100.0, 150.0);
    }
}

#[test]
fn users_who_start_afresh_have_a_whole_think_time_before_them() {
    for mut population in population() {
        let spread = Span::from_seconds(30.0);
        is_uniform(&first_pages(&mut population, StartRule::Fresh { spread }), 100.0, 130.0);
    }
    for mut population in population() {
        let first = first_pages(&mut population, StartRule::Fresh { spread: Span::ZERO });
        assert!(first.iter().all(|&seconds| seconds == 100.0));
    }
}

#[test]
fn nobody_is_a_legal_population() {
    let empty = MahParameters::default().build(0, Key::from_seed(1), &constant).unwrap();
    assert!(empty.is_empty());
    assert!(population().iter().all(|population| !population.is_empty()));
}
