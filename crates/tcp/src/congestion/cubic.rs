//! CUBIC.
//!
//! Source: RFC 9438, in whole segments as Linux net/ipv4/tcp_cubic.c counts them. With C = 0.4 segments per
//! s³, β = 0.7:
//!
//! | event | effect |
//! | --- | --- |
//! | new acknowledgement, cwnd < ssthresh | slow start, which HyStart may end (`hystart.rs`) |
//! | new acknowledgement, cwnd >= ssthresh | cwnd += 1 for every cwnd / (W(t + RTT) − cwnd) acknowledged, two at the least, with W(t) = C (t − K)³ + Wmax (section 4.2); or for as many as make Reno's estimate, if that is more (section 4.3) |
//! | loss, echo | ssthresh = max(β cwnd, 2); Wmax = cwnd, or (1 + β)/2 cwnd where that was below the last Wmax (section 4.7) |
//! | timeout | the same, and cwnd = 1; the next period begins at its plateau (section 4.8: K = 0, Wmax = cwnd) |
//! | a reduction that was a mistake | cwnd and ssthresh as before; Wmax stays what the reduction made it (`tcp_reno_undo_cwnd`; RFC 9438 section 4.9 restores it) |
//!
//! K = ∛((Wmax − cwnd) / C) at the first acknowledgement after the reduction; RTT is the least of the
//! connection since a timeout, without the first second after a reduction.
//!
//! Integers as in `bictcp_update`: time is counted in interrupts of the kernel and then in 1/1024 s, C is
//! 410/1024, and what a window of cwnd needs for one more by Reno's estimate is ⌊15 cwnd / 8⌋ acknowledged (α
//! = 3(1 − β)/(1 + β) = 8/15). How many are needed for one more is reckoned anew once per interrupt, and
//! while the window stays the same 1/32 s later.
//!
//! Departures and silences:
//! - K is the exact root, where Linux has a table and one step of Newton's: 4/1024 s apart at the most below
//!   Wmax − cwnd = 100.
//! - Reno's estimate grows by α per window also beyond the last maximum, as in Linux; RFC 9438 section 4.3
//!   takes α = 1 there.
//! - Where nothing is in the network when a segment leaves, the time since the last one left does not count
//!   (`cubictcp_cwnd_event`; RFC 9438 section 5.8 leaves out all time in which the application limits what is
//!   sent).
//! - Before the first loss, where slow start was ended by HyStart, the window grows by one for every twenty
//!   at least (Linux).

use super::Habits;
use super::control::Settings;
use super::facts::{Acknowledged, Measured, Sent, Timeout};
use super::hystart::SlowStartEnd;
use super::segment_window::{Growth, SegmentWindow, Windowed};
use crate::interrupts::Interrupts;
use aqmlab_units::{Span, Time};

/// The controller.
pub(crate) type Controller = Windowed<Cubic>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { has_hystart: true, ..Habits::NONE };

/// Time is reckoned in 2⁻¹⁰ s.
const UNITS_PER_SECOND: u64 = 1_024;
/// C of RFC 9438 section 4.1, in 1/1024 segments per s³.
const FACTOR_PER_1024: u64 = 410;
/// (C t³)/2⁴⁰ are whole segments, of t in 2⁻¹⁰ s.
const CUBE_BITS: u32 = 40;
/// β: 717 of 1024 in Linux.
const BETA_PER_1024: u32 = 717;
/// α of section 4.3 is 8/15.
const RENO_EIGHTHS: u32 = 15;
/// Segments per increase before the first loss, at most.
const SLOWEST_AT_FIRST: u32 = 20;
/// Segments per increase, at least: one and a half windows in a round trip.
const FASTEST: u32 = 2;
/// Of a window that has reached its target.
const STANDSTILL: u32 = 100;
/// A number that stands for as long as the window does, in parts of a second.
const STANDS_PER_SECOND: u64 = 32;

/// A congestion avoidance period, from the first acknowledgement after a reduction on.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, in interrupts, later by the pauses.
    began: u64,
    /// W at the plateau, in segments, and K.
    origin: u32,
    plateau: u64,
    /// W_est: what Reno would have.
    reno: u32,
    /// Segments acknowledged that W_est has not grown by yet.
    acknowledged: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    interrupts: Interrupts,
    epoch: Option<Epoch>,
    /// Wmax; zero before the first loss.
    maximum: u32,
    /// How many segments are to be acknowledged for the window to grow by one, of which window, and when that
    /// was reckoned.
    per_increase: u32,
    reckoned_of: u32,
    reckoned_at: u64,
    /// The least round trip.
    least: Option<Span>,
    /// When the last segment left.
    sent_at: Time,
    slow_start: SlowStartEnd,
}

impl Cubic {
    fn begin_epoch(&self, now: u64, window: u32) -> Epoch {
        let below = u64::from(self.maximum.saturating_sub(window));
        let cube = ((1 << CUBE_BITS) / FACTOR_PER_1024) * below;
        Epoch {
            began: now,
            origin: self.maximum.max(window),
            plateau: libm::round(libm::cbrt(cube as f64)) as u64,
            reno: window,
            acknowledged: 0,
        }
    }

    /// W(t + RTT).
    fn target(&self, epoch: &Epoch, now: u64) -> u32 {
        let ahead = self.least.map_or(0, |least| self.interrupts.in_span(least));
        let time = (now - epoch.began + ahead) * UNITS_PER_SECOND / self.interrupts.per_second();
        let distance = u128::from(time.abs_diff(epoch.plateau));
        let segments = (u128::from(FACTOR_PER_1024) * distance * distance * distance) >> CUBE_BITS;
        let segments = u32::try_from(segments).unwrap_or(u32::MAX);
        if time < epoch.plateau {
            epoch.origin.saturating_sub(segments)
        } else {
            epoch.origin.saturating_add(segments)
        }
    }

    /// How many segments are to be acknowledged for a window to grow by one (`bictcp_update`).
    fn reckon(&mut self, window: u32, now: u64, segments: u32) {
        if let Some(epoch) = &mut self.epoch {
            epoch.acknowledged += segments;
        }
        let stands = self.interrupts.per_second() / STANDS_PER_SECOND;
        if self.reckoned_of == window && now - self.reckoned_at <= stands {
            return;
        }
        let is_new = self.epoch.is_none();
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(now, window));
        if is_new {
            epoch.acknowledged = segments;
        }
        if is_new || now != self.reckoned_at {
            (self.reckoned_of, self.reckoned_at) = (window, now);
            let target = self.target(&epoch, now);
            self.per_increase =
                if target > window { window / (target - window) } else { STANDSTILL * window };
            if self.maximum == 0 {
                self.per_increase = self.per_increase.min(SLOWEST_AT_FIRST);
            }
        }
        self.keep_up_with_reno(&mut epoch, window);
        self.epoch = Some(epoch);
        self.per_increase = self.per_increase.max(FASTEST);
    }

    fn keep_up_with_reno(&mut self, epoch: &mut Epoch, window: u32) {
        let per_segment = (window * RENO_EIGHTHS) >> 3;
        if epoch.acknowledged > per_segment {
            let grown = (epoch.acknowledged - 1) / per_segment;
            epoch.acknowledged -= grown * per_segment;
            epoch.reno += grown;
        }
        if epoch.reno > window {
            self.per_increase = self.per_increase.min(window / (epoch.reno - window));
        }
    }
}

impl Growth for Cubic {
    fn new(settings: &Settings) -> Self {
        Self {
            interrupts: settings.interrupts,
            epoch: None,
            maximum: 0,
            per_increase: 0,
            reckoned_of: 0,
            reckoned_at: 0,
            least: None,
            sent_at: Time::ZERO,
            slow_start: SlowStartEnd::new(settings.hystart, settings.pacing),
        }
    }

    /// A pause before this segment moves the curve.
    #[inline]
    fn note_sent(&mut self, sent: &Sent) {
        let before = std::mem::replace(&mut self.sent_at, sent.now);
        if sent.in_flight == 1
            && let Some(epoch) = &mut self.epoch
        {
            let (now, before) = (self.interrupts.at(sent.now), self.interrupts.at(before));
            epoch.began = (epoch.began + (now - before)).min(now);
        }
    }

    fn measure(&mut self, window: &mut SegmentWindow, measured: &Measured) {
        let is_young =
            |epoch: Epoch| self.interrupts.at(measured.now) - epoch.began < self.interrupts.per_second();
        if self.epoch.is_some_and(is_young) {
            return;
        }
        let sample = measured.round_trip;
        let least = self.least.map_or(sample, |least| least.min(sample));
        self.least = Some(least);
        if window.is_in_slow_start() && self.slow_start.ends_by_round_trip(measured, window.window, least) {
            window.threshold = window.window;
        }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if acknowledged.window_unused {
            return;
        }
        let mut segments = acknowledged.delivered;
        if window.is_in_slow_start() {
            if self.slow_start.ends(acknowledged) {
                window.threshold = window.window;
            }
            let share = self.slow_start.share(segments);
            segments = window.grow_in_slow_start(share);
            if segments == 0 {
                return;
            }
        }
        self.reckon(window.window, self.interrupts.at(acknowledged.now), segments);
        window.grow_per(self.per_increase, segments);
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        self.epoch = None;
        let share = |of_2048: u32| (u64::from(window) * u64::from(of_2048) / 2_048) as u32;
        self.maximum = if window < self.maximum { share(1_024 + BETA_PER_1024) } else { window };
        share(2 * BETA_PER_1024)
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let mut slow_start = self.slow_start;
        slow_start.begin(timeout.now);
        let (interrupts, sent_at) = (self.interrupts, self.sent_at);
        *self = Self {
            interrupts,
            epoch: None,
            maximum: 0,
            per_increase: 0,
            reckoned_of: 0,
            reckoned_at: 0,
            least: None,
            sent_at,
            slow_start,
        };
    }
}
