//! What shows that nothing was lost, and takes a reduction back.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_init_undo`, `tcp_may_undo`, `tcp_packet_delayed`,
//! `tcp_any_retrans_done`, `tcp_dsack_seen`, `tcp_check_dsack`: RFC 3522 (Eifel: the acknowledgement echoes a
//! timestamp from before the first retransmission), RFC 2883 and 3708 (every retransmission was reported as a
//! duplicate). RFC 5682 (the originals are acknowledged after a timeout) is in `acknowledgement.rs`.
//!
//! Both kinds of evidence outlive the episode that they are about:
//!
//! | what | begins | ends |
//! | --- | --- | --- |
//! | the time of the first retransmission (`retrans_stamp`) | with a retransmission while there is none | when none is outstanding, at a return to open and where a recovery begins |
//! | what may be restored (`undo_marker`, `prior_cwnd`, `prior_ssthresh`) | with a reduction | when it is restored, with the next reduction, or with an echo |
//! | retransmissions without a duplicate (`undo_retrans`) | with a reduction: those that are out | with it |
//!
//! If each episode had a first retransmission of its own, an acknowledgement caused by a retransmission of
//! the episode before would echo an earlier time and take back a reduction that was due.

use crate::sequence::SequenceNumber;

/// What a connection has sent again, and what came twice by its peer's reports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repeats {
    /// Probes among them.
    pub(super) sent_again: u32,
    reported: u32,
}

impl Repeats {
    /// So many segments are reported to have come twice. Answers whether that may tell of what was sent
    /// again: once the peer has reported more than that, the network makes duplicates, which prove nothing
    /// (Linux `tcp_dsack_seen`).
    pub(super) const fn explain(&mut self, segments: u32) -> bool {
        self.reported = self.reported.saturating_add(segments);
        self.reported <= self.sent_again
    }
}

/// What would show that a reduction was a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undo {
    /// SND.UNA when the reduction began: duplicates of what lies before it do not count.
    marker: SequenceNumber,
    /// Whether the window is restored; not where an echo asked for a reduction: then the end of the recovery
    /// is all that is taken back.
    pub(super) restores: bool,
    /// Retransmissions that no duplicate has answered; none before the first.
    unanswered: Option<u32>,
}

impl Undo {
    /// A reduction begins with `una` acknowledged and so many retransmissions outstanding, probes among them.
    pub(super) fn new(una: SequenceNumber, restores: bool, retransmissions: u32) -> Self {
        Self { marker: una, restores, unanswered: (retransmissions > 0).then_some(retransmissions) }
    }

    pub(super) fn note_retransmission(&mut self) {
        self.unanswered = Some(self.unanswered.unwrap_or(0) + 1);
    }

    /// The peer reports that so many segments came twice of which the last ends at `end`.
    pub(super) fn note_duplicates(&mut self, end: SequenceNumber, segments: u32) {
        if self.marker.before(end) {
            self.unanswered = self.unanswered.map(|count| count.saturating_sub(segments));
        }
    }

    /// Whether each retransmission was reported as a duplicate.
    pub(super) fn all_answered(&self) -> bool {
        self.unanswered == Some(0)
    }
}

/// Whether what was acknowledged had only been delayed: no retransmission has left, or the echo is older than
/// the first of them.
pub(super) fn was_delayed(first_retransmission: Option<u32>, echoed: Option<u32>) -> bool {
    let Some(first) = first_retransmission else { return true };
    echoed.is_some_and(|echo| (echo.wrapping_sub(first) as i32) < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_without_a_retransmission_has_nothing_that_could_be_answered() {
        let mut undo = Undo::new(SequenceNumber::new(1_000), true, 0);
        undo.note_duplicates(SequenceNumber::new(2_000), 1);
        assert!(!undo.all_answered());
        undo.note_retransmission();
        assert!(!undo.all_answered());
        undo.note_duplicates(SequenceNumber::new(2_000), 1);
        assert!(undo.all_answered());
    }

    #[test]
    fn retransmissions_of_before_are_to_be_answered_too_and_duplicates_of_before_do_not_count() {
        let mut undo = Undo::new(SequenceNumber::new(1_000), true, 2);
        undo.note_retransmission();
        undo.note_duplicates(SequenceNumber::new(1_000), 1);
        undo.note_duplicates(SequenceNumber::new(2_000), 1);
        undo.note_duplicates(SequenceNumber::new(3_000), 1);
        assert!(!undo.all_answered());
        undo.note_duplicates(SequenceNumber::new(4_000), 1);
        assert!(undo.all_answered());
    }

    #[test]
    fn more_duplicates_than_retransmissions_are_the_networks() {
        let mut repeats = Repeats { sent_again: 2, ..Repeats::default() };
        assert!(repeats.explain(1) && repeats.explain(1));
        assert!(!repeats.explain(1));
        repeats.sent_again += 1;
        assert!(!repeats.explain(1), "four of three");
        repeats.sent_again += 2;
        assert!(repeats.explain(1));
    }

    #[test]
    fn what_echoes_the_first_retransmission_or_a_later_segment_was_not_delayed() {
        assert!(was_delayed(None, None), "nothing was sent again");
        assert!(was_delayed(Some(400), Some(399)));
        assert!(!was_delayed(Some(400), Some(400)) && !was_delayed(Some(400), Some(401)));
        assert!(!was_delayed(Some(400), None), "without timestamps nothing tells");
    }
}
