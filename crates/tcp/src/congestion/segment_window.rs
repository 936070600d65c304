//! What Linux's controllers share: a window in whole segments, its growth by slow start and by one segment per window, and
//! a pace.
//!
//! Source: Linux net/ipv4/tcp_cong.c `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd`; RFC 5681 section 3.1 with
//! the byte counting of RFC 3465 in segments; `tcp_cwnd_restart` (RFC 2861); tcp_input.c `tcp_update_pacing_rate`.

use super::control::{Acknowledged, Opening};
use super::pacer::Pacer;
use crate::profile::HostProfile;
use aqmlab_units::{Rate, Span};

/// Least window after a reduction, in segments.
pub(super) const LEAST_WINDOW: u32 = 2;
/// A threshold that no window reaches.
const NO_THRESHOLD: u32 = 0x7fff_ffff;
/// The pace in windows per round trip, in per cent: `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.
const PACE_IN_SLOW_START: u64 = 200;
const PACE: u64 = 120;

/// When segments leave, if they are paced: at the rate that follows from the smoothed round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    pacer: Pacer,
    /// The smoothed round trip; zero before the first.
    smoothed: Span,
}

/// Window and threshold in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentWindow {
    pub(super) window: u32,
    /// Segments acknowledged since the window last grew.
    count: u32,
    pub(super) threshold: u32,
    pace: Option<Pace>,
}

impl SegmentWindow {
    pub(super) fn new(profile: &HostProfile) -> Self {
        let pace = profile.extensions.pacing.then(Pace::default);
        let window = u32::from(profile.initial_window_segments);
        Self { window, count: 0, threshold: NO_THRESHOLD, pace }
    }

    pub(super) fn on_established(&mut self, opening: Opening) {
        if opening.reduces_window {
            self.window = 1;
        }
    }

    pub(super) const fn is_in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    /// Segments that an acknowledgement brings.
    pub(super) fn segments(profile: &HostProfile, acknowledged: &Acknowledged) -> u32 {
        acknowledged.bytes.div_ceil(profile.segment_bytes())
    }

    /// Grows by as much as was acknowledged, up to the threshold. Answers how much of that is left.
    pub(super) fn grow_in_slow_start(&mut self, segments: u32) -> u32 {
        let room = self.threshold.saturating_sub(self.window);
        self.window += segments.min(room);
        segments.saturating_sub(room)
    }

    /// Grows by a segment for every so many acknowledged.
    pub(super) const fn grow_per(&mut self, per_segment: u32, segments: u32) {
        if self.count >= per_segment {
            self.count = 0;
            self.window += 1;
        }
        self.count += segments;
        if self.count >= per_segment {
            self.window += self.count / per_segment;
            self.count %= per_segment;
        }
    }

    /// The growth of RFC 5681: slow start, then a segment per window.
    pub(super) fn grow(&mut self, segments: u32) {
        let left = if self.is_in_slow_start() { self.grow_in_slow_start(segments) } else { segments };
        if left > 0 {
            self.grow_per(self.window, left);
        }
    }

    pub(super) fn set_window(&mut self, profile: &HostProfile, bytes: u32) {
        self.window = (bytes / profile.segment_bytes()).max(1);
    }

    /// A reduction is taken back.
    pub(super) fn restore(&mut self, profile: &HostProfile, window: u32, threshold: u32) {
        self.window = self.window.max(window / profile.segment_bytes());
        self.threshold = self.threshold.max(threshold / profile.segment_bytes());
    }

    /// A retransmission timeout has passed without data: half the window, to the initial one at the least, and three
    /// quarters of it are remembered.
    pub(super) fn on_idle(&mut self, profile: &HostProfile) {
        let least = u32::from(profile.initial_window_segments).min(self.window);
        self.threshold = self.threshold.max(self.window / 2 + self.window / 4);
        self.window = (self.window / 2).max(least);
        self.count = 0;
    }

    pub(super) fn window_bytes(&self, profile: &HostProfile) -> u32 {
        self.window.saturating_mul(profile.segment_bytes())
    }

    pub(super) fn threshold_bytes(&self, profile: &HostProfile) -> u32 {
        self.threshold.saturating_mul(profile.segment_bytes())
    }

    /// A round trip has ended, which the pace follows.
    pub(super) fn note_round_trip(&mut self, round_trip: Option<Span>) {
        let (Some(pace), Some(sample)) = (&mut self.pace, round_trip) else { return };
        let before = pace.smoothed.nanoseconds();
        let smoothed =
            if before == 0 { sample.nanoseconds() } else { (7 * before + sample.nanoseconds()) / 8 };
        pace.smoothed = Span::from_nanoseconds(smoothed);
    }

    /// The window twice per round trip in slow start, while it is below half of the threshold, and 1.2 times beyond.
    pub(super) fn pacing_rate(&self, profile: &HostProfile) -> Option<Rate> {
        let pace = self.pace.as_ref().filter(|pace| pace.smoothed > Span::ZERO)?;
        let percent = if self.window < self.threshold / 2 { PACE_IN_SLOW_START } else { PACE };
        let packet_bits = 8 * u128::from(profile.maximum_segment_bytes + profile.header_bytes);
        let bits = u128::from(self.window) * packet_bits * u128::from(percent) / 100;
        let second = u128::from(Span::from_milliseconds(1_000).nanoseconds());
        let rate = bits * second / u128::from(pace.smoothed.nanoseconds());
        Some(Rate::from_bits_per_second(u64::try_from(rate).unwrap_or(u64::MAX).max(1)))
    }

    pub(super) fn pacer(&self) -> Option<&Pacer> {
        self.pace.as_ref().map(|pace| &pace.pacer)
    }

    pub(super) fn pacer_mut(&mut self) -> Option<&mut Pacer> {
        self.pace.as_mut().map(|pace| &mut pace.pacer)
    }
}

/// Implements what is the same in every controller with a [`SegmentWindow`] in `self.0.base`.
macro_rules! delegates_to_segment_window {
    () => {
        fn on_established(&mut self, _profile: &HostProfile, opening: Opening) {
            self.0.base.on_established(opening);
        }

        fn set_window(&mut self, profile: &HostProfile, bytes: u32) {
            self.0.base.set_window(profile, bytes);
        }

        /// A recovery that counts what is in the network asks for none of the next four.
        fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32) {
            let threshold = self.0.base.threshold_bytes(profile);
            self.0.base.set_window(profile, threshold.saturating_add(inflation));
        }

        fn inflate(&mut self, _profile: &HostProfile, _bytes: u32) {}

        fn deflate(&mut self, _profile: &HostProfile, _acknowledged: u32, _refill: u32) {}

        fn end_recovery(&mut self, _window: u32) {}

        fn window(&self, profile: &HostProfile) -> u32 {
            self.0.base.window_bytes(profile)
        }

        fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
            self.0.base.threshold_bytes(profile)
        }

        fn congestion_window(&self, profile: &HostProfile) -> f64 {
            f64::from(self.0.base.window_bytes(profile))
        }

        fn pacing_rate(&self, profile: &HostProfile) -> Option<Rate> {
            self.0.base.pacing_rate(profile)
        }

        fn pacer(&self) -> Option<&Pacer> {
            self.0.base.pacer()
        }

        fn pacer_mut(&mut self) -> Option<&mut Pacer> {
            self.0.base.pacer_mut()
        }
    };
}
pub(super) use delegates_to_segment_window;

/// A state behind a pointer, without room lost to its alignment.
macro_rules! boxed_state {
    ($controller:ident($state:ident)) => {
        #[repr(Rust, packed)]
        pub(crate) struct $controller(Box<$state>);

        impl Clone for $controller {
            fn clone(&self) -> Self {
                Self(Box::new(*self.0))
            }
        }

        impl fmt::Debug for $controller {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    };
}
pub(super) use boxed_state;
