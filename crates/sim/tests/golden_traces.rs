//! Golden traces: every packet at every queue, and every table, of small runs per scheme, as a digest each.
//!
//! They guard what no other test does: that a change of the engine's data structures changes nothing at all,
//! not even the order of packets that arrive in the same nanosecond. A digest may change only together with a
//! model; then `AQMLAB_UPDATE_GOLDEN_TRACES=1 cargo test -p aqmlab-sim --test golden_traces` writes the new
//! ones, and the commit says which model changed, and why.

mod golden;

use aqmlab_aqm::Scheme;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use golden::Digest;
use std::fmt::Write as _;

const USERS: &str = r#"
name = "users"
duration_s = 20.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 5.0
queue = { scheme = "drop-tail", limit_packets = 60 }
transmit_ring_packets = 4
[users]
per_side = 450
[record]
responses = "rows"
packets = true
flows = true
arrivals = true
"#;

const FLOWS: &str = include_str!("../../../tests/crosscheck/scenario.toml");
const DATAGRAMS: &str = include_str!("golden/datagrams.toml");

fn digest_of(text: &str, overrides: &[(String, String)]) -> u64 {
    let scenario = Scenario::from_toml(text, "golden", overrides).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, 11, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut digest = Digest::EMPTY;
    // The counts of single queues are in golden_tables.txt.
    let tables = output.tables.iter().filter(|table| table.name != "queues");
    tables.for_each(|table| digest.add_table(table));
    digest.value()
}

fn digests() -> String {
    let mut text = String::new();
    for scheme in Scheme::names() {
        let queue = format!("{{ scheme = \"{scheme}\", limit_packets = 60 }}");
        let users = [("dumbbell.queue".to_owned(), queue.clone())];
        let flows = [
            ("topology.links.1.queue".to_owned(), queue),
            ("duration_s".to_owned(), "12.0".to_owned()),
            ("warm_up_s".to_owned(), "2.0".to_owned()),
            ("record.packets".to_owned(), "true".to_owned()),
        ];
        let _ = writeln!(text, "{scheme} users {:016x}", digest_of(USERS, &users));
        let _ = writeln!(text, "{scheme} flows {:016x}", digest_of(FLOWS, &flows));
    }
    for scheme in ["drop-tail", "fq-codel"] {
        let queue = format!("{{ scheme = \"{scheme}\", limit_packets = 60 }}");
        let overrides =
            [("topology.links.2.queue".to_owned(), queue), ("record.packets".to_owned(), "true".to_owned())];
        let _ = writeln!(text, "{scheme} datagrams {:016x}", digest_of(DATAGRAMS, &overrides));
    }
    let lighter = "page_bytes_median = 100000, objects_per_page_median = 20, think_time_median_seconds = 3";
    for http in ["1.1", "2"] {
        let model = format!("{{ model = \"pages\", http = \"{http}\", {lighter} }}");
        let overrides = [
            ("users.model".to_owned(), model),
            ("users.start".to_owned(), "\"stationary\"".to_owned()),
            ("users.per_side".to_owned(), "40".to_owned()),
        ];
        let _ = writeln!(text, "drop-tail pages {http} {:016x}", digest_of(USERS, &overrides));
    }
    let trace = "{ \"own.trace\" = \"0\\n0\\n1\\n9\\n10\\n20\\n20\\n21\\n24\\n\" }";
    let overrides = [
        ("files".to_owned(), trace.to_owned()),
        ("dumbbell.rate_trace_file".to_owned(), "\"own.trace\"".to_owned()),
        ("dumbbell.rate_mbps".to_owned(), "4.512".to_owned()),
    ];
    let _ = writeln!(text, "drop-tail trace {:016x}", digest_of(USERS, &overrides));
    text
}

#[test]
fn every_packet_is_where_it_was() {
    golden::hold_against("golden_traces.txt", &digests());
}
