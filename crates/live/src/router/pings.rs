//! The pings of a program in the router that sets its shapers: packets of the router's own, which take the
//! ways of the scenario and are nobody's traffic.

use super::paths::Paths;
use crate::addresses::{Addresses, Half};
use aqmlab_aqm::{Codepoint, FiveTuple, HeaderFields, PacketClass, PacketFacts};
use aqmlab_driver::{PING_BYTES, ShaperFollower};
use aqmlab_random::Key;
use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::Time;
use aqmlab_wire::{WireAddress, WirePacket, WirePayload};

/// Set in what tells flows apart: what hosts and programs of the user's send has not this bit alone.
const PING_FLOW: u64 = 1 << 62;
/// The protocol number of UDP: a ping is a datagram, as in the simulator.
const DATAGRAM: u8 = 17;
/// Where datagrams are sent back (RFC 862).
const ECHO_PORT: u16 = 7;

/// A ping or its response, on its way.
#[derive(Clone, Copy)]
pub(super) struct Ping {
    pub(super) pinger: u32,
    pub(super) number: u32,
    /// When the ping was sent.
    pub(super) sent: Time,
    pub(super) is_response: bool,
}

/// One way between the router and a reflector.
struct Way {
    path: u32,
    facts: PacketFacts,
    header: HeaderFields,
    bytes: Vec<u8>,
}

/// The program, and the ways of its pings and their responses, by reflector.
pub(super) struct Pings {
    pub(super) follower: ShaperFollower,
    ways: Vec<[Way; 2]>,
}

impl Pings {
    pub(super) fn new(
        scenario: &Scenario,
        position_of: impl Fn(LinkIndex) -> Option<usize>,
        (window, key): (MeasuredWindow, Key),
        (addresses, paths): (&Addresses, &Paths),
    ) -> Option<Self> {
        let described = scenario.shaper_follower.as_ref()?;
        let follower = ShaperFollower::new(scenario, position_of, window)?;
        let way = |pinger: u32, [from, to]: [aqmlab_scenario::NodeIndex; 2], is_response: bool| {
            let port = 1_024 + u16::try_from(pinger).ok()?;
            let [source_port, destination_port] =
                if is_response { [ECHO_PORT, port] } else { [port, ECHO_PORT] };
            let [source, destination] = [from, to].map(|node| addresses.machine(node));
            let tuple = FiveTuple {
                source: from.0,
                destination: to.0,
                source_port,
                destination_port,
                protocol: DATAGRAM,
            };
            let end = |machine, port| WireAddress { address: addresses.answerer(machine).octets(), port };
            let packet = WirePacket {
                at: Time::ZERO,
                source: end(source, source_port),
                destination: end(destination, destination_port),
                traffic_class: 0,
                ip_bytes: PING_BYTES,
                payload: WirePayload::Udp,
            };
            Some(Way {
                path: paths.between(source, destination)?,
                facts: PacketFacts {
                    flow: PING_FLOW | u64::from(pinger) << 1 | u64::from(is_response),
                    bytes: u32::from(PING_BYTES),
                    codepoint: Codepoint::NotEct,
                    class: PacketClass::Datagram,
                },
                header: HeaderFields {
                    flow_hash: tuple.hash(key),
                    dscp: 0,
                    source: from.0,
                    destination: to.0,
                },
                bytes: packet.bytes(),
            })
        };
        let ways = (0..).zip(&described.reflectors).map(|(pinger, &reflector)| {
            let there = way(pinger, [described.node, reflector], false)?;
            Some([there, way(pinger, [reflector, described.node], true)?])
        });
        Some(Self { follower, ways: ways.collect::<Option<_>>()? })
    }

    /// What a packet of a ping consists of, and the half of the network that it goes to.
    pub(super) fn packet(&self, ping: Ping) -> (u32, PacketFacts, HeaderFields, &[u8], Half) {
        let Way { path, facts, header, bytes } =
            &self.ways[ping.pinger as usize][usize::from(ping.is_response)];
        let to = if ping.is_response { Half::Active } else { Half::Passive };
        (*path, *facts, *header, bytes, to)
    }
}
