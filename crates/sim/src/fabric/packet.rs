//! A packet under way: a small record that is copied, never shared.

use super::path::Path;
use crate::identifiers::{Column, ConnectionIdentity, EndpointId, Hop};
use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Queued};
use aqmlab_driver::datagram_sources;
use aqmlab_record::SentDatagram;
use aqmlab_session::{ConnectionId, DatagramSourceId, Side};
use aqmlab_tcp::{Flags, Segment, SequenceNumber};
use aqmlab_units::Time;

/// A TCP segment in its IP packet, or a datagram: 24 bytes in three words.
///
/// The words are put together once and taken apart by shifts. A record of small fields would be written field
/// by field and copied by words, and a processor stalls when it loads a word of which it has just stored a
/// part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// From the lowest bit: connection (32), generation (16), destination (16). A datagram names its source
    /// where others name their connection: sources are numbered from the top down, where no connection ever
    /// is.
    identity: u64,
    /// Sequence number (32), acknowledgement (32), or with options the place of these and of it. Of a
    /// datagram: sequence number (32), the instant at which it was sent (its lower 32 bits).
    numbers: u64,
    /// IP bytes (16), payload (16), hop of the next arrival (16), TCP flags (8), `FROM_PASSIVE` and what
    /// stands below it (8). Among the flags `WASHED` has the place of PSH, which no sender here sets. A
    /// pure acknowledgement has what is unread in place of payload, a datagram the upper bits of its instant
    /// in place of payload and flags.
    rest: u64,
}

const FROM_PASSIVE: u64 = 1 << 56;
const IS_COPY: u64 = 1 << 59;
/// The codepoint, by its number: a mark sets both bits, which leaves one that is capable capable.
const CODEPOINT_SHIFT: u32 = 57;
const CODEPOINT_BITS: u64 = 3 << CODEPOINT_SHIFT;
const ECN_CAPABLE: u64 = (Codepoint::Ect0.index() as u64) << CODEPOINT_SHIFT;
const CONGESTION_EXPERIENCED: u64 = (Codepoint::Ce.index() as u64) << CODEPOINT_SHIFT;
const _: () = assert!(CONGESTION_EXPERIENCED == CODEPOINT_BITS && ECN_CAPABLE & !CODEPOINT_BITS == 0);
const SCALABLE: u64 = (Codepoint::Ect1.index() as u64) << CODEPOINT_SHIFT;
const HAS_OPTIONS: u64 = 1 << 63;
/// The packet class is asked for at every queue and never changes.
const CLASS_SHIFT: u32 = 60;
/// A datagram has its instant there, in bits that no run reaches.
const WASHED: u64 = (Flags::PSH.bits() as u64) << FLAGS_SHIFT;
const FLAGS_SHIFT: u32 = 48;
const AT_SHIFT: u32 = 32;

/// The packet classes by their codes of three bits, of which one is not used; the bit above them is
/// `HAS_OPTIONS`.
const CLASSES: [PacketClass; 8] = {
    let mut classes = [PacketClass::Datagram; 8];
    let mut code = 0;
    while code < PacketClass::COUNT {
        classes[code] = PacketClass::ALL[code];
        code += 1;
    }
    classes
};

// A cast takes a field out of its word: what it cuts off are other fields.
#[allow(clippy::cast_possible_truncation)]
impl Packet {
    #[inline(always)]
    pub(crate) const fn new(
        segment: &Segment,
        ip_bytes: u16,
        connection: ConnectionIdentity,
        from: Side,
        path: &Path,
    ) -> Self {
        let from = if matches!(from, Side::Passive) { FROM_PASSIVE } else { 0 };
        let capable = if segment.ect { ECN_CAPABLE } else { 0 };
        Self {
            identity: connection.place as u64
                | (connection.generation as u64) << 32
                | (path.destination.number() as u64) << 48,
            numbers: segment.sequence.value() as u64 | (segment.acknowledgement.value() as u64) << 32,
            rest: ip_bytes as u64
                | ((segment.payload | segment.unread) as u64) << 16
                | (path.at.number() as u64) << AT_SHIFT
                | (segment.flags.bits() as u64) << FLAGS_SHIFT
                | from
                | capable
                | (class_of(segment).index() as u64) << CLASS_SHIFT,
        }
    }

    /// The same packet with options at a place: see [`super::options::Options`]. `scalable` says that it is
    /// ECT(1) where it is capable of ECN.
    pub(crate) const fn with_options(self, place: u32, scalable: bool) -> Self {
        let capable = self.rest & CODEPOINT_BITS != 0;
        let point = if scalable && capable { SCALABLE } else { self.rest & CODEPOINT_BITS };
        Self {
            numbers: self.numbers & 0xffff_ffff | (place as u64) << 32,
            rest: self.rest & !CODEPOINT_BITS | point | HAS_OPTIONS,
            ..self
        }
    }

    /// The same packet with its options or payload at another place.
    pub(crate) const fn with_place(self, place: u32) -> Self {
        Self { numbers: self.numbers & 0xffff_ffff | (place as u64) << 32, ..self }
    }

    /// The same packet, which says that it is a copy.
    pub(crate) const fn as_copy(self) -> Self {
        Self { rest: self.rest | IS_COPY, ..self }
    }

    /// Whether it is a copy of another packet.
    pub(crate) const fn is_copy(&self) -> bool {
        self.rest & IS_COPY != 0
    }

    /// A packet of a transport that is neither TCP nor a source of datagrams, with its payload at a place:
    /// see [`super::places::Places`].
    pub(crate) const fn with_payload(
        place: u32,
        ip_bytes: u16,
        codepoint: Codepoint,
        connection: ConnectionIdentity,
        from: Side,
        path: &Path,
    ) -> Self {
        let from = if matches!(from, Side::Passive) { FROM_PASSIVE } else { 0 };
        Self {
            identity: connection.place as u64
                | (connection.generation as u64) << 32
                | (path.destination.number() as u64) << 48,
            numbers: (place as u64) << 32,
            rest: ip_bytes as u64
                | (path.at.number() as u64) << AT_SHIFT
                | from
                | (codepoint.index() as u64) << CODEPOINT_SHIFT
                | (PacketClass::Datagram.index() as u64) << CLASS_SHIFT
                | HAS_OPTIONS,
        }
    }

    /// Where its payload is, if it is such a packet.
    pub(crate) const fn payload(&self) -> Option<u32> {
        let kind = PacketClass::Datagram.index() as u64 | HAS_OPTIONS >> CLASS_SHIFT;
        if self.rest >> CLASS_SHIFT == kind { Some((self.numbers >> 32) as u32) } else { None }
    }

    /// Where its options are, if it has any.
    #[inline(always)]
    pub(crate) const fn options(&self) -> Option<u32> {
        if self.rest & HAS_OPTIONS == 0 { None } else { Some((self.numbers >> 32) as u32) }
    }

    /// A datagram with this codepoint, sent at this instant.
    pub(crate) const fn datagram(
        (source, sequence): (DatagramSourceId, u32),
        datagram: SentDatagram,
        codepoint: Codepoint,
        path: &Path,
    ) -> Self {
        let instant = datagram.sent.nanoseconds();
        Self {
            identity: datagram_sources::number(source.number()) as u64
                | (path.destination.number() as u64) << 48,
            numbers: sequence as u64 | instant << 32,
            rest: datagram.ip_bytes as u64
                | ((instant >> 32) & 0xffff) << 16
                | (path.at.number() as u64) << AT_SHIFT
                | ((instant >> 48) & 0xff) << FLAGS_SHIFT
                | (codepoint.index() as u64) << CODEPOINT_SHIFT
                | (PacketClass::Datagram.index() as u64) << CLASS_SHIFT,
        }
    }

    /// The source, if it is a datagram, and what is known of it there.
    pub(crate) fn as_datagram(&self) -> Option<(DatagramSourceId, SentDatagram)> {
        let source = DatagramSourceId::from_number(u32::MAX - self.connection());
        (self.rest >> CLASS_SHIFT == PacketClass::Datagram.index() as u64).then(|| {
            let lower = self.numbers >> 32;
            let rest = self.rest & !WASHED;
            let upper = (rest >> 16) & 0xffff | ((rest >> FLAGS_SHIFT) & 0xff) << 16;
            let sent = Time::from_nanoseconds(lower | upper << 32);
            (source, SentDatagram { sent, ip_bytes: self.ip_bytes() })
        })
    }

    /// What it says; with options, all but the acknowledgement number.
    #[inline(always)]
    pub(crate) const fn segment(&self) -> Segment {
        let bytes = (self.rest >> 16) as u16;
        let bare = matches!(self.class(), PacketClass::PureAck);
        Segment {
            sequence: SequenceNumber::new(self.numbers as u32),
            acknowledgement: SequenceNumber::new((self.numbers >> 32) as u32),
            payload: if bare { 0 } else { bytes },
            flags: Flags::from_bits(((self.rest & !WASHED) >> FLAGS_SHIFT) as u8),
            ect: self.rest & CODEPOINT_BITS != 0,
            unread: if bare { bytes } else { 0 },
        }
    }

    /// Place of the connection among those of the run.
    #[inline(always)]
    pub(crate) const fn connection(&self) -> u32 {
        self.identity as u32
    }

    /// Connections are stored in reused places; the generation tells a packet of an earlier owner.
    #[inline(always)]
    pub(crate) const fn generation(&self) -> u16 {
        (self.identity >> 32) as u16
    }

    /// Both together.
    #[inline(always)]
    pub(crate) const fn connection_identity(&self) -> ConnectionIdentity {
        ConnectionIdentity { place: self.connection(), generation: self.generation() }
    }

    /// The end of the connection that it is for.
    #[inline(always)]
    pub(crate) const fn receiver(&self) -> EndpointId {
        EndpointId { connection: ConnectionId::from_number(self.connection()), side: self.from().other() }
    }

    /// Where this packet leaves the network.
    #[inline(always)]
    pub(crate) const fn destination(&self) -> Column {
        Column::from_number((self.identity >> 48) as u16)
    }

    /// Length of the IP packet in bytes.
    #[inline(always)]
    pub(crate) const fn ip_bytes(&self) -> u16 {
        self.rest as u16
    }

    /// Where it arrives next.
    #[inline(always)]
    pub(crate) const fn at(&self) -> Hop {
        Hop::from_number((self.rest >> AT_SHIFT) as u16)
    }

    /// The same packet on its path to another hop.
    #[inline(always)]
    pub(crate) const fn towards(self, hop: Hop) -> Self {
        Self { rest: self.rest & !(0xffff << AT_SHIFT) | (hop.number() as u64) << AT_SHIFT, ..self }
    }

    /// The end that sent it.
    #[inline(always)]
    pub(crate) const fn from(&self) -> Side {
        if self.rest & FROM_PASSIVE == 0 { Side::Active } else { Side::Passive }
    }

    #[inline(always)]
    pub(crate) const fn is_marked(&self) -> bool {
        self.rest & CODEPOINT_BITS == CONGESTION_EXPERIENCED
    }

    /// A box on its way changes its codepoint.
    pub(crate) const fn change_codepoint(&mut self, codepoint: Codepoint) {
        self.rest = self.rest & !CODEPOINT_BITS | (codepoint.index() as u64) << CODEPOINT_SHIFT;
    }

    /// Whether a queue on its way has cleared its differentiated services codepoint.
    #[inline(always)]
    pub(crate) const fn is_washed(&self) -> bool {
        self.rest & WASHED != 0
    }

    #[inline(always)]
    pub(crate) const fn class(&self) -> PacketClass {
        CLASSES[(self.rest >> CLASS_SHIFT) as usize & (CLASSES.len() - 1)]
    }

    #[inline(always)]
    pub(crate) const fn codepoint(&self) -> Codepoint {
        // In the order of their numbers, so that nothing remains to be done.
        match (self.rest & CODEPOINT_BITS) >> CODEPOINT_SHIFT {
            0 => Codepoint::NotEct,
            1 => Codepoint::Ect0,
            2 => Codepoint::Ect1,
            _ => Codepoint::Ce,
        }
    }
}

#[inline(always)]
const fn class_of(segment: &Segment) -> PacketClass {
    PacketClass::of_segment(segment.flags.bits(), segment.payload > 0)
}

impl Queued for Packet {
    #[inline(always)]
    fn facts(&self) -> PacketFacts {
        PacketFacts {
            flow: (self.identity & 0xffff_ffff_ffff) << 1 | u64::from(self.rest & FROM_PASSIVE != 0),
            bytes: u32::from(self.ip_bytes()),
            codepoint: self.codepoint(),
            class: self.class(),
        }
    }

    #[inline(always)]
    fn mark(&mut self) {
        debug_assert!(self.rest & CODEPOINT_BITS != 0, "a packet that is not capable of ECN is marked");
        self.rest |= CONGESTION_EXPERIENCED;
    }

    fn wash(&mut self) {
        self.rest |= WASHED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::path::Delayed;
    use crate::identifiers::Egress;
    use proptest::prelude::*;

    #[test]
    fn a_packet_is_small() {
        assert_eq!((size_of::<Packet>(), size_of::<Path>()), (24, 24));
    }

    fn packet(segment: &Segment, identity: ConnectionIdentity, from: Side) -> Packet {
        let (at, destination) = (Hop::from_number(3), Column::from_number(5));
        let path = Path {
            delay_ns: 0,
            egress: Egress::DELIVERY,
            at,
            destination,
            rank: Path::AT_ONCE,
            delayed: Delayed::AtNode,
        };
        Packet::new(segment, 40, identity, from, &path)
    }

    const BARE: Segment = Segment {
        sequence: SequenceNumber::INITIAL,
        acknowledgement: SequenceNumber::INITIAL,
        payload: 0,
        flags: Flags::NONE,
        ect: false,
        unread: 0,
    };

    #[test]
    fn a_flow_is_one_direction_of_one_owner_of_a_place() {
        let mut flows = Vec::new();
        for place in [0, 1, 0x8000_0000, u32::MAX] {
            for generation in [0, 1, 0x8000, u16::MAX] {
                for from in [Side::Active, Side::Passive] {
                    let [bare, data] = [BARE, Segment { payload: 9, ..BARE }]
                        .map(|sent| packet(&sent, ConnectionIdentity { place, generation }, from));
                    assert_eq!(bare.facts().flow, data.facts().flow, "whatever it carries");
                    flows.push(bare.facts().flow);
                }
            }
        }
        flows.sort_unstable();
        flows.dedup();
        assert_eq!(flows.len(), 4 * 4 * 2);
    }

    #[test]
    fn codes_of_classes_are_places_in_the_list() {
        for class in PacketClass::ALL {
            assert_eq!(CLASSES[class.index()], class);
        }
    }

    proptest! {
        /// An instant of a run is below 2⁵¹ ns, which are 26 days.
        #[test]
        fn a_datagram_says_what_it_was_made_of(
            source in 0..1_000_000_u32, sequence: u32, ip_bytes: u16, instant in 0..1_u64 << 51, nodes: (u16, u16, u16),
            point in 0..4_usize,
        ) {
            let source = DatagramSourceId::from_number(source);
            let sent = SentDatagram { sent: Time::from_nanoseconds(instant), ip_bytes };
            let codepoint = Codepoint::ALL[point];
            let [at, next] = [nodes.0, nodes.2].map(Hop::from_number);
            let destination = Column::from_number(nodes.1);
            let path = Path { delay_ns: 0, egress: Egress::DELIVERY, at, destination, rank: Path::AT_ONCE, delayed: Delayed::AtNode };
            let packet = Packet::datagram((source, sequence), sent, codepoint, &path);
            let mut washed = packet;
            washed.wash();
            prop_assert!(washed.is_washed() && !packet.is_washed());
            for (packet, at) in [(packet, at), (packet.towards(next), next), (washed, at)] {
                let (of, found) = packet.as_datagram().expect("a datagram");
                prop_assert_eq!((of, found.sent, found.ip_bytes), (source, sent.sent, ip_bytes));
                prop_assert_eq!((packet.at(), packet.destination()), (at, destination));
                prop_assert_eq!((packet.codepoint(), packet.class()), (codepoint, PacketClass::Datagram));
                prop_assert_eq!(packet.segment().sequence.value(), sequence);
            }
        }
    }

    proptest! {
        #[test]
        fn a_packet_says_what_it_was_made_of(
            numbers: (u32, u32, u32), sizes: (u16, u16), nodes: (u16, u16, u16), generation: u16, flags: u8,
            passive: bool, ect: bool, bare: bool, unread: u16,
        ) {
            let flags = Flags::from_bits(flags).without(Flags::PSH);
            let mut segment = Segment {
                sequence: SequenceNumber::new(numbers.0),
                acknowledgement: SequenceNumber::new(numbers.1),
                payload: if bare { 0 } else { sizes.0 },
                flags,
                ect,
                unread: 0,
            };
            // Beside data, SYN or FIN no window is advertised.
            if class_of(&segment) == PacketClass::PureAck {
                segment.unread = unread;
            }
            let from = if passive { Side::Passive } else { Side::Active };
            let [at, next] = [nodes.0, nodes.2].map(Hop::from_number);
            let destination = Column::from_number(nodes.1);
            let path = Path { delay_ns: 0, egress: Egress::DELIVERY, at, destination, rank: Path::AT_ONCE, delayed: Delayed::AtNode };
            let mut packet = Packet::new(&segment, sizes.1, ConnectionIdentity { place: numbers.2, generation }, from, &path);
            prop_assert_eq!(packet.segment(), segment);
            prop_assert_eq!((packet.connection(), packet.generation()), (numbers.2, generation));
            prop_assert_eq!((packet.at(), packet.destination()), (at, destination));
            prop_assert_eq!((packet.ip_bytes(), packet.from()), (sizes.1, from));
            prop_assert_eq!(packet.class(), class_of(&segment));
            prop_assert_eq!(packet.codepoint(), if ect { Codepoint::Ect0 } else { Codepoint::NotEct });
            packet = packet.towards(next);
            prop_assert_eq!((packet.at(), packet.destination()), (next, destination));
            prop_assert!(!packet.is_marked() && !packet.is_washed());
            packet.wash();
            prop_assert!(packet.is_washed() && packet.segment() == segment);
            // Only what is capable is ever marked, and remains so.
            if ect {
                packet.mark();
                prop_assert!(packet.is_marked() && packet.codepoint() == Codepoint::Ce);
                prop_assert_eq!(packet.segment(), segment);
            }
        }
    }
}
