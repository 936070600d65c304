//! Keys, and streams of uniform numbers at a key.
//!
//! The mixing function is the 64-bit finaliser with the constants of David Stafford's "variant 13"
//! (*Better Bit Mixing*, 2011), as used by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). A draw applies it
//! twice: once to the counter under the key, once to the result under the other half of the key, so that
//! neighbouring keys and neighbouring counters share no structure.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The address of a stream. Cheap to copy, cheap to derive from.
///
/// ```
/// use aqmlab_random::Key;
/// let user = Key::from_seed(1).named("user").indexed(17);
/// assert_eq!(user.named("think").uniform(4), user.named("think").uniform(4));
/// assert_ne!(user.named("think").uniform(4), user.named("size").uniform(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// The root of all streams of a run.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self(mix(seed ^ 0x6a09_e667_f3bc_c908))
    }

    /// The key below this one for a purpose, named in words. Two names give the same key only if they are
    /// the same string (up to a collision of a 64-bit hash).
    #[must_use]
    pub const fn named(self, purpose: &str) -> Self {
        let bytes = purpose.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a: Fowler, Noll, Vo
        let mut position = 0;
        while position < bytes.len() {
            hash = (hash ^ bytes[position] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            position += 1;
        }
        Self(mix(self.0 ^ mix(hash)))
    }

    /// The key below this one with this number.
    #[must_use]
    #[inline]
    pub const fn indexed(self, index: u64) -> Self {
        Self(mix(self.0.rotate_left(23) ^ mix(index.wrapping_add(GOLDEN))))
    }

    /// Draw number `n`: 64 uniform bits.
    #[must_use]
    #[inline]
    pub const fn bits(self, n: u64) -> u64 {
        mix(mix(n.wrapping_mul(GOLDEN).wrapping_add(self.0)) ^ self.0.rotate_left(32))
    }

    /// Draw number `n`: uniform in `[0, 1)`, a multiple of 2⁻⁵³.
    #[must_use]
    #[inline]
    pub fn uniform(self, n: u64) -> f64 {
        (self.bits(n) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Draw number `n`: a whole number uniform in `[0, below)`.
    ///
    /// The bias of the multiply-and-shift is below `below / 2⁶⁴`.
    ///
    /// # Panics
    /// If `below` is zero.
    #[must_use]
    #[inline]
    pub fn below(self, n: u64, below: u64) -> u64 {
        assert!(below > 0, "no whole number is below zero");
        ((u128::from(self.bits(n)) * u128::from(below)) >> 64) as u64
    }

    /// The sequential draws at this key, from number 0 on.
    #[must_use]
    pub const fn stream(self) -> Stream {
        Stream { key: self, next: 0 }
    }
}

/// Sequential draws at one key: for consumers that toss a coin per packet.
#[derive(Clone, Debug)]
pub struct Stream {
    key: Key,
    next: u64,
}

impl Stream {
    /// The next uniform number in `[0, 1)`.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        let n = self.next;
        self.next += 1;
        self.key.uniform(n)
    }

    /// The next whole number uniform in `[0, below)`.
    ///
    /// # Panics
    /// If `below` is zero.
    #[inline]
    pub fn below(&mut self, below: u64) -> u64 {
        let n = self.next;
        self.next += 1;
        self.key.below(n, below)
    }

    /// How many numbers were drawn so far.
    #[must_use]
    #[inline]
    pub const fn drawn(&self) -> u64 {
        self.next
    }

    /// The key as a number: what others need who draw from this stream by its published law
    /// (`docs/how-to/own-scheme.md`).
    #[must_use]
    #[inline]
    pub const fn key_number(&self) -> u64 {
        self.key.0
    }

    /// Passes over numbers that were drawn elsewhere, so that `drawn` have been drawn in all.
    ///
    /// # Panics
    /// If more were drawn already: a stream does not run backwards.
    #[inline]
    pub fn pass_to(&mut self, drawn: u64) {
        assert!(drawn >= self.next, "a stream does not run backwards: {drawn} after {}", self.next);
        self.next = drawn;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pearson's chi-square of `draws` values against `cells` equal cells.
    fn chi_square(draws: impl Iterator<Item = f64>, cells: usize) -> f64 {
        let mut counts = vec![0_u64; cells];
        let mut total = 0.0;
        for value in draws {
            counts[(value * cells as f64) as usize] += 1;
            total += 1.0;
        }
        let expected = total / cells as f64;
        counts.iter().map(|&c| (c as f64 - expected) * (c as f64 - expected) / expected).sum()
    }

    // 99.9 % point of chi-square with 255 degrees of freedom.
    const CHI_SQUARE_255_UPPER: f64 = 330.5;

    #[test]
    fn draws_of_one_key_are_uniform() {
        for seed in 0..20 {
            let key = Key::from_seed(seed);
            let statistic = chi_square((0..100_000).map(|n| key.uniform(n)), 256);
            assert!(statistic < CHI_SQUARE_255_UPPER, "seed {seed}: {statistic}");
        }
    }

    #[test]
    fn first_draws_of_neighbouring_keys_are_uniform() {
        for purpose in ["think", "size", "delay", "quota"] {
            let parent = Key::from_seed(3).named(purpose);
            let statistic = chi_square((0..100_000).map(|i| parent.indexed(i).uniform(0)), 256);
            assert!(statistic < CHI_SQUARE_255_UPPER, "{purpose}: {statistic}");
        }
    }

    #[test]
    fn pairs_of_successive_draws_fill_the_square() {
        let key = Key::from_seed(11).named("pairs");
        let cell = |n: u64| (key.uniform(2 * n) * 16.0).floor() / 16.0 + key.uniform(2 * n + 1) / 16.0;
        assert!(chi_square((0..100_000).map(cell), 256) < CHI_SQUARE_255_UPPER);
    }

    #[test]
    fn one_flipped_bit_of_the_index_flips_half_of_the_output() {
        let key = Key::from_seed(5);
        for bit in 0..64 {
            let flips: u32 = (0..400_u64)
                .map(|n| (key.indexed(n).bits(0) ^ key.indexed(n ^ (1 << bit)).bits(0)).count_ones())
                .sum();
            let mean = f64::from(flips) / 400.0;
            assert!((mean - 32.0).abs() < 1.0, "bit {bit}: {mean}");
        }
    }

    #[test]
    fn a_stream_is_the_draws_of_its_key_in_order() {
        let key = Key::from_seed(9).named("coin");
        let mut stream = key.stream();
        for n in 0..10 {
            assert_eq!(stream.uniform(), key.uniform(n));
        }
        assert_eq!(stream.drawn(), 10);
        stream.pass_to(12);
        assert_eq!(stream.uniform(), key.uniform(12));
    }

    #[test]
    #[should_panic(expected = "a stream does not run backwards")]
    fn a_stream_is_never_rewound() {
        let mut stream = Key::from_seed(9).stream();
        stream.uniform();
        stream.pass_to(0);
    }
}
