//! What a congestion controller from outside may answer.

use aqmlab_units::Rate;
use std::fmt;

/// Segments, in effect unlimited.
const MOST_SEGMENTS: f64 = 1e9;
const MOST_BPS: f64 = 1e15;

/// Numbers of segments that are legal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegalSegments {
    least: f64,
    most: f64,
}

impl LegalSegments {
    /// Of a window or a quantum.
    pub const WINDOW: Self = Self { least: 1.0, most: MOST_SEGMENTS };
    /// Of the window up to which slow start lasts, which may be infinite.
    pub const THRESHOLD: Self = Self { least: 2.0, most: f64::INFINITY };

    /// The whole segments of a number, if it is legal. More than any window is the greatest value.
    #[must_use]
    pub fn whole(self, number: f64) -> Option<u32> {
        // A comparison with what is no number is false.
        let is_legal = number >= self.least && number <= self.most;
        is_legal.then_some(if number > MOST_SEGMENTS { u32::MAX } else { number as u32 })
    }
}

impl fmt::Display for LegalSegments {
    /// In words for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most } = self;
        if most.is_finite() {
            write!(f, "a number of segments, {least} to {most:e}")
        } else {
            write!(f, "a number of segments, {least} or more")
        }
    }
}

/// What a pace may be, in words for messages.
pub const LEGAL_PACE: &str = "1 to 1e15 bit/s";

/// The rate of a pace in bit/s, if it is legal.
#[must_use]
pub fn pace_of(bps: f64) -> Option<Rate> {
    (1.0..=MOST_BPS).contains(&bps).then(|| Rate::from_bits_per_second(bps as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_segments_of_a_legal_number_count() {
        let (window, threshold) = (LegalSegments::WINDOW, LegalSegments::THRESHOLD);
        assert_eq!(
            [1.0, 2.9, 1e9].map(|number| window.whole(number)),
            [Some(1), Some(2), Some(1_000_000_000)]
        );
        for illegal in [0.99, -1.0, 1.1e9, f64::INFINITY, f64::NAN] {
            assert_eq!(window.whole(illegal), None, "{illegal}");
        }
        assert_eq!([2.0, f64::INFINITY].map(|number| threshold.whole(number)), [Some(2), Some(u32::MAX)]);
        assert_eq!([1.9, f64::NAN].map(|number| threshold.whole(number)), [None, None]);
        assert_eq!(pace_of(2.5), Some(Rate::from_bits_per_second(2)));
        assert_eq!([0.0, 0.9, 2e15, f64::NAN, f64::INFINITY].map(pace_of), [None; 5]);
    }
}
