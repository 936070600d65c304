//! Which places hold something: a bit each.

#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    pub(super) const EMPTY: Self = Self([0; WORDS]);

    #[inline(always)]
    pub(super) fn insert(&mut self, place: usize) {
        self.0[place / 64 % WORDS] |= 1 << (place % 64);
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.0[place / 64 % WORDS] &= !(1 << (place % 64));
    }

    /// Finds the first occupied place and removes it. Nothing before the word of `start` may be occupied.
    #[inline(always)]
    pub(super) fn take_from(&mut self, start: usize) -> Option<usize> {
        let mut word = start / 64 % WORDS;
        while self.0[word] == 0 {
            word += 1;
            if word == WORDS {
                return None;
            }
        }
        let bit = self.0[word].trailing_zeros() as usize;
        self.0[word] &= self.0[word] - 1;
        Some(word * 64 + bit)
    }

    /// The first occupied place after `start`, going round; `start` itself does not count.
    pub(super) fn next_round(&self, start: usize) -> Option<usize> {
        let here = start / 64 % WORDS;
        let after = self.0[here] & (u64::MAX << (start % 64) << 1);
        let before = self.0[here] & !(u64::MAX << (start % 64));
        let others = (1..WORDS).map(|step| (here + step) % WORDS).map(|word| (word, self.0[word]));
        std::iter::once((here, after))
            .chain(others)
            .chain([(here, before)])
            .find(|(_, bits)| *bits != 0)
            .map(|(word, bits)| word * 64 + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_found_as_a_scan_finds_them(places in proptest::collection::btree_set(0..256_usize, 0..9), start in 0..256_usize) {
            let mut bits = Bits::<4>::EMPTY;
            places.iter().for_each(|&place| bits.insert(place));
            let round = (1..256).map(|step| (start + step) % 256).find(|place| places.contains(place));
            prop_assert_eq!(bits.next_round(start), round);
            let mut from = 0;
            for &place in &places {
                prop_assert_eq!(bits.take_from(from), Some(place));
                from = place;
            }
            prop_assert_eq!(bits.take_from(from), None);
        }
    }
}
