//! The two-way profile beside ns-2.35's Agent/TCP/FullTcp/Newreno in three hundred random conversations,
//! packet by packet and both ways: losses, marks, windows, round trips, timeouts, with and without Nagle,
//! delayed acknowledgements and a closing server. `ns2/full.py` drew and recorded them and describes
//! `ns2/full.txt`.

mod network;

use aqmlab_tcp::{EcnRule, Flags, HostOverrides, HostProfile};
use aqmlab_units::{Span, Time};
use network::{Close, Exchange, Fate, Sent, Side, World};
use std::collections::BTreeSet;

const SEGMENT_BYTES: u32 = 1_460;
/// The phases of the clocks in ns-2.
const CLIENT_PHASE: Span = Span::from_nanoseconds(3_129_618);
const SERVER_PHASE: Span = Span::from_nanoseconds(7_991_555);
/// ns-2 was stopped so long after the beginning.
const LASTS_S: f64 = 150.0;

/// Milliseconds since the beginning, and the packet as `ns2/full.txt` writes it.
type Row = (f64, String);

struct Conversation {
    settings: Vec<f64>,
    exchanges: Vec<f64>,
    closes: bool,
    /// By side: client, server.
    drops: [BTreeSet<usize>; 2],
    marks: [BTreeSet<usize>; 2],
}

impl Conversation {
    fn parse(line: &str) -> Self {
        let parts: Vec<&str> = line.split(['{', '}']).collect();
        let numbers =
            |text: &str| text.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
        let places = |text: &str| numbers(text).into_iter().map(|place| place as usize).collect();
        Self {
            settings: numbers(parts[0]),
            exchanges: numbers(parts[1]),
            closes: parts[2].trim() == "1",
            drops: [places(parts[3]), places(parts[7])],
            marks: [places(parts[5]), places(parts[9])],
        }
    }

    fn profile(&self) -> HostProfile {
        let whole = |place: usize| self.settings[place] as u32;
        let overrides = HostOverrides {
            initial_window_segments: Some(whole(1) as u8),
            window_bytes: Some(whole(2) * SEGMENT_BYTES),
            initial_rto_ms: Some(whole(4)),
            minimum_rto_ms: Some(whole(5)),
            nagle: Some(whole(6) == 0),
            acknowledge_every_segments: Some(whole(7) as u8),
            ecn: (whole(8) == 1).then_some(EcnRule::On),
            ..HostOverrides::default()
        };
        HostProfile::named("ns2-full").unwrap().with(&overrides).unwrap()
    }

    fn plan(&self) -> Vec<Exchange> {
        let exchange = |numbers: &[f64]| Exchange {
            pause: Span::from_seconds(numbers[0]),
            request: numbers[1] as u64,
            response: numbers[2] as u64,
        };
        self.exchanges.chunks(3).map(exchange).collect()
    }

    /// What the profile sends at both ends, and when a timer and an arrival met; the timer comes first at
    /// those of `timers_first`.
    fn sent(&self, timers_first: &BTreeSet<usize>) -> (Vec<Row>, Vec<f64>) {
        let profile = self.profile();
        let mut counts = [0, 0];
        let law = |sent: &Sent| {
            let side = usize::from(sent.from == Side::Server);
            let nth = counts[side];
            counts[side] += 1;
            if self.drops[side].contains(&nth) {
                Fate::Drop
            } else if sent.segment.ect && self.marks[side].contains(&nth) {
                Fate::Mark
            } else {
                Fate::Pass
            }
        };
        let start = Time::from_seconds(self.settings[0]);
        let close = if self.closes { Close::Server } else { Close::Never };
        let round_trip = Span::from_seconds(self.settings[3] / 1e3);
        let mut world = World::new(&profile, round_trip, &self.plan(), close)
            .with_phases(CLIENT_PHASE, SERVER_PHASE)
            .with_law(law);
        world.now = start;
        world.timers_first = timers_first.clone();
        world.run_until(start + Span::from_seconds(LASTS_S));
        let ties = world.ties.iter().map(|tie| (*tie - start).seconds() * 1e3).collect();
        let rows = world.trace.iter().map(|sent| row(sent, start)).filter(|row| row.0 < LASTS_S * 1e3);
        (rows.collect(), ties)
    }
}

fn row(sent: &Sent, start: Time) -> Row {
    let segment = &sent.segment;
    let side = if sent.from == Side::Client { 'c' } else { 's' };
    let letters = [
        ('S', segment.flags.contains(Flags::SYN)),
        ('F', segment.flags.contains(Flags::FIN)),
        ('N', segment.ect),
        ('E', segment.flags.contains(Flags::ECE)),
        ('W', segment.flags.contains(Flags::CWR)),
    ];
    let marks: String = letters.iter().filter(|letter| letter.1).map(|letter| letter.0).collect();
    let (first, bytes) = (segment.sequence.value(), segment.payload);
    let acknowledged = segment.acknowledgement.value();
    ((sent.at - start).seconds() * 1e3, format!("{side}{marks}{first}+{bytes}a{acknowledged}"))
}

fn sent_by_ns2(line: &str) -> Vec<Row> {
    let mut at_ms = 0.0;
    let row = |word: &str| {
        let packet = match word.split_once(':') {
            Some((instant, packet)) => {
                at_ms = instant.parse().unwrap();
                packet
            }
            None => word,
        };
        (at_ms, packet.to_owned())
    };
    line.split_whitespace().map(row).collect()
}

/// ns-2 sets the flag of a reduction without ECN too; a host without ECN does not. An acknowledgement without
/// data has a number of its own in ns-2 while it goes back.
fn comparable(packet: &str, ecn: bool) -> String {
    let packet = if ecn { packet.to_owned() } else { packet.replace('W', "") };
    match packet.split_once("+0a") {
        Some((head, acknowledged)) if !head.contains(['S', 'F']) => {
            format!("{} a{acknowledged}", head.trim_end_matches(|digit: char| digit.is_ascii_digit()))
        }
        _ => packet,
    }
}

fn parting(ours: &[Row], theirs: &[Row], ecn: bool) -> Option<usize> {
    let same = |our: &Row, their: &Row| {
        (our.0 - their.0).abs() < 0.15 && comparable(&our.1, ecn) == comparable(&their.1, ecn)
    };
    let place = ours.iter().zip(theirs).position(|(our, their)| !same(our, their));
    place.or_else(|| (ours.len() != theirs.len()).then(|| ours.len().min(theirs.len())))
}

/// Where the conversation differs from ns-2's; and at how many instants the timer has to come first so that
/// it does not.
///
/// Our rule is that arrivals come first. Where both ends wait a second after what they sent half a round trip
/// apart, one repeats its packet so that it arrives as the other's timer fires, and in ns-2 the rounding of
/// its clock decides.
fn compare(conversation: &Conversation, theirs: &[Row]) -> Result<usize, String> {
    let ecn = conversation.settings[8] == 1.0;
    let mut timers_first = BTreeSet::new();
    let mut agreed = 0;
    loop {
        let (ours, ties) = conversation.sent(&timers_first);
        let Some(place) = parting(&ours, theirs, ecn) else { return Ok(timers_first.len()) };
        let at_ms = |rows: &[Row]| rows.get(place).map_or(LASTS_S * 1e3, |row| row.0);
        let before = ties.iter().take_while(|tie| **tie < at_ms(&ours).min(at_ms(theirs)) + 0.15).count();
        let fresh = before > 0 && place >= agreed && timers_first.insert(before - 1);
        if !fresh {
            return Err(format!("at {place}: {:?}, ns-2 {:?}", ours.get(place), theirs.get(place)));
        }
        agreed = place + 1;
    }
}

#[test]
fn three_hundred_conversations_are_those_of_ns2() {
    let lines: Vec<&str> = include_str!("ns2/full.txt").lines().collect();
    assert_eq!(lines.len(), 600);
    let (mut differing, mut turned) = (Vec::new(), 0);
    for (number, pair) in lines.chunks(2).enumerate() {
        let conversation = Conversation::parse(pair[0]);
        match compare(&conversation, &sent_by_ns2(pair[1])) {
            Ok(ties) => turned += usize::from(ties > 0),
            Err(difference) => differing.push(format!("{}: {}\n  {difference}", number + 1, pair[0])),
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_eq!(turned, 13, "conversations in which the order within an instant decides");
}
