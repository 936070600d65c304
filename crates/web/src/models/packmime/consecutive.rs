//! What is open of things that are numbered one after the other.

use std::collections::VecDeque;

/// No place.
const NONE: u32 = u32::MAX;

/// Records of consecutive numbers, of which most are gone soon: a place in a list for every number from the
/// oldest on that is there, and records at the places of those that are gone.
#[derive(Clone, Debug)]
pub(super) struct Consecutive<T> {
    records: Vec<Option<T>>,
    free: Vec<u32>,
    /// Where the records stand, from number `oldest` on.
    places: VecDeque<u32>,
    oldest: u32,
}

impl<T> Default for Consecutive<T> {
    fn default() -> Self {
        Self { records: Vec::new(), free: Vec::new(), places: VecDeque::new(), oldest: 0 }
    }
}

impl<T> Consecutive<T> {
    /// The record of the next number, from 0 on; behind the last number comes 0 again.
    pub(super) fn push(&mut self, record: T) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.records.push(None);
            u32::try_from(self.records.len() - 1).expect("fewer are open than there are numbers")
        });
        self.records[place as usize] = Some(record);
        self.places.push_back(place);
    }

    /// The record of a number, if it is there.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let place = *self.places.get(number.wrapping_sub(self.oldest) as usize)?;
        self.records.get_mut(place as usize)?.as_mut()
    }

    /// Takes the record of a number away, if it is there.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let place = self.places.get_mut(number.wrapping_sub(self.oldest) as usize)?;
        let place = std::mem::replace(place, NONE);
        let record = self.records.get_mut(place as usize)?.take();
        self.free.push(place);
        while self.places.front() == Some(&NONE) {
            self.places.pop_front();
            self.oldest = self.oldest.wrapping_add(1);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_their_number_while_they_are_there_and_places_are_used_again() {
        let mut open = Consecutive::default();
        for number in 0..10_u32 {
            open.push(number * 10);
        }
        for gone in [3, 0, 1, 7] {
            assert_eq!(open.remove(gone), Some(gone * 10));
            assert_eq!(open.remove(gone), None);
            assert_eq!(open.get_mut(gone), None);
        }
        assert_eq!((open.oldest, open.places.len()), (2, 8));
        for number in 10..14 {
            open.push(number * 10);
        }
        assert_eq!(open.records.len(), 10, "in the places of those that are gone");
        let there: Vec<u32> =
            (0..20).filter(|&number| open.get_mut(number).copied() == Some(number * 10)).collect();
        assert_eq!(there, [2, 4, 5, 6, 8, 9, 10, 11, 12, 13]);
        there.into_iter().for_each(|number| assert_eq!(open.remove(number), Some(number * 10)));
        assert!(open.places.is_empty());
        open.push(140);
        assert_eq!(open.get_mut(14), Some(&mut 140));
    }

    #[test]
    fn behind_the_last_number_comes_the_first() {
        let mut open = Consecutive { oldest: u32::MAX, ..Consecutive::default() };
        open.push("last");
        open.push("first");
        assert_eq!(open.remove(u32::MAX), Some("last"));
        assert_eq!(open.get_mut(0), Some(&mut "first"));
        assert_eq!(open.oldest, 0);
    }
}
