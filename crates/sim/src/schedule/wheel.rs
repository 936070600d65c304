//! A timing wheel: constant-time insertion at any instant, exact order on removal.
//!
//! Slots of 2^`slot_width_log2` ns hold lists in a slab; the slot being served is sorted; instants beyond the
//! horizon wait in a heap until the wheel has turned far enough. Looking at the earliest instant never moves
//! the wheel, so filling it in any order at set-up stays cheap.

use aqmlab_units::Time;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Entry<T> {
    instant: u64,
    /// Order of insertion, for equal instants. Wraps after 2³² insertions, far more than lie between two
    /// entries that are pending together.
    sequence: u32,
    item: T,
}

#[derive(Clone, Copy)]
struct Node<T> {
    entry: Entry<T>,
    next: u32,
}

pub(crate) struct Wheel<T> {
    slot_width_log2: u32,
    slots: Vec<u32>,
    occupied: Occupied,
    nodes: Vec<Node<T>>,
    free: u32,
    /// Entries of the slot being served, latest first.
    current: Vec<Entry<T>>,
    /// Number of the slot being served, counted from time zero: no pending entry lies in an earlier slot.
    cursor: u64,
    far: BinaryHeap<Reverse<Entry<T>>>,
    head: u64,
    sequence: u32,
}

impl<T: Copy> Wheel<T> {
    /// A wheel of 2^`slots_log2` slots (at least 64) of 2^`slot_width_log2` nanoseconds.
    pub(crate) fn new(slot_width_log2: u32, slots_log2: u32) -> Self {
        Self {
            slot_width_log2,
            slots: vec![NONE; 1 << slots_log2],
            occupied: Occupied::new(1 << slots_log2),
            nodes: Vec::new(),
            free: NONE,
            current: Vec::new(),
            cursor: 0,
            far: BinaryHeap::new(),
            head: u64::MAX,
            sequence: 0,
        }
    }

    /// The earliest pending instant.
    #[inline]
    pub(crate) fn head(&self) -> Option<Time> {
        (self.head != u64::MAX).then_some(Time::from_nanoseconds(self.head))
    }

    /// Adds an item; answers whether it is now the earliest.
    #[inline]
    pub(crate) fn insert(&mut self, instant: Time, item: T) -> bool {
        let instant = instant.nanoseconds();
        let entry = Entry { instant, sequence: self.sequence, item };
        self.sequence = self.sequence.wrapping_add(1);
        self.place(entry);
        let earliest = instant < self.head;
        self.head = self.head.min(instant);
        earliest
    }

    fn place(&mut self, entry: Entry<T>) {
        let slot = entry.instant >> self.slot_width_log2;
        if slot <= self.cursor {
            let position = self.current.partition_point(|other| *other > entry);
            self.current.insert(position, entry);
        } else if slot - self.cursor < self.slots.len() as u64 {
            self.link(slot, entry);
        } else {
            self.far.push(Reverse(entry));
        }
    }

    #[inline]
    fn link(&mut self, slot: u64, entry: Entry<T>) {
        let slot = slot as usize & (self.slots.len() - 1);
        let node = Node { entry, next: self.slots[slot] };
        let index = if self.free == NONE {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        self.slots[slot] = index;
        self.occupied.insert(slot);
    }

    /// Removes the earliest item.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn pop(&mut self) -> T {
        if self.current.is_empty() {
            self.turn();
        }
        let Some(entry) = self.current.pop() else { unreachable!("nothing is pending") };
        self.head = match self.current.last() {
            Some(next) => next.instant,
            None => self.earliest_beyond_cursor(),
        };
        entry.item
    }

    /// Turns to the slot of the earliest entry and sorts it.
    fn turn(&mut self) {
        assert!(self.head != u64::MAX, "nothing is pending");
        self.cursor = self.head >> self.slot_width_log2;
        let slot = self.cursor as usize & (self.slots.len() - 1);
        let mut index = std::mem::replace(&mut self.slots[slot], NONE);
        self.occupied.remove(slot);
        while index != NONE {
            let node = self.nodes[index as usize];
            self.current.push(node.entry);
            self.nodes[index as usize].next = self.free;
            self.free = index;
            index = node.next;
        }
        // Lists are built latest insertion first, which is nearly the wanted order.
        self.current.sort_unstable_by(|a, b| b.cmp(a));
        self.draw_in_far_entries();
    }

    fn draw_in_far_entries(&mut self) {
        let horizon = self.cursor + self.slots.len() as u64;
        while let Some(Reverse(first)) = self.far.peek() {
            if first.instant >> self.slot_width_log2 >= horizon {
                return;
            }
            let Some(Reverse(entry)) = self.far.pop() else { return };
            self.place(entry);
        }
    }

    fn earliest_beyond_cursor(&self) -> u64 {
        let start = self.cursor as usize & (self.slots.len() - 1);
        let Some(slot) = self.occupied.next_after(start) else {
            return self.far.peek().map_or(u64::MAX, |first| first.0.instant);
        };
        let (mut index, mut earliest) = (self.slots[slot], u64::MAX);
        while index != NONE {
            let node = &self.nodes[index as usize];
            earliest = earliest.min(node.entry.instant);
            index = node.next;
        }
        earliest
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let later = self.sequence.wrapping_sub(other.sequence) as i32;
        self.instant.cmp(&other.instant).then(later.cmp(&0))
    }
}

/// Which slots hold something: a bit per slot, and a bit per 64 slots.
struct Occupied {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl Occupied {
    fn new(slots: usize) -> Self {
        let words = slots.div_ceil(64);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    #[inline]
    fn insert(&mut self, slot: usize) {
        self.words[slot / 64] |= 1 << (slot % 64);
        self.summary[slot / 4096] |= 1 << (slot / 64 % 64);
    }

    #[inline]
    fn remove(&mut self, slot: usize) {
        self.words[slot / 64] &= !(1 << (slot % 64));
        if self.words[slot / 64] == 0 {
            self.summary[slot / 4096] &= !(1 << (slot / 64 % 64));
        }
    }

    /// The first occupied slot after `start`, going round; `start` itself comes last.
    #[inline]
    fn next_after(&self, start: usize) -> Option<usize> {
        let word = start / 64;
        let rest = self.words[word] & u64::MAX.checked_shl(start as u32 % 64 + 1).unwrap_or(0);
        if rest != 0 {
            return Some(word * 64 + rest.trailing_zeros() as usize);
        }
        let word = self.next_word_after(word)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    fn next_word_after(&self, start: usize) -> Option<usize> {
        let first = start / 64;
        let rest = self.summary[first] & u64::MAX.checked_shl(start as u32 % 64 + 1).unwrap_or(0);
        if rest != 0 {
            return Some(first * 64 + rest.trailing_zeros() as usize);
        }
        (1..=self.summary.len())
            .map(|step| (first + step) % self.summary.len())
            .find(|&index| self.summary[index] != 0)
            .map(|index| index * 64 + self.summary[index].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64),
        Pop,
    }

    /// Gaps that meet every path: the same slot, neighbours, a full turn, far beyond the horizon, zero.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let gap = prop_oneof![Just(0), 0..16u64, 0..2000u64, 900..1200u64, 0..200_000u64, 0..100_000_000u64];
        let step = prop_oneof![3 => gap.prop_map(Step::Insert), 2 => Just(Step::Pop)];
        proptest::collection::vec(step, 1..400)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn a_wheel_pops_what_a_sorted_list_would(steps in steps(), width in 0..6u32) {
            let mut wheel = Wheel::new(width, 6);
            let mut list: Vec<(u64, usize)> = Vec::new();
            let mut now = 0;
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Insert(gap) => {
                        wheel.insert(Time::from_nanoseconds(now + gap), number);
                        list.push((now + gap, number));
                    }
                    Step::Pop => {
                        let expected = list.iter().copied().min();
                        list.retain(|entry| Some(*entry) != expected);
                        let popped = wheel.head().map(|head| (head.nanoseconds(), wheel.pop()));
                        prop_assert_eq!(popped, expected);
                        now = expected.map_or(now, |entry| entry.0);
                    }
                }
                let head = list.iter().map(|entry| entry.0).min();
                prop_assert_eq!(wheel.head().map(Time::nanoseconds), head);
            }
        }
    }

    #[test]
    fn filling_a_wheel_backwards_is_cheap_and_right() {
        let mut wheel = Wheel::new(18, 16);
        let count = 200_000_u64;
        for i in (0..count).rev() {
            wheel.insert(Time::from_nanoseconds(i * 1_000_000), i);
        }
        for i in 0..count {
            assert_eq!(wheel.head(), Some(Time::from_nanoseconds(i * 1_000_000)));
            assert_eq!(wheel.pop(), i);
        }
    }
}
