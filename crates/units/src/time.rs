//! Instants and spans of time in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// An instant: nanoseconds since the start of the run. Range 0 to 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time in nanoseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The last representable instant: "never".
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `nanoseconds` after the start.
    #[must_use]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// The instant `seconds` after the start, rounded to the nearest nanosecond.
    ///
    /// # Panics
    /// If `seconds` is negative or not finite.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        Self(Span::from_seconds(seconds).0)
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }

    /// Seconds since the start, as a real number.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND as f64
    }

    /// The span since `earlier`.
    ///
    /// # Panics
    /// If `earlier` lies after `self`.
    #[must_use]
    #[inline]
    pub fn since(self, earlier: Self) -> Span {
        assert!(self.0 >= earlier.0, "time ran backwards: {earlier} is after {self}");
        Span(self.0 - earlier.0)
    }

    /// The span since `earlier`, or none when `earlier` lies after `self`.
    #[must_use]
    pub const fn checked_since(self, earlier: Self) -> Option<Span> {
        match self.0.checked_sub(earlier.0) {
            Some(nanoseconds) => Some(Span(nanoseconds)),
            None => None,
        }
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest representable span.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `nanoseconds`.
    #[must_use]
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// A span of `microseconds`.
    #[must_use]
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds * 1_000)
    }

    /// A span of `milliseconds`.
    #[must_use]
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds * 1_000_000)
    }

    /// A span of `seconds`, rounded to the nearest nanosecond.
    ///
    /// # Panics
    /// If `seconds` is negative, not finite, or longer than 584 years.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        let nanoseconds = (seconds * NANOSECONDS_PER_SECOND as f64).round();
        assert!((0.0..1.8e19).contains(&nanoseconds), "not a span of time: {seconds} s");
        Self(nanoseconds as u64)
    }

    /// Length in nanoseconds.
    #[must_use]
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }

    /// Length in seconds, as a real number.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND as f64
    }

    /// How many whole `unit`s fit: rounded down.
    ///
    /// # Panics
    /// If `unit` is zero.
    #[must_use]
    pub const fn div_floor(self, unit: Self) -> u64 {
        self.0 / unit.0
    }

    /// `self - other`, or zero when `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        assert!(self.0 >= other.0, "a span cannot be negative: {self} - {other}");
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / NANOSECONDS_PER_SECOND, self.0 % NANOSECONDS_PER_SECOND)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Time(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_plus_a_span_is_a_later_instant() {
        let start = Time::from_seconds(1.5);
        assert_eq!(start + Span::from_milliseconds(250), Time::from_nanoseconds(1_750_000_000));
        assert_eq!((start + Span::from_microseconds(7)) - start, Span::from_nanoseconds(7_000));
    }

    #[test]
    #[should_panic(expected = "time ran backwards: 2.000000000 s is after 1.000000000 s")]
    fn a_negative_difference_is_a_bug_with_both_values() {
        let _ = Time::from_seconds(1.0) - Time::from_seconds(2.0);
    }

    #[test]
    fn division_rounds_down() {
        assert_eq!(Span::from_milliseconds(999).div_floor(Span::from_milliseconds(500)), 1);
    }
}
