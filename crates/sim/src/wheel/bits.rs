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

    /// Finds the first occupied place after `start` and removes it; does not go round.
    #[inline(always)]
    pub(super) fn take_after(&mut self, start: usize) -> Option<usize> {
        // Two shifts: a shift by 64 is not defined.
        let mut candidates = self.0[start / 64 % WORDS] & (u64::MAX << (start % 64) << 1);
        let mut word = start / 64 % WORDS;
        while candidates == 0 {
            word += 1;
            candidates = *self.0.get(word)?;
        }
        self.0[word] &= !(candidates & candidates.wrapping_neg());
        Some(word * 64 + candidates.trailing_zeros() as usize)
    }

    /// Finds the first occupied place and removes it.
    pub(super) fn take_from_first(&mut self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
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
            let ahead = (start + 1..256).find(|place| places.contains(place));
            prop_assert_eq!(bits.clone().take_after(start), ahead);
            for &place in &places {
                prop_assert_eq!(bits.take_from_first(), Some(place));
            }
            prop_assert_eq!(bits.take_from_first(), None);
        }
    }
}
