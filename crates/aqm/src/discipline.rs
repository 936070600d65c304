//! What a scheme puts in front of a link: one queue, guards in front of one, or guards, a scheduler and several queues.

use crate::aqm::Aqm;
use crate::guard::Guard;
use crate::parts::{Limit, Room, Shaper};
use crate::scheduler::Scheduler;

/// Everything at a port that decides about packets.
pub enum Discipline {
    /// One queue, first in, first out, that nothing stands in front of. The plain case, and the fastest.
    Fifo(Box<dyn Aqm>),
    /// Guards in front of one queue.
    Guarded(Guarded),
    /// Several queues, or guards in front of them.
    Composite(Composite),
}

/// Guards in front of one queue.
///
/// An arrival passes the guards in their order, and then belongs to the scheme of the queue. The limit of the port holds
/// for the queue too.
pub struct Guarded {
    /// In the order in which they are asked.
    pub guards: Vec<Box<dyn Guard>>,
    /// The scheme of the queue.
    pub queue: Box<dyn Aqm>,
    /// How much may wait in the queue.
    pub queue_limit: QueueLimit,
}

/// Guards in front of a scheduler with its queues.
///
/// An arrival passes the guards in their order, is classified by the scheduler, and then belongs to the scheme of its
/// queue. The limit of the port holds for all queues together.
pub struct Composite {
    /// In the order in which they are asked.
    pub guards: Vec<Box<dyn Guard>>,
    /// Who sorts arrivals into queues and serves these.
    pub scheduler: Box<dyn Scheduler>,
    /// The scheme of each queue, in the order of the scheduler's numbers; at least one.
    pub queues: Vec<Box<dyn Aqm>>,
    /// How much may wait in each queue by itself.
    pub queue_limit: QueueLimit,
    /// What holds all queues together to a rate below the link's, if anything does.
    pub shaper: Option<Shaper>,
}

/// How much may wait in one of the queues of a port, beside the limit of the port that holds for all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// As much as in all together: an arrival is queued, and the scheduler says what is discarded for it.
    None,
    /// The limit of the port: an arrival that finds its queue full is discarded, as in a single queue.
    OfPort,
    /// A limit of its own: an arrival that finds its queue full is discarded.
    Own(Limit),
}

impl QueueLimit {
    pub(crate) fn room(self, of_port: Limit) -> Room {
        match self {
            Self::None => Room::UNLIMITED,
            Self::OfPort => of_port.room(),
            Self::Own(limit) => limit.room(),
        }
    }
}

impl Discipline {
    /// One queue under this scheme.
    #[must_use]
    pub fn fifo(scheme: impl Aqm + 'static) -> Self {
        Self::Fifo(Box::new(scheme))
    }

    /// This discipline behind a guard. Guards that are there already stand behind the new one.
    #[must_use]
    pub fn guarded_by(self, guard: Box<dyn Guard>) -> Self {
        match self {
            Self::Fifo(queue) => {
                Self::Guarded(Guarded { guards: vec![guard], queue, queue_limit: QueueLimit::OfPort })
            }
            Self::Guarded(mut guarded) => {
                guarded.guards.insert(0, guard);
                Self::Guarded(guarded)
            }
            Self::Composite(mut composite) => {
                composite.guards.insert(0, guard);
                Self::Composite(composite)
            }
        }
    }
}
