//! What is pending, and the order of it.

use aqmlab_units::Time;
use std::cmp::Ordering;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// Bits of the order of insertion; above them stands the rank.
const SEQUENCE_BITS: u32 = 48;

/// Among equal instants, lower ranks go first; among equal ranks, what was inserted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank(pub(crate) u16);

/// When something is due: the instant, then the rank, then the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    pub(super) instant: u64,
    order: u64,
}

impl Due {
    #[inline(always)]
    pub(super) const fn new(instant: Time, rank: Rank, inserted: u64) -> Self {
        Self { instant: instant.nanoseconds(), order: (rank.0 as u64) << SEQUENCE_BITS | inserted }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Entry<T> {
    pub(super) due: Due,
    pub(super) item: T,
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

/// An entry in the list of a slot.
#[derive(Clone, Copy)]
pub(super) struct Node<T> {
    pub(super) entry: Entry<T>,
    pub(super) next: u32,
}
