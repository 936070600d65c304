//! The pings of a program in the router that sets its shapers: packets of the router's own, which take the
//! ways of the scenario and are nobody's traffic.

use super::paths::Paths;
use crate::addresses::{Addresses, Half};
use crate::packet::ping::Ping;
use aqmlab_aqm::{Codepoint, FiveTuple, HeaderFields, PacketClass, PacketFacts};
use aqmlab_driver::{PING_BYTES, ShaperFollower};
use aqmlab_random::Key;
use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::Time;
use aqmlab_wire::{WireAddress, WirePacket, WirePayload};

/// The protocol number of UDP: a ping is a datagram, as in the simulator.
const DATAGRAM: u8 = 17;
/// Where datagrams are sent back (RFC 862).
const ECHO_PORT: u16 = 7;

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
        let own = u64::from(addresses.machine(described.node));
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
                    // The router's own machine opens nothing else.
                    flow: own << 40 | u64::from(pinger) << 8 | u64::from(is_response),
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

#[cfg(test)]
mod tests {
    use super::super::capture::CapturedPorts;
    use super::super::fuzz::network;
    use super::super::log::Log;
    use super::*;
    use aqmlab_record::ShaperSummary;
    use aqmlab_units::Span;

    /// A home that sends 30 Mbit/s over a line of 20 up, of which after five seconds 4 are left.
    const HOME: &str = r#"
name = "home"
duration_s = 10.0
[line]
technology = "other"
conditions_file = "line.csv"
shaped_share_down = 0.8
shaped_share_up = 0.8
cake_autorate = { minimum_share = 0.2, maximum_share = 1.5 }
[[devices]]
name = "computer"
[[datagrams]]
name = "flood"
count = 1
direction = "up"
packet_bytes = 1000
rate_mbps = 30.0
[files]
"line.csv" = "t_s,down_mbps,up_mbps\n0,50,20\n5,50,4\n"
"#;

    #[test]
    fn a_live_router_pings_and_its_shapers_follow_the_line() {
        let (mut network, addresses) = network(HOME, Log::new(false, &CapturedPorts::default()));
        // Machines are the hosts in the order of the nodes: eight of the Internet, then the computer.
        let (opener, port) = addresses.opener(8, 0).unwrap();
        let packet = WirePacket {
            at: Time::ZERO,
            source: WireAddress { address: opener.octets(), port },
            destination: WireAddress { address: addresses.answerer(0).octets(), port: 80 },
            traffic_class: 0,
            ip_bytes: 1_000,
            payload: WirePayload::Udp,
        };
        let bytes = packet.bytes();
        let every = Span::from_nanoseconds(266_667);
        let mut now = Time::ZERO;
        while now < Time::from_seconds(10.0) {
            network.arrive(now, Half::Active, &bytes);
            network.run_until(now, &mut |_, _, _| {});
            now += every;
        }
        network.run_until(Time::from_seconds(10.0), &mut |_, _, _| {});
        assert_eq!(network.balance.refused, [0; 5]);
        let shapers = network.shapers();
        let [down, up]: &[ShaperSummary; 2] = shapers[..].try_into().unwrap();
        // The mean up is 12 Mbit/s: from 0.8 of it up to 1.5 while the line has more, and down to 0.2 behind.
        assert_eq!((up.minimum_mbps, up.maximum_mbps), (2.4, 18.0), "{up:?}");
        assert!(up.changes > 20, "{up:?}");
        // Half of a round trip counts for each way: the way down is slowed too, and never was loaded.
        assert!(down.minimum_mbps < 20.0 && (down.maximum_mbps - 40.0).abs() < 1e-9, "{down:?}");
    }
}
