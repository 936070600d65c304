//! `docs/reference/results.md` lists every column that a run can leave behind, with its type, and every word
//! of a fixed list.

mod columns;

use aqmlab_aqm::{Codepoint, PacketClass};
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, table};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../docs/reference/results.md");

const EVERYTHING: &str = r#"
name = "everything"
duration_s = 5.0
[dumbbell]
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 20 }
queue_right_to_left = { scheme = "fq-codel" }
[users]
per_side = 100
[[flows]]
count = 1
direction = "left-to-right"
[[flows]]
profile = "linux6-cubic"
host = { congestion = "prague", ecn = "on", classic_ecn_fallback = true }
count = 1
bytes = 9000
direction = "left-to-right"
[[datagrams]]
count = 1
direction = "left-to-right"
packet_bytes = 100
rate_mbps = 0.1
[record]
responses = "rows"
arrivals = true
users = true
traffic = true
datagrams = true
traffic_interval_ms = 1000.0
flows = true
packets = true
queue_summary_interval_ms = 100.0
scheme_state_interval_ms = 100.0
"#;

fn everything() -> Output {
    let scenario = Scenario::from_toml(EVERYTHING, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The lines of the page below the heading of this name, up to the next heading.
fn section(name: &str) -> impl Iterator<Item = &'static str> {
    let heading = format!("### {name}");
    let below = PAGE.lines().skip_while(move |line| *line != heading).skip(1);
    below.take_while(|line| !line.starts_with('#'))
}

/// The words in backticks of the first cell of each line of a table, with the other cells.
fn listed(name: &str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut listed = BTreeMap::new();
    for line in section(name).filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        for key in cells[0].split('`').skip(1).step_by(2) {
            assert!(listed.insert(key, cells[1..].to_vec()).is_none(), "{name}: {key} stands there twice");
        }
    }
    listed
}

const fn type_of(values: &ColumnValues) -> &'static str {
    match values {
        ColumnValues::U8(_) => "uint8",
        ColumnValues::U32(_) => "uint32",
        ColumnValues::U64(_) => "uint64",
        ColumnValues::F32(_) => "float32",
        ColumnValues::F64(_) => "float64",
        ColumnValues::Names(_) => "name",
    }
}

fn types(table: &Table) -> BTreeMap<&'static str, &'static str> {
    table.columns.iter().map(|column| (column.name, type_of(&column.values))).collect()
}

#[test]
fn every_column_of_every_table_stands_on_the_page_with_its_type_and_no_other_does() {
    let output = everything();
    assert_eq!(output.tables.len(), 19, "every kind of table is recorded here");
    for table in &output.tables {
        let page: BTreeMap<_, _> =
            listed(table.name).into_iter().map(|(key, cells)| (key, cells[0])).collect();
        assert_eq!(page, types(table), "### {}", table.name);
    }
}

#[test]
fn every_word_that_a_packet_or_a_response_can_be_described_by_stands_on_the_page() {
    let words = |table: &str, column: &str, words: &[&str]| {
        let meaning = listed(table)[column][1];
        words.iter().for_each(|word| assert!(meaning.contains(&format!("`{word}`")), "{column}: {word}"));
    };
    words("packets", "class", &PacketClass::NAMES);
    words("packets", "codepoint", &Codepoint::NAMES);
    let output = everything();
    let mut seen = 0;
    for (of, column) in [("packets", "event"), ("packets", "sender"), ("responses", "object")] {
        let recorded = names(table(&output, of), column).names();
        words(of, column, &recorded.iter().map(String::as_str).collect::<Vec<_>>());
        seen += recorded.len();
    }
    assert_eq!(seen, 3 + 2 + 2);
}

#[test]
fn every_key_of_the_summary_stands_on_the_page_and_no_other_does() {
    let summary: serde_json::Value = serde_json::from_str(&everything().summary.to_json()).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for (heading, value) in [
        ("links[]", &summary["links"][0]),
        ("populations[]", &summary["populations"][0]),
        ("tcp", &summary["tcp"]),
    ] {
        let mut found: Vec<String> = keys(value);
        if let Some(counters) = value.get("counters") {
            found.retain(|key| key != "counters");
            found.extend(keys(counters).into_iter().map(|key| format!("counters.{key}")));
        }
        found.sort();
        let page: Vec<&str> = listed(heading).into_keys().collect();
        assert_eq!(page, found, "### {heading}");
    }
}
