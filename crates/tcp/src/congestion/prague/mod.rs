//! Prague: the window shrinks by as much as was marked, in fractions of a segment, and grows alike whatever
//! the round trip.
//!
//! Source: draft-briscoe-iccrg-prague-congestion-control-04, with its values. Where it leaves a choice, that
//! of its authors' executable over UDP (L4STeam/udp_prague, `PragueCC`), against which a test holds it.
//!
//! | event | effect |
//! | --- | --- |
//! | n segments arrive without a mark | slow start, then cwnd += n / cwnd · (srtt / vrtt)² |
//! | a round is over: what was sent when it began has arrived, and vrtt has passed | α += (F − α) / 16, F the share of what arrived in it that was marked |
//! | a mark, none answered in this round | cwnd −= cwnd α / 2, ssthresh = cwnd |
//! | loss | ssthresh = cwnd / 2; `segment_window.rs` has the rest |
//! | pace | cwnd / srtt, twice that below half of the threshold; what leaves in 250 us leaves at once |
//!
//! srtt is the smoothed round trip, and vrtt is it too in the first 500 rounds after slow start, whether a
//! mark or a loss ended that; from then on it is 25 ms or more, so that flows with shorter round trips grow
//! and shrink as one of 25 ms does. α is 1 until the first mark, which halves the window. No rate falls below
//! 100 kbit/s.
//!
//! A window below two segments is a pace: two may be in the network, and leave as slowly as it says.
//!
//! Without accurate ECN no share is told: then a mark is a loss, data are ECT(0), and growth is Reno's. So it
//! is where the path turns out to change codepoints.
//!
//! Where its host has the fallback for classic queues, the share that reduces the window may be greater than
//! α: `classic_ecn.rs`.
//!
//! Departures and silences:
//! - The executable has no slow start. It grows by a millisecond of its rate in a round once seven rounds or
//!   more have passed without a mark; and its packets get smaller where two of them would be too many.
//! - Linux's Prague shrinks its window segment by segment, with the acknowledgements; here the window shrinks
//!   at once, and pacing spreads what it lets through. Its editions since 2024 count in rates, as the
//!   executable does below round trips of 2 ms, and alternate between a pace of 3 % more and 3 % less.
//! - Marks that arrive while a loss is repaired count for α, and reduce nothing.

use super::Habits;
use super::control::{Codepoint, Settings};
use super::facts::{Acknowledged, Feedback, Opening, Timeout};
use super::segment_window::{Growth, SegmentWindow, Windowed};
use aqmlab_units::{Rate, Span, Time};
use classic_ecn::ClassicEcn;

mod classic_ecn;

/// The controller.
pub(crate) type Controller = Windowed<Prague>;

/// What its hosts do.
pub(super) const HABITS: Habits =
    Habits { needs_accurate_ecn: true, needs_pacing: true, has_classic_ecn_fallback: true, ..Habits::NONE };

/// Of the moving average α.
const GAIN: f64 = 1.0 / 16.0;
/// The round trip of which shorter ones behave: `RTT_VIRT_MIN`.
const LEAST_VIRTUAL_S: f64 = 0.025;
/// Rounds until they do.
const TRANSITION_ROUNDS: u32 = 500;
/// What leaves at once.
const BURST_S: f64 = 250e-6;
/// Bits a second.
const LEAST_RATE: f64 = 100_000.0;
/// Segments that may be in the network, however slowly they leave.
const LEAST_WINDOW: u32 = 2;

/// How far a connection has come: when, and how many segments have arrived and will have once what is in the
/// network has.
#[derive(Clone, Copy, Debug)]
struct Place {
    now: Time,
    arrived: u64,
    sent: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Prague {
    packet_bits: f64,
    /// Whether the peer tells how many packets were marked.
    is_scalable: bool,
    /// The window in segments, and how many whole ones of it the sender was told.
    window: f64,
    told: u32,
    /// The window before the last loss.
    prior: f64,
    /// The smoothed round trip in seconds; zero before the first.
    smoothed_s: f64,
    /// α, and whether there ever was a mark.
    share: f64,
    was_marked: bool,
    is_in_slow_start: bool,
    /// Where the last acknowledgement was, where the present round began, and where the window was reduced
    /// last.
    here: Place,
    round: Place,
    reduced: Option<Place>,
    /// Whether the marks come from a classic queue, where its host asks that.
    classic: Option<ClassicEcn>,
    /// What was marked in the present round.
    marked: u64,
    /// Rounds since slow start ended, marked or not.
    rounds: u32,
    pace: Option<Rate>,
    quantum: u32,
}

impl Prague {
    /// The window may be what something else has made of it.
    fn adopt(&mut self, window: &SegmentWindow) {
        if window.window != self.told {
            let is_restored = whole(self.prior) == window.window;
            self.window = if is_restored { self.prior } else { f64::from(window.window) };
            self.told = window.window;
        }
    }

    /// The round trip by which it grows and shrinks, in seconds.
    fn virtual_s(&self) -> f64 {
        if self.rounds < TRANSITION_ROUNDS { self.smoothed_s } else { self.smoothed_s.max(LEAST_VIRTUAL_S) }
    }

    /// Whether what had been sent at a place has arrived, and a virtual round trip has passed since.
    fn is_over(&self, since: Place) -> bool {
        let passed_s = self.here.now.checked_since(since.now).map_or(0.0, Span::seconds);
        self.here.arrived > since.sent && passed_s >= self.virtual_s()
    }

    /// A round may be over.
    fn weigh(&mut self) {
        let arrived = self.here.arrived.saturating_sub(self.round.arrived);
        if arrived == 0 || !self.is_over(self.round) {
            return;
        }
        if self.was_marked {
            let share = (self.marked as f64 / arrived as f64).min(1.0);
            self.share += GAIN * (share - self.share);
            if let Some(classic) = &mut self.classic {
                classic.weigh();
            }
        }
        if !self.is_in_slow_start {
            self.rounds = (self.rounds + 1).min(TRANSITION_ROUNDS);
        }
        (self.marked, self.round) = (0, self.here);
    }

    fn increase(&mut self, window: &mut SegmentWindow, segments: u32) {
        let left = if window.is_in_slow_start() { window.grow_in_slow_start(segments) } else { segments };
        self.adopt(window);
        let virtual_s = self.virtual_s();
        let scale = if virtual_s > self.smoothed_s { self.smoothed_s / virtual_s } else { 1.0 };
        // A window below a segment grows by no more than arrives.
        self.window += f64::from(left) / self.window.max(1.0) * scale * scale;
        // Slow start leaves whole segments.
        self.told = whole(self.window).max(window.window);
        window.window = self.told;
    }

    fn note_reduction(&mut self, threshold: u32) {
        if let Some(classic) = &mut self.classic {
            classic.note_reduction(threshold);
        }
    }

    fn note_round_trip(&mut self, round_trip: Option<Span>) {
        if let Some((classic, sample)) = self.classic.as_mut().zip(round_trip) {
            classic.note_round_trip(sample);
        }
    }

    /// So much of the window is left, and no less than the least rate needs.
    fn shrink(&mut self, left: f64) {
        let least = LEAST_RATE * self.smoothed_s / self.packet_bits;
        self.window = (self.window * left).max(least.min(self.window));
    }

    fn reduce(&mut self, window: &mut SegmentWindow) {
        let share = self.classic.as_mut().map_or(self.share, |classic| classic.on_mark(self.share));
        self.note_reduction(window.threshold);
        self.shrink(1.0 - share / 2.0);
        window.fall_to(whole(self.window));
        self.told = window.window;
        (self.reduced, self.was_marked) = (Some(self.here), true);
    }
}

/// What may be in the network at such a window.
fn whole(window: f64) -> u32 {
    (libm::ceil(window) as u32).max(LEAST_WINDOW)
}

impl Growth for Prague {
    const ANSWERS_MARKS: bool = true;
    const HAS_PACE: bool = true;

    fn new(settings: &Settings) -> Self {
        let start = Place { now: Time::ZERO, arrived: 0, sent: 0 };
        Self {
            packet_bits: 8.0 * f64::from(settings.packet_bytes),
            is_scalable: true,
            window: f64::from(settings.initial_window),
            told: settings.initial_window,
            prior: 0.0,
            smoothed_s: 0.0,
            share: 1.0,
            was_marked: false,
            is_in_slow_start: true,
            here: start,
            round: start,
            reduced: None,
            classic: settings
                .classic_ecn_fallback
                .then(|| ClassicEcn::new(settings.classic_ecn_fallback_everywhere)),
            marked: 0,
            rounds: 0,
            pace: None,
            quantum: 1,
        }
    }

    fn open(&mut self, opening: &Opening) {
        self.is_scalable = opening.feedback == Feedback::Accurate;
        self.smoothed_s = opening.round_trip.map_or(0.0, Span::seconds);
        self.note_round_trip(opening.round_trip);
        (self.here.now, self.round.now) = (opening.now, opening.now);
    }

    fn lose_feedback(&mut self) {
        self.is_scalable = false;
    }

    fn observe(&mut self, acknowledged: &Acknowledged) {
        if let Some(sample_s) = acknowledged.round_trip.map(Span::seconds).filter(|&sample_s| sample_s > 0.0)
        {
            let before = self.smoothed_s;
            self.smoothed_s = if before == 0.0 { sample_s } else { before + (sample_s - before) / 8.0 };
        }
        self.note_round_trip(acknowledged.round_trip);
        let arrived = acknowledged.delivered_ever;
        let sent = arrived + u64::from(acknowledged.in_flight);
        self.here = Place { now: acknowledged.now, arrived, sent };
        self.marked += u64::from(acknowledged.marked);
        self.weigh();
    }

    fn grow(&mut self, window: &mut SegmentWindow, acknowledged: &Acknowledged) {
        if !self.is_scalable {
            if !acknowledged.window_unused {
                window.grow(acknowledged.delivered);
            }
            return;
        }
        self.adopt(window);
        let unmarked = acknowledged.delivered.saturating_sub(acknowledged.marked);
        if unmarked > 0 && !acknowledged.window_unused {
            self.increase(window, unmarked);
        }
        if self.reduced.is_some_and(|since| self.is_over(since)) {
            self.reduced = None;
        }
        if acknowledged.marked > 0 && self.reduced.is_none() {
            self.reduce(window);
        }
    }

    fn threshold_of(&mut self, window: u32) -> u32 {
        if window != self.told {
            self.window = f64::from(window);
        }
        self.prior = self.window;
        self.shrink(0.5);
        self.reduced = Some(self.here);
        self.told = whole(self.window);
        self.told.min(window)
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.told = timeout.in_flight + 1;
        self.window = f64::from(self.told);
    }

    fn codepoint(&self) -> Codepoint {
        if self.is_scalable { Codepoint::Ect1 } else { Codepoint::Ect0 }
    }

    fn follow(&mut self, window: &SegmentWindow) {
        self.is_in_slow_start = window.is_in_slow_start();
        if self.smoothed_s == 0.0 {
            return;
        }
        // While a loss is repaired the window is that of the repair.
        let segments = if window.window == self.told { self.window } else { f64::from(window.window) };
        let gain = if window.window < window.threshold / 2 { 2.0 } else { 1.0 };
        let rate = (gain * segments * self.packet_bits / self.smoothed_s).max(LEAST_RATE);
        self.pace = Some(Rate::from_bits_per_second(rate as u64));
        self.quantum = ((rate * BURST_S / self.packet_bits) as u32).max(1);
    }

    fn pace(&self) -> Option<Rate> {
        self.pace
    }

    fn quantum(&self) -> u32 {
        self.quantum
    }

    fn has_fallen_back(&self) -> bool {
        self.classic.is_some_and(|classic| classic.has_fallen_back())
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod executable;
