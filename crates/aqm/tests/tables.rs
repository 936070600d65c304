//! The worked cases in `tables/`: one file per scheme, written by `oracle/work.py`, which shares no code with
//! the crate.
//!
//! A case is a list of settings and a table of events. Right of the bar stand the verdict, the coin that
//! decided it with the chance it was compared with, and values of the scheme's state after the event.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/packet.rs"]
mod packet;
#[path = "support/segment.rs"]
mod segment;
#[path = "support/settings.rs"]
mod settings;

use aqmlab_aqm::{Codepoint, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Time};
use keys::parse;
use packet::TestPacket;
use segment::acknowledgement;
use settings::table;

/// The tables print nine significant digits.
const RELATIVE_TOLERANCE: f64 = 6e-9;

fn check_table(name: &str) {
    let path = format!("{}/tests/tables/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<&str> = text.split("\ncase: ").skip(1).collect();
    assert!(!cases.is_empty(), "{path} has no case");
    for case in cases {
        let (title, body) = case.split_once('\n').expect("a title");
        let (settings, events) = body.split_once("\n\n").expect("settings, an empty line, events");
        let mut bench = Bench::new(settings);
        assert_eq!(bench.scheme_name, name, "{title}");
        bench.run(events.trim_end(), &format!("{name}: {title}"));
    }
}

#[test]
fn every_scheme_follows_its_worked_cases() {
    Scheme::names().iter().for_each(|name| check_table(name));
}

/// A port under the settings of a case, with a second view of its coins.
struct Bench {
    scheme_name: String,
    port: Port<TestPacket>,
    coins: Key,
    coins_drawn: u64,
    packets: u64,
    now: Time,
}

impl Bench {
    fn new(settings: &str) -> Self {
        let (mut link_mbps, mut phase, mut salt, mut seed) = (None, 0.0, 0, 1);
        let mut keys = Vec::new();
        for line in settings.lines() {
            let (key, value) = line.split_once(" = ").expect("key = value");
            match key {
                "link_mbps" => link_mbps = value.parse().ok(),
                "timer_phase" => phase = value.parse().expect("a phase"),
                "flow_salt" => salt = value.parse().expect("a salt"),
                "seed" => seed = value.parse().expect("a seed"),
                _ => keys.push((key, value)),
            }
        }
        let scheme = parse(&table(&keys)).unwrap_or_else(|error| panic!("{settings}\n{error}"));
        scheme.validate().unwrap_or_else(|error| panic!("{settings}\n{error}"));
        let rate = Rate::from_megabits_per_second(link_mbps.expect("link_mbps"));
        let coins = Key::from_seed(seed);
        let facts = PortFacts::new(rate).with_timer_phase(phase).with_flow_salt(salt);
        let port = Port::new(&scheme, facts, coins.stream());
        Self {
            scheme_name: scheme.name().to_owned(),
            port,
            coins,
            coins_drawn: 0,
            packets: 0,
            now: Time::ZERO,
        }
    }

    fn run(&mut self, events: &str, case: &str) {
        let mut lines = events.lines();
        let heading: Vec<&str> = lines.next().expect("a heading").split_whitespace().collect();
        for line in lines {
            let cells: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(cells.len(), heading.len(), "{case}\n{line}");
            let bar = heading.iter().position(|name| *name == "|").expect("a bar");
            let verdict = self.happen(&cells, &heading[..bar]);
            let rows: Vec<(&str, &str)> = heading.iter().copied().zip(cells).skip(bar + 1).collect();
            assert_eq!(rows[0], ("verdict", verdict.as_str()), "{case}\n{line}");
            self.check(&rows, &verdict, &format!("{case}\n{line}"));
            self.port.check_conservation().unwrap_or_else(|error| panic!("{case}\n{line}\n{error}"));
        }
    }

    /// Lets the event of a row happen; answers what became of its packet.
    fn happen(&mut self, cells: &[&str], heading: &[&str]) -> String {
        let now = Time::from_seconds(number(cells[0]) / 1e3);
        self.now = now;
        let marks_before = self.port.counters().marks().total().packets;
        let mut fates = Vec::new();
        let mut discarded = |_: TestPacket, reason: Reason| fates.push(reason.name());
        let otherwise = match cells[1] {
            "arrive" => {
                let packet = self.packets;
                self.packets += 1;
                let mut packet =
                    TestPacket::data(packet, cells[2].parse().expect("bytes"), codepoint(cells[4]));
                packet.facts.flow = cells[3].parse().expect("a flow");
                let said = |name| heading.iter().position(|cell| *cell == name).map_or("-", |at| cells[at]);
                packet.dscp = said("dscp").parse().unwrap_or_default();
                packet.acknowledgement = acknowledgement(said("segment"));
                self.port.arrive(now, packet, &mut discarded);
                "pass"
            }
            "depart" => self.port.depart(now, &mut discarded).map_or("idle", |_| "sent"),
            "wait" => {
                self.port.advance(now);
                "-"
            }
            other => panic!("no such event: {other}"),
        };
        let marked = self.port.counters().marks().total().packets > marks_before;
        // A departure may discard some packets before it sends one; an arrival has one fate.
        if fates.is_empty() || cells[1] == "depart" {
            fates.push(if marked { "mark" } else { otherwise });
        }
        counted(&fates)
    }

    fn check(&mut self, rows: &[(&str, &str)], verdict: &str, place: &str) {
        let printed = |name: &str| rows.iter().find(|row| row.0 == name).map_or("-", |row| row.1);
        let (coin, chance, drawn) = (printed("coin"), printed("chance"), printed("drawn"));
        // Of several numbers that were drawn the coin is the last.
        let several = drawn != "-";
        let drawn = if several { number(drawn) as u64 } else { u64::from(coin != "-") };
        self.coins_drawn += drawn;
        if coin != "-" {
            assert_close(self.coins.uniform(self.coins_drawn - 1), number(coin), "coin", place);
            let selected = number(coin) < number(chance);
            // Behind a filter whose coin let it pass, a packet may still be discarded without one.
            assert!(selected || several || ["pass", "sent", "overflow"].contains(&verdict), "{place}");
        }
        // Timers of queues that the event did not touch run now.
        self.port.advance(self.now);
        let mut seen = Vec::new();
        self.port.observe(&mut |name, value| seen.push((name, value)));
        let of_state = |row: &&(&str, &str)| !["verdict", "drawn", "coin", "chance"].contains(&row.0);
        for &(name, expected) in rows.iter().filter(of_state) {
            let found = seen.iter().find(|value| value.0 == name);
            let found = found.unwrap_or_else(|| panic!("{place}\n{name} is not observed: {seen:?}")).1;
            assert_close(found, number(expected), name, place);
        }
    }
}

/// Equal fates in a row are counted: `early*2+sent`.
fn counted(fates: &[&str]) -> String {
    let runs = fates.chunk_by(|one, next| one == next);
    let texts = runs.map(|run| match run {
        [fate] => (*fate).to_owned(),
        _ => format!("{}*{}", run[0], run.len()),
    });
    texts.collect::<Vec<_>>().join("+")
}

fn assert_close(found: f64, expected: f64, name: &str, place: &str) {
    let tolerance = RELATIVE_TOLERANCE * expected.abs() + 1e-15;
    assert!((found - expected).abs() <= tolerance, "{place}\n{name} is {found}, not {expected}");
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

fn codepoint(name: &str) -> Codepoint {
    Codepoint::ALL.into_iter().find(|codepoint| codepoint.name() == name).expect("a codepoint")
}
