//! What can be pending in a run: packets, and timers of endpoints and applications.

use super::packet::Packet;
use crate::engine::EventQueue;
use crate::identifiers::QueuedId;
use aqmlab_session::{Alarm, AnswerId, ContinuationId, DatagramSourceId, FlowId, PopulationId};

/// The event queue of a run.
pub(crate) type Events = EventQueue<Packet, Timer>;

/// Who wanted to be woken. The applications' [`Alarm`] is spread out, so that a timer has eight bytes; with a
/// variant that holds it, it has twelve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    User {
        population: PopulationId,
        user: u32,
    },
    Connection {
        connection: u32,
        generation: u16,
    },
    Flow {
        flow: FlowId,
    },
    Continuation {
        continuation: ContinuationId,
    },
    Answer {
        answer: AnswerId,
    },
    Datagrams {
        source: DatagramSourceId,
    },
    /// A datagram has arrived of which applications hear.
    HeardDatagram,
    /// A program in the router pings a reflector.
    Ping {
        pinger: u32,
    },
    /// It measures the load of its shapers.
    ShaperLoad,
    /// A link asks its port again, which has held back what waits.
    Port {
        link: QueuedId,
    },
}

impl From<Alarm> for Timer {
    #[inline]
    fn from(alarm: Alarm) -> Self {
        match alarm {
            Alarm::User { population, user } => Self::User { population, user },
            Alarm::Flow { flow } => Self::Flow { flow },
            Alarm::Continuation { continuation } => Self::Continuation { continuation },
            Alarm::Answer { answer } => Self::Answer { answer },
            Alarm::Datagrams { source } => Self::Datagrams { source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_is_small() {
        assert_eq!(size_of::<Timer>(), 8);
    }
}
