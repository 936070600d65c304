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
//! connection.
//!
//! Departures and silences:
//! - W and K are real numbers, where Linux has integers of 1/1024 s and a table of roots.
//! - Reno's estimate grows by α = 3(1 − β)/(1 + β) per window also beyond the last maximum, as in Linux; RFC
//!   9438 section 4.3 takes α = 1 there.
//! - Time in which the application limits what is sent does not count (section 5.8): from an acknowledgement
//!   that grows nothing back to the one before it.
//! - Before the first loss, where slow start was ended by HyStart, the window grows by one for every twenty
//!   at least (Linux).

use super::Habits;
use super::control::Settings;
use super::facts::Acknowledged;
use super::hystart::SlowStartEnd;
use super::segment_window::{Growth, SegmentWindow, Windowed};
use aqmlab_units::{Span, Time};

/// The controller.
pub(crate) type Controller = Windowed<Cubic>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { has_hystart: true, ..Habits::NONE };

/// C of RFC 9438 section 4.1, in segments per s³.
const CUBIC_FACTOR: f64 = 0.4;
/// β: 717 of 1024 in Linux.
const BETA_PER_1024: u32 = 717;
const BETA: f64 = BETA_PER_1024 as f64 / 1024.0;
/// α of section 4.3.
const RENO_GROWTH: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// Segments per increase before the first loss, at most.
const SLOWEST_AT_FIRST: f64 = 20.0;
/// Segments per increase, at least: one and a half windows in a round trip.
const FASTEST: f64 = 2.0;
/// Of a window that has reached its target.
const STANDSTILL: f64 = 100.0;

/// A congestion avoidance period, from the first acknowledgement after a reduction on.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, later by what the application has limited.
    began: Time,
    /// W at the plateau, in segments, and K in seconds.
    origin: f64,
    plateau_s: f64,
    /// W_est: what Reno would have.
    reno: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    epoch: Option<Epoch>,
    /// Wmax; zero before the first loss.
    maximum: f64,
    /// The least round trip, and the last acknowledgement.
    least: Option<Span>,
    acknowledged_at: Time,
    slow_start: SlowStartEnd,
}

impl Cubic {
    fn begin_epoch(&self, now: Time, window: f64) -> Epoch {
        let below = (self.maximum - window).max(0.0);
        Epoch {
            began: now,
            origin: self.maximum.max(window),
            plateau_s: libm::cbrt(below / CUBIC_FACTOR),
            reno: window,
        }
    }

    /// How many segments are to be acknowledged for the window to grow by one.
    fn segments_per_increase(&mut self, window: u32, now: Time, segments: u32) -> f64 {
        let window = f64::from(window);
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(now, window));
        epoch.reno += RENO_GROWTH * f64::from(segments) / window;
        self.epoch = Some(epoch);
        let ahead = self.least.unwrap_or(Span::ZERO).seconds();
        let since = now.seconds() - epoch.began.seconds() + ahead - epoch.plateau_s;
        let target = epoch.origin + CUBIC_FACTOR * since * since * since;
        let mut per = if target > window { window / (target - window) } else { STANDSTILL * window };
        if self.maximum == 0.0 {
            per = per.min(SLOWEST_AT_FIRST);
        }
        // Reno's whole segments, as Linux compares them.
        let ahead_of_us = libm::floor(epoch.reno) - window;
        if ahead_of_us > 0.0 {
            per = per.min(window / ahead_of_us);
        }
        per.max(FASTEST)
    }

    fn grow_used(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        let mut segments = acknowledged.delivered;
        if window.is_in_slow_start() {
            if self.slow_start.ends(acknowledged, window.window, self.least) {
                window.threshold = window.window;
            }
            let share = self.slow_start.share(segments);
            segments = window.grow_in_slow_start(share);
        }
        if segments > 0 {
            let per = self.segments_per_increase(window.window, acknowledged.now, segments);
            window.grow_per(per as u32, segments);
        }
    }
}

impl Growth for Cubic {
    fn new(settings: &Settings) -> Self {
        Self {
            epoch: None,
            maximum: 0.0,
            least: None,
            acknowledged_at: Time::ZERO,
            slow_start: SlowStartEnd::new(settings.hystart),
        }
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if let Some(sample) = acknowledged.round_trip {
            self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
        }
        let before = std::mem::replace(&mut self.acknowledged_at, acknowledged.now);
        if !acknowledged.application_limited {
            self.grow_used(window, acknowledged);
        } else if let Some(epoch) = &mut self.epoch {
            epoch.began = epoch.began + (acknowledged.now - before.max(epoch.began).min(acknowledged.now));
        }
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        let whole = u64::from(window) * u64::from(BETA_PER_1024) / 1024;
        let window = f64::from(window);
        self.epoch = None;
        self.maximum = if window < self.maximum { window * (1.0 + BETA) / 2.0 } else { window };
        whole as u32
    }

    fn on_timeout(&mut self) {
        self.maximum = 0.0;
        self.slow_start.begin();
    }
}
