//! What a scheme puts in front of a link: one queue, or guards and a scheduler in front of one or several.

use crate::ack_filter::AckFilter;
use crate::aqm::Aqm;
use crate::guard::Guard;
use crate::limit::{Limit, Room};
use crate::scheduler::Scheduler;

/// Everything at a port that decides about packets.
pub enum Discipline {
    /// One queue, first in, first out, that nothing stands in front of. The plain case, and the fastest.
    Fifo(Box<dyn Aqm>),
    /// Everything else.
    Scheduled(Scheduled),
}

/// Guards and a scheduler in front of queues.
///
/// An arrival passes the guards in their order, is classified by the scheduler, and then belongs to the
/// scheme of its queue. The limit of the port holds for all queues together.
pub struct Scheduled {
    /// In the order in which they are asked.
    pub guards: Vec<Box<dyn Guard>>,
    /// Who sorts arrivals into queues and serves these; none in front of a single queue that is first in,
    /// first out.
    pub scheduler: Option<Box<dyn Scheduler>>,
    /// The scheme of each queue, in the order of the scheduler's numbers; at least one.
    pub queues: Vec<Box<dyn Aqm>>,
    /// How much may wait in each queue by itself.
    pub queue_limit: QueueLimit,
    /// What takes acknowledgements out of queues that later ones make redundant; these queues discard at
    /// their heads alone.
    pub ack_filter: Option<AckFilter>,
    /// Whether packets lose their differentiated services codepoint once they are classified.
    pub washes: bool,
    /// The classes that the queues belong to, in the order of the queues; none where all are alike. The
    /// limit, the filter and the washing above are then those of the classes.
    pub classes: Vec<QueueClass>,
}

/// Queues that have a scheme in common, and a buffer of their own within that of the port.
pub struct QueueClass {
    /// How many there are.
    pub queues: usize,
    /// How much may wait in each.
    pub queue_limit: QueueLimit,
    /// How much may wait in all of them together.
    pub limit: Limit,
    /// Whether a signal marks packets that can be marked.
    pub ecn: bool,
    /// What takes acknowledgements out of them.
    pub ack_filter: Option<AckFilter>,
    /// Whether packets lose their differentiated services codepoint here.
    pub washes: bool,
}

/// How much may wait in one of the queues of a port, beside the limit of the port that holds for all
/// together.
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

impl Scheduled {
    /// A guard in front of one queue.
    #[must_use]
    pub fn guarded_queue(guard: Box<dyn Guard>, queue: Box<dyn Aqm>, queue_limit: QueueLimit) -> Self {
        Self {
            guards: vec![guard],
            scheduler: None,
            queues: vec![queue],
            queue_limit,
            ack_filter: None,
            washes: false,
            classes: Vec::new(),
        }
    }

    /// A scheduler in front of queues that share their room.
    #[must_use]
    pub fn queues(scheduler: Box<dyn Scheduler>, queues: Vec<Box<dyn Aqm>>) -> Self {
        let (scheduler, queue_limit) = (Some(scheduler), QueueLimit::None);
        Self {
            guards: Vec::new(),
            scheduler,
            queues,
            queue_limit,
            ack_filter: None,
            washes: false,
            classes: Vec::new(),
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
        Self::Scheduled(match self {
            Self::Fifo(queue) => Scheduled::guarded_queue(guard, queue, QueueLimit::OfPort),
            Self::Scheduled(mut scheduled) => {
                scheduled.guards.insert(0, guard);
                scheduled
            }
        })
    }
}
