//! What a queue may know about a packet: sizes and header facts, never its bytes.

use crate::acknowledgement::Acknowledgement;
use crate::header::HeaderFields;

/// Declares an enum whose variants index arrays, with their names as data.
macro_rules! counted_enum {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type { $($(#[$doc])* $variant,)+ }

        impl $type {
            /// Every variant, in the order of [`Self::index`].
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant,)+];
            /// How many variants there are.
            pub const COUNT: usize = [$($name),+].len();
            /// The name of each variant, as results print it.
            pub const NAMES: [&'static str; Self::COUNT] = [$($name),+];

            /// The place of this variant in an array of [`Self::COUNT`] values.
            #[must_use]
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The name of this variant, as results print it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                Self::NAMES[self.index()]
            }
        }
    };
}
pub(crate) use counted_enum;

counted_enum! {
    /// The two ECN bits of the IP header (RFC 3168 §5).
    pub enum Codepoint {
        /// The sender's transport does not take part in ECN: congestion is signalled by loss.
        NotEct = "not_ect",
        /// ECN-capable transport, codepoint 10: what RFC 3168 senders use.
        Ect0 = "ect0",
        /// ECN-capable transport, codepoint 01: reserved for experiments such as L4S (RFC 8311, RFC 9331).
        Ect1 = "ect1",
        /// Congestion experienced: some queue on the path has marked the packet.
        Ce = "ce",
    }
}

impl Codepoint {
    /// Whether a queue may mark this packet instead of dropping it. A packet that is CE already counts as
    /// capable: it stays marked.
    #[must_use]
    #[inline]
    pub const fn can_be_marked(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

counted_enum! {
    /// What a packet is to its transport. Losses are reported per class, because losing a SYN costs a user
    /// seconds and losing one of many ACKs costs nothing.
    pub enum PacketClass {
        /// First segment of a connection, with or without data.
        Syn = "syn",
        /// The answer to a SYN.
        SynAck = "syn_ack",
        /// A TCP segment without data, SYN, FIN or RST.
        PureAck = "pure_ack",
        /// A FIN without data. A FIN that carries data is [`PacketClass::Data`].
        Fin = "fin",
        /// A TCP segment with data.
        Data = "data",
        /// A segment that resets its connection, with or without data.
        Reset = "reset",
        /// Anything that is not TCP.
        Datagram = "datagram",
    }
}

impl PacketClass {
    /// What a TCP segment is, by its header's flag byte (RFC 9293 section 3.1) and by whether it has data.
    ///
    /// RST and SYN count before data: with a SYN goes the connection for a whole timeout, whatever else it
    /// carries (RFC 7413), and the data of a reset are a remark (RFC 9293 section 3.5.3).
    #[must_use]
    #[inline(always)]
    pub const fn of_segment(flags: u8, has_data: bool) -> Self {
        const FIN: u8 = 0x01;
        const SYN: u8 = 0x02;
        const RST: u8 = 0x04;
        const ACK: u8 = 0x10;
        if flags & (RST | SYN) == 0 {
            return if has_data {
                Self::Data
            } else if flags & FIN != 0 {
                Self::Fin
            } else {
                Self::PureAck
            };
        }
        if flags & RST != 0 {
            Self::Reset
        } else if flags & ACK != 0 {
            Self::SynAck
        } else {
            Self::Syn
        }
    }
}

/// All that a queue management scheme knows of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFacts {
    /// Tells flows apart: equal for the packets of one flow in one direction, different for those of others
    /// as long as any of them wait. For comparison alone: what sorts flows into queues is
    /// [`HeaderFields::flow_hash`].
    pub flow: u64,
    /// Length in bytes: of the IP packet, headers included. A scheme is told the length that the queue
    /// counts, which is more where [`crate::PortFacts::layer2_queued_bytes`] says so.
    pub bytes: u32,
    /// The ECN bits as they are now.
    pub codepoint: Codepoint,
    /// What the packet is to its transport.
    pub class: PacketClass,
}

impl PacketFacts {
    /// The same packet with so many bytes of the link layer.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn longer_by(self, layer2_bytes: u32) -> Self {
        Self { bytes: self.bytes + layer2_bytes, ..self }
    }
}

/// What a [`crate::Port`] can hold: a small record in simulation, a buffer with a real packet in live mode.
pub trait Queued {
    /// The facts of this packet, with its IP length. Asked several times during a packet's stay: keep them at
    /// hand.
    fn facts(&self) -> PacketFacts;

    /// Sets the codepoint to [`Codepoint::Ce`]. Called only on packets whose codepoint
    /// [can be marked](Codepoint::can_be_marked).
    fn mark(&mut self);

    /// Clears the differentiated services codepoint, and leaves the ECN bits. A packet that does not carry it
    /// has nothing to clear.
    fn wash(&mut self) {}

    /// What a port with several queues sorts this packet by. A packet that does not carry it takes the way of
    /// [`crate::Port::arrive_with`]; without either, flows are sorted by what tells them apart,
    /// whose upper half stands for their hosts.
    fn header_fields(&self) -> HeaderFields {
        HeaderFields::of_flow(self.facts().flow)
    }

    /// What this packet acknowledges, as a port asks for it that filters acknowledgements: see
    /// [`crate::Headers::acknowledgement`]. A packet that does not carry it takes the way of
    /// [`crate::Port::arrive_with`]; without either, nothing is filtered.
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags from RFC 9293 section 3.1: FIN 1, SYN 2, RST 4, PSH 8, ACK 16.
    #[test]
    fn a_segment_is_what_its_flags_and_its_data_say() {
        let bare = |flags| PacketClass::of_segment(flags, false);
        let with_data = |flags| PacketClass::of_segment(flags, true);
        assert_eq!([bare(2), bare(18)], [PacketClass::Syn, PacketClass::SynAck]);
        assert_eq!(
            [bare(16), with_data(16), with_data(24)],
            [PacketClass::PureAck, PacketClass::Data, PacketClass::Data]
        );
        assert_eq!([bare(17), with_data(17)], [PacketClass::Fin, PacketClass::Data]);
        assert_eq!([bare(4), bare(20)], [PacketClass::Reset; 2]);
        // TCP Fast Open, and a reset that says why.
        assert_eq!([with_data(2), with_data(18)], [PacketClass::Syn, PacketClass::SynAck]);
        assert_eq!([with_data(4), with_data(20)], [PacketClass::Reset; 2]);
    }
}
