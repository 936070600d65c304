//! How often pages are asked for from the first instant on.

mod driver;

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{StartRule, UncModel, UncParameters, User};
use driver::Browsing;

const USERS: u64 = 20_000;
const PAGE_TIME: Span = Span::from_milliseconds(1_000);

/// Windows of time from the start on.
#[derive(Clone, Copy)]
struct Windows {
    width_seconds: f64,
    count: usize,
}

/// Pages that one user begins in each window.
fn pages_in_windows(
    model: &UncModel,
    user: u64,
    start: StartRule,
    page_time: Span,
    windows: Windows,
) -> Vec<f64> {
    let mut user = User::new(Key::from_seed(31).named("user").indexed(user), model);
    let mut commands = Vec::new();
    user.start(model, start, &mut commands);
    let mut browsing = Browsing::new(user, &commands, page_time);
    let mut counts = vec![0.0; windows.count];
    let end = Time::from_seconds(windows.width_seconds * windows.count as f64);
    while browsing.next_page() < end {
        counts[(browsing.next_page().seconds() / windows.width_seconds) as usize] += 1.0;
        browsing.fetch_page(model, &mut |_| {});
    }
    counts
}

/// For each window, the pages per user over their long-run mean, with the standard error of that ratio.
///
/// The long run is the elementary renewal theorem: one page per mean cycle of think time and page. Users are
/// independent, so the error follows from how much they differ; counts of one user are close to Poisson,
/// which for 30 s and 20,000 users means 0.7 %.
fn rates(start: StartRule, width: f64, windows: usize) -> Vec<(f64, f64)> {
    rates_of(
        &driver::model(&UncParameters::default()),
        start,
        PAGE_TIME,
        Windows { width_seconds: width, count: windows },
    )
}

fn rates_of(model: &UncModel, start: StartRule, page_time: Span, windows: Windows) -> Vec<(f64, f64)> {
    let per_user: Vec<Vec<f64>> =
        (0..USERS).map(|user| pages_in_windows(model, user, start, page_time, windows)).collect();
    let long_run = windows.width_seconds / (model.mean_think_seconds() + page_time.seconds());
    let users = USERS as f64;
    let rate = |window: usize| {
        let mean = per_user.iter().map(|counts| counts[window]).sum::<f64>() / users;
        let squares: f64 =
            per_user.iter().map(|counts| (counts[window] - mean) * (counts[window] - mean)).sum();
        (mean / long_run, (squares / (users - 1.0) / users).sqrt() / long_run)
    };
    (0..windows.count).map(rate).collect()
}

#[test]
fn a_steady_population_asks_for_pages_at_its_long_run_rate_from_the_first_instant() {
    for (width, windows) in [(30.0, 4), (1.0, 10)] {
        for (window, (rate, error)) in rates(StartRule::Steady, width, windows).into_iter().enumerate() {
            assert!((rate - 1.0).abs() < 4.0 * error, "window {window} of {width} s: {rate} ± {error}");
            let poisson = (31.07 / width / USERS as f64).sqrt();
            assert!(error < 1.6 * poisson, "{error} is no noise of independent users: {poisson}");
        }
    }
}

#[test]
fn slow_pages_take_part_in_the_steady_start() {
    // Were everybody found thinking, pages of 10 s would begin 40/30 times too often at first.
    let parameters = UncParameters { steady_start_page_time_seconds: 10.0, ..UncParameters::default() };
    let windows = Windows { width_seconds: 10.0, count: 3 };
    let page_time = Span::from_milliseconds(10_000);
    for (rate, error) in rates_of(&driver::model(&parameters), StartRule::Steady, page_time, windows) {
        assert!((rate - 1.0).abs() < 4.0 * error && error < 0.02, "{rate} ± {error}");
    }
}

#[test]
fn a_fresh_population_begins_far_too_busy() {
    // An independent renewal simulation (Python, 200,000 users, think time plus 1 s) gave 1.757 in the first
    // 30 s and 1.400 over the first 120 s, with a relative error of 0.3 %.
    let fresh = rates(StartRule::Fresh { spread: Span::ZERO }, 30.0, 4);
    let (rate, error) = fresh[0];
    assert!((rate - 1.757).abs() < 4.0 * (error + 0.005), "{rate} ± {error}");
    let over_two_minutes = fresh.iter().map(|window| window.0).sum::<f64>() / 4.0;
    assert!((over_two_minutes - 1.400).abs() < 0.04, "{over_two_minutes}");
}

#[test]
fn a_spread_delays_the_first_pages() {
    // Users begin uniformly over S = 30 s. After T = 10 s they have asked for (1/S) ∫ N(u) du over 0..T pages
    // each, where N(u) are the pages of a user who began u ago: what the start at once shows. N never falls,
    // so that its values at the ends of short steps enclose the integral.
    const STEPS: usize = 40;
    let (spread, until) = (30.0, 10.0);
    let step = until / STEPS as f64;
    let at_once = rates(StartRule::Fresh { spread: Span::ZERO }, step, STEPS);
    let pages_at = |steps: usize| at_once[..steps].iter().map(|(rate, _)| rate * step).sum::<f64>();
    let sum = |first: usize| (first..first + STEPS).map(pages_at).sum::<f64>() * step / spread;
    let (found, error) = rates(StartRule::Fresh { spread: Span::from_seconds(spread) }, until, 1)[0];
    let (found, error) = (found * until, 4.0 * error * until);
    assert!(sum(0) - error < found && found < sum(1) + error, "{} < {found} < {}", sum(0), sum(1));
    assert!(sum(1) - sum(0) + 2.0 * error < 0.25 * found, "bounds within an eighth, at four standard errors");
}

#[test]
fn a_steady_population_stands_in_the_middle_of_its_visits() {
    // A random page is followed by another of the same visit with probability 1 - 1/4.09 (geometric visits
    // are memoryless), and all of its visits' first pages therefore make up 1/4.09 of the first pages.
    let model = driver::model(&UncParameters::default());
    let mut new_visits = 0;
    for user in 0..USERS {
        let mut user = User::new(Key::from_seed(32).named("user").indexed(user), &model);
        let mut commands = Vec::new();
        user.start(&model, StartRule::Steady, &mut commands);
        let mut browsing = Browsing::new(user, &commands, PAGE_TIME);
        let mut first_page = true;
        browsing.fetch_page(&model, &mut |command| {
            if let aqmlab_web::Command::Request { exchange, .. } = command {
                new_visits += u32::from(first_page && exchange.page == 0);
                first_page = false;
            }
        });
    }
    let share = f64::from(new_visits) / USERS as f64;
    let expected: f64 = 1.0 / 4.09;
    let error = (expected * (1.0 - expected) / USERS as f64).sqrt();
    assert!((share - expected).abs() < 4.0 * error, "{share} against {expected}");
}
