//! Packets as a pcapng file, which Wireshark and tshark read.
//!
//! Source: draft-ietf-opsawg-pcapng (section header, interface description and enhanced packet blocks;
//! little-endian), link type 101 (raw IP); RFC 791 (IPv4), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC
//! 1071 (checksums), RFC 3168 section 5 (ECN field), RFC 7323 section 2 (window scale).
//!
//! Data are zeros, of which none is left out: what a packet lacks could not be checked.
//!
//! Departures and silences: initial sequence numbers are 0, identifications of IP too (RFC 6864 allows it for
//! packets that are never fragmented). Headers with more room than the options said here are filled with the
//! end of the option list.

use crate::capture::PassedPacket;
use aqmlab_units::Time;
use std::io::{self, Write};

/// Raw IP, whose version stands in the packet.
const LINK_TYPE_RAW: u16 = 101;
const IP_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
/// Most options that a header of TCP, or of IP, has room for.
const OPTION_BYTES: usize = 40;
const TCP: u8 = 6;
const UDP: u8 = 17;
const SYN: u8 = 0x02;

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
    /// The flag byte of the header.
    pub flags: u8,
    /// The bit before it: AE of RFC 9768 section 3.2.2.
    pub accurate_ecn: bool,
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
        let shift = if self.flags & SYN == 0 { self.shift() } else { 0 };
        u16::try_from(self.window >> shift).unwrap_or(u16::MAX)
    }

    /// The options of a SYN, as far as there is room.
    fn options(&self, room: usize) -> Vec<u8> {
        let mut options = Vec::with_capacity(OPTION_BYTES);
        if self.flags & SYN != 0 && room >= 4 {
            options.extend([2, 4]);
            options.extend(self.segment_bytes.to_be_bytes());
            self.options.put_in_syn(&mut options);
            if self.shift() > 0 && room >= options.len() + 4 {
                options.extend([1, 3, 3, self.shift()]);
            }
        } else if self.flags & SYN == 0 {
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
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let whole = usize::from(self.ip_bytes);
        let (protocol, segment, ip_options) = match &self.payload {
            WirePayload::Udp => (UDP, self.udp(), 0),
            WirePayload::Tcp(tcp) => {
                let options = whole - usize::from(tcp.payload) - IP_BYTES - TCP_BYTES;
                let of_tcp = options.min(OPTION_BYTES);
                (TCP, self.tcp(tcp, of_tcp), options - of_tcp)
            }
        };
        let mut ip = vec![0; IP_BYTES + ip_options];
        ip[0] = 0x40 | header_words(ip.len());
        ip[1] = self.traffic_class;
        ip[2..4].copy_from_slice(&self.ip_bytes.to_be_bytes());
        // Never to be fragmented.
        ip[6] = 0x40;
        ip[8] = 64;
        ip[9] = protocol;
        ip[12..16].copy_from_slice(&self.source.address);
        ip[16..20].copy_from_slice(&self.destination.address);
        let sum = checksum(&[&ip]);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        ip.extend(segment);
        ip
    }

    fn udp(&self) -> Vec<u8> {
        let length = usize::from(self.ip_bytes) - IP_BYTES;
        let mut segment = vec![0; length.max(UDP_BYTES)];
        self.put_ports(&mut segment);
        segment[4..6].copy_from_slice(&(self.ip_bytes - IP_BYTES as u16).to_be_bytes());
        let sum = self.segment_checksum(UDP, &segment);
        // A checksum of zero would mean that there is none (RFC 768).
        segment[6..8].copy_from_slice(&(if sum == 0 { u16::MAX } else { sum }).to_be_bytes());
        segment
    }

    fn tcp(&self, tcp: &WireTcp, options: usize) -> Vec<u8> {
        let mut segment = vec![0; TCP_BYTES];
        self.put_ports(&mut segment);
        segment[4..8].copy_from_slice(&tcp.sequence.to_be_bytes());
        segment[8..12].copy_from_slice(&tcp.acknowledgement.to_be_bytes());
        segment[12] = header_words(TCP_BYTES + options) << 4 | u8::from(tcp.accurate_ecn);
        segment[13] = tcp.flags;
        segment[14..16].copy_from_slice(&tcp.window_field().to_be_bytes());
        segment.extend(tcp.options(options));
        segment.resize(TCP_BYTES + options + usize::from(tcp.payload), 0);
        let sum = self.segment_checksum(TCP, &segment);
        segment[16..18].copy_from_slice(&sum.to_be_bytes());
        segment
    }

    fn put_ports(&self, segment: &mut [u8]) {
        segment[0..2].copy_from_slice(&self.source.port.to_be_bytes());
        segment[2..4].copy_from_slice(&self.destination.port.to_be_bytes());
    }

    /// Over the pseudo-header of RFC 9293 section 3.1 and the segment.
    fn segment_checksum(&self, protocol: u8, segment: &[u8]) -> u16 {
        let length = (segment.len() as u32).to_be_bytes();
        let (from, to) = (self.source.address, self.destination.address);
        checksum(&[&from, &to, &[0, protocol], &length, segment])
    }
}

/// A header's length as its first field has it. Headers are whole words.
fn header_words(bytes: usize) -> u8 {
    debug_assert!(bytes % 4 == 0 && bytes <= 60, "a header of {bytes} bytes");
    (bytes / 4) as u8
}

/// The complement of the sum of all words in the complement of ones (RFC 1071); every part but the last has
/// an even length.
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

/// Writes a pcapng file with one interface.
pub struct PcapNg<W>(W);

impl<W: Write> PcapNg<W> {
    /// Begins a file of what passed an interface of this name.
    ///
    /// # Errors
    /// What writing says.
    pub fn new(out: W, interface: &str) -> io::Result<Self> {
        let mut file = Self(out);
        let mut section = vec![0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0];
        section.extend(u64::MAX.to_le_bytes());
        option(&mut section, 4, concat!("aqmlab ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(&mut section, 0, &[]);
        file.block(0x0a0d_0d0a, &section)?;
        let mut description = Vec::new();
        description.extend(LINK_TYPE_RAW.to_le_bytes());
        description.extend([0; 6]);
        option(&mut description, 2, interface.as_bytes());
        // Timestamps count 10⁻⁹ s.
        option(&mut description, 9, &[9]);
        option(&mut description, 0, &[]);
        file.block(1, &description)?;
        Ok(file)
    }

    /// Adds a packet.
    ///
    /// # Errors
    /// What writing says.
    pub fn write(&mut self, packet: &impl PassedPacket) -> io::Result<()> {
        let bytes = packet.bytes();
        let at = packet.at().nanoseconds();
        let mut content = Vec::with_capacity(20 + bytes.len() + 3);
        content.extend(0_u32.to_le_bytes());
        content.extend(((at >> 32) as u32).to_le_bytes());
        content.extend((at as u32).to_le_bytes());
        content.extend((bytes.len() as u32).to_le_bytes());
        content.extend((bytes.len() as u32).to_le_bytes());
        content.extend(&*bytes);
        self.block(6, &content)
    }

    /// Hands everything on.
    ///
    /// # Errors
    /// What writing says.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn block(&mut self, kind: u32, content: &[u8]) -> io::Result<()> {
        let padded = content.len().next_multiple_of(4);
        let length = (padded as u32 + 12).to_le_bytes();
        self.0.write_all(&kind.to_le_bytes())?;
        self.0.write_all(&length)?;
        self.0.write_all(content)?;
        self.0.write_all(&[0; 3][..padded - content.len()])?;
        self.0.write_all(&length)
    }
}

/// Adds an option of a block, of which the last has code 0.
fn option(content: &mut Vec<u8>, code: u16, value: &[u8]) {
    // Names of links are far shorter.
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    content.extend(code.to_le_bytes());
    content.extend(length.to_le_bytes());
    content.extend(&value[..usize::from(length)]);
    content.resize(content.len().next_multiple_of(4), 0);
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
        flags: SYN,
        accurate_ecn: false,
        options: WireOptions { permits_blocks: false, timestamps: None, blocks: [None; 4] },
        window: 1_000_000,
        largest_window: 1_000_000,
        segment_bytes: 1_460,
        payload: 0,
        scales: true,
    };

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
        assert_eq!((&bytes[20..24], bytes[32], bytes[33]), (&[4, 0, 0, 9][..], 7 << 4, SYN));
        // A megabyte is shifted by four bits; the SYN's own window is not.
        assert_eq!((&bytes[34..36], &bytes[40..]), (&[0xff, 0xff][..], &[2, 4, 5, 180, 1, 3, 3, 4][..]));
        // The sum over a header with its checksum is that of nothing.
        assert_eq!(checksum(&[&bytes[..20]]), 0);
        let pseudo = [10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, 28];
        assert_eq!(checksum(&[&pseudo, &bytes[20..]]), 0);
    }

    #[test]
    fn windows_are_scaled_where_the_syn_had_room_to_say_so() {
        let plain = WireTcp { flags: 0x10, ..SYN_SEGMENT };
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
        };
        let syn = segment(WireTcp { options: said, ..SYN_SEGMENT }, 60).bytes();
        let stamps = [8, 10, 0, 0, 1, 2, 0, 0, 3, 4];
        assert_eq!(syn[40..46], [2, 4, 5, 180, 4, 2]);
        assert_eq!((&syn[46..56], &syn[56..]), (&stamps[..], &[1, 3, 3, 4][..]));
        let ack = WireTcp { options: said, flags: 0x10, accurate_ecn: true, ..SYN_SEGMENT };
        let ack = segment(ack, 52 + 4 + 16).bytes();
        assert_eq!((ack[32], &ack[40..42], &ack[42..52]), (13 << 4 | 1, &[1, 1][..], &stamps[..]));
        assert_eq!(ack[52..56], [1, 1, 5, 18]);
        assert_eq!(ack[56..64], [0, 0, 3, 233, 0, 0, 7, 209]);
        let plain = WireOptions { timestamps: None, ..said };
        let syn = segment(WireTcp { options: plain, ..SYN_SEGMENT }, 52).bytes();
        assert_eq!(syn[40..], [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, 4]);
    }

    #[test]
    fn more_header_than_tcp_has_room_for_is_ips() {
        let bytes = segment(WireTcp { flags: 0x10, payload: 3, ..SYN_SEGMENT }, 100).bytes();
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

    #[test]
    fn a_file_is_blocks_of_whole_words_that_say_their_length_twice() {
        let mut file = Vec::new();
        let mut writer = PcapNg::new(&mut file, "left-to-right").unwrap();
        let at = Time::from_nanoseconds(5_000_000_001);
        writer.write(&WirePacket { at, ..segment(SYN_SEGMENT, 44) }).unwrap();
        writer.finish().unwrap();
        let word = |place: usize| u32::from_le_bytes(file[place..place + 4].try_into().unwrap());
        let (mut place, mut kinds) = (0, Vec::new());
        while place < file.len() {
            let length = word(place + 4) as usize;
            assert_eq!((length % 4, word(place + length - 4) as usize), (0, length));
            kinds.push(word(place));
            if word(place) == 6 {
                // 5,000,000,001 is 2³² and 705,032,705.
                let fields: Vec<u32> = (2..7).map(|field| word(place + 4 * field)).collect();
                assert_eq!(fields, [0, 1, 705_032_705, 44, 44]);
            }
            place += length;
        }
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 6]);
    }
}
