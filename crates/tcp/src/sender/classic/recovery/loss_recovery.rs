//! What a loss recovery is told, what it remembers, and what it answers.

use crate::hosts::HostProfile;
use crate::sender::SendSequence;
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

/// Duplicate acknowledgements that are taken for a loss (RFC 5681 section 3.2).
pub(crate) const DUPLICATE_THRESHOLD: u8 = 3;

/// What a recovery is told of the sender.
#[derive(Clone, Copy)]
pub(crate) struct Sending<'a> {
    pub(crate) profile: &'a HostProfile,
    pub(crate) sequence: SendSequence,
}

/// What reduced the window last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReducedBy {
    /// Never reduced, or fast recovery is over.
    #[default]
    Nothing,
    /// Duplicate acknowledgements.
    Loss,
    /// The retransmission timer.
    Timeout,
    /// An ECN-Echo.
    Echo,
}

/// What a recovery remembers. Packed: see [`crate::sender`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(Rust, packed)]
pub(crate) struct Episode {
    /// `recover` of RFC 6582: one past the highest number sent when the window was last reduced.
    pub(crate) recover: SequenceNumber,
    /// Consecutive duplicate acknowledgements; it stops at the greatest value.
    pub(crate) duplicates: u8,
    pub(crate) reduced_by: ReducedBy,
    /// Whether fast recovery is in progress, in those that do not tell by the duplicates.
    pub(crate) in_recovery: bool,
    /// Whether the first partial acknowledgement of this fast recovery has arrived.
    pub(crate) partial_seen: bool,
}

impl Episode {
    /// Whether the next new acknowledgement means nothing to any recovery: no duplicate came before it,
    /// nothing is being repaired.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        let idle = matches!(self.reduced_by, ReducedBy::Nothing | ReducedBy::Timeout);
        (self.duplicates == 0) & !self.in_recovery & idle
    }

    /// Counts a duplicate and answers how many there were.
    pub(super) fn count_duplicate(&mut self) -> u8 {
        self.duplicates = self.duplicates.saturating_add(1);
        self.duplicates
    }
}

/// When a sender tells its peer of the reduction that a fast retransmit made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnounceReduction {
    /// There was none.
    Never,
    /// As soon as a segment may carry CWR, the retransmission included.
    AtOnce,
    /// With a segment after the retransmission.
    Afterwards,
}

/// A segment is sent again before the timer asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastRetransmit {
    /// Where the segment begins.
    pub(crate) from: SequenceNumber,
    pub(crate) announce: AnnounceReduction,
    /// Whether the output routine runs afterwards.
    pub(crate) then_output: bool,
}

/// What a duplicate acknowledgement asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnDuplicate {
    Nothing,
    /// What the window admits.
    Output,
    /// At most one segment.
    OneSegment,
    FastRetransmit(FastRetransmit),
}

/// What a new acknowledgement means to a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnNewAcknowledgement {
    /// Nothing is being repaired.
    Normal,
    /// Fast recovery is over, and this acknowledgement does not grow the window.
    Recovered,
    /// There is another hole: it is sent again from the new SND.UNA on.
    Partial {
        /// Whether the retransmission timer starts afresh.
        restarts_timer: bool,
    },
}

/// Loss recovery: told what the receiver reports, it decides what is sent again.
pub(crate) trait LossRecovery {
    /// Whether duplicates count while nothing is outstanding.
    const COUNTS_WHEN_QUIET: bool = false;

    /// Whether a timeout leaves it known that the last reduction followed an echo.
    const KEEPS_ECHO_AT_TIMEOUT: bool = false;

    /// What every recovery remembers.
    fn episode(&self) -> &Episode;

    /// The same, to change it.
    fn episode_mut(&mut self) -> &mut Episode;

    /// The connection is open; `max` is one past the SYN.
    fn on_established(&mut self, _max: SequenceNumber) {}

    /// One more acknowledgement says nothing new.
    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate;

    /// An old acknowledgement came that is no duplicate.
    fn on_old_acknowledgement(&mut self) {}

    /// Everything before `number` has arrived, which is beyond SND.UNA.
    fn on_new_acknowledgement(
        &mut self,
        sending: &Sending<'_>,
        number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement;
}

/// Duplicates that limited transmit answers with a new segment each (RFC 3042 section 2).
pub(super) fn limited_transmit_segments(episode: &Episode) -> u32 {
    let first_duplicates = !episode.in_recovery && episode.duplicates < DUPLICATE_THRESHOLD;
    if first_duplicates { u32::from(episode.duplicates) } else { 0 }
}

/// Bytes by which the duplicates that began a fast recovery inflate the window.
pub(super) fn initial_inflation(profile: &HostProfile) -> u32 {
    u32::from(DUPLICATE_THRESHOLD) * profile.segment_bytes()
}
