//! What is pending, and the order of it.

use aqmlab_units::Time;
use std::cmp::Ordering;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// Bits of the order of insertion; above them stands the rank.
const SEQUENCE_BITS: u32 = 42;

/// Among equal instants, lower ranks go first; among equal ranks, what was inserted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank(u32);

impl Rank {
    /// Before all others.
    pub(crate) const FIRST: Self = Self(0);
    /// After all others.
    pub(crate) const LAST: Self = Self((1 << (u64::BITS - SEQUENCE_BITS)) - 1);

    /// Number `place` of those between the first and the last.
    ///
    /// # Panics
    /// If there are no more: the scenario check has let too large a scenario through.
    pub(crate) fn between(place: usize) -> Self {
        let rank = u32::try_from(place + 1).ok().map(Self).filter(|rank| rank.0 < Self::LAST.0);
        rank.unwrap_or_else(|| panic!("{place} is beyond the ranks"))
    }
}

/// How many insertions are told apart.
pub(super) const MOST_INSERTIONS: u64 = 1 << SEQUENCE_BITS;

/// When something is due: the instant, then the rank, then the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    pub(super) instant: u64,
    order: u64,
}

impl Due {
    #[inline(always)]
    pub(super) const fn new(instant: Time, rank: Rank, inserted: u64) -> Self {
        Self { instant: instant.nanoseconds(), order: (rank.0 as u64) << SEQUENCE_BITS | inserted }
    }
}

/// Something pending, with its place in the order.
#[derive(Clone, Copy)]
pub(crate) struct Entry<T> {
    pub(super) due: Due,
    pub(super) item: T,
}

impl<T: Copy> Entry<T> {
    #[inline(always)]
    pub(crate) const fn item(&self) -> T {
        self.item
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_in_between_come_after_the_first_and_before_the_last() {
        let of = |rank, inserted| Due::new(Time::ZERO, rank, inserted);
        let last_between = Rank::between((1 << 22) - 3);
        assert!(of(Rank::FIRST, 9) < of(Rank::between(0), 8));
        assert!(of(Rank::between(0), 8) < of(Rank::between(1), 7));
        assert!(of(last_between, 6) < of(Rank::LAST, 5));
    }

    #[test]
    #[should_panic(expected = "beyond the ranks")]
    fn the_last_rank_is_of_nothing_in_between() {
        let _ = Rank::between((1 << 22) - 2);
    }
}
