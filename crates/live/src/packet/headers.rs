//! What the router reads in a packet, and what that is to queues and hosts. How headers are laid out is known
//! to `aqmlab-wire`.

use aqmlab_aqm::{Codepoint, PacketClass};
use aqmlab_wire::{Protocol, ReceivedPacket, TcpFields, Unreadable};

/// The longest packet that a namespace may send.
pub(crate) const MTU: usize = 1_500;

/// Why a packet goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// Shorter than its headers say, or than headers are.
    Truncated = 0,
    /// Longer than a namespace may send.
    Oversized = 1,
    /// Not version 4 of IP.
    NotIpv4 = 2,
    /// A header that contradicts itself: a length below that of the header, a wrong checksum.
    Malformed = 3,
    /// No machine of the network has the address that it comes from, or goes to; or no route joins them.
    NoRoute = 4,
}

impl Refusal {
    /// How many there are.
    pub const COUNT: usize = 5;
    /// Their names, as results print them.
    pub const NAMES: [&'static str; Self::COUNT] =
        ["truncated", "oversized", "not_ipv4", "malformed", "no_route"];
}

/// What the router knows of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Address of the sender.
    pub source: u32,
    /// Address of the receiver.
    pub destination: u32,
    /// Ports of sender and receiver; zero where the protocol has none, or a fragment does not carry them.
    pub ports: [u16; 2],
    /// Of the IP header.
    pub protocol: Protocol,
    /// Length of the IP packet.
    pub bytes: u16,
    /// Differentiated services codepoint.
    pub dscp: u8,
    /// The ECN bits.
    pub codepoint: Codepoint,
    /// What it is to its transport.
    pub class: PacketClass,
    /// Of a TCP segment.
    pub tcp: Option<TcpFields>,
}

impl Headers {
    /// Reads a packet as it was received.
    ///
    /// # Errors
    /// [`Refusal`], for whatever is no whole packet of IPv4. What IP carries may be anything: what cannot be
    /// read as TCP or UDP counts as a datagram without ports, except a segment that contradicts its own
    /// length.
    pub fn read(packet: &[u8]) -> Result<Self, Refusal> {
        let received = ReceivedPacket::read(packet)?;
        if usize::from(received.ip_bytes()) > MTU || packet.len() > MTU {
            return Err(Refusal::Oversized);
        }
        if !received.has_sound_checksum() {
            return Err(Refusal::Malformed);
        }
        let (ports, tcp) = received.transport()?;
        Ok(Self {
            source: received.source(),
            destination: received.destination(),
            ports,
            protocol: received.protocol(),
            bytes: received.ip_bytes(),
            dscp: received.dscp(),
            codepoint: codepoint(received.ecn()),
            class: tcp.map_or(PacketClass::Datagram, |tcp| {
                PacketClass::of_segment(tcp.flags.bits(), tcp.payload > 0)
            }),
            tcp,
        })
    }
}

impl From<Unreadable> for Refusal {
    fn from(why: Unreadable) -> Self {
        match why {
            Unreadable::Truncated => Self::Truncated,
            Unreadable::NotIpv4 => Self::NotIpv4,
            Unreadable::Malformed => Self::Malformed,
        }
    }
}

const fn codepoint(ecn: u8) -> Codepoint {
    match ecn {
        0b00 => Codepoint::NotEct,
        0b10 => Codepoint::Ect0,
        0b01 => Codepoint::Ect1,
        _ => Codepoint::Ce,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Time;
    use aqmlab_wire::{
        Flags, WireAddress, WireOptions, WirePacket, WirePayload, WireTcp, header_checksum, mark, wash,
    };

    fn wire(traffic_class: u8, flags: Flags, payload: u16) -> Vec<u8> {
        let tcp = WireTcp {
            sequence: 1,
            acknowledgement: 2,
            flags,
            window: 65_000,
            largest_window: 1_000_000,
            segment_bytes: 1_460,
            payload,
            scales: true,
            options: WireOptions::default(),
        };
        let packet = WirePacket {
            at: Time::ZERO,
            source: WireAddress { address: [10, 1, 2, 3], port: 50_000 },
            destination: WireAddress { address: [10, 200, 0, 1], port: 80 },
            traffic_class,
            ip_bytes: 48 + payload,
            payload: WirePayload::Tcp(tcp),
        };
        packet.bytes()
    }

    #[test]
    fn fields_are_where_the_rfcs_put_them() {
        let read = Headers::read(&wire(0b1011_1010, Flags::ACK, 7)).unwrap();
        assert_eq!((read.source, read.destination), (0x0a01_0203, 0x0ac8_0001));
        assert_eq!((read.ports, read.protocol, read.bytes), ([50_000, 80], Protocol::TCP, 55));
        assert_eq!((read.dscp, read.codepoint, read.class), (46, Codepoint::Ect0, PacketClass::Data));
        let syn = Headers::read(&wire(0, Flags::SYN, 0)).unwrap();
        // A window of a million needs four bits of shift (RFC 7323).
        let fields =
            TcpFields { flags: Flags::SYN, window: 65_000, window_shift: Some(4), sequence: 1, payload: 0 };
        assert_eq!(syn.tcp, Some(fields));
        assert_eq!(read.tcp.map(|tcp| tcp.payload), Some(7));
    }

    #[test]
    fn segments_have_the_class_that_their_flags_and_data_say() {
        let of = |flags, payload| Headers::read(&wire(0, flags, payload)).unwrap().class;
        assert_eq!([of(Flags::SYN, 0), of(Flags::SYN, 9)], [PacketClass::Syn; 2]);
        assert_eq!([of(Flags::ACK, 0), of(Flags::ACK, 1)], [PacketClass::PureAck, PacketClass::Data]);
        assert_eq!([of(Flags::RST, 0), of(Flags::RST, 9)], [PacketClass::Reset; 2]);
    }

    #[test]
    fn a_mark_and_a_wash_leave_headers_whose_checksums_are_right() {
        for traffic_class in 0..=u8::MAX {
            let mut packet = wire(traffic_class, Flags::ACK, 3);
            let before = packet.clone();
            mark(&mut packet);
            let read = Headers::read(&packet).unwrap();
            assert_eq!((read.codepoint, read.dscp), (Codepoint::Ce, traffic_class >> 2));
            let changed = |packet: &[u8]| -> Vec<usize> {
                (0..packet.len()).filter(|&at| packet[at] != before[at]).collect()
            };
            assert!(changed(&packet).iter().all(|at| [1, 10, 11].contains(at)), "{:?}", changed(&packet));
            let mut packet = before.clone();
            wash(&mut packet);
            assert_eq!(packet[1], traffic_class & 0b11);
            assert_eq!(Headers::read(&packet).unwrap().dscp, 0);
            assert!(changed(&packet).iter().all(|at| [1, 10, 11].contains(at)), "{:?}", changed(&packet));
        }
    }

    #[test]
    fn what_is_no_packet_is_refused_by_its_reason() {
        let packet = wire(0, Flags::ACK, 10);
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut changed = packet.clone();
            change(&mut changed);
            Headers::read(&changed).unwrap_err()
        };
        assert_eq!(refused(&|packet| packet.truncate(19)), Refusal::Truncated);
        assert_eq!(refused(&|packet| packet.truncate(50)), Refusal::Truncated);
        assert_eq!(refused(&|packet| packet[0] = 0x65), Refusal::NotIpv4);
        assert_eq!(refused(&|packet| packet[0] = 0x44), Refusal::Malformed);
        assert_eq!(refused(&|packet| packet[10] ^= 1), Refusal::Malformed);
        assert_eq!(refused(&|packet| packet[20 + 12] = 0x10), Refusal::Malformed);
        assert_eq!(refused(&|packet| packet.resize(MTU + 1, 0)), Refusal::Oversized);
        let short_tcp = |packet: &mut Vec<u8>| {
            packet[2..4].copy_from_slice(&30_u16.to_be_bytes());
            packet[10..12].copy_from_slice(&[0, 0]);
            let sum = header_checksum(&packet[..20]);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        };
        assert_eq!(refused(&short_tcp), Refusal::Truncated);
    }
}
