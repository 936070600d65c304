//! A packet that is described, and its bytes.
//!
//! Source: RFC 791 (IPv4), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC 3168 section 5 (ECN field), RFC
//! 7323 section 2 (window scale). Fields and checksums are put in their places by `etherparse`.
//!
//! Data are zeros, of which none is left out: what a packet lacks could not be checked.
//!
//! Departures and silences: initial sequence numbers are 0, identifications of IP too (RFC 6864 allows it for
//! packets that are never fragmented). Headers with more room than the options said here are filled with the
//! end of the option list.

use crate::capture::PassedPacket;
use crate::flags::Flags;
use aqmlab_units::Time;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, Ipv4Options, TcpHeader, TcpOptions, UdpHeader};

const IP_BYTES: usize = Ipv4Header::MIN_LEN;
const TCP_BYTES: usize = TcpHeader::MIN_LEN;
const UDP_BYTES: usize = UdpHeader::LEN;
/// Most options that a header of TCP, or of IP, has room for.
const OPTION_BYTES: usize = 40;
const TIME_TO_LIVE: u8 = 64;

/// One end of a conversation on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireAddress {
    /// IPv4.
    pub address: [u8; 4],
    /// Of TCP or UDP.
    pub port: u16,
}

/// Options of TCP's header beside the segment size and the scale of windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireOptions {
    /// Whether a SYN permits selective acknowledgements (RFC 2018 section 2).
    pub permits_blocks: bool,
    /// TSval and TSecr (RFC 7323 section 3.2).
    pub timestamps: Option<[u32; 2]>,
    /// First numbers of the blocks of a selective acknowledgement, and the first ones behind them (RFC 2018
    /// section 3).
    pub blocks: [Option<[u32; 2]>; 4],
    /// EE1B, ECEB and EE0B of accurate ECN, in the order of the option of kind 174 (RFC 9768 section 3.2.3).
    pub counts: Option<[u32; 3]>,
}

impl WireOptions {
    /// Those of a SYN, as Linux orders them.
    fn put_in_syn(&self, options: &mut Vec<u8>) {
        if self.permits_blocks {
            let alone = self.timestamps.is_none();
            options.extend(if alone { &[1, 1, 4, 2][..] } else { &[4, 2] });
        }
        self.put_timestamps(options);
    }

    /// Those of any other segment, in whole words.
    fn put(&self, options: &mut Vec<u8>) {
        if self.timestamps.is_some() {
            options.extend([1, 1]);
        }
        self.put_timestamps(options);
        let count = self.blocks.iter().flatten().count() as u8;
        if count > 0 {
            options.extend([1, 1, 5, 2 + 8 * count]);
        }
        self.blocks.iter().flatten().flatten().for_each(|number| options.extend(number.to_be_bytes()));
        if let Some(counts) = self.counts {
            options.extend([174, 11]);
            counts.iter().for_each(|count| options.extend(&count.to_be_bytes()[1..]));
            options.push(1);
        }
    }

    fn put_timestamps(&self, options: &mut Vec<u8>) {
        if let Some(stamps) = self.timestamps {
            options.extend([8, 10]);
            stamps.iter().for_each(|stamp| options.extend(stamp.to_be_bytes()));
        }
    }
}

/// What TCP's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireTcp {
    /// Number of the first byte.
    pub sequence: u32,
    /// The next number expected.
    pub acknowledgement: u32,
    /// Its flags.
    pub flags: Flags,
    /// Options beside the segment size and the scale of windows.
    pub options: WireOptions,
    /// Bytes that the peer may send.
    pub window: u32,
    /// The largest such number of this end, from which the scale of its windows follows.
    pub largest_window: u32,
    /// The maximum segment size that a SYN announces, if its header has room.
    pub segment_bytes: u16,
    /// Bytes of data.
    pub payload: u16,
    /// Whether this end's SYN had room for the option that scales windows.
    pub scales: bool,
}

impl WireTcp {
    /// Whether a SYN of so many bytes of headers announces a scale.
    #[must_use]
    pub const fn syn_has_room_to_scale(header_bytes: u16) -> bool {
        header_bytes as usize >= IP_BYTES + TCP_BYTES + 8
    }

    /// By how many bits the windows of this end are shifted.
    const fn shift(&self) -> u8 {
        let mut shift = 0;
        while self.scales && self.largest_window >> shift > 0xffff {
            shift += 1;
        }
        shift
    }

    fn window_field(&self) -> u16 {
        // The window of a SYN is never scaled.
        let shift = if !self.flags.contains(Flags::SYN) { self.shift() } else { 0 };
        u16::try_from(self.window >> shift).unwrap_or(u16::MAX)
    }

    /// The options of a SYN, as far as there is room.
    fn options(&self, room: usize) -> Vec<u8> {
        let mut options = Vec::with_capacity(OPTION_BYTES);
        if self.flags.contains(Flags::SYN) && room >= 4 {
            options.extend([2, 4]);
            options.extend(self.segment_bytes.to_be_bytes());
            self.options.put_in_syn(&mut options);
            if self.shift() > 0 && room >= options.len() + 4 {
                options.extend([1, 3, 3, self.shift()]);
            }
        } else if !self.flags.contains(Flags::SYN) {
            self.options.put(&mut options);
        }
        options.resize(room, 0);
        options
    }
}

/// What an IP packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WirePayload {
    /// A segment.
    Tcp(WireTcp),
    /// A datagram.
    Udp,
}

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WirePacket {
    /// When it passed.
    pub at: Time,
    /// Who sends.
    pub source: WireAddress,
    /// To whom.
    pub destination: WireAddress,
    /// Differentiated services codepoint, and the two bits of ECN below it.
    pub traffic_class: u8,
    /// Length of the IP packet.
    pub ip_bytes: u16,
    /// What it carries.
    pub payload: WirePayload,
}

impl PassedPacket for WirePacket {
    fn at(&self) -> Time {
        self.at
    }

    fn bytes(&self) -> Vec<u8> {
        Self::bytes(self)
    }
}

impl WirePacket {
    /// The packet on the wire.
    ///
    /// # Panics
    /// If its headers are no whole words of four bytes, or longer than headers can be.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let (protocol, segment, ip_options) = match &self.payload {
            WirePayload::Udp => (IpNumber::UDP, self.udp(), 0),
            WirePayload::Tcp(tcp) => {
                let options = usize::from(self.ip_bytes) - usize::from(tcp.payload) - IP_BYTES - TCP_BYTES;
                let of_tcp = options.min(OPTION_BYTES);
                (IpNumber::TCP, self.tcp(tcp, of_tcp), options - of_tcp)
            }
        };
        let mut bytes = Vec::with_capacity(IP_BYTES + ip_options + segment.len());
        bytes.extend(self.ip(protocol, ip_options).to_bytes());
        bytes.extend(segment);
        bytes
    }

    fn ip(&self, protocol: IpNumber, options: usize) -> Ipv4Header {
        let dscp = IpDscp::try_new(self.traffic_class >> 2).expect("six bits");
        let ecn = IpEcn::try_new(self.traffic_class & 0b11).expect("two bits");
        let options = Ipv4Options::try_from(&[0; OPTION_BYTES][..options]);
        let mut header = Ipv4Header {
            dscp,
            ecn,
            total_len: self.ip_bytes,
            // Never to be fragmented.
            dont_fragment: true,
            time_to_live: TIME_TO_LIVE,
            protocol,
            source: self.source.address,
            destination: self.destination.address,
            options: options.expect("whole words of options"),
            ..Ipv4Header::default()
        };
        header.header_checksum = header.calc_header_checksum();
        header
    }

    fn udp(&self) -> Vec<u8> {
        let data = vec![0; (usize::from(self.ip_bytes) - IP_BYTES).saturating_sub(UDP_BYTES)];
        let (source, destination) = (self.source.port, self.destination.port);
        let header = UdpHeader::with_ipv4_checksum(source, destination, &self.ip(IpNumber::UDP, 0), &data);
        [&header.expect("an IP packet's length").to_bytes(), &data[..]].concat()
    }

    fn tcp(&self, tcp: &WireTcp, options: usize) -> Vec<u8> {
        let (source, destination) = (self.source.port, self.destination.port);
        let mut header = TcpHeader::new(source, destination, tcp.sequence, tcp.window_field());
        header.acknowledgment_number = tcp.acknowledgement;
        header.options = TcpOptions::try_from_slice(&tcp.options(options)).expect("whole words of options");
        let has = |flag| tcp.flags.contains(flag);
        header.ns = has(Flags::AE);
        (header.fin, header.syn, header.rst) = (has(Flags::FIN), has(Flags::SYN), has(Flags::RST));
        (header.psh, header.ack) = (has(Flags::PSH), has(Flags::ACK));
        (header.ece, header.cwr) = (has(Flags::ECE), has(Flags::CWR));
        let data = vec![0; usize::from(tcp.payload)];
        let sum = header.calc_checksum_ipv4_raw(self.source.address, self.destination.address, &data);
        header.checksum = sum.expect("an IP packet's length");
        let mut segment = header.to_bytes().to_vec();
        segment.extend(data);
        segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: WireAddress = WireAddress { address: [10, 0, 0, 1], port: 1_024 };
    const SERVER: WireAddress = WireAddress { address: [10, 0, 0, 2], port: 9 };

    fn segment(tcp: WireTcp, header: u16) -> WirePacket {
        WirePacket {
            at: Time::ZERO,
            source: CLIENT,
            destination: SERVER,
            traffic_class: 0b10,
            ip_bytes: header + tcp.payload,
            payload: WirePayload::Tcp(tcp),
        }
    }

    const SYN_SEGMENT: WireTcp = WireTcp {
        sequence: 0,
        acknowledgement: 0,
        flags: Flags::SYN,
        options: WireOptions { permits_blocks: false, timestamps: None, blocks: [None; 4], counts: None },
        window: 1_000_000,
        largest_window: 1_000_000,
        segment_bytes: 1_460,
        payload: 0,
        scales: true,
    };

    /// The complement of the sum of all words in the complement of ones (RFC 1071).
    fn checksum(parts: &[&[u8]]) -> u16 {
        let mut sum: u64 = 0;
        for part in parts {
            for word in part.chunks(2) {
                sum += u64::from(word[0]) << 8 | u64::from(word.get(1).copied().unwrap_or(0));
            }
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    #[test]
    fn a_checksum_is_that_of_rfc_1071() {
        // Its section 3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
        assert_eq!(checksum(&[&[0x00, 0x01, 0xf2, 0x03], &[0xf4, 0xf5, 0xf6, 0xf7]]), !0xddf2);
        assert_eq!(checksum(&[&[0x12]]), !0x1200);
    }

    #[test]
    fn headers_stand_where_the_rfcs_want_them() {
        let bytes = segment(SYN_SEGMENT, 48).bytes();
        assert_eq!(bytes.len(), 48);
        assert_eq!((bytes[0], bytes[1], &bytes[2..4], bytes[9]), (0x45, 0b10, &[0, 48][..], 6));
        assert_eq!((&bytes[12..16], &bytes[16..20]), (&[10, 0, 0, 1][..], &[10, 0, 0, 2][..]));
        assert_eq!((&bytes[20..24], bytes[32], bytes[33]), (&[4, 0, 0, 9][..], 7 << 4, 0x02));
        // A megabyte is shifted by four bits; the SYN's own window is not.
        assert_eq!((&bytes[34..36], &bytes[40..]), (&[0xff, 0xff][..], &[2, 4, 5, 180, 1, 3, 3, 4][..]));
        // The sum over a header with its checksum is that of nothing.
        assert_eq!(checksum(&[&bytes[..20]]), 0);
        let pseudo = [10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, 28];
        assert_eq!(checksum(&[&pseudo, &bytes[20..]]), 0);
    }

    #[test]
    fn windows_are_scaled_where_the_syn_had_room_to_say_so() {
        let plain = WireTcp { flags: Flags::ACK, ..SYN_SEGMENT };
        assert_eq!(plain.window_field(), 62_500);
        assert_eq!(WireTcp { scales: false, ..plain }.window_field(), u16::MAX);
        assert!(WireTcp::syn_has_room_to_scale(48) && !WireTcp::syn_has_room_to_scale(44));
        assert_eq!(segment(SYN_SEGMENT, 40).bytes().len(), 40);
    }

    #[test]
    fn options_stand_in_whole_words_as_linux_orders_them() {
        let said = WireOptions {
            permits_blocks: true,
            timestamps: Some([0x0102, 0x0304]),
            blocks: [Some([1_001, 2_001]), Some([3_001, 4_001]), None, None],
            counts: None,
        };
        let syn = segment(WireTcp { options: said, ..SYN_SEGMENT }, 60).bytes();
        let stamps = [8, 10, 0, 0, 1, 2, 0, 0, 3, 4];
        assert_eq!(syn[40..46], [2, 4, 5, 180, 4, 2]);
        assert_eq!((&syn[46..56], &syn[56..]), (&stamps[..], &[1, 3, 3, 4][..]));
        let ack = WireTcp { options: said, flags: Flags::ACK.with(Flags::AE), ..SYN_SEGMENT };
        let ack = segment(ack, 52 + 4 + 16).bytes();
        assert_eq!((ack[32], &ack[40..42], &ack[42..52]), (13 << 4 | 1, &[1, 1][..], &stamps[..]));
        assert_eq!(ack[52..56], [1, 1, 5, 18]);
        assert_eq!(ack[56..64], [0, 0, 3, 233, 0, 0, 7, 209]);
        let counted = WireOptions { blocks: [None; 4], counts: Some([0x0001_0203, 4, 1]), ..said };
        let ack = WireTcp { options: counted, flags: Flags::ACK, ..SYN_SEGMENT };
        let ack = segment(ack, 52 + 12).bytes();
        assert_eq!(ack[52..64], [174, 11, 1, 2, 3, 0, 0, 4, 0, 0, 1, 1]);
        let plain = WireOptions { timestamps: None, ..said };
        let syn = segment(WireTcp { options: plain, ..SYN_SEGMENT }, 52).bytes();
        assert_eq!(syn[40..], [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, 4]);
    }

    #[test]
    fn more_header_than_tcp_has_room_for_is_ips() {
        let bytes = segment(WireTcp { flags: Flags::ACK, payload: 3, ..SYN_SEGMENT }, 100).bytes();
        assert_eq!((bytes.len(), bytes[0], bytes[20 + 20 + 12]), (103, 0x4a, 15 << 4));
    }

    #[test]
    fn a_datagram_says_its_length_and_has_a_checksum() {
        let packet = WirePacket { ip_bytes: 29, payload: WirePayload::Udp, ..segment(SYN_SEGMENT, 40) };
        let bytes = packet.bytes();
        assert_eq!((bytes.len(), bytes[9], &bytes[24..26]), (29, 17, &[0, 9][..]));
        let pseudo = [10, 0, 0, 1, 10, 0, 0, 2, 0, 17, 0, 9];
        assert_eq!(checksum(&[&pseudo, &bytes[20..]]), 0);
    }
}
