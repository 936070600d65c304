//! Numbers with the unit in their key become quantities. Their ranges were checked with the shape.

use aqmlab_units::{Rate, Span};

/// Rounded to the nearest nanosecond.
pub(super) fn seconds(number: f64) -> Span {
    Span::from_seconds(number)
}

/// Rounded to the nearest nanosecond, in one rounding: 0.1 ms is 100,000 ns.
pub(super) fn milliseconds(number: f64) -> Span {
    Span::from_nanoseconds((number * 1e6).round() as u64)
}

/// Rounded to the nearest bit per second.
pub(super) fn megabits_per_second(number: f64) -> Rate {
    Rate::from_megabits_per_second(number)
}
