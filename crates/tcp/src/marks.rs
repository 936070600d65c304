//! The yes-or-no facts of a connection, in two bytes.

/// A set of facts about one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u16);

impl Marks {
    /// The application has closed: a FIN follows the data.
    pub(crate) const CLOSING: Self = Self(1);
    /// Our FIN has been sent at least once; it occupies the last number sent.
    pub(crate) const FIN_SENT: Self = Self(1 << 1);
    /// Our FIN has been acknowledged.
    pub(crate) const FIN_ACKNOWLEDGED: Self = Self(1 << 2);
    /// A FIN of the peer has arrived, perhaps ahead of missing data.
    pub(crate) const PEER_FIN_SEEN: Self = Self(1 << 3);
    /// Everything up to and including the peer's FIN has arrived.
    pub(crate) const PEER_CLOSED: Self = Self(1 << 4);
    /// The peer must be answered at once.
    pub(crate) const ACK_NOW: Self = Self(1 << 5);
    /// This endpoint opened the connection.
    pub(crate) const ACTIVE: Self = Self(1 << 6);
    /// Both ends agreed on ECN.
    pub(crate) const ECN: Self = Self(1 << 7);
    /// A congestion mark arrived: echo it until the peer says it has reacted.
    pub(crate) const ECHO: Self = Self(1 << 8);
    /// The congestion window was reduced: tell the peer with the next fitting segment.
    pub(crate) const REDUCED: Self = Self(1 << 9);
    /// A SYN or SYN/ACK of ours had to be retransmitted.
    pub(crate) const SYN_LOST: Self = Self(1 << 10);
    /// Fast recovery is in progress.
    pub(crate) const RECOVERING: Self = Self(1 << 11);
    /// The first partial acknowledgement of this fast recovery has arrived.
    pub(crate) const PARTIAL_SEEN: Self = Self(1 << 12);
    /// An ECN-Echo arrived at a window of one segment: wait for the retransmission timer before sending (RFC
    /// 3168), or back it off at the next echo (ns-2).
    pub(crate) const ECN_WAIT: Self = Self(1 << 13);
    /// The connection was aborted: what still arrives is reset.
    pub(crate) const ABORTED: Self = Self(1 << 14);
    /// The congestion mark came with data that no acknowledgement has covered yet (ns-2).
    pub(crate) const ECHO_OWED: Self = Self(1 << 15);
    /// What every acknowledgement settles.
    pub(crate) const OWED: Self = Self(Self::ACK_NOW.0 | Self::ECHO_OWED.0);

    #[inline]
    pub(crate) const fn has(self, fact: Self) -> bool {
        self.0 & fact.0 == fact.0
    }

    #[inline]
    pub(crate) fn set(&mut self, fact: Self) {
        self.0 |= fact.0;
    }

    #[inline]
    pub(crate) fn clear(&mut self, fact: Self) {
        self.0 &= !fact.0;
    }

    /// Clears the fact and answers whether it was set.
    #[inline]
    pub(crate) fn take(&mut self, fact: Self) -> bool {
        let was_set = self.has(fact);
        self.clear(fact);
        was_set
    }
}
