//! Addresses and ports of connections and of sources of datagrams, and the hashes by which ports with several
//! queues sort their packets.
//!
//! A node's address is its number in the scenario. The end that opens a connection takes the next of its
//! node's ephemeral ports, the other end listens at port 80. The hash is made once, when the connection
//! opens, under a key of the run: it belongs to addresses and ports, whatever place a connection has in
//! memory. Beside it stands the differentiated services codepoint, which the scenario gives. Nothing of this
//! is kept where no port classifies.
//!
//! Packets of a connection that is over may still be under way, and are sorted as before. When the next
//! connection takes its place, its hashes move to a map; whenever the map has grown enough, those are dropped
//! of which no packet is under way. So memory follows open connections and packets under way, not the
//! connections that ever were.

use super::packet::Packet;
use crate::identifiers::{ConnectionIdentity, ProfileId};
use aqmlab_aqm::{FiveTuple, HeaderFields};
use aqmlab_driver::datagram_sources;
use aqmlab_random::Key;
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_session::Side;
use std::collections::BTreeMap;

/// The ports that a node takes in turn (RFC 6335, section 6).
const FIRST_EPHEMERAL_PORT: u16 = 49_152;
const EPHEMERAL_PORTS: u16 = 16_384;
const LISTENING_PORT: u16 = 80;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Connections that are over whose hashes are kept without asking whether their packets are still under way.
const LEAST_ROOM: usize = 1_024;

/// Packets that are looked at for each connection that may be added before they are looked at again.
const PACKETS_PER_ROOM: usize = 8;

/// What ports sort the packets of each end by.
type OfEnds = [HeaderFields; 2];

/// The connection that has a place, or had it last.
#[derive(Clone, Copy)]
struct Connection {
    generation: u16,
    fields: OfEnds,
}

/// The hashes of the connections of which packets are under way, and for a while those of others.
#[derive(Clone)]
pub(crate) struct FlowHashes {
    key: Key,
    is_wanted: bool,
    /// Connections that each node has opened.
    opened: Vec<u16>,
    /// By place: the connection that was opened there last.
    connections: Vec<Option<Connection>>,
    /// By place and generation: connections that were there before it.
    earlier: BTreeMap<ConnectionIdentity, OfEnds>,
    /// How many of these there may be before they are looked through.
    most_earlier: usize,
    /// Codepoints of the packets of each population and group of flows, by its host profile.
    dscps: Vec<u8>,
    /// Their protocols: TCP's, or UDP's where another transport is carried by it.
    protocols: Vec<u8>,
    /// By source of datagrams.
    of_sources: Vec<HeaderFields>,
}

impl FlowHashes {
    /// Memory in bytes of each open connection: for estimates.
    pub(crate) const BYTES_PER_CONNECTION: usize = size_of::<Option<Connection>>();

    /// No connections yet, among the nodes of the scenario.
    pub(crate) fn new(is_wanted: bool, scenario: &Scenario, key: Key) -> Self {
        let nodes = scenario.network.nodes.len();
        let key = key.named("flow hash");
        let of_sources = if is_wanted { of_sources(scenario, key) } else { Vec::new() };
        let dscps = scenario.connection_groups().map(|group| group.dscp).collect();
        let protocol = |is_tcp| if is_tcp { TCP } else { UDP };
        let protocols = scenario.connection_groups().map(|group| protocol(group.transport.is_none()));
        Self {
            protocols: protocols.collect(),
            key,
            is_wanted,
            opened: vec![0; nodes],
            connections: Vec::new(),
            earlier: BTreeMap::new(),
            most_earlier: LEAST_ROOM,
            dscps,
            of_sources,
        }
    }

    /// A connection was opened from a node to another under a profile, and has this place and generation.
    #[inline]
    pub(crate) fn open(&mut self, nodes: [NodeIndex; 2], profile: ProfileId, connection: ConnectionIdentity) {
        if self.is_wanted {
            let fields = self.fields(nodes, profile);
            self.move_in(connection, fields);
        }
    }

    /// Of the next connection that is opened from a node to another.
    fn fields(&mut self, [active, passive]: [NodeIndex; 2], profile: ProfileId) -> OfEnds {
        let opened = &mut self.opened[active.0 as usize];
        let port = next_port(opened);
        let protocol = self.protocols[profile.place()];
        let there = FiveTuple {
            source: active.0,
            destination: passive.0,
            source_port: port,
            destination_port: LISTENING_PORT,
            protocol,
        };
        let back = FiveTuple {
            source: passive.0,
            destination: active.0,
            source_port: LISTENING_PORT,
            destination_port: port,
            protocol,
        };
        let dscp = self.dscps[profile.place()];
        [there, back].map(|tuple| fields_of(&tuple, self.key, dscp))
    }

    /// A connection takes a place from the one before it.
    fn move_in(&mut self, connection: ConnectionIdentity, fields: OfEnds) {
        let ConnectionIdentity { place, generation } = connection;
        let count = self.connections.len().max(place as usize + 1);
        self.connections.resize(count, None);
        let before = self.connections[place as usize].replace(Connection { generation, fields });
        if let Some(before) = before {
            let earlier = ConnectionIdentity { generation: before.generation, ..connection };
            self.earlier.insert(earlier, before.fields);
        }
    }

    /// Connections of which something is kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.connections.len() + self.earlier.len()
    }

    /// Whether so many connections are over that [`Self::forget_all_but`] is due.
    pub(crate) fn is_crowded(&self) -> bool {
        self.earlier.len() > self.most_earlier
    }

    /// Drops the hashes of connections that are over, all but those of these packets, which are all that are
    /// under way, and perhaps others. Afterwards there is room for so many more connections that a look at a
    /// packet costs each of them little.
    pub(crate) fn forget_all_but(&mut self, packets: impl Iterator<Item = Packet>) {
        let mut looked_at = 0;
        let mut kept = BTreeMap::new();
        for packet in packets {
            looked_at += 1;
            let connection = packet.connection_identity();
            if let Some(fields) = self.earlier.remove(&connection) {
                kept.insert(connection, fields);
            }
        }
        self.most_earlier = kept.len() + LEAST_ROOM.max(looked_at / PACKETS_PER_ROOM);
        self.earlier = kept;
    }

    /// What a port sorts a packet by.
    #[inline]
    pub(crate) fn header_of(&self, packet: &Packet) -> HeaderFields {
        let header = self.header_as_sent(packet);
        if packet.is_washed() { HeaderFields { dscp: 0, ..header } } else { header }
    }

    #[inline]
    fn header_as_sent(&self, packet: &Packet) -> HeaderFields {
        if let Some((source, _)) = packet.as_datagram() {
            return self.of_sources[source.place()];
        }
        let side = usize::from(packet.from() == Side::Passive);
        match &self.connections[packet.connection() as usize] {
            Some(connection) if connection.generation == packet.generation() => connection.fields[side],
            _ => self.earlier_header_of(packet)[side],
        }
    }

    #[cold]
    #[inline(never)]
    fn earlier_header_of(&self, packet: &Packet) -> &OfEnds {
        &self.earlier[&packet.connection_identity()]
    }
}

/// What ports sort the packets of a flow by.
fn fields_of(tuple: &FiveTuple, key: Key, dscp: u8) -> HeaderFields {
    HeaderFields { flow_hash: tuple.hash(key), dscp, source: tuple.source, destination: tuple.destination }
}

/// The next ephemeral port of a node that has taken so many.
const fn next_port(taken: &mut u16) -> u16 {
    let port = FIRST_EPHEMERAL_PORT + *taken % EPHEMERAL_PORTS;
    *taken = taken.wrapping_add(1);
    port
}

/// Of each source of datagrams, which keeps its port for the whole run.
fn of_sources(scenario: &Scenario, key: Key) -> Vec<HeaderFields> {
    let mut taken = vec![0; scenario.network.nodes.len()];
    let mut fields = Vec::new();
    let mut add = |[from, to]: [NodeIndex; 2], dscp: u8| {
        let tuple = FiveTuple {
            source: from.0,
            destination: to.0,
            source_port: next_port(&mut taken[from.0 as usize]),
            destination_port: LISTENING_PORT,
            protocol: UDP,
        };
        fields.push(fields_of(&tuple, key, dscp));
    };
    for group in &scenario.datagrams {
        group.sources.iter().for_each(|&ends| add(ends, group.dscp));
    }
    datagram_sources::pings(scenario).into_iter().for_each(|ends| add(ends, 0));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::path::{Delayed, Path};
    use crate::identifiers::{Column, Egress, Hop};
    use aqmlab_aqm::Codepoint;
    use aqmlab_record::SentDatagram;
    use aqmlab_session::DatagramSourceId;
    use aqmlab_tcp::{Flags, Segment, SequenceNumber};
    use aqmlab_units::Time;
    use std::collections::{BTreeSet, VecDeque};

    const PROFILE: ProfileId = ProfileId::from_number(0);
    const ENDS: [NodeIndex; 2] = [NodeIndex(3), NodeIndex(7)];

    /// Ten nodes, of which one sends datagrams twice.
    fn nodes() -> Scenario {
        let text = "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 1.0\n\
                    browser_machines_per_side = 2\nserver_machines_per_side = 2\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 9 }\n\
                    [[datagrams]]\ncount = 4\ndirection = \"left-to-right\"\npacket_bytes = 100\n\
                    rate_mbps = 0.1\ndscp = 46\n\
                    [[flows]]\ncount = 1\ndirection = \"left-to-right\"\ndscp = 10\n";
        Scenario::from_toml(text, "x", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    const PATH: Path = Path {
        delay_ns: 0,
        egress: Egress::DELIVERY,
        at: Hop::ARRIVED,
        destination: Column::from_number(0),
        rank: Path::AT_ONCE,
        delayed: Delayed::AtNode,
    };

    const fn at(place: u32, generation: u16) -> ConnectionIdentity {
        ConnectionIdentity { place, generation }
    }

    fn packet(connection: ConnectionIdentity, from: Side) -> Packet {
        let segment = Segment {
            sequence: SequenceNumber::new(0),
            acknowledgement: SequenceNumber::new(0),
            payload: 0,
            flags: Flags::SYN,
            ect: false,
            unread: 0,
        };
        Packet::new(&segment, 40, connection, from, &PATH)
    }

    fn hash_of(hashes: &FlowHashes, connection: ConnectionIdentity, from: Side) -> u32 {
        hashes.header_of(&packet(connection, from)).flow_hash
    }

    #[test]
    fn a_hash_belongs_to_addresses_and_ports_and_not_to_a_place() {
        let mut one = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        let mut other = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        one.open(ENDS, PROFILE, at(0, 0));
        other.open([ENDS[1], ENDS[0]], PROFILE, at(0, 0));
        other.open(ENDS, PROFILE, at(5, 2));
        for side in [Side::Active, Side::Passive] {
            assert_eq!(hash_of(&one, at(0, 0), side), hash_of(&other, at(5, 2), side));
        }
        assert_ne!(hash_of(&one, at(0, 0), Side::Active), hash_of(&one, at(0, 0), Side::Passive));
        assert_ne!(
            hash_of(&other, at(0, 0), Side::Active),
            hash_of(&one, at(0, 0), Side::Passive),
            "other ports"
        );
    }

    #[test]
    fn sources_of_datagrams_differ_in_machine_or_port_and_all_have_their_codepoint() {
        let hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        let of = |source| {
            let sent = SentDatagram { sent: Time::ZERO, ip_bytes: 100 };
            let packet = Packet::datagram((DatagramSourceId::of(source), 0), sent, Codepoint::NotEct, &PATH);
            hashes.header_of(&packet)
        };
        let found: BTreeSet<u32> = (0..4).map(|source| of(source).flow_hash).collect();
        assert_eq!((found.len(), of(3).dscp), (4, 46));
        let mut hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        hashes.open(ENDS, PROFILE, at(0, 0));
        for side in [Side::Active, Side::Passive] {
            assert_eq!(hashes.header_of(&packet(at(0, 0), side)).dscp, 10, "{side:?}");
        }
    }

    #[test]
    fn a_late_packet_keeps_the_hash_of_its_own_connection() {
        let mut hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        hashes.open(ENDS, PROFILE, at(0, 0));
        let first = hash_of(&hashes, at(0, 0), Side::Active);
        hashes.open(ENDS, PROFILE, at(0, 1));
        assert_eq!(hash_of(&hashes, at(0, 0), Side::Active), first);
        assert_ne!(hash_of(&hashes, at(0, 1), Side::Active), first, "another port");
    }

    /// A hundred thousand connections one after the other in three places. Of each a packet either way is
    /// late by 250 connections, and of every thousandth until the end: all are sorted as when their
    /// connection was open, and what is kept is bounded by what is under way.
    #[test]
    fn hashes_end_with_the_last_packet_of_their_connection() {
        let mut hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        let mut under_way: VecDeque<(Packet, HeaderFields)> = VecDeque::new();
        let mut until_the_end = Vec::new();
        let mut most_kept = 0;
        for number in 0..100_000_u32 {
            let connection = at(number % 3, u16::try_from(number / 3).expect("33,333 generations"));
            hashes.open(ENDS, PROFILE, connection);
            for side in [Side::Active, Side::Passive] {
                let packet = packet(connection, side);
                under_way.push_back((packet, hashes.header_of(&packet)));
            }
            while under_way.len() > 500 {
                let (packet, header) = under_way.pop_front().expect("there are 500");
                assert_eq!(hashes.header_of(&packet), header, "{packet:?}");
                if number % 1_000 == 0 {
                    until_the_end.push((packet, header));
                }
            }
            if hashes.is_crowded() {
                hashes.forget_all_but(under_way.iter().chain(&until_the_end).map(|(packet, _)| *packet));
            }
            most_kept = most_kept.max(hashes.earlier.len());
        }
        for (packet, header) in &until_the_end {
            assert_eq!(hashes.header_of(packet), *header, "{packet:?}");
        }
        assert_eq!(until_the_end.len(), 2 * 99, "none is late yet where the first thousandth opens");
        // 251 connections of late packets and 99 of those until the end, and one more than may be kept
        // without a look.
        assert!((LEAST_ROOM..=LEAST_ROOM + 251 + 99 + 1).contains(&most_kept), "{most_kept}");
        assert_eq!(hashes.connections.len(), 3);
    }

    /// RFC 6335 section 6: the dynamic ports are 49152 to 65535.
    #[test]
    fn ephemeral_ports_are_the_dynamic_ones_in_turn() {
        let port_after = |mut taken: u16| next_port(&mut taken);
        assert_eq!([0, 1, 16_383, 16_384, 65_535].map(port_after), [49_152, 49_153, 65_535, 49_152, 65_535]);
        let mut hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        for generation in 0..=EPHEMERAL_PORTS {
            hashes.open(ENDS, PROFILE, at(0, generation));
        }
        let of = |generation| hash_of(&hashes, at(0, generation), Side::Active);
        assert_eq!(of(0), of(EPHEMERAL_PORTS));
    }

    #[test]
    fn packets_are_hashed_from_the_end_that_sends_them() {
        let mut hashes = FlowHashes::new(true, &nodes(), Key::from_seed(1));
        hashes.open(ENDS, PROFILE, at(0, 0));
        let [opener, listener] = ENDS.map(|node| node.0);
        let request = FiveTuple {
            source: opener,
            destination: listener,
            source_port: 49_152,
            destination_port: 80,
            protocol: 6,
        };
        assert_eq!(hash_of(&hashes, at(0, 0), Side::Active), request.hash(hashes.key));
        let response = FiveTuple {
            source: listener,
            destination: opener,
            source_port: 80,
            destination_port: 49_152,
            protocol: 6,
        };
        assert_eq!(hash_of(&hashes, at(0, 0), Side::Passive), response.hash(hashes.key));
    }
}
