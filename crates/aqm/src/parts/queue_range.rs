//! Some of the queues of a port, as a scheduler of these alone sees them.

use crate::aqm::Departing;
use crate::scheduler::Backlogs;

/// Queues in a row, numbered from the first of them on.
pub(crate) struct QueueRange<'a> {
    pub(crate) queues: &'a dyn Backlogs,
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// The class of the port that these queues are, if they are one.
    pub(crate) class: Option<usize>,
}

impl Backlogs for QueueRange<'_> {
    fn queues(&self) -> usize {
        self.count
    }

    fn packets(&self, queue: usize) -> u32 {
        self.queues.packets(self.first + queue)
    }

    fn bytes(&self, queue: usize) -> u64 {
        self.queues.bytes(self.first + queue)
    }

    fn waiting(&self) -> u32 {
        match self.class {
            Some(class) => self.queues.waiting_in(class).0,
            None => (0..self.count).map(|queue| self.packets(queue)).sum(),
        }
    }

    fn waiting_in(&self, class: usize) -> (u32, u64) {
        self.queues.waiting_in(class)
    }

    fn head(&self, queue: usize) -> Option<Departing> {
        self.queues.head(self.first + queue)
    }
}
