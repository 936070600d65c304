//! The rate that the delay allows (draft-ietf-rmcat-gcc-02, section 5.5).
//!
//! ```text
//! over-use     A <- 0.85 R, what arrives, if that is less, no sooner after the last time than the edition
//! says;
//!              then hold
//! under-use    hold: a queue empties
//! normal       after a hold increase:
//!                far from the capacity   A <- A * 1.08^dt                 (dt in seconds, at most 1)
//!                near it                 A <- A + dt * half a packet in (100 ms + round trip)
//!              the least of that, and the bound above 1.5 R, are of the edition
//! capacity     mean of R at over-use (weight 0.05), known while R is within three standard deviations of it
//! ```
//!
//! The bounds of the deviation are libwebrtc's (link_capacity_estimator.cc), where the draft leaves them
//! open; the rest is common to both, but for what `edition.rs` has. A packet is what a frame of 1/30 s fills
//! evenly, of at most 1,200 bytes.

use super::edition::Constants;
use super::{RateLimits, Usage};
use aqmlab_units::{Span, Time};

const AFTER_OVER_USE: f64 = 0.85;
const GROWTH_PER_SECOND: f64 = 1.08;
const RESPONSE: Span = Span::from_milliseconds(100);
const FRAMES_PER_SECOND: f64 = 30.0;
const LONGEST_PACKET_BITS: f64 = 1200.0 * 8.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
}

/// What a path has carried at moments of over-use, in kilobits per second.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    mean_kbps: f64,
    /// Variance over the mean.
    relative_variance: f64,
}

impl Capacity {
    const WEIGHT: f64 = 0.05;
    const RELATIVE_VARIANCES: [f64; 2] = [0.4, 2.5];

    /// As one measurement says.
    const fn first(rate_bps: f64) -> Self {
        Self { mean_kbps: rate_bps / 1e3, relative_variance: Self::RELATIVE_VARIANCES[0] }
    }

    fn and(self, rate_bps: f64) -> Self {
        let kbps = rate_bps / 1e3;
        let mean_kbps = (1.0 - Self::WEIGHT) * self.mean_kbps + Self::WEIGHT * kbps;
        let off = mean_kbps - kbps;
        let variance =
            (1.0 - Self::WEIGHT) * self.relative_variance + Self::WEIGHT * off * off / mean_kbps.max(1.0);
        let [least, greatest] = Self::RELATIVE_VARIANCES;
        Self { mean_kbps, relative_variance: variance.clamp(least, greatest) }
    }

    /// Whether a rate lies within three standard deviations of the mean.
    fn agrees_with(&self, rate_bps: f64) -> bool {
        let deviation_kbps = (self.relative_variance * self.mean_kbps).sqrt();
        (rate_bps / 1e3 - self.mean_kbps).abs() <= 3.0 * deviation_kbps
    }
}

/// The part of the controller that goes by delay.
#[derive(Clone, Debug)]
pub(super) struct RateControl {
    limits: RateLimits,
    constants: Constants,
    rate_bps: f64,
    state: State,
    capacity: Option<Capacity>,
    changed: Option<Time>,
}

impl RateControl {
    pub(super) const fn new(start_bps: f64, limits: RateLimits, constants: Constants) -> Self {
        Self { limits, constants, rate_bps: start_bps, state: State::Hold, capacity: None, changed: None }
    }

    pub(super) const fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// A report has come: how the path is used, what arrives of late (none: not known yet), and the time from
    /// sending a packet to hearing of it.
    pub(super) fn update(&mut self, now: Time, usage: Usage, received_bps: Option<f64>, round_trip: Span) {
        let received_bps = received_bps.unwrap_or(self.rate_bps);
        match (usage, self.state) {
            (Usage::Over, _) => self.decrease(now, received_bps, round_trip),
            (Usage::Under, _) => self.state = State::Hold,
            (Usage::Normal, State::Hold) => (self.state, self.changed) = (State::Increase, Some(now)),
            (Usage::Normal, State::Increase) => self.increase(now, received_bps, round_trip),
        }
    }

    fn decrease(&mut self, now: Time, received_bps: f64, round_trip: Span) {
        let [soonest, latest] = self.constants.lowered_again_s;
        let pause = Span::from_seconds(round_trip.seconds().clamp(soonest, latest));
        if self.changed.is_some_and(|changed| now < changed + pause) && received_bps >= self.rate_bps / 2.0 {
            return;
        }
        let mut lower_bps = AFTER_OVER_USE * received_bps;
        if let Some(capacity) = &self.capacity
            && lower_bps > self.rate_bps
        {
            lower_bps = AFTER_OVER_USE * capacity.mean_kbps * 1e3;
        }
        self.rate_bps = self.limits.clamp(self.rate_bps.min(lower_bps));
        let known = self.capacity.filter(|capacity| {
            received_bps / 1e3 >= capacity.mean_kbps || capacity.agrees_with(received_bps)
        });
        self.capacity = Some(known.map_or(Capacity::first(received_bps), |known| known.and(received_bps)));
        (self.state, self.changed) = (State::Hold, Some(now));
    }

    fn increase(&mut self, now: Time, received_bps: f64, round_trip: Span) {
        let more_arrives = |capacity: &Capacity| {
            received_bps / 1e3 > capacity.mean_kbps && !capacity.agrees_with(received_bps)
        };
        self.capacity = self.capacity.filter(|capacity| !more_arrives(capacity));
        let passed_s = self.changed.map_or(0.0, |changed| (now - changed).seconds());
        let more_bps = if self.capacity.is_some() {
            self.growth_near_capacity(passed_s, round_trip)
        } else {
            self.rate_bps * (libm::pow(GROWTH_PER_SECOND, passed_s.min(1.0)) - 1.0)
        };
        let most_bps = 1.5 * received_bps + self.constants.beyond_received_bps;
        self.rate_bps = self.limits.clamp((self.rate_bps + more_bps).min(most_bps.max(self.rate_bps)));
        self.changed = Some(now);
    }

    /// Bits per second by which the rate grows in some seconds.
    fn growth_near_capacity(&self, passed_s: f64, round_trip: Span) -> f64 {
        let Constants { least_growth_bps, least_step_bps, most_responses, .. } = self.constants;
        let frame_bits = self.rate_bps / FRAMES_PER_SECOND;
        let packet_bits = frame_bits / (frame_bits / LONGEST_PACKET_BITS).ceil();
        let response_s = (RESPONSE + round_trip).seconds();
        let each_second_bps = (packet_bits / (2.0 * response_s)).max(least_growth_bps);
        (passed_s.min(most_responses * response_s) * each_second_bps).max(least_step_bps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google_congestion_control::GccEdition;

    const LIMITS: RateLimits = RateLimits { least_bps: 1e5, greatest_bps: 1e7 };
    const ROUND_TRIP: Span = Span::from_milliseconds(50);

    fn new(start_bps: f64) -> RateControl {
        RateControl::new(start_bps, LIMITS, GccEdition::Libwebrtc.constants())
    }

    fn of_the_draft(start_bps: f64) -> RateControl {
        RateControl::new(start_bps, LIMITS, GccEdition::Draft02.constants())
    }

    fn at(seconds: f64) -> Time {
        Time::from_seconds(seconds)
    }

    #[test]
    fn over_use_leaves_85_percent_of_what_arrives_and_then_holds() {
        let mut control = new(2e6);
        control.update(at(1.0), Usage::Over, Some(1e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 0.85e6);
        control.update(at(1.01), Usage::Over, Some(0.5e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 0.85e6, "within a round trip");
        control.update(at(1.02), Usage::Over, Some(0.4e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 0.34e6, "less than half arrives");
        control.update(at(1.1), Usage::Under, Some(0.4e6), ROUND_TRIP);
        control.update(at(2.1), Usage::Normal, Some(0.4e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 0.34e6, "the hold ends");
    }

    #[test]
    fn far_from_the_capacity_it_grows_by_8_percent_a_second() {
        let mut control = new(1e6);
        control.update(at(0.0), Usage::Normal, Some(1e6), ROUND_TRIP);
        for tenth in 1..=10 {
            control.update(at(f64::from(tenth) / 10.0), Usage::Normal, Some(1e6), ROUND_TRIP);
        }
        assert!((control.rate_bps() / 1.08e6 - 1.0).abs() < 1e-9, "{}", control.rate_bps());
        control.update(at(9.0), Usage::Normal, Some(1e6), ROUND_TRIP);
        assert!(
            (control.rate_bps() / 1.1664e6 - 1.0).abs() < 1e-9,
            "a second at most: {}",
            control.rate_bps()
        );
    }

    #[test]
    fn near_the_capacity_it_grows_by_half_a_packet_a_response_time_and_second() {
        let mut control = new(2e6);
        control.update(at(0.0), Usage::Over, Some(1e6), ROUND_TRIP);
        control.update(at(0.3), Usage::Normal, Some(0.9e6), ROUND_TRIP);
        control.update(at(0.5), Usage::Normal, Some(0.9e6), ROUND_TRIP);
        // 850 kbit/s are 28,333 bits a frame: three packets of 9,444. Half of one in 150 ms: 31,481 a second.
        let expected = 0.85e6 + 0.2 * (0.85e6 / 30.0 / 3.0) / 0.3;
        assert!((control.rate_bps() - expected).abs() < 1e-3, "{} {expected}", control.rate_bps());
    }

    #[test]
    fn what_arrives_beyond_the_known_capacity_ends_the_caution() {
        let mut control = new(2e6);
        control.update(at(0.0), Usage::Over, Some(1e6), ROUND_TRIP);
        assert!(control.capacity.is_some());
        // Three deviations of 1000 kbit/s: 3 * sqrt(0.4 * 1000) = 60.
        control.update(at(0.3), Usage::Normal, Some(1.05e6), ROUND_TRIP);
        control.update(at(0.4), Usage::Normal, Some(1.05e6), ROUND_TRIP);
        assert!(control.capacity.is_some());
        control.update(at(0.5), Usage::Normal, Some(1.07e6), ROUND_TRIP);
        assert!(control.capacity.is_none());
    }

    #[test]
    fn it_never_grows_beyond_what_arrives_by_more_than_a_half() {
        let mut control = new(1e6);
        control.update(at(0.0), Usage::Normal, Some(0.6e6), ROUND_TRIP);
        control.update(at(1.0), Usage::Normal, Some(0.6e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 1e6, "and is not lowered by that");
        control.update(at(2.0), Usage::Normal, Some(0.7e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 1.06e6);
    }

    #[test]
    fn the_bound_of_the_draft_is_one_and_a_half_of_what_arrives() {
        let mut control = of_the_draft(1e6);
        control.update(at(0.0), Usage::Normal, Some(0.7e6), ROUND_TRIP);
        control.update(at(1.0), Usage::Normal, Some(0.7e6), ROUND_TRIP);
        assert_eq!(control.rate_bps(), 1.05e6);
    }

    #[test]
    fn under_use_holds_the_rate_until_the_next_normal_report_begins_growth_anew() {
        let mut control = new(1e6);
        let mut after = |tenths: f64, usage| {
            control.update(at(tenths / 10.0), usage, Some(1e6), ROUND_TRIP);
            control.rate_bps()
        };
        after(0.0, Usage::Normal);
        let grown_bps = after(1.0, Usage::Normal);
        assert!(grown_bps > 1e6);
        assert_eq!([after(2.0, Usage::Under), after(3.0, Usage::Under)], [grown_bps; 2]);
        assert_eq!(after(4.0, Usage::Normal), grown_bps, "the hold ends");
        assert!(after(5.0, Usage::Normal) > grown_bps);
    }

    #[test]
    fn decreases_are_a_round_trip_apart_in_libwebrtc_of_10_to_200_ms() {
        // The seconds until a second over-use lowers the rate again, at 60 % of what arrived first.
        let again = |mut control: RateControl, round_trip_ms| {
            let round_trip = Span::from_milliseconds(round_trip_ms);
            control.update(at(1.0), Usage::Over, Some(1e6), round_trip);
            assert_eq!(control.rate_bps(), 0.85e6);
            (1..2000).find(|&ms| {
                control.update(at(1.0 + f64::from(ms) / 1e3), Usage::Over, Some(0.6e6), round_trip);
                control.rate_bps() == 0.51e6
            })
        };
        assert_eq!([1, 10, 50, 200, 1000].map(|ms| again(new(2e6), ms)), [10, 10, 50, 200, 200].map(Some));
        // The draft decreases with each report of over-use.
        assert_eq!(again(of_the_draft(2e6), 1000), Some(1));
    }

    #[test]
    fn the_capacity_is_begun_anew_by_less_and_averaged_with_more() {
        // libwebrtc forgets it where over-use finds less than three deviations below it; more is averaged,
        // with a weight of 0.05 (section 5.5: a smoothing factor of 0.95).
        let mean_kbps = |second_bps| {
            let mut control = new(2e6);
            control.update(at(0.0), Usage::Over, Some(1e6), ROUND_TRIP);
            control.update(at(1.0), Usage::Over, Some(second_bps), ROUND_TRIP);
            control.capacity.map_or(0.0, |capacity| (capacity.mean_kbps * 1e3).round() / 1e3)
        };
        // Three deviations: 3 sqrt(0.4 * 1000) = 60 kbit/s.
        assert_eq!([0.93e6, 0.95e6, 1.05e6, 1.2e6].map(mean_kbps), [930.0, 997.5, 1002.5, 1010.0]);
    }

    #[test]
    fn growth_near_the_capacity_is_that_of_libwebrtcs_unit_tests() {
        // aimd_rate_control_unittest.cc: 30 kbit/s and any round trip 4 kbit/s a second; 90 kbit/s and 200
        // ms, and 60 kbit/s and 100 ms, 5 kbit/s.
        let growth = |kbps: f64, round_trip_ms| {
            let control = new(kbps * 1e3);
            control.growth_near_capacity(1.0, Span::from_milliseconds(round_trip_ms)).round()
        };
        assert_eq!([growth(30.0, 200), growth(90.0, 200), growth(60.0, 100)], [4000.0, 5000.0, 5000.0]);
    }

    #[test]
    fn growth_near_the_capacity_is_half_a_packet_a_response_in_the_draft_and_a_kilobit_a_report_at_least() {
        // Section 5.5 at 900 kbit/s: 30,000 bits a frame in 4 packets of 7,500; response times of 150 ms.
        let growth =
            |passed_s, kbps: f64| of_the_draft(kbps * 1e3).growth_near_capacity(passed_s, ROUND_TRIP).round();
        assert_eq!([growth(0.15, 900.0), growth(9.0, 900.0)], [3750.0; 2], "one response time at most");
        assert_eq!([growth(0.06, 900.0), growth(0.01, 900.0)], [1500.0, 1000.0]);
    }
}
