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
    node: usize,
    priority: usize,
    quantum_bytes: i64,
    /// What is left of its turn, by the level that lends.
    deficit: [i64; LEVELS],
}

/// The class of a packet by its codepoint, for packets of some hosts.
type ByCodepoint = [u16; 64];

/// Which class packets belong to: the first of those that their receiver, their sender and their codepoint
/// fit.
#[derive(Clone, Debug)]
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

    fn class_of(&self, header: &HeaderFields) -> usize {
        let of = |address: u32| {
            let row = self.row_of.get(address as usize).copied().unwrap_or_default();
            self.rows[usize::from(row)][usize::from(header.dscp & 0b11_1111)]
        };
        let class = of(header.destination).min(of(header.source));
        usize::from(if class == Self::NONE { self.otherwise } else { class })
    }
}

/// Who sends, in a tree of classes: first the leaves that are within their own rates, then those to which the
/// nearest class above lends, and so on; among these by priority, and among equals in turns.
#[derive(Clone, Debug)]
pub(crate) struct TokenBuckets {
    map: ClassMap,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The leaves in the order of the tree, from the left to the right: their turns go this way.
    in_turn: Vec<usize>,
    /// The place of each leaf there.
    turn_of: Vec<usize>,
    /// Whose turn it is there, by level and priority.
    pointer: [[usize; CLASS_PRIORITIES]; LEVELS],
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
                leaves.push(Leaf {
                    node: place,
                    priority: usize::from(class.priority).min(CLASS_PRIORITIES - 1),
                    quantum_bytes: class.quantum_bytes.into(),
                    deficit: [0; LEVELS],
                });
            }
        }
        let path = |leaf: &usize| {
            let up = std::iter::successors(Some(leaves[*leaf].node), |&node: &usize| nodes[node].parent);
            let mut path: Vec<usize> = up.collect();
            path.reverse();
            path
        };
        let mut in_turn: Vec<usize> = (0..leaves.len()).collect();
        in_turn.sort_by_key(path);
        let mut turn_of = vec![0; leaves.len()];
        for (place, &leaf) in in_turn.iter().enumerate() {
            turn_of[leaf] = place;
        }
        let pointer = [[0; CLASS_PRIORITIES]; LEVELS];
        let (lends, own_bytes, borrowed_bytes) = (0, 0, 0);
        Self {
            map,
            nodes,
            leaves,
            in_turn,
            turn_of,
            pointer,
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
        let mut node = Some(self.leaves[leaf].node);
        let mut changes = Time::MAX;
        while let Some(place) = node {
            match self.nodes[place].mode(now) {
                Mode::CanSend => return Ok(self.nodes[place].level),
                Mode::MayBorrow(at) => changes = changes.min(at),
                Mode::CannotSend(at) => return Err(changes.min(at)),
            }
            node = self.nodes[place].parent;
        }
        Err(changes)
    }

    /// A leaf has sent a packet that counts so many bytes, of what the class at this level lends.
    fn charge(&mut self, now: Time, leaf: usize, lends: usize, bytes: u32) {
        let mut node = Some(self.leaves[leaf].node);
        while let Some(place) = node {
            let class = &mut self.nodes[place];
            let passed = class.passed(now);
            if class.level >= lends {
                class.rate.charge(passed, bytes);
            } else {
                class.rate.tokens += passed;
            }
            class.ceil.charge(passed, bytes);
            class.charged = now;
            node = class.parent;
        }
    }
}

impl ClassOrder for TokenBuckets {
    fn class_of(&self, header: &HeaderFields) -> usize {
        self.map.class_of(header)
    }

    fn next(&mut self, now: Time, ready: &PlaceSet) -> ClassTurn {
        let (mut best, mut opens) = (None, Time::MAX);
        for leaf in ready.iter() {
            let level = match self.lender(leaf, now) {
                Ok(level) => level,
                Err(at) => {
                    opens = opens.min(at);
                    continue;
                }
            };
            let priority = self.leaves[leaf].priority;
            let (turn, pointer) = (self.turn_of[leaf], self.pointer[level][priority]);
            let ahead = if turn >= pointer { turn - pointer } else { turn + self.in_turn.len() - pointer };
            let rank = (level, priority, ahead, leaf);
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
            }
        }
        match best {
            Some((level, priority, _, leaf)) => {
                self.lends = level;
                self.pointer[level][priority] = self.turn_of[leaf];
                ClassTurn::Class(leaf)
            }
            None if opens < Time::MAX => ClassTurn::At(opens),
            None => ClassTurn::Nobody,
        }
    }

    fn on_sent(&mut self, now: Time, class: usize, bytes: u32, has_emptied: bool) {
        let lends = self.lends;
        let leaf = &mut self.leaves[class];
        leaf.deficit[lends] -= i64::from(bytes);
        let is_over = leaf.deficit[lends] < 0;
        if is_over {
            leaf.deficit[lends] += leaf.quantum_bytes;
        }
        if is_over || has_emptied {
            self.pointer[lends][leaf.priority] = (self.turn_of[class] + 1) % self.in_turn.len();
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
