//! LEDBAT, low extra delay background transport: it takes what others leave, and keeps the queue short.
//!
//! Source: RFC 6817, sections 2.4 and 2.5, in segments, with TARGET = 100 ms and GAIN = 1:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement of n segments | cwnd += GAIN (1 − queueing delay / TARGET) n / cwnd, and cwnd >= 2 |
//! | new acknowledgement while the window is not used | none (section 2.4.2: `ALLOWED_INCREASE`) |
//! | loss, marks | ssthresh = max(cwnd / 2, 2); `segment_window.rs` has the rest |
//! | timeout | the same, and cwnd = 1 |
//!
//! The queueing delay is the least of the last four delays (`CURRENT_FILTER`), less the least of ten minutes
//! (`BASE_HISTORY`).
//!
//! Departures and silences:
//! - A delay is a round trip, where RFC 6817 takes one way: a queue on the way back counts too, as in
//!   LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus).
//! - There is no slow start, which section 2.4.2 permits: the window grows by a segment per round trip.
//! - The first window is the host's, where the RFC advises two segments: `initial_window_segments`.

use super::Habits;
use super::control::Settings;
use super::facts::Acknowledged;
use super::segment_window::{Growth, SegmentWindow, Windowed};
use aqmlab_units::{Span, Time};

/// The controller.
pub(crate) type Controller = Windowed<Ledbat>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits::NONE;

/// TARGET: the queueing delay at which the window stands still, in seconds.
const TARGET_S: f64 = 0.1;
/// Minutes of which the least delay is remembered.
const BASE_HISTORY: usize = 10;
/// Delays of which the least is the present one.
const CURRENT_FILTER: usize = 4;
const LEAST_WINDOW: u32 = 2;
const MINUTE_NS: u64 = 60_000_000_000;
/// Longer than any delay.
const NONE_YET: Span = Span::from_nanoseconds(1 << 62);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ledbat {
    /// The least delay of each minute, the present one first, and which that is.
    base: [Span; BASE_HISTORY],
    minute: u64,
    /// The last delays, the latest first.
    current: [Span; CURRENT_FILTER],
    /// What the window has beyond whole segments, below one.
    fraction: f64,
}

impl Ledbat {
    fn note(&mut self, now: Time, delay: Span) {
        let minute = now.nanoseconds() / MINUTE_NS;
        for _ in 0..(minute - self.minute).min(BASE_HISTORY as u64) {
            self.base.rotate_right(1);
            self.base[0] = NONE_YET;
        }
        self.minute = minute;
        self.base[0] = self.base[0].min(delay);
        self.current.rotate_right(1);
        self.current[0] = delay;
    }

    /// None before the first delay is known.
    fn queueing_delay_s(&self) -> Option<f64> {
        let least = |delays: &[Span]| delays.iter().copied().min().filter(|&delay| delay < NONE_YET);
        let (current, base) = (least(&self.current)?, least(&self.base)?);
        // The least of ten minutes is forgotten, and the last four delays may be older.
        Some((current.seconds() - base.seconds()).max(0.0))
    }
}

impl Growth for Ledbat {
    fn new(_settings: &Settings) -> Self {
        Self { base: [NONE_YET; BASE_HISTORY], minute: 0, current: [NONE_YET; CURRENT_FILTER], fraction: 0.0 }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if let Some(delay) = acknowledged.round_trip {
            self.note(acknowledged.now, delay);
        }
        let (false, Some(delay_s)) = (acknowledged.window_unused, self.queueing_delay_s()) else {
            return;
        };
        let off_target = 1.0 - delay_s / TARGET_S;
        let before = f64::from(window.window);
        let after = before + self.fraction + off_target * f64::from(acknowledged.delivered) / before;
        let whole = libm::floor(after.max(f64::from(LEAST_WINDOW)));
        self.fraction = (after - whole).max(0.0);
        window.window = whole as u32;
        window.threshold = window.threshold.min(window.window);
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        self.fraction = 0.0;
        window / 2
    }
}
