//! A window that somebody else sets: an agent, step by step (`aqmlab_sim::Simulation::steer`).
//!
//! Source: none; the rest of the sender is Linux's. `segment_window.rs` has what this shares with others.
//!
//! | event | effect |
//! | --- | --- |
//! | the agent sets n segments | cwnd = ssthresh = n; after a timeout cwnd grows to it again |
//! | new acknowledgement of n segments, cwnd < ssthresh | cwnd += n: before the agent's first word, and after a timeout |
//! | new acknowledgement, cwnd >= ssthresh | none |
//! | loss, marks | ssthresh = cwnd; while losses are repaired cwnd follows what arrives (`rate_reduction.rs`) |
//! | timeout | ssthresh = cwnd, cwnd = 1 |

use super::Habits;
use super::control::Settings;
use super::facts::{Acknowledged, Timeout};
use super::segment_window::{Growth, SegmentWindow, Windowed};

/// The controller.
pub(crate) type Controller = Windowed<Agent>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits::NONE;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent {
    /// Whether the window still grows to where it was before a timeout.
    recovers: bool,
}

impl Growth for Agent {
    fn new(_settings: &Settings) -> Self {
        Self { recovers: false }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if !acknowledged.window_unused {
            window.grow_in_slow_start(acknowledged.delivered);
        }
        self.recovers &= window.is_in_slow_start();
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        window
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.recovers = true;
    }
}

impl Controller {
    /// The window is so many segments from now on, two at the least.
    pub(super) fn set(&mut self, segments: u32) {
        let recovers = self.growth.recovers;
        self.base.hold(segments, recovers);
    }
}
