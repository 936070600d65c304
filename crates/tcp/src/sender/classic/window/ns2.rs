//! ns-2's one-way agent: the window in segments, a real number.
//!
//! Source: ns-2.35 tcp.cc and tcp-reno.cc with the defaults of ns-default.tcl (`bugFix_`, `bugfix_ss_`,
//! `partial_window_deflation_`, `precisionReduce_`, `slow_start_restart_` true). In segments, with w =
//! min(cwnd + dupwnd, window_):
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd < ssthresh | cwnd += 1 |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 / cwnd |
//! | new acknowledgement with an echo | none |
//! | loss | ssthresh = max(2, ⌊w / 2⌋), cwnd = w / 2; dupwnd = 3, and one more with each further duplicate |
//! | partial acknowledgement of n segments | dupwnd -= n - 1 while larger, else cwnd -= n - dupwnd, dupwnd = 1 |
//! | full acknowledgement | dupwnd = 0 |
//! | timeout | ssthresh = max(2, ⌊w / 2⌋), kept after an ECN reaction; cwnd = 1 |
//! | retransmission timer with nothing outstanding | cwnd = 1 |
//! | SYN sent again | ssthresh = 2 |
//! | ECN-Echo | ssthresh = max(2, ⌊w / 2⌋), cwnd = w / 2, even below 1 |
//!
//! It lets ⌊cwnd⌋ + dupwnd segments be outstanding.
//!
//! Departures and silences: ns-2 numbers packets; here bytes are counted, and a segment at the end of a write
//! may be short. n is rounded up to whole segments.

use super::{EchoReaction, TimedOut, Window};
use crate::congestion::Opening;
use crate::hosts::{Classic, HostProfile};

/// Least slow-start threshold in segments (tcp.cc `slowdown`).
const LEAST_THRESHOLD: u32 = 2;

/// Window and threshold in segments. Packed: see [`crate::sender`].
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
pub(crate) struct Ns2 {
    /// `cwnd_`.
    window: f64,
    /// `ssthresh_`.
    threshold: u32,
    /// `dupwnd_`: segments by which duplicates inflate the window.
    inflation: u16,
}

impl Ns2 {
    fn half_window(&self, profile: &HostProfile) -> f64 {
        let inflated = self.window + f64::from(self.inflation);
        inflated.min(f64::from(profile.window_segments())) / 2.0
    }

    /// Halves window and threshold (tcp.cc `slowdown(CLOSE_SSTHRESH_HALF|CLOSE_CWND_HALF)`).
    fn halve(&mut self, profile: &HostProfile) {
        let half = self.half_window(profile);
        self.threshold = (half as u32).max(LEAST_THRESHOLD);
        self.window = half;
    }
}

impl Window for Ns2 {
    fn new(profile: &HostProfile, classic: &Classic) -> Self {
        Self {
            window: f64::from(profile.initial_window_segments),
            threshold: classic.initial_threshold(profile.window_bytes) / profile.segment_bytes(),
            inflation: 0,
        }
    }

    fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
        if opening.reduces_window {
            self.window = 1.0;
        }
        if profile.has_passive_window_quirk() && !opening.active {
            self.window += 1.0;
        }
        if opening.syn_lost && opening.active {
            self.threshold = LEAST_THRESHOLD;
        }
    }

    #[inline]
    fn on_acknowledged(&mut self, _profile: &HostProfile, _bytes: u32, echo: bool) {
        if !echo {
            self.window += if self.window < f64::from(self.threshold) { 1.0 } else { 1.0 / self.window };
        }
    }

    fn on_loss(&mut self, profile: &HostProfile, _flight_bytes: u32) {
        self.halve(profile);
    }

    fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32) {
        self.inflation = (inflation / profile.segment_bytes()) as u16;
    }

    fn inflate(&mut self, profile: &HostProfile, bytes: u32) {
        self.inflation = self.inflation.saturating_add((bytes / profile.segment_bytes()) as u16);
    }

    /// The refill is the segment that dupwnd keeps.
    fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, _refill: u32) {
        let segments = acknowledged.div_ceil(profile.segment_bytes());
        let inflation = u32::from(self.inflation);
        if inflation > segments {
            self.inflation -= (segments - 1) as u16;
        } else {
            self.window -= f64::from(segments - inflation);
            self.inflation = 1;
        }
        self.window = self.window.max(1.0);
    }

    fn end_recovery(&mut self, _window: u32) {
        self.inflation = 0;
    }

    fn on_timeout(&mut self, profile: &HostProfile, timeout: &TimedOut) {
        self.inflation = 0;
        self.window = self.window.max(1.0);
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

    fn on_idle(&mut self, _profile: &HostProfile) {
        self.window = 1.0;
        self.inflation = 0;
    }

    #[inline]
    fn window(&self, profile: &HostProfile) -> u32 {
        let segments = (self.window as u32).saturating_add(u32::from(self.inflation));
        segments.saturating_mul(profile.segment_bytes())
    }

    fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
        self.threshold.saturating_mul(profile.segment_bytes())
    }

    fn congestion_window(&self, profile: &HostProfile) -> f64 {
        self.window * f64::from(profile.segment_bytes())
    }
}
