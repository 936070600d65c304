//! Bytes of the link layer that a queue counts: what goes by bytes sees them, what is reported are IP
//! lengths.

#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::{Codepoint, HeaderFields, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Time};
use packet::TestPacket;
use serde_json::{Value, json};

/// An Ethernet header.
const HEADER: u32 = 14;
const ACK: u32 = 40;
const FULL: u32 = 1500;

fn port(scheme: Value, layer2_queued_bytes: u32, seed: u64) -> Port<TestPacket> {
    let scheme: Scheme = serde_json::from_value(scheme).expect("a scheme");
    let facts = PortFacts::new(Rate::from_megabits_per_second(1.0));
    let facts = facts.with_layer2_queued_bytes(layer2_queued_bytes);
    Port::new(&scheme, facts, Key::from_seed(seed).stream())
}

/// Packets of these sizes arrive at an instant; answers with how many of them were discarded.
fn arrive(port: &mut Port<TestPacket>, now: Time, sizes: &[u32]) -> usize {
    let mut lost = 0;
    for &bytes in sizes {
        let packet = TestPacket::data(0, bytes, Codepoint::NotEct);
        port.arrive(now, packet, &mut |_, _| lost += 1);
    }
    lost
}

/// PI that holds the queue at 0, with a gain per packet.
fn pi(measure: &str, a: f64) -> Value {
    json!({ "scheme": "pi", "limit_packets": 100, "q_ref_packets": 0.0, "measure": measure, "scale_probability": "mean",
            "mean_packet_bytes": 500, "gains": { "fixed": { "a": a, "b": a / 2.0 } } })
}

/// REM that holds the queue at 0, with a price of 1 per packet.
fn rem(measure: &str, phi: f64) -> Value {
    json!({ "scheme": "rem", "limit_packets": 100, "q_ref_packets": 0.0, "measure": measure, "scale_probability": "mean",
            "mean_packet_bytes": 500, "gamma": 1.0, "alpha": 0.1, "phi": phi })
}

/// What REM's price is after its first 2 ms, in which as many packets of mean size came as wait now: 1 Mbit/s
/// sends half of such a packet.
fn price(packets: f64) -> f64 {
    0.1 * packets + packets - 0.5
}

/// The first updates of PI, at 160 Hz, and of REM.
const FIRST_OF_PI: Time = Time::from_nanoseconds(6_250_000);
const FIRST_OF_REM: Time = Time::from_nanoseconds(2_000_000);

/// Three full packets are 9 packets of mean size by their IP lengths, and 3 * 1,514 / 500 = 9.084 with their
/// headers.
#[test]
fn a_length_in_bytes_is_that_of_frames() {
    for (header, length) in [(0, 9.0), (HEADER, 9.084)] {
        for (scheme, update, expected) in [
            (pi("bytes", 0.01), FIRST_OF_PI, 0.01 * length),
            (rem("bytes", 1.01), FIRST_OF_REM, 1.0 - libm::pow(1.01, -price(length))),
        ] {
            let mut port = port(scheme, header, 1);
            assert_eq!(arrive(&mut port, Time::ZERO, &[FULL; 3]), 0);
            port.advance(update);
            let found = port.signal_probability().value();
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
    }
}

/// A packet of 500 bytes is lost with the scheme's probability p, an acknowledgement of 40 bytes with p * 40
/// / 500 and in its frame with p * 54 / 500, a full packet with p * 1,500 / 500 and in its frame with p *
/// 1,514 / 500. The coin shows between the two.
#[test]
fn a_probability_by_size_is_that_of_a_frame() {
    // Three packets wait, measured in packets: p is the same with and without the header.
    let fourth_coin = |seed| {
        let mut coins = Key::from_seed(seed).stream();
        [(); 4].map(|()| coins.uniform())[3]
    };
    let seed = (1..).find(|&seed| fourth_coin(seed) < 0.05).expect("one in twenty");
    for (bytes, between) in [(ACK, 47.0), (FULL, 1507.0)] {
        let p = fourth_coin(seed) * 500.0 / between;
        let phi = libm::pow(1.0 - p, -1.0 / price(3.0));
        for (scheme, update) in [(pi("packets", p / 3.0), FIRST_OF_PI), (rem("packets", phi), FIRST_OF_REM)] {
            for (header, lost) in [(0, 0), (HEADER, 1)] {
                let mut port = port(scheme.clone(), header, seed);
                assert_eq!(arrive(&mut port, Time::ZERO, &[FULL; 3]), 0);
                port.advance(update);
                assert!((port.signal_probability().value() - p).abs() < 1e-12, "{scheme}");
                assert_eq!(arrive(&mut port, update, &[bytes]), lost, "{bytes} bytes and {header}: {scheme}");
            }
        }
    }
}

/// 3,068 bytes hold two full packets and an acknowledgement of 28 to spare, or two frames of 1,514 and no
/// acknowledgement.
#[test]
fn a_limit_in_bytes_is_one_of_frames() {
    for (header, lost) in [(0, [0, 0, 0]), (HEADER, [0, 0, 1])] {
        let mut port = port(json!({ "scheme": "drop-tail", "limit_bytes": 3068 }), header, 1);
        assert_eq!([FULL, FULL, ACK].map(|bytes| arrive(&mut port, Time::ZERO, &[bytes])), lost);
        // What is reported are IP lengths, and they add up.
        let waiting = if header == 0 { 3040 } else { 3000 };
        assert_eq!((port.bytes(), port.counters().arrivals().total().bytes), (waiting, 3040));
        assert_eq!(port.counters().discards(Reason::Overflow).total().bytes, 3040 - waiting);
        port.check_conservation().unwrap();
        let first = port.depart(Time::from_nanoseconds(7), &mut |_, _| {}).expect("it waits");
        assert_eq!((first.facts.bytes, port.bytes()), (FULL, waiting - 1500));
        assert_eq!(port.counters().departures().total().bytes, 1500);
        port.check_conservation().unwrap();
    }
}

/// A turn of 1,514 bytes is one frame of a full packet, but more than its IP length: the flow may then send
/// another.
#[test]
fn a_turn_is_one_of_frames() {
    for (header, expected) in [(0, [1, 1, 2, 2]), (HEADER, [1, 2, 1, 2])] {
        let mut port = port(json!({ "scheme": "fq-codel", "quantum_bytes": 1514 }), header, 1);
        for (id, flow) in [(1, 1), (1, 1), (2, 2), (2, 2)] {
            let header = |_: &TestPacket| HeaderFields { flow_hash: flow, ..HeaderFields::default() };
            let packet = TestPacket::data(id, FULL, Codepoint::NotEct);
            port.arrive_with(Time::ZERO, packet, header, &mut |_, _| panic!("there is room"));
        }
        assert_eq!(port.bytes(), 6000);
        let sent = [0; 4].map(|now| port.depart(Time::from_nanoseconds(now), &mut |_, _| {}));
        assert_eq!(sent.map(|packet| packet.expect("four wait").id), expected, "{header} bytes");
        assert_eq!((port.bytes(), port.counters().departures().total().bytes), (0, 6000));
        port.check_conservation().unwrap();
    }
}

/// Behind a guard as well: the queue's lengths are those of frames, and what is reported adds up.
#[test]
fn a_guarded_queue_counts_frames() {
    for (header, lost) in [(0, 0), (HEADER, 1)] {
        let scheme =
            json!({ "scheme": "red-pd", "limit_bytes": 3020, "min_th_packets": 50, "max_th_packets": 90 });
        let mut port = port(scheme, header, 1);
        assert_eq!(arrive(&mut port, Time::ZERO, &[FULL, FULL]), lost);
        port.check_conservation().unwrap();
        assert_eq!(port.bytes(), 3000 - 1500 * lost as u64);
        assert_eq!(port.queue(0).expect("it is told apart").bytes, port.bytes());
    }
}
