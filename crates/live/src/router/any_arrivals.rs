//! The links of the router under random arrivals, beside the reference that every driver of a link is
//! compared with.

use super::capture::CapturedPorts;
use super::fuzz::network;
use super::log::{Log, LogEvent};
use crate::addresses::Half;
use aqmlab_aqm::Reason;
use aqmlab_driver::key_of_service;
use aqmlab_link::conformance::{Arrival, Case, Observed, check};
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_units::{Span, Time};
use aqmlab_wire::{WireAddress, WirePacket, WirePayload};
use std::collections::BTreeSet;

#[test]
fn the_router_sends_and_refuses_what_the_reference_of_links_does() {
    let until = Time::from_seconds(900.0);
    let mut compared = 0;
    for seed in 0..60 {
        let mut dice = Key::from_seed(seed).stream();
        let mut case = Case::drawn(&mut dice);
        let text = format!("duration_s = 900.0\n{}[users]\nper_side = 1\n", case.scenario_text());
        let scenario = Scenario::from_toml(&text, "case", &[]).unwrap_or_else(|error| panic!("{error}"));
        case.key = key_of_service(&scenario.network.links[0], Key::from_seed(1));
        let (mut network, addresses) = network(&text, Log::new(true, &CapturedPorts::default()));
        let (opener, port) = addresses.opener(0, 0).unwrap();
        let answerers = u32::try_from(addresses.machines()).unwrap();
        let packet = |ip_bytes| WirePacket {
            at: Time::ZERO,
            source: WireAddress { address: opener.octets(), port },
            destination: WireAddress { address: addresses.answerer(answerers - 1).octets(), port: 80 },
            traffic_class: 0,
            ip_bytes,
            payload: WirePayload::Udp,
        };
        for Arrival { at, ip_bytes } in case.arrivals(150, &mut dice) {
            network.arrive(at, Half::Active, &packet(u16::try_from(ip_bytes).unwrap()).bytes());
            network.run_until(at, &mut |_, _, _| {});
        }
        network.run_until(until, &mut |_, _, _| {});
        assert_eq!((network.under_way(), network.balance.refused), (0, [0; 5]));
        let rows = network.log.into_parts().0;
        let seen: Vec<Observed> = rows
            .iter()
            .map(|row| match row.event {
                LogEvent::Arrival => Observed::Arrival(Arrival { at: row.at, ip_bytes: row.facts.bytes }),
                LogEvent::Departure => Observed::Departure(row.at),
                LogEvent::Discard(Reason::Overflow) => Observed::Overflow,
                LogEvent::Discard(reason) => panic!("{reason:?}"),
            })
            .collect();
        compared += check(&case, &seen, until).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    assert_eq!(compared, 60 * 150);
}

/// Both directions of a channel on which every transmission is of one packet and takes 298.5 µs: the channel
/// is one server, and its departures follow from Lindley's recursion over the arrivals of both.
#[test]
fn the_router_has_one_link_of_a_channel_send_at_a_time() {
    let medium = "{ wifi = { channel = \"kitchen\", most_packets = 1 } }";
    let text = format!(
        "name = \"channel\"\nduration_s = 900.0\n[dumbbell]\nrate_mbps = 80.0\nmedium = {medium}\n\
         medium_right_to_left = {medium}\nlayer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\n\
         layer2_gap_bytes = 0\nqueue = {{ scheme = \"drop-tail\", limit_packets = 1000 }}\n[users]\nper_side = 1\n"
    );
    let (mut network, addresses) = network(&text, Log::new(true, &CapturedPorts::default()));
    let (opener, port) = addresses.opener(0, 0).unwrap();
    let answerer = addresses.answerer(u32::try_from(addresses.machines()).unwrap() - 1);
    let ends = [
        WireAddress { address: opener.octets(), port },
        WireAddress { address: answerer.octets(), port: 80 },
    ];
    let mut dice = Key::from_seed(1).stream();
    let (mut at, mut pace) = (Time::ZERO, 1);
    for _ in 0..2_000 {
        if dice.below(10) == 0 {
            pace = 1 + dice.below(1_200_000);
        }
        at += Span::from_nanoseconds(dice.below(pace));
        let (from, half) = if dice.below(2) == 0 { (0, Half::Active) } else { (1, Half::Passive) };
        let packet = WirePacket {
            at: Time::ZERO,
            source: ends[from],
            destination: ends[1 - from],
            traffic_class: 0,
            ip_bytes: 1_000,
            payload: WirePayload::Udp,
        };
        network.arrive(at, half, &packet.bytes());
        network.run_until(at, &mut |_, _, _| {});
    }
    network.run_until(Time::from_seconds(900.0), &mut |_, _, _| {});
    assert_eq!((network.under_way(), network.balance.refused), (0, [0; 5]));
    let rows = network.log.into_parts().0;
    let instants = |wanted: LogEvent| {
        let mut instants: Vec<Time> =
            rows.iter().filter(|row| row.event == wanted).map(|row| row.at).collect();
        instants.sort_unstable();
        instants
    };
    let links: BTreeSet<u32> = rows.iter().map(|row| row.link.0).collect();
    assert_eq!(links.len(), 2, "both directions");
    let mut ends = Time::ZERO;
    let expected: Vec<Time> = instants(LogEvent::Arrival)
        .into_iter()
        .map(|at| {
            ends = ends.max(at) + Span::from_nanoseconds(298_500);
            ends
        })
        .collect();
    assert_eq!(instants(LogEvent::Departure), expected);
    assert_eq!(expected.len(), 2_000);
}

/// Every third packet of a link that reorders each third arrives when it was sent, and the others 20 ms later
/// (`aqmlab_link`'s own tests have the rule): the router hands them over at these instants.
#[test]
fn the_router_hands_packets_over_when_a_delay_that_varies_says() {
    let text = "name = \"netem\"\nduration_s = 9.0\n[dumbbell]\nrate_mbps = 80.0\ndelay_ms = 20.0\n\
         netem = { reorder_probability = 1.0, reorder_gap = 3 }\nlayer2_overhead_bytes = 0\n\
         layer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\nqueue = { scheme = \"drop-tail\", limit_packets = 9 }\n\
         [users]\nper_side = 1\n";
    let (mut network, addresses) = network(text, Log::new(false, &CapturedPorts::default()));
    let (opener, port) = addresses.opener(0, 0).unwrap();
    let answerer = addresses.answerer(u32::try_from(addresses.machines()).unwrap() - 1);
    let packet = |number: u16| WirePacket {
        at: Time::ZERO,
        source: WireAddress { address: opener.octets(), port },
        destination: WireAddress { address: answerer.octets(), port: 80 },
        traffic_class: 0,
        ip_bytes: 1_000 + number,
        payload: WirePayload::Udp,
    };
    let at = |us: u64| Time::ZERO + Span::from_nanoseconds(1_000 * us);
    let mut handed_over = Vec::new();
    for number in 0..6 {
        network.arrive(at(1_000 * u64::from(number)), Half::Active, &packet(number).bytes());
        network.run_until(at(1_000 * u64::from(number)), &mut |due, _, packet| {
            handed_over.push((packet.len(), due.nanoseconds()));
        });
    }
    network
        .run_until(at(9_000_000), &mut |due, _, packet| handed_over.push((packet.len(), due.nanoseconds())));
    // 1,000 bytes take 80 µs at an interface of 100 Mbit/s and 100 on the link, and each one more 0.18.
    let early = |number: u16| {
        let (bytes, number) = (1_000 + usize::from(number), u64::from(number));
        (bytes, 1_000_000 * number + 180_000 + 180 * number)
    };
    let late = |number| (early(number).0, early(number).1 + 20_000_000);
    assert_eq!(handed_over, [early(2), early(5), late(0), late(1), late(3), late(4)]);
    assert_eq!(network.under_way(), 0);
}
