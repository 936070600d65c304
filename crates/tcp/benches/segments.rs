//! What TCP costs per segment: one bulk transfer without loss, both ends, per profile. The pipe between them is a
//! first-in first-out ring with a fixed delay, whose cost is measured by itself and reported beside.
//!
//! `cargo bench -p aqmlab-tcp`. Wall clock informs; it does not gate.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark measures and reports")]

use aqmlab_tcp::{Context, Endpoint, HostProfile, Outbox, Segment};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

const SEGMENTS: u64 = 10_000_000;
const ONE_WAY: Span = Span::from_milliseconds(20);

struct Arrival {
    at: Time,
    to_server: bool,
    segment: Segment,
}

/// Sends data from the client until so many segments have arrived somewhere. Answers how many.
fn transfer(profile: &HostProfile, segments: u64) -> u64 {
    let context = Context { profile, clock: profile.clock(Span::ZERO) };
    let mut ends = [Endpoint::active(), Endpoint::passive()];
    let mut out = Outbox::new();
    let mut pipe = VecDeque::new();
    let mut arrived = 0;
    let mut now = Time::ZERO;
    ends[0].connect(now, &context, &mut out);
    ends[0].write_unlimited(now, &context, &mut out);
    send(&mut pipe, now, true, &mut out);
    while arrived < segments {
        let timer = ends[0].deadline().min(ends[1].deadline());
        if pipe.front().is_none_or(|arrival: &Arrival| arrival.at > timer) {
            now = timer;
            for (end, endpoint) in ends.iter_mut().enumerate() {
                endpoint.on_timer(now, &context, &mut out);
                send(&mut pipe, now, end == 0, &mut out);
            }
            continue;
        }
        if let Some(arrival) = pipe.pop_front() {
            now = arrival.at;
            arrived += 1;
            let end = usize::from(arrival.to_server);
            ends[end].on_segment(now, &context, &arrival.segment, false, &mut out);
            send(&mut pipe, now, end == 0, &mut out);
        }
    }
    arrived
}

fn send(pipe: &mut VecDeque<Arrival>, now: Time, to_server: bool, out: &mut Outbox) {
    for &segment in &out.segments {
        pipe.push_back(Arrival { at: now + ONE_WAY, to_server, segment });
    }
    out.clear();
}

/// The same traffic through the pipe without TCP.
fn pipe_alone(segments: u64) -> u64 {
    let segment = Segment {
        sequence: aqmlab_tcp::SequenceNumber::INITIAL,
        acknowledgement: aqmlab_tcp::SequenceNumber::INITIAL,
        payload: 1460,
        flags: aqmlab_tcp::Flags::ACK,
        ect: false,
    };
    let mut out = Outbox::new();
    let mut pipe = VecDeque::new();
    out.segments.extend([segment; 12]);
    send(&mut pipe, Time::ZERO, true, &mut out);
    let mut arrived = 0;
    while arrived < segments {
        if let Some(arrival) = pipe.pop_front() {
            arrived += 1;
            out.segments.push(black_box(arrival.segment));
            send(&mut pipe, arrival.at, !arrival.to_server, &mut out);
        }
    }
    arrived
}

fn report(name: &str, mut run: impl FnMut() -> u64) {
    // The least of five: everything else is the machine's noise.
    let nanoseconds = (0..5)
        .map(|_| {
            let start = Instant::now();
            let segments = black_box(run());
            start.elapsed().as_nanos() as f64 / segments as f64
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:12} {nanoseconds:6.1} ns per segment");
}

fn main() {
    report("pipe alone", || pipe_alone(SEGMENTS));
    for name in HostProfile::NAMES {
        let profile = HostProfile::named(name).expect("a named profile");
        report(name, || transfer(&profile, SEGMENTS));
    }
}
