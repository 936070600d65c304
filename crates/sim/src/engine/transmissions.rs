//! Which link ends its transmission next.
//!
//! A link has one transmission at a time, whose end never moves: the ends need no list, only their minimum. They
//! stand in groups of eight whose minima stand in groups of eight again, so that one more level serves eight times
//! as many links, and a small network has one level.

use crate::identifiers::QueuedId;
use aqmlab_scenario::limits::QUEUED_LINKS;
use aqmlab_units::Time;

const GROUP: usize = 8;
const POSITION_BITS: u32 = 13;
const IDLE: u64 = u64::MAX;

const _: () = assert!(QUEUED_LINKS <= 1 << POSITION_BITS);

/// The ends of all transmissions, by the position of the link among those with a queue.
pub(crate) struct Transmissions {
    /// The links' keys, then the least key of each group, and so on; a key is (end, position), so that equal ends are
    /// ordered by position.
    levels: Vec<Vec<u64>>,
    first: u64,
}

impl Transmissions {
    /// None under way on any of this many links.
    pub(crate) fn new(links: usize) -> Self {
        assert!(links <= QUEUED_LINKS, "{links} links with a queue, at most {QUEUED_LINKS} are possible");
        let mut levels = Vec::new();
        let mut keys = links.max(1);
        loop {
            levels.push(vec![IDLE; keys]);
            if keys <= GROUP {
                return Self { levels, first: IDLE };
            }
            keys = keys.div_ceil(GROUP);
        }
    }

    /// The next end of a transmission; late beyond all events if none is under way.
    #[inline(always)]
    pub(crate) const fn first_end(&self) -> Time {
        Time::from_nanoseconds(self.first >> POSITION_BITS)
    }

    /// The link whose transmission ends next, if one is under way.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // of the bits of a position alone
    pub(crate) const fn first_link(&self) -> QueuedId {
        QueuedId::from_number((self.first & ((1 << POSITION_BITS) - 1)) as u16)
    }

    /// A link begins a transmission.
    #[inline(always)]
    pub(crate) fn begin(&mut self, link: QueuedId, end: Time) {
        debug_assert!(end.nanoseconds() < IDLE >> POSITION_BITS, "{end} is later than a run can last");
        self.set(link, end.nanoseconds() << POSITION_BITS | u64::from(link.number()));
    }

    /// A link falls idle.
    #[inline(always)]
    pub(crate) fn end(&mut self, link: QueuedId) {
        self.set(link, IDLE);
    }

    #[inline(always)]
    fn set(&mut self, link: QueuedId, key: u64) {
        let (mut place, mut least) = (link.place(), key);
        for level in &mut self.levels {
            level[place] = least;
            let begin = place / GROUP * GROUP;
            let group = level[begin..].iter().take(GROUP);
            least = group.fold(IDLE, |least, &other| least.min(other));
            place /= GROUP;
        }
        self.first = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_earliest_end_is_found_and_ties_go_to_the_lower_position(
            links in 1..200_usize, steps in proptest::collection::vec((0..200_usize, 0..50_u64), 1..100),
        ) {
            let mut transmissions = Transmissions::new(links);
            let mut ends = vec![None; links];
            for (link, instant) in steps {
                let link = link % links;
                if instant == 0 {
                    ends[link] = None;
                    transmissions.end(QueuedId::of(link));
                } else {
                    ends[link] = Some(instant);
                    transmissions.begin(QueuedId::of(link), Time::from_nanoseconds(instant));
                }
                match ends.iter().enumerate().filter_map(|(link, end)| end.map(|end| (end, link))).min() {
                    Some((end, link)) => {
                        prop_assert_eq!(transmissions.first_end(), Time::from_nanoseconds(end));
                        prop_assert_eq!(transmissions.first_link().place(), link);
                    }
                    None => prop_assert!(transmissions.first_end() > Time::from_seconds(1e6)),
                }
            }
        }
    }
}
