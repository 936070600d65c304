//! Videos over a line: the table of their segments, and what becomes of it on links that can be worked out.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, real, table, whole};
use std::collections::BTreeSet;

/// Two viewers who share 20 Mbit/s, 20 ms from their servers; and one reader.
const VIEWERS: &str = r#"
name = "viewers"
duration_s = 120.0
warm_up_s = 60.0
[dumbbell]
rate_mbps = 20.0
queue = { scheme = "drop-tail", limit_packets = 100 }
[users]
left = 0
right = 1
model = { model = "fixed-page", objects_per_page = 1 }
profile = "linux6-cubic"
[[populations]]
name = "tv"
browsers = "browsers-right"
servers = "servers-left"
count = 2
model = { model = "video-streaming" }
profile = "linux6-cubic"
minimum_delay_ms = { low = 20, high = 20 }
[record]
responses = "rows"
"#;

fn simulate(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(VIEWERS, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn on_a_line_with_room_each_viewer_gets_the_highest_bit_rate_a_segment_every_three_seconds() {
    let output = simulate(&[]);
    let segments = table(&output, "video_segments");
    let bytes = whole(segments, "bytes");
    let late: Vec<usize> =
        (0..segments.rows()).filter(|&row| real(segments, "requested_at_s")[row] > 60.0).collect();
    // Two viewers for 60 s.
    assert!((39..=41).contains(&late.len()), "{}", late.len());
    assert!(late.iter().all(|&row| bytes[row] == 2_250_000 || row + 2 >= segments.rows()));
    // 18 Mbit are on the way for a second at least, and both together for less than two.
    let times = late.iter().take(late.len() - 2).map(|&row| real(segments, "download_time_s")[row]);
    assert!(times.into_iter().all(|seconds| (0.9..2.5).contains(&seconds)));
}

#[test]
fn a_segment_is_no_page_and_no_response_and_counts_as_an_exchange() {
    let output = simulate(&[]);
    let populations = |name| {
        let codes = names(table(&output, name), "population").codes();
        codes.iter().copied().collect::<BTreeSet<u32>>()
    };
    let of_viewers = populations("video_segments");
    assert_eq!(of_viewers.len(), 1);
    for name in ["pages", "responses"] {
        assert!(!populations(name).is_empty() && populations(name).is_disjoint(&of_viewers), "{name}");
    }
    let tv = output.summary.populations.iter().find(|group| group.name == "tv").unwrap();
    let arrived = real(table(&output, "video_segments"), "requested_at_s")
        .iter()
        .zip(real(table(&output, "video_segments"), "download_time_s"))
        .filter(|(began, took)| (60.0..120.0).contains(&(*began + *took)))
        .count();
    // Those under way at the end are in the table too, at the end.
    let under_way = usize::try_from(tv.completed).unwrap();
    assert!(arrived >= under_way && arrived - under_way <= 2, "{arrived} {under_way}");
}

#[test]
fn without_viewers_there_is_no_table_of_segments() {
    let output = simulate(&[("populations.0.model", "{ model = \"fixed-page\" }")]);
    assert!(output.tables.iter().all(|table| table.name != "video_segments"));
}

#[test]
fn viewers_are_never_met_within_a_video() {
    let stationary = [("populations.0.start".to_owned(), "\"stationary\"".to_owned())];
    let wrong = Scenario::from_toml(VIEWERS, "test", &stationary).unwrap_err().to_string();
    assert!(wrong.contains("viewers begin their videos in the run"), "{wrong}");
    assert!(wrong.contains("legal: \"steady\" or \"fresh\""), "{wrong}");
}
