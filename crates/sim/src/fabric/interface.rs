//! A link without a queue discipline: it needs no event of its own to send.

use crate::engine::Rank;
use crate::identifiers::Junction;
use aqmlab_scenario::{Framing, Link};
use aqmlab_units::{Span, Time, TransmissionClock};

/// The interface of a machine or router, whose unlimited queue is first in, first out, so that the instant at which a
/// packet has been sent is known when it is handed over; or a wire, which only delays.
pub(crate) struct Interface {
    pub(crate) to: Junction,
    /// Among which packets its own travel while they are under way.
    pub(crate) rank: Rank,
    delay: Span,
    framing: Framing,
    /// None for a wire, which takes no time to send.
    transmission: Option<TransmissionClock>,
    busy_until: Time,
    /// Whether nothing stands at the far end but a machine that only answers: see `responders.rs`.
    pub(crate) leads_to_responder: bool,
    /// When the last packet arrives of those that are under way to such a machine.
    pub(crate) pending_until: Time,
}

/// What cannot be sent within 146 years is never sent: a slow interface may be handed more in a run than it can send
/// in the range of [`Time`].
const LATEST: Time = Time::from_nanoseconds(1 << 62);

impl Interface {
    /// An idle link whose packets travel among those of `rank`.
    pub(crate) fn new(link: &Link, to: Junction, rank: Rank) -> Self {
        Self {
            to,
            rank,
            delay: link.delay,
            framing: link.framing,
            transmission: link.rate.map(TransmissionClock::new),
            busy_until: Time::ZERO,
            leads_to_responder: false,
            pending_until: Time::ZERO,
        }
    }

    /// Hands over a packet; answers when it arrives at the far end.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, ip_bytes: u16) -> Time {
        let Some(transmission) = &mut self.transmission else { return now + self.delay };
        let wire_bytes = self.framing.wire_bytes(u32::from(ip_bytes));
        let sent = self.busy_until.max(now) + transmission.transmit(wire_bytes);
        self.busy_until = sent.min(LATEST);
        self.busy_until + self.delay
    }

    /// Whether sending takes time; a wire only delays.
    pub(crate) const fn takes_time_to_send(&self) -> bool {
        self.transmission.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_scenario::NodeIndex;
    use aqmlab_units::Rate;

    #[test]
    fn what_a_slow_interface_cannot_send_in_the_range_of_time_arrives_after_every_run() {
        let link = Link {
            name: "slow".to_owned(),
            from: NodeIndex(0),
            to: NodeIndex(1),
            rate: Some(Rate::from_bits_per_second(1_000)),
            trace: None,
            delay: Span::from_milliseconds(100_000),
            framing: Framing { overhead_bytes: 10_000, minimum_frame_bytes: 10_000, gap_bytes: 10_000 },
            queue: None,
            layer2_queued_bytes: 0,
            transmit_ring_packets: 0,
            monitored: false,
            impairment: None,
        };
        let mut interface = Interface::new(&link, Junction::ARRIVED, Rank::FIRST);
        // A packet of 65,535 bytes takes 684 s: 27 million of them would pass the end of the range.
        interface.busy_until = Time::from_nanoseconds((1 << 62) - 1);
        let mut last = interface.busy_until;
        for _ in 0..3 {
            let arrival = interface.send(Time::ZERO, u16::MAX);
            assert!(arrival >= last && arrival > Time::from_seconds(4e9), "{arrival}");
            last = arrival;
        }
        // An interface in front of it and a delay of 100 s behind it still fit.
        assert!(last.nanoseconds() < u64::MAX / 2);
    }
}
