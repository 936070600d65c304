//! Which link ends its transmission next.
//!
//! A link has one transmission at a time, whose end never moves: the ends need no list, only their minimum.
//! They stand in groups of eight whose minima stand in groups of eight again, so that one more level serves
//! eight times as many links, and a small network has one level.

use crate::identifiers::QueuedId;
use aqmlab_scenario::limits::QUEUED_LINKS;
use aqmlab_units::Time;

const GROUP: usize = 8;
const POSITION_BITS: u32 = 13;
const IDLE: u64 = u64::MAX;

const _: () = assert!(QUEUED_LINKS <= 1 << POSITION_BITS);

/// The keys of links, or the least keys of groups below; a key is (end, position), so that equal ends are
/// ordered by position. Where nothing stands, nothing is under way.
type Group = [u64; GROUP];

/// The ends of all transmissions, by the position of the link among those with a queue.
#[derive(Clone)]
pub(crate) struct Transmissions {
    /// The links' keys, then the least key of each group, and so on: all levels but the last.
    lower: Vec<Vec<Group>>,
    /// The last level, which is the only one of a network with few links.
    top: Group,
    /// Whether the links are two at most: both directions of one bottleneck.
    few: bool,
    first: u64,
}

impl Transmissions {
    /// None under way on any of this many links.
    pub(crate) fn new(links: usize) -> Self {
        assert!(links <= QUEUED_LINKS, "{links} links with a queue, at most {QUEUED_LINKS} are possible");
        let mut lower = Vec::new();
        let mut keys = links;
        while keys > GROUP {
            keys = keys.div_ceil(GROUP);
            lower.push(vec![[IDLE; GROUP]; keys]);
        }
        Self { lower, top: [IDLE; GROUP], few: links <= 2, first: IDLE }
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
        for level in &mut self.lower {
            let group = &mut level[place / GROUP];
            group[place % GROUP] = least;
            least = least_of(group);
            place /= GROUP;
        }
        self.top[place % GROUP] = least;
        self.first = if self.few { self.top[0].min(self.top[1]) } else { least_of(&self.top) };
    }
}

/// The least key of a group, in comparisons that don't wait for one another.
#[inline(always)]
fn least_of(&[a, b, c, d, e, f, g, h]: &Group) -> u64 {
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
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
