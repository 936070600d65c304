//! What shows that nothing was lost, and takes a reduction back.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_may_undo`, `tcp_undo_cwnd_reduction`: RFC 3522 (Eifel: the acknowledgement
//! echoes a timestamp from before the first retransmission), RFC 2883 and 3708 (every retransmission was reported as a
//! duplicate). RFC 5682 (the originals are acknowledged after a timeout) is in `selective_acknowledgement.rs`.

use crate::options::stamp;
use aqmlab_units::Time;

/// What is restored if a reduction turns out to be a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    /// Window and threshold before, in bytes.
    pub(crate) window: u32,
    pub(crate) threshold: u32,
    /// Retransmissions that no duplicate has answered.
    unanswered: u32,
    any: bool,
    /// When the first of them left, in milliseconds.
    first_stamp: u32,
}

impl Undo {
    pub(crate) const fn new(window: u32, threshold: u32) -> Self {
        Self { window, threshold, unanswered: 0, any: false, first_stamp: 0 }
    }

    pub(crate) fn note_retransmission(&mut self, now: Time) {
        if !self.any {
            (self.any, self.first_stamp) = (true, stamp(now));
        }
        self.unanswered += 1;
    }

    /// The peer reports a segment that came twice.
    pub(crate) const fn note_duplicate(&mut self) {
        self.unanswered = self.unanswered.saturating_sub(1);
    }

    /// Whether what was sent again had arrived, by an acknowledgement that echoes this timestamp.
    pub(crate) fn was_a_mistake(&self, echoed: Option<u32>) -> bool {
        let before = echoed.is_some_and(|echo| (echo.wrapping_sub(self.first_stamp) as i32) < 0);
        self.any && (before || self.unanswered == 0)
    }
}
