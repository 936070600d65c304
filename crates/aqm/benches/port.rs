//! Nanoseconds per arrival and departure of each scheme: `cargo bench -p aqmlab-aqm`.
//!
//! A queue of 50 packets is held at its length while packets of mixed sizes come and go; the link time
//! between two packets makes timers tick as often as they would. Wall clock informs; instruction counts
//! compare one version with the next: run the program under `valgrind --tool=callgrind` with a number of
//! packets and the name of a scheme.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

use aqmlab_aqm::algorithms::{ared, drop_tail, pi, red, rem};
use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Queued, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use std::hint::black_box;
use std::time::Instant;

#[derive(Clone, Copy)]
struct Record {
    facts: PacketFacts,
}

impl Queued for Record {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
    }
}

const PACKETS: u64 = 4_000_000;
const ROUNDS: usize = 7;

/// How many different packets take turns.
const MIX: usize = 1 << 10;

/// Two thirds full ECN-capable segments, one third acknowledgements.
fn record(n: u64) -> Record {
    let is_ack = n % 3 == 0;
    let (bytes, class) = if is_ack { (40, PacketClass::PureAck) } else { (1500, PacketClass::Data) };
    let codepoint = if is_ack { Codepoint::NotEct } else { Codepoint::Ect0 };
    Record { facts: PacketFacts { flow: n % 500, bytes, codepoint, class } }
}

/// Nanoseconds per arrival with its departure, and the share of packets that was marked or dropped.
fn run(scheme: &Scheme, packets: u64) -> (f64, f64) {
    let facts = PortFacts::new(Rate::from_megabits_per_second(100.0));
    let mut port = Port::new(scheme, facts, Key::from_seed(1).stream());
    let mix: Vec<Record> = (0..MIX as u64).map(record).collect();
    let mut now = Time::ZERO;
    mix[..50].iter().for_each(|&packet| port.arrive(now, packet, &mut |_, _| {}));
    let start = Instant::now();
    for n in 0..packets {
        now += Span::from_microseconds(80);
        port.arrive(now, mix[n as usize % MIX], &mut |lost, _| {
            black_box(lost.facts.flow);
        });
        if port.packets() > 50 {
            let sent = port.depart(now, &mut |lost, _| {
                black_box(lost.facts.flow);
            });
            black_box(sent.map(|sent| sent.facts.flow));
        }
    }
    let nanoseconds = start.elapsed().as_nanos() as f64 / packets as f64;
    port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
    let counters = port.counters();
    let signals = counters.marks().total().packets + counters.all_discards().total().packets;
    (nanoseconds, signals as f64 / packets as f64)
}

fn main() {
    let limit_packets = Some(240);
    let schemes = [
        Scheme::DropTail(drop_tail::Params { limit_packets, ..drop_tail::Params::default() }),
        Scheme::Red(red::Params {
            limit_packets,
            min_th_packets: Some(30.0),
            max_th_packets: Some(90.0),
            ecn: true,
            ..red::Params::default()
        }),
        Scheme::Ared(ared::Params { limit_packets, ecn: true, ..ared::Params::default() }),
        Scheme::Pi(pi::Params { limit_packets, q_ref_packets: 50.0, ecn: true, ..pi::Params::default() }),
        Scheme::Rem(rem::Params { limit_packets, q_ref_packets: 50.0, ecn: true, ..rem::Params::default() }),
    ];
    println!("{:>10}  {:>26}  {:>8}", "scheme", "ns per arrival + departure", "signals");
    let arguments: Vec<String> = std::env::args().collect();
    let packets = arguments.iter().find_map(|argument| argument.parse().ok());
    let chosen = schemes
        .iter()
        .filter(|scheme| packets.is_none() || arguments.iter().any(|name| name == scheme.name()));
    for scheme in chosen {
        let rounds = if packets.is_some() { 1 } else { ROUNDS };
        let rounds: Vec<(f64, f64)> = (0..rounds).map(|_| run(scheme, packets.unwrap_or(PACKETS))).collect();
        let fastest = rounds.iter().fold(f64::INFINITY, |fastest, round| fastest.min(round.0));
        println!("{:>10}  {fastest:>26.1}  {:>7.2}%", scheme.name(), 100.0 * rounds[0].1);
    }
}
