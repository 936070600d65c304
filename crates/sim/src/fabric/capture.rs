//! What passed chosen ports, to be written as a pcapng file: a port is a monitored link with a queue.
//!
//! A packet is kept when the last of it has left on the link, which is where `departure` stands in the table
//! `packets`. The rest follows from numbers alone, so that equal runs give equal files: machine n of the
//! network has the address 10.0.0.0 + n + 1; who opened a connection has port 49,152 + its number modulo
//! 16,384; the other end has port 9, that of the discard protocol (RFC 863), since data are zeros and speak
//! no other; a source of datagrams has a port in the same way.

use super::options::Options;
use super::packet::Packet;
use crate::identifiers::{MonitoredId, ProfileId};
use aqmlab_aqm::Codepoint;
use aqmlab_driver::{datagram_sources, named_ports};
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_session::Side;
use aqmlab_tcp::{HostProfile, Segment, SegmentOptions};
use aqmlab_units::Time;
use aqmlab_wire::{WireAddress, WireOptions, WirePacket, WirePayload, WireTcp};
use std::fmt;

/// The port of who was called.
const DISCARD: u16 = 9;
/// The first dynamic port (RFC 6335 section 6), which no protocol has for itself.
const FIRST_PORT: u32 = 49_152;
const PORTS: u32 = (1 << 16) - FIRST_PORT;
const _: () = assert!(FIRST_PORT + PORTS - 1 <= u16::MAX as u32, "every port has 16 bits");

/// The ports of a run whose packets are to be kept; by default none.
#[derive(Clone, Debug, Default)]
pub struct CapturedPorts {
    /// By place among the monitored links.
    wanted: Vec<(MonitoredId, String)>,
}

/// Why packets cannot be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureRefused(String);

impl fmt::Display for CaptureRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CaptureRefused {}

impl CapturedPorts {
    /// The ports of these names.
    ///
    /// # Errors
    /// [`CaptureRefused`] if there is no such port, or if a host's headers are none that could stand on a
    /// wire.
    pub fn of(scenario: &Scenario, names: &[String]) -> Result<Self, CaptureRefused> {
        let places = named_ports(scenario, names).map_err(|unknown| CaptureRefused(unknown.to_string()))?;
        let wanted: Vec<(MonitoredId, String)> =
            places.into_iter().map(|(place, _)| MonitoredId::of(place)).zip(names.iter().cloned()).collect();
        if !wanted.is_empty() {
            scenario
                .connection_groups()
                .try_for_each(|group| headers_are_words(group.name, group.profile))?;
        }
        Ok(Self { wanted })
    }
}

/// Headers of IPv4 and TCP are whole words of four bytes.
fn headers_are_words(name: &str, profile: &HostProfile) -> Result<(), CaptureRefused> {
    let HostProfile { header_bytes, syn_header_bytes, .. } = *profile;
    for (key, bytes) in [("header_bytes", header_bytes), ("syn_header_bytes", syn_header_bytes)] {
        if bytes % 4 != 0 {
            let legal = "for a capture a multiple of 4";
            return Err(CaptureRefused(format!("host.{key} = {bytes} of \"{name}\": legal is {legal}")));
        }
    }
    Ok(())
}

/// The packets that passed a port.
pub type Capture = aqmlab_wire::Capture<WirePacket>;

/// Keeps what passes.
#[derive(Clone)]
pub(crate) struct Capturing {
    captures: Vec<(MonitoredId, Capture)>,
    /// By number of the connection: its machines, and its hosts' profile.
    ends: Vec<([NodeIndex; 2], ProfileId)>,
    /// The hosts of populations, then those of groups of flows: by [`ProfileId`].
    profiles: Vec<HostProfile>,
    /// Their codepoints of differentiated services.
    dscps: Vec<u8>,
    /// By number of the source of datagrams: its machines and its codepoint of differentiated services.
    sources: Vec<([NodeIndex; 2], u8)>,
}

impl Capturing {
    pub(crate) fn new(ports: &CapturedPorts, scenario: &Scenario) -> Self {
        let capture = |(id, name): &(MonitoredId, String)| (*id, Capture::of(name.clone()));
        let groups = scenario.datagrams.iter();
        let sources = groups.flat_map(|group| group.sources.iter().map(|ends| (*ends, group.dscp)));
        let sources = sources.chain(datagram_sources::pings(scenario).into_iter().map(|ends| (ends, 0)));
        Self {
            captures: ports.wanted.iter().map(capture).collect(),
            ends: Vec::new(),
            profiles: scenario.connection_groups().map(|group| group.profile.clone()).collect(),
            dscps: scenario.connection_groups().map(|group| group.dscp).collect(),
            sources: sources.collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    /// A connection of this number was made between two machines. Numbers come one after the other.
    pub(crate) fn opened(&mut self, number: u32, nodes: [NodeIndex; 2], profile: ProfileId) {
        debug_assert_eq!(self.ends.len(), number as usize, "numbers come one after the other");
        self.ends.push((nodes, profile));
    }

    /// A packet of a connection, or of a source of datagrams, has left on a link.
    pub(crate) fn keep(
        &mut self,
        at: Time,
        link: MonitoredId,
        (packet, options): (&Packet, &Options),
        number: u32,
    ) {
        let Some(place) = self.captures.iter().position(|(port, _)| *port == link) else { return };
        let wire = match packet.as_datagram() {
            Some((source, _)) => self.datagram(at, packet, source.number()),
            None if packet.payload().is_some() => self.of_other_transport(at, packet, number),
            None => self.segment(at, (packet, options.read(packet)), number),
        };
        self.captures[place].1.keep(wire);
    }

    fn segment(
        &self,
        at: Time,
        (packet, (segment, options)): (&Packet, (Segment, Option<SegmentOptions>)),
        number: u32,
    ) -> WirePacket {
        let (_, profile) = self.ends[number as usize];
        let profile = &self.profiles[profile.place()];
        let (source, destination) = self.addresses(packet, number);
        let tcp = WireTcp {
            sequence: segment.sequence.value(),
            acknowledgement: segment.acknowledgement.value(),
            flags: segment.flags,
            options: options.map_or_else(WireOptions::default, |said| wire_options(profile, &said)),
            window: profile.window_bytes.saturating_sub(u32::from(segment.unread)),
            largest_window: profile.window_bytes,
            segment_bytes: profile.maximum_segment_bytes,
            payload: segment.payload,
            scales: WireTcp::syn_has_room_to_scale(profile.syn_header_bytes),
        };
        WirePacket {
            at,
            source,
            destination,
            traffic_class: self.traffic_class(packet, number),
            ip_bytes: packet.ip_bytes(),
            payload: WirePayload::Tcp(tcp),
        }
    }

    /// Whatever its payload says, which is no TCP, it is seen as UDP with data of zeros.
    fn of_other_transport(&self, at: Time, packet: &Packet, number: u32) -> WirePacket {
        let (source, destination) = self.addresses(packet, number);
        let (traffic_class, ip_bytes) = (self.traffic_class(packet, number), packet.ip_bytes());
        WirePacket { at, source, destination, traffic_class, ip_bytes, payload: WirePayload::Udp }
    }

    fn traffic_class(&self, packet: &Packet, number: u32) -> u8 {
        let (_, profile) = self.ends[number as usize];
        traffic_class(packet, self.dscps[profile.place()])
    }

    /// Of the sender and the receiver of a packet of a connection.
    fn addresses(&self, packet: &Packet, number: u32) -> (WireAddress, WireAddress) {
        let ([active, passive], _) = self.ends[number as usize];
        let caller = WireAddress { address: address(active), port: port(number) };
        let called = WireAddress { address: address(passive), port: DISCARD };
        if packet.from() == Side::Active { (caller, called) } else { (called, caller) }
    }

    fn datagram(&self, at: Time, packet: &Packet, source: u32) -> WirePacket {
        let ([from, to], dscp) = self.sources[source as usize];
        WirePacket {
            at,
            source: WireAddress { address: address(from), port: port(source) },
            destination: WireAddress { address: address(to), port: DISCARD },
            traffic_class: traffic_class(packet, dscp),
            ip_bytes: packet.ip_bytes(),
            payload: WirePayload::Udp,
        }
    }

    pub(crate) fn into_captures(self) -> Vec<Capture> {
        self.captures.into_iter().map(|(_, capture)| capture).collect()
    }
}

/// What the options say beside the segment size and the scale of windows.
fn wire_options(profile: &HostProfile, said: &SegmentOptions) -> WireOptions {
    let mut blocks = [None; 4];
    for (block, (start, end)) in blocks.iter_mut().zip(said.blocks.as_slice()) {
        *block = Some([start.value(), end.value()]);
    }
    WireOptions {
        permits_blocks: profile.has_options(),
        timestamps: said.timestamps.map(|stamps| [stamps.value, stamps.echo]),
        blocks,
        counts: said.counts.map(|counts| [counts.ect1, counts.marked, counts.ect0]),
    }
}

/// The byte of the header that has both codepoints, where the sender has set this one.
fn traffic_class(packet: &Packet, dscp: u8) -> u8 {
    let dscp = if packet.is_washed() { 0 } else { dscp };
    dscp << 2 | ecn_field(packet)
}

/// RFC 3168 section 5.
fn ecn_field(packet: &Packet) -> u8 {
    match packet.codepoint() {
        Codepoint::NotEct => 0b00,
        Codepoint::Ect1 => 0b01,
        Codepoint::Ect0 => 0b10,
        Codepoint::Ce => 0b11,
    }
}

fn address(node: NodeIndex) -> [u8; 4] {
    let [_, high, middle, low] = (node.0 + 1).to_be_bytes();
    [10, high, middle, low]
}

fn port(number: u32) -> u16 {
    #[allow(clippy::cast_possible_truncation)] // asserted above
    let port = (FIRST_PORT + number % PORTS) as u16;
    port
}
