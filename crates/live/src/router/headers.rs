//! What the router reads in a packet, and the one thing that it writes there.
//!
//! Source: RFC 791 (IPv4), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC 3168 section 5 (ECN), RFC 1624 (a
//! checksum after a change of its header).

use aqmlab_aqm::{Codepoint, PacketClass};

/// The longest packet that a namespace may send.
pub(crate) const MTU: usize = 1_500;
const IP_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;

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

/// What TCP's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpFields {
    /// The flag byte.
    pub flags: u8,
    /// The window field, not scaled.
    pub window: u16,
    /// By how many bits the sender of a SYN will shift its windows (RFC 7323), if it says so.
    pub window_shift: Option<u8>,
    /// Number of the first byte.
    pub sequence: u32,
    /// Bytes of data.
    pub payload: u16,
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
    pub protocol: u8,
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
        if packet.len() < IP_BYTES {
            return Err(Refusal::Truncated);
        }
        if packet[0] >> 4 != 4 {
            return Err(Refusal::NotIpv4);
        }
        let header = usize::from(packet[0] & 0x0f) * 4;
        let bytes = word(packet, 2);
        let length = usize::from(bytes);
        if header < IP_BYTES || length < header {
            return Err(Refusal::Malformed);
        }
        if length > packet.len() {
            return Err(Refusal::Truncated);
        }
        if length > MTU || packet.len() > MTU {
            return Err(Refusal::Oversized);
        }
        if checksum(&packet[..header]) != 0 {
            return Err(Refusal::Malformed);
        }
        let mut headers = Self {
            source: double_word(packet, 12),
            destination: double_word(packet, 16),
            ports: [0; 2],
            protocol: packet[9],
            bytes,
            dscp: packet[1] >> 2,
            codepoint: codepoint(packet[1]),
            class: PacketClass::Datagram,
            tcp: None,
        };
        let is_later_fragment = word(packet, 6) & 0x1fff != 0;
        if !is_later_fragment {
            headers.read_transport(&packet[header..length])?;
        }
        Ok(headers)
    }

    fn read_transport(&mut self, segment: &[u8]) -> Result<(), Refusal> {
        match self.protocol {
            UDP if segment.len() >= UDP_BYTES => {}
            TCP if segment.len() >= TCP_BYTES => {
                let header = usize::from(segment[12] >> 4) * 4;
                if header < TCP_BYTES || header > segment.len() {
                    return Err(Refusal::Malformed);
                }
                let flags = segment[13];
                let payload = segment.len() - header;
                self.class = class(flags, payload);
                let window_shift = if flags & SYN == 0 { None } else { shift(&segment[TCP_BYTES..header]) };
                self.tcp = Some(TcpFields {
                    flags,
                    window: word(segment, 14),
                    window_shift,
                    sequence: double_word(segment, 4),
                    payload: u16::try_from(payload).unwrap_or(u16::MAX),
                });
            }
            TCP | UDP => return Err(Refusal::Truncated),
            _ => return Ok(()),
        }
        self.ports = [word(segment, 0), word(segment, 2)];
        Ok(())
    }
}

/// FIN, SYN, RST and ACK of the flag byte.
pub(crate) const FIN: u8 = 0x01;
pub(crate) const SYN: u8 = 0x02;
const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;
/// The two of ECN (RFC 3168 section 6.1).
pub(crate) const ECE: u8 = 0x40;
pub(crate) const CWR: u8 = 0x80;

fn class(flags: u8, payload: usize) -> PacketClass {
    match (flags & SYN != 0, flags & ACK != 0) {
        _ if flags & RST != 0 => PacketClass::Reset,
        (true, false) => PacketClass::Syn,
        (true, true) => PacketClass::SynAck,
        _ if payload > 0 => PacketClass::Data,
        _ if flags & FIN != 0 => PacketClass::Fin,
        _ => PacketClass::PureAck,
    }
}

/// The window scale among the options of a SYN. Options that do not add up end the search.
fn shift(mut options: &[u8]) -> Option<u8> {
    loop {
        match options {
            [0, ..] | [] => return None,
            [1, rest @ ..] => options = rest,
            [3, 3, shift, ..] => return Some(*shift),
            [_, length, ..] if *length >= 2 => options = options.get(usize::from(*length)..)?,
            _ => return None,
        }
    }
}

/// Sets Congestion Experienced in a packet whose header was read, and mends its checksum (RFC 1624, equation
/// 3).
pub(crate) fn mark(packet: &mut [u8]) {
    let before = word(packet, 0);
    packet[1] |= 0b11;
    let after = word(packet, 0);
    let old = word(packet, 10);
    let sum = u32::from(!old) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    #[allow(clippy::cast_possible_truncation)] // folded
    packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

const fn codepoint(traffic_class: u8) -> Codepoint {
    match traffic_class & 0b11 {
        0b00 => Codepoint::NotEct,
        0b10 => Codepoint::Ect0,
        0b01 => Codepoint::Ect1,
        _ => Codepoint::Ce,
    }
}

/// The complement of the sum of all words in the complement of ones (RFC 1071): zero over a header that has
/// its checksum.
pub(crate) fn checksum(header: &[u8]) -> u16 {
    let mut sum: u32 = header.chunks_exact(2).map(|pair| u32::from(word(pair, 0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    #[allow(clippy::cast_possible_truncation)] // folded
    !(sum as u16)
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn double_word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_record::{WireAddress, WireOptions, WirePacket, WirePayload, WireTcp};
    use aqmlab_units::Time;

    fn wire(traffic_class: u8, flags: u8, payload: u16) -> Vec<u8> {
        let tcp = WireTcp {
            sequence: 1,
            acknowledgement: 2,
            flags,
            window: 65_000,
            largest_window: 1_000_000,
            segment_bytes: 1_460,
            payload,
            scales: true,
            accurate_ecn: false,
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
        let read = Headers::read(&wire(0b1011_1010, ACK, 7)).unwrap();
        assert_eq!((read.source, read.destination), (0x0a01_0203, 0x0ac8_0001));
        assert_eq!((read.ports, read.protocol, read.bytes), ([50_000, 80], TCP, 55));
        assert_eq!((read.dscp, read.codepoint, read.class), (46, Codepoint::Ect0, PacketClass::Data));
        let syn = Headers::read(&wire(0, SYN, 0)).unwrap();
        // A window of a million needs four bits of shift (RFC 7323).
        let fields = TcpFields { flags: SYN, window: 65_000, window_shift: Some(4), sequence: 1, payload: 0 };
        assert_eq!(syn.tcp, Some(fields));
        assert_eq!(read.tcp.map(|tcp| tcp.payload), Some(7));
    }

    #[test]
    fn segments_have_the_class_that_their_flags_and_data_say() {
        let of = |flags, payload| Headers::read(&wire(0, flags, payload)).unwrap().class;
        assert_eq!(of(SYN, 0), PacketClass::Syn);
        assert_eq!(of(SYN | ACK, 0), PacketClass::SynAck);
        assert_eq!([of(ACK, 0), of(ACK, 1)], [PacketClass::PureAck, PacketClass::Data]);
        assert_eq!([of(FIN | ACK, 0), of(FIN | ACK, 1)], [PacketClass::Fin, PacketClass::Data]);
        assert_eq!([of(RST, 0), of(RST | ACK, 0)], [PacketClass::Reset; 2]);
    }

    #[test]
    fn a_mark_leaves_a_header_whose_checksum_is_right() {
        for traffic_class in 0..=u8::MAX {
            let mut packet = wire(traffic_class, ACK, 3);
            let before = packet.clone();
            mark(&mut packet);
            let read = Headers::read(&packet).unwrap();
            assert_eq!((read.codepoint, read.dscp), (Codepoint::Ce, traffic_class >> 2));
            let changed: Vec<usize> = (0..packet.len()).filter(|&at| packet[at] != before[at]).collect();
            assert!(changed.iter().all(|at| [1, 10, 11].contains(at)), "{changed:?}");
        }
    }

    #[test]
    fn what_is_no_packet_is_refused_by_its_reason() {
        let packet = wire(0, ACK, 10);
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
            let sum = checksum(&packet[..20]);
            packet[10..12].copy_from_slice(&sum.to_be_bytes());
        };
        assert_eq!(refused(&short_tcp), Refusal::Truncated);
    }

    #[test]
    fn options_that_do_not_add_up_say_nothing() {
        assert_eq!(shift(&[1, 1, 3, 3, 7]), Some(7));
        assert_eq!([shift(&[2, 4, 5]), shift(&[2, 0, 3, 3, 7]), shift(&[3, 3]), shift(&[8])], [None; 4]);
        assert_eq!(shift(&[0, 3, 3, 7]), None, "the list has ended");
    }
}
