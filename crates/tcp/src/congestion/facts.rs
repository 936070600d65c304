//! What a congestion controller is told.

use aqmlab_units::{Rate, Span, Time};

/// What the peer's acknowledgements tell of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Nothing: the ends did not agree on ECN.
    #[default]
    None,
    /// That there were some (RFC 3168).
    Classic,
    /// How many (RFC 9768).
    Accurate,
}

/// How a connection was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// When it was open.
    pub now: Time,
    /// The round trip of the handshake, where there was one that was measured.
    pub round_trip: Option<Span>,
    /// Whether this end sent the first SYN.
    pub active: bool,
    /// Whether a SYN or SYN/ACK of this end had to be sent again.
    pub syn_lost: bool,
    /// Whether the initial window is one segment for that reason (RFC 5681 section 3.1).
    pub reduces_window: bool,
    /// What the peer's acknowledgements tell of marks.
    pub feedback: Feedback,
}

/// What the sender is doing about congestion (Linux `tcp_ca_state`, of which *disorder* needs no name).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    #[default]
    Open,
    /// An echo asked for a smaller window, and nothing was lost.
    Reducing,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

impl Phase {
    /// Whether a reduction is under way that a loss or a mark has begun.
    #[must_use]
    #[inline]
    pub const fn is_reduction(self) -> bool {
        matches!(self, Self::Reducing | Self::Recovery)
    }
}

/// A segment leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub now: Time,
    /// Whether it was sent before.
    pub again: bool,
    /// Segments in the network, with it.
    pub in_flight: u32,
    /// Whether the rate at which it will arrive may be the application's: what is written did not fill the
    /// window, or the controller [asked for that](super::CongestionControl::limits_samples), and not all of
    /// what was in the network then has arrived.
    pub application_limited: bool,
    /// What the sender is doing.
    pub phase: Phase,
}

/// A round trip has ended with an acknowledgement that is being processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// When it arrived.
    pub now: Time,
    /// The round trip of the newest segment that it brings and that was sent once; or else by its timestamp.
    pub round_trip: Span,
    /// Whether everything is acknowledged that had been sent when this was last so, asked in slow start
    /// alone.
    pub round_begins: bool,
}

/// An acknowledgement was processed, whatever the sender is doing. Counts are in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acknowledged {
    /// When it arrived.
    pub now: Time,
    /// Segments that it newly reports to have arrived, those among them that came twice.
    pub delivered: u32,
    /// All that ever were reported, with these, by acknowledgements that told a rate or could have.
    pub delivered_ever: u64,
    /// Of these, how many the peer says were marked "congestion experienced" (accurate ECN, RFC 9768).
    pub marked: u32,
    /// Segments that this acknowledgement shows to be lost. What timers find is told one by one alone:
    /// [`LostSegment`].
    pub lost: u32,
    /// Segments in the network, as far as is known.
    pub in_flight: u32,
    /// Whether SND.UNA has moved.
    pub advanced: bool,
    /// Whether the window may grow with it: it moves SND.UNA, or reports something while reordering reaches
    /// so far that blocks tell of no loss (Linux `tcp_may_raise_cwnd`).
    pub may_grow: bool,
    /// The round trip that ended with it; none if no segment was timed, or a retransmission made it
    /// ambiguous.
    pub round_trip: Option<Span>,
    /// How fast they arrived; none if this acknowledgement does not tell.
    pub delivery_rate: Option<DeliveryRate>,
    /// Whether the application left so much of the window unused that it is no reason to open it (Linux
    /// `tcp_is_cwnd_limited`, which in slow start asks for half of it).
    pub window_unused: bool,
    /// Whether the window was full at some time of the last round trip (Linux `is_cwnd_limited`).
    pub window_full: bool,
    /// Whether everything is acknowledged that had been sent when this was last so: a round trip of data is
    /// over.
    pub round_begins: bool,
    /// What the sender is doing, with what this acknowledgement has changed.
    pub phase: Phase,
}

impl Acknowledged {
    /// Whether it moves SND.UNA and tells of no loss (RFC 9937 section 6.2, `SafeACK`).
    #[must_use]
    #[inline]
    pub const fn is_safe(&self) -> bool {
        self.advanced && self.lost == 0
    }
}

/// So many segments were delivered in so long: the longer of the time in which they left and that in which
/// they were acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryRate {
    /// Segments.
    pub segments: u32,
    /// More than nothing, and no less than the least round trip.
    pub interval: Span,
    /// Whether the application limited what left then ([`Sent::application_limited`]): the path may be
    /// faster.
    pub application_limited: bool,
    /// Segments in the network when the newest of them left, with it.
    pub in_flight: u32,
    /// Segments taken for lost since then, with those that this acknowledgement shows.
    pub lost_since: u32,
}

/// One segment is taken for lost, whoever has found that: what has arrived since, a timer, or a timeout. A
/// controller is told of each before it is told what follows, if it models the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// When it was noticed.
    pub now: Time,
    /// Segments that ever were reported to have arrived.
    pub delivered_ever: u64,
    /// How many segments of new data had been sent before this one: two that follow one another differ by
    /// one.
    pub place: u64,
    /// Segments in the network when it left, with it.
    pub in_flight: u32,
    /// Segments taken for lost since it left, with it.
    pub lost_since: u32,
    /// Whether the application limited what left then.
    pub application_limited: bool,
}

impl DeliveryRate {
    /// The same in bits of IP packets, of so many bytes each.
    #[must_use]
    pub fn rate(&self, packet_bytes: u32) -> Rate {
        let bits = 8 * u128::from(packet_bytes) * u128::from(self.segments);
        let second = u128::from(Span::from_milliseconds(1_000).nanoseconds());
        let rate = bits * second / u128::from(self.interval.nanoseconds());
        Rate::from_bits_per_second(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
    }
}

/// Segments were lost, and a controller that models the path was told of each: a recovery begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// Segments in the network.
    pub in_flight: u32,
    /// Whether a mark has reduced the window for these data already (RFC 3168 section 6.1.2).
    pub reduced: bool,
    /// Whether a tail loss probe has repaired it, so that no recovery follows (RFC 8985 section 7.4.2).
    pub repaired: bool,
}

/// The retransmission timer has expired: everything outstanding is taken for lost, but for what was sent a
/// moment ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout {
    /// When it did.
    pub now: Time,
    /// Segments in the network that may still arrive, because they were sent a moment ago.
    pub in_flight: u32,
    /// Whether a reduction for the same data came before it.
    pub repeated: bool,
}

/// The peer has reported marks, for the first time in this window of data. A scalable controller is not told
/// so: it has [`Acknowledged::marked`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// When the report arrived.
    pub now: Time,
    /// Packets that arrived with a mark; one where the peer echoes only that there was some (RFC 3168).
    pub marked: u32,
}

/// How a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// Everything has arrived that was sent when it began.
    Complete,
    /// Nothing had been lost: it was a mistake.
    Mistaken,
    /// Everything has arrived that was sent before a timeout. The window has grown since then.
    AfterTimeout,
}
