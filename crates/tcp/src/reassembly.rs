//! Data that arrived ahead of a hole, as ranges of sequence numbers.
//!
//! A connection without loss never touches it; one hole is kept in place; more holes spill to a set, which
//! is then kept for the life of the connection.

use crate::hosts::HostProfile;
use crate::range_set::{Range, RangeSet};
use crate::reporting::Reporting;
use crate::sequence::SequenceNumber;
use std::fmt;

/// Several ranges. Boxed because a set in place would cost 24 bytes of every connection.
#[repr(Rust, packed)]
pub(crate) struct Ranges(Box<RangeSet>);

impl Clone for Ranges {
    fn clone(&self) -> Self {
        Self(Box::new((*self.0).clone()))
    }
}

impl fmt::Debug for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
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

/// The ranges that wait for a hole to be filled, in nine bytes: see `receiver.rs`.
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
        let new = Range::new(start, end);
        match self {
            Self::Empty => *self = Self::One(new),
            Self::One(only) if only.touches(new) => *only = only.joined(new),
            Self::One(only) => {
                let mut ranges = RangeSet::default();
                ranges.insert(*only);
                ranges.insert(new);
                *self = Self::Many(Ranges(Box::new(ranges)));
            }
            Self::Many(ranges) => {
                let ranges = &mut *ranges.0;
                ranges.insert(new);
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
                next = ranges.take_reached(next);
            }
            Self::Reported(reported) => next = reported.0.ranges.take_reached(next),
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
        let Reassembly::Many(ranges) = &waiting else { panic!("{waiting:?}") };
        let found = [10, 39, 40, 50, 59].map(|number| (*ranges.0).covering(at(number), at(number + 1)));
        let [low, high] = [(10, 40), (50, 60)].map(|(start, end)| Some(Range::new(at(start), at(end))));
        assert_eq!(found, [low, low, None, high, high]);
    }

    #[test]
    fn what_reaches_beyond_the_range_that_waits_keeps_its_end() {
        let mut waiting = Reassembly::default();
        waiting.insert(at(10), at(20));
        assert_eq!(waiting.take_contiguous(at(25)), at(25));
        assert!(waiting.is_empty());
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
