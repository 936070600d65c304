//! The one-way profile beside ns-2.35 in four hundred random conversations, packet by packet: losses, marks,
//! lost acknowledgements, windows, round trips, minimum timeouts, with and without limited transmit and
//! delayed acknowledgements. `ns2/matrix.py` drew and recorded them and describes `ns2/matrix.txt`.

mod network;

use aqmlab_tcp::{EcnRule, Flags, HostOverrides, HostProfile};
use aqmlab_units::{Span, Time};
use network::{Close, Exchange, Fate, Sent, Side, World};
use std::collections::BTreeSet;

const PACKET_BYTES: u32 = 960;
/// A hundred nanoseconds each way, as in ns-2: a timer and a packet that are due together come in the same
/// order there.
const TIE_BREAK: Span = Span::from_nanoseconds(200);
/// The phase of the sender's clock in ns-2.
const PHASE: Span = Span::from_nanoseconds(5_559_006);
/// ns-2 was stopped here.
const END_S: f64 = 100.0;

/// When a packet was sent in seconds, which one, and whether it says that the window was reduced.
type Row = (f64, u32, bool);

struct Conversation {
    settings: Vec<f64>,
    drops: BTreeSet<usize>,
    marks: BTreeSet<usize>,
    ack_drops: BTreeSet<usize>,
}

impl Conversation {
    fn parse(line: &str) -> Self {
        let parts: Vec<&str> = line.split(['{', '}']).collect();
        let list = |text: &str| text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        Self {
            settings: parts[0].split_whitespace().map(|word| word.parse().unwrap()).collect(),
            drops: list(parts[1]),
            marks: list(parts[3]),
            ack_drops: list(parts[5]),
        }
    }

    fn ecn(&self) -> bool {
        self.settings[7] != 0.0
    }

    fn profile(&self) -> HostProfile {
        let whole = |place: usize| self.settings[place] as u32;
        let overrides = HostOverrides {
            initial_window_segments: Some(whole(1) as u8),
            window_bytes: Some(whole(2) * PACKET_BYTES),
            minimum_rto_ms: Some(whole(4)),
            limited_transmit: Some(whole(5) == 1),
            acknowledge_every_segments: Some(whole(6) as u8),
            ecn: self.ecn().then_some(EcnRule::On),
            ..HostOverrides::default()
        };
        HostProfile::named("ns2-oneway").unwrap().with(&overrides).unwrap()
    }

    /// The writes: the later one comes at its instant, which the world counts from the first, a round trip
    /// after the SYN.
    fn plan(&self, round_trip: Span) -> Vec<Exchange> {
        let bytes = |packets: f64| packets as u64 * u64::from(PACKET_BYTES);
        let mut plan = vec![Exchange::of(bytes(self.settings[8]), 0)];
        if self.settings[9] > 0.0 {
            let pause = Span::from_seconds(self.settings[10]) - round_trip;
            plan.push(Exchange { pause, ..Exchange::of(bytes(self.settings[9]), 0) });
        }
        plan
    }

    /// What the profile sends, and when a timer and an arrival met; the timer comes first at those of
    /// `timers_first`.
    fn sent(&self, timers_first: &BTreeSet<usize>) -> (Vec<Row>, Vec<f64>) {
        let profile = self.profile();
        let (mut forward, mut backward) = (0, 0);
        let law = |sent: &Sent| {
            let (count, drops) = match sent.from {
                Side::Client => (&mut forward, &self.drops),
                Side::Server => (&mut backward, &self.ack_drops),
            };
            let nth = *count;
            *count += 1;
            if drops.contains(&nth) {
                Fate::Drop
            } else if sent.from == Side::Client && sent.segment.ect && self.marks.contains(&nth) {
                Fate::Mark
            } else {
                Fate::Pass
            }
        };
        let round_trip = Span::from_seconds(self.settings[3] / 1e3) + TIE_BREAK;
        let mut world = World::new(&profile, round_trip, &self.plan(round_trip), Close::Never)
            .with_phases(PHASE, Span::ZERO)
            .with_law(law);
        world.timers_first = timers_first.clone();
        world.run_until(Time::from_seconds(END_S));
        let number = |sent: &Sent| sent.segment.sequence.value().div_ceil(PACKET_BYTES);
        let reduced = |sent: &Sent| sent.segment.flags.contains(Flags::CWR) && sent.segment.payload > 0;
        let from_client = world.trace.iter().filter(|sent| sent.from == Side::Client);
        let rows = from_client.map(|sent| (sent.at.seconds(), number(sent), reduced(sent)));
        let ties = world.ties.iter().map(|tie| tie.seconds()).collect();
        (rows.filter(|row| row.0 < END_S).collect(), ties)
    }
}

/// What ns-2 sent. Without ECN it says all the same that its window was reduced; a host without ECN does not.
fn sent_by_ns2(line: &str, ecn: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at_s = 0.0;
    for word in line.split_whitespace() {
        let packets = match word.split_once(':') {
            Some((instant_ms, packets)) => {
                at_s = instant_ms.parse::<f64>().unwrap() / 1e3;
                packets
            }
            None => word,
        };
        // On a SYN the flag belongs to the negotiation.
        let reduced = ecn && at_s > 0.0 && packets.ends_with('!') && !packets.starts_with("0!");
        let packets = packets.trim_end_matches('!');
        let (first, last) = packets.split_once('-').unwrap_or((packets, packets));
        let run = first.parse::<u32>().unwrap()..=last.parse().unwrap();
        rows.extend(run.map(|number| (at_s, number, reduced)));
    }
    rows
}

/// The place at which two traces part.
fn parting(ours: &[Row], theirs: &[Row]) -> Option<usize> {
    let same =
        |our: &Row, their: &Row| (our.0 - their.0).abs() < 1e-3 && (our.1, our.2) == (their.1, their.2);
    let place = ours.iter().zip(theirs).position(|(our, their)| !same(our, their));
    place.or_else(|| (ours.len() != theirs.len()).then(|| ours.len().min(theirs.len())))
}

/// Where the conversation differs from ns-2's; and at how many instants the timer has to come first so that
/// it does not.
///
/// Our rule is that arrivals come first. Where every second packet is acknowledged, the 100 ms that one
/// acknowledgement waits end when a packet arrives that another one released 100 ms late: the two have waited
/// and travelled alike, and in ns-2 the rounding of its clock decides which is first. So may we, at the last
/// such instant before the parting.
fn compare(conversation: &Conversation, theirs: &[Row]) -> Result<usize, String> {
    let mut timers_first = BTreeSet::new();
    let mut agreed = 0;
    loop {
        let (ours, ties) = conversation.sent(&timers_first);
        let Some(place) = parting(&ours, theirs) else { return Ok(timers_first.len()) };
        let told = format!("at {place}: {:?}, ns-2 {:?}", ours.get(place), theirs.get(place));
        let at_s =
            ours.get(place).map_or(END_S, |row| row.0).min(theirs.get(place).map_or(END_S, |row| row.0));
        let before = ties.iter().take_while(|tie| **tie < at_s).count();
        let delays = conversation.settings[6] > 1.0;
        let fresh = before > 0 && place >= agreed && timers_first.insert(before - 1);
        if !delays || !fresh {
            return Err(told);
        }
        agreed = place + 1;
    }
}

#[test]
fn four_hundred_conversations_are_those_of_ns2() {
    let lines: Vec<&str> = include_str!("ns2/matrix.txt").lines().collect();
    assert_eq!(lines.len(), 800);
    let (mut differing, mut turned) = (Vec::new(), 0);
    for pair in lines.chunks(2) {
        let conversation = Conversation::parse(pair[0]);
        match compare(&conversation, &sent_by_ns2(pair[1], conversation.ecn())) {
            Ok(ties) => turned += usize::from(ties > 0),
            Err(difference) => differing.push(format!("{}\n  {difference}", pair[0])),
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_eq!(turned, 6, "conversations in which the order within an instant decides");
}
