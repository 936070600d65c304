//! A number between zero and one.

use std::fmt;

/// A probability: a finite `f64` in `[0, 1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

/// The value offered as a probability lies outside `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange(pub f64);

impl Probability {
    /// Never.
    pub const ZERO: Self = Self(0.0);
    /// Always.
    pub const ONE: Self = Self(1.0);

    /// A probability from a number.
    ///
    /// # Errors
    /// [`OutOfRange`] when `value` is not in `[0, 1]` (or not a number).
    pub fn new(value: f64) -> Result<Self, OutOfRange> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(OutOfRange(value)) }
    }

    /// The nearest probability to `value`: below zero is zero, above one is one.
    ///
    /// # Panics
    /// If `value` is not a number.
    #[must_use]
    #[inline]
    pub fn clamped(value: f64) -> Self {
        assert!(!value.is_nan(), "not a probability: NaN");
        Self(value.clamp(0.0, 1.0))
    }

    /// As a bare number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a probability: legal values are 0 to 1", self.0)
    }
}

impl std::error::Error for OutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_unit_interval_is_legal() {
        assert!(Probability::new(0.0).is_ok() && Probability::new(1.0).is_ok());
        for wrong in [-1e-12, 1.0 + 1e-12, f64::NAN, f64::INFINITY] {
            assert!(Probability::new(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Probability::clamped(1.7), Probability::ONE);
        assert_eq!(Probability::clamped(-0.1), Probability::ZERO);
    }
}
