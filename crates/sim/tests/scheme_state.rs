//! What schemes tell of themselves over time, beside what SFG must find in one stream of known rate.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, real, table};

/// One stream of 5 Mbit/s before 20 bins of 0.5 Mbit/s in each of 3 levels.
const STREAM: &str = r#"
name = "stream"
duration_s = 21.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "sfg", limit_bytes = 500_000, switching = "always_on" }
queue_right_to_left = { scheme = "drop-tail", limit_packets = 10 }
[[datagrams]]
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = 5.0
start_spread_s = 0.0
"#;

fn simulate(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(STREAM, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Instants and values of a quantity.
fn quantity(output: &Output, name: &str) -> Vec<(f64, f64)> {
    let state = table(output, "scheme_state");
    let (times, values) = (real(state, "time_s"), real(state, "value"));
    let (links, names) = (names(state, "link"), names(state, "quantity"));
    assert!(links.iter().all(|link| link == Some("left-to-right")), "drop-tail tells nothing");
    let rows = times.iter().zip(values).zip(names.iter());
    rows.filter(|(_, known)| *known == Some(name)).map(|((&time, &value), _)| (time, value)).collect()
}

#[test]
fn sfg_tells_of_the_bins_of_a_stream_and_of_its_average() {
    let output = simulate(&[("record.scheme_state_interval_ms", "500.0")]);
    let on = quantity(&output, "filter_is_on");
    assert_eq!(on.len(), 42);
    assert!(
        on.iter().zip(1..).all(|(&(time, is_on), n)| time == 0.5 * f64::from(n) && is_on == 1.0),
        "{on:?}"
    );
    // From the end of the second interval on, whatever the phase of the timer, each has had 1250 packets, one
    // more or less.
    let settled =
        |name| quantity(&output, name).into_iter().filter(|&(time, _)| time > 4.0).map(|(_, value)| value);
    assert!(settled("bins_over_share").all(|bins| bins == 3.0));
    // 1 - 0.5/5.
    assert!(settled("greatest_bin_probability").all(|greatest| (greatest - 0.9).abs() < 1e-4));
    // Nothing overflows: each interval adds a fifth of the share that the filter dropped of it, 1250 coins of
    // 0.9.
    let mut rates: Vec<f64> = settled("notification_rate").collect();
    rates.dedup();
    let shares: Vec<f64> = rates.windows(2).map(|pair| (pair[1] - 0.8 * pair[0]) / 0.2).collect();
    let deviation = 0.3 / libm::sqrt(1250.0);
    assert!(shares.len() >= 7, "{shares:?}");
    assert!(shares.iter().all(|share| (share - 0.9).abs() < 4.0 * deviation), "{shares:?}");
}

#[test]
fn looking_changes_nothing() {
    let (seen, unseen) = (simulate(&[("record.scheme_state_interval_ms", "7.0")]), simulate(&[]));
    let others: Vec<&Table> = seen.tables.iter().filter(|table| table.name != "scheme_state").collect();
    // As text, in which what is not a number is itself.
    assert_eq!(format!("{others:?}"), format!("{:?}", unseen.tables.iter().collect::<Vec<_>>()));
}
