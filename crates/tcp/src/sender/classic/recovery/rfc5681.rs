//! The standards as written: fast recovery of RFC 5681, with or without NewReno (RFC 6582), and limited
//! transmit (RFC 3042).
//!
//! Source: RFC 5681 section 3.2, RFC 6582 section 3.2, RFC 3042 section 2.
//!
//! | event | effect |
//! | --- | --- |
//! | 1st, 2nd duplicate | one new segment each beyond cwnd (RFC 3042) |
//! | 3rd duplicate | ssthresh from the controller; resend one; cwnd = ssthresh + 3 MSS |
//! | further duplicates | cwnd += MSS, at most one new segment each |
//! | partial acknowledgement of N bytes (RFC 6582) | resend one; cwnd -= N, += MSS if N >= MSS; timer restarted at the first only (impatient) |
//! | full acknowledgement | RFC 6582: cwnd = min(ssthresh, max(flight, MSS) + MSS); RFC 5681: cwnd = ssthresh |
//!
//! RFC 6582 enters fast recovery only if the acknowledgement covers more than `recover`, the highest number
//! sent at the last reduction.
//!
//! Departures and silences: a loss in the window of an ECN reaction is repaired without a second reduction
//! (RFC 3168 section 6.1.2).

use super::loss_recovery::{
    AnnounceReduction, DUPLICATE_THRESHOLD, Episode, FastRetransmit, LossRecovery, OnDuplicate,
    OnNewAcknowledgement, ReducedBy, Sending, initial_inflation, limited_transmit_segments,
};
use crate::sender::classic::window::WindowState;
use crate::sequence::SequenceNumber;

/// The first new acknowledgement ends fast recovery (RFC 5681).
pub(crate) type Reno = FastRecovery<false>;

/// A partial acknowledgement goes on with the next hole (RFC 6582).
pub(crate) type NewReno = FastRecovery<true>;

/// Fast recovery, which heeds partial acknowledgements or not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastRecovery<const HEEDS_PARTIAL: bool>(Episode);

impl<const HEEDS_PARTIAL: bool> FastRecovery<HEEDS_PARTIAL> {
    fn consider(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let profile = sending.profile;
        let covers_more = self.0.recover.before(sending.sequence.una);
        if !covers_more && self.0.reduced_by == ReducedBy::Echo {
            // Already reduced for this window of data.
        } else if covers_more || !HEEDS_PARTIAL {
            let flight_bytes = sending.sequence.outstanding();
            window.on_loss(profile, flight_bytes);
        } else {
            return OnDuplicate::Nothing;
        }
        self.0.recover = sending.sequence.max;
        self.0.reduced_by = ReducedBy::Loss;
        self.0.in_recovery = true;
        self.0.partial_seen = false;
        window.begin_recovery(profile, initial_inflation(profile));
        OnDuplicate::FastRetransmit(FastRetransmit {
            from: sending.sequence.una,
            announce: AnnounceReduction::AtOnce,
            then_output: false,
        })
    }

    fn on_partial(
        &mut self,
        sending: &Sending<'_>,
        number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement {
        let mss = sending.profile.segment_bytes();
        let acknowledged = number.distance_from(sending.sequence.una);
        let refill = if acknowledged >= mss { mss } else { 0 };
        window.deflate(sending.profile, acknowledged, refill);
        let restarts_timer = !self.0.partial_seen;
        self.0.partial_seen = true;
        OnNewAcknowledgement::Partial { restarts_timer }
    }

    fn leave(&mut self, sending: &Sending<'_>, number: SequenceNumber, window: &mut WindowState) {
        let mss = sending.profile.segment_bytes();
        let flight = sending.sequence.max.distance_from(number);
        let threshold = window.slow_start_threshold(sending.profile);
        window.end_recovery(if HEEDS_PARTIAL { threshold.min(flight.max(mss) + mss) } else { threshold });
        self.0.in_recovery = false;
        self.0.reduced_by = ReducedBy::Nothing;
    }
}

impl<const HEEDS_PARTIAL: bool> LossRecovery for FastRecovery<HEEDS_PARTIAL> {
    fn episode(&self) -> &Episode {
        &self.0
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.0
    }

    /// One segment for one duplicate (RFC 5681 section 3.2 step 5, RFC 3042 section 2): no more.
    fn on_duplicate(&mut self, sending: &Sending<'_>, window: &mut WindowState) -> OnDuplicate {
        let count = self.0.count_duplicate();
        if self.0.in_recovery {
            window.inflate(sending.profile, sending.profile.segment_bytes());
            OnDuplicate::OneSegment
        } else if count == DUPLICATE_THRESHOLD {
            self.consider(sending, window)
        } else if sending.profile.limits_transmit() && limited_transmit_segments(&self.0) > 0 {
            OnDuplicate::OneSegment
        } else {
            OnDuplicate::Nothing
        }
    }

    #[inline]
    fn on_new_acknowledgement(
        &mut self,
        sending: &Sending<'_>,
        number: SequenceNumber,
        window: &mut WindowState,
    ) -> OnNewAcknowledgement {
        if HEEDS_PARTIAL && self.0.in_recovery && number.before(self.0.recover) {
            return self.on_partial(sending, number, window);
        }
        self.0.duplicates = 0;
        if self.0.in_recovery {
            self.leave(sending, number, window);
            return OnNewAcknowledgement::Recovered;
        }
        OnNewAcknowledgement::Normal
    }
}
