//! Whether the one-way delay grows: the slope of a straight line through the smoothed delays of the last
//! groups of packets, against a threshold that adapts.
//!
//! ```text
//! delay          sum of the groups' changes, smoothed:  s <- 0.9 s + 0.1 delay
//! slope          of the line through the last 20 points (arrival, s), by least squares
//! m              slope * 4 * min(groups so far, 60), to be compared with milliseconds
//! threshold      <- threshold + dt * k * (|m| - threshold),  k = K_u where |m| is above it, else K_d
//!                (per millisecond, of the edition; dt at most 100 ms, so that it stops where |m| is); not
//!                where |m| is more than 15 above it; from 6 to 600
//! over-use       m above the threshold for more than 10 ms and two groups, and the slope does not fall
//! under-use      m below the negative threshold
//! ```
//!
//! Source: draft-ietf-rmcat-gcc-02, section 5.4 (threshold, over-use); the line, its gain, the longest step
//! and the two groups are those of libwebrtc (trendline_estimator.cc), which has used them in place of the
//! draft's filter since 2016.

use super::Usage;
use super::edition::Constants;
use super::packet_groups::GroupChange;
use aqmlab_units::Time;
use std::collections::VecDeque;

const SMOOTHING: f64 = 0.9;
const LINE_GROUPS: usize = 20;
const GAIN: f64 = 4.0;
const MOST_GROUPS: u32 = 60;
const LONGEST_STEP_MS: f64 = 100.0;
const SPIKE_MS: f64 = 15.0;
const THRESHOLDS_MS: [f64; 2] = [6.0, 600.0];
const FIRST_THRESHOLD_MS: f64 = 12.5;
const OVER_USE_MS: f64 = 10.0;

/// A point of the line: milliseconds.
#[derive(Clone, Copy, Debug)]
struct Point {
    arrived_ms: f64,
    delay_ms: f64,
}

/// The detector of over-use.
#[derive(Clone, Debug)]
pub(super) struct DelayTrend {
    first_arrived: Option<Time>,
    delay_ms: f64,
    smoothed_ms: f64,
    points: VecDeque<Point>,
    groups: u32,
    slope: f64,
    threshold_ms: f64,
    adapts_up: f64,
    adapts_down: f64,
    adapted_ms: Option<f64>,
    /// For how long, and in how many groups, there has been more than the threshold.
    above_ms: Option<f64>,
    groups_above: u32,
    usage: Usage,
}

impl DelayTrend {
    pub(super) fn new(constants: &Constants) -> Self {
        Self {
            first_arrived: None,
            delay_ms: 0.0,
            smoothed_ms: 0.0,
            points: VecDeque::with_capacity(LINE_GROUPS + 1),
            groups: 0,
            slope: 0.0,
            threshold_ms: FIRST_THRESHOLD_MS,
            adapts_up: constants.adapts_up,
            adapts_down: constants.adapts_down,
            adapted_ms: None,
            above_ms: None,
            groups_above: 0,
            usage: Usage::Normal,
        }
    }

    pub(super) const fn usage(&self) -> Usage {
        self.usage
    }

    /// A group has arrived.
    pub(super) fn add(&mut self, change: &GroupChange) {
        let first = *self.first_arrived.get_or_insert(change.arrived);
        let arrived_ms = (change.arrived.seconds() - first.seconds()) * 1e3;
        self.groups = (self.groups + 1).min(MOST_GROUPS);
        self.delay_ms += change.delay_change_ms;
        self.smoothed_ms = SMOOTHING * self.smoothed_ms + (1.0 - SMOOTHING) * self.delay_ms;
        self.points.push_back(Point { arrived_ms, delay_ms: self.smoothed_ms });
        if self.points.len() > LINE_GROUPS {
            self.points.pop_front();
        }
        let is_whole = self.points.len() == LINE_GROUPS;
        let slope = is_whole.then(|| slope(&self.points)).flatten().unwrap_or(self.slope);
        if self.groups >= 2 {
            self.compare(slope, change.sent_after_ms, arrived_ms);
        }
        self.slope = slope;
    }

    fn compare(&mut self, slope: f64, sent_after_ms: f64, arrived_ms: f64) {
        let modified = f64::from(self.groups) * slope * GAIN;
        if modified > self.threshold_ms {
            // It is taken to have begun half-way from the group before.
            let above_ms = self.above_ms.map_or(sent_after_ms / 2.0, |so_far| so_far + sent_after_ms);
            self.above_ms = Some(above_ms);
            self.groups_above += 1;
            if above_ms > OVER_USE_MS && self.groups_above > 1 && slope >= self.slope {
                (self.above_ms, self.groups_above) = (Some(0.0), 0);
                self.usage = Usage::Over;
            }
        } else {
            (self.above_ms, self.groups_above) = (None, 0);
            self.usage = if modified < -self.threshold_ms { Usage::Under } else { Usage::Normal };
        }
        self.adapt(modified.abs(), arrived_ms);
    }

    fn adapt(&mut self, size_ms: f64, arrived_ms: f64) {
        let step_ms = (arrived_ms - self.adapted_ms.unwrap_or(arrived_ms)).min(LONGEST_STEP_MS);
        self.adapted_ms = Some(arrived_ms);
        if size_ms > self.threshold_ms + SPIKE_MS {
            return;
        }
        let gain = if size_ms < self.threshold_ms { self.adapts_down } else { self.adapts_up };
        let [least, greatest] = THRESHOLDS_MS;
        self.threshold_ms =
            (self.threshold_ms + gain * (size_ms - self.threshold_ms) * step_ms).clamp(least, greatest);
    }
}

/// Of the line of least squares through points; none if all stand above one another.
fn slope(points: &VecDeque<Point>) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / count;
    let [middle_x, middle_y] = [mean(&|point| point.arrived_ms), mean(&|point| point.delay_ms)];
    let [mut both, mut square] = [0.0; 2];
    for point in points {
        let x = point.arrived_ms - middle_x;
        both += x * (point.delay_ms - middle_y);
        square += x * x;
    }
    (square > 0.0).then(|| both / square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google_congestion_control::GccEdition;

    fn new(edition: GccEdition) -> DelayTrend {
        DelayTrend::new(&edition.constants())
    }

    /// Groups, one every 33 ms, whose delay changes by so much from one to the next.
    fn after(changes: impl IntoIterator<Item = f64>) -> DelayTrend {
        let mut trend = new(GccEdition::Libwebrtc);
        let mut arrived_ms = 100.0;
        for delay_change_ms in changes {
            arrived_ms += 33.0 + delay_change_ms;
            let arrived = Time::from_seconds(arrived_ms / 1e3);
            trend.add(&GroupChange { sent_after_ms: 33.0, delay_change_ms, arrived });
        }
        trend
    }

    #[test]
    fn the_slope_of_a_line_is_that_of_the_line() {
        let points =
            (0..20).map(|n| Point { arrived_ms: f64::from(n * n), delay_ms: 3.0 + 0.25 * f64::from(n * n) });
        assert!((slope(&points.collect()).unwrap_or(0.0) - 0.25).abs() < 1e-12);
        let upright = [Point { arrived_ms: 1.0, delay_ms: 2.0 }; 3];
        assert_eq!(slope(&upright.into_iter().collect()), None);
    }

    #[test]
    fn a_delay_that_grows_is_over_use_and_one_that_falls_under_use() {
        // 3 ms of 36 in each group: the slope becomes 1/12, and with 60 groups 4 * 60 / 12 = 20 ms.
        assert_eq!(after([3.0; 80]).usage(), Usage::Over);
        assert_eq!(after([-3.0; 80]).usage(), Usage::Under);
        assert_eq!(after([0.0; 80]).usage(), Usage::Normal);
    }

    #[test]
    fn the_smoothed_delay_of_a_ramp_has_the_slope_of_the_ramp() {
        let trend = after([3.0; 200]);
        assert!((trend.slope - 3.0 / 36.0).abs() < 1e-6, "{}", trend.slope);
    }

    #[test]
    fn the_threshold_follows_what_is_below_it_fast_and_what_is_above_slowly() {
        // Nothing changes: towards 0 at 0.039 of the way a millisecond, and no further than 6.
        assert_eq!(after([0.0; 40]).threshold_ms, 6.0);
        // From 10 ms: 20 ms for 10 ms, nothing for 1 ms, a spike. The gains of section 5.4 and libwebrtc's.
        for (edition, up, down) in
            [(GccEdition::Libwebrtc, 0.0087, 0.039), (GccEdition::Draft02, 0.01, 0.00018)]
        {
            let mut trend = DelayTrend { threshold_ms: 10.0, adapted_ms: Some(0.0), ..new(edition) };
            trend.adapt(20.0, 10.0);
            let above = 10.0 + up * 10.0 * 10.0;
            assert!((trend.threshold_ms - above).abs() < 1e-12);
            trend.adapt(0.0, 11.0);
            assert!((trend.threshold_ms - above * (1.0 - down)).abs() < 1e-12);
            let before = trend.threshold_ms;
            trend.adapt(before + 15.1, 12.0);
            assert_eq!(trend.threshold_ms, before, "a spike");
        }
    }

    #[test]
    fn the_threshold_of_the_draft_is_still_up_when_that_of_libwebrtc_is_down_again() {
        // Ten seconds of nothing in steps of 100 ms, from 60 ms. The draft's: 60 (1 - 0.018)^100 = 9.76.
        let after = |edition| {
            let mut trend = DelayTrend { threshold_ms: 60.0, adapted_ms: Some(0.0), ..new(edition) };
            (1..=100).for_each(|tenth| trend.adapt(0.0, 100.0 * f64::from(tenth)));
            trend.threshold_ms
        };
        assert_eq!(after(GccEdition::Libwebrtc), 6.0);
        assert!((after(GccEdition::Draft02) - 60.0 * libm::pow(0.982, 100.0)).abs() < 1e-9);
    }

    #[test]
    fn over_use_needs_a_slope_that_does_not_fall() {
        // Section 5.4: "if m(i) < m(i-1), over-use will not be signaled even if all the above conditions are
        // met". 60 groups and slopes of 0.10 and less: m = 240 slope = 24 ms and less, above 12.5.
        let slopes = |slopes: &[f64]| {
            let mut trend = DelayTrend { groups: 60, slope: 0.11, ..new(GccEdition::Libwebrtc) };
            for (&slope, number) in slopes.iter().zip(1..) {
                trend.compare(slope, 33.0, 33.0 * f64::from(number));
                trend.slope = slope;
            }
            trend.usage()
        };
        assert_eq!(slopes(&[0.10, 0.095, 0.09, 0.085]), Usage::Normal);
        assert_eq!(slopes(&[0.10, 0.095, 0.09, 0.09]), Usage::Over);
    }

    #[test]
    fn the_gain_stops_at_sixty_groups() {
        // 1/3 ms in 33 1/3: a slope of 0.01. With 60 groups m is 2.4 ms, with 200 it would be 8, above 6.
        assert_eq!(after([1.0 / 3.0; 300]).usage(), Usage::Normal);
        // 1 ms in 34: with 60 groups 7.06 ms, above 6, the least threshold.
        assert_eq!(after([0.0; 60].into_iter().chain([1.0; 60])).usage(), Usage::Over);
    }

    #[test]
    fn no_line_is_drawn_through_fewer_than_twenty_groups() {
        assert_eq!(after([10.0; 19]).usage(), Usage::Normal);
        assert_eq!(after([10.0; 22]).usage(), Usage::Over);
    }
}
