//! The one-way profile sends what ns-2.35 sends, when it sends it: traces recorded from ns-2 itself
//! (`ns2/record.tcl`) on a path without a queue, 200 ms there and back, with listed losses and marks.

mod network;

use aqmlab_tcp::{EcnRule, Flags, HostOverrides, HostProfile};
use aqmlab_units::Span;
use network::{Close, Exchange, Fate, Sent, Side, World};

const PACKET_BYTES: u32 = 960;

/// A line of `ns2/scenarios.txt`.
struct Scenario {
    initial: u8,
    packets: u64,
    drops: Vec<usize>,
    marks: Vec<usize>,
    ack_drops: Vec<usize>,
    more: u64,
    at: f64,
}

fn scenario(name: &str) -> Scenario {
    let line = include_str!("ns2/scenarios.txt")
        .lines()
        .find(|line| line.split_whitespace().next() == Some(name))
        .expect("a scenario of this name");
    let list = |text: &str| text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let parts: Vec<&str> = line.split(['{', '}']).collect();
    let starts: Vec<&str> = parts[0].split_whitespace().collect();
    let ends: Vec<&str> = parts[6].split_whitespace().collect();
    Scenario {
        initial: starts[1].parse().unwrap(),
        packets: starts[2].parse().unwrap(),
        drops: list(parts[1]),
        marks: list(parts[3]),
        ack_drops: list(parts[5]),
        more: ends[0].parse().unwrap(),
        at: ends[1].parse().unwrap(),
    }
}

/// What the profile sends: seconds, packet number, whether it says that the window was reduced.
fn sent_by_the_profile(scenario: &Scenario) -> Vec<(f64, u32, bool)> {
    let ecn = !scenario.marks.is_empty();
    let overrides = HostOverrides {
        initial_window_segments: Some(scenario.initial),
        ecn: ecn.then_some(EcnRule::On),
        ..HostOverrides::default()
    };
    let profile = HostProfile::named("ns2-oneway").unwrap().with(&overrides).unwrap();
    let (mut forward, mut backward) = (0, 0);
    let law = |sent: &Sent| {
        let (count, drops) = match sent.from {
            Side::Client => (&mut forward, &scenario.drops),
            Side::Server => (&mut backward, &scenario.ack_drops),
        };
        let nth = *count;
        *count += 1;
        if drops.contains(&nth) {
            Fate::Drop
        } else if sent.from == Side::Client && scenario.marks.contains(&nth) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    };
    let mut plan = vec![Exchange::of(scenario.packets * u64::from(PACKET_BYTES), 0)];
    let round_trip = Span::from_milliseconds(200);
    if scenario.more > 0 {
        // The client's next write comes when nothing of the first is missing: its pause counts from then.
        let pause = Span::from_seconds(scenario.at) - round_trip;
        plan.push(Exchange { pause, ..Exchange::of(scenario.more * u64::from(PACKET_BYTES), 0) });
    }
    let mut world = World::new(&profile, round_trip, &plan, Close::Never).with_law(law);
    world.run();
    let number = |sent: &Sent| sent.segment.sequence.value().div_ceil(PACKET_BYTES);
    let reduced = |sent: &Sent| sent.segment.flags.contains(Flags::CWR) && sent.segment.payload > 0;
    let from_client = world.trace.iter().filter(|sent| sent.from == Side::Client);
    from_client.map(|sent| (sent.at.seconds(), number(sent), reduced(sent))).collect()
}

fn sent_by_ns2(table: &str, ecn: bool) -> Vec<(f64, u32, bool)> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Without ECN, ns-2 sets the flag all the same; a host without ECN does not.
        (words[0].parse().unwrap(), words[1].parse().unwrap(), ecn && words.len() > 2)
    };
    table.lines().map(line).collect()
}

fn compare(name: &str, table: &str) {
    let scenario = scenario(name);
    let ours = sent_by_the_profile(&scenario);
    let theirs = sent_by_ns2(table, !scenario.marks.is_empty());
    for (position, (our, their)) in ours.iter().zip(&theirs).enumerate() {
        // ns-2 prints six digits, and its link takes a nanosecond per packet.
        let same_time = (our.0 - their.0).abs() < 1e-4;
        assert!(
            same_time && (our.1, our.2) == (their.1, their.2),
            "{name}, {position}: {our:?}, ns-2 {their:?}"
        );
    }
    assert_eq!(ours.len(), theirs.len(), "{name}");
}

macro_rules! traces {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            compare(stringify!($name), include_str!(concat!("ns2/", stringify!($name), ".txt")));
        })*
    };
}

traces! {
    no_loss lost_syn lost_first_data one_loss two_losses four_losses lost_retransmission lost_last
    repeated_timeouts half_a_window lost_acknowledgements lost_acknowledgements_and_data pause marks
    marks_at_every_packet mark_and_loss
}
