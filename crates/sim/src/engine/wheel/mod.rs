//! A timing wheel: constant-time insertion at any instant, exact order on removal.
//!
//! Time is cut into slots of 2^`WIDTH_LOG2` ns, and slots into pages. Only the page being served has lists
//! for its slots, all of which stay in the nearest cache; entries of later pages are written one after the
//! other into [`Pages`] and dealt to slots when their turn comes; entries beyond the last page wait in a
//! heap. The list of the slot being served is sorted.
//!
//! The wheel turns when somebody asks for the earliest instant and the slot being served is empty; what is
//! inserted at or before that slot afterwards joins its list in its place. Where that place is far down the
//! list, as when many things begin at one instant, the list is cut there, and what follows waits in a heap:
//! no insertion walks a long list.

mod bits;
mod entry;
mod lists;
mod pages;

use aqmlab_units::Time;
use entry::{Due, Entry, MOST_INSERTIONS, NONE};
pub(crate) use entry::{Entry as Pending, Rank};
use lists::{Lists, SLOTS, SLOTS_LOG2};
use pages::{PAGES, Pages};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far an insertion walks the list of the slot being served.
const LONGEST_WALK: usize = 64;

/// A wheel with slots of 2^`WIDTH_LOG2` nanoseconds.
#[derive(Clone)]
pub(crate) struct Wheel<T, const WIDTH_LOG2: u32> {
    /// The earliest node of the slot being served.
    first: u32,
    lists: Lists<T>,
    /// What was cut off that node's list: all of it is due later.
    cut_off: BinaryHeap<Reverse<Entry<T>>>,
    /// Number of the page being served, counted from time zero.
    page: u64,
    /// The slot being served, within its page: all that is pending earlier is in its list.
    slot: usize,
    /// Where the slot being served ends, in nanoseconds.
    served_until: u64,
    /// From there to the end of the page, in nanoseconds.
    left_of_page: u64,
    inserted: u64,
    pages: Pages<T>,
    far: BinaryHeap<Reverse<Entry<T>>>,
    /// Room for sorting.
    crowd: Vec<(Due, u32)>,
}

impl<T: Copy, const WIDTH_LOG2: u32> Wheel<T, WIDTH_LOG2> {
    pub(crate) fn new() -> Self {
        Self {
            first: NONE,
            lists: Lists::new(),
            cut_off: BinaryHeap::new(),
            page: 0,
            slot: 0,
            served_until: 1 << WIDTH_LOG2,
            left_of_page: (SLOTS as u64 - 1) << WIDTH_LOG2,
            inserted: 0,
            pages: Pages::new(),
            far: BinaryHeap::new(),
            crowd: Vec::new(),
        }
    }

    /// Whether as much was inserted as can be told apart, less a margin for what is inserted between two
    /// questions.
    pub(crate) const fn is_worn_out(&self) -> bool {
        self.inserted >= MOST_INSERTIONS / 2
    }

    /// Adds an item.
    ///
    /// Inlined, so that an item is written once, to its place: copying what was written field by field a
    /// moment ago would stall the processor.
    #[inline(always)]
    pub(crate) fn insert(&mut self, instant: Time, rank: Rank, item: T) {
        let pending = self.pending(instant, rank, item);
        self.insert_pending(pending);
    }

    /// Gives an item its place in the order without adding it.
    #[inline(always)]
    pub(crate) fn pending(&mut self, instant: Time, rank: Rank, item: T) -> Pending<T> {
        let due = Due::new(instant, rank, self.inserted);
        self.inserted += 1;
        Entry { due, item }
    }

    /// Adds an item with its place.
    #[inline(always)]
    pub(crate) fn insert_pending(&mut self, Entry { due, item }: Pending<T>) {
        // What is due earlier becomes a huge number.
        if due.instant.wrapping_sub(self.served_until) < self.left_of_page {
            self.lists.link(Entry { due, item }, slot_of::<WIDTH_LOG2>(due));
        } else {
            let page = page_of::<WIDTH_LOG2>(due);
            if page.wrapping_sub(self.page).wrapping_sub(1) < PAGES - 1 {
                self.pages.push(page, Entry { due, item });
            } else {
                self.insert_apart(Entry { due, item });
            }
        }
    }

    /// In or before the slot being served, or beyond the last page.
    #[inline(never)]
    fn insert_apart(&mut self, entry: Entry<T>) {
        if entry.due.instant >= self.served_until {
            return self.far.push(Reverse(entry));
        }
        if self.cut_off.peek().is_some_and(|Reverse(first)| first.due < entry.due) {
            return self.cut_off.push(Reverse(entry));
        }
        let (mut before, mut after) = (NONE, self.first);
        let mut walked = 0;
        while let Some(node) = self.lists.nodes.get(after as usize).filter(|node| node.entry.due < entry.due)
        {
            (before, after) = (after, node.next);
            walked += 1;
            if walked == LONGEST_WALK {
                self.cut_off_after(before);
                return self.cut_off.push(Reverse(entry));
            }
        }
        let index = self.lists.take_node(entry, after);
        match self.lists.nodes.get_mut(before as usize) {
            Some(node) => node.next = index,
            None => self.first = index,
        }
    }

    /// Ends the list of the slot being served with this node.
    fn cut_off_after(&mut self, last: u32) {
        let Self { lists, cut_off, .. } = self;
        let mut index = std::mem::replace(&mut lists.nodes[last as usize].next, NONE);
        while let Some(node) = lists.nodes.get_mut(index as usize) {
            cut_off.push(Reverse(node.entry));
            let next = std::mem::replace(&mut node.next, lists.free);
            lists.free = std::mem::replace(&mut index, next);
        }
    }

    /// Makes the next list of what was cut off; answers its earliest instant.
    #[cold]
    fn go_on_with_cut_off(&mut self) -> Time {
        let mut last = NONE;
        for _ in 0..LONGEST_WALK / 2 {
            let Some(Reverse(entry)) = self.cut_off.pop() else { break };
            let index = self.lists.take_node(entry, NONE);
            match self.lists.nodes.get_mut(last as usize) {
                Some(node) => node.next = index,
                None => self.first = index,
            }
            last = index;
        }
        Time::from_nanoseconds(self.lists.nodes[self.first as usize].entry.due.instant)
    }

    /// The earliest pending instant; `Time::MAX` if nothing is pending.
    #[inline(always)]
    pub(crate) fn head(&mut self) -> Time {
        match self.lists.nodes.get(self.first as usize) {
            Some(node) => Time::from_nanoseconds(node.entry.due.instant),
            None => self.turn(),
        }
    }

    /// Removes the item whose instant [`Wheel::head`] has named.
    ///
    /// # Panics
    /// If nothing is pending.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> T {
        let index = self.first;
        let node = &mut self.lists.nodes[index as usize];
        self.first = std::mem::replace(&mut node.next, self.lists.free);
        self.lists.free = index;
        node.entry.item
    }

    /// At least every pending item. Items that were popped are among them until their place is taken by
    /// others: at most as many as were pending at once.
    pub(crate) fn remembered(&self) -> impl Iterator<Item = T> + '_ {
        let listed = self.lists.nodes.iter().map(|node| &node.entry);
        let apart = self.cut_off.iter().chain(&self.far).map(|Reverse(entry)| entry);
        listed.chain(self.pages.remembered()).chain(apart).map(Entry::item)
    }

    /// Turns to the next slot that holds something and sorts its list; answers its earliest instant.
    #[inline(always)]
    fn turn(&mut self) -> Time {
        if !self.cut_off.is_empty() {
            return self.go_on_with_cut_off();
        }
        let slot = match self.lists.occupied.take_from(self.slot) {
            Some(slot) => slot & (SLOTS - 1),
            None => match self.turn_page() {
                Some(slot) => slot & (SLOTS - 1),
                None => return Time::MAX,
            },
        };
        self.slot = slot;
        self.left_of_page = ((SLOTS - 1 - slot) as u64) << WIDTH_LOG2;
        self.served_until = ((self.page + 1) << (WIDTH_LOG2 + SLOTS_LOG2)) - self.left_of_page;
        let first = std::mem::replace(&mut self.lists.slots[slot], NONE);
        let node = &self.lists.nodes[first as usize];
        self.first = first;
        if node.next == NONE { Time::from_nanoseconds(node.entry.due.instant) } else { self.sort() }
    }

    /// Turns to the next page that holds something; answers with the first slot that does.
    #[inline(never)]
    fn turn_page(&mut self) -> Option<usize> {
        self.page = match self.pages.next_after(self.page) {
            Some(page) => page,
            None => page_of::<WIDTH_LOG2>(self.far.peek()?.0.due),
        };
        let Self { pages, lists, page, .. } = self;
        pages.drain(*page, |entry| lists.link(*entry, slot_of::<WIDTH_LOG2>(entry.due)));
        if !self.far.is_empty() {
            self.draw_in_far_entries();
        }
        self.lists.occupied.take_from(0)
    }

    fn draw_in_far_entries(&mut self) {
        while let Some(Reverse(first)) = self.far.peek() {
            let page = page_of::<WIDTH_LOG2>(first.due);
            if page - self.page >= PAGES {
                return;
            }
            let Some(Reverse(entry)) = self.far.pop() else { return };
            if page == self.page {
                self.lists.link(entry, slot_of::<WIDTH_LOG2>(entry.due));
            } else {
                self.pages.push(page, entry);
            }
        }
    }

    /// Sorts the list of the slot being served, of two nodes or more; answers its earliest instant.
    #[inline(always)]
    fn sort(&mut self) -> Time {
        let (a, b) = (self.first, self.lists.nodes[self.first as usize].next);
        if self.lists.nodes[b as usize].next != NONE {
            return self.sort_many();
        }
        let (due_a, due_b) = (self.lists.nodes[a as usize].entry.due, self.lists.nodes[b as usize].entry.due);
        if due_b < due_a {
            self.lists.nodes[a as usize].next = NONE;
            self.lists.nodes[b as usize].next = a;
            self.first = b;
        }
        Time::from_nanoseconds(due_a.instant.min(due_b.instant))
    }

    #[inline(never)]
    fn sort_many(&mut self) -> Time {
        self.crowd.clear();
        let mut index = self.first;
        while let Some(node) = self.lists.nodes.get(index as usize) {
            self.crowd.push((node.entry.due, index));
            index = node.next;
        }
        // Lists are built latest insertion first, which is nearly the reverse of the wanted order.
        self.crowd.sort_unstable_by(|a, b| b.cmp(a));
        self.first = NONE;
        for &(_, index) in &self.crowd {
            self.lists.nodes[index as usize].next = self.first;
            self.first = index;
        }
        Time::from_nanoseconds(self.lists.nodes[self.first as usize].entry.due.instant)
    }
}

/// The page that something is due in.
#[inline(always)]
const fn page_of<const WIDTH_LOG2: u32>(due: Due) -> u64 {
    due.instant >> (WIDTH_LOG2 + SLOTS_LOG2)
}

/// The slot, within its page, that something is due in.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // to the bits of a slot
const fn slot_of<const WIDTH_LOG2: u32>(due: Due) -> usize {
    (due.instant >> WIDTH_LOG2) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Insert(u64, u16),
        /// A hundred, alternately at this instant and at the one after it.
        Crowd(u64, u16),
        Pop,
    }

    /// Gaps that meet every path: the same slot, neighbours, a full turn, far beyond the horizon, zero.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let gap = prop_oneof![Just(0), 0..16u64, 0..2000u64, 900..1200u64, 0..200_000u64, 0..100_000_000u64];
        let insert = (gap, 0..3_u16).prop_map(|(gap, rank)| Step::Insert(gap, rank));
        let crowd = (0..3u64, 0..3_u16).prop_map(|(gap, rank)| Step::Crowd(gap, rank));
        let step = prop_oneof![30 => insert, 20 => Just(Step::Pop), 1 => crowd];
        proptest::collection::vec(step, 1..400)
    }

    fn compare_all(steps: &[Step], asks: bool) -> Result<(), TestCaseError> {
        compare::<0>(steps, asks)?;
        compare::<3>(steps, asks)?;
        compare::<6>(steps, asks)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_wheel_pops_what_a_sorted_list_would(steps in steps(), asks: bool) {
            compare_all(&steps, asks)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        #[ignore = "exhaustive"]
        fn a_wheel_pops_what_a_sorted_list_would_in_all_cases(steps in steps(), asks: bool) {
            compare_all(&steps, asks)?;
        }
    }

    fn compare<const WIDTH_LOG2: u32>(steps: &[Step], asks: bool) -> Result<(), TestCaseError> {
        let mut wheel = Wheel::<usize, WIDTH_LOG2>::new();
        let mut list: Vec<(u64, u16, usize)> = Vec::new();
        let (mut now, mut inserted) = (0, 0);
        for &step in steps {
            let (gap, rank, count) = match step {
                Step::Insert(gap, rank) => (gap, rank, 1),
                Step::Crowd(gap, rank) => (gap, rank, 100),
                Step::Pop => (0, 0, 0),
            };
            for place in 0..count {
                let instant = now + gap + place % 2;
                wheel.insert(Time::from_nanoseconds(instant), Rank::between(usize::from(rank)), inserted);
                list.push((instant, rank, inserted));
                inserted += 1;
            }
            match step {
                Step::Insert(..) | Step::Crowd(..) => {}
                Step::Pop => {
                    let expected = list.iter().copied().min();
                    list.retain(|entry| Some(*entry) != expected);
                    let head = wheel.head();
                    let Some(expected) = expected else {
                        prop_assert_eq!(head, Time::MAX);
                        continue;
                    };
                    let number = wheel.pop();
                    prop_assert_eq!((head.nanoseconds(), number), (expected.0, expected.2));
                    now = expected.0;
                }
            }
            for (_, _, number) in &list {
                prop_assert!(wheel.remembered().any(|item| item == *number), "{number} is pending");
            }
            if asks {
                let head = list.iter().map(|entry| entry.0).min().unwrap_or(u64::MAX);
                prop_assert_eq!(wheel.head().nanoseconds(), head);
            }
        }
        Ok(())
    }

    /// Of `count` entries in the slot being served, half of them at one instant and half anywhere in it.
    #[test]
    fn a_crowd_in_the_slot_being_served_is_put_into_order_without_walking_it() {
        let mut wheel = Wheel::<u64, 18>::new();
        let count = 400_000_u64;
        let instant = |i: u64| if i % 2 == 0 { 1_000 } else { i * 7_919 % 200_000 };
        (0..count).for_each(|i| wheel.insert(Time::from_nanoseconds(instant(i)), Rank::FIRST, i));
        let mut expected: Vec<(u64, u64)> = (0..count).map(|i| (instant(i), i)).collect();
        expected.sort_unstable();
        for (at, i) in expected {
            assert_eq!((wheel.head().nanoseconds(), wheel.pop()), (at, i));
            assert!(listed(&wheel) <= 2 * LONGEST_WALK);
        }
    }

    /// Entries of the list of the slot being served.
    fn listed<T>(wheel: &Wheel<T, 18>) -> usize {
        let next = |index: &u32| wheel.lists.nodes.get(*index as usize).map(|node| node.next);
        std::iter::successors(Some(wheel.first).filter(|first| *first != NONE), next)
            .take_while(|index| *index != NONE)
            .count()
    }

    #[test]
    fn filling_a_wheel_backwards_is_cheap_and_right() {
        let mut wheel = Wheel::<u64, 18>::new();
        let count = 200_000_u64;
        for i in (0..count).rev() {
            wheel.insert(Time::from_nanoseconds(i * 1_000_000), Rank::FIRST, i);
        }
        for i in 0..count {
            assert_eq!(wheel.head(), Time::from_nanoseconds(i * 1_000_000));
            assert_eq!(wheel.pop(), i);
        }
    }
}
