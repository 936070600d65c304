//! The classic sender: what a stack does that knows the cumulative acknowledgement alone.
//!
//! Loss recovery and window are two halves of one algorithm here (RFC 5681 section 3.2): duplicates inflate
//! the window, partial acknowledgements deflate it. So a recovery (`recovery/`) gives orders to a window
//! (`window/`), each in its stack's own unit.
//!
//! | file | idea |
//! | --- | --- |
//! | `window/` | how large the window is: one file per stack |
//! | `recovery/` | what was lost, and what is sent again: one file per kind |

mod recovery;
mod window;

pub(crate) use recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, FastRetransmit, OnDuplicate, OnNewAcknowledgement, ReducedBy,
};
pub(crate) use window::EchoReaction;

use super::SendSequence;
use crate::congestion::Opening;
use crate::hosts::{Classic, HostProfile};
use crate::sequence::SequenceNumber;
use recovery::{RecoveryState, Sending};
use window::{TimedOut, WindowState};

/// The retransmission timer has expired.
pub(super) struct Timeout {
    /// Bytes outstanding.
    pub(super) flight_bytes: u32,
    /// Whether it had expired before, without a round-trip sample since.
    pub(super) repeated: bool,
}

/// What a classic sender remembers: no more than fits beside everything else into two cache lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassicSender {
    pub(crate) window: WindowState,
    pub(crate) recovery: RecoveryState,
}

impl ClassicSender {
    /// That of a connection whose first segment is being sent.
    pub(super) fn new(profile: &HostProfile, classic: &Classic) -> Self {
        Self { window: WindowState::new(profile, classic), recovery: RecoveryState::new(classic.recovery) }
    }

    /// The connection is open; `max` is one past the SYN.
    pub(super) fn on_established(&mut self, profile: &HostProfile, opening: Opening, max: SequenceNumber) {
        self.window.on_established(profile, opening);
        self.recovery.on_established(max);
    }

    /// Bytes that both windows let be outstanding: the window, and what limited transmit adds.
    #[inline]
    pub(super) fn usable_window(&self, profile: &HostProfile) -> u32 {
        let window = self.window.window(profile);
        if profile.limits_transmit() {
            window.saturating_add(self.recovery.beyond_window(profile))
        } else {
            window
        }
    }

    /// Everything before `max` is sent again.
    pub(super) fn on_timeout(&mut self, profile: &HostProfile, timeout: Timeout, max: SequenceNumber) {
        let reduced_on_echo = self.recovery.episode().reduced_by == ReducedBy::Echo;
        let Timeout { flight_bytes, repeated } = timeout;
        self.window.on_timeout(profile, &TimedOut { flight_bytes, repeated, reduced_on_echo });
        self.recovery.on_timeout(max);
    }

    /// One more acknowledgement says nothing new.
    pub(crate) fn on_duplicate(&mut self, profile: &HostProfile, sequence: SendSequence) -> OnDuplicate {
        self.recovery.on_duplicate(&Sending { profile, sequence }, &mut self.window)
    }

    /// Everything before `number` has arrived, which is beyond SND.UNA.
    #[inline]
    pub(crate) fn on_new_acknowledgement(
        &mut self,
        profile: &HostProfile,
        sequence: SendSequence,
        number: SequenceNumber,
    ) -> OnNewAcknowledgement {
        self.recovery.on_new_acknowledgement(&Sending { profile, sequence }, number, &mut self.window)
    }
}
