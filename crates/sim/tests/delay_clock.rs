//! Packets whose delay a tick of their machine's kernel clock ends.

mod columns;

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use columns::{labels, real, words};
use std::collections::BTreeMap;

const TEXT: &str = r#"
name = "ticks"
duration_s = 30.0
[dumbbell]
rate_mbps = 100.0
queue = { scheme = "drop-tail", limit_packets = 1000 }
browser_machines_per_side = 1
server_machines_per_side = 1
[users]
left = 200
right = 0
minimum_delay_ms = { low = 10, high = 50, clock_hz = 100 }
[record]
packets = true
"#;

/// Nanoseconds of a tick of 100 Hz.
const TICK: u64 = 10_000_000;

fn packets(overrides: &[(&str, &str)], seed: u64) -> Table {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(TEXT, "ticks", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    output.tables.into_iter().find(|table| table.name == "packets").expect("packets were asked for")
}

/// Arrivals at the bottleneck of what the browsers' machine sent: instants in nanoseconds, and IP bytes.
fn from_browsers(table: &Table) -> Vec<(u64, u64)> {
    let (times, bytes) = (real(table, "time_s"), words(table, "ip_bytes"));
    let (event, sender) = (labels(table, "event"), labels(table, "sender"));
    let rows = (0..times.len()).filter(|&row| (event[row], sender[row]) == ("arrival", "active"));
    rows.map(|row| ((times[row] * 1e9).round() as u64, u64::from(bytes[row]))).collect()
}

/// Nanoseconds that a datagram takes at 100 Mbit/s: a frame of 64 bytes at least with 18 of its own, and 20
/// around it.
fn transmission(ip_bytes: u64) -> u64 {
    80 * ((ip_bytes + 18).max(64) + 20)
}

#[test]
fn what_a_tick_releases_leaves_at_once_and_at_the_interfaces_rate() {
    let arrivals = from_browsers(&packets(&[], 1));
    assert!(arrivals.len() > 2_000, "{}", arrivals.len());
    let (first, bytes) = arrivals[0];
    let phase = (first - transmission(bytes)) % TICK;
    let mut batches: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for (instant, bytes) in arrivals {
        batches.entry((instant - phase - 1) / TICK).or_default().push((instant, bytes));
    }
    for (tick, batch) in &batches {
        let mut leaves = tick * TICK + phase;
        for &(instant, bytes) in batch {
            leaves += transmission(bytes);
            assert!(instant.abs_diff(leaves) <= 1, "tick {tick}: {instant}, not {leaves}");
        }
    }
    let most = batches.values().map(Vec::len).max().unwrap_or(0);
    assert!(most >= 4, "at most {most} packets in a batch");
}

#[test]
fn machines_and_seeds_have_phases_of_their_own() {
    let phase = |seed| {
        let (instant, bytes) = from_browsers(&packets(&[("duration_s", "5.0")], seed))[0];
        (instant - transmission(bytes)) % TICK
    };
    let phases = [1, 2, 3].map(phase);
    assert!(phases[0] != phases[1] && phases[1] != phases[2], "{phases:?}");
    let two = [("duration_s", "5.0"), ("dumbbell.browser_machines_per_side", "2")];
    let mut offsets: Vec<u64> = from_browsers(&packets(&two, 1))
        .iter()
        .map(|&(at, bytes)| (at - transmission(bytes)) % TICK)
        .collect();
    offsets.sort_unstable();
    // The first packets of two machines' batches; behind them others within the time of a batch.
    assert!(offsets.windows(2).any(|pair| pair[1] - pair[0] > TICK / 50), "{offsets:?}");
}

#[test]
fn a_clock_whose_ticks_are_no_longer_than_a_packet_delays_as_without_one() {
    let exact =
        from_browsers(&packets(&[("duration_s", "5.0"), ("users.minimum_delay_ms.clock_hz", "0")], 1));
    let fine =
        from_browsers(&packets(&[("duration_s", "5.0"), ("users.minimum_delay_ms.clock_hz", "1000000")], 1));
    // The first packet of a run meets nobody: a tick of 1 us may come that much earlier.
    let (exact, fine) = (exact[0].0, fine[0].0);
    assert!(fine <= exact && exact - fine <= 1_000, "{exact} {fine}");
}
