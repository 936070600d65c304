//! What an arrival with its departure costs under each registered scheme: one case per scheme, taken from the
//! registry with its default parameters and with ECN where it has ECN.
//!
//! So that every scheme works where it wants to work, the load answers to it: the packets of one source come
//! a little faster one after the other, and slower after each mark or loss, as those of TCP do. The queue
//! swings, and 1 to 3 % of the packets are signals or overflows. `tools/bench/program.rs` says how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Queued, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use program::Case;
use schemars::json_schema;
use serde::Deserialize;

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

const LINK_MEGABITS_PER_SECOND: f64 = 100.0;
const NANOSECONDS_PER_BYTE: u64 = 80;
const LIMIT_PACKETS: u64 = 240;

/// How many different packets take turns.
const MIX: usize = 1 << 10;

/// Time between two arrivals, in nanoseconds; the mean packet of the mix takes the link 81,000.
const FIRST_GAP: u64 = 81_000;
const LEAST_GAP: u64 = 40_000;
const GREATEST_GAP: u64 = 400_000;

/// Two thirds full ECN-capable segments, one third acknowledgements.
fn record(n: u64) -> Record {
    let is_ack = n % 3 == 0;
    let (bytes, class) = if is_ack { (40, PacketClass::PureAck) } else { (1500, PacketClass::Data) };
    let codepoint = if is_ack { Codepoint::NotEct } else { Codepoint::Ect0 };
    Record { facts: PacketFacts { flow: n % 500, bytes, codepoint, class } }
}

/// The scheme with this name, its parameters at their defaults.
fn scheme(name: &str) -> Scheme {
    let schema = Scheme::parameter_schema(name).expect("a registered name");
    let keys = schema.get("properties").and_then(|keys| keys.as_object()).expect("parameters");
    // The JSON object that the crate's dependencies bring along.
    let mut table = json_schema!({ "scheme": name, "limit_packets": LIMIT_PACKETS });
    if keys.contains_key("ecn") {
        table.insert("ecn".to_owned(), true.into());
    }
    Scheme::deserialize(table.to_value())
        .unwrap_or_else(|error| panic!("{name}: a limit is all that a scheme may ask for: {error}"))
}

/// One source, one port, one link.
struct Bottleneck {
    port: Port<Record>,
    gap: u64,
    /// When the link has sent what it is sending; `Time::MAX` when it is idle.
    free_at: Time,
}

impl Bottleneck {
    fn new(scheme: &Scheme) -> Self {
        let facts = PortFacts::new(Rate::from_megabits_per_second(LINK_MEGABITS_PER_SECOND));
        let port = Port::new(scheme, facts, Key::from_seed(1).stream());
        Self { port, gap: FIRST_GAP, free_at: Time::MAX }
    }

    fn arrive(&mut self, now: Time, packet: Record) {
        self.send_until(now);
        let mut lost = false;
        self.port.arrive(now, packet, &mut |_, _| lost = true);
        self.gap = if lost { slower(self.gap) } else { faster(self.gap) };
        if self.free_at == Time::MAX {
            self.free_at = now;
            self.send_until(now);
        }
    }

    /// Sends what the link has time for.
    fn send_until(&mut self, now: Time) {
        while self.free_at <= now {
            let mut signalled = false;
            let sent = self.port.depart(self.free_at, &mut |_, _| signalled = true);
            self.free_at = match sent {
                Some(packet) => {
                    signalled |= packet.facts.codepoint == Codepoint::Ce;
                    let busy = u64::from(packet.facts.bytes) * NANOSECONDS_PER_BYTE;
                    self.free_at + Span::from_nanoseconds(busy)
                }
                None => Time::MAX,
            };
            if signalled {
                self.gap = slower(self.gap);
            }
        }
    }
}

/// By a 512th: with the step of [`slower`] this balances a share of signals of 1.6 %.
fn faster(gap: u64) -> u64 {
    (gap - (gap >> 9)).max(LEAST_GAP)
}

fn slower(gap: u64) -> u64 {
    (gap + (gap >> 3)).min(GREATEST_GAP)
}

fn arrivals(scheme: &Scheme, count: u64) -> u64 {
    let mut bottleneck = Bottleneck::new(scheme);
    let mix: Vec<Record> = (0..MIX as u64).map(record).collect();
    let mut now = Time::ZERO;
    for n in 0..count {
        now += Span::from_nanoseconds(bottleneck.gap);
        bottleneck.arrive(now, mix[n as usize % MIX]);
    }
    bottleneck.port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
    count
}

/// A filter in front of a scheme that signals early: what it costs beside that scheme alone.
fn guarded(guard: &str, inner: &str) -> Case {
    let table = json_schema!({
        "scheme": guard,
        "limit_packets": LIMIT_PACKETS,
        "inner": { "scheme": inner, "ecn": true },
    });
    let scheme = Scheme::deserialize(table.to_value()).unwrap_or_else(|error| panic!("{guard}: {error}"));
    Case::new(format!("{guard} over {inner}"), move |count| arrivals(&scheme, count))
}

fn main() {
    let case = |name: &&'static str| {
        let scheme = scheme(name);
        Case::new(*name, move |count| arrivals(&scheme, count))
    };
    let guards = ["arc", "red", "pie"].map(|inner| guarded("sfg", inner));
    program::run(&Scheme::names().iter().map(case).chain(guards).collect::<Vec<_>>());
}
