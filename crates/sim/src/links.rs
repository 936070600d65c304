//! The two kinds of links that take time: with a queue in front of them, and without.

use crate::agenda::Agenda;
use crate::identifiers::{Junction, MonitoredId, QueuedId};
use crate::packet::Packet;
use crate::snapshot::LinkSnapshot;
use crate::wheel::Rank;
use aqmlab_aqm::{Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_scenario::{Framing, Link, LinkIndex};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use std::collections::VecDeque;

/// A link with a queue discipline.
pub(crate) struct QueuedLink {
    pub(crate) port: Port<Packet>,
    /// Whether a packet is being sent.
    pub(crate) busy: bool,
    /// Its place among the monitored links, if it is one: its code in the tables.
    pub(crate) monitored: Option<MonitoredId>,
    pub(crate) to: Junction,
    /// Its place among the links with a queue.
    pub(crate) position: QueuedId,
    /// The packet that is being sent, or was last.
    in_service: Packet,
    /// Packets that the driver has taken out of the queue and the link has not begun to send.
    pub(crate) ring: VecDeque<Packet>,
    ring_packets: usize,
    transmission: TransmissionClock,
    /// When the present transmission ends, or the last one did.
    transmission_ends: Time,
    /// Time without a transmission before the present or last one began.
    idle: Span,
    framing: Framing,
    pub(crate) sent: Sent,
    /// Pipe of the propagation delay, if there is one.
    pub(crate) propagation: Option<(Rank, Span)>,
    /// Its number in the scenario.
    pub(crate) link: LinkIndex,
}

/// What has left a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) frames: u64,
    pub(crate) frame_bytes: u64,
    pub(crate) ip_bytes: u64,
}

impl Sent {
    pub(crate) const fn minus(self, earlier: Self) -> Self {
        Self {
            frames: self.frames - earlier.frames,
            frame_bytes: self.frame_bytes - earlier.frame_bytes,
            ip_bytes: self.ip_bytes - earlier.ip_bytes,
        }
    }
}

impl QueuedLink {
    /// An idle link at this place among those with a queue, at this place among the monitored ones if it is one of
    /// them, and number `number` of the scenario.
    pub(crate) fn new(
        (position, monitored, number): (QueuedId, Option<MonitoredId>, LinkIndex),
        link: &Link,
        to: Junction,
        (rate, scheme): (Rate, &Scheme),
        propagation: Option<(Rank, Span)>,
        key: Key,
    ) -> Self {
        let key = key.named("queue").named(&link.name);
        let facts = PortFacts::new(rate).with_timer_phase(key.named("timer phase").uniform(0));
        Self {
            port: Port::new(scheme, facts, key.named("coins").stream()),
            busy: false,
            monitored,
            to,
            position,
            in_service: Packet::NONE,
            ring: VecDeque::new(),
            ring_packets: link.transmit_ring_packets as usize,
            transmission: TransmissionClock::new(rate),
            transmission_ends: Time::ZERO,
            idle: Span::ZERO,
            framing: link.framing,
            sent: Sent::default(),
            propagation,
            link: number,
        }
    }

    /// Lets the driver take what it can hold, and the link begin to send if it is idle; answers with the packet that
    /// it begins to send. Without a ring the driver asks for a packet only when the link is idle.
    #[inline(always)]
    pub(crate) fn serve(
        &mut self,
        now: Time,
        agenda: &mut Agenda,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let mut begun = None;
        loop {
            let waiting = if self.busy { None } else { self.ring.pop_front() };
            if let Some(packet) = waiting {
                self.transmit(now, packet, agenda);
                begun = Some(packet);
                continue;
            }
            if self.busy && self.ring.len() >= self.ring_packets {
                return begun;
            }
            let Some(packet) = self.port.depart(now, discarded) else { return begun };
            if self.busy {
                self.ring.push_back(packet);
            } else {
                self.transmit(now, packet, agenda);
                begun = Some(packet);
            }
        }
    }

    /// Whether an arrival can move on at once.
    #[inline(always)]
    pub(crate) fn has_room_below(&self) -> bool {
        !self.busy || self.ring.len() < self.ring_packets
    }

    #[inline(always)]
    fn transmit(&mut self, now: Time, packet: Packet, agenda: &mut Agenda) {
        let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes()));
        self.busy = true;
        self.in_service = packet;
        // Zero where one transmission follows the other.
        self.idle += now - self.transmission_ends;
        self.transmission_ends = now + self.transmission.transmit(wire_bytes);
        agenda.transmissions.begin(self.position, self.transmission_ends);
    }

    /// How long the link has been transmitting until `now`: of the transmission under way the part that is over,
    /// gaps between frames counted.
    pub(crate) fn transmitting(&self, now: Time) -> Span {
        let idle = self.idle + (now.max(self.transmission_ends) - self.transmission_ends);
        (now - Time::ZERO) - idle
    }

    /// The transmission has ended; answers with the packet and its frame bytes. Another must be taken into service,
    /// or the agenda told that the link is idle.
    #[inline(always)]
    pub(crate) fn end_transmission(&mut self) -> (Packet, u32) {
        let packet = self.in_service;
        let frame_bytes = self.framing.frame_bytes(u32::from(packet.ip_bytes()));
        self.busy = false;
        self.sent.frames += 1;
        self.sent.frame_bytes += u64::from(frame_bytes);
        self.sent.ip_bytes += u64::from(packet.ip_bytes());
        (packet, frame_bytes)
    }

    /// Counters of the port and of the link at this instant.
    pub(crate) fn snapshot(&self, now: Time) -> LinkSnapshot {
        LinkSnapshot {
            counters: self.port.counters().clone(),
            sent: self.sent,
            transmitting: self.transmitting(now),
        }
    }
}

/// A link that needs no event of its own to send: its unlimited queue is first in, first out, so the instant at
/// which a packet has been sent is known when it is handed over.
pub(crate) struct Passage {
    pub(crate) to: Junction,
    /// Among which packets its own travel while they are under way.
    pub(crate) rank: Rank,
    delay: Span,
    framing: Framing,
    /// None for a wire, which takes no time to send.
    transmission: Option<TransmissionClock>,
    busy_until: Time,
}

/// What cannot be sent within 146 years is never sent: a slow interface may be handed more in a run than it can send
/// in the range of [`Time`].
const LATEST: Time = Time::from_nanoseconds(1 << 62);

impl Passage {
    /// An idle link whose packets travel among those of `rank`.
    pub(crate) fn new(link: &Link, to: Junction, rank: Rank) -> Self {
        Self {
            to,
            rank,
            delay: link.delay,
            framing: link.framing,
            transmission: link.rate.map(TransmissionClock::new),
            busy_until: Time::ZERO,
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
    pub(crate) const fn is_interface(&self) -> bool {
        self.transmission.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_scenario::NodeIndex;

    #[test]
    fn what_a_slow_interface_cannot_send_in_the_range_of_time_arrives_after_every_run() {
        let link = Link {
            name: "slow".to_owned(),
            from: NodeIndex(0),
            to: NodeIndex(1),
            rate: Some(Rate::from_bits_per_second(1_000)),
            delay: Span::from_milliseconds(100_000),
            framing: Framing { overhead_bytes: 10_000, minimum_frame_bytes: 10_000, gap_bytes: 10_000 },
            queue: None,
            transmit_ring_packets: 0,
            monitored: false,
            impairment: None,
        };
        let mut passage = Passage::new(&link, Junction::ARRIVED, Rank::FIRST);
        // A packet of 65,535 bytes takes 684 s: 27 million of them would pass the end of the range.
        passage.busy_until = Time::from_nanoseconds((1 << 62) - 1);
        let mut last = passage.busy_until;
        for _ in 0..3 {
            let arrival = passage.send(Time::ZERO, u16::MAX);
            assert!(arrival >= last && arrival > Time::from_seconds(4e9), "{arrival}");
            last = arrival;
        }
        // An interface in front of it and a delay of 100 s behind it still fit.
        assert!(last.nanoseconds() < u64::MAX / 2);
    }
}
