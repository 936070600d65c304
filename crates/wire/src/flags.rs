//! The flags of TCP.
//!
//! Source: RFC 9293 section 3.1, RFC 3168 section 6.1 (ECE, CWR), RFC 9768 section 3.2.2 (AE).

/// A set of TCP header flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The sender will send no more data.
    pub const FIN: Self = Self(0x01);
    /// The segment opens a connection.
    pub const SYN: Self = Self(0x02);
    /// The segment aborts the connection.
    pub const RST: Self = Self(0x04);
    /// The receiver is asked to hand on what it has.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement number is meaningful.
    pub const ACK: Self = Self(0x10);
    /// Accurate ECN's third bit of three (RFC 9768 section 3.2.2), which the header has in the byte before;
    /// here it has the place of URG, which nobody sets.
    pub const AE: Self = Self(0x20);
    /// ECN-Echo: a congestion mark arrived here (RFC 3168 section 6.1.3).
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced: the sender has reacted (RFC 3168 section 6.1.2).
    pub const CWR: Self = Self(0x80);

    /// Both sets together.
    #[must_use]
    #[inline]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without those of the other.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether every flag of `other` is set.
    #[must_use]
    #[inline]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any flag of `other` is set.
    #[must_use]
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set with these bits of the header's flag byte.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The bits as in the header's flag byte.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }
}
