//! Golden traces: every packet at every queue, and every table, of one small run per scheme, as a digest.
//!
//! They guard what no other test does: that a change of the engine's data structures changes nothing at all, not
//! even the order of packets that arrive in the same nanosecond. A digest may change only together with a model; then
//! `AQMLAB_UPDATE_GOLDEN_TRACES=1 cargo test -p aqmlab-sim --test golden_traces` writes the new ones, and the commit
//! says which model changed, and why.

use aqmlab_aqm::Scheme;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use std::fmt::Write as _;
use std::path::Path;

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

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_table(&mut self, table: &Table) {
        self.add(table.name.as_bytes());
        for column in &table.columns {
            self.add(column.name.as_bytes());
            match &column.values {
                ColumnValues::U8(values) => self.add(values),
                ColumnValues::U32(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::U64(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::F32(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::F64(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
            }
        }
    }
}

fn digest_of(text: &str, overrides: &[(String, String)]) -> u64 {
    let scenario = Scenario::from_toml(text, "golden", overrides).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, 11, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    output.tables.iter().for_each(|table| digest.add_table(table));
    digest.0
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
    text
}

#[test]
#[allow(clippy::disallowed_methods)] // asks whether to write new digests, nothing that a run depends on
fn every_packet_is_where_it_was() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_traces.txt");
    let found = digests();
    if std::env::var_os("AQMLAB_UPDATE_GOLDEN_TRACES").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&found), lines(&committed), "scheme, scenario, digest of all tables");
}
