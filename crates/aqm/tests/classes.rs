//! Ports with classes: strict priority, and trees of token buckets. Shares, bursts and ceilings in closed
//! form, and as a kernel has them (`kernel/classes`, written by `python -m tests.crosscheck.classes`).

#[path = "support/keys.rs"]
mod keys;
#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::{Codepoint, Port, PortFacts, Reason};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use keys::parse;
use packet::TestPacket;
use schemars::{Schema, json_schema};

const BYTES: u32 = 1000;

/// A port in front of a link that asks whenever it is free, with what left it.
struct Bench {
    port: Port<TestPacket>,
    packet_time: Span,
    id: u64,
    now: Time,
    left: Vec<(Time, TestPacket)>,
    lost: Vec<Reason>,
}

impl Bench {
    fn new(keys: &Schema, link_mbps: f64) -> Self {
        let scheme = parse(keys).unwrap_or_else(|error| panic!("{error}"));
        let facts = PortFacts::new(Rate::from_megabits_per_second(link_mbps));
        scheme.validate_at(&facts).unwrap_or_else(|error| panic!("{error}"));
        let port = Port::new(&scheme, facts, Key::from_seed(1).stream());
        let packet_time = Span::from_seconds(f64::from(8 * BYTES) / link_mbps / 1e6);
        Self { port, packet_time, id: 0, now: Time::ZERO, left: Vec::new(), lost: Vec::new() }
    }

    fn arrive(&mut self, dscp: u8) {
        let mut packet = TestPacket::data(self.id, BYTES, Codepoint::Ect0);
        (packet.facts.flow, packet.dscp) = (u64::from(dscp) + 1, dscp);
        self.id += 1;
        let lost = &mut self.lost;
        self.port.arrive(self.now, packet, &mut |_, reason| lost.push(reason));
    }

    /// The link asks until an instant; whoever is in `greedy` always has packets waiting.
    fn run(&mut self, until_s: f64, greedy: &[u8]) {
        let until = Time::from_seconds(until_s);
        let mut asked = 0;
        while self.now < until {
            for &dscp in greedy.iter().filter(|_| asked % 10 == 0) {
                let waits = self.port.waiting().filter(|packet| packet.dscp == dscp).count();
                (waits..20).for_each(|_| self.arrive(dscp));
            }
            asked += 1;
            let lost = &mut self.lost;
            match self.port.depart(self.now, &mut |_, reason| lost.push(reason)) {
                Some(packet) => {
                    self.now += self.packet_time;
                    self.left.push((self.now, packet));
                }
                None => self.now = self.port.opens().unwrap_or(until).min(until),
            }
        }
        self.port.check_conservation().unwrap_or_else(|error| panic!("{error}"));
    }

    /// Mbit/s of each of these codepoints since an instant.
    fn rates(&self, since_s: f64, dscps: &[u8]) -> Vec<f64> {
        let time_s = self.now.seconds() - since_s;
        let of = |dscp: &u8| {
            let sent = self.left.iter().filter(|(at, packet)| at.seconds() > since_s && packet.dscp == *dscp);
            sent.count() as f64 * f64::from(8 * BYTES) / time_s / 1e6
        };
        dscps.iter().map(of).collect()
    }

    fn state(&self, wanted: &str) -> f64 {
        let mut found = None;
        self.port.observe(&mut |name, value| {
            if name == wanted {
                found = Some(value);
            }
        });
        found.unwrap_or_else(|| panic!("no {wanted}"))
    }
}

fn close(found: &[f64], expected: &[f64]) {
    let is_close = |(one, other): (&f64, &f64)| (one - other).abs() < 0.02 * other.max(1.0);
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(is_close),
        "{found:?} {expected:?}"
    );
}

#[test]
fn a_full_band_leaves_nothing_to_those_behind_it_and_the_wait_is_shown() {
    let mut bench = Bench::new(&json_schema!({ "scheme": "prio" }), 8.0);
    bench.run(2.0, &[4, 0, 10]);
    close(&bench.rates(0.0, &[4, 0, 10]), &[8.0, 0.0, 0.0]);
    bench.port.advance(bench.now);
    assert!((bench.state("class_1_longest_wait_for_a_turn_s") - 2.0).abs() < 0.01);
    assert!(bench.state("class_0_longest_wait_for_a_turn_s") < 0.01);
    // The first band pauses: the second has all.
    bench.run(4.0, &[0, 10]);
    close(&bench.rates(2.1, &[4, 0, 10]), &[0.0, 8.0, 0.0]);
}

/// A packet of the lower band that waits leaves behind all of the upper band, and before those that come
/// later once the upper one is empty.
#[test]
fn bands_may_have_any_queue_and_signals_are_the_bands_own() {
    let keys = json_schema!({ "scheme": "prio", "bands": [
        { "dscp": [46], "queue": { "scheme": "drop-tail", "limit_packets": 3 } },
        { "queue": { "scheme": "fq-codel", "target_ms": 1.0, "interval_ms": 10.0 } },
    ] });
    let mut bench = Bench::new(&keys, 8.0);
    bench.run(1.0, &[0]);
    (0..5).for_each(|_| bench.arrive(46));
    assert_eq!(bench.lost, [Reason::Overflow; 2], "of five three find room, and ECN saves the others");
    let before = bench.left.len();
    bench.run(2.0, &[0]);
    let order: Vec<u8> = bench.left[before..].iter().take(4).map(|(_, packet)| packet.dscp).collect();
    assert_eq!(order, [46, 46, 46, 0]);
    let marked = |dscp| {
        let of = bench.left.iter().filter(|(_, packet)| packet.dscp == dscp);
        of.filter(|(_, packet)| packet.facts.codepoint == Codepoint::Ce).count()
    };
    assert!(marked(0) > 0 && marked(46) == 0, "CoDel marks its own packets");
}

fn tree(classes: serde_json::Value) -> Schema {
    let mut keys = json_schema!({ "scheme": "htb" });
    keys.insert("classes".to_owned(), classes);
    keys
}

/// Who gets what of 20 Mbit/s, on a link of 100: rates, then what is left by priority, then by quantum, up to
/// the ceilings.
#[test]
fn full_classes_have_their_rates_and_what_is_left_by_priority_and_quantum() {
    let line = serde_json::json!({ "name": "line", "rate_mbps": 20.0 });
    let class = |rate: f64, ceil: f64, prio: u32, quantum: u32, dscp: u32| {
        serde_json::json!({ "parent": "line", "rate_mbps": rate, "ceil_mbps": ceil, "prio": prio,
            "quantum_bytes": quantum, "dscp": [dscp] })
    };
    let rest = || serde_json::json!({ "parent": "line", "rate_mbps": 0.001 });
    for (classes, expected) in [
        // Nobody lends: the ceilings are the rates.
        ([class(4.0, 4.0, 0, 1500, 8), class(6.0, 6.0, 0, 1500, 46)], [4.0, 6.0]),
        // Ten are left: in turns of 1500 and 3000 bytes.
        ([class(4.0, 20.0, 0, 1500, 8), class(6.0, 20.0, 0, 3000, 46)], [4.0 + 10.0 / 3.0, 6.0 + 20.0 / 3.0]),
        // To the first priority first.
        ([class(4.0, 20.0, 1, 1500, 8), class(6.0, 20.0, 0, 1500, 46)], [4.0, 16.0]),
        // Up to its ceiling, and the next one has what remains.
        ([class(4.0, 20.0, 1, 1500, 8), class(6.0, 9.0, 0, 1500, 46)], [11.0, 9.0]),
        // Ceilings that leave the line idle.
        ([class(4.0, 5.0, 0, 1500, 8), class(6.0, 7.5, 0, 1500, 46)], [5.0, 7.5]),
    ] {
        let [one, other] = classes;
        let mut bench = Bench::new(&tree([line.clone(), one, other, rest()].into()), 100.0);
        bench.run(4.0, &[8, 46]);
        close(&bench.rates(0.5, &[8, 46]), &expected);
    }
}

/// Two sites of 12 and 8 Mbit/s with two circuits each: what one circuit does not want its neighbour has, and
/// only then the other site.
#[test]
fn what_is_left_stays_in_the_site_first() {
    let classes = serde_json::json!([
        { "name": "line", "rate_mbps": 20.0 },
        { "name": "north", "parent": "line", "rate_mbps": 12.0, "ceil_mbps": 20.0 },
        { "name": "south", "parent": "line", "rate_mbps": 8.0, "ceil_mbps": 20.0 },
        { "parent": "north", "rate_mbps": 6.0, "ceil_mbps": 20.0, "dscp": [8] },
        { "parent": "north", "rate_mbps": 6.0, "ceil_mbps": 20.0, "dscp": [16] },
        { "parent": "south", "rate_mbps": 4.0, "ceil_mbps": 20.0, "dscp": [24] },
        { "parent": "south", "rate_mbps": 4.0, "ceil_mbps": 20.0 },
    ]);
    for (greedy, expected) in [
        (vec![8, 16, 24, 32], [6.0, 6.0, 4.0, 4.0]),
        (vec![8, 24, 32], [12.0, 0.0, 4.0, 4.0]),
        (vec![8, 16, 24], [6.0, 6.0, 8.0, 0.0]),
        (vec![8], [20.0, 0.0, 0.0, 0.0]),
    ] {
        let mut bench = Bench::new(&tree(classes.clone()), 100.0);
        bench.run(4.0, &greedy);
        close(&bench.rates(0.5, &[8, 16, 24, 32]), &expected);
    }
}

/// A bucket of 20 kB at 8 Mbit/s: after a pause 20 packets leave at the link's pace and one on credit, then
/// one each millisecond. At t seconds no more than 20 kB + one packet + 1 MB/s·t have left.
#[test]
fn a_burst_leaves_at_once_and_never_more_than_burst_and_rate_allow() {
    let classes = serde_json::json!([
        { "rate_mbps": 8.0, "burst_bytes": 20_000, "ceil_burst_bytes": 20_000 },
    ]);
    let mut bench = Bench::new(&tree(classes), 1000.0);
    (0..100).for_each(|_| bench.arrive(0));
    bench.run(0.2, &[]);
    let times: Vec<f64> = bench.left.iter().map(|(at, _)| at.seconds()).collect();
    assert_eq!(times.len(), 100);
    // 21 packets take 0.168 ms on the link, in which the bucket gains 168 bytes.
    assert!(times[20] < 2e-4 && times[21] > 8e-4, "{:?}", &times[18..24]);
    for (packets, at) in (1..).zip(&times) {
        let left = f64::from(packets) * 1000.0;
        assert!(left <= 20_000.0 + 1000.0 + 1e6 * at + 1.0, "{left} at {at}");
    }
    let last = times[99] - times[21];
    assert!((last - 78e-3).abs() < 1e-4, "78 packets in {last} s");
}

/// The classes with children are what their children are together: bytes of the leaves in the state add up.
#[test]
fn random_trees_lose_nothing_and_hold_every_ceiling() {
    for seed in 0..4 {
        let dice = Key::from_seed(seed).named("tree");
        let mut draws = 0;
        let mut draw = |from: f64, to: f64| {
            draws += 1;
            from + (to - from) * dice.uniform(draws)
        };
        let mut classes = vec![serde_json::json!({ "name": "line", "rate_mbps": 20.0 })];
        let mut ceilings = Vec::new();
        for site in 0..3 {
            let ceil = draw(4.0, 16.0);
            let name = format!("site-{site}");
            classes.push(serde_json::json!({ "name": name, "parent": "line", "rate_mbps": draw(1.0, 4.0), "ceil_mbps": ceil }));
            for circuit in 0..3_u8 {
                let own = draw(1.0, 8.0);
                ceilings.push((site, own, ceil));
                classes.push(
                    serde_json::json!({ "parent": name, "rate_mbps": draw(0.1, 1.0), "ceil_mbps": own,
                    "prio": draw(0.0, 2.9) as u32, "dscp": [8 * site + u32::from(circuit)],
                    "queue": { "scheme": if circuit == 0 { "fq-codel" } else { "drop-tail" } } }),
                );
            }
        }
        let greedy: Vec<u8> = (0..3).flat_map(|site| (0..3).map(move |circuit| 8 * site + circuit)).collect();
        let mut bench = Bench::new(&tree(classes.into()), 100.0);
        bench.run(1.2, &greedy);
        let rates = bench.rates(0.2, &greedy);
        for (rate, (_, own, _)) in rates.iter().zip(&ceilings) {
            assert!(*rate <= own * 1.01 + 0.05, "{rate} of {own} (seed {seed})");
        }
        for site in 0..3 {
            let of_site: f64 = rates[3 * site..3 * site + 3].iter().sum();
            assert!(of_site <= ceilings[3 * site].2 * 1.01 + 0.05, "{of_site} (seed {seed})");
        }
        let all: f64 = rates.iter().sum();
        let reach: f64 = (0..3)
            .map(|site| {
                let own: f64 = ceilings[3 * site..3 * site + 3].iter().map(|each| each.1).sum();
                own.min(ceilings[3 * site].2)
            })
            .sum();
        assert!((all - reach.min(20.0)).abs() < 0.3, "{all} of {} (seed {seed})", reach.min(20.0));
        let sent: f64 = (0..9).map(|class| bench.state(&format!("class_{class}_sent_packets"))).sum();
        assert_eq!(sent as usize, bench.left.len());
        assert_eq!(bench.id as usize, bench.left.len() + bench.lost.len() + bench.port.packets() as usize);
    }
}

#[test]
fn what_a_tree_cannot_be_is_refused_with_the_place() {
    for (classes, told) in [
        (
            serde_json::json!([{ "parent": "x", "rate_mbps": 1.0 }]),
            "`classes.0.parent` is x: it must be the name of a class that stands before it",
        ),
        (
            serde_json::json!([{ "name": "a", "rate_mbps": 4.0, "ceil_mbps": 3.0 }]),
            "`classes.0.ceil_mbps` is 3: it must be from its rate, 4, to 1e6 Mbit/s",
        ),
        (
            serde_json::json!([{ "name": "a" }, { "name": "a" }]),
            "`classes.1.name` is a: it must be a name of its own",
        ),
        (
            serde_json::json!([{ "name": "a", "dscp": [1] }, { "parent": "a", "rate_mbps": 1.0 }]),
            "`classes.0.dscp` is given for a class with children: it must be left out: packets belong to classes \
             without children",
        ),
        (
            serde_json::json!([{ "name": "a", "prio": 3 }, { "parent": "a", "rate_mbps": 1.0 }]),
            "`classes.0.prio` is given for a class with children: it must be left out: packets belong to classes \
             without children",
        ),
        (
            serde_json::json!([{ "rate_mbps": 1.0, "queue": { "scheme": "sfg", "limit_packets": 9 } }]),
            "`classes.0.queue.scheme` is one that has filters or classes: it must be a scheme with a single \
             queue, fq, fq-codel or cake",
        ),
    ] {
        let scheme = parse(&tree(classes)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scheme.validate().map_err(|error| error.to_string()), Err(told.to_owned()));
    }
}

const KERNEL: &str = include_str!("kernel/classes");

/// Linux looks at all eight bits of the type of service; the two that ECN has now make no difference.
#[test]
fn each_type_of_service_has_the_band_that_it_has_in_the_kernel() {
    let said = KERNEL.lines().find_map(|line| line.strip_prefix("BANDS "));
    let bands: Vec<f64> =
        said.expect("bands").split(' ').map(|band| band.parse().expect("a number")).collect();
    assert_eq!(bands.len(), 256);
    let mut bench = Bench::new(&json_schema!({ "scheme": "prio" }), 8.0);
    for (tos, band) in (0..=u8::MAX).zip(bands) {
        bench.arrive(tos >> 2);
        assert_eq!(bench.state("class_of_last_arrival"), band, "type of service {tos}");
    }
}

/// Full classes at rates that the link is far above; the kernel counts the Ethernet header. Shares
/// of what left are as there to within two points.
#[test]
fn full_classes_have_the_shares_that_they_have_in_the_kernel() {
    let (mut cases, mut differs) = (0, Vec::new());
    for line in KERNEL.lines().filter_map(|line| line.strip_prefix("RATES ")) {
        let [name, classes, found] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let found: Vec<(u8, f64)> = found
            .split(' ')
            .filter_map(|each| each.split_once(':'))
            .map(|(dscp, rate)| (dscp.parse().expect("a codepoint"), rate.parse().expect("a rate")))
            .collect();
        let mut keys = tree(serde_json::from_str(classes).expect("classes"));
        keys.insert("overhead_bytes".to_owned(), 14.into());
        let dscps: Vec<u8> = found.iter().map(|(dscp, _)| *dscp).collect();
        let mut bench = Bench::new(&keys, 1000.0);
        bench.run(8.5, &dscps);
        let here = bench.rates(0.5, &dscps);
        let (in_kernel, in_all): (f64, f64) = (found.iter().map(|each| each.1).sum(), here.iter().sum());
        // A kernel in real time is late now and then, and a bucket that is full gains nothing.
        assert!((0.94..1.01).contains(&(in_kernel / in_all)), "{name}: {in_kernel} of {in_all} Mbit/s");
        for ((dscp, kernel), here) in found.iter().zip(&here) {
            let (kernel, here) = (kernel / in_kernel, here / in_all);
            if (kernel - here).abs() > 0.02 {
                differs.push(format!("{name}: DSCP {dscp}: kernel {kernel:.3}, here {here:.3}"));
            }
        }
        cases += 1;
    }
    assert!(cases >= 6 && differs.is_empty(), "{cases} cases: {differs:#?}");
}
