//! The trait of a guard: what stands in front of the queues of a port and may refuse what arrives.

use crate::aqm::Reason;
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};

/// What a guard says of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It goes on to what is behind.
    Pass,
    /// It goes on with a mark, if it can be marked and ECN is on; otherwise the port discards it as [`Reason::Early`].
    Signal,
    /// The port discards it, whatever its codepoint.
    Refuse(Reason),
}

/// What became of a packet behind a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It was queued as it came.
    Queued,
    /// It was marked: on arrival, then it was queued too, or on departure, then it was sent too.
    Marked,
    /// It was discarded, on arrival, while it waited, or on departure.
    Discarded(Reason),
    /// It was sent on the link as it had been queued.
    Sent,
}

/// What a guard may see of the queues behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behind {
    /// Packets that wait, in all queues together.
    pub packets: u32,
    /// Bytes that wait.
    pub bytes: u64,
    /// The probability with which the schemes behind now signal congestion to a packet of average size: the mean over
    /// the queues, each by the packets that wait in it.
    pub signal_probability: Probability,
}

/// A filter in front of the queues of a port. It may refuse arrivals, or signal congestion to them, and it is told what the schemes behind it decide about the packets that it let through: which
/// flows are signalled most tells who does not respond.
///
/// Guards stand in a row. An arrival that one refuses is unknown to those behind it, to the scheduler, and to the
/// schemes. A guard owns no clock, no generator and no packet.
pub trait Guard: Send {
    /// Whether an arrival goes on to what is behind.
    fn admits(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind,
        coins: &mut Stream,
    ) -> Admission;

    /// What became of a packet that this guard has let through. A packet that is queued is reported again when it
    /// leaves or is discarded.
    fn on_decision(&mut self, now: Time, packet: &PacketFacts, decision: Decision) {
        let _ = (now, packet, decision);
    }

    /// The next instant at which [`Guard::on_timer`] is due, by the rules of [`crate::Aqm::next_timer`].
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer is due. Called with the due instant itself.
    fn on_timer(&mut self, due: Time, behind: &Behind) {
        let _ = (due, behind);
    }

    /// Reports names (with their unit, where there is one) and values of the state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let _ = sink;
    }
}
