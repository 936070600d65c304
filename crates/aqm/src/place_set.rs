//! A set of places in a row, a bit for each.

const PLACES_PER_WORD: usize = u64::BITS as usize;

/// Some of the places of a row, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct PlaceSet {
    words: Vec<u64>,
}

impl PlaceSet {
    /// None of a row of so many.
    pub(crate) fn new(places: usize) -> Self {
        Self { words: vec![0; places.div_ceil(PLACES_PER_WORD)] }
    }

    /// Takes in a place that is not in it, and takes out one that is.
    #[inline]
    pub(crate) fn toggle(&mut self, place: usize) {
        self.words[place / PLACES_PER_WORD] ^= 1 << (place % PLACES_PER_WORD);
    }

    /// Whether it has a place.
    #[inline]
    pub(crate) fn contains(&self, place: usize) -> bool {
        self.words[place / PLACES_PER_WORD] >> (place % PLACES_PER_WORD) & 1 == 1
    }

    /// The places, the lowest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let rest = std::iter::successors(Some(word), |&word| Some(word & word.wrapping_sub(1)));
            let bits = rest.take_while(|&word| word != 0).map(u64::trailing_zeros);
            bits.map(move |bit| index * PLACES_PER_WORD + bit as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_in_ascending_order_and_go_when_they_are_toggled_again() {
        let mut set = PlaceSet::new(130);
        assert_eq!(set.iter().count(), 0);
        [129, 0, 64, 63, 5].into_iter().for_each(|place| set.toggle(place));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 5, 63, 64, 129]);
        [64, 5].into_iter().for_each(|place| set.toggle(place));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 129]);
    }
}
