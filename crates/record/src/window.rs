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

/// How many of a row of things are settled, each once and for good.
///
/// Asking again and again costs no more than asking once of each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settled(usize);

impl Settled {
    /// Whether all of this many things are, by what is said of each by its place.
    pub fn are_all(&mut self, count: usize, is_settled: impl Fn(usize) -> bool) -> bool {
        while self.0 < count && is_settled(self.0) {
            self.0 += 1;
        }
        self.0 == count
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

    #[test]
    fn what_is_settled_once_is_asked_no_more() {
        let mut settled = Settled::default();
        assert!(!settled.are_all(3, |place| place == 0));
        assert!(!settled.are_all(3, |place| place == 1), "the first is settled for good");
        assert!(settled.are_all(3, |place| place == 2) && settled.are_all(3, |_| false));
        assert!(Settled::default().are_all(0, |_| false));
    }
}
