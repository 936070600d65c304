//! Transmissions that carry several packets, as a service may have them: beside a list that is worked through
//! without a link.

mod packet;

use aqmlab_aqm::{
    Codepoint, PacketClass, PacketFacts, Port, PortFacts, Reason, Scheme, algorithms::drop_tail,
};
use aqmlab_link::{Framing, Link, Load, MonitoredLink, News, Service, ServiceModel};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use packet::Packet;
use proptest::prelude::*;
use std::collections::VecDeque;

/// A preamble for each transmission, and a microsecond for each byte of it.
const PREAMBLE: Span = Span::from_microseconds(100);

/// Carries so many packets at the most.
#[derive(Clone)]
struct Aggregation(u32);

fn time_of(wire_bytes: u32) -> Span {
    PREAMBLE + Span::from_microseconds(u64::from(wire_bytes))
}

impl Service for Aggregation {
    fn carries(&self, load: Load) -> bool {
        load.packets <= self.0
    }

    fn transmit(&mut self, now: Time, load: Load) -> Time {
        now + time_of(load.wire_bytes)
    }
}

fn link(most: u32, limit: u32, ring: u32) -> Link<Packet> {
    let scheme =
        Scheme::DropTail(drop_tail::Params { limit_packets: Some(limit), ..drop_tail::Params::default() });
    let rate = Rate::from_megabits_per_second(8.0);
    let port = Port::new(&scheme, PortFacts::new(rate), Key::from_seed(1).stream());
    Link::new(port, (&ServiceModel::Constant, Key::from_seed(1)), rate, Framing::NONE, ring)
        .served_by(Box::new(Aggregation(most)))
}

/// When each packet leaves, in microseconds; none where it finds the queue full. Transmissions end before
/// arrivals of their instant.
fn sent_by(mut link: Link<Packet>, arrivals: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut departures = vec![None; arrivals.len()];
    let mut ends: Option<Time> = None;
    let mut latest = None;
    let at = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
    let last = (u64::MAX >> 20, 0);
    for (number, &(arrives, bytes)) in arrivals.iter().chain([&last]).enumerate() {
        while let Some(now) = ends.filter(|&now| now <= at(arrives)) {
            while link.is_sending() {
                let packet = link.end_transmission();
                assert!(latest < Some(packet.0.flow), "packets leave in the order of their arrival");
                latest = Some(packet.0.flow);
                departures[packet.0.flow as usize] =
                    Some((now - Time::ZERO).div_floor(Span::from_microseconds(1)));
            }
            let News { begun, asks_again } = link.serve(now, &mut |_, reason| panic!("{}", reason.name()));
            assert_eq!(asks_again, None);
            ends = begun;
        }
        if number == arrivals.len() {
            break;
        }
        let (flow, codepoint, class) = (number as u64, Codepoint::NotEct, PacketClass::Data);
        let news = link.arrive(
            at(arrives),
            Packet(PacketFacts { flow, bytes, codepoint, class }),
            &mut |_, reason| {
                assert_eq!(reason, Reason::Overflow);
            },
        );
        ends = ends.or(news.begun);
        let out = departures.iter().flatten().count() as u64;
        assert!(link.packets().count() as u64 + out <= flow + 1, "no packet is twice");
    }
    assert_eq!(link.under_way(), 0);
    assert_eq!(link.sent().frames, departures.iter().flatten().count() as u64);
    departures
}

/// The same by a list of who waits: without a ring a transmission takes the first that wait when it begins.
fn expected(most: u32, limit: usize, arrivals: &[(u64, u32)]) -> Vec<Option<u64>> {
    let mut departures = vec![None; arrivals.len()];
    let mut waiting: VecDeque<usize> = VecDeque::new();
    let mut free_at = 0;
    let mut begin = |at: u64, waiting: &mut VecDeque<usize>| {
        let together: Vec<usize> = waiting.drain(..waiting.len().min(most as usize)).collect();
        let bytes: u32 = together.iter().map(|&each| arrivals[each].1).sum();
        let ends = at + 100 + u64::from(bytes);
        together.iter().for_each(|&each| departures[each] = Some(ends));
        ends
    };
    for (number, &(arrives, _)) in arrivals.iter().enumerate() {
        while free_at <= arrives && !waiting.is_empty() {
            free_at = begin(free_at, &mut waiting);
        }
        if free_at <= arrives {
            waiting.push_back(number);
            free_at = begin(arrives, &mut waiting);
        } else if waiting.len() < limit {
            waiting.push_back(number);
        }
    }
    while !waiting.is_empty() {
        free_at = begin(free_at, &mut waiting);
    }
    departures
}

/// The first of five goes alone: nobody waits yet. Three go together, and the last alone.
#[test]
fn what_waits_when_a_transmission_begins_travels_in_it() {
    let arrivals = [(0, 1_000), (10, 500), (20, 500), (30, 500), (40, 500)];
    let wanted = [Some(1_100), Some(2_700), Some(2_700), Some(2_700), Some(3_300)];
    assert_eq!(sent_by(link(3, 10, 0), &arrivals), wanted);
    assert_eq!(expected(3, 10, &arrivals), wanted);
    // What the driver's ring holds travels before what waits in the queue, and together with it.
    assert_eq!(sent_by(link(3, 10, 1), &arrivals), wanted);
    // One packet a transmission: each pays the preamble.
    let alone = [Some(1_100), Some(1_700), Some(2_300), Some(2_900), Some(3_500)];
    assert_eq!(sent_by(link(1, 10, 0), &arrivals), alone);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn several_packets_leave_together_as_the_list_says(
        most in 1_u32..6,
        limit in 1_u32..12,
        gaps in prop::collection::vec((0_u64..1_500, 28_u32..1_500), 1..120),
    ) {
        let mut at = 0;
        let arrivals: Vec<(u64, u32)> = gaps.iter().map(|&(gap, bytes)| {
            at += gap;
            (at, bytes)
        }).collect();
        prop_assert_eq!(sent_by(link(most, limit, 0), &arrivals), expected(most, limit as usize, &arrivals));
    }
}
