//! Linux `reno`.
//!
//! Source: Linux net/ipv4/tcp_cong.c, in whole segments:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of n segments, cwnd < ssthresh | cwnd += n |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 for every cwnd acknowledged |
//! | new acknowledgement while the window is not used | none |
//! | loss, echo | ssthresh = max(cwnd / 2, 2); the recovery lets cwnd follow |
//! | timeout | the same, kept at a repeated timeout; cwnd = 1 |
//! | a timeout's time without data | cwnd = max(cwnd / 2, initial window), ssthresh = max(ssthresh, 3/4 cwnd) |

use super::control::{Acknowledged, CongestionControl, EchoReaction, Loss, Opening, Timeout};
use super::pacer::Pacer;
use super::segment_window::{LEAST_WINDOW, SegmentWindow, boxed_state, delegates_to_segment_window};
use crate::profile::HostProfile;
use aqmlab_units::Rate;
use std::fmt;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    base: SegmentWindow,
}

boxed_state!(LinuxReno(State));

impl LinuxReno {
    fn reduce(&mut self) {
        let base = &mut self.0.base;
        base.threshold = (base.window / 2).max(LEAST_WINDOW);
    }
}

impl CongestionControl for LinuxReno {
    delegates_to_segment_window!();

    fn new(profile: &HostProfile) -> Self {
        Self(Box::new(State { base: SegmentWindow::new(profile) }))
    }

    fn on_acknowledged(&mut self, profile: &HostProfile, acknowledged: &Acknowledged) {
        self.0.base.note_round_trip(acknowledged.round_trip);
        if !acknowledged.application_limited {
            self.0.base.grow(SegmentWindow::segments(profile, acknowledged));
        }
    }

    fn on_loss(&mut self, _profile: &HostProfile, _loss: &Loss) {
        self.reduce();
    }

    fn on_timeout(&mut self, _profile: &HostProfile, timeout: &Timeout) {
        if !timeout.repeated {
            self.reduce();
        }
        self.0.base.window = 1;
    }

    fn on_echo(&mut self, _profile: &HostProfile) -> EchoReaction {
        self.reduce();
        EchoReaction::Reduced
    }

    fn on_idle(&mut self, profile: &HostProfile) {
        self.0.base.on_idle(profile);
    }

    fn restore(&mut self, profile: &HostProfile, window: u32, threshold: u32) {
        self.0.base.restore(profile, window, threshold);
    }
}
