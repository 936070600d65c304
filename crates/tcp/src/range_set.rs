//! A sorted set of disjoint ranges of sequence numbers, of which thousands may wait at once.
//!
//! A range is found by bisection. One that begins, ends or vanishes moves those on the shorter side of it:
//! holes are filled from the lowest on, and new ones come above all others, so that few are moved.

use crate::options::Block;
use crate::sequence::SequenceNumber;
use std::collections::VecDeque;

/// Numbers from `start` up to but excluding `end`. Packed, as what it is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct Range {
    pub(crate) start: SequenceNumber,
    pub(crate) end: SequenceNumber,
}

impl Range {
    pub(crate) const fn new(start: SequenceNumber, end: SequenceNumber) -> Self {
        Self { start, end }
    }

    /// Its ends, as they are reported.
    pub(crate) const fn block(self) -> Block {
        (self.start, self.end)
    }

    /// Whether the two overlap or adjoin.
    pub(crate) fn touches(self, other: Self) -> bool {
        !self.end.before(other.start) && !other.end.before(self.start)
    }

    pub(crate) fn joined(self, other: Self) -> Self {
        let start = if other.start.before(self.start) { other.start } else { self.start };
        Self { start, end: self.end.later_of(other.end) }
    }
}

/// Ranges, ascending, none of which touches another.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeSet(VecDeque<Range>);

impl RangeSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The range that has all of these numbers.
    pub(crate) fn covering(&self, start: SequenceNumber, end: SequenceNumber) -> Option<Range> {
        let place = self.first_not_ending_before(end);
        self.0.get(place).copied().filter(|range| !start.before(range.start))
    }

    /// Adds a range, and joins it with those that it touches.
    pub(crate) fn insert(&mut self, mut new: Range) {
        let from = self.first_not_ending_before(new.start);
        let mut to = from;
        while let Some(&range) = self.0.get(to).filter(|range| range.touches(new)) {
            new = new.joined(range);
            to += 1;
        }
        match self.0.get_mut(from).filter(|_| to > from) {
            Some(range) => {
                *range = new;
                self.0.drain(from + 1..to);
            }
            None => self.0.insert(from, new),
        }
    }

    /// Removes the ranges that are contiguous with `next`, and answers where they end.
    pub(crate) fn take_reached(&mut self, mut next: SequenceNumber) -> SequenceNumber {
        while let Some(&range) = self.0.front().filter(|range| !next.before(range.start)) {
            next = next.later_of(range.end);
            self.0.pop_front();
        }
        next
    }

    fn first_not_ending_before(&self, number: SequenceNumber) -> usize {
        self.0.partition_point(|range| range.end.before(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(value: u32) -> SequenceNumber {
        SequenceNumber::new(value)
    }

    proptest! {
        /// Against a flag for each number; the numbers wrap in the middle.
        #[test]
        fn a_number_is_in_a_range_if_it_was_inserted(
            inserted in prop::collection::vec((0..200_u32, 1..12_u32), 0..60),
            next in 0..100_u32,
        ) {
            let first = at(u32::MAX - 99);
            let mut flags = [false; 220];
            let mut ranges = RangeSet::default();
            for &(start, length) in &inserted {
                ranges.insert(Range::new(first.plus(start), first.plus(start + length)));
                flags[start as usize..(start + length) as usize].fill(true);
            }
            for place in 0..flags.len() as u32 {
                let (number, flag) = (first.plus(place), flags[place as usize]);
                let found = ranges.covering(number, number.plus(1)).map(Range::block);
                prop_assert_eq!(found.is_some(), flag);
                let Some((start, end)) = found else { continue };
                let (start, end) = (start.distance_from(first) as usize, end.distance_from(first) as usize);
                prop_assert!(flags[start..end].iter().all(|flag| *flag));
                prop_assert!((start == 0 || !flags[start - 1]) && !flags[end]);
            }
            let expected = (next..).find(|&place| !flags[place as usize]).unwrap_or(next);
            prop_assert_eq!(ranges.take_reached(first.plus(next)), first.plus(expected));
        }
    }
}
