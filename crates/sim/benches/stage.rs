//! What a queue costs by itself, without events: the packets that came to the bottleneck of 10,000 users in a
//! run, in their order, walked through the same queue and link again.
//!
//! `cargo bench -p aqmlab-sim --bench stage [-- SCHEME]`, with `drop-tail` (also without a scheme) or `red`.
//! One line of JSON per walk:
//!
//! | walk | what a packet does |
//! | --- | --- |
//! | `link` | [`Link::predict`], as in a run where departures are predicted: port, scheme, counters, clock |
//! | `list` | the same, and the packet with its departure is added to a list of the window, for the next stage |
//! | `bare` | drop-tail alone by Lindley's recursion over a ring of departures, with the same list and a count of bytes: less than any table needs |
//!
//! Under drop-tail the departures of the walk are those of the run, to the nanosecond; this is checked first.
//! The least of several walks is printed, and the middle one.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark reads a clock and prints")]

use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Queued, Scheme};
use aqmlab_link::{Framing, Link, Serializer, ServiceModel};
use aqmlab_random::Key;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use aqmlab_units::{Rate, Time};
use serde::Deserialize;
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

const USERS: u32 = 10_000;
const SECONDS: &str = "20.0";
const LIMIT_PACKETS: u32 = 140;
const RATE_MBPS: f64 = 58.356;
/// Ethernet's, as the links of a scenario have it.
const FRAMING: Framing =
    Framing { overhead_bytes: 18, minimum_frame_bytes: 64, gap_bytes: 20, ..Framing::NONE };
/// The window of a stage: the least delay of this network's loop.
const WINDOW_NS: u64 = 10_000_000;
const WALKS: usize = 31;

/// As large as a packet of the simulator.
#[derive(Clone, Copy)]
struct Record {
    facts: PacketFacts,
    _rest: u64,
}

impl Queued for Record {
    #[inline(always)]
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let name = words.first().map_or("drop-tail", String::as_str);
    let scheme = scheme(name);
    let packets = recorded(name);
    let arrivals = of_event(&packets, "arrival");
    if name == "drop-tail" {
        check(&arrivals, &of_event(&packets, "departure"), &scheme);
    }
    report(name, "link", arrivals.len(), || walk(&arrivals, &scheme, |_, _| {}));
    let mut list = Vec::with_capacity(arrivals.len());
    report(name, "list", arrivals.len(), || windows(&arrivals, &scheme, &mut list));
    if name == "drop-tail" {
        report(name, "bare", arrivals.len(), || bare(&arrivals, &mut list));
    }
}

/// The packets of a run, as the simulator records them.
fn recorded(name: &str) -> Table {
    let text = format!(
        "name = \"stage\"\nduration_s = {SECONDS}\nwarm_up_s = 0.0\n[dumbbell]\nrate_mbps = {RATE_MBPS:?}\n\
         queue = {{ scheme = \"{name}\", limit_packets = {LIMIT_PACKETS} }}\ninterface_rate_mbps = 1000.0\n\
         [users]\nper_side = {}\n[record]\nresponses = \"histogram\"\npackets = true\n",
        USERS / 2
    );
    let scenario = Scenario::from_toml(&text, "stage", &[]).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    output.tables.into_iter().find(|table| table.name == "packets").expect("packets are recorded")
}

/// What happened at the link of the first row, in the order in which it did.
fn of_event(table: &Table, event: &str) -> Vec<(Time, Record)> {
    let column = |name| &table.columns.iter().find(|column| column.name == name).expect("a column").values;
    let names = |name| match column(name) {
        ColumnValues::Names(names) => names,
        other => panic!("names, not {other:?}"),
    };
    let numbers = |name| match column(name) {
        ColumnValues::U32(numbers) => numbers,
        other => panic!("numbers, not {other:?}"),
    };
    let ColumnValues::F64(times) = column("time_s") else { panic!("times in seconds") };
    let link = names("link").codes()[0];
    let (links, events) = (names("link").codes(), names("event"));
    let (classes, codepoints) = (names("class").codes(), names("codepoint").codes());
    let (bytes, connections) = (numbers("ip_bytes"), numbers("connection"));
    let rows = events.iter().enumerate().filter(|(row, of)| *of == Some(event) && links[*row] == link);
    rows.map(|(row, _)| {
        let facts = PacketFacts {
            flow: u64::from(connections[row]) << 1,
            bytes: bytes[row],
            codepoint: Codepoint::ALL[codepoints[row] as usize],
            class: PacketClass::ALL[classes[row] as usize],
        };
        (Time::from_nanoseconds((times[row] * 1e9).round() as u64), Record { facts, _rest: 0 })
    })
    .collect()
}

fn scheme(name: &str) -> Scheme {
    let table = schemars::json_schema!({ "scheme": name, "limit_packets": LIMIT_PACKETS });
    Scheme::deserialize(table.to_value()).unwrap_or_else(|error| panic!("{error}"))
}

fn rate() -> Rate {
    Rate::from_megabits_per_second(RATE_MBPS)
}

fn link(scheme: &Scheme) -> Link<Record> {
    let port = Port::new(scheme, PortFacts::new(rate()), Key::from_seed(1).stream());
    Link::new(port, (&ServiceModel::Constant, Key::from_seed(1)), rate(), FRAMING, 0)
}

/// Each arrival through the queue, with the departure of what is not discarded.
fn walk(arrivals: &[(Time, Record)], scheme: &Scheme, mut sent: impl FnMut(Time, Record)) -> u64 {
    let (mut link, mut lost) = (link(scheme), 0);
    for &(now, packet) in arrivals {
        if let Some((packet, departure)) = link.predict(now, packet, &mut |_, _| lost += 1) {
            sent(departure, packet);
        }
    }
    lost
}

/// The same, window by window, into the list that the next stage would find.
fn windows(arrivals: &[(Time, Record)], scheme: &Scheme, list: &mut Vec<(Time, Record)>) -> u64 {
    let mut until = WINDOW_NS;
    walk(arrivals, scheme, |departure, packet| {
        if departure.nanoseconds() >= until {
            until += WINDOW_NS;
            black_box(&mut *list).clear();
        }
        list.push((departure, packet));
    })
}

/// Drop-tail and nothing else: a packet is queued if fewer than the limit wait, and leaves when all before it
/// have left.
fn bare(arrivals: &[(Time, Record)], list: &mut Vec<(Time, Record)>) -> u64 {
    let mut clock = Serializer::new(rate(), FRAMING);
    let mut begins: VecDeque<Time> = VecDeque::with_capacity(2 * LIMIT_PACKETS as usize);
    let (mut lost, mut bytes, mut until, mut free) = (0, [[0_u64; 8]; 4], WINDOW_NS, Time::ZERO);
    for &(now, packet) in arrivals {
        while begins.front().is_some_and(|&begun| begun <= now) {
            begins.pop_front();
        }
        if begins.len() >= LIMIT_PACKETS as usize {
            lost += 1;
            continue;
        }
        let facts = packet.facts();
        bytes[facts.codepoint.index()][facts.class.index()] += u64::from(facts.bytes);
        begins.push_back(free.max(now));
        free = clock.send(now, facts.bytes);
        if free.nanoseconds() >= until {
            until += WINDOW_NS;
            black_box(&mut *list).clear();
        }
        list.push((free, packet));
    }
    black_box(bytes);
    lost
}

/// The walk is the run: the same departures at the same instants.
fn check(arrivals: &[(Time, Record)], departures: &[(Time, Record)], scheme: &Scheme) {
    let mut expected = departures.iter();
    let mut compared = 0;
    walk(arrivals, scheme, |departure, packet| {
        // What leaves after the end of the run is not recorded.
        let Some((at, of_run)) = expected.next() else { return };
        assert!((*at, of_run.facts) == (departure, packet.facts), "another departure: {at} and {departure}");
        compared += 1;
    });
    println!("{{\"departures_as_in_the_run\":{compared},\"recorded\":{}}}", departures.len());
    assert!(compared == departures.len(), "{compared} of {}", departures.len());
}

fn report(scheme: &str, what: &str, packets: usize, mut walk: impl FnMut() -> u64) {
    let mut nanoseconds = Vec::with_capacity(WALKS);
    let mut lost = 0;
    for _ in 0..WALKS {
        let begun = Instant::now();
        lost = black_box(walk());
        nanoseconds.push(begun.elapsed().as_nanos() as f64 / packets as f64);
    }
    nanoseconds.sort_by(f64::total_cmp);
    println!(
        "{{\"scheme\":\"{scheme}\",\"walk\":\"{what}\",\"packets\":{packets},\"lost\":{lost},\"ns_per_packet\":{:.1},\"median\":{:.1}}}",
        nanoseconds[0],
        nanoseconds[WALKS / 2],
    );
}
