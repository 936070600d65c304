//! What an arrival with its departure costs under RED: the built-in one, and the same in C behind the table
//! of functions (`examples/my_red.c`, which a C compiler makes a library of). `tools/bench/program.rs` says
//! how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_aqm::conformance::TestPacket;
use aqmlab_aqm::{Codepoint, Port, PortFacts, Scheme, register_declared};
use aqmlab_plugin::load_library;
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use program::Case;
use serde::Deserialize as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const RATE_MBPS: f64 = 100.0;
const BYTES: u32 = 1_000;
const TRANSMISSION_NS: u64 = 80_000;

/// Registers RED in C.
fn compiled() -> &'static str {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = tempfile::Builder::new().suffix(".so").tempfile().expect("a file");
    let status = Command::new("cc")
        .args(["-O2", "-ffp-contract=off", "-shared", "-fPIC", "-I"])
        .arg(root.join("python/aqmlab/schemes"))
        .arg(root.join("examples/my_red.c"))
        .arg("-o")
        .arg(library.path())
        .arg("-lm")
        .status();
    assert!(status.expect("a C compiler").success());
    let bytes = std::fs::read(library.path()).expect("a library");
    let declared = load_library(&bytes, "my_red", "my_red").expect("a scheme");
    register_declared("red in C", Arc::new(declared)).expect("a new name");
    "red in C"
}

/// One source that comes a little faster after every packet, and slower after every loss, as TCP does.
fn arrivals(scheme: &Scheme, count: u64) -> u64 {
    let facts = PortFacts::new(Rate::from_megabits_per_second(RATE_MBPS));
    let mut port = Port::new(scheme, facts, Key::from_seed(1).stream());
    let (mut now, mut free_at, mut gap) = (Time::ZERO, Time::MAX, TRANSMISSION_NS);
    for id in 0..count {
        now += Span::from_nanoseconds(gap);
        let mut lost = false;
        while free_at <= now {
            let at = free_at;
            let sent = port.depart(at, &mut |_, _| lost = true);
            free_at = sent.map_or(Time::MAX, |_| at + Span::from_nanoseconds(TRANSMISSION_NS));
        }
        port.arrive(now, TestPacket::data(id, BYTES, Codepoint::NotEct), &mut |_, _| lost = true);
        gap = if lost { gap + (gap >> 3) } else { gap - (gap >> 9) };
        if free_at == Time::MAX {
            free_at = now;
        }
    }
    port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
    count
}

fn main() {
    let case = |name: &'static str| {
        let table = serde_json::json!({ "scheme": name, "limit_packets": 100, "min_th_packets": 5, "max_th_packets": 15 });
        let scheme = Scheme::deserialize(table).unwrap_or_else(|error| panic!("{name}: {error}"));
        Case::new(name, move |count| arrivals(&scheme, count))
    };
    program::run(&[case("red"), case(compiled())]);
}
