//! Hierarchical token buckets: a tree of classes, each with a rate of its own and a ceiling, which lend one
//! another what they do not need.
//!
//! Source: Linux 6.1, `sch_htb.c` (Devera 2002 and later), with tc-htb(8).

use super::LinkLayer;
use super::classes::{ClassOrder, ClassTurn};
use crate::header::HeaderFields;
use crate::place_set::PlaceSet;
use aqmlab_units::{Rate, Time, TransmissionClock};

/// Levels of a tree: leaves are at 0, roots at the last.
pub(crate) const LEVELS: usize = 8;

/// Priorities of a leaf, the first of which goes first.
pub(crate) const CLASS_PRIORITIES: usize = 8;

/// No bucket remembers more: `mbuffer`, which tc sets.
const LONGEST_MEMORY_NS: i64 = 60_000_000_000;

/// What a class of the tree is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketSettings {
    /// The class that lends to it, which stands before it; none of a root.
    pub(crate) parent: Option<usize>,
    /// What it may send whatever the others do.
    pub(crate) rate: Rate,
    /// What it may send where others lend.
    pub(crate) ceil: Rate,
    /// Bytes that it may send at once at its rate, after a pause.
    pub(crate) burst_bytes: u32,
    /// The same at its ceiling.
    pub(crate) ceil_burst_bytes: u32,
    /// Of a leaf: who is first where several may send, from 0.
    pub(crate) priority: u8,
    /// Of a leaf: bytes of its turn.
    pub(crate) quantum_bytes: u32,
}

/// A bucket of tokens, which are nanoseconds at its rate.
#[derive(Clone, Debug)]
struct Bucket {
    clock: TransmissionClock,
    tokens: i64,
    most: i64,
}

impl Bucket {
    fn new(rate: Rate, bytes: u32) -> Self {
        let most = nanoseconds(&mut TransmissionClock::new(rate), bytes);
        Self { clock: TransmissionClock::new(rate), tokens: most, most }
    }

    /// So much time has passed, and a packet of so many bytes was sent.
    fn charge(&mut self, passed: i64, bytes: u32) {
        let left = (self.tokens + passed).min(self.most) - nanoseconds(&mut self.clock, bytes);
        self.tokens = left.max(1 - LONGEST_MEMORY_NS);
    }
}

fn nanoseconds(clock: &mut TransmissionClock, bytes: u32) -> i64 {
    i64::try_from(clock.transmit(bytes).nanoseconds()).unwrap_or(i64::MAX)
}

/// A class of the tree.
#[derive(Clone, Debug)]
struct Node {
    parent: Option<usize>,
    level: usize,
    rate: Bucket,
    ceil: Bucket,
    /// When its buckets were charged last.
    charged: Time,
}

/// What a class may do at an instant.
enum Mode {
    /// It sends, or lends, of its own.
    CanSend,
    /// It may send what others lend; of its own from an instant on.
    MayBorrow(Time),
    /// It is at its ceiling until an instant.
    CannotSend(Time),
}

impl Node {
    fn passed(&self, now: Time) -> i64 {
        let passed = now.nanoseconds().saturating_sub(self.charged.nanoseconds());
        i64::try_from(passed).unwrap_or(i64::MAX).min(LONGEST_MEMORY_NS)
    }

    fn mode(&self, now: Time) -> Mode {
        let passed = self.passed(now);
        let later = |short: i64| Time::from_nanoseconds(now.nanoseconds() + short.unsigned_abs());
        let (own, most) = (self.rate.tokens + passed, self.ceil.tokens + passed);
        if most < 0 {
            Mode::CannotSend(later(most))
        } else if own < 0 {
            Mode::MayBorrow(later(own))
        } else {
            Mode::CanSend
        }
    }
}

/// A class that sends: a leaf of the tree.
#[derive(Clone, Debug)]
struct Leaf {
    /// The classes from the root down to it.
    path: Vec<usize>,
    priority: usize,
    quantum_bytes: i64,
    /// What is left of its turn, by the level that lends.
    deficit: [i64; LEVELS],
}

/// The class of a packet by its codepoint, for packets of some hosts.
type ByCodepoint = [u16; 64];

/// Which class packets belong to: the first of those that their receiver, their sender and their codepoint
/// fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassMap {
    rows: Vec<ByCodepoint>,
    /// By address; of others the first row.
    row_of: Vec<u16>,
    otherwise: u16,
}

impl ClassMap {
    const NONE: u16 = u16::MAX;

    /// The classes by their hosts (none: all) and their codepoints (none: all), in their order; and the class
    /// of what fits none.
    #[must_use]
    pub(crate) fn new(classes: &[(Option<&[u32]>, &[u8])], otherwise: usize) -> Self {
        let row_for = |address: Option<u32>| {
            let mut row = [Self::NONE; 64];
            for (class, (hosts, dscps)) in (0..).zip(classes) {
                let concerns = match (hosts, address) {
                    (None, _) => true,
                    (Some(hosts), Some(address)) => hosts.contains(&address),
                    (Some(_), None) => false,
                };
                for dscp in (0..64_u8).filter(|dscp| dscps.is_empty() || dscps.contains(dscp)) {
                    let place = &mut row[usize::from(dscp)];
                    if concerns && *place == Self::NONE {
                        *place = class;
                    }
                }
            }
            row
        };
        let mut addresses: Vec<u32> =
            classes.iter().filter_map(|(hosts, _)| *hosts).flatten().copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut rows = vec![row_for(None)];
        let mut row_of = vec![0; addresses.last().map_or(0, |&last| last as usize + 1)];
        for address in addresses {
            let row = row_for(Some(address));
            let place = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
                rows.push(row);
                rows.len() - 1
            });
            row_of[address as usize] = u16::try_from(place).unwrap_or_default();
        }
        Self { rows, row_of, otherwise: u16::try_from(otherwise).unwrap_or_default() }
    }

    /// Classes by codepoint alone.
    #[must_use]
    pub(crate) fn by_codepoint(class_of: [u8; 64]) -> Self {
        Self { rows: vec![class_of.map(u16::from)], row_of: Vec::new(), otherwise: 0 }
    }

    /// The class of a packet with these header fields.
    #[must_use]
    pub(crate) fn class_of(&self, header: &HeaderFields) -> usize {
        let of = |address: u32| {
            let row = self.row_of.get(address as usize).copied().unwrap_or_default();
            self.rows[usize::from(row)][usize::from(header.dscp & 0b11_1111)]
        };
        let class = of(header.destination).min(of(header.source));
        usize::from(if class == Self::NONE { self.otherwise } else { class })
    }

    /// Whether any packet at all would be of a class, from or to whichever host.
    #[must_use]
    pub(crate) fn leads_to(&self, class: usize) -> bool {
        // What fits no class in the first row, which is of hosts that no class names, is of the last resort.
        let rest = class == usize::from(self.otherwise) && self.rows[0].contains(&Self::NONE);
        rest || self.rows.iter().flatten().any(|&own| usize::from(own) == class)
    }
}

/// Who sends, in a tree of classes: first the leaves that are within their own rates, then those to which the
/// nearest class above lends, and so on; among these by priority, and among equals in turns.
#[derive(Clone, Debug)]
pub(crate) struct TokenBuckets {
    map: ClassMap,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// Whose turn it is among the classes of a level that send or lend of their own, by level and priority:
    /// the first of these from here on.
    turn_of_row: [[usize; CLASS_PRIORITIES]; LEVELS],
    /// Whose turn it is among those to which a class lends, by class and priority.
    turn_below: Vec<[usize; CLASS_PRIORITIES]>,
    /// The leaves that may send next to the one whose turn it is, and that one: all of one priority, to which
    /// one level lends.
    rivals: Vec<usize>,
    /// The level that lends to the class whose turn it is.
    lends: usize,
    link_layer: LinkLayer,
    /// What the queues count with each packet, on top of its IP length.
    layer2_bytes: u32,
    own_bytes: u64,
    borrowed_bytes: u64,
}

impl TokenBuckets {
    /// A tree of these classes, the leaves of which are the classes of the port, in their order.
    #[must_use]
    pub(crate) fn new(
        classes: &[BucketSettings],
        map: ClassMap,
        link_layer: LinkLayer,
        layer2_bytes: u32,
    ) -> Self {
        let has_children = |place: usize| classes.iter().any(|class| class.parent == Some(place));
        let mut nodes: Vec<Node> = Vec::new();
        let mut leaves = Vec::new();
        for (place, class) in classes.iter().enumerate() {
            let above = class.parent.map_or(LEVELS, |parent| nodes[parent].level);
            let is_inner = has_children(place);
            nodes.push(Node {
                parent: class.parent,
                level: if is_inner { above.saturating_sub(1) } else { 0 },
                rate: Bucket::new(class.rate, class.burst_bytes),
                ceil: Bucket::new(class.ceil, class.ceil_burst_bytes),
                charged: Time::ZERO,
            });
            if !is_inner {
                let up = std::iter::successors(Some(place), |&place| nodes[place].parent);
                let mut path: Vec<usize> = up.collect();
                path.reverse();
                leaves.push(Leaf {
                    path,
                    priority: usize::from(class.priority).min(CLASS_PRIORITIES - 1),
                    quantum_bytes: class.quantum_bytes.into(),
                    deficit: [0; LEVELS],
                });
            }
        }
        let turn_of_row = [[0; CLASS_PRIORITIES]; LEVELS];
        let turn_below = vec![[0; CLASS_PRIORITIES]; nodes.len()];
        let (rivals, lends, own_bytes, borrowed_bytes) = (Vec::new(), 0, 0, 0);
        Self {
            map,
            nodes,
            leaves,
            turn_of_row,
            turn_below,
            rivals,
            lends,
            link_layer,
            layer2_bytes,
            own_bytes,
            borrowed_bytes,
        }
    }

    /// The level of the class that lets a leaf send now, which is its own or above it; or from when on that
    /// may change.
    fn lender(&self, leaf: usize, now: Time) -> Result<usize, Time> {
        let mut changes = Time::MAX;
        for &place in self.leaves[leaf].path.iter().rev() {
            match self.nodes[place].mode(now) {
                Mode::CanSend => return Ok(self.nodes[place].level),
                Mode::MayBorrow(at) => changes = changes.min(at),
                Mode::CannotSend(at) => return Err(changes.min(at)),
            }
        }
        Err(changes)
    }

    /// The classes from the one that lends, at this level, down to a leaf.
    fn borrowers(&self, leaf: usize, level: usize) -> &[usize] {
        let path = &self.leaves[leaf].path;
        let from = path.iter().position(|&place| self.nodes[place].level == level);
        &path[from.unwrap_or_default()..]
    }

    /// Whose turn it is among the rivals: first among the classes that lend, then among those below the one
    /// whose turn that is, down to a leaf. Behind the last class below another it is the next one's turn.
    fn choose(&mut self, level: usize, priority: usize) -> usize {
        let mut above: Vec<usize> = Vec::with_capacity(LEVELS);
        loop {
            let depth = above.len();
            let turn = match above.last() {
                Some(&place) => self.turn_below[place][priority],
                None => self.turn_of_row[level][priority],
            };
            let (mut next, mut first) = (None, (usize::MAX, 0));
            for &leaf in &self.rivals {
                let path = self.borrowers(leaf, level);
                if path[..depth] != *above {
                    continue;
                }
                let found = (path[depth], leaf);
                first = first.min(found);
                if found.0 >= turn && next.is_none_or(|next| found < next) {
                    next = Some(found);
                }
            }
            let (place, leaf) = next.unwrap_or(first);
            match above.last() {
                Some(&above) => self.turn_below[above][priority] = place,
                None => self.turn_of_row[level][priority] = place,
            }
            if next.is_none()
                && let Some(over) = above.pop()
            {
                match above.last() {
                    Some(&above) => self.turn_below[above][priority] = over + 1,
                    None => self.turn_of_row[level][priority] = over + 1,
                }
            } else if self.leaves[leaf].path.last() == Some(&place) {
                return leaf;
            } else {
                above.push(place);
            }
        }
    }

    /// A class does not send or lend of its own any more: it is the next one's turn.
    fn leave_row(&mut self, place: usize) {
        for turn in self.turn_of_row[self.nodes[place].level].iter_mut().filter(|turn| **turn == place) {
            *turn = place + 1;
        }
    }

    /// A leaf has sent a packet that counts so many bytes, of what the class at this level lends.
    fn charge(&mut self, now: Time, leaf: usize, lends: usize, bytes: u32) {
        for step in (0..self.leaves[leaf].path.len()).rev() {
            let place = self.leaves[leaf].path[step];
            let class = &mut self.nodes[place];
            let passed = class.passed(now);
            if class.level >= lends {
                class.rate.charge(passed, bytes);
            } else {
                class.rate.tokens += passed;
            }
            class.ceil.charge(passed, bytes);
            class.charged = now;
            if !matches!(class.mode(now), Mode::CanSend) {
                self.leave_row(place);
            }
        }
    }
}

impl ClassOrder for TokenBuckets {
    fn class_of(&self, header: &HeaderFields) -> usize {
        self.map.class_of(header)
    }

    fn next(&mut self, now: Time, ready: &PlaceSet) -> ClassTurn {
        let (mut best, mut opens) = ((LEVELS, CLASS_PRIORITIES), Time::MAX);
        self.rivals.clear();
        for leaf in ready.iter() {
            match self.lender(leaf, now) {
                Ok(level) => {
                    let rank = (level, self.leaves[leaf].priority);
                    if rank < best {
                        best = rank;
                        self.rivals.clear();
                    }
                    if rank == best {
                        self.rivals.push(leaf);
                    }
                }
                Err(at) => opens = opens.min(at),
            }
        }
        if self.rivals.is_empty() {
            return if opens < Time::MAX { ClassTurn::At(opens) } else { ClassTurn::Nobody };
        }
        self.lends = best.0;
        ClassTurn::Class(self.choose(best.0, best.1))
    }

    fn on_sent(&mut self, now: Time, class: usize, bytes: u32, has_emptied: bool) {
        let lends = self.lends;
        let lender = self.borrowers(class, lends)[0];
        let leaf = &mut self.leaves[class];
        let (place, priority) = (leaf.path[leaf.path.len() - 1], leaf.priority);
        leaf.deficit[lends] -= i64::from(bytes);
        if leaf.deficit[lends] < 0 {
            leaf.deficit[lends] += leaf.quantum_bytes;
            match self.nodes[place].parent.filter(|_| lends > 0) {
                Some(above) => self.turn_below[above][priority] = place + 1,
                None => self.leave_row(place),
            }
        }
        if has_emptied
            && !self.rivals.iter().any(|&leaf| leaf != class && self.borrowers(leaf, lends)[0] == lender)
        {
            self.leave_row(lender);
        }
        let counted = self.link_layer.bytes(bytes - self.layer2_bytes);
        self.charge(now, class, lends, counted);
        *if lends == 0 { &mut self.own_bytes } else { &mut self.borrowed_bytes } += u64::from(counted);
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("sent_at_own_rate_bytes", self.own_bytes as f64);
        sink("sent_borrowed_bytes", self.borrowed_bytes as f64);
    }
}
