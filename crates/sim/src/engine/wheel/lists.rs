//! The slots of the page being served, each with a list of nodes.

use super::bits::Bits;
use super::entry::{Entry, NONE, Node};

pub(super) const SLOTS_LOG2: u32 = 8;
/// Slots of a page.
pub(super) const SLOTS: usize = 1 << SLOTS_LOG2;
#[derive(Clone)]

pub(super) struct Lists<T> {
    /// A node of each slot, from which the others follow in no order.
    pub(super) slots: [u32; SLOTS],
    pub(super) occupied: Bits<{ SLOTS / 64 }>,
    pub(super) nodes: Vec<Node<T>>,
    /// The node freed last: it is still in the nearest cache, and used next.
    pub(super) free: u32,
}

impl<T: Copy> Lists<T> {
    pub(super) const fn new() -> Self {
        Self { slots: [NONE; SLOTS], occupied: Bits::EMPTY, nodes: Vec::new(), free: NONE }
    }

    /// Puts an entry into a slot.
    #[inline(always)]
    pub(super) fn link(&mut self, entry: Entry<T>, slot: usize) {
        let slot = slot % SLOTS;
        self.slots[slot] = self.take_node(entry, self.slots[slot]);
        self.occupied.insert(slot);
    }

    /// Makes a node; the caller says what follows it.
    #[inline(always)]
    pub(super) fn take_node(&mut self, entry: Entry<T>, next: u32) -> u32 {
        let index = self.free;
        if let Some(node) = self.nodes.get_mut(index as usize) {
            self.free = node.next;
            *node = Node { entry, next };
            index
        } else {
            self.add_node(Node { entry, next })
        }
    }

    #[cold]
    #[inline(never)]
    fn add_node(&mut self, node: Node<T>) -> u32 {
        let place = u32::try_from(self.nodes.len()).ok().filter(|&place| place != NONE);
        self.nodes.push(node);
        place.expect("as many entries as have places fill the memory of no machine")
    }
}
