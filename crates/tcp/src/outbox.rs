//! What a call to an endpoint answers.

use crate::segment::Segment;

/// The answer of one call: segments to send, and what happened. The caller owns it, clears it before each
/// call and reuses it, so that nothing is allocated per packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outbox {
    /// Segments to hand to the network now, in order.
    pub segments: Vec<Segment>,
    /// The connection was opened by this call: both sides may write.
    pub established: bool,
    /// Bytes newly delivered in order to the application.
    pub delivered: u32,
    /// Bytes of the application's data newly acknowledged by the peer.
    pub acknowledged: u32,
    /// The peer has closed: everything it wrote has been delivered.
    pub peer_closed: bool,
    /// The connection is over, closed both ways or aborted: the endpoint may be recycled at once. What still
    /// arrives for it is answered by [`crate::respond_to_stray`].
    pub finished: bool,
    /// The connection is over because nothing came back for too long: no answer to SYN, or too many
    /// retransmissions. `finished` is set too.
    pub gave_up: bool,
    /// The connection is over because the peer aborted it. `finished` is set too.
    pub reset: bool,
}

impl Outbox {
    /// An empty answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties it for the next call; the room for segments is kept.
    #[inline]
    pub fn clear(&mut self) {
        self.segments.clear();
        self.established = false;
        self.delivered = 0;
        self.acknowledged = 0;
        self.peer_closed = false;
        self.finished = false;
        self.gave_up = false;
        self.reset = false;
    }

    /// Whether the connection was opened, closed or lost, by its peer or altogether. They are asked about
    /// together: nearly always none of it has happened.
    #[must_use]
    #[inline]
    pub const fn tells_of_changes(&self) -> bool {
        let &Self { established, peer_closed, finished, gave_up, reset, .. } = self;
        established | peer_closed | finished | gave_up | reset
    }
}
