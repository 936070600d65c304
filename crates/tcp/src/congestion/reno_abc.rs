//! Reno with appropriate byte counting: however few acknowledgements come, and however much each covers, no
//! burst follows.
//!
//! Source: RFC 3465 with RFC 5681, in whole segments:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of n segments, cwnd < ssthresh | cwnd += min(n, L) up to ssthresh, with L = 2; after a timeout L = 1 until everything sent by then has arrived (sections 2.2 and 2.3) |
//! | the same, cwnd >= ssthresh | n are counted; where as many as cwnd are, they are taken off and cwnd += 1, once per acknowledgement (section 2.1) |
//! | new acknowledgement while the window is not used | none |
//! | loss, marks, timeout | ssthresh = max(cwnd / 2, 2); `segment_window.rs` has the rest |
//!
//! Departures and silences: segments are counted, not bytes; what an acknowledgement covers beyond ssthresh
//! is not counted; a reduction forgets what was counted.

use super::Habits;
use super::control::Settings;
use super::facts::{Acknowledged, Phase};
use super::segment_window::{Growth, SegmentWindow, Windowed};

/// The controller.
pub(crate) type Controller = Windowed<RenoAbc>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits::NONE;

/// L of RFC 3465, in segments; and after a timeout.
const LIMIT: u32 = 2;
const LIMIT_AFTER_TIMEOUT: u32 = 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct RenoAbc {
    /// Segments counted since the window last grew.
    counted: u32,
}

impl Growth for RenoAbc {
    fn new(_settings: &Settings) -> Self {
        Self { counted: 0 }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if acknowledged.window_unused {
            return;
        }
        if window.is_in_slow_start() {
            let limit = if acknowledged.phase == Phase::Loss { LIMIT_AFTER_TIMEOUT } else { LIMIT };
            window.grow_in_slow_start(acknowledged.delivered.min(limit));
            return;
        }
        self.counted += acknowledged.delivered;
        if self.counted >= window.window {
            self.counted -= window.window;
            window.window += 1;
        }
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        self.counted = 0;
        window / 2
    }
}
