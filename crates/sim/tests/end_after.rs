//! A run that ends with a number of exchanges is the same run up to there.

use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, RunError, Simulation, run};

const TEXT: &str = r#"
name = "until enough have ended"
duration_s = 60.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 4.0
queue = { scheme = "ared", limit_packets = 60, target_delay_ms = 20.0 }
[users]
left = 1
right = 1
model = { model = "packmime", connections_per_second = 15.0 }
profile = "ns2-full"
[[flows]]
count = 2
direction = "left-to-right"
profile = "ns2-full"
[record]
responses = "rows"
traffic = true
"#;

fn scenario(overrides: &[(&str, String)]) -> Scenario {
    let overrides: Vec<_> = overrides.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    Scenario::from_toml(TEXT, "test", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(overrides: &[(&str, String)]) -> Output {
    run(&scenario(overrides), 3, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn ends_after(exchanges: u32) -> [(&'static str, String); 1] {
    [("end_after", format!("{{ population = \"right\", exchanges = {exchanges} }}"))]
}

fn responses(output: &Output) -> &Table {
    output.tables.iter().find(|table| table.name == "responses").unwrap()
}

/// When the exchanges of the population on the right were complete, in order.
fn completed_at(output: &Output) -> Vec<f64> {
    let column =
        |name: &str| &responses(output).columns.iter().find(|column| column.name == name).unwrap().values;
    let (ColumnValues::Names(population), ColumnValues::F64(at)) =
        (column("population"), column("completed_at_s"))
    else {
        panic!("types")
    };
    let (codes, names) = population.clone().into_parts();
    let right = names.iter().position(|name| name == "right").unwrap();
    let of_right = codes.iter().zip(at).filter(|(code, _)| **code as usize == right);
    let mut at: Vec<f64> = of_right.map(|(_, &at)| at).collect();
    at.sort_by(f64::total_cmp);
    at
}

#[test]
fn it_ends_with_the_last_of_them_and_is_the_run_of_that_length() {
    let (whole, ended) = (simulate(&[]), simulate(&ends_after(300)));
    let (all, until) = (completed_at(&whole), completed_at(&ended));
    assert!(all.len() > 600, "{}", all.len());
    assert_eq!(until, all[..300], "the first of those behind the warm-up");
    // The window has its beginning and not its end: it ends a nanosecond behind the last.
    let summary = &ended.summary;
    assert!((summary.measured_until_s - all[299] - 1e-9).abs() < 1e-12, "{}", summary.measured_until_s);
    assert!((summary.measured_from_s - 2.0).abs() < f64::EPSILON);
    let by_the_clock = simulate(&[("duration_s", format!("{:.9}", summary.measured_until_s))]);
    let facts = |output: &Output| {
        let summary = &output.summary;
        serde_json::to_value((&summary.links, &summary.flows, &summary.populations, &summary.tcp)).unwrap()
    };
    assert_eq!(facts(&ended), facts(&by_the_clock));
    assert_eq!(ended.tables, by_the_clock.tables);
}

#[test]
fn with_fewer_exchanges_the_clock_ends_it() {
    let (whole, other) = (simulate(&[]), simulate(&ends_after(1_000_000)));
    assert!((other.summary.measured_until_s - 60.0).abs() < f64::EPSILON);
    assert_eq!(whole.tables, other.tables);
}

#[test]
fn steps_go_by_the_clock() {
    let scenario = scenario(&ends_after(300));
    let Err(RunError::Steps(said)) = Simulation::new(&scenario, 1, &Control::default()) else {
        panic!("not refused")
    };
    assert_eq!(said, "end_after: steps go on to duration_s; leave the key out");
}
