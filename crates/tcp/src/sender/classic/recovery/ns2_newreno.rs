//! ns-2's one-way NewReno agent.
//!
//! Source: ns-2.35 tcp.cc, tcp-reno.cc and tcp-newreno.cc with the defaults of ns-default.tcl (`singledup_`,
//! `partial_window_deflation_` true; `newreno_changes1_` 1).
//!
//! | event | effect |
//! | --- | --- |
//! | 1st, 2nd duplicate | one new segment if outstanding < cwnd + duplicates (limited transmit) |
//! | 3rd duplicate | the controller reduces; dupwnd = 3; resend one; timer restarted |
//! | further duplicates | dupwnd += 1, at most two segments sent |
//! | partial acknowledgement | the window deflates; resend one; timer restarted at the first only (impatient) |
//! | full acknowledgement | dupwnd = 0, then as a new one |
//!
//! Fast retransmit is entered when everything sent at the last reduction is acknowledged (careful), or when
//! the first data segment is missing.
//!
//! Departures and silences: ns-2 would "resend" a segment that was never sent if a third duplicate came with
//! nothing outstanding; so would this, but it would not send it twice.

use super::loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending, initial_inflation,
};
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ns2NewReno(Episode);

impl Ns2NewReno {
    fn consider(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let una = sending.sequence.una;
        let first_data = SequenceNumber::INITIAL.plus(1);
        let mut announce = AnnounceReduction::Never;
        if self.0.recover.before(una) || una == first_data {
            self.0.recover = sending.sequence.max;
            let flight_bytes = sending.sequence.outstanding();
            window.on_loss(sending.profile, flight_bytes);
            announce = AnnounceReduction::AtOnce;
        } else if self.0.reduced_by != ReducedBy::Echo {
            return OnDuplicate::Output;
        }
        self.0.reduced_by = ReducedBy::Loss;
        window.begin_recovery(sending.profile, initial_inflation(sending.profile));
        OnDuplicate::FastRetransmit(FastRetransmit { from: una, announce, then_output: true })
    }
}

impl LossRecovery for Ns2NewReno {
    const COUNTS_WHEN_QUIET: bool = true;

    fn episode(&self) -> &Episode {
        &self.0
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.0
    }

    /// An echo before any data are acknowledged asks for nothing (tcp.cc: `recover_` starts as the SYN's
    /// number).
    fn on_established(&mut self, max: SequenceNumber) {
        self.0.recover = max;
    }

    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let count = self.0.count_duplicate();
        if count < DUPLICATE_THRESHOLD {
            let limited = sending.profile.limits_transmit();
            return if limited { OnDuplicate::OneSegment } else { OnDuplicate::Nothing };
        }
        if count == DUPLICATE_THRESHOLD {
            return self.consider(sending, window);
        }
        if self.0.reduced_by == ReducedBy::Loss {
            window.inflate(sending.profile, sending.profile.segment_bytes());
        }
        OnDuplicate::Output
    }

    #[inline]
    fn on_new_acknowledgement(
        &mut self,
        sending: &Sending<'_>,
        number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement {
        let recovering = self.0.reduced_by == ReducedBy::Loss;
        if recovering && number.before(self.0.recover) {
            let acknowledged = number.distance_from(sending.sequence.una);
            window.deflate(sending.profile, acknowledged, sending.profile.segment_bytes());
            let restarts_timer = !self.0.partial_seen;
            self.0.partial_seen = true;
            return OnNewAcknowledgement::Partial { restarts_timer };
        }
        if recovering {
            self.0.reduced_by = ReducedBy::Nothing;
        }
        // What an echo has interrupted leaves its inflation too.
        window.end_recovery(window.window(sending.profile));
        self.0.partial_seen = false;
        self.0.duplicates = 0;
        OnNewAcknowledgement::Normal
    }
}
