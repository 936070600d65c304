//! FreeBSD 2.2: Reno, as 4.4BSD had it.
//!
//! Source: FreeBSD 2.2 tcp_input.c (ACK processing); W. R. Stevens, *TCP/IP Illustrated* volume 2, chapters
//! 28 and 29.
//!
//! | event | effect |
//! | --- | --- |
//! | 3rd duplicate | ssthresh from the controller; resend one; cwnd = ssthresh + 3 MSS |
//! | further duplicates | cwnd += MSS |
//! | any new acknowledgement after that | cwnd = ssthresh if it is larger; then as a new one |
//!
//! There is no `recover`: a partial acknowledgement ends fast recovery, so a second loss in a window waits
//! for three more duplicates or the timer, and duplicates caused by going back may start another fast
//! retransmit.
//!
//! Departures and silences: none known.

use super::loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending, initial_inflation,
};
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BsdReno(Episode);

impl LossRecovery for BsdReno {
    fn episode(&self) -> &Episode {
        &self.0
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.0
    }

    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let count = self.0.count_duplicate();
        if count < DUPLICATE_THRESHOLD {
            return OnDuplicate::Nothing;
        }
        if count > DUPLICATE_THRESHOLD {
            window.inflate(sending.profile, sending.profile.segment_bytes());
            return OnDuplicate::Output;
        }
        let flight_bytes = sending.sequence.outstanding();
        window.on_loss(sending.profile, flight_bytes);
        window.begin_recovery(sending.profile, initial_inflation(sending.profile));
        self.0.reduced_by = ReducedBy::Loss;
        OnDuplicate::FastRetransmit(FastRetransmit {
            from: sending.sequence.una,
            announce: AnnounceReduction::Afterwards,
            then_output: false,
        })
    }

    fn on_old_acknowledgement(&mut self) {
        self.0.duplicates = 0;
    }

    #[inline]
    fn on_new_acknowledgement(
        &mut self,
        sending: &Sending<'_>,
        _number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement {
        if self.0.duplicates >= DUPLICATE_THRESHOLD {
            let threshold = window.slow_start_threshold(sending.profile);
            window.end_recovery(window.window(sending.profile).min(threshold));
            self.0.reduced_by = ReducedBy::Nothing;
        }
        self.0.duplicates = 0;
        OnNewAcknowledgement::Normal
    }
}
