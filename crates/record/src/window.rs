//! The part of a run that counts.

use aqmlab_units::{Span, Time};

/// The measured window of a run, `[from, until)`: what happens outside of it is simulated, and not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredWindow {
    /// Its first instant.
    pub from: Time,
    /// The first instant behind it.
    pub until: Time,
}

impl MeasuredWindow {
    /// Whether an instant lies in it.
    #[must_use]
    #[inline]
    pub fn contains(&self, instant: Time) -> bool {
        self.from <= instant && instant < self.until
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Span {
        self.until - self.from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_has_its_beginning_and_not_its_end() {
        let at = |ms| Time::ZERO + Span::from_milliseconds(ms);
        let window = MeasuredWindow { from: at(10), until: at(20) };
        assert_eq!([9, 10, 19, 20].map(|ms| window.contains(at(ms))), [false, true, true, false]);
        assert_eq!(window.length(), Span::from_milliseconds(10));
    }
}
