//! The yes-or-no facts of a connection, a byte for each of its parts. (The flags of a segment are
//! [`crate::Flags`].)

/// A set of facts with names.
macro_rules! connection_flags {
    ($(#[$about:meta])* $set:ident { $($(#[$meaning:meta])* $flag:ident = $bit:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $set(u8);

        impl $set {
            $($(#[$meaning])* pub(crate) const $flag: Self = Self(1 << $bit);)+

            #[inline]
            pub(crate) const fn has(self, flag: Self) -> bool {
                self.0 & flag.0 != 0
            }

            #[inline]
            pub(crate) fn set(&mut self, flag: Self) {
                self.0 |= flag.0;
            }

            #[inline]
            pub(crate) fn clear(&mut self, flag: Self) {
                self.0 &= !flag.0;
            }
        }
    };
}

connection_flags! {
    /// What both ends of a connection agreed on, and who began.
    ConnectionFlags {
        /// This endpoint opened the connection.
        ACTIVE = 0,
        /// Both ends agreed on ECN.
        ECN = 1,
        /// This end has accurate ECN and its peer has not: acknowledgements echo marks (RFC 3168).
        CLASSIC_FEEDBACK = 2,
        /// This end sends nothing that is ECN-capable, for a reason that the handshake or data have shown.
        NOT_CAPABLE = 3,
        /// The SYN that this end answers came ECN-capable, and with a mark.
        SYN_CAPABLE = 4,
        SYN_MARKED = 5,
    }
}

connection_flags! {
    /// Facts of the sender.
    SenderFlags {
        /// The application has closed: a FIN follows the data.
        CLOSING = 0,
        /// The FIN has been sent at least once; it occupies the last number sent.
        FIN_SENT = 1,
        /// The congestion window was reduced: the next fitting segment says so with CWR.
        CWR_PENDING = 2,
        /// An ECN-Echo arrived at a window of one segment: wait for the retransmission timer before sending
        /// (RFC 3168), or back it off at the next echo (ns-2).
        ECN_WAIT = 3,
        /// The congestion controller has a pacer.
        PACED = 4,
    }
}

connection_flags! {
    /// Facts of the receiver.
    ReceiverFlags {
        /// The peer must be answered at once.
        ACK_NOW = 0,
        /// A FIN of the peer has arrived, perhaps ahead of missing data.
        FIN_SEEN = 1,
        /// A congestion mark arrived: every segment echoes it (ECE) until the peer says it has reacted (CWR).
        ECHO = 2,
        /// The congestion mark came with data that no acknowledgement has covered yet (ns-2).
        ECHO_UNCOVERED = 3,
        /// The application has read what came before an acknowledgement of it is due.
        READ = 4,
    }
}

impl SenderFlags {
    /// Clears the flag and answers whether it was set.
    #[inline]
    pub(crate) fn take(&mut self, flag: Self) -> bool {
        let was_set = self.has(flag);
        self.clear(flag);
        was_set
    }
}

impl ReceiverFlags {
    /// Both sets together: [`Self::has`] then asks for any of them.
    #[inline]
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// An acknowledgement has left, and covers everything that arrived.
    #[inline]
    pub(crate) fn clear_acknowledged(&mut self) {
        self.0 &= !(Self::ACK_NOW.0 | Self::ECHO_UNCOVERED.0 | Self::READ.0);
    }
}
