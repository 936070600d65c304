//! Several hardware queues with a CAKE each, which share one rate: instants worked out by hand from Linux's
//! `cake_dequeue`, and shares in closed form.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::{Codepoint, Port, PortFacts};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Time};
use keys::parse;
use packet::TestPacket;
use schemars::{Schema, json_schema};

/// Flows of the first and of the second half of all hashes.
const FIRST: u64 = 1;
const SECOND: u64 = 1 << 31;

/// Packets of 1,000 bytes take a millisecond of the shared 8 Mbit/s.
fn port(count: u32) -> Port<TestPacket> {
    let keys = json_schema!({ "scheme": "cake", "rate_mbps": 8.0, "flows": 8, "hardware_queues": count });
    Port::new(
        &scheme(&keys),
        PortFacts::new(Rate::from_megabits_per_second(1000.0)),
        Key::from_seed(1).stream(),
    )
}

fn scheme(keys: &Schema) -> aqmlab_aqm::Scheme {
    parse(keys).unwrap_or_else(|error| panic!("{error}"))
}

fn arrive(port: &mut Port<TestPacket>, at_ms: f64, flow: u64) {
    let mut packet = TestPacket::data(0, 1000, Codepoint::Ect0);
    packet.facts.flow = flow;
    port.arrive(Time::from_seconds(at_ms / 1e3), packet, &mut |_, reason| panic!("{}", reason.name()));
}

/// Asks whenever the port opens, until an instant; the instants in ms at which packets left, with their
/// flows.
fn leave(port: &mut Port<TestPacket>, from_ms: f64, until_ms: f64) -> Vec<(f64, u64)> {
    let (mut now, until) = (Time::from_seconds(from_ms / 1e3), Time::from_seconds(until_ms / 1e3));
    let mut left = Vec::new();
    while now < until {
        match port.depart(now, &mut |_, _| ()) {
            Some(packet) => left.push((now.seconds() * 1e3, packet.facts.flow)),
            None => now = port.opens().unwrap_or(until),
        }
    }
    left
}

#[test]
fn a_queue_has_half_of_the_rate_while_the_other_waits_or_has_sent_since_it_looked() {
    let mut port = port(2);
    (0..4).for_each(|_| arrive(&mut port, 0.0, FIRST));
    let mut left = leave(&mut port, 0.0, 1.5);
    (0..5).for_each(|_| arrive(&mut port, 1.5, SECOND));
    left.extend(leave(&mut port, 1.5, 20.0));
    // Alone the first sends every 1 ms. At 1.5 the second finds it waiting, at 2.0 the first finds the
    // second: 2 ms each. At 5.5 the second finds the first empty, but it sent at 4.0, after the look at 3.5;
    // at 7.5 it has not, and the next packet comes after 1 ms.
    let expected = [
        (0.0, FIRST),
        (1.0, FIRST),
        (1.5, SECOND),
        (2.0, FIRST),
        (3.5, SECOND),
        (4.0, FIRST),
        (5.5, SECOND),
        (7.5, SECOND),
        (8.5, SECOND),
    ];
    assert_eq!(left.len(), expected.len(), "{left:?}");
    for ((at, flow), (expected_at, expected_flow)) in left.into_iter().zip(expected) {
        assert!((at - expected_at).abs() < 1e-6 && flow == expected_flow, "{at} {flow}: {expected_at}");
    }
}

#[test]
fn flows_of_one_queue_share_its_part_and_all_together_have_the_rate() {
    for (flows, expected) in [
        // Three flows in two queues: the one alone has half.
        (vec![FIRST, SECOND, SECOND + 1], vec![500, 250, 250]),
        (vec![SECOND, SECOND + 1], vec![500, 500]),
    ] {
        let mut port = port(2);
        for &flow in &flows {
            (0..1100).for_each(|_| arrive(&mut port, 0.0, flow));
        }
        // In one CAKE each flow has as much as another; drops of COBALT take nothing from the rate.
        let left = leave(&mut port, 0.0, 1000.0);
        for (flow, packets) in flows.iter().zip(expected) {
            let count = left.iter().filter(|(_, own)| own == flow).count();
            assert!(count.abs_diff(packets) <= 3, "flow {flow}: {count}, not {packets}");
        }
    }
}

/// Packets of 1,000 bytes beside those of 40: in turns of 1,514 bytes or more two go, and then 38.
#[test]
fn without_a_rate_queues_share_bytes_and_not_packets() {
    let keys = json_schema!({ "scheme": "cake", "flows": 8, "hardware_queues": 2 });
    let mut port = Port::<TestPacket>::new(
        &scheme(&keys),
        PortFacts::new(Rate::from_megabits_per_second(1000.0)),
        Key::from_seed(1).stream(),
    );
    for (flow, bytes) in [(FIRST, 1000), (SECOND, 40)] {
        for _ in 0..400 {
            let mut packet = TestPacket::data(0, bytes, Codepoint::Ect0);
            packet.facts.flow = flow;
            port.arrive(Time::ZERO, packet, &mut |_, reason| panic!("{}", reason.name()));
        }
    }
    let left: Vec<u64> = (0..400)
        .filter_map(|_| port.depart(Time::ZERO, &mut |_, _| ()))
        .map(|packet| packet.facts.flow)
        .collect();
    let large = left.iter().filter(|&&flow| flow == FIRST).count();
    assert_eq!(large, 20, "two of 40");
}

#[test]
fn what_the_kernel_refuses_is_refused() {
    let refused = |more: &str| {
        let mut keys = json_schema!({ "scheme": "cake", "rate_mbps": 8.0, "hardware_queues": 2 });
        keys.insert(more.to_owned(), true.into());
        scheme(&keys).validate().map_err(|error| error.key.into_owned())
    };
    assert_eq!(refused("autorate_ingress"), Err("hardware_queues".to_owned()));
    assert_eq!(refused("wash"), Ok(()));
    assert!(!scheme(&json_schema!({ "scheme": "cake", "hardware_queues": 2 })).is_one_queue());
}
