//! DCTCP: the window shrinks by as much as was marked.
//!
//! Source: RFC 8257 section 3.3, in whole segments; g = 1/16.
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement | as `linux_reno.rs` |
//! | a round is over | α += g (F − α), F the share of what was acknowledged in it that was marked |
//! | the first mark of a round | cwnd = ssthresh = max(cwnd (1 − α/2), 2) |
//! | loss | ssthresh = max(cwnd / 2, 2) |
//!
//! α begins with 1, so that the first mark halves the window, as any other stack's does.
//!
//! Departures and silences: what Prague adds (growth that does not depend on the round trip, fractions of a segment, a
//! fallback where the queue is a classic one) is left out; Linux enters its phase of reduced window for a round, here the
//! window shrinks at once (RFC 8257 equation 2). Of a reduction what is less than a segment is left to the next one (Linux forgets
//! it, which makes small windows half as large again). Marks that arrive while a loss is repaired do not count.

use super::control::{Acknowledged, CongestionControl, EchoReaction, Loss, Opening, Timeout};
use super::pacer::Pacer;
use super::segment_window::{LEAST_WINDOW, SegmentWindow, boxed_state, delegates_to_segment_window};
use crate::profile::HostProfile;
use aqmlab_units::Rate;
use std::fmt;

/// g of RFC 8257 section 4.2.
const GAIN: f64 = 1.0 / 16.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    base: SegmentWindow,
    /// α: the share of marks.
    share: f64,
    /// Of the present round.
    acknowledged: u64,
    marked: u64,
    /// Whether the window was reduced in it.
    reduced: bool,
    /// What reductions have left undone because it is less than a segment.
    owed: f64,
}

boxed_state!(Dctcp(State));

impl State {
    fn halve(&mut self) {
        self.base.threshold = (self.base.window / 2).max(LEAST_WINDOW);
    }

    fn end_round(&mut self) {
        if self.acknowledged > 0 {
            let share = self.marked as f64 / self.acknowledged as f64;
            self.share += GAIN * (share - self.share);
        }
        (self.acknowledged, self.marked, self.reduced) = (0, 0, false);
    }

    fn reduce(&mut self) {
        let reduction = f64::from(self.base.window) * self.share / 2.0 + self.owed;
        self.owed = reduction - libm::floor(reduction);
        self.base.window = self.base.window.saturating_sub(reduction as u32).max(LEAST_WINDOW);
        self.base.threshold = self.base.window;
        self.reduced = true;
    }
}

impl CongestionControl for Dctcp {
    delegates_to_segment_window!();

    fn new(profile: &HostProfile) -> Self {
        let base = SegmentWindow::new(profile);
        Self(Box::new(State { base, share: 1.0, acknowledged: 0, marked: 0, reduced: false, owed: 0.0 }))
    }

    fn on_acknowledged(&mut self, profile: &HostProfile, acknowledged: &Acknowledged) {
        let state = &mut *self.0;
        state.base.note_round_trip(acknowledged.round_trip);
        if acknowledged.round_begins {
            state.end_round();
        }
        state.acknowledged += u64::from(acknowledged.bytes);
        state.marked += u64::from(acknowledged.ce_bytes);
        if acknowledged.ce_bytes > 0 && !state.reduced {
            state.reduce();
        } else if !acknowledged.application_limited && acknowledged.ce_bytes == 0 {
            state.base.grow(SegmentWindow::segments(profile, acknowledged));
        }
    }

    fn on_loss(&mut self, _profile: &HostProfile, _loss: &Loss) {
        self.0.halve();
    }

    fn on_timeout(&mut self, _profile: &HostProfile, timeout: &Timeout) {
        if !timeout.repeated {
            self.0.halve();
        }
        self.0.base.window = 1;
    }

    fn on_echo(&mut self, _profile: &HostProfile) -> EchoReaction {
        self.0.reduce();
        EchoReaction::Reduced
    }

    fn on_idle(&mut self, profile: &HostProfile) {
        self.0.base.on_idle(profile);
    }

    fn is_scalable(&self) -> bool {
        true
    }

    fn restore(&mut self, profile: &HostProfile, window: u32, threshold: u32) {
        self.0.base.restore(profile, window, threshold);
    }
}
