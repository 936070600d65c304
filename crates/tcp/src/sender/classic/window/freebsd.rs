//! FreeBSD 2.2 and 4.x: the window in whole bytes, halves in whole segments.
//!
//! Source: FreeBSD 2.2 tcp_input.c and tcp_timer.c; FreeBSD RELENG_4 of August 2001, tcp_input.c 1.107.2.16
//! and tcp_timer.c 1.34.2.11 (`tcp_timer_rexmt`). With w the smaller of congestion window and peer's window,
//! in bytes:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd <= ssthresh | cwnd += MSS, whatever it acknowledges |
//! | new acknowledgement, cwnd > ssthresh | cwnd += ⌊MSS² / cwnd⌋ |
//! | loss, timeout | ssthresh = max(2, ⌊w / 2 MSS⌋) MSS |
//! | timeout | cwnd = MSS |
//! | a lost SYN of a client | ssthresh = 1024 bytes: two default segments, before the MSS is known |
//! | a lost SYN/ACK | FreeBSD 2.2: ssthresh = 2 MSS; FreeBSD 4.x keeps no congestion state in its SYN cache |
//! | a pause | cwnd = the initial window |
//! | a new acknowledgement with an echo | FreeBSD 4.x with KAME's ECN: as without; else cwnd stays |
//!
//! Parameters: none of its own; cwnd never exceeds 65,535 bytes shifted by the window scale.
//!
//! Departures and silences:
//! - The header prediction of FreeBSD 2.2 does not grow a congestion window that exceeds the peer's; here it
//!   grows on, which nothing can see, since both the sending and the halving take the smaller window.
//! - FreeBSD 2.2 has no ECN; if a scenario switches it on, an acknowledgement with an echo does not grow the
//!   window.
//! - Deflation by more than the window would wrap around in C; here one segment is the least.

use super::byte_window::reduced_on_echo;
use super::{EchoReaction, TimedOut, Window};
use crate::congestion::Opening;
use crate::hosts::{Classic, Ecn, HostProfile};

/// A client's SYN times out before the MSS is known: two default segments of 512 bytes (`tcp_mssdflt`).
const THRESHOLD_AFTER_LOST_SYN: u32 = 2 * 512;

/// FreeBSD 2.2.
pub(crate) type FreeBsd2 = FreeBsd<2>;

/// FreeBSD 4.x.
pub(crate) type FreeBsd4 = FreeBsd<4>;

/// Window and threshold of the BSD stacks, by generation. Packed: see [`crate::sender`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(Rust, packed)]
pub(crate) struct FreeBsd<const GENERATION: u8> {
    /// Congestion window in bytes.
    window: u32,
    /// Slow-start threshold in bytes.
    threshold: u32,
}

impl<const GENERATION: u8> FreeBsd<GENERATION> {
    /// The smaller of congestion window and peer's window.
    fn smaller_window(&self, profile: &HostProfile) -> u32 {
        self.window.min(profile.window_bytes)
    }

    /// Half of what may be in flight, in whole segments, at least two.
    fn half_window(&self, profile: &HostProfile) -> u32 {
        let mss = profile.segment_bytes();
        (self.smaller_window(profile) / 2 / mss).max(2) * mss
    }
}

impl<const GENERATION: u8> Window for FreeBsd<GENERATION> {
    fn new(profile: &HostProfile, classic: &Classic) -> Self {
        Self { window: profile.initial_window(), threshold: classic.initial_threshold(profile.window_bytes) }
    }

    fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
        let mss = profile.segment_bytes();
        if opening.reduces_window {
            self.window = mss;
        }
        if profile.has_passive_window_quirk() && !opening.active {
            self.window += mss;
        }
        if opening.syn_lost && opening.active {
            self.threshold = THRESHOLD_AFTER_LOST_SYN;
        } else if opening.syn_lost && GENERATION == 2 {
            self.threshold = 2 * mss;
        }
    }

    #[inline]
    fn on_acknowledged(&mut self, profile: &HostProfile, _bytes: u32, echo: bool) {
        let mss = profile.segment_bytes();
        let grows_on_echo = GENERATION == 4 && profile.ecn == Ecn::Kame;
        if echo && !grows_on_echo {
            return;
        }
        let increment = if self.window > self.threshold { mss * mss / self.window } else { mss };
        self.window = (self.window + increment).min(profile.scaled_window_ceiling());
    }

    fn on_loss(&mut self, profile: &HostProfile, _flight_bytes: u32) {
        self.threshold = self.half_window(profile);
    }

    fn begin_recovery(&mut self, _profile: &HostProfile, inflation: u32) {
        self.window = self.threshold + inflation;
    }

    fn inflate(&mut self, _profile: &HostProfile, bytes: u32) {
        self.window = self.window.saturating_add(bytes);
    }

    fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32) {
        let left = self.window.saturating_add(refill).saturating_sub(acknowledged);
        self.window = left.max(profile.segment_bytes());
    }

    fn end_recovery(&mut self, window: u32) {
        self.window = window;
    }

    fn on_timeout(&mut self, profile: &HostProfile, _timeout: &TimedOut) {
        self.threshold = self.half_window(profile);
        self.window = profile.segment_bytes();
    }

    fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction {
        let Some(reduced) = reduced_on_echo(self.smaller_window(profile), profile) else {
            return EchoReaction::None;
        };
        self.window = reduced.window;
        self.threshold = reduced.threshold;
        reduced.reaction
    }

    fn on_idle(&mut self, profile: &HostProfile) {
        self.window = profile.initial_window();
    }

    #[inline]
    fn window(&self, _profile: &HostProfile) -> u32 {
        self.window
    }

    fn slow_start_threshold(&self, _profile: &HostProfile) -> u32 {
        self.threshold
    }

    fn congestion_window(&self, _profile: &HostProfile) -> f64 {
        f64::from(self.window)
    }
}
