//! ns-2's two-way agent: the window in segments, a real number that duplicates inflate in place.
//!
//! Source: ns-2.35 tcp-full.cc (FullTcp/Newreno) with `slowdown` and `opencwnd` of tcp.cc, defaults of
//! ns-default.tcl (`precisionReduce_`, `slow_start_restart_` true). In segments, with w = min(cwnd, window_):
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd < ssthresh | cwnd += 1 |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 / cwnd |
//! | new acknowledgement with an echo, or once a FIN was sent or has come | none |
//! | loss | ssthresh = max(2, ⌊w / 2⌋), cwnd = ssthresh + 3, and one more with each further duplicate |
//! | loss in a window reduced by an echo | cwnd = w / 2, ssthresh stays |
//! | partial acknowledgement | cwnd = ssthresh |
//! | full acknowledgement | cwnd = ssthresh if it is larger; then as a new one |
//! | timeout | ssthresh = max(2, ⌊w / 2⌋), kept after an ECN reaction; cwnd = 1 |
//! | SYN or SYN/ACK sent again | ssthresh = 2 |
//! | pause | cwnd = the initial window, ssthresh stays |
//! | ECN-Echo | ssthresh = max(2, ⌊w / 2⌋), cwnd = w / 2, even below 1 |
//!
//! It lets ⌊w⌋ segments be outstanding.
//!
//! Departures and silences: the window stops growing at `window_`; in ns-2 an acknowledgement of everything
//! outstanding makes it larger still, which nothing reads.

use super::{EchoReaction, TimedOut, Window};
use crate::congestion::Opening;
use crate::hosts::{Classic, HostProfile};

/// Least slow-start threshold in segments (tcp.cc `slowdown`).
const LEAST_THRESHOLD: u32 = 2;

/// Window and threshold in segments. Packed: see [`crate::sender`].
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
pub(crate) struct Ns2Full {
    /// `cwnd_`.
    window: f64,
    /// `ssthresh_`.
    threshold: u32,
}

impl Ns2Full {
    fn half_window(&self, profile: &HostProfile) -> f64 {
        let window = self.window;
        window.min(f64::from(profile.window_segments())) / 2.0
    }

    /// Halves window and threshold (tcp.cc `slowdown(CLOSE_SSTHRESH_HALF|CLOSE_CWND_HALF)`).
    fn halve(&mut self, profile: &HostProfile) {
        let half = self.half_window(profile);
        self.threshold = (half as u32).max(LEAST_THRESHOLD);
        self.window = half;
    }
}

impl Window for Ns2Full {
    fn new(profile: &HostProfile, classic: &Classic) -> Self {
        Self {
            window: f64::from(profile.initial_window_segments),
            threshold: classic.initial_threshold(profile.window_bytes) / profile.segment_bytes(),
        }
    }

    fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
        if opening.syn_lost {
            self.threshold = LEAST_THRESHOLD;
            if opening.reduces_window {
                self.window = 1.0;
            }
        }
        if profile.has_passive_window_quirk() && !opening.active {
            self.window += 1.0;
        }
    }

    #[inline]
    fn on_acknowledged(&mut self, profile: &HostProfile, _bytes: u32, echo: bool) {
        if !echo && self.window < f64::from(profile.window_segments()) {
            self.window += if self.window < f64::from(self.threshold) { 1.0 } else { 1.0 / self.window };
        }
    }

    fn on_loss(&mut self, profile: &HostProfile, _flight_bytes: u32) {
        self.halve(profile);
    }

    /// Without inflation it is the loss in a window that an echo has reduced already.
    fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32) {
        self.window = if inflation > 0 {
            f64::from(self.threshold + inflation / profile.segment_bytes())
        } else {
            self.half_window(profile)
        };
    }

    fn inflate(&mut self, profile: &HostProfile, bytes: u32) {
        self.window += f64::from(bytes / profile.segment_bytes());
    }

    fn deflate(&mut self, _profile: &HostProfile, _acknowledged: u32, _refill: u32) {
        self.window = f64::from(self.threshold);
    }

    fn end_recovery(&mut self, _window: u32) {
        let window = self.window;
        self.window = window.min(f64::from(self.threshold));
    }

    fn on_timeout(&mut self, profile: &HostProfile, timeout: &TimedOut) {
        if !timeout.reduced_on_echo {
            self.threshold = (self.half_window(profile) as u32).max(LEAST_THRESHOLD);
        }
        self.window = 1.0;
    }

    fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction {
        let at_one_segment = self.window <= 1.0;
        self.halve(profile);
        if at_one_segment { EchoReaction::ReducedAtOneSegment } else { EchoReaction::Reduced }
    }

    fn on_idle(&mut self, profile: &HostProfile) {
        self.window = f64::from(profile.initial_window_segments);
    }

    #[inline]
    fn window(&self, profile: &HostProfile) -> u32 {
        (self.window as u32).saturating_mul(profile.segment_bytes())
    }

    fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
        self.threshold.saturating_mul(profile.segment_bytes())
    }

    fn congestion_window(&self, profile: &HostProfile) -> f64 {
        self.window * f64::from(profile.segment_bytes())
    }
}
