//! What the queues of a port share, and what becomes of a packet that is marked or lost there.

use crate::aqm::{Reason, Verdict};
use crate::counters::Counters;
use crate::packet::{PacketFacts, Queued};
use aqmlab_random::Stream;
use aqmlab_units::Time;

/// What the queues of a port share: its policy, its coins, its counters.
#[repr(C)]
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) ecn: bool,
    pub(crate) coins: Stream,
    pub(crate) counters: Counters,
    /// Bytes that wait in other queues than the one that sends.
    pub(crate) elsewhere_bytes: u64,
}

impl Shared {
    pub(crate) const fn new(ecn: bool, coins: Stream) -> Self {
        Self { ecn, coins, counters: Counters::ZERO, elsewhere_bytes: 0 }
    }

    /// The ECN policy: a signal is a mark when ECN is on and the packet is capable, otherwise a discard.
    #[inline(always)]
    pub(crate) fn marks_on(&self, verdict: &Verdict, facts: &PacketFacts) -> bool {
        matches!(verdict, Verdict::Signal(_)) && self.ecn && facts.codepoint.can_be_marked()
    }

    /// Marks a packet that passes. On arrival this comes after the test for room: what is lost to overflow
    /// was never marked.
    #[cold]
    pub(crate) fn mark<P: Queued>(&mut self, mut packet: P, marked: &mut impl FnMut()) -> P {
        self.counters.marks.count(&packet.facts());
        marked();
        packet.mark();
        packet
    }

    /// The one way by which a packet is lost.
    #[cold]
    pub(crate) fn discard<P: Queued>(
        &mut self,
        packet: P,
        reason: Reason,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        self.counters.discards[reason.index()].count(&packet.facts());
        discarded(packet, reason);
    }

    /// As [`Shared::discard`], of a packet that has waited since `arrived`, which an arrival has not.
    pub(crate) fn discard_after<P: Queued>(
        &mut self,
        (now, arrived): (Time, Option<Time>),
        packet: P,
        reason: Reason,
        discarded: &mut impl FnMut(P, Reason),
    ) {
        self.counters.count_wait_in_vain(now - arrived.unwrap_or(now));
        self.discard(packet, reason, discarded);
    }
}
