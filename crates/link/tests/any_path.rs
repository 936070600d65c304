//! A path beside the reference of links, and beside a shaper that holds back what waits.

mod packet;

use aqmlab_aqm::algorithms::{cake, drop_tail};
use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Port, PortFacts, Scheme};
use aqmlab_link::conformance::{Arrival, Case, Outcome, expected};
use aqmlab_link::{Link, Path};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use packet::Packet;
use proptest::prelude::*;

const DELAY: Span = Span::from_milliseconds(17);

fn packet(number: usize, bytes: u32) -> Packet {
    let class = PacketClass::Datagram;
    Packet(PacketFacts { flow: number as u64, bytes, codepoint: Codepoint::NotEct, class })
}

fn path_of(case: &Case) -> Path<Packet> {
    let limit_packets = Some(case.limit_packets);
    let scheme = Scheme::DropTail(drop_tail::Params { limit_packets, ..drop_tail::Params::default() });
    let port = Port::new(&scheme, PortFacts::new(case.rate), Key::from_seed(1).stream());
    let service = (&case.service, case.key);
    Path::of_link(Link::new(port, service, case.rate, case.framing, case.ring_packets), DELAY)
}

/// What has arrived by each time-out until an instant.
fn drain(path: &mut Path<Packet>, until: Time, arrived: &mut Vec<(u64, Time)>) {
    while let Some(now) = path.poll_timeout().filter(|now| *now < until) {
        path.handle_timeout(now);
        while let Some(packet) = path.poll_packet(now) {
            arrived.push((packet.0.flow, now));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whether it is asked at each time-out, or only when packets are sent.
    #[test]
    fn packets_arrive_when_the_reference_says(seed: u64, at_each_timeout: bool) {
        let mut dice = Key::from_seed(seed).stream();
        let case = Case::drawn(&mut dice);
        let arrivals = case.arrivals(200, &mut dice);
        let (mut path, mut arrived) = (path_of(&case), Vec::new());
        for (number, Arrival { at, ip_bytes }) in arrivals.iter().copied().enumerate() {
            if at_each_timeout {
                drain(&mut path, at, &mut arrived);
            }
            path.send(at, packet(number, ip_bytes));
        }
        if !at_each_timeout {
            let last = arrivals.last().map_or(Time::ZERO, |arrival| arrival.at);
            while let Some(packet) = path.poll_packet(last) {
                arrived.push((packet.0.flow, Time::ZERO));
            }
        }
        drain(&mut path, Time::MAX, &mut arrived);
        let wanted: Vec<(u64, Time)> = (0..).zip(expected(&case, &arrivals)).filter_map(|(number, outcome)| {
            let Outcome::Departs(left) = outcome else { return None };
            Some((number, left + DELAY))
        }).collect();
        prop_assert_eq!(arrived.len(), wanted.len());
        for (arrived, wanted) in arrived.iter().zip(&wanted) {
            prop_assert_eq!(arrived.0, wanted.0);
            prop_assert!(arrived.1 == Time::ZERO || arrived.1 == wanted.1, "{arrived:?}, not {wanted:?}");
        }
        let lost = path.counters().arrivals().total().packets - wanted.len() as u64;
        prop_assert_eq!(lost, arrivals.len() as u64 - wanted.len() as u64);
    }
}

/// A shaper of 8 Mbit/s before a link of 100 Mbit/s: 1,000 bytes a millisecond. Whoever looks late sees the
/// same, as every instant comes in its turn.
#[test]
fn a_shaper_paces_what_waits_whenever_it_is_looked_at() {
    let shaped = cake::Params { rate_mbps: Some(8.0), ..cake::Params::default() };
    let path = || {
        let rate = Rate::from_megabits_per_second(100.0);
        let mut path = Path::new(&Scheme::Cake(shaped.clone()), rate, DELAY, Key::from_seed(1));
        (0..50).for_each(|_| path.send(Time::ZERO, packet(1, 1_000)));
        path
    };
    let mut arrived = Vec::new();
    drain(&mut path(), Time::MAX, &mut arrived);
    assert_eq!(arrived.len(), 50);
    let took = (arrived[49].1 - arrived[0].1).seconds();
    assert!((took - 0.049).abs() < 0.001, "{took}");
    let mut late = path();
    late.handle_timeout(Time::from_seconds(1.0));
    let count = std::iter::from_fn(|| late.poll_packet(Time::from_seconds(1.0))).count();
    assert_eq!((count, late.poll_timeout()), (50, None));
}
