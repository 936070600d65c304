//! DCTCP: the window shrinks by as much as was marked.
//!
//! Source: RFC 8257 section 3.3, in whole segments; g = 1/16.
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement without a mark | as `reno.rs` |
//! | a round is over | α += g (F − α), F the share of what was acknowledged in it that was marked |
//! | the first mark of a round | cwnd = ssthresh = max(cwnd (1 − α/2), 2) |
//! | loss | ssthresh = max(cwnd / 2, 2) |
//!
//! α begins with 1, so that the first mark halves the window, as any other stack's does.
//!
//! Departures and silences: what Prague adds (growth that does not depend on the round trip, fractions of a
//! segment, a fallback where the queue is a classic one) is left out; Linux enters its phase of reduced
//! window for a round, here the window shrinks at once (RFC 8257 equation 2). Of a reduction what is less
//! than a segment is left to the next one (Linux forgets it, which makes small windows half as large again).
//! Marks that arrive while a loss is repaired do not count.

use super::Habits;
use super::control::{Codepoint, Settings};
use super::facts::Acknowledged;
use super::segment_window::{Growth, SegmentWindow, Windowed};

/// The controller.
pub(crate) type Controller = Windowed<Dctcp>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { needs_accurate_ecn: true, ..Habits::NONE };

/// g of RFC 8257 section 4.2.
const GAIN: f64 = 1.0 / 16.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Dctcp {
    /// α: the share of marks.
    share: f64,
    /// Of the present round.
    acknowledged: u64,
    marked: u64,
    /// Whether the window was reduced in it.
    reduced: bool,
    /// What reductions have left undone because it is less than a segment.
    owed: f64,
}

impl Dctcp {
    fn end_round(&mut self) {
        if self.acknowledged > 0 {
            let share = self.marked as f64 / self.acknowledged as f64;
            self.share += GAIN * (share - self.share);
        }
        (self.acknowledged, self.marked, self.reduced) = (0, 0, false);
    }

    fn reduce(&mut self, window: &mut SegmentWindow) {
        let reduction = f64::from(window.window) * self.share / 2.0 + self.owed;
        self.owed = reduction - libm::floor(reduction);
        window.fall_to(window.window.saturating_sub(reduction as u32));
        self.reduced = true;
    }
}

impl Growth for Dctcp {
    const CODEPOINT: Codepoint = Codepoint::Ect1;
    const ANSWERS_MARKS: bool = true;

    fn new(_settings: &Settings) -> Self {
        Self { share: 1.0, acknowledged: 0, marked: 0, reduced: false, owed: 0.0 }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if acknowledged.round_begins {
            self.end_round();
        }
        self.acknowledged += u64::from(acknowledged.delivered);
        self.marked += u64::from(acknowledged.marked);
        if acknowledged.marked > 0 && !self.reduced {
            self.reduce(window);
        } else if !acknowledged.window_unused && acknowledged.marked == 0 {
            window.grow(acknowledged.delivered);
        }
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        window / 2
    }
}
