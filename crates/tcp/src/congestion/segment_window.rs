//! What controllers share that answer a loss with a smaller window: whole segments, a threshold, slow start
//! up to it, a reduction in proportion to what arrives, and a pace.
//!
//! Source: Linux net/ipv4/tcp_cong.c `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd`; RFC 5681
//! section 3.1 with the byte counting of RFC 3465 in segments; `tcp_cwnd_restart` (RFC 2861); tcp_input.c
//! `tcp_cwnd_reduction` (RFC 9937), `tcp_current_ssthresh`, `tcp_update_pacing_rate`.
//!
//! | event | effect |
//! | --- | --- |
//! | loss, marks | the rule's threshold; the window follows what arrives (`rate_reduction.rs`) |
//! | loss that a probe has repaired | the same, and the window is the threshold at once |
//! | timeout | the rule's threshold, kept at a repeated one; cwnd = what is in the network and one |
//! | a reduction is complete | cwnd = ssthresh |
//! | a reduction was a mistake | cwnd and ssthresh of before, if they are more; three quarters of the window at the least |
//! | a timeout's time without data | cwnd = max(cwnd / 2, initial window), ssthresh = max(ssthresh, 3/4 cwnd) |

use super::control::{Codepoint, CongestionControl, Settings};
use super::facts::{Acknowledged, Loss, Marks, Measured, Opening, Recovered, Sent, Timeout};
use super::rate_reduction::RateReduction;
use aqmlab_units::{Rate, Span};

/// Least window after a reduction, in segments.
const LEAST_WINDOW: u32 = 2;
/// A threshold that no window reaches.
const NO_THRESHOLD: u32 = 0x7fff_ffff;
/// The pace in windows per round trip, in per cent: `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`.
const PACE_IN_SLOW_START: u64 = 200;
const PACE: u64 = 120;

/// The rate that follows from the smoothed round trip.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Bits of a packet with a full segment.
    packet_bits: u32,
    /// The smoothed round trip; zero before the first.
    smoothed: Span,
}

/// Window and threshold in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentWindow {
    pub(super) window: u32,
    /// Segments acknowledged since the window last grew.
    count: u32,
    pub(super) threshold: u32,
    initial: u32,
    /// Window and threshold before the last reduction.
    prior: (u32, u32),
    reduces_in_proportion: bool,
    reduction: RateReduction,
    pace: Option<Pace>,
}

impl SegmentWindow {
    fn new(settings: &Settings) -> Self {
        let pace = Pace { packet_bits: 8 * settings.packet_bytes, smoothed: Span::ZERO };
        Self {
            window: settings.initial_window,
            count: 0,
            threshold: NO_THRESHOLD,
            initial: settings.initial_window,
            prior: (settings.initial_window, NO_THRESHOLD),
            reduces_in_proportion: settings.proportional_rate_reduction,
            reduction: RateReduction::default(),
            pace: settings.pacing.then_some(pace),
        }
    }

    pub(super) const fn is_in_slow_start(&self) -> bool {
        self.window < self.threshold
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

    /// The threshold is so many segments, and the window no more than that at once.
    pub(super) fn fall_to(&mut self, segments: u32) {
        self.threshold = segments.max(LEAST_WINDOW);
        self.window = self.window.min(self.threshold);
    }

    /// Somebody else sets the window. One that recovers from a timeout grows to it again.
    pub(super) fn hold(&mut self, segments: u32, recovers: bool) {
        self.threshold = segments.max(LEAST_WINDOW);
        self.window = if recovers { self.window.min(self.threshold) } else { self.threshold };
        self.prior = (self.window, self.threshold);
    }

    /// Keeps what a mistake would restore.
    fn keep(&mut self) {
        let window = self.window;
        self.prior = (window, self.threshold.max(window / 2 + window / 4));
    }

    /// The window begins to shrink, and what was counted towards its next segment is forgotten (Linux
    /// `tcp_init_cwnd_reduction`).
    fn begin_reduction(&mut self) {
        self.count = 0;
        if self.reduces_in_proportion {
            self.reduction = RateReduction::begin(self.window);
        } else {
            self.window = self.threshold;
        }
    }

    /// The window follows what arrives.
    fn shrink(&mut self, acknowledged: &Acknowledged) {
        if !self.reduces_in_proportion {
            return;
        }
        let Acknowledged { delivered, in_flight, .. } = *acknowledged;
        let window = self.reduction.window(delivered, in_flight, self.threshold, acknowledged.is_safe());
        self.window = window.map_or(self.window, |window| window.max(1));
    }

    fn restore(&mut self) {
        let (window, threshold) = self.prior;
        self.window = self.window.max(window);
        self.threshold = self.threshold.max(threshold);
    }

    /// A pause (Linux `tcp_cwnd_restart`).
    fn decay(&mut self, timeouts: u32) {
        self.threshold = self.threshold.max(self.window / 2 + self.window / 4);
        for _ in 0..timeouts {
            if self.window <= self.initial {
                return;
            }
            self.window = (self.window / 2).max(self.initial);
        }
    }

    /// Less was used than the window and the initial one (Linux `tcp_cwnd_application_limited`).
    fn validate(&mut self, used: u32) {
        let used = used.max(self.initial);
        if used < self.window {
            self.threshold = self.threshold.max(self.window / 2 + self.window / 4);
            self.window = self.window.midpoint(used);
        }
    }

    /// A round trip has ended, which the pace follows.
    fn note_round_trip(&mut self, round_trip: Option<Span>) {
        let (Some(pace), Some(sample)) = (&mut self.pace, round_trip) else { return };
        let before = pace.smoothed.nanoseconds();
        let smoothed =
            if before == 0 { sample.nanoseconds() } else { (7 * before + sample.nanoseconds()) / 8 };
        pace.smoothed = Span::from_nanoseconds(smoothed);
    }

    /// The window twice per round trip in slow start, while it is below half of the threshold, and 1.2 times
    /// beyond.
    fn pacing_rate(&self) -> Option<Rate> {
        let pace = self.pace.as_ref().filter(|pace| pace.smoothed > Span::ZERO)?;
        let percent = if self.window < self.threshold / 2 { PACE_IN_SLOW_START } else { PACE };
        let bits = u128::from(self.window) * u128::from(pace.packet_bits) * u128::from(percent) / 100;
        let second = u128::from(Span::from_milliseconds(1_000).nanoseconds());
        let rate = bits * second / u128::from(pace.smoothed.nanoseconds());
        Some(Rate::from_bits_per_second(u64::try_from(rate).unwrap_or(u64::MAX).max(1)))
    }
}

/// In what such controllers differ: how the window grows, and what is left of it.
pub(crate) trait Growth {
    /// The codepoint of its data.
    const CODEPOINT: Codepoint = Codepoint::Ect0;
    /// Whether growth answers marks by itself.
    const ANSWERS_MARKS: bool = false;

    /// Whether it has a pace of its own.
    const HAS_PACE: bool = false;

    /// What it remembers of a connection whose first segment is being sent.
    fn new(settings: &Settings) -> Self;

    /// The connection is open.
    fn open(&mut self, _opening: &Opening) {}

    /// An acknowledgement was processed, whatever is being reduced: before the window grows with it.
    #[inline]
    fn observe(&mut self, _acknowledged: &Acknowledged) {}

    /// A round trip has ended.
    #[inline]
    fn measure(&mut self, _window: &mut SegmentWindow, _measured: &Measured) {}

    /// A segment leaves.
    #[inline]
    fn note_sent(&mut self, _sent: &Sent) {}

    /// Segments were acknowledged, and nothing is being reduced.
    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged);

    /// The threshold, in segments, that a loss or a mark leaves of such a window; two at the least where it
    /// is less.
    fn threshold_of(&mut self, window: u32) -> u32;

    /// Nothing is ECN-capable any more.
    fn lose_feedback(&mut self) {}

    /// The retransmission timer has expired, and the threshold is set.
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Its own pace follows what the window is now.
    #[inline]
    fn follow(&mut self, _window: &SegmentWindow) {}

    /// That pace; none as long as it has none.
    #[inline]
    fn pace(&self) -> Option<Rate> {
        None
    }

    /// Segments that leave at once in that pace.
    #[inline]
    fn quantum(&self) -> u32 {
        1
    }

    /// The codepoint of its data.
    fn codepoint(&self) -> Codepoint {
        Self::CODEPOINT
    }

    /// Whether it ever took its queue for one that marks as RFC 3168 has it.
    fn has_fallen_back(&self) -> bool {
        false
    }
}

/// A controller with a window in segments, and its growth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windowed<G> {
    pub(super) base: SegmentWindow,
    pub(super) growth: G,
}

impl<G: Growth> Windowed<G> {
    #[cfg(test)]
    pub(crate) const fn growth(&self) -> &G {
        &self.growth
    }

    #[cfg(test)]
    pub(crate) const fn growth_mut(&mut self) -> &mut G {
        &mut self.growth
    }

    #[cfg(test)]
    pub(crate) const fn leave_slow_start(&mut self) {
        self.base.threshold = self.base.window;
    }

    fn set_threshold(&mut self) {
        self.base.threshold = self.growth.threshold_of(self.base.window).max(LEAST_WINDOW);
    }
}

impl<G: Growth> CongestionControl for Windowed<G> {
    fn new(settings: &Settings) -> Self {
        Self { base: SegmentWindow::new(settings), growth: G::new(settings) }
    }

    fn on_established(&mut self, opening: Opening) {
        if opening.reduces_window {
            self.base.window = 1;
        }
        self.growth.open(&opening);
        self.growth.follow(&self.base);
    }

    #[inline]
    fn on_sent(&mut self, sent: &Sent) {
        if sent.phase.is_reduction() {
            self.base.reduction.sent += 1;
        }
        self.growth.note_sent(sent);
    }

    #[inline]
    fn on_round_trip(&mut self, measured: &Measured) {
        self.growth.measure(&mut self.base, measured);
    }

    fn on_acknowledged(&mut self, acknowledged: &Acknowledged) {
        self.growth.observe(acknowledged);
        if acknowledged.phase.is_reduction() {
            self.base.shrink(acknowledged);
        } else if acknowledged.may_grow {
            self.base.note_round_trip(acknowledged.round_trip);
            self.growth.grow(&mut self.base, acknowledged);
        }
        self.growth.follow(&self.base);
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.reduced {
            return;
        }
        if loss.repaired {
            self.set_threshold();
            self.base.window = self.base.threshold;
            self.base.count = 0;
        } else {
            self.base.keep();
            self.set_threshold();
            self.base.begin_reduction();
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if !timeout.repeated {
            self.base.keep();
            self.set_threshold();
        }
        (self.base.window, self.base.count) = (timeout.in_flight + 1, 0);
        self.growth.on_timeout(timeout);
        self.growth.follow(&self.base);
    }

    fn on_marks(&mut self, _marks: &Marks) {
        self.set_threshold();
        self.base.begin_reduction();
    }

    fn on_recovered(&mut self, recovered: Recovered) {
        match recovered {
            Recovered::Complete => self.base.window = self.base.threshold,
            Recovered::Mistaken => self.base.restore(),
            Recovered::AfterTimeout => {}
        }
    }

    fn on_idle(&mut self, timeouts: u32) {
        self.base.decay(timeouts);
    }

    fn on_unused(&mut self, used: u32) {
        self.base.validate(used);
    }

    fn on_feedback_lost(&mut self) {
        self.growth.lose_feedback();
    }

    #[inline]
    fn window(&self) -> u32 {
        self.base.window
    }

    #[inline]
    fn slow_start_threshold(&self) -> u32 {
        self.base.threshold
    }

    /// Where the host's setting wants it, or growth has a pace of its own.
    fn paces(&self) -> bool {
        G::HAS_PACE || self.base.pace.is_some()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        if G::HAS_PACE { self.growth.pace() } else { self.base.pacing_rate() }
    }

    #[inline]
    fn send_quantum(&self) -> u32 {
        self.growth.quantum()
    }

    fn codepoint(&self) -> Codepoint {
        self.growth.codepoint()
    }

    #[inline]
    fn answers_marks(&self) -> bool {
        G::ANSWERS_MARKS
    }

    fn has_fallen_back(&self) -> bool {
        self.growth.has_fallen_back()
    }
}
