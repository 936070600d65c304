//! CAKE's tins, its filter of acknowledgements and its ingress mode: laws that hold whatever arrives, and
//! what the CAKE of a kernel does (`kernel/cake`, written by `python -m tests.crosscheck.cake`).

#[path = "support/keys.rs"]
mod keys;
#[path = "support/packet.rs"]
mod packet;
#[path = "support/segment.rs"]
mod segment;

use aqmlab_aqm::parts::{LinkLayer, Shaping, Tins, quantum_of_rate};
use aqmlab_aqm::{Acknowledgement, Codepoint, Port, PortFacts, Reason};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use keys::parse;
use packet::TestPacket;
use schemars::json_schema;
use segment::acknowledgement;

const LINK_MBPS: f64 = 40.0;
const BYTES: u32 = 1000;

/// A port under CAKE on a link of 40 Mbit/s, with what left it by codepoint.
struct Bench {
    port: Port<TestPacket>,
    id: u64,
    now: Time,
    left: Vec<TestPacket>,
    lost: Vec<(TestPacket, Reason)>,
}

impl Bench {
    fn new(keys: schemars::Schema) -> Self {
        Self::at(keys, PortFacts::new(Rate::from_megabits_per_second(LINK_MBPS)))
    }

    fn at(keys: schemars::Schema, facts: PortFacts) -> Self {
        let scheme = parse(&keys).unwrap_or_else(|error| panic!("{error}"));
        scheme.validate_at(&facts).unwrap_or_else(|error| panic!("{error}"));
        let port = Port::new(&scheme, facts, Key::from_seed(1).stream());
        Self { port, id: 0, now: Time::ZERO, left: Vec::new(), lost: Vec::new() }
    }

    fn arrive(&mut self, flow: u64, dscp: u8, bytes: u32, acknowledgement: Option<Acknowledgement>) {
        let mut packet = TestPacket::data(self.id, bytes, Codepoint::NotEct);
        (packet.facts.flow, packet.dscp, packet.acknowledgement) = (flow, dscp, acknowledgement);
        self.id += 1;
        let lost = &mut self.lost;
        self.port.arrive(self.now, packet, &mut |packet, reason| lost.push((packet, reason)));
    }

    /// The link asks for a packet, and takes the time of one.
    fn depart(&mut self) {
        let lost = &mut self.lost;
        let packet = self.port.depart(self.now, &mut |packet, reason| lost.push((packet, reason)));
        self.left.extend(packet);
        self.now += Span::from_seconds(f64::from(8 * BYTES) / LINK_MBPS / 1e6);
    }

    /// Shares of these codepoints in what left, when all of them always have more than they get: ten packets
    /// each wait at any time.
    fn shares_when_full(&mut self, dscps: &[u8]) -> Vec<f64> {
        for _ in 0..20_000 {
            for (flow, &dscp) in (1..).zip(dscps) {
                let waits = self.port.waiting().filter(|packet| packet.dscp == dscp).count();
                (waits..10).for_each(|_| self.arrive(flow, dscp, BYTES, None));
            }
            self.depart();
        }
        self.port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
        // Behind the first hundred, before which clocks and deficits stand together.
        let left: Vec<u8> = self.left.iter().skip(100).map(|packet| packet.dscp).collect();
        let share = |dscp: &u8| left.iter().filter(|one| *one == dscp).count() as f64 / left.len() as f64;
        dscps.iter().map(share).collect()
    }
}

fn cake(rate_mbps: Option<f64>, tins: &str) -> schemars::Schema {
    let mut keys = json_schema!({
        "scheme": "cake", "flows": 16, "tins": tins, "target_ms": 1e6, "interval_ms": 1e6,
    });
    if let Some(rate) = rate_mbps {
        keys.insert("rate_mbps".to_owned(), rate.into());
    }
    keys
}

fn with(mut keys: schemars::Schema, key: &str, value: &serde_json::Value) -> schemars::Schema {
    keys.insert(key.to_owned(), value.clone());
    keys
}

fn close(found: &[f64], expected: &[f64]) {
    let off = found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
    assert!(off < 0.004 && found.len() == expected.len(), "{found:?}, not {expected:?}");
}

/// tc-cake(8): bulk is held to 1/16, video to 1/2 and voice to 1/4 of the rate when others want it; best
/// effort has the rest.
#[test]
fn behind_a_shaper_full_tins_have_the_shares_of_the_manual_page() {
    let (best_effort, bulk, video, voice) = (0, 8, 34, 46);
    let shares = Bench::new(cake(Some(10.0), "diffserv3")).shares_when_full(&[best_effort, bulk, voice]);
    close(&shares, &[11.0 / 16.0, 1.0 / 16.0, 1.0 / 4.0]);
    let shares =
        Bench::new(cake(Some(10.0), "diffserv4")).shares_when_full(&[best_effort, bulk, video, voice]);
    close(&shares, &[3.0 / 16.0, 1.0 / 16.0, 1.0 / 2.0, 1.0 / 4.0]);
    // What a tin does not want others have: bulk alone is not held back.
    close(&Bench::new(cake(Some(10.0), "diffserv3")).shares_when_full(&[bulk]), &[1.0]);
    // Beside best effort alone it has its share.
    let shares = Bench::new(cake(Some(10.0), "diffserv3")).shares_when_full(&[best_effort, bulk]);
    close(&shares, &[15.0 / 16.0, 1.0 / 16.0]);
}

/// A shaper of the link's own, as a router of a `[line]` has it, is CAKE's.
#[test]
fn behind_the_shaper_of_its_link_cake_does_what_it_does_behind_its_own() {
    let link_layer = LinkLayer { overhead_bytes: 18, ..LinkLayer::default() };
    let rate = Rate::from_megabits_per_second(10.0);
    let shaping = Shaping { rate, link_layer, burst_bytes: 0 };
    let facts = PortFacts::new(Rate::from_megabits_per_second(LINK_MBPS)).shaped(Some(shaping));
    let of_link = |tins| with(with(cake(None, tins), "target_ms", &5.0.into()), "interval_ms", &20.0.into());
    for (tins, ingress) in [("besteffort", true), ("diffserv3", false), ("diffserv4", true)] {
        let of_link = with(of_link(tins), "ingress", &ingress.into());
        let own = with(with(of_link.clone(), "rate_mbps", &10.0.into()), "overhead_bytes", &18.into());
        let mut benches = [Bench::at(of_link, facts), Bench::new(own)];
        for bench in &mut benches {
            for step in 0..4_000_u64 {
                if step % 10 < 3 {
                    bench.arrive(1 + step % 4, [0, 8, 34, 46][step as usize % 4], BYTES, None);
                }
                bench.depart();
            }
        }
        let [of_link, own] = benches.map(|bench| (bench.left, bench.lost));
        assert_eq!(of_link, own, "{tins}");
    }
}

/// Of eight tins that are all full the upper three have everything: 7/8 of 7/8 ... of the rate, seven and six
/// times, and the third what is left, which is less than its own share.
#[test]
fn of_eight_full_tins_the_upper_ones_have_everything() {
    for (tins, dscps) in
        [("diffserv8", [1, 8, 0, 34, 18, 16, 46, 48]), ("precedence", [0, 8, 16, 24, 32, 40, 48, 56])]
    {
        let shares = Bench::new(cake(Some(10.0), tins)).shares_when_full(&dscps);
        let part = |times: i32| (0..times).fold(1.0, |part, _| part * 0.875);
        close(&shares, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0 - part(7) - part(6), part(6), part(7)]);
    }
}

#[test]
fn without_a_shaper_full_tins_have_shares_by_their_weights() {
    let shares = Bench::new(cake(None, "diffserv3")).shares_when_full(&[0, 8, 46]);
    close(&shares, &[16.0 / 21.0, 1.0 / 21.0, 4.0 / 21.0]);
    let shares = Bench::new(cake(None, "diffserv4")).shares_when_full(&[0, 8, 34, 46]);
    close(&shares, &[16.0 / 29.0, 1.0 / 29.0, 8.0 / 29.0, 4.0 / 29.0]);
    let weights: Vec<f64> = std::iter::successors(Some(256_u32), |weight| Some((weight * 7) >> 3))
        .take(8)
        .map(f64::from)
        .collect();
    let expected: Vec<f64> = weights.iter().map(|weight| weight / weights.iter().sum::<f64>()).collect();
    let shares = Bench::new(cake(None, "precedence")).shares_when_full(&[0, 8, 16, 24, 32, 40, 48, 56]);
    close(&shares, &expected);
}

/// A packet of voice that comes alone leaves as soon as the shaper lets anything go: no packet of another
/// tin is sent in between.
#[test]
fn a_light_tin_goes_first() {
    let mut bench = Bench::new(cake(Some(10.0), "diffserv3"));
    for round in 0..200 {
        (0..12).for_each(|_| bench.arrive(1, 0, BYTES, None));
        bench.arrive(2, 46, 200, None);
        let before = bench.left.len();
        while bench.left.len() == before {
            bench.depart();
        }
        assert_eq!(bench.left[before].dscp, 46, "round {round}");
        (0..40).for_each(|_| bench.depart());
    }
}

/// Whatever is filtered, the largest number that came has left once the queue is empty, and numbers leave in
/// order.
#[test]
fn a_filter_keeps_the_newest_acknowledgement() {
    for word in ["conservative", "aggressive"] {
        let keys = with(cake(Some(0.5), "besteffort"), "ack_filter", &word.into());
        let mut bench = Bench::new(keys);
        let dice = Key::from_seed(7).named(word);
        let mut newest = [1_u32, 1];
        for step in 0..4_000 {
            let flow = usize::from(dice.uniform(3 * step) < 0.5);
            // A fifth are duplicates.
            let more = if dice.uniform(3 * step + 1) < 0.8 { 1460 } else { 0 };
            newest[flow] += more;
            let said = Acknowledgement::of_segment(0x10, newest[flow], None, false);
            bench.arrive(flow as u64, 0, 52, said);
            if dice.uniform(3 * step + 2) < 0.3 {
                bench.depart();
            }
        }
        while bench.port.packets() > 0 {
            bench.depart();
        }
        bench.port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bench.left.len() + bench.lost.len(), 4_000);
        assert!(bench.lost.iter().all(|(_, reason)| *reason == Reason::Redundant), "nothing else is lost");
        assert!(bench.lost.len() > 1_000, "{word}: {}", bench.lost.len());
        for (flow, &newest) in (0..).zip(&newest) {
            let numbers = bench.left.iter().filter(|packet| packet.facts.flow == flow);
            let numbers: Vec<u32> =
                numbers.filter_map(|packet| Some(packet.acknowledgement?.number)).collect();
            assert!(numbers.is_sorted() && numbers.last() == Some(&newest), "{word}");
        }
    }
}

/// With ingress what is discarded takes its time of the shaper. Senders that do not respond to it would shut
/// the shaper with what is discarded of theirs; two thirds of the rate leave all the same.
#[test]
fn with_ingress_discards_take_their_time_of_the_shaper() {
    for (ingress, share, lost_mbps) in [(false, 1.0, 2.0), (true, 2.0 / 3.0, 12.0 - 20.0 / 3.0)] {
        let (left, lost) = left_and_lost(ingress, 10.0);
        let is_close = |found: f64, expected: f64| (found - expected).abs() < 0.05;
        assert!(is_close(left, 10.0 * share), "{ingress}: {left}");
        // What waits in the end is neither.
        assert!(lost > 1.0 && lost < lost_mbps + 0.05, "{ingress}: {lost}");
    }
}

/// What leaves and is lost, in Mbit/s, where 12 Mbit/s of the link's 40 come to a shaper of so many.
fn left_and_lost(ingress: bool, rate_mbps: f64) -> (f64, f64) {
    let keys = with(cake(Some(rate_mbps), "besteffort"), "ingress", &ingress.into());
    let keys = with(keys, "target_ms", &5.0.into());
    let mut bench = Bench::new(with(keys, "interval_ms", &20.0.into()));
    for step in 0..20_000_u64 {
        if step % 10 < 3 {
            bench.arrive(1 + step % 4, 0, BYTES, None);
        }
        bench.depart();
    }
    let mbps = |packets: usize| packets as f64 * 8.0 * f64::from(BYTES) / bench.now.seconds() / 1e6;
    (mbps(bench.left.len()), mbps(bench.lost.len()))
}

/// Half as much again as the rate comes and answers to nothing, there as here.
#[test]
fn so_much_leaves_with_ingress_as_of_the_kernel() {
    for answer in kernel_answers("INGRESS") {
        let (word, share) = answer.split_once(' ').expect("a word");
        let (left, _) = left_and_lost(word == "ingress", 8.0);
        let share: f64 = share.parse().expect("a share");
        assert!((left / 8.0 - share).abs() < 0.01, "{word}: {left} of 8, {share} there");
    }
}

/// Link and shaper idle for as long as nothing comes; then the estimate is that of what came: 15/16 of 8
/// Mbit/s, whatever the rate was in the beginning.
#[test]
fn a_rate_that_follows_arrivals_is_fifteen_sixteenths_of_them() {
    for begins_at in [2.0, 30.0] {
        let keys = with(cake(Some(begins_at), "besteffort"), "autorate_ingress", &true.into());
        let mut bench = Bench::new(with(keys, "limit_packets", &20.into()));
        let mut left_before = 0;
        for step in 0..400_000_u64 {
            // Five packets in a row of each 25: 8 Mbit/s of the link's 40.
            if step % 25 < 5 {
                bench.arrive(1 + step % 4, 0, BYTES, None);
            }
            bench.depart();
            if step == 350_000 {
                left_before = bench.left.len();
            }
        }
        let mbps = (bench.left.len() - left_before) as f64 / 50_000.0 * LINK_MBPS;
        assert!((mbps - 7.5).abs() < 0.05, "{begins_at}: {mbps}");
    }
}

/// What the kernel answered to questions of one kind, each line without its kind.
fn kernel_answers(kind: &str) -> Vec<String> {
    let path = format!("{}/tests/kernel/cake", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let prefix = format!("{kind} ");
    let answers: Vec<String> =
        text.lines().filter_map(|line| Some(line.strip_prefix(&prefix)?.to_owned())).collect();
    assert!(!answers.is_empty(), "{path} has no {kind}");
    answers
}

/// A name of tins in front of a line.
fn tins_of(answer: &str) -> (Tins, &str, impl Iterator<Item = &str>) {
    let (name, rest) = answer.split_once(' ').expect("a name");
    let tins = serde_json::from_value(name.into()).expect("a kind of tins");
    (tins, name, rest.split(' '))
}

/// Of three and four tins `tc` prints bulk first.
fn as_printed(tins: Tins, tin: usize) -> usize {
    match (tins, tin) {
        (Tins::Diffserv3 | Tins::Diffserv4, 0 | 1) => 1 - tin,
        _ => tin,
    }
}

#[test]
fn each_codepoint_has_the_tin_of_the_kernel() {
    for answer in kernel_answers("CODEPOINTS") {
        let (tins, name, found) = tins_of(&answer);
        for (dscp, tin) in (0..64).zip(found) {
            assert_eq!(as_printed(tins, tins.tin_of(dscp)).to_string(), tin, "{name}: {dscp}");
        }
    }
}

/// At 16 Mbit/s; what stands between is the target and the interval, which worked cases check.
#[test]
fn tins_have_the_rates_and_quanta_of_the_kernel() {
    for answer in kernel_answers("SETTINGS") {
        let (tins, name, found) = tins_of(&answer);
        let found: Vec<(&str, &str)> = found
            .filter_map(|of_tin| Some((of_tin.split_once('/')?.0, of_tin.rsplit_once('/')?.1)))
            .collect();
        let shares = tins.shares(2_000_000);
        assert_eq!(found.len(), shares.len(), "{name}");
        for (tin, share) in shares.iter().enumerate() {
            let ours = [share.bytes_per_second.to_string(), quantum_of_rate(share.rate(), 1514).to_string()];
            let (rate, quantum) = found[as_printed(tins, tin)];
            assert_eq!([&*ours[0], &*ours[1]], [rate, quantum], "{name}: {tin}");
        }
    }
}

#[test]
fn full_tins_have_the_shares_of_the_kernel() {
    for answer in kernel_answers("SHARES") {
        let (_, name, found) = tins_of(&answer);
        let found = found.filter_map(|share| share.split_once(':'));
        let (dscps, shares): (Vec<u8>, Vec<f64>) = found
            .filter_map(|(dscp, share)| Some((dscp.parse::<u8>().ok()?, share.parse::<f64>().ok()?)))
            .unzip();
        close(&Bench::new(cake(Some(4.0), name)).shares_when_full(&dscps), &shares);
    }
}

/// A segment as the crosscheck spells it: its port, and what it says.
fn of_connection(text: &str) -> (u64, Option<Acknowledgement>) {
    let (port, said) = text.split_once(';').expect("a port");
    (port.parse().expect("a port"), acknowledgement(said))
}

/// Sequences of segments of two connections that come while the first is sent: those are left that the
/// kernel left.
#[test]
fn the_filter_leaves_what_the_kernel_leaves() {
    let answers = kernel_answers("FILTER");
    let mut filtered = 0;
    for answer in &answers {
        let (case, arrived) = answer.split_once(" | ").expect("a bar");
        let (word, segments) = case.split_once(' ').expect("a word");
        let filter = if word == "ack-filter" { "conservative" } else { "aggressive" };
        let keys = with(cake(Some(0.02), "besteffort"), "isolation", &"none".into());
        let mut bench = Bench::new(with(keys, "ack_filter", &filter.into()));
        for (number, text) in (0..).zip(segments.split(' ')) {
            let (port, said) = of_connection(text);
            bench.arrive(port, 0, 52, said);
            if number == 0 {
                bench.depart();
            }
        }
        while bench.port.packets() > 0 {
            bench.depart();
        }
        filtered += bench.lost.len();
        let left: Vec<String> = bench.left.iter().map(|packet| (packet.id + 1).to_string()).collect();
        assert_eq!(left.join(" "), arrived, "{case}");
    }
    assert!(filtered > 4 * answers.len(), "{filtered} of {} cases", answers.len());
}

/// tc-cake(8): extra DSCP marks are cleared, but not ECN bits, after priority queuing has taken place.
#[test]
fn wash_clears_the_codepoint_behind_the_choice_of_the_tin() {
    for (wash, dscps) in [(true, [0, 0, 0]), (false, [46, 8, 0])] {
        let mut bench = Bench::new(with(cake(Some(10.0), "diffserv3"), "wash", &wash.into()));
        for (flow, dscp) in (1..).zip([8, 0, 46]) {
            bench.arrive(flow, dscp, BYTES, None);
        }
        assert!(bench.port.waiting().all(|packet| packet.facts.codepoint == Codepoint::NotEct));
        while bench.port.packets() > 0 {
            bench.depart();
        }
        let mut arrived = Vec::new();
        bench.port.observe(&mut |name, value| {
            if name.starts_with("tin_") && name.ends_with("arrived_packets") {
                arrived.push(value);
            }
        });
        assert_eq!(arrived, [1.0; 3], "a packet in each tin");
        assert_eq!(
            bench.left.iter().map(|packet| packet.facts.flow).collect::<Vec<_>>(),
            [3, 1, 2],
            "the last tin first"
        );
        assert_eq!(bench.left.iter().map(|packet| packet.dscp).collect::<Vec<_>>(), dscps);
    }
}
