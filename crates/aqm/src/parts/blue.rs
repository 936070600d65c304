//! Blue's probability, which rises with losses and falls with idleness, at most once in a time.
//!
//! Source: Feng, Kandlur, Saha, Shin, *Blue: A New Class of Active Queue Management Algorithms*, University
//! of Michigan CSE-TR-387-99, 1999, figure 3.

use aqmlab_units::{Span, Time};

/// The steps, and how long each holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlueSettings {
    /// What a loss adds.
    pub increment: f64,
    /// What idleness takes away.
    pub decrement: f64,
    /// Time from one step to the next at least.
    pub freeze: Span,
}

/// The probability, and when it last moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlueProbability {
    value: f64,
    moved: Option<Time>,
}

impl BlueProbability {
    /// The probability now.
    #[must_use]
    #[inline]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// A packet was lost, or the queue is too long.
    pub fn rise(&mut self, now: Time, settings: &BlueSettings) {
        self.step(now, settings.increment, settings.freeze);
    }

    /// The link is idle, or the queue is empty.
    pub fn fall(&mut self, now: Time, settings: &BlueSettings) {
        self.step(now, -settings.decrement, settings.freeze);
    }

    fn step(&mut self, now: Time, step: f64, freeze: Span) {
        if self.moved.is_some_and(|moved| now.since(moved) < freeze) {
            return;
        }
        self.value = (self.value + step).clamp(0.0, 1.0);
        self.moved = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of ns-1's Blue: 0.0025 up, 0.00025 down, 100 ms apart.
    const SETTINGS: BlueSettings =
        BlueSettings { increment: 0.0025, decrement: 0.00025, freeze: Span::from_milliseconds(100) };

    #[test]
    fn to_a_tenth_it_takes_four_seconds_of_losses_and_back_forty_of_idleness() {
        // 0.1/0.0025 = 40 steps of 100 ms; 0.1/0.00025 = 400. An event each millisecond asks for more.
        let mut probability = BlueProbability::default();
        let at = |ms: u64| Time::ZERO + Span::from_milliseconds(ms);
        (0..4_000).for_each(|ms| probability.rise(at(ms), &SETTINGS));
        assert!((probability.value() - 0.1).abs() < 1e-12, "{}", probability.value());
        (4_000..43_900).for_each(|ms| probability.fall(at(ms), &SETTINGS));
        assert!((probability.value() - 0.000_25).abs() < 1e-12, "{}", probability.value());
        probability.fall(at(43_900), &SETTINGS);
        assert!(probability.value() < 1e-12);
    }

    #[test]
    fn it_stays_a_probability() {
        let settings = BlueSettings { increment: 0.7, decrement: 0.9, ..SETTINGS };
        let mut probability = BlueProbability::default();
        let at = |ms: u64| Time::ZERO + Span::from_milliseconds(ms);
        probability.fall(at(0), &settings);
        assert_eq!(probability.value(), 0.0);
        probability.rise(at(99), &settings);
        assert_eq!(probability.value(), 0.0, "frozen");
        (1..3).for_each(|step| probability.rise(at(100 * step), &settings));
        assert_eq!(probability.value(), 1.0);
    }
}
