//! What it costs to record one completed exchange, without rows and with them. `tools/bench/program.rs` says
//! how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_record::{Completion, Responses, Rows};
use aqmlab_units::{Span, Time};
use program::Case;
use std::hint::black_box;

/// Exchange number `n`: sizes and times over all bins that matter, by a multiplicative walk.
fn completion(n: u64) -> Completion {
    let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Completion {
        completed_at: Time::from_nanoseconds(n * 1_000_000),
        response_time: Span::from_microseconds(20_000 + scattered % 2_000_000),
        request_bytes: 350,
        response_bytes: 1 + scattered % 100_000,
        population: (n % 2) as u16,
        connection: n as u32,
        user: (scattered % 10_000) as u32,
        page: (n / 5) as u32,
        embedded: n % 5 != 0,
        first_on_connection: n % 2 == 0,
    }
}

fn record(rows: Rows, count: u64) -> u64 {
    let mut responses = Responses::new(2, rows);
    for n in 0..count {
        responses.record(&completion(n));
    }
    black_box(responses).total()
}

fn main() {
    program::run(&[
        Case::new("completed exchange, histograms", |count| record(Rows::None, count)),
        Case::new("completed exchange, with a row", |count| record(Rows::All, count)),
    ]);
}
