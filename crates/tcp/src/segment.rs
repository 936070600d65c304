//! What one TCP packet says: a small record that the simulator copies, never bytes on a wire.
//!
//! Source: RFC 9293 section 3.1 (header), RFC 3168 sections 5 and 6.1 (ECT, ECE, CWR). The advertised window
//! is carried as what it lacks to the whole receive buffer ([`Segment::unread`],
//! [`crate::HostProfile::window_bytes`]). Checksums, ports, urgent data and options are not modelled; the
//! room that options take is in the profile.

use crate::hosts::HostProfile;
use crate::sequence::SequenceNumber;
pub use aqmlab_wire::Flags;
use std::fmt;

/// One TCP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the first byte (or of SYN or FIN where there is no byte).
    pub sequence: SequenceNumber,
    /// Next number expected from the peer; meaningful with [`Flags::ACK`].
    pub acknowledgement: SequenceNumber,
    /// Bytes of data carried.
    pub payload: u16,
    /// Header flags.
    pub flags: Flags,
    /// Whether the sender declared the packet ECN-capable, ECT(0) (RFC 3168 section 5): a queue may then mark
    /// it instead of dropping it.
    pub ect: bool,
    /// Bytes in order that the application had not read yet: the advertised window is the receive buffer
    /// without them (RFC 9293 section 3.8.6). Two segments with different values advertise different windows.
    /// Only an acknowledgement without data, SYN or FIN has any; it stops at the greatest value, which every
    /// window that is not scaled stays below.
    pub unread: u16,
}

impl Segment {
    /// Size of the IP datagram in bytes: headers with the options of `profile`, plus the payload.
    #[must_use]
    #[inline]
    pub const fn ip_bytes(&self, profile: &HostProfile) -> u16 {
        let header =
            if self.flags.contains(Flags::SYN) { profile.syn_header_bytes } else { profile.header_bytes };
        header + self.payload
    }

    /// Sequence numbers that the segment occupies: its bytes, and one each for SYN and FIN.
    #[must_use]
    pub const fn sequence_length(&self) -> u32 {
        self.payload as u32 + self.flags.contains(Flags::SYN) as u32 + self.flags.contains(Flags::FIN) as u32
    }
}

/// The answer of a host that has no connection for `segment`: a reset, or nothing.
///
/// A driver may recycle an [`crate::Endpoint`] as soon as it reports `finished`. What still arrives for it
/// then gets this answer, which needs no memory of the connection (RFC 9293 section 3.10.7.1):
/// - a reset is ignored;
/// - anything that occupies sequence numbers is reset;
/// - a pure acknowledgement is ignored, where the RFC resets it: it asks for nothing.
///
/// The common case is a retransmitted FIN whose acknowledgement was lost. A real host answers it from
/// TIME-WAIT with an acknowledgement of the same size; here a reset does the same work, since an endpoint
/// whose peer has closed takes a reset as the missing acknowledgement (RFC 9293 section 3.10.7.4, CLOSING and
/// LAST-ACK), while an endpoint whose peer gave up must be told that its data are lost.
#[must_use]
pub fn respond_to_stray(segment: &Segment) -> Option<Segment> {
    let asks = !segment.flags.contains(Flags::RST) && segment.sequence_length() > 0;
    asks.then(|| reset(segment))
}

/// The reset that `segment` asks for (RFC 9293 section 3.10.7.1): it stands at the number that the segment
/// acknowledges, or at zero, and acknowledges the segment. The RFC leaves the acknowledgement out beside a
/// number.
pub(crate) fn reset(segment: &Segment) -> Segment {
    let acknowledges = segment.flags.contains(Flags::ACK);
    Segment {
        sequence: if acknowledges { segment.acknowledgement } else { SequenceNumber::INITIAL },
        acknowledgement: segment.sequence.plus(segment.sequence_length()),
        payload: 0,
        flags: Flags::RST.with(Flags::ACK),
        ect: false,
        unread: 0,
    }
}

/// As in a packet trace, `flags first:end ack next unread bytes ECT`: `SYN 0:0 ack 1`, `FIN 1:1461 ack 351
/// ECT`, `1:1 ack 2921 unread 2920`.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Flags::SYN, "SYN"),
            (Flags::FIN, "FIN"),
            (Flags::RST, "RST"),
            (Flags::AE, "AE"),
            (Flags::ECE, "ECE"),
            (Flags::CWR, "CWR"),
        ];
        for (flag, name) in names {
            if self.flags.contains(flag) {
                write!(f, "{name} ")?;
            }
        }
        let start = self.sequence.value();
        write!(f, "{}:{}", start, start.wrapping_add(u32::from(self.payload)))?;
        if self.flags.contains(Flags::ACK) {
            write!(f, " ack {}", self.acknowledgement.value())?;
        }
        if self.unread > 0 {
            write!(f, " unread {}", self.unread)?;
        }
        if self.ect { f.write_str(" ECT") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIN_OF_A_FORGOTTEN_PEER: Segment = Segment {
        sequence: SequenceNumber::new(5_001),
        acknowledgement: SequenceNumber::new(351),
        payload: 0,
        flags: Flags::FIN.with(Flags::ACK),
        ect: false,
        unread: 0,
    };

    #[test]
    fn a_segment_fits_in_sixteen_bytes() {
        assert!(size_of::<Segment>() <= 16);
    }

    #[test]
    fn sizes_are_headers_plus_options_plus_payload() {
        let bsd45 = HostProfile::named("bsd45").unwrap();
        let data = Segment { payload: 1460, flags: Flags::ACK, ..FIN_OF_A_FORGOTTEN_PEER };
        let syn = Segment { flags: Flags::SYN, ..FIN_OF_A_FORGOTTEN_PEER };
        assert_eq!(data.ip_bytes(&bsd45), 1500);
        assert_eq!(syn.ip_bytes(&bsd45), 44);
        assert_eq!(FIN_OF_A_FORGOTTEN_PEER.ip_bytes(&bsd45), 40);
    }

    #[test]
    fn a_stray_fin_is_answered_and_a_stray_answer_is_not() {
        let answer = respond_to_stray(&FIN_OF_A_FORGOTTEN_PEER).unwrap();
        assert!(answer.flags.contains(Flags::RST));
        assert_eq!(answer.sequence, SequenceNumber::new(351));
        assert_eq!(answer.acknowledgement, SequenceNumber::new(5_002));
        assert_eq!(respond_to_stray(&answer), None);
        let pure_ack = Segment { flags: Flags::ACK, ..FIN_OF_A_FORGOTTEN_PEER };
        assert_eq!(respond_to_stray(&pure_ack), None);
    }
}
