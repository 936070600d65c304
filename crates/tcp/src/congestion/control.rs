//! What a congestion controller is told, and what it answers.

use super::answers_marks::AnswersMarks;
use super::facts::{Acknowledged, Loss, LostSegment, Marks, Measured, Opening, Recovered, Sent, Timeout};
use super::hystart::HyStart;
use crate::interrupts::Interrupts;
use aqmlab_random::Key;
use aqmlab_units::Rate;

/// What a controller heeds of its host's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The initial window, in segments.
    pub initial_window: u32,
    /// An IP packet with a full segment, in bytes.
    pub packet_bytes: u32,
    /// Whether the window shrinks in proportion to what arrives (RFC 9937); without it a reduction is
    /// complete at once.
    pub proportional_rate_reduction: bool,
    /// Whether segments leave at a rate.
    pub pacing: bool,
    /// How slow start ends before a loss.
    pub hystart: HyStart,
    /// Whether Prague looks for queues that mark as RFC 3168 has it.
    pub classic_ecn_fallback: bool,
    /// Whether it then takes any queue that marks for one of these.
    pub classic_ecn_fallback_everywhere: bool,
    /// By what its kernel counts time.
    pub interrupts: Interrupts,
    /// Whether marks are answered by their share, of those that can.
    pub answers_marks: AnswersMarks,
}

/// The codepoint of ECN-capable data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codepoint {
    /// Of senders to whom a mark is what a loss is (RFC 3168).
    Ect0,
    /// Of senders that queues may mark early and often (RFC 9331 section 4).
    Ect1,
}

/// A congestion controller: it is told facts, and answers with a window, a rate and a codepoint.
///
/// It sees nothing else of the connection: what was lost, what is sent again, and when, the sender decides.
pub trait CongestionControl: Sized {
    /// A controller of a connection whose first segment is being sent.
    fn new(settings: &Settings) -> Self;

    /// The random numbers of the connection have this address: told at most once, when the connection is
    /// open. Without one they have that of all connections.
    fn draw_from(&mut self, _key: Key) {}

    /// The connection is open, and nothing has been sent yet.
    fn on_established(&mut self, opening: Opening);

    /// A segment leaves.
    fn on_sent(&mut self, sent: &Sent);

    /// A round trip has ended, in any phase; before the acknowledgement that ended it is told of.
    fn on_round_trip(&mut self, _measured: &Measured) {}

    /// An acknowledgement was processed.
    fn on_acknowledged(&mut self, acknowledged: &Acknowledged);

    /// A segment is taken for lost. Only of those that model the path each is told.
    fn on_lost(&mut self, _lost: &LostSegment) {}

    /// Segments were lost.
    fn on_loss(&mut self, loss: &Loss);

    /// Everything outstanding is taken for lost.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// Packets were marked, and it does not [answer that itself](Self::answers_marks): once in a window of
    /// data.
    fn on_marks(&mut self, marks: &Marks);

    /// A reduction is over. After a mark and a loss in one window of data a mistake is not told: the mark was
    /// none.
    fn on_recovered(&mut self, recovered: Recovered);

    /// So many retransmission timeouts have passed without data.
    fn on_idle(&mut self, timeouts: u32);

    /// For a timeout the application has not used up the window: so many segments were outstanding at most.
    fn on_unused(&mut self, _used: u32) {}

    /// From here on nothing that leaves is ECN-capable, because the path changes codepoints.
    fn on_feedback_lost(&mut self) {}

    /// Segments that may be in the network.
    fn window(&self) -> u32;

    /// The window up to which slow start lasts, in segments: the greatest value where there is none yet.
    fn slow_start_threshold(&self) -> u32;

    /// Whether segments leave at a rate as soon as it has one, whatever the host's settings are. It is asked
    /// when the connection opens.
    fn paces(&self) -> bool;

    /// The rate at which segments leave, in bits of IP packets; none as long as it has none.
    fn pacing_rate(&self) -> Option<Rate>;

    /// Segments that may leave in one instant when their turn has come; the pace is kept behind them.
    fn send_quantum(&self) -> u32 {
        1
    }

    /// Whether what leaves from here on is limited by the controller's own choice: the rates at which it
    /// arrives say nothing against the path. Of those that model the path it is asked after each
    /// acknowledgement.
    fn limits_samples(&self) -> bool {
        false
    }

    /// The codepoint of its data.
    fn codepoint(&self) -> Codepoint {
        Codepoint::Ect0
    }

    /// Whether it answers marks by itself, by the [`Acknowledged::marked`] of each acknowledgement: then
    /// accurate ECN begins no reduction. Where the peer's ECN-Echo says no more than that there were marks
    /// (RFC 3168) one begins all the same.
    fn answers_marks(&self) -> bool {
        false
    }

    /// Whether it ever took its queue for one that marks as RFC 3168 has it, and reduced its window like
    /// that: see `classic_ecn_fallback`.
    fn has_fallen_back(&self) -> bool {
        false
    }
}
