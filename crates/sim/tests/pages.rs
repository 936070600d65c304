//! Today's pages over an idle link, round trip by round trip; and what a household of their readers makes of
//! a line.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{real, table, whole};

/// One reader, 100 ms from every server, over links that take no time worth counting; delayed
/// acknowledgements never hold anything that is waited for, because responses are shorter than a window.
const READER: &str = r#"
name = "reader"
duration_s = 200.0
[dumbbell]
rate_mbps = 100000.0
interface_rate_mbps = 100000.0
queue = { scheme = "drop-tail", limit_packets = 10000 }
[users]
left = 0
right = 1
start = "fresh"
model = { model = "pages", pages_file = "own.csv" }
profile = "rfc5681"
host = { initial_window_segments = 10, window_bytes = 1000000 }
minimum_delay_ms = { low = 100, high = 100 }
[record]
responses = "rows"
"#;

fn simulate(text: &str, seed: u64, overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// How many round trips the page of these lines takes, which is all that the reader loads.
#[track_caller]
fn round_trips(page: &str, settings: &str) -> f64 {
    let text = format!("{READER}\n[files]\n\"own.csv\" = \"\"\"\n{page}\"\"\"\n");
    let text = text.replace("pages_file = \"own.csv\"", &format!("pages_file = \"own.csv\", {settings}"));
    let output = simulate(&text, 1, &[]);
    let times = real(table(&output, "pages"), "page_load_time_s");
    assert!(times.len() > 1, "a page was loaded");
    let trips = times[0] / 0.1;
    assert!((trips - trips.round()).abs() < 0.05, "{trips}");
    trips.round()
}

const ROOT: &str = "0,0,0,500,1000\n";
const HTTP_1_1: &str = "http = \"1.1\", tls = \"1.3\"";
const HTTP_2: &str = "http = \"2\", tls = \"1.3\"";

#[test]
fn a_root_takes_a_round_trip_to_open_those_of_tls_and_its_own() {
    for (tls, trips) in [("none", 2.0), ("1.3", 3.0), ("1.2", 4.0)] {
        assert_eq!(round_trips(ROOT, &format!("tls = \"{tls}\"")), trips, "{tls}");
        assert_eq!(round_trips(ROOT, &format!("tls = \"{tls}\", http = \"1.1\"")), trips, "{tls}");
    }
}

#[test]
fn an_object_of_the_same_host_takes_one_more_and_one_of_another_host_three() {
    assert_eq!(round_trips(&format!("{ROOT}0,1,0,500,1000\n"), HTTP_2), 4.0);
    assert_eq!(round_trips(&format!("{ROOT}0,1,1,500,1000\n"), HTTP_2), 6.0);
    // And a wave behind that one more, on whichever host that is open.
    assert_eq!(round_trips(&format!("{ROOT}0,1,1,500,1000\n0,2,0,500,1000\n0,2,1,500,1000\n"), HTTP_2), 7.0);
}

#[test]
fn http_2_asks_for_everything_at_once_where_http_1_1_has_six_connections() {
    let objects = |count: usize| format!("{ROOT}{}", "0,1,0,500,100\n".repeat(count));
    // On the root's connection: a round trip. On five more: three.
    for (count, of_http_2, of_http_1_1) in [(1, 4.0, 4.0), (2, 4.0, 6.0), (6, 4.0, 6.0), (8, 4.0, 6.0)] {
        assert_eq!(round_trips(&objects(count), HTTP_2), of_http_2, "{count}");
        assert_eq!(round_trips(&objects(count), HTTP_1_1), of_http_1_1, "{count}");
    }
    // In three round trips the root's connection brings three, and the others one each: the ninth takes one
    // more.
    assert_eq!(round_trips(&objects(9), HTTP_1_1), 7.0);
}

/// The table of `docs/reference/models/fixed-page.md`: the root takes two round trips; then its connection
/// brings an object in each, and a new one its first in two.
#[test]
fn a_fixed_page_takes_the_round_trips_that_its_page_works_out() {
    for (objects, connections, trips) in
        [(1, 6, 2.0), (2, 6, 3.0), (3, 6, 4.0), (12, 6, 5.0), (50, 6, 11.0), (50, 1, 51.0)]
    {
        let model = format!(
            "{{ model = \"fixed-page\", objects_per_page = {objects}, parallel_connections = {connections} }}"
        );
        let output = simulate(READER, 1, &[("users.model", &model)]);
        let times = real(table(&output, "pages"), "page_load_time_s");
        assert!(times.len() > 2, "{} pages of {objects} objects", times.len());
        for time in times {
            assert!((time / 0.1 - trips).abs() < 0.05, "{objects} objects on {connections}: {time} s");
        }
    }
}

#[test]
fn a_small_object_does_not_wait_for_a_large_one_before_it() {
    // Asked for at once: when the second request arrives a window of the large response has left, and the
    // small one shares the next.
    let page = format!("{ROOT}0,1,0,500,2000000\n0,1,0,500,3000\n");
    let text = format!("{READER}\n[files]\n\"own.csv\" = \"\"\"\n{page}\"\"\"\n");
    let output = simulate(&text, 1, &[]);
    let responses = table(&output, "responses");
    assert_eq!(whole(responses, "response_bytes")[..3], [1000, 3000, 2_000_000]);
    let times = real(responses, "response_time_s");
    assert!((times[1] - 0.2).abs() < 0.005, "{}", times[1]);
    // Slow start from ten segments: 14,600 bytes double every round trip at most, 2 MB are the eighth's.
    assert!((0.7..1.3).contains(&times[2]), "{}", times[2]);
}

/// Thirty people in a house with a line of 20 Mbit/s.
const HOUSEHOLD: &str = r#"
name = "household"
duration_s = 300.0
warm_up_s = 60.0
[dumbbell]
rate_mbps = 20.0
rate_right_to_left_mbps = 2.0
interface_rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 256 }
[users]
left = 0
right = 30
model = { model = "pages" }
profile = "rfc5681"
host = { initial_window_segments = 10, window_bytes = 1000000 }
minimum_delay_ms = { low = 20, high = 80 }
"#;

#[test]
fn thirty_readers_load_a_line_of_twenty_megabits_as_their_pages_ask() {
    // A page of 4.6 MB and a thought of 52 s: 30 · 8 · 4.6 MB / (52 s + the page) is 21 Mbit/s for pages that
    // take no time, and 16 for pages that take 18 s.
    let busy = [1, 2, 3].map(|seed| simulate(HOUSEHOLD, seed, &[]).summary.links[0].busy_share);
    let mean = busy.iter().sum::<f64>() / 3.0;
    assert!((0.75..1.0).contains(&mean), "{busy:?}");
}

#[test]
fn pages_load_sooner_where_requests_do_not_wait_for_one_another() {
    let medians = ["\"1.1\"", "\"2\""].map(|http| {
        let model = format!("{{ model = \"pages\", http = {http} }}");
        let output = simulate(HOUSEHOLD, 1, &[("users.model", &model)]);
        let people = &output.summary.populations[1];
        assert_eq!(people.failed, 0);
        let mut times = real(table(&output, "pages"), "page_load_time_s").to_vec();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    assert!(medians[1] < medians[0], "{medians:?}");
}
