//! Linux `reno`.
//!
//! Source: Linux net/ipv4/tcp_cong.c, in whole segments:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of n segments, cwnd < ssthresh | cwnd += n |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 for every cwnd acknowledged |
//! | new acknowledgement while the window is not used | none |
//! | loss, marks, timeout | ssthresh = max(cwnd / 2, 2); `segment_window.rs` has the rest |

use super::Habits;
use super::control::Settings;
use super::facts::Acknowledged;
use super::segment_window::{Growth, SegmentWindow, Windowed};

/// The controller.
pub(crate) type Controller = Windowed<Reno>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits::NONE;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reno;

impl Growth for Reno {
    fn new(_settings: &Settings) -> Self {
        Self
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if !acknowledged.window_unused {
            window.grow(acknowledged.delivered);
        }
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        window / 2
    }
}
