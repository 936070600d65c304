//! Data that arrived ahead of a hole: a sorted set of disjoint ranges of sequence numbers.
//!
//! A connection without loss never touches it; one hole is kept in place; more holes spill to a vector, which
//! is then kept for the life of the connection.

use crate::sequence::SequenceNumber;

/// Numbers from `start` up to but excluding `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Range {
    start: SequenceNumber,
    end: SequenceNumber,
}

impl Range {
    fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the two overlap or adjoin.
    fn touches(self, other: Self) -> bool {
        !self.end.before(other.start) && !other.end.before(self.start)
    }

    fn joined(self, other: Self) -> Self {
        let start = if other.start.before(self.start) { other.start } else { self.start };
        Self { start, end: self.end.later_of(other.end) }
    }
}

/// The ranges that wait for a hole to be filled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reassembly {
    /// The lowest range, empty if there is none.
    first: Range,
    /// The others, ascending. Boxed because a vector in place would cost 16 bytes of every connection.
    #[allow(clippy::box_collection)]
    rest: Option<Box<Vec<Range>>>,
}

impl Reassembly {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Keeps the numbers from `start` up to `end`, which lie ahead of the next expected one.
    pub(crate) fn insert(&mut self, start: SequenceNumber, end: SequenceNumber) {
        let mut new = Range { start, end };
        if self.first.is_empty() {
            self.first = new;
            return;
        }
        if self.first.touches(new) {
            self.first = self.first.joined(new);
            self.absorb();
            return;
        }
        if new.start.before(self.first.start) {
            std::mem::swap(&mut self.first, &mut new);
        }
        self.insert_rest(new);
    }

    fn insert_rest(&mut self, mut new: Range) {
        let rest = self.rest.get_or_insert_default();
        // Everything below `from` ends before the new range; everything from `to` on begins after it.
        let from = rest.partition_point(|range| range.end.before(new.start));
        let mut to = from;
        while to < rest.len() && rest[to].touches(new) {
            new = new.joined(rest[to]);
            to += 1;
        }
        rest.splice(from..to, [new]);
    }

    /// The first range has grown: swallow those it now reaches.
    fn absorb(&mut self) {
        let Some(rest) = &mut self.rest else { return };
        let reached = rest.iter().take_while(|range| self.first.touches(**range)).count();
        for range in rest.drain(..reached) {
            self.first = self.first.joined(range);
        }
    }

    /// Removes what is contiguous with `next` and answers the new next expected number.
    pub(crate) fn take_contiguous(&mut self, mut next: SequenceNumber) -> SequenceNumber {
        while !self.first.is_empty() && !next.before(self.first.start) {
            next = next.later_of(self.first.end);
            self.first = match &mut self.rest {
                Some(rest) if !rest.is_empty() => rest.remove(0),
                _ => Range::default(),
            };
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(value: u32) -> SequenceNumber {
        SequenceNumber::new(value)
    }

    #[test]
    fn holes_are_filled_in_any_order() {
        let mut waiting = Reassembly::default();
        for (start, end) in [(30, 40), (10, 20), (50, 60), (70, 80)] {
            waiting.insert(at(start), at(end));
        }
        assert_eq!(waiting.take_contiguous(at(0)), at(0));
        waiting.insert(at(40), at(50));
        assert_eq!(waiting.take_contiguous(at(10)), at(20));
        assert_eq!(waiting.take_contiguous(at(30)), at(60));
        assert!(!waiting.is_empty());
        assert_eq!(waiting.take_contiguous(at(75)), at(80));
        assert!(waiting.is_empty());
    }

    #[test]
    fn overlaps_and_duplicates_merge() {
        let mut waiting = Reassembly::default();
        for (start, end) in [(10, 20), (30, 40), (50, 60), (35, 55), (10, 20), (15, 31)] {
            waiting.insert(at(start), at(end));
        }
        assert_eq!(waiting.take_contiguous(at(10)), at(60));
        assert!(waiting.is_empty());
    }

    #[test]
    fn ranges_that_touch_are_one() {
        let mut waiting = Reassembly::default();
        for (start, end) in [(10, 20), (30, 40), (50, 60), (20, 30)] {
            waiting.insert(at(start), at(end));
        }
        assert_eq!(waiting.first, Range { start: at(10), end: at(40) });
        assert_eq!(waiting.rest.as_deref(), Some(&vec![Range { start: at(50), end: at(60) }]));
    }

    #[test]
    fn ranges_survive_the_wrap_of_sequence_numbers() {
        let mut waiting = Reassembly::default();
        let before_wrap = at(u32::MAX - 9);
        waiting.insert(at(10), at(20));
        waiting.insert(before_wrap, at(5));
        assert_eq!(waiting.take_contiguous(before_wrap), at(5));
        assert_eq!(waiting.take_contiguous(at(10)), at(20));
    }
}
