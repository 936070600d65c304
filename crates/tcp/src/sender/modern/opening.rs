//! How a connection opened, as far as its first window depends on that.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_init_transfer`, `tcp_try_undo_spurious_syn`, tcp_minisocks.c
//! `tcp_create_openreq_child`: the initial window is one segment where a SYN or SYN/ACK was sent again twice
//! or more, by the timer at least once, unless the timestamp echoed is that of the first.

use crate::options::stamp;
use aqmlab_units::Time;

/// Repeats after which the initial window is one segment.
const REPEATS_THAT_REDUCE: u8 = 2;

/// The SYNs, or SYN/ACKs, that were sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpeningSegments {
    /// When the first left, in milliseconds.
    first_stamp: Option<u32>,
    /// Sent again, by the timer or in answer to a SYN that came again (`total_retrans`).
    repeats: u8,
    /// Whether the timer has fired (`undo_marker`).
    timed_out: bool,
}

impl OpeningSegments {
    /// One leaves.
    pub(crate) fn note_sent(&mut self, now: Time) {
        match self.first_stamp {
            None => self.first_stamp = Some(stamp(now)),
            Some(_) => self.repeats = self.repeats.saturating_add(1),
        }
    }

    pub(crate) const fn note_timeout(&mut self) {
        self.timed_out = true;
    }

    /// Whether the initial window is one segment, of a connection that this timestamp has opened.
    pub(crate) fn reduce_window(&self, echoed: Option<u32>) -> bool {
        let answers_first = echoed.is_some() && echoed == self.first_stamp;
        self.timed_out && self.repeats >= REPEATS_THAT_REDUCE && !answers_first
    }
}
