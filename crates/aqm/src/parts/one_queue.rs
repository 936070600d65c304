//! The scheduler of one queue that is first in, first out: for a shaper in front of it.

use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_units::Time;

/// Serves the one queue there is, and tells its scheme once that it has become empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneQueue {
    knows_that_it_is_empty: bool,
}

impl Scheduler for OneQueue {
    fn classify(&mut self, _: Time, _: &PacketFacts, _: &HeaderFields, _: &dyn Backlogs) -> usize {
        0
    }

    fn on_queued(&mut self, _now: Time, _queue: usize, _packet: &PacketFacts, _queues: &dyn Backlogs) {
        self.knows_that_it_is_empty = false;
    }

    fn next(&mut self, _now: Time, queues: &dyn Backlogs) -> Turn {
        if queues.waiting() == 0 && self.knows_that_it_is_empty { Turn::Nobody } else { Turn::Queue(0) }
    }

    fn on_sent(&mut self, _now: Time, _queue: usize, _bytes: u32) {}

    fn on_empty(&mut self, _now: Time, _queue: usize) {
        self.knows_that_it_is_empty = true;
    }

    fn victim(&mut self, _now: Time, _queues: &dyn Backlogs) -> Victim {
        Victim { queue: 0, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }
}
