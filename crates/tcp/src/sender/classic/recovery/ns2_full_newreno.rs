//! ns-2's two-way NewReno agent.
//!
//! Source: ns-2.35 tcp-full.cc `dupack_action`, `extra_ack`, `pack`, `pack_action`, `ack_action` of FullTcp
//! and FullTcp/Newreno with the defaults of ns-default.tcl (`reno_fastrecov_`, `bugFix_`, `dupseg_fix_` true,
//! `open_cwnd_on_pack_` false, `recov_maxburst_` 2).
//!
//! | event | effect |
//! | --- | --- |
//! | 1st, 2nd duplicate | nothing (no limited transmit) |
//! | 3rd duplicate | recover = highest sent; the controller reduces; resend one; timer restarted |
//! | 3rd duplicate after a timeout, of what it sent again | nothing is resent, but it counts as fast recovery |
//! | further duplicates | cwnd += 1; what the window admits |
//! | partial acknowledgement | resend one; recover = highest sent; timer restarted (slow but steady); two segments per call from now on |
//! | full acknowledgement | cwnd = ssthresh if it is larger; then as a new one |
//!
//! After a fast retransmit the third duplicate always begins another: only a timeout, or an echo, makes the
//! agent look at `recover` (its "careful" variant).
//!
//! Departures and silences: an acknowledgement that finds cwnd at `window_` clears one or two duplicates; in
//! ns-2 its header prediction leaves them.

use super::loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending, initial_inflation,
};
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ns2FullNewReno(Episode);

impl Ns2FullNewReno {
    fn consider(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let una = sending.sequence.una;
        self.0.in_recovery = true;
        if self.0.recover.before(una) || self.0.reduced_by == ReducedBy::Loss {
            let flight_bytes = sending.sequence.outstanding();
            window.on_loss(sending.profile, flight_bytes);
            window.begin_recovery(sending.profile, initial_inflation(sending.profile));
        } else if self.0.reduced_by == ReducedBy::Echo {
            window.begin_recovery(sending.profile, 0);
        } else {
            return OnDuplicate::Nothing;
        }
        self.0.recover = sending.sequence.max;
        self.0.reduced_by = ReducedBy::Loss;
        OnDuplicate::FastRetransmit(FastRetransmit {
            from: una,
            announce: AnnounceReduction::AtOnce,
            then_output: false,
        })
    }
}

impl LossRecovery for Ns2FullNewReno {
    const KEEPS_ECHO_AT_TIMEOUT: bool = true;

    fn episode(&self) -> &Episode {
        &self.0
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.0
    }

    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let count = self.0.count_duplicate();
        if count == DUPLICATE_THRESHOLD {
            return self.consider(sending, window);
        }
        if count > DUPLICATE_THRESHOLD {
            window.inflate(sending.profile, sending.profile.segment_bytes());
        }
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
        if self.0.in_recovery && number.before(self.0.recover) {
            self.0.recover = sending.sequence.max;
            self.0.reduced_by = ReducedBy::Loss;
            self.0.partial_seen = true;
            let acknowledged = number.distance_from(sending.sequence.una);
            window.deflate(sending.profile, acknowledged, 0);
            return OnNewAcknowledgement::Partial { restarts_timer: true };
        }
        if self.0.in_recovery {
            window.end_recovery(window.window(sending.profile));
            self.0.in_recovery = false;
        }
        self.0.partial_seen = false;
        self.0.duplicates = 0;
        OnNewAcknowledgement::Normal
    }
}
