//! Bytes that were received, and what their headers say; and the one thing that a router writes there.
//!
//! Source: RFC 791 (IPv4), RFC 9293 section 3.1 (TCP), RFC 768 (UDP), RFC 3168 section 5 (ECN), RFC 1624 (a
//! checksum after a change of its header). Fields are found by `etherparse`; what is a packet at all is
//! decided here, because a router must account for each that is none.

use crate::flags::Flags;
use etherparse::checksum::Sum16BitWords;
use etherparse::err::ipv4::{HeaderError, HeaderSliceError};
use etherparse::{IpNumber, Ipv4HeaderSlice, TcpHeader, TcpHeaderSlice, UdpHeaderSlice};

/// Why bytes are no packet of IPv4, or their transport's header is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Shorter than the headers say, or than headers are.
    Truncated,
    /// Not version 4 of IP.
    NotIpv4,
    /// A length below that of its own header, or beyond what there is.
    Malformed,
}

/// A protocol that IP carries, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol(pub u8);

impl Protocol {
    /// Segments.
    pub const TCP: Self = Self(IpNumber::TCP.0);
    /// Datagrams.
    pub const UDP: Self = Self(IpNumber::UDP.0);
}

/// What TCP's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpFields {
    /// The flags.
    pub flags: Flags,
    /// The window field, not scaled.
    pub window: u16,
    /// By how many bits the sender of a SYN will shift its windows (RFC 7323), if it says so.
    pub window_shift: Option<u8>,
    /// Number of the first byte.
    pub sequence: u32,
    /// Bytes of data.
    pub payload: u16,
}

/// What a segment acknowledges, and what its options say of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcknowledgementFields {
    /// The flags.
    pub flags: Flags,
    /// The next byte that is expected.
    pub number: u32,
    /// Value and echo of the timestamps.
    pub timestamps: Option<[u32; 2]>,
    /// The blocks of a selective acknowledgement.
    pub blocks: [Option<[u32; 2]>; 4],
    /// Whether it has data, or other options than these.
    pub has_more: bool,
}

/// A packet whose lengths agree with each other.
#[derive(Clone, Debug)]
pub struct ReceivedPacket<'a> {
    header: Ipv4HeaderSlice<'a>,
    payload: &'a [u8],
}

impl<'a> ReceivedPacket<'a> {
    /// Finds the header and what is behind it, up to the length that the header says.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let header = Ipv4HeaderSlice::from_slice(bytes).map_err(|error| match error {
            HeaderSliceError::Len(_) => Unreadable::Truncated,
            HeaderSliceError::Content(HeaderError::UnexpectedVersion { .. }) => Unreadable::NotIpv4,
            HeaderSliceError::Content(HeaderError::HeaderLengthSmallerThanHeader { .. }) => {
                Unreadable::Malformed
            }
        })?;
        let (begin, end) = (header.slice().len(), usize::from(header.total_len()));
        if end < begin {
            return Err(Unreadable::Malformed);
        }
        let payload = bytes.get(begin..end).ok_or(Unreadable::Truncated)?;
        Ok(Self { header, payload })
    }

    /// Whether the header has the checksum that belongs to it.
    #[must_use]
    pub fn has_sound_checksum(&self) -> bool {
        header_checksum(self.header.slice()) == 0
    }

    /// Address of the sender.
    #[must_use]
    pub fn source(&self) -> u32 {
        u32::from_be_bytes(self.header.source())
    }

    /// Address of the receiver.
    #[must_use]
    pub fn destination(&self) -> u32 {
        u32::from_be_bytes(self.header.destination())
    }

    /// Length of the IP packet.
    #[must_use]
    pub fn ip_bytes(&self) -> u16 {
        self.header.total_len()
    }

    /// What it carries.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        Protocol(self.header.protocol().0)
    }

    /// Differentiated services codepoint.
    #[must_use]
    pub fn dscp(&self) -> u8 {
        self.header.dcp().value()
    }

    /// The two bits of ECN.
    #[must_use]
    pub fn ecn(&self) -> u8 {
        self.header.ecn().value()
    }

    /// Ports of sender and receiver, and what TCP says: ports are zero where the protocol has none, or a
    /// fragment does not carry them.
    ///
    /// # Errors
    /// [`Unreadable`]: a segment or datagram shorter than its header, or one that contradicts its own length.
    pub fn transport(&self) -> Result<([u16; 2], Option<TcpFields>), Unreadable> {
        if self.header.fragments_offset().value() != 0 {
            return Ok(([0; 2], None));
        }
        match self.protocol() {
            Protocol::UDP => {
                let header = UdpHeaderSlice::from_slice(self.payload).map_err(|_| Unreadable::Truncated)?;
                Ok(([header.source_port(), header.destination_port()], None))
            }
            Protocol::TCP if self.payload.len() < TcpHeader::MIN_LEN => Err(Unreadable::Truncated),
            Protocol::TCP => {
                let header = TcpHeaderSlice::from_slice(self.payload).map_err(|_| Unreadable::Malformed)?;
                let payload = self.payload.len() - header.slice().len();
                let ports = [header.source_port(), header.destination_port()];
                Ok((ports, Some(tcp_fields(&header, payload))))
            }
            Protocol(_) => Ok(([0; 2], None)),
        }
    }
}

impl ReceivedPacket<'_> {
    /// What it acknowledges; none of what is no segment, or cannot be read as one.
    #[must_use]
    pub fn acknowledgement(&self) -> Option<AcknowledgementFields> {
        if self.header.fragments_offset().value() != 0 || self.protocol() != Protocol::TCP {
            return None;
        }
        let header = TcpHeaderSlice::from_slice(self.payload).ok()?;
        let has_data = self.payload.len() > header.slice().len();
        let fields = AcknowledgementFields {
            flags: tcp_fields(&header, 0).flags,
            number: header.acknowledgment_number(),
            timestamps: None,
            blocks: [None; 4],
            has_more: has_data || header.urg(),
        };
        Some(with_options(fields, header.options()))
    }
}

/// Timestamps and blocks among the options of a segment. What does not add up counts as another option.
fn with_options(mut fields: AcknowledgementFields, mut options: &[u8]) -> AcknowledgementFields {
    let number = |at: &[u8]| at.iter().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    loop {
        match options {
            [0, ..] | [] => return fields,
            [1, rest @ ..] => options = rest,
            &[kind, length, ref rest @ ..] if length >= 2 && rest.len() >= usize::from(length) - 2 => {
                let (value, behind) = rest.split_at(usize::from(length) - 2);
                match (kind, value.len()) {
                    (8, 8) => fields.timestamps = Some([number(&value[..4]), number(&value[4..])]),
                    (5, 8 | 16 | 24 | 32) => {
                        let blocks = value.chunks(8).map(|at| Some([number(&at[..4]), number(&at[4..])]));
                        fields.blocks.iter_mut().zip(blocks).for_each(|(place, block)| *place = block);
                    }
                    _ => fields.has_more = true,
                }
                options = behind;
            }
            _ => {
                fields.has_more = true;
                return fields;
            }
        }
    }
}

fn tcp_fields(header: &TcpHeaderSlice<'_>, payload: usize) -> TcpFields {
    let flags = [
        (header.fin(), Flags::FIN),
        (header.syn(), Flags::SYN),
        (header.rst(), Flags::RST),
        (header.psh(), Flags::PSH),
        (header.ack(), Flags::ACK),
        (header.ece(), Flags::ECE),
        (header.cwr(), Flags::CWR),
        (header.ns(), Flags::AE),
    ];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set);
    let flags = set.fold(Flags::NONE, |flags, (_, flag)| flags.with(flag));
    TcpFields {
        flags,
        window: header.window_size(),
        window_shift: if header.syn() { shift(header.options()) } else { None },
        sequence: header.sequence_number(),
        payload: u16::try_from(payload).unwrap_or(u16::MAX),
    }
}

/// The window scale among the options of a SYN. Options that do not add up end the search; those of unknown
/// kinds are passed over, at which `etherparse` would stop.
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

/// Sets Congestion Experienced in a packet whose header was read, and mends its checksum.
///
/// # Panics
/// If the packet is shorter than a header.
pub fn mark(packet: &mut [u8]) {
    change_traffic_class(packet, |class| class | 0b11);
}

/// Clears the differentiated services codepoint of a packet whose header was read, and mends its checksum.
///
/// # Panics
/// If the packet is shorter than a header.
pub fn wash(packet: &mut [u8]) {
    change_traffic_class(packet, |class| class & 0b11);
}

/// Changes the byte of both codepoints, and mends the checksum (RFC 1624, equation 3).
fn change_traffic_class(packet: &mut [u8], change: impl Fn(u8) -> u8) {
    let word = |packet: &[u8], at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
    let before = word(packet, 0);
    packet[1] = change(packet[1]);
    let after = word(packet, 0);
    let old = word(packet, 10);
    let sum = u32::from(!old) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    #[allow(clippy::cast_possible_truncation)] // folded
    packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

/// The checksum of a header as it stands (RFC 1071): zero over one that has its own.
#[must_use]
pub fn header_checksum(header: &[u8]) -> u16 {
    Sum16BitWords::new().add_slice(header).ones_complement().to_be()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{WireAddress, WireOptions, WirePacket, WirePayload, WireTcp};
    use aqmlab_units::Time;

    #[test]
    fn options_that_do_not_add_up_say_nothing() {
        assert_eq!(shift(&[1, 1, 3, 3, 7]), Some(7));
        assert_eq!([shift(&[2, 4, 5]), shift(&[2, 0, 3, 3, 7]), shift(&[3, 3]), shift(&[8])], [None; 4]);
        assert_eq!(shift(&[0, 3, 3, 7]), None, "the list has ended");
        assert_eq!(shift(&[34, 4, 0, 0, 3, 3, 7]), Some(7), "TCP Fast Open (RFC 7413) is passed over");
    }

    /// RFC 7323 section 3.2 (kind 8, 10 bytes), RFC 2018 section 3 (kind 5), RFC 793 (NOP is kind 1).
    #[test]
    fn an_acknowledgement_is_read_with_its_options() {
        let nothing = AcknowledgementFields {
            flags: Flags::ACK,
            number: 7,
            timestamps: None,
            blocks: [None; 4],
            has_more: false,
        };
        let stamps = [1, 1, 8, 10, 0, 0, 1, 2, 0, 0, 3, 4];
        let stamped = AcknowledgementFields { timestamps: Some([0x102, 0x304]), ..nothing };
        assert_eq!(with_options(nothing, &stamps), stamped);
        let block = [1, 1, 5, 10, 0, 0, 3, 233, 0, 0, 7, 209];
        let blocks = [Some([1_001, 2_001]), None, None, None];
        let both = [&stamps[..], &block[..]].concat();
        assert_eq!(with_options(nothing, &both), AcknowledgementFields { blocks, ..stamped });
        let tcp = WireTcp {
            sequence: 5,
            acknowledgement: 7,
            flags: Flags::ACK.with(Flags::ECE),
            window: 0,
            largest_window: 0,
            segment_bytes: 1_460,
            payload: 9,
            scales: false,
            options: WireOptions {
                permits_blocks: true,
                timestamps: Some([0x102, 0x304]),
                blocks,
                counts: None,
            },
        };
        let address = WireAddress { address: [10, 0, 0, 1], port: 80 };
        let packet = WirePacket {
            at: Time::ZERO,
            source: address,
            destination: address,
            traffic_class: 0,
            ip_bytes: 20 + 20 + 12 + 12 + 9,
            payload: WirePayload::Tcp(tcp),
        };
        let read = |packet: &WirePacket| ReceivedPacket::read(&packet.bytes()).unwrap().acknowledgement();
        let flags = Flags::ACK.with(Flags::ECE);
        let with_data = AcknowledgementFields { flags, blocks, has_more: true, ..stamped };
        assert_eq!(read(&packet), Some(with_data));
        assert_eq!(read(&WirePacket { payload: WirePayload::Udp, ..packet }), None);
        let more = AcknowledgementFields { has_more: true, ..nothing };
        for options in [&[34, 4, 0, 0][..], &[8, 9, 0, 0], &[8], &[5, 4, 1, 1], &[3, 0]] {
            assert_eq!(with_options(nothing, options), more, "{options:?}");
        }
    }

    #[test]
    fn a_checksum_is_that_of_rfc_1071() {
        // Its section 3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
        assert_eq!(header_checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }
}
