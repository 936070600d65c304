//! What a congestion controller is told and asked.

use super::pacer::Pacer;
use crate::profile::HostProfile;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Rate, Span, Time};

/// How a connection was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Whether this end sent the first SYN.
    pub active: bool,
    /// Whether a SYN or SYN/ACK of this end had to be sent again.
    pub syn_lost: bool,
    /// Whether the initial window is one segment for that reason (RFC 5681 section 3.1).
    pub reduces_window: bool,
}

/// New data have been acknowledged outside of fast recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acknowledged {
    /// When the acknowledgement arrived.
    pub now: Time,
    /// Sequence numbers that it newly acknowledges.
    pub bytes: u32,
    /// Of these, how many the peer says were marked "congestion experienced". The ECN-Echo of RFC 3168 is one bit: all
    /// of them, or none.
    pub ce_bytes: u32,
    /// The round trip that ended with it; none if no segment was timed, or a retransmission made it ambiguous.
    pub round_trip: Option<Span>,
    /// Bytes of this connection that the peer acknowledges per second, over the round trip above: only where
    /// [`CongestionControl::delivery_mark`] asks for it.
    pub delivery_rate: Option<Rate>,
    /// Whether the application, not the window, limited what was sent.
    pub application_limited: bool,
    /// Whether everything is acknowledged that had been sent when this was last so: a round trip of data is over. Only those
    /// learn it whose recovery keeps a scoreboard.
    pub round_begins: bool,
}

/// Duplicate acknowledgements say that a segment was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// Bytes outstanding.
    pub flight_bytes: u32,
}

/// The retransmission timer has expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout {
    /// When it did.
    pub now: Time,
    /// Bytes outstanding.
    pub flight_bytes: u32,
    /// Whether it had expired before, without a round-trip sample since.
    pub repeated: bool,
    /// Whether the last reduction of the window followed an ECN-Echo.
    pub reduced_on_echo: bool,
}

/// What a controller did about an ECN-Echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoReaction {
    /// Nothing: the window is too small to be halved (KAME).
    None,
    /// The window is smaller.
    Reduced,
    /// The window was one segment already: sending must wait (RFC 3168 section 6.1.2).
    ReducedAtOneSegment,
}

/// A congestion controller: told facts, it answers with a window in bytes.
///
/// What the host's profile says (segment size, peer's window, rules of ECN) is lent for each call. Fast recovery with
/// a window that duplicates inflate (RFC 5681 section 3.2) asks for `begin_recovery`, `inflate`, `deflate` and
/// `end_recovery`; a recovery that counts what is in the network would not.
pub trait CongestionControl: Sized {
    /// A controller of a connection whose first segment is being sent.
    fn new(profile: &HostProfile) -> Self;

    /// The connection is open, and nothing has been sent yet.
    fn on_established(&mut self, profile: &HostProfile, opening: Opening);

    /// New data have been acknowledged, and no loss is being repaired.
    fn on_acknowledged(&mut self, profile: &HostProfile, acknowledged: &Acknowledged);

    /// A loss is about to be repaired: sets the threshold.
    fn on_loss(&mut self, profile: &HostProfile, loss: &Loss);

    /// Fast recovery begins: the window is what the threshold says, and `inflation` bytes.
    fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32);

    /// One more segment of `bytes` has left the network.
    fn inflate(&mut self, profile: &HostProfile, bytes: u32);

    /// A partial acknowledgement of `acknowledged` bytes takes them out of the window; `refill` come back.
    fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32);

    /// Fast recovery is over, and leaves a window of so many bytes to those who inflate it in place.
    fn end_recovery(&mut self, window: u32);

    /// The window is so many bytes now, by a recovery that counts what is in the network (RFC 6675, RFC 6937).
    fn set_window(&mut self, _profile: &HostProfile, _bytes: u32) {}

    /// The last reduction was a mistake, and these were window and threshold before it, in bytes.
    fn restore(&mut self, _profile: &HostProfile, _window: u32, _threshold: u32) {}

    /// Everything outstanding is taken for lost.
    fn on_timeout(&mut self, profile: &HostProfile, timeout: &Timeout);

    /// An ECN-Echo arrived that asks for a reaction.
    fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction;

    /// A pause has made the window worthless as an estimate of what the path holds.
    fn on_idle(&mut self, profile: &HostProfile);

    /// Bytes that may be outstanding, as far as the network is concerned: the peer's window is not looked at.
    fn window(&self, profile: &HostProfile) -> u32;

    /// Slow-start threshold in bytes.
    fn slow_start_threshold(&self, profile: &HostProfile) -> u32;

    /// The congestion window in bytes with its fraction, as a trace would show it.
    fn congestion_window(&self, profile: &HostProfile) -> f64;

    /// Whether marks shrink the window in proportion to their share (RFC 9331 section 4.3): its data are ECT(1) then, and
    /// [`Acknowledged::ce_bytes`] tells it of marks. The others' are ECT(0), and a mark is [`CongestionControl::on_echo`].
    fn is_scalable(&self) -> bool {
        false
    }

    /// Where a controller that asks for [`Acknowledged::delivery_rate`] keeps what the sender needs for it: SND.UNA when
    /// the segment that is timed was sent. Nothing is measured for the others.
    fn delivery_mark(&mut self) -> Option<&mut SequenceNumber> {
        None
    }

    /// The rate at which segments are to leave, in bits of IP packets, if the controller has one, and a pacer to keep to it;
    /// without one they leave as the window opens.
    fn pacing_rate(&self, _profile: &HostProfile) -> Option<Rate> {
        None
    }

    /// Where a controller with a pacing rate keeps when the next segment may leave. The others are never asked to wait.
    fn pacer(&self) -> Option<&Pacer> {
        None
    }

    /// The same, to be changed.
    fn pacer_mut(&mut self) -> Option<&mut Pacer> {
        None
    }
}
