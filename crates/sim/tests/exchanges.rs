//! Exchanges are counted as they end, each once, and all of them.

mod columns;

use aqmlab_record::{PopulationSummary, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{real, table, whole, words};
use std::collections::{BTreeMap, BTreeSet};

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

/// Exchanges started, from the rows of connections: those requested, and of each that requested none the one
/// for which it was opened.
fn started(output: &Output) -> u64 {
    let exchanges = words(table(output, "flows"), "exchanges");
    exchanges.iter().map(|&count| u64::from(count.max(1))).sum()
}

/// Connections on which nothing was requested by the end of the run and of which an end is open: the
/// browser's, or the server's alone after the browser has given up.
fn opening(output: &Output) -> u64 {
    let flows = table(output, "flows");
    let (exchanges, closed) = (words(flows, "exchanges"), real(flows, "closed_s"));
    exchanges.iter().zip(closed).filter(|(count, closed)| **count == 0 && closed.is_nan()).count() as u64
}

/// Which page a row belongs to.
fn page_of(table: &Table) -> Vec<(u64, u64, u64)> {
    let [population, user, page] = ["population", "user", "page"].map(|name| whole(table, name));
    population
        .into_iter()
        .zip(user)
        .zip(page)
        .map(|((population, user), page)| (population, user, page))
        .collect()
}

/// Pages are made of the exchanges that the table beside has: as many objects and bytes, and where nothing
/// failed the page ends with the last of them.
fn check_pages(output: &Output) {
    let (responses, pages) = (table(output, "responses"), table(output, "pages"));
    let mut of_pages: BTreeMap<(u64, u64, u64), (u64, u64, f64)> = BTreeMap::new();
    let rows = page_of(responses).into_iter().zip(whole(responses, "response_bytes"));
    for ((page, bytes), &completed) in rows.zip(real(responses, "completed_at_s")) {
        let sums = of_pages.entry(page).or_default();
        *sums = (sums.0 + 1, sums.1 + bytes, sums.2.max(completed));
    }
    let keys = page_of(pages);
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "a page has one row");
    let [objects, failed, ended, bytes] =
        ["objects", "failed_objects", "ended", "response_bytes"].map(|name| whole(pages, name));
    let (began, times) = (real(pages, "began_s"), real(pages, "page_load_time_s"));
    for (row, key) in keys.iter().enumerate() {
        let (count, sum, last) = of_pages.remove(key).unwrap_or_default();
        assert_eq!((objects[row], bytes[row]), (count, sum), "page {key:?}");
        let end = began[row] + times[row];
        assert!(last <= end + 1e-9, "page {key:?} ends before its last object");
        if ended[row] == 1 && failed[row] == 0 {
            assert!((end - last).abs() < 1e-9, "page {key:?} ends at {end}, its last object at {last}");
        } else if ended[row] == 0 {
            let duration = output.summary.measured_until_s;
            assert!((end - duration).abs() < 1e-9, "an unfinished page is seen to the end of the run");
        }
    }
    assert!(of_pages.is_empty(), "exchanges of no page: {of_pages:?}");
    assert_eq!(failed.iter().sum::<u64>(), sum(output, |population| population.failed));
    let asked = sum(output, |population| population.generated["pages"] as u64);
    // A page is generated with the request for its first object, before which its connection may fail.
    assert!(keys.len() as u64 >= asked && ended.contains(&0), "{} pages, {asked} asked for", keys.len());
    let histogram = table(output, "page_histogram");
    let mut counted = [0; 4];
    whole(histogram, "counted").into_iter().zip(whole(histogram, "count")).for_each(|(what, count)| {
        counted[usize::try_from(what).unwrap()] += count;
    });
    let pages = keys.len() as u64;
    let over = ended.iter().sum::<u64>();
    let nothing_came = whole(table(output, "pages"), "objects").into_iter().zip(&ended);
    let failed = nothing_came.filter(|&(objects, &ended)| objects == 0 && ended == 1).count() as u64;
    let loaded = over - failed;
    assert_eq!(counted, [loaded, loaded, pages - over, failed], "nothing was cut off this run");
}

/// Checks everything but how many exchanges fail with a connection, and answers with how many fail.
fn check_balance_of_any(output: &Output) -> u64 {
    check_pages(output);
    for population in &output.summary.populations {
        let whole = population.whole_run;
        assert_eq!(whole.started, whole.completed + whole.failed + population.unfinished);
        // Nothing was cut off this run, so that the window is all of it.
        assert_eq!((whole.completed, whole.failed), (population.completed, population.failed));
    }
    assert_eq!(sum(output, |population| population.whole_run.started), started(output));
    // Generated is what was requested, or failed before it could be: all but those for which a connection is
    // being opened.
    let objects = sum(output, |population| population.generated["objects"] as u64);
    assert!((started(output) - opening(output)..=started(output)).contains(&objects), "{objects}");
    let rows = table(output, "responses").rows() as u64;
    assert_eq!(sum(output, |population| population.completed), rows);
    let gave_up = sum(output, |population| population.gave_up);
    assert_eq!(gave_up, output.summary.tcp.gave_up, "a connection gives up once");
    assert!(gave_up <= output.summary.tcp.connections);
    let failed = sum(output, |population| population.failed);
    assert!(failed > 20 && rows > 500, "{failed} failed, {rows} completed");
    failed
}

/// The same where a connection carries one exchange at a time.
fn check_balance(output: &Output) {
    let failed = check_balance_of_any(output);
    assert!(failed <= output.summary.tcp.gave_up, "no exchange fails but with its connection");
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
fn several_exchanges_on_a_connection_are_counted_one_by_one() {
    for http in ["1.1", "2"] {
        for tls in ["none", "1.3"] {
            let model = format!(
                "{{ model = \"pages\", http = \"{http}\", tls = \"{tls}\", page_bytes_median = 50000 }}"
            );
            let pages = [("users.model", model.as_str()), ("users.left", "20"), ("users.right", "10")];
            check_balance_of_any(&simulate(&pages));
            let lossy = [
                pages[0],
                ("dumbbell.rate_mbps", "10"),
                ("dumbbell.loss_probability", "0.5"),
                ("dumbbell.loss_probability_right_to_left", "0.5"),
            ];
            check_balance_of_any(&simulate(&lossy));
        }
    }
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
