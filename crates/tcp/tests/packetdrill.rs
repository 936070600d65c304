//! What packetdrill's scripts state of Linux, as facts: the same situation, the segments that must leave and
//! when, and the windows. `packetdrill/README.md` says which scripts, and which not.

mod replay;

use aqmlab_units::Span;
use replay::judgement::Room;
use replay::recording::{Recording, recordings};

/// Scripts allow 4 ms, timers of kernels of other interrupts fire up to an eighth of their wait later.
const ROOM: Room = Room { least: Span::from_milliseconds(12), percent_of_silence: 13 };

const FILES: [&str; 14] = [
    include_str!("packetdrill/blocking.txt"),
    include_str!("packetdrill/close.txt"),
    include_str!("packetdrill/cubic.txt"),
    include_str!("packetdrill/cwnd_moderation.txt"),
    include_str!("packetdrill/ecn.txt"),
    include_str!("packetdrill/fast_recovery.txt"),
    include_str!("packetdrill/fast_retransmit.txt"),
    include_str!("packetdrill/limited_transmit.txt"),
    include_str!("packetdrill/mss.txt"),
    include_str!("packetdrill/nagle.txt"),
    include_str!("packetdrill/sack.txt"),
    include_str!("packetdrill/shutdown.txt"),
    include_str!("packetdrill/slow_start.txt"),
    include_str!("packetdrill/ts_recent.txt"),
];
const SCRIPTS: usize = 48;

/// What is not as the facts say.
fn difference(fact: &Recording<'_>) -> Option<String> {
    let replay = fact.replay_within(ROOM);
    let name = format!("{}/{}", fact.group, fact.number);
    match replay.window {
        _ if !replay.verdict.is_identical() => Some(format!("{name}: {}", replay.verdict)),
        Some((at, stated, ours)) => Some(format!("{name}: window {stated} at {at:?}, ours {ours}")),
        None => None,
    }
}

#[test]
fn facts_hold() {
    let facts = FILES.iter().flat_map(|text| recordings(text));
    let found: Vec<String> = facts.filter_map(|fact| difference(&fact)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_script_is_there_once() {
    let mut scripts: Vec<&str> =
        FILES.iter().flat_map(|text| recordings(text)).map(|fact| fact.number).collect();
    scripts.sort_unstable();
    scripts.dedup();
    assert_eq!(scripts.len(), SCRIPTS);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/packetdrill");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "txt"));
    assert_eq!(files.count(), FILES.len());
}
