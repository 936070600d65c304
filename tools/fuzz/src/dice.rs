//! Random choices.

use aqmlab_random::{Key, Stream};

/// A source of choices, the same for the same key.
pub(crate) struct Dice {
    stream: Stream,
    /// How often a number is an extreme one, 0 to 1.
    pub(crate) wildness: f64,
}

impl Dice {
    pub(crate) fn new(key: Key) -> Self {
        let mut dice = Self { stream: key.stream(), wildness: 0.0 };
        // Networks of ordinary values carry traffic, those of extremes alone mostly stand still: all kinds
        // are wanted.
        dice.wildness = *dice.choose(&[0.0, 0.02, 0.1, 0.4]);
        dice
    }

    /// The numbers behind all choices.
    pub(crate) fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        self.stream.uniform()
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Whether an extreme is due.
    pub(crate) fn is_wild(&mut self) -> bool {
        let wildness = self.wildness;
        self.chance(wildness)
    }

    /// A whole number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.stream.below(most - least + 1)
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.stream.below(from.len() as u64) as usize]
    }

    /// Logarithmically uniform between two positive numbers.
    pub(crate) fn logarithmic(&mut self, least: f64, most: f64) -> f64 {
        let exponent = libm::log(least) + self.uniform() * (libm::log(most) - libm::log(least));
        libm::exp(exponent).clamp(least, most)
    }

    /// A count that is mostly small: logarithmically uniform.
    pub(crate) fn count(&mut self, least: u64, most: u64) -> u64 {
        let drawn = self.logarithmic(least as f64 + 1.0, most as f64 + 2.0) as u64;
        drawn.clamp(least + 1, most + 1) - 1
    }
}
