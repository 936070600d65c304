//! Loss recovery: what acknowledgements say was lost, and what to send again.
//!
//! A [`LossRecovery`] is told what the receiver reports and decides: whether a duplicate lets a new segment out, when
//! and from which number on something is sent again, when recovery is over. How large the window is meanwhile it
//! tells the congestion controller; what carries it out is `acknowledgement.rs`.
//!
//! Those here know the cumulative acknowledgement alone, and remember nine bytes. One that keeps a scoreboard would be
//! a file, a variant of [`Recovery`] and a line in the list below, with the scoreboard behind a `Box`: it decides
//! where the next retransmission begins through the same [`FastRetransmit::from`], and the others pay nothing for it.

mod bsd_newreno;
mod bsd_reno;
mod loss_recovery;
mod ns2_full_newreno;
mod ns2_newreno;
mod rfc5681;

pub(crate) use loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, SendSequence, Sending,
};

use crate::congestion::CongestionController;
use crate::profile::{HostProfile, Recovery};
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
            /// The recovery that a profile names.
            pub(crate) fn new(profile: &HostProfile) -> Self {
                match profile.recovery {
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
                congestion: &mut CongestionController,
            ) -> OnDuplicate {
                match self { $(Self::$name(recovery) => recovery.on_duplicate(sending, congestion)),+ }
            }

            pub(crate) fn on_old_acknowledgement(&mut self) {
                match self { $(Self::$name(recovery) => recovery.on_old_acknowledgement()),+ }
            }

            #[inline]
            pub(crate) fn on_new_acknowledgement(
                &mut self,
                sending: &Sending<'_>,
                number: SequenceNumber,
                congestion: &mut CongestionController,
            ) -> OnNewAcknowledgement {
                match self {
                    $(Self::$name(recovery) => recovery.on_new_acknowledgement(sending, number, congestion)),+
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
    /// The retransmission timer has expired: whatever was being repaired, everything up to `max` is sent again.
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

    /// Duplicates that limited transmit answers with a new segment each, beyond the window (RFC 3042 section 2).
    #[inline]
    pub(crate) fn limited_transmit_segments(&self, profile: &HostProfile) -> u32 {
        if profile.limited_transmit { loss_recovery::limited_transmit_segments(self.episode()) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_a_boxed_scoreboard_at_no_cost() {
        #[repr(Rust, packed)]
        struct Packed(#[allow(dead_code, reason = "it is only measured")] Box<[u32; 64]>);
        #[allow(dead_code, reason = "it is only measured")]
        enum WithScoreboard {
            Cumulative(Episode),
            Selective(Packed),
        }
        assert_eq!(size_of::<RecoveryState>(), 9);
        assert_eq!(size_of::<WithScoreboard>(), size_of::<RecoveryState>());
    }
}
