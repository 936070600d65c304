//! Exchanges are counted as they end, each once, and all of them.

use aqmlab_record::{ColumnValues, PopulationSummary, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// A link that loses so much that connections give up: attempts to open them after 75 s, others later.
const HOPELESS: &str = r#"
name = "hopeless"
duration_s = 900.0
[dumbbell]
rate_mbps = 0.03
queue = { scheme = "drop-tail", limit_packets = 3 }
[users]
left = 60
right = 50
[record]
responses = "rows"
flows = true
"#;

fn simulate(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario =
        Scenario::from_toml(HOPELESS, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn sum(output: &Output, of: impl Fn(&PopulationSummary) -> u64) -> u64 {
    output.summary.populations.iter().map(of).sum()
}

fn table<'a>(output: &'a Output, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).unwrap()
}

/// Exchanges started, from the rows of connections: those requested, and of each that requested none the one for which
/// it was opened.
fn started(output: &Output) -> u64 {
    let flows = table(output, "flows");
    let exchanges = &flows.columns.iter().find(|column| column.name == "exchanges").unwrap().values;
    let ColumnValues::U32(exchanges) = exchanges else { panic!("type") };
    exchanges.iter().map(|&count| u64::from(count.max(1))).sum()
}

/// Connections on which nothing was requested by the end of the run and of which an end is open: the browser's, or the
/// server's alone after the browser has given up.
fn opening(output: &Output) -> u64 {
    let flows = table(output, "flows");
    let column = |name: &str| &flows.columns.iter().find(|column| column.name == name).unwrap().values;
    let (ColumnValues::U32(exchanges), ColumnValues::F64(closed)) = (column("exchanges"), column("closed_s"))
    else {
        panic!("types")
    };
    exchanges.iter().zip(closed).filter(|(count, closed)| **count == 0 && closed.is_nan()).count() as u64
}

fn check_balance(output: &Output) {
    for population in &output.summary.populations {
        let whole = population.whole_run;
        assert_eq!(whole.started, whole.completed + whole.failed + population.unfinished);
        // Nothing was cut off this run, so that the window is all of it.
        assert_eq!((whole.completed, whole.failed), (population.completed, population.failed));
    }
    assert_eq!(sum(output, |population| population.whole_run.started), started(output));
    // Generated is what was requested, or failed before it could be: all but those for which a connection is being opened.
    let objects = sum(output, |population| population.generated["objects"] as u64);
    assert!((started(output) - opening(output)..=started(output)).contains(&objects), "{objects}");
    let rows = table(output, "responses").rows() as u64;
    assert_eq!(sum(output, |population| population.completed), rows);
    let gave_up = sum(output, |population| population.gave_up);
    assert_eq!(gave_up, output.summary.tcp.gave_up, "a connection gives up once");
    assert!(gave_up <= output.summary.tcp.connections);
    let failed = sum(output, |population| population.failed);
    assert!(failed > 20 && rows > 500, "{failed} failed, {rows} completed");
    assert!(failed <= gave_up, "no exchange fails but with its connection");
}

#[test]
fn what_starts_is_completed_or_fails_or_is_under_way_at_the_end() {
    check_balance(&simulate(&[]));
}

#[test]
fn an_exchange_whose_response_is_there_does_not_fail_before_the_close() {
    let mah = [("users.model", "{ model = \"mah\" }"), ("users.profile", "\"bsd228\"")];
    check_balance(&simulate(&mah));
    check_balance(&simulate(&[mah[0], mah[1], ("record.response_end", "connection_closed")]));
    // Every other packet is lost: at the end closes are waited for whose responses are complete.
    let lossy = [
        ("dumbbell.rate_mbps", "10"),
        ("dumbbell.loss_probability", "0.5"),
        ("dumbbell.loss_probability_right_to_left", "0.5"),
        ("duration_s", "1800"),
    ];
    check_balance(&simulate(&[mah[0], mah[1], lossy[0], lossy[1], lossy[2], lossy[3]]));
}

#[test]
fn each_exchange_ends_in_the_window_in_which_it_ends() {
    let of_window = |from_s: f64, until_s: f64| {
        let (warm_up, cool_down) = (format!("{from_s}"), format!("{}", 900.0 - until_s));
        let output = simulate(&[("warm_up_s", &warm_up), ("cool_down_s", &cool_down)]);
        [
            sum(&output, |population| population.completed),
            sum(&output, |population| population.failed),
            sum(&output, |population| population.gave_up),
            output.summary.tcp.gave_up,
        ]
    };
    let parts = [of_window(0.0, 250.0), of_window(250.0, 600.0), of_window(600.0, 900.0)];
    assert!(parts.iter().all(|part| part.iter().all(|&count| count > 0)), "{parts:?}");
    let whole = of_window(0.0, 900.0);
    for what in 0..whole.len() {
        assert_eq!(parts.iter().map(|part| part[what]).sum::<u64>(), whole[what], "{parts:?} of {whole:?}");
    }
}
