//! The standard as written: RFC 5681.
//!
//! Source: RFC 5681 sections 3.1 and 4.1 (equations 2 to 4), in bytes:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of N bytes, cwnd < ssthresh | cwnd += min(N, MSS) (eq. 2) |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += MSS² / cwnd (eq. 3) |
//! | new acknowledgement with an echo | none |
//! | loss | ssthresh = max(flight / 2, 2 MSS) (eq. 4) |
//! | timeout | ssthresh as eq. 4, but kept at a repeated timeout; cwnd = MSS |
//! | a pause | cwnd = min(cwnd, initial window) |
//!
//! Departures and silences:
//! - RFC 5681 says that data sent by limited transmit do not count in the flight: the flight is taken as no
//!   more than cwnd.
//! - RFC 5681 does not say whether an application-limited sender grows its window; here it does.

use super::byte_window::reduced_on_echo;
use super::{EchoReaction, TimedOut, Window};
use crate::congestion::Opening;
use crate::hosts::{Classic, HostProfile};

/// Window and threshold in bytes. Packed: see [`crate::sender`].
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
pub(crate) struct Rfc5681 {
    /// Congestion window in bytes, a real number.
    window: f64,
    /// Slow-start threshold in bytes.
    threshold: u32,
}

impl Rfc5681 {
    /// Equation 4.
    fn half_flight(&self, flight: u32, profile: &HostProfile) -> u32 {
        (flight.min(self.window as u32) / 2).max(2 * profile.segment_bytes())
    }
}

impl Window for Rfc5681 {
    fn new(profile: &HostProfile, classic: &Classic) -> Self {
        let window = f64::from(profile.initial_window());
        Self { window, threshold: classic.initial_threshold(profile.window_bytes) }
    }

    fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
        let mss = f64::from(profile.segment_bytes());
        if opening.reduces_window {
            self.window = mss;
        }
        if profile.has_passive_window_quirk() && !opening.active {
            self.window += mss;
        }
    }

    #[inline]
    fn on_acknowledged(&mut self, profile: &HostProfile, bytes: u32, echo: bool) {
        if echo {
            return;
        }
        let mss = profile.segment_bytes();
        self.window += if self.window < f64::from(self.threshold) {
            f64::from(bytes.min(mss))
        } else {
            f64::from(mss) * f64::from(mss) / self.window
        };
    }

    fn on_loss(&mut self, profile: &HostProfile, flight_bytes: u32) {
        self.threshold = self.half_flight(flight_bytes, profile);
    }

    fn begin_recovery(&mut self, _profile: &HostProfile, inflation: u32) {
        self.window = f64::from(self.threshold + inflation);
    }

    fn inflate(&mut self, _profile: &HostProfile, bytes: u32) {
        self.window += f64::from(bytes);
    }

    fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32) {
        let left = self.window - f64::from(acknowledged) + f64::from(refill);
        self.window = left.max(f64::from(profile.segment_bytes()));
    }

    fn end_recovery(&mut self, window: u32) {
        self.window = f64::from(window);
    }

    fn on_timeout(&mut self, profile: &HostProfile, timeout: &TimedOut) {
        if !timeout.repeated {
            self.threshold = self.half_flight(timeout.flight_bytes, profile);
        }
        self.window = f64::from(profile.segment_bytes());
    }

    fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction {
        let smaller = (self.window as u32).min(profile.window_bytes);
        let Some(reduced) = reduced_on_echo(smaller, profile) else { return EchoReaction::None };
        self.window = f64::from(reduced.window);
        self.threshold = reduced.threshold;
        reduced.reaction
    }

    fn on_idle(&mut self, profile: &HostProfile) {
        self.window = self.window.min(f64::from(profile.initial_window()));
    }

    #[inline]
    fn window(&self, _profile: &HostProfile) -> u32 {
        self.window as u32
    }

    fn slow_start_threshold(&self, _profile: &HostProfile) -> u32 {
        self.threshold
    }

    fn congestion_window(&self, _profile: &HostProfile) -> f64 {
        self.window
    }
}
