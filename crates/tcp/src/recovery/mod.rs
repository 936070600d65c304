//! Loss recovery: what acknowledgements say was lost, and what to send again.
//!
//! A [`LossRecovery`] is told what the receiver reports and decides: whether a duplicate lets a new segment out, when
//! and from which number on something is sent again, when recovery is over. How large the window is meanwhile it
//! tells the congestion controller; what carries it out is `acknowledgement.rs`.
//!
//! Most know the cumulative acknowledgement alone, and remember nine bytes. The one with a scoreboard (`selective/`) keeps it
//! behind a `Box`, and the others pay nothing for it.

mod bsd_newreno;
mod bsd_reno;
mod loss_recovery;
mod ns2_full_newreno;
mod ns2_newreno;
mod rfc5681;
mod selective;

pub(crate) use selective::{Delivery, Due, Phase, Prior, RateReduction, SelectiveState, Sent};

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
use selective::Selective;

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
    Selective,
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

    /// Bytes that may be outstanding beyond the window, or fewer: a segment for each of the first duplicates (RFC 3042
    /// section 2), or whatever is not in the network any more.
    #[inline]
    pub(crate) fn beyond_window(&self, profile: &HostProfile, outstanding: u32) -> i32 {
        if !profile.limited_transmit {
            return 0;
        }
        match self.selective() {
            Some(selective) => selective.beyond_window(profile, outstanding),
            None => {
                let segments = loss_recovery::limited_transmit_segments(self.episode());
                (segments * profile.segment_bytes()) as i32
            }
        }
    }

    /// What a recovery with a scoreboard remembers.
    #[inline]
    pub(crate) fn selective(&self) -> Option<&SelectiveState> {
        match self {
            Self::Selective(selective) => Some(selective.state()),
            _ => None,
        }
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn selective_mut(&mut self) -> Option<&mut SelectiveState> {
        match self {
            Self::Selective(selective) => Some(selective.state_mut()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boxed_scoreboard_costs_the_others_nothing() {
        assert_eq!((size_of::<Episode>(), size_of::<RecoveryState>()), (8, 9));
    }
}
