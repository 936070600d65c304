//! Users who start stationary: from the first instant on the network carries what it carries in the long run.
//!
//! The long run is another run, of other seeds, three hours long, whose users start steady and whose first 20
//! minutes are cut. Nothing is congested, so that what users ask for is all that matters. Those of the UNC
//! model end at 3 MB (about half a minute): without a bound the mean of three hours is itself too random to
//! hold anything against. Today's pages are made lighter for the same reason, and because three hours of them
//! would be a terabyte.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{numbers, table};

const UNCONGESTED: &str = r#"
name = "uncongested"
duration_s = 20.0
[dumbbell]
rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 100000 }
[users]
left = 0
right = 1500
[record]
responses = "rows"
flows = true
"#;

const LONG_RUN_USERS: u32 = 300;

/// Instants, in seconds, between which rates are compared: the first second by itself.
const WINDOWS: [(f64, f64); 4] = [(0.0, 1.0), (1.0, 5.0), (5.0, 10.0), (10.0, 20.0)];

fn simulate(seed: u64, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario =
        Scenario::from_toml(UNCONGESTED, "uncongested", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// What the network carries between two instants.
#[derive(Clone, Copy, Debug)]
struct Carried {
    bytes_per_second: f64,
    responses_per_second: f64,
    /// Share of the responses that have more than 10,000 bytes.
    large_share: f64,
    /// Connections that are open, on average over the beginning, the middle and the end.
    open_connections: f64,
}

impl Carried {
    const NAMES: [&'static str; 4] =
        ["bytes per second", "responses per second", "share of large responses", "open connections"];

    fn between(output: &Output, (from, until): (f64, f64)) -> Self {
        let within = |instant: f64| from < instant && instant <= until;
        let link = table(output, "link");
        let bytes = numbers(link, "time_s").into_iter().zip(numbers(link, "frame_bytes"));
        let bytes: f64 = bytes.filter(|(end, _)| within(end - 0.05)).map(|(_, bytes)| bytes).sum();
        let responses = table(output, "responses");
        let completed = numbers(responses, "completed_at_s").into_iter();
        let sizes: Vec<f64> = completed
            .zip(numbers(responses, "response_bytes"))
            .filter(|(instant, _)| within(*instant))
            .map(|(_, size)| size)
            .collect();
        let large = sizes.iter().filter(|&&size| size > 10_000.0).count() as f64;
        let flows = table(output, "flows");
        let lives: Vec<(f64, f64)> =
            numbers(flows, "opened_s").into_iter().zip(numbers(flows, "closed_s")).collect();
        let open_at = |instant: f64| {
            // A connection that is open at the end has no end.
            lives
                .iter()
                .filter(|(opened, closed)| *opened <= instant && (closed.is_nan() || instant < *closed))
                .count() as f64
        };
        Self {
            bytes_per_second: bytes / (until - from),
            responses_per_second: sizes.len() as f64 / (until - from),
            large_share: large / sizes.len().max(1) as f64,
            open_connections: [from, f64::midpoint(from, until), until].map(open_at).iter().sum::<f64>()
                / 3.0,
        }
    }

    const fn numbers(self) -> [f64; 4] {
        [self.bytes_per_second, self.responses_per_second, self.large_share, self.open_connections]
    }
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// The long run of so many users, as parts of so many seconds.
fn long_run(who: &[(&str, &str)], users: u32, part: f64) -> Vec<Carried> {
    let users = users.to_string();
    let long = [("duration_s", "10800.0"), ("users.right", users.as_str()), ("users.start", "\"steady\"")];
    let output = simulate(99, &[&long[..], who].concat());
    let parts = (1200..10800).step_by(part as usize).map(f64::from);
    parts.map(|from| Carried::between(&output, (from, from + part))).collect()
}

/// Every window from the start on is held against the long run, to within four standard errors of their
/// difference, which must be small enough to see a network that is not filled yet.
fn is_flat_from_the_start(model: &str, profile: &str, users: u32) {
    let (profile, of_short) = (format!("\"{profile}\""), users.to_string());
    let who = [("users.model", model), ("users.profile", profile.as_str())];
    let short = [("users.start", "\"stationary\""), ("users.right", of_short.as_str())];
    let runs: Vec<Output> = (1..=24).map(|seed| simulate(seed, &[who, short].concat())).collect();
    let long = long_run(&who, LONG_RUN_USERS, 300.0);
    for window in WINDOWS {
        let short: Vec<Carried> = runs.iter().map(|output| Carried::between(output, window)).collect();
        for (place, name) in Carried::NAMES.into_iter().enumerate() {
            // Rates are those of as many users; shares are shares.
            let of_as_many = f64::from(users) / f64::from(LONG_RUN_USERS);
            let scale = if name.starts_with("share") { 1.0 } else { of_as_many };
            let of = |carried: &[Carried], scale: f64| {
                mean(&carried.iter().map(|carried| carried.numbers()[place] * scale).collect::<Vec<_>>())
            };
            let ((found, error), (expected, error_of_long)) = (of(&short, 1.0), of(&long, scale));
            let error = error.hypot(error_of_long);
            assert!(
                (found - expected).abs() < 4.0 * error,
                "{window:?} {name}: {found} ± {error} is not {expected}"
            );
            assert!(error < 0.2 * expected, "{window:?} {name}: ± {error} of {expected} shows nothing");
        }
    }
}

#[test]
fn users_of_the_unc_model_are_in_the_middle_of_everything_from_the_first_instant() {
    is_flat_from_the_start("{ model = \"unc\", response_maximum_bytes = 3e6 }", "bsd45", 500);
}

#[test]
#[ignore = "exhaustive"]
fn so_are_those_of_mahs_model() {
    is_flat_from_the_start("{ model = \"mah\" }", "bsd228", 2000);
}

const LIGHTER_PAGES: &str = "page_bytes_median = 150000, objects_per_page_median = 20";

#[test]
#[ignore = "exhaustive"]
fn so_are_those_of_todays_pages_with_several_exchanges_on_a_connection() {
    let model = format!("{{ model = \"pages\", http = \"2\", tls = \"1.3\", {LIGHTER_PAGES} }}");
    is_flat_from_the_start(&model, "rfc5681", 1000);
}

#[test]
#[ignore = "exhaustive"]
fn so_are_those_of_todays_pages_with_several_connections_to_a_host() {
    let model = format!("{{ model = \"pages\", http = \"1.1\", tls = \"1.2\", {LIGHTER_PAGES} }}");
    is_flat_from_the_start(&model, "rfc5681", 1000);
}
