//! Data that arrived ahead of a hole: a sorted set of disjoint ranges of sequence numbers.
//!
//! A connection without loss never touches it; one hole is kept in place; more holes spill to a vector, which
//! is then kept for the life of the connection.

use crate::options::Block;
use crate::profile::HostProfile;
use crate::reporting::Reporting;
use crate::sequence::SequenceNumber;
use std::fmt;

/// Numbers from `start` up to but excluding `end`. Packed, as what it is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed)]
pub(crate) struct Range {
    start: SequenceNumber,
    end: SequenceNumber,
}

impl Range {
    pub(crate) const fn new(start: SequenceNumber, end: SequenceNumber) -> Self {
        Self { start, end }
    }

    /// Its ends, as they are reported.
    pub(crate) const fn block(self) -> Block {
        (self.start, self.end)
    }

    /// Whether all of these numbers are in it.
    pub(crate) fn covers(self, start: SequenceNumber, end: SequenceNumber) -> bool {
        !start.before(self.start) && !self.end.before(end)
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

/// Several ranges, ascending. Boxed because a vector in place would cost 16 bytes of every connection.
#[repr(Rust, packed)]
pub(crate) struct Ranges(#[allow(clippy::box_collection)] Box<Vec<Range>>);

impl Clone for Ranges {
    fn clone(&self) -> Self {
        Self(Box::new((*self.0).clone()))
    }
}

impl fmt::Debug for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&*self.0).finish()
    }
}

/// What a receiver keeps that reports what waits: boxed for the same reason.
#[repr(Rust, packed)]
pub(crate) struct Reported(Box<Reporting>);

impl Clone for Reported {
    fn clone(&self) -> Self {
        Self(Box::new((*self.0).clone()))
    }
}

impl fmt::Debug for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// The ranges that wait for a hole to be filled, in nine bytes: see [`crate::receiver::Receiver`].
#[derive(Clone, Debug, Default)]
pub(crate) enum Reassembly {
    /// Nothing waits, nor ever more than one range did.
    #[default]
    Empty,
    One(Range),
    /// There was more than one at some time.
    Many(Ranges),
    /// They are reported to the sender.
    Reported(Reported),
}

impl Reassembly {
    /// That of a receiver which reports what waits.
    pub(crate) fn reported(profile: &HostProfile) -> Self {
        Self::Reported(Reported(Box::new(Reporting::new(profile))))
    }

    /// What a reporting receiver keeps.
    #[inline]
    pub(crate) fn reporting(&self) -> Option<&Reporting> {
        match self {
            Self::Reported(reported) => Some(&*reported.0),
            _ => None,
        }
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn reporting_mut(&mut self) -> Option<&mut Reporting> {
        match self {
            Self::Reported(reported) => Some(&mut *reported.0),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::One(_) => false,
            Self::Many(ranges) => (*ranges.0).is_empty(),
            Self::Reported(reported) => reported.0.ranges.is_empty(),
        }
    }

    /// Keeps the numbers from `start` up to `end`, which lie ahead of the next expected one.
    pub(crate) fn insert(&mut self, start: SequenceNumber, end: SequenceNumber) {
        let new = Range { start, end };
        match self {
            Self::Empty => *self = Self::One(new),
            Self::One(only) if only.touches(new) => *only = only.joined(new),
            Self::One(only) => {
                let ascending =
                    if new.start.before(only.start) { vec![new, *only] } else { vec![*only, new] };
                *self = Self::Many(Ranges(Box::new(ascending)));
            }
            Self::Many(ranges) => {
                let ranges = &mut *ranges.0;
                insert_among(ranges, new);
            }
            Self::Reported(reported) => reported.0.insert(start, end),
        }
    }

    /// Removes what is contiguous with `next` and answers the new next expected number.
    pub(crate) fn take_contiguous(&mut self, mut next: SequenceNumber) -> SequenceNumber {
        match self {
            Self::Empty => {}
            Self::One(only) => {
                if !next.before(only.start) {
                    next = next.later_of(only.end);
                    *self = Self::Empty;
                }
            }
            Self::Many(ranges) => {
                let ranges = &mut *ranges.0;
                next = take_reached(ranges, next);
            }
            Self::Reported(reported) => next = take_reached(&mut reported.0.ranges, next),
        }
        next
    }
}

/// Removes the ranges that are contiguous with `next`, and answers where they end.
fn take_reached(ranges: &mut Vec<Range>, mut next: SequenceNumber) -> SequenceNumber {
    let reached = |range: &&Range| {
        let touches = !next.before(range.start);
        next = if touches { next.later_of(range.end) } else { next };
        touches
    };
    let count = ranges.iter().take_while(reached).count();
    ranges.drain(..count);
    next
}

/// Everything below `from` ends before the new range; everything from `to` on begins after it.
pub(crate) fn insert_among(ranges: &mut Vec<Range>, mut new: Range) {
    let from = ranges.partition_point(|range| range.end.before(new.start));
    let mut to = from;
    while to < ranges.len() && ranges[to].touches(new) {
        new = new.joined(ranges[to]);
        to += 1;
    }
    ranges.splice(from..to, [new]);
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
        let Reassembly::Many(ranges) = &waiting else { panic!("{waiting:?}") };
        let expected = [(10, 40), (50, 60)].map(|(start, end)| Range { start: at(start), end: at(end) });
        assert_eq!((*ranges.0)[..], expected);
    }

    #[test]
    fn one_hole_is_kept_in_place() {
        let mut waiting = Reassembly::default();
        for (start, end) in [(30, 40), (40, 50), (20, 30)] {
            waiting.insert(at(start), at(end));
        }
        assert!(matches!(waiting, Reassembly::One(_)), "{waiting:?}");
        assert_eq!(waiting.take_contiguous(at(20)), at(50));
        assert!(matches!(waiting, Reassembly::Empty), "{waiting:?}");
        assert_eq!(size_of::<Reassembly>(), 9);
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
