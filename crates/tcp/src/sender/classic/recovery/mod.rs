//! Loss recovery by the cumulative acknowledgement alone: what duplicates say was lost, and what to send
//! again.
//!
//! A [`LossRecovery`] is told what the receiver reports and decides: whether a duplicate lets a new segment
//! out, when and from which number on something is sent again, when recovery is over. How large the window is
//! meanwhile it tells the window; what carries it out is `acknowledgement.rs`.

mod bsd_newreno;
mod bsd_reno;
mod loss_recovery;
mod ns2_full_newreno;
mod ns2_newreno;
mod rfc5681;

pub(crate) use loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending,
};

use super::window::WindowState;
use crate::hosts::{HostProfile, Recovery};
use crate::sequence::SequenceNumber;
use bsd_newreno::BsdNewReno;
use bsd_reno::BsdReno;
use ns2_full_newreno::Ns2FullNewReno;
use ns2_newreno::Ns2NewReno;
use rfc5681::{NewReno, Reno};

/// The list of recoveries as one type: a call is a jump, never a virtual one.
macro_rules! recoveries {
    ($($name:ident),+ $(,)?) => {
        /// The state of whichever recovery the host's profile names.
        #[derive(Clone, Debug)]
        pub(crate) enum RecoveryState {
            $($name($name)),+
        }

        impl RecoveryState {
            /// That of a connection whose first segment is being sent.
            pub(crate) fn new(recovery: Recovery) -> Self {
                match recovery {
                    $(Recovery::$name => Self::$name($name::default())),+
                }
            }

            /// Whether duplicates count while nothing is outstanding.
            pub(crate) const fn counts_when_quiet(&self) -> bool {
                match self { $(Self::$name(_) => $name::COUNTS_WHEN_QUIET),+ }
            }

            /// Whether a timeout leaves it known that an echo reduced the window.
            const fn keeps_echo_at_timeout(&self) -> bool {
                match self { $(Self::$name(_) => $name::KEEPS_ECHO_AT_TIMEOUT),+ }
            }

            #[inline]
            pub(crate) fn episode(&self) -> &Episode {
                match self { $(Self::$name(recovery) => recovery.episode()),+ }
            }

            #[inline]
            fn episode_mut(&mut self) -> &mut Episode {
                match self { $(Self::$name(recovery) => recovery.episode_mut()),+ }
            }

            pub(crate) fn on_established(&mut self, max: SequenceNumber) {
                match self { $(Self::$name(recovery) => recovery.on_established(max)),+ }
            }

            pub(crate) fn on_duplicate(
                &mut self,
                sending: &Sending<'_>,
                window: &mut WindowState,
            ) -> OnDuplicate {
                match self { $(Self::$name(recovery) => recovery.on_duplicate(sending, window)),+ }
            }

            pub(crate) fn on_old_acknowledgement(&mut self) {
                match self { $(Self::$name(recovery) => recovery.on_old_acknowledgement()),+ }
            }

            #[inline]
            pub(crate) fn on_new_acknowledgement(
                &mut self,
                sending: &Sending<'_>,
                number: SequenceNumber,
                window: &mut WindowState,
            ) -> OnNewAcknowledgement {
                match self {
                    $(Self::$name(recovery) => recovery.on_new_acknowledgement(sending, number, window)),+
                }
            }
        }
    };
}

recoveries! {
    BsdReno,
    BsdNewReno,
    Reno,
    NewReno,
    Ns2NewReno,
    Ns2FullNewReno,
}

impl Default for RecoveryState {
    /// That of an end which is not opening yet, and replaced when it does.
    fn default() -> Self {
        Self::BsdReno(BsdReno::default())
    }
}

impl RecoveryState {
    /// The retransmission timer has expired: whatever was being repaired, everything up to `max` is sent
    /// again.
    pub(crate) fn on_timeout(&mut self, max: SequenceNumber) {
        let keeps = self.keeps_echo_at_timeout() && self.episode().reduced_by == ReducedBy::Echo;
        let reduced_by = if keeps { ReducedBy::Echo } else { ReducedBy::Timeout };
        *self.episode_mut() = Episode { recover: max, reduced_by, ..Episode::default() };
    }

    /// The window was reduced on an ECN-Echo.
    pub(crate) fn on_echo(&mut self, max: SequenceNumber) {
        let episode = self.episode_mut();
        episode.recover = max;
        episode.reduced_by = ReducedBy::Echo;
    }

    /// Bytes that may be outstanding beyond the window: a segment for each of the first duplicates (RFC 3042
    /// section 2).
    #[inline]
    pub(crate) fn beyond_window(&self, profile: &HostProfile) -> u32 {
        loss_recovery::limited_transmit_segments(self.episode()) * profile.segment_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_remembers_nine_bytes() {
        assert_eq!((size_of::<Episode>(), size_of::<RecoveryState>()), (8, 9));
    }
}
