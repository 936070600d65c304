//! A segment that was sent and is not acknowledged.

use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

/// What was so when a segment left, the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Departed {
    /// Segments in the network, with it.
    pub(super) in_flight: u32,
    /// Segments that ever had been taken for lost; the count wraps.
    pub(super) lost: u32,
}

/// What is known of a segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) start: SequenceNumber,
    pub(crate) end: SequenceNumber,
    /// When it was sent, the last time.
    pub(crate) at: Time,
    pub(super) departed: Departed,
    /// The application limited what left then.
    pub(super) limited: bool,
    /// It has arrived, beyond a hole.
    pub(super) sacked: bool,
    /// It is taken for lost, and was not sent again since; or it was, and that is not.
    pub(super) lost: bool,
    /// It was sent again since it was last taken for lost.
    pub(super) again: bool,
    /// It was taken for lost by its time, and was not sent again since: time judges it no more, even where
    /// that was taken back (Linux `tcp_rack_detect_loss` takes it out of `tsorted_sent_queue`).
    pub(super) is_judged: bool,
    /// It was sent again at some time: its round trip is ambiguous.
    pub(crate) ambiguous: bool,
    /// It left by itself when it was sent first, some time behind what left before it in the same instant.
    pub(crate) apart: bool,
}

impl Sent {
    /// Whether it is to be sent again.
    pub(super) const fn is_missing(&self) -> bool {
        self.lost && !self.again
    }

    /// Whether it was sent once, and may still be judged by that.
    pub(super) const fn waits_once(&self) -> bool {
        !self.ambiguous && self.may_be_judged()
    }

    /// Whether it was sent at this time, the last time, and may still be judged by that.
    pub(super) fn waits_since(&self, at: Time) -> bool {
        self.at == at && self.may_be_judged()
    }

    /// Whether it has not arrived, and is not judged already.
    pub(super) const fn may_be_judged(&self) -> bool {
        !self.sacked && !self.is_judged && !self.is_missing()
    }
}
