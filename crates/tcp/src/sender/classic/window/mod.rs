//! Windows of the stacks that know the cumulative acknowledgement alone, in bytes or in segments, as each
//! counts them.

mod byte_window;
mod freebsd;
mod ns2;
mod ns2_full;
mod rfc5681;

use crate::congestion::Opening;
use crate::hosts::{Classic, ClassicWindow, HostProfile};
use freebsd::{FreeBsd2, FreeBsd4};
use ns2::Ns2;
use ns2_full::Ns2Full;
use rfc5681::Rfc5681;

/// The retransmission timer has expired.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedOut {
    /// Bytes outstanding.
    pub(super) flight_bytes: u32,
    /// Whether it had expired before, without a round-trip sample since.
    pub(super) repeated: bool,
    /// Whether the last reduction of the window followed an ECN-Echo.
    pub(super) reduced_on_echo: bool,
}

/// What a window did about an ECN-Echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EchoReaction {
    /// Nothing: the window is too small to be halved (KAME).
    None,
    /// The window is smaller.
    Reduced,
    /// The window was one segment already: sending must wait (RFC 3168 section 6.1.2).
    ReducedAtOneSegment,
}

/// A window that a recovery inflates (RFC 5681 section 3.2). What the host's profile says is lent for each
/// call.
pub(super) trait Window: Sized {
    /// That of a connection whose first segment is being sent.
    fn new(profile: &HostProfile, classic: &Classic) -> Self;

    /// The connection is open, and nothing has been sent yet.
    fn on_established(&mut self, profile: &HostProfile, opening: Opening);

    /// So many bytes have been acknowledged outside of fast recovery, with an ECN-Echo or not.
    fn on_acknowledged(&mut self, profile: &HostProfile, bytes: u32, echo: bool);

    /// A loss is about to be repaired, with so many bytes outstanding: sets the threshold.
    fn on_loss(&mut self, profile: &HostProfile, flight_bytes: u32);

    /// Fast recovery begins: the window is what the threshold says, and `inflation` bytes.
    fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32);

    /// One more segment of `bytes` has left the network.
    fn inflate(&mut self, profile: &HostProfile, bytes: u32);

    /// A partial acknowledgement of `acknowledged` bytes takes them out of the window; `refill` come back.
    fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32);

    /// Fast recovery is over, and leaves a window of so many bytes to those who inflate it in place.
    fn end_recovery(&mut self, window: u32);

    /// Everything outstanding is taken for lost.
    fn on_timeout(&mut self, profile: &HostProfile, timeout: &TimedOut);

    /// An ECN-Echo arrived that asks for a reaction.
    fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction;

    /// A pause has made the window worthless as an estimate of what the path holds.
    fn on_idle(&mut self, profile: &HostProfile);

    /// Bytes that may be outstanding, as far as the network is concerned: the peer's window is not looked at.
    fn window(&self, profile: &HostProfile) -> u32;

    /// Slow-start threshold in bytes.
    fn slow_start_threshold(&self, profile: &HostProfile) -> u32;

    /// The congestion window in bytes with its fraction, as a trace would show it.
    fn congestion_window(&self, profile: &HostProfile) -> f64;
}

/// The list of windows as one type: a call is a jump, never a virtual one.
macro_rules! windows {
    ($($name:ident),+ $(,)?) => {
        /// The state of whichever window the host's profile names.
        #[derive(Clone, Debug)]
        pub(crate) enum WindowState {
            $($name($name)),+
        }

        impl WindowState {
            pub(super) fn new(profile: &HostProfile, classic: &Classic) -> Self {
                match classic.window { $(ClassicWindow::$name => Self::$name($name::new(profile, classic))),+ }
            }

            pub(super) fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
                match self { $(Self::$name(window) => window.on_established(profile, opening)),+ }
            }

            #[inline]
            pub(crate) fn on_acknowledged(&mut self, profile: &HostProfile, bytes: u32, echo: bool) {
                match self { $(Self::$name(window) => window.on_acknowledged(profile, bytes, echo)),+ }
            }

            pub(super) fn on_loss(&mut self, profile: &HostProfile, flight_bytes: u32) {
                match self { $(Self::$name(window) => window.on_loss(profile, flight_bytes)),+ }
            }

            pub(super) fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32) {
                match self { $(Self::$name(window) => window.begin_recovery(profile, inflation)),+ }
            }

            pub(super) fn inflate(&mut self, profile: &HostProfile, bytes: u32) {
                match self { $(Self::$name(window) => window.inflate(profile, bytes)),+ }
            }

            pub(super) fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32) {
                match self { $(Self::$name(window) => window.deflate(profile, acknowledged, refill)),+ }
            }

            pub(super) fn end_recovery(&mut self, bytes: u32) {
                match self { $(Self::$name(window) => window.end_recovery(bytes)),+ }
            }

            pub(super) fn on_timeout(&mut self, profile: &HostProfile, timeout: &TimedOut) {
                match self { $(Self::$name(window) => window.on_timeout(profile, timeout)),+ }
            }

            pub(crate) fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction {
                match self { $(Self::$name(window) => window.on_echo(profile)),+ }
            }

            pub(crate) fn on_idle(&mut self, profile: &HostProfile) {
                match self { $(Self::$name(window) => window.on_idle(profile)),+ }
            }

            #[inline]
            pub(crate) fn window(&self, profile: &HostProfile) -> u32 {
                match self { $(Self::$name(window) => window.window(profile)),+ }
            }

            pub(crate) fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
                match self { $(Self::$name(window) => window.slow_start_threshold(profile)),+ }
            }

            pub(crate) fn congestion_window(&self, profile: &HostProfile) -> f64 {
                match self { $(Self::$name(window) => window.congestion_window(profile)),+ }
            }
        }
    };
}

windows! {
    FreeBsd2,
    FreeBsd4,
    Rfc5681,
    Ns2,
    Ns2Full,
}

impl Default for WindowState {
    /// That of an end which is not opening yet, and replaced when it does.
    fn default() -> Self {
        Self::FreeBsd2(FreeBsd2::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_no_larger_than_its_largest_state() {
        assert_eq!((size_of::<WindowState>(), align_of::<WindowState>()), (15, 1));
    }
}
