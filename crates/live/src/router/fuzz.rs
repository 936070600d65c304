//! Packets that nobody should send, fed to the router by the thousand: none makes it fail, and each is
//! accounted for.
//!
//! Ten million: `AQMLAB_FUZZ_PACKETS=10000000 cargo test --release -p aqmlab-live --lib fuzz`.

use super::connections::{Connections, Registration};
use super::log::Log;
use super::network::Network;
use crate::addresses::{Addresses, Half};
use crate::devices::{ETHERNET_BYTES, ROOM, packet_of_frame};
use crate::packet::headers::{Headers, MTU, Refusal};
use aqmlab_driver::measured_window;
use aqmlab_random::{Key, Stream};
use aqmlab_scenario::Scenario;
use aqmlab_session::{FlowId, Owner};
use aqmlab_units::{Span, Time};
use aqmlab_wire::{Flags, WireAddress, WireOptions, WirePacket, WirePayload, WireTcp, header_checksum};
use std::sync::mpsc::channel;

const TEXT: &str = r#"
name = "fuzz"
duration_s = 1.0
[dumbbell]
rate_mbps = 100.0
queue = { scheme = "fq-codel", limit_packets = 50, ecn = true }
[users]
per_side = 1
"#;
/// As many as a test run can afford.
const FEW: u64 = 20_000;
const CONNECTIONS: u64 = 50;

/// A packet of a connection that was registered, or one that could have been.
fn sound(addresses: &Addresses, coins: &mut Stream, half: Half) -> Vec<u8> {
    let machines = addresses.machines() as u64;
    let opener = coins.below(machines) as u32;
    let (address, port) = addresses.opener(opener, coins.below(2 * CONNECTIONS) as u32).unwrap();
    let opener = WireAddress { address: address.octets(), port };
    let answerer = addresses.answerer(coins.below(machines) as u32).octets();
    let answerer = WireAddress { address: answerer, port: 80 };
    let (source, destination) = if half == Half::Active { (opener, answerer) } else { (answerer, opener) };
    let payload = coins.below(1_400) as u16;
    let tcp = WireTcp {
        sequence: 1,
        acknowledgement: 1,
        flags: Flags::from_bits(coins.below(256) as u8),
        window: 65_535,
        largest_window: 1_000_000,
        segment_bytes: 1_460,
        payload,
        scales: true,
        options: WireOptions::default(),
    };
    let is_tcp = coins.below(4) > 0;
    let packet = WirePacket {
        at: Time::ZERO,
        source,
        destination,
        traffic_class: coins.below(256) as u8,
        ip_bytes: payload + 48,
        payload: if is_tcp { WirePayload::Tcp(tcp) } else { WirePayload::Udp },
    };
    packet.bytes()
}

/// The same packet with a few things wrong, half the time under a checksum that says that nothing is.
fn spoilt(mut packet: Vec<u8>, coins: &mut Stream) -> Vec<u8> {
    for _ in 0..coins.below(4) {
        let place = coins.below(packet.len().clamp(1, 60) as u64) as usize;
        match coins.below(6) {
            0 => packet.truncate(place),
            1 => packet.resize(coins.below(MTU as u64 + 40) as usize, 0xff),
            2 if packet.len() > 3 => packet[3] = coins.below(256) as u8,
            3 if !packet.is_empty() => packet[0] = coins.below(256) as u8,
            4 if packet.len() > 32 => packet[32] = coins.below(256) as u8,
            _ if !packet.is_empty() => packet[place.min(MTU)] ^= 1 << coins.below(8),
            _ => {}
        }
        if packet.is_empty() {
            break;
        }
    }
    let header = packet.first().map_or(0, |first| usize::from(first & 0x0f) * 4);
    if coins.below(2) == 0 && header >= 20 && packet.len() >= header {
        packet[10..12].copy_from_slice(&[0, 0]);
        let sum = header_checksum(&packet[..header]);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    packet
}

/// A frame with it, or what is left of one: too short, of another type, with padding behind.
fn framed(packet: &[u8], coins: &mut Stream) -> Vec<u8> {
    let mut frame = vec![2; ETHERNET_BYTES];
    frame[12..].copy_from_slice(&[0x08, 0x00]);
    frame.extend(packet);
    match coins.below(16) {
        0 => frame.truncate(coins.below(ETHERNET_BYTES as u64 + 4) as usize),
        1 => frame[12 + coins.below(2) as usize] ^= 1 << coins.below(8),
        2 => frame.resize(frame.len() + coins.below(50) as usize, 0),
        _ => {}
    }
    // What a socket has no room for is cut off.
    frame.truncate(ROOM);
    frame
}

pub(super) fn network(text: &str, log: Log) -> (Network, Addresses) {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    let addresses = Addresses::of(&scenario);
    let (register, registrations) = channel();
    for machine in 0..addresses.machines() as u32 {
        for number in 0..CONNECTIONS as u32 {
            let delays = [Span::from_milliseconds(u64::from(number)), Span::ZERO];
            let owner = Owner::Flow { flow: FlowId::of(0) };
            register.send(Registration { owner, opener: (machine, number), delays }).unwrap();
        }
    }
    let connections = Connections::new(&scenario, 1, registrations, Span::ZERO);
    (Network::new(&scenario, measured_window(&scenario), 1, connections, log), addresses)
}

#[test]
#[allow(clippy::disallowed_methods)] // how many, not what
fn whatever_a_namespace_sends_is_counted_and_never_a_failure() {
    let packets = std::env::var("AQMLAB_FUZZ_PACKETS").map_or(FEW, |text| text.parse().unwrap());
    let (mut network, addresses) = network(TEXT, Log::default());
    let mut coins = Key::from_seed(7).stream();
    let mut now = Time::ZERO;
    let mut handed_over = 0_u64;
    for number in 0..packets {
        let half = if coins.below(2) == 0 { Half::Active } else { Half::Passive };
        let packet = sound(&addresses, &mut coins, half);
        let packet = spoilt(packet, &mut coins);
        now += Span::from_nanoseconds(coins.below(40_000));
        // Half of them come as a packet socket reads them.
        let frame = (coins.below(2) == 0).then(|| framed(&packet, &mut coins));
        match frame.as_deref().map_or(Ok(&packet[..]), packet_of_frame) {
            Ok(packet) => network.arrive(now, half, packet),
            Err(refusal) => network.refuse(refusal),
        }
        network.run_until(now, &mut |due, _, bytes| {
            assert!(due <= now);
            assert_eq!(Headers::read(bytes).map(|read| usize::from(read.bytes)), Ok(bytes.len()));
            handed_over += 1;
        });
        if number % 4_096 == 0 || number + 1 == packets {
            let balance = network.balance;
            let refused: u64 = balance.refused.iter().sum();
            let gone = balance.handed_over + balance.discarded + refused;
            assert_eq!((balance.read, balance.handed_over), (gone + network.under_way(), handed_over));
        }
    }
    assert!(network.queues.iter().all(|link| link.check_conservation().is_ok()));
    let refused = network.balance.refused;
    assert_eq!(network.balance.read, packets);
    for (count, name) in refused.into_iter().zip(Refusal::NAMES) {
        assert!(count > packets / 1_000, "{name}: {count} of {packets}");
    }
    assert!(handed_over > packets / 20, "{handed_over}");
}
