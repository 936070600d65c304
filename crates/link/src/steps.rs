//! Values that hold from an instant to the next, over and over or for good.

use aqmlab_units::{Span, Time};
use std::sync::Arc;

/// Values by the instants from which they hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T> {
    /// From the beginning of a round, the first at zero, ascending.
    from: Arc<[Span]>,
    values: Arc<[T]>,
    round: Span,
    repeats: bool,
}

impl<T: Copy> Steps<T> {
    /// These values from these instants on. A round ends later than the last instant; behind it the steps
    /// begin again if they repeat, or the last value holds.
    ///
    /// # Panics
    /// If the instants do not begin at zero and ascend to below `round`, or are not as many as the values.
    #[must_use]
    pub fn new(from: Arc<[Span]>, values: Arc<[T]>, round: Span, repeats: bool) -> Self {
        let ascend = from.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(from.first() == Some(&Span::ZERO) && ascend && from.last() < Some(&round));
        assert_eq!(from.len(), values.len());
        Self { from, values, round, repeats }
    }

    /// The same instants with other values.
    #[must_use]
    pub fn map<U: Copy>(&self, value: impl Fn(T) -> U) -> Steps<U> {
        let values = self.values.iter().map(|own| value(*own)).collect();
        Steps { from: self.from.clone(), values, round: self.round, repeats: self.repeats }
    }

    /// The values, in order.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Whether they begin again behind the last.
    #[must_use]
    pub const fn repeats(&self) -> bool {
        self.repeats
    }

    /// The mean over one round of a number that each value has.
    #[must_use]
    pub fn mean(&self, number: impl Fn(T) -> f64) -> f64 {
        let ends = self.from.iter().skip(1).chain([&self.round]);
        let parts = self.from.iter().zip(ends).zip(self.values.iter());
        let sum: f64 = parts.map(|((from, end), value)| number(*value) * (*end - *from).seconds()).sum();
        sum / self.round.seconds()
    }
}

/// Steps on their way, asked at one instant after the other.
#[derive(Clone, Debug)]
pub struct StepClock<T> {
    steps: Steps<T>,
    round_began: Time,
    place: usize,
    ends: Time,
}

impl<T: Copy> StepClock<T> {
    /// Steps at their beginning, which is [`Time::ZERO`].
    #[must_use]
    pub fn new(steps: Steps<T>) -> Self {
        let mut clock = Self { steps, round_began: Time::ZERO, place: 0, ends: Time::ZERO };
        clock.ends = clock.end_of_step();
        clock
    }

    fn end_of_step(&self) -> Time {
        match self.steps.from.get(self.place + 1) {
            Some(&next) => self.round_began + next,
            None if self.steps.repeats => self.round_began + self.steps.round,
            None => Time::MAX,
        }
    }

    /// The present value.
    pub(crate) fn value(&self) -> T {
        self.steps.values[self.place]
    }

    /// When the next one holds.
    pub(crate) const fn ends(&self) -> Time {
        self.ends
    }

    /// Passes on to the next value.
    pub(crate) fn pass(&mut self) {
        self.place += 1;
        if self.place == self.steps.values.len() {
            self.place = 0;
            self.round_began += self.steps.round;
        }
        self.ends = self.end_of_step();
    }

    /// The value at an instant, never before one asked about earlier.
    pub fn at(&mut self, now: Time) -> T {
        while self.ends <= now && self.ends < Time::MAX {
            self.pass();
        }
        self.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(repeats: bool) -> Steps<u32> {
        let from = [0, 10, 25].map(Span::from_milliseconds);
        Steps::new(from.into(), [1, 2, 3].into(), Span::from_milliseconds(40), repeats)
    }

    fn at(repeats: bool, instants_ms: &[u64]) -> Vec<u32> {
        let mut clock = StepClock::new(steps(repeats));
        instants_ms.iter().map(|ms| clock.at(Time::ZERO + Span::from_milliseconds(*ms))).collect()
    }

    #[test]
    fn a_value_holds_from_its_instant_to_the_next() {
        let instants = [0, 9, 10, 24, 25, 39, 40, 49, 50, 85];
        assert_eq!(at(true, &instants), [1, 1, 2, 2, 3, 3, 1, 1, 2, 1]);
        assert_eq!(at(false, &instants), [1, 1, 2, 2, 3, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn the_mean_counts_each_value_for_its_time() {
        // 10 ms of 1, 15 ms of 2 and 15 ms of 3.
        assert!((steps(true).mean(f64::from) - 85.0 / 40.0).abs() < 1e-12);
    }
}
