//! A tournament tree over the earliest instants of all sources.
//!
//! A key packs (instant, source) into one `u64`, so that a comparison is one branch-free minimum and equal
//! instants are ordered by source number. Measured against nine other structures on a real dumbbell, this was
//! the fastest up to thousands of sources.

use aqmlab_units::Time;

const SOURCE_BITS: u32 = 13;
const EMPTY: u64 = u64::MAX;

/// How many sources one simulation can have.
pub(crate) const MAXIMUM_SOURCES: usize = 1 << SOURCE_BITS;

/// The number of a source: among equal instants, lower numbers go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(pub(crate) u16);

pub(crate) struct Tournament {
    /// `keys[leaves + s]` is the key of source `s`; `keys[i]` is the smaller of its two children.
    keys: Vec<u64>,
    leaves: usize,
}

impl Tournament {
    /// The latest instant that a key can hold: 26 days.
    pub(crate) const LATEST: Time = Time::from_nanoseconds((1 << (64 - SOURCE_BITS)) - 2);

    pub(crate) fn new(sources: usize) -> Self {
        assert!(sources <= MAXIMUM_SOURCES, "{sources} sources, at most {MAXIMUM_SOURCES} are possible");
        let leaves = sources.next_power_of_two().max(2);
        Self { keys: vec![EMPTY; 2 * leaves], leaves }
    }

    /// The earliest instant over all sources, and its source.
    #[inline]
    pub(crate) fn first(&self) -> Option<(Time, Source)> {
        let key = self.keys[1];
        let source = Source((key & ((1 << SOURCE_BITS) - 1)) as u16);
        (key != EMPTY).then_some((Time::from_nanoseconds(key >> SOURCE_BITS), source))
    }

    /// Says that the earliest instant of `source` is now `instant`.
    #[inline]
    pub(crate) fn set(&mut self, source: Source, instant: Time) {
        debug_assert!(instant <= Self::LATEST, "{instant} is later than a run can last");
        self.update(source, instant.nanoseconds() << SOURCE_BITS | u64::from(source.0));
    }

    /// Says that `source` has nothing pending.
    #[inline]
    pub(crate) fn clear(&mut self, source: Source) {
        self.update(source, EMPTY);
    }

    /// Replays the matches of a source, all the way up: a chain of minima without a branch that could be
    /// predicted wrong is faster than stopping where the outcome no longer changes.
    #[inline]
    fn update(&mut self, source: Source, key: u64) {
        let keys = &mut self.keys[..];
        let mut node = self.leaves + usize::from(source.0);
        keys[node] = key;
        let mut winner = key;
        while node > 1 {
            winner = winner.min(keys[node ^ 1]);
            node >>= 1;
            keys[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_source_wins_and_ties_go_to_the_lower_number() {
        let mut tournament = Tournament::new(5);
        assert_eq!(tournament.first(), None);
        tournament.set(Source(3), Time::from_seconds(2.0));
        tournament.set(Source(1), Time::from_seconds(2.0));
        tournament.set(Source(4), Time::from_seconds(1.0));
        assert_eq!(tournament.first(), Some((Time::from_seconds(1.0), Source(4))));
        tournament.clear(Source(4));
        assert_eq!(tournament.first(), Some((Time::from_seconds(2.0), Source(1))));
        tournament.set(Source(1), Time::from_seconds(3.0));
        assert_eq!(tournament.first(), Some((Time::from_seconds(2.0), Source(3))));
    }
}
