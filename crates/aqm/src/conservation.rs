//! The balance of a port: what arrived has left, was discarded, or waits.

use crate::counters::{Breakdown, Counters, QueueCounters, Tally};
use crate::fifo::Fifo;
use crate::packet::{Codepoint, PacketClass, Queued};

/// A balance that does not close. Either the port has lost count, which is a defect of this crate, or a
/// packet changed its facts while it waited, which is a defect of its [`Queued`] implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConservationError {
    /// Packets of one codepoint and class do not add up.
    #[error(
        "{} {} packets: {came:?} came, but {went:?} went and {waiting:?} wait",
        .codepoint.name(), .class.name()
    )]
    Unbalanced {
        /// The codepoint.
        codepoint: Codepoint,
        /// The class.
        class: PacketClass,
        /// Arrived with this codepoint or got it by a mark.
        came: Tally,
        /// Left, was discarded, or lost this codepoint by a mark.
        went: Tally,
        /// Waits now.
        waiting: Tally,
    },
    /// The length kept in bytes is not the sum over the waiting packets.
    #[error("{kept} bytes are kept as the queue's length, but the waiting packets have {waiting}")]
    Bytes {
        /// The length as kept.
        kept: u64,
        /// The sum.
        waiting: u64,
    },
    /// One of several queues has lost count.
    #[error("queue {queue}: {came:?} came, but {went:?} went and {waiting:?} wait")]
    Queue {
        /// Its number.
        queue: usize,
        /// Arrived there.
        came: Tally,
        /// Left, or was discarded.
        went: Tally,
        /// Waits now.
        waiting: Tally,
    },
    /// A packet that cannot be marked was marked.
    #[error("{0:?} were marked although they are not ECN-capable")]
    MarkedNotEct(Tally),
}

/// The balance of a port whose packets wait in these queues.
pub(crate) fn check<'a, P: Queued + 'a>(
    counters: &Counters,
    queues: impl Iterator<Item = &'a Fifo<P>>,
) -> Result<(), ConservationError> {
    let mut waiting = Breakdown::EMPTY;
    let mut kept = 0;
    for queue in queues {
        queue.iter().for_each(|facts| waiting.count(&facts));
        kept += queue.ip_bytes();
        let counted = waiting.total().bytes;
        if counted != kept {
            return Err(ConservationError::Bytes { kept, waiting: counted });
        }
    }
    let marked_not_ect = counters.marks.of_codepoint(Codepoint::NotEct);
    if marked_not_ect.packets > 0 {
        return Err(ConservationError::MarkedNotEct(marked_not_ect));
    }
    for codepoint in Codepoint::ALL {
        for class in PacketClass::ALL {
            balance(counters, codepoint, class, waiting.of(codepoint, class))?;
        }
    }
    Ok(())
}

/// The balance of one of several queues.
pub(crate) fn check_queue(
    queue: usize,
    counters: &QueueCounters,
    waiting: Tally,
) -> Result<(), ConservationError> {
    let (came, went) = (counters.arrivals, counters.departures + counters.all_discards());
    if came == went + waiting {
        return Ok(());
    }
    Err(ConservationError::Queue { queue, came, went, waiting })
}

/// A mark moves a packet from its codepoint to CE, within its class.
fn balance(
    counters: &Counters,
    codepoint: Codepoint,
    class: PacketClass,
    waiting: Tally,
) -> Result<(), ConservationError> {
    let mut came = counters.arrivals.of(codepoint, class);
    if codepoint == Codepoint::Ce {
        came += counters.marks.of_class(class);
    }
    let went = counters.departures.of(codepoint, class)
        + counters.all_discards().of(codepoint, class)
        + counters.marks.of(codepoint, class);
    if came == went + waiting {
        return Ok(());
    }
    Err(ConservationError::Unbalanced { codepoint, class, came, went, waiting })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::PacketFacts;

    struct Packet(PacketFacts);

    impl Queued for Packet {
        fn facts(&self) -> PacketFacts {
            self.0
        }

        fn mark(&mut self) {
            self.0.codepoint = Codepoint::Ce;
        }
    }

    #[test]
    fn a_mark_of_a_packet_that_cannot_be_marked_is_noticed() {
        let facts =
            PacketFacts { flow: 1, bytes: 1500, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        let empty = Fifo::<Packet>::new(false);
        let mut counters = Counters::ZERO;
        assert_eq!(check(&counters, std::iter::once(&empty)), Ok(()));
        // It arrived, was marked and left as marked: the sums agree, the mark was not allowed.
        counters.arrivals.count(&facts);
        counters.marks.count(&facts);
        counters.departures.count(&PacketFacts { codepoint: Codepoint::Ce, ..facts });
        let marked = Tally { packets: 1, bytes: 1500 };
        assert_eq!(check(&counters, std::iter::once(&empty)), Err(ConservationError::MarkedNotEct(marked)));
    }
}
