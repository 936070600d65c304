//! What windows that count bytes share: the reaction to an ECN-Echo.
//!
//! Source: RFC 3168 section 6.1.2; KAME/ALTQ, OpenBSD tcp_input.c. See the table in `ecn.rs`.

use super::EchoReaction;
use crate::hosts::{Ecn, HostProfile};

/// Window and threshold after a reduction, in bytes.
pub(super) struct Reduced {
    pub(super) window: u32,
    pub(super) threshold: u32,
    pub(super) reaction: EchoReaction,
}

/// What an echo makes of `window`, the smaller of congestion window and peer's window; none if it leaves it.
pub(super) fn reduced_on_echo(window: u32, profile: &HostProfile) -> Option<Reduced> {
    let mss = profile.segment_bytes();
    if profile.ecn == Ecn::Kame {
        let (segments, least) = (window / mss, u32::from(profile.ecn_least_window_segments));
        let half = (segments / 2).max(least) * mss;
        let reduced = Reduced { window: half, threshold: half, reaction: EchoReaction::Reduced };
        return (segments > least).then_some(reduced);
    }
    let reaction = if window <= mss { EchoReaction::ReducedAtOneSegment } else { EchoReaction::Reduced };
    Some(Reduced { window: (window / 2).max(mss), threshold: (window / 2).max(2 * mss), reaction })
}
