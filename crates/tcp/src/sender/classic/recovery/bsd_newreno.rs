//! FreeBSD 4.x: NewReno, slow but steady.
//!
//! Source: FreeBSD RELENG_4 of August 2001, tcp_input.c 1.107.2.16 (ACK processing, `tcp_newreno`).
//!
//! | event | effect |
//! | --- | --- |
//! | 3rd duplicate | ssthresh from the controller; recover = highest sent; resend one; cwnd = ssthresh + 3 MSS |
//! | 3rd duplicate, but ack < recover | nothing is resent: cwnd += MSS, the count starts again |
//! | further duplicates | cwnd += MSS |
//! | partial acknowledgement of a bytes | resend one; cwnd -= a - MSS; timer restarted (slow but steady) |
//! | full acknowledgement | cwnd = ssthresh, or flight + MSS if the flight is smaller; then as a new one |
//!
//! Departures and silences:
//! - The 2001 code keeps a count of one or two duplicates across a new acknowledgement and then does not grow
//!   the window; here a new acknowledgement clears the count (it matters only with reordering).
//! - "Bad retransmit" recovery (an acknowledgement within half a round trip of a first timeout restores the
//!   window) is left out, as is the route metrics cache.

use super::loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending, initial_inflation,
};
use crate::hosts::Ecn;
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BsdNewReno(Episode);

impl BsdNewReno {
    fn enter(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        self.0.recover = sending.sequence.max;
        self.0.reduced_by = ReducedBy::Loss;
        window.begin_recovery(sending.profile, initial_inflation(sending.profile));
        OnDuplicate::FastRetransmit(FastRetransmit {
            from: sending.sequence.una,
            announce: AnnounceReduction::Afterwards,
            then_output: false,
        })
    }

    /// Less than the threshold outstanding: a burst up to it is not let out.
    fn leave(&mut self, sending: &Sending<'_>, number: SequenceNumber, window: &mut WindowState) {
        let flight = sending.sequence.max.distance_from(number);
        let threshold = window.slow_start_threshold(sending.profile);
        let left = if flight < threshold { flight + sending.profile.segment_bytes() } else { threshold };
        window.end_recovery(left);
        self.0.reduced_by = ReducedBy::Nothing;
    }
}

impl LossRecovery for BsdNewReno {
    fn episode(&self) -> &Episode {
        &self.0
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.0
    }

    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let profile = sending.profile;
        let count = self.0.count_duplicate();
        if count < DUPLICATE_THRESHOLD {
            return OnDuplicate::Nothing;
        }
        if count == DUPLICATE_THRESHOLD {
            if !sending.sequence.una.before(self.0.recover) {
                let flight_bytes = sending.sequence.outstanding();
                window.on_loss(profile, flight_bytes);
                return self.enter(sending, window);
            }
            // RFC 3168 forbids a second reduction in the window of an ECN reaction, not the retransmission.
            if self.0.reduced_by == ReducedBy::Echo && profile.ecn == Ecn::Rfc3168 {
                return self.enter(sending, window);
            }
            self.0.duplicates = 0;
        }
        window.inflate(profile, profile.segment_bytes());
        OnDuplicate::Output
    }

    fn on_old_acknowledgement(&mut self) {
        self.0.duplicates = 0;
    }

    #[inline]
    fn on_new_acknowledgement(
        &mut self,
        sending: &Sending<'_>,
        number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement {
        if self.0.duplicates >= DUPLICATE_THRESHOLD {
            if number.before(self.0.recover) {
                let acknowledged = number.distance_from(sending.sequence.una);
                window.deflate(sending.profile, acknowledged, sending.profile.segment_bytes());
                return OnNewAcknowledgement::Partial { restarts_timer: true };
            }
            self.leave(sending, number, window);
        }
        self.0.duplicates = 0;
        OnNewAcknowledgement::Normal
    }
}
