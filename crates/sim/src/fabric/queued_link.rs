//! A link with a queue in front of it.

use super::events::{Events, Timer};
use super::packet::Packet;
use crate::engine::Rank;
use crate::identifiers::{Junction, MonitoredId, QueuedId};
use aqmlab_aqm::{HeaderFields, Port, Queued, Reason, Scheme};
use aqmlab_driver::{MonitoredLink, MonitoredQueue, Sent, TraceClock, port_of};
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
    /// Goes before the other clock, where the rate varies.
    trace: Option<Box<TraceClock>>,
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
    /// Whether a timer is pending at which the port, which holds back what waits, is asked again.
    asks_again: bool,
    /// Whether packets move on when they are queued: see `foretelling.rs`.
    pub(crate) foretells: bool,
    /// Whether they go on to interfaces that get no others.
    pub(crate) feeds_alone: bool,
    /// The clock of the transmissions that are foretold, and when the last of them ends.
    foretold: TransmissionClock,
    foretold_until: Time,
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
        Self {
            port: port_of(link, (rate, scheme), key),
            busy: false,
            monitored,
            to,
            position,
            in_service: Packet::NONE,
            ring: VecDeque::new(),
            ring_packets: link.transmit_ring_packets as usize,
            transmission: TransmissionClock::new(rate),
            trace: link.trace.clone().map(|trace| Box::new(TraceClock::new(trace))),
            transmission_ends: Time::ZERO,
            idle: Span::ZERO,
            framing: link.framing,
            sent: Sent::default(),
            propagation,
            link: number,
            asks_again: false,
            foretells: false,
            feeds_alone: false,
            foretold: TransmissionClock::new(rate),
            foretold_until: Time::ZERO,
        }
    }

    /// Lets the driver take what it can hold, and the link begin to send if it is idle; answers with the packet that
    /// it begins to send. Without a ring the driver asks for a packet only when the link is idle.
    #[inline(always)]
    pub(crate) fn serve(
        &mut self,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let mut begun = None;
        loop {
            let waiting = if self.busy { None } else { self.ring.pop_front() };
            if let Some(packet) = waiting {
                self.transmit(packet, events);
                begun = Some(packet);
                continue;
            }
            if self.busy && self.ring.len() >= self.ring_packets {
                return begun;
            }
            let Some(packet) = self.port.depart(events.now(), discarded) else {
                self.ask_when_port_opens(events);
                return begun;
            };
            if self.busy {
                self.ring.push_back(packet);
            } else {
                self.transmit(packet, events);
                begun = Some(packet);
            }
        }
    }

    /// Every packet that waits in the queue or in the ring, and the one that is being sent or was last.
    pub(crate) fn packets(&self) -> impl Iterator<Item = Packet> + '_ {
        let behind = self.ring.iter().chain(std::iter::once(&self.in_service));
        self.port.waiting().chain(behind).copied()
    }

    /// Sees to it that a port which holds back what waits is asked again.
    #[inline(always)]
    fn ask_when_port_opens(&mut self, events: &mut Events) {
        if let Some(opens) = self.port.opens().filter(|_| !self.asks_again) {
            self.asks_again = true;
            events.wake_at(opens, Timer::Port { link: self.position });
        }
    }

    /// The port is asked again; answers with the packet that the link begins to send.
    pub(crate) fn ask_again(
        &mut self,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        self.asks_again = false;
        if self.has_room_below() { self.serve(events, discarded) } else { None }
    }

    /// Whether an arrival can move on at once.
    #[inline(always)]
    pub(crate) fn has_room_below(&self) -> bool {
        !self.busy || self.ring.len() < self.ring_packets
    }

    #[inline(always)]
    fn transmit(&mut self, packet: Packet, events: &mut Events) {
        self.begin_transmission(packet, events.now());
        events.transmissions.begin(self.position, self.transmission_ends);
    }

    #[inline(always)]
    fn begin_transmission(&mut self, packet: Packet, now: Time) {
        let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes()));
        self.busy = true;
        self.in_service = packet;
        // Zero where one transmission follows the other.
        self.idle += now - self.transmission_ends;
        self.transmission_ends = match &mut self.trace {
            None => now + self.transmission.transmit(wire_bytes),
            Some(trace) => trace.transmit(now, wire_bytes),
        };
    }

    /// A packet arrives at an idle link; answers with the packet that it begins to send.
    #[inline(always)]
    pub(crate) fn send_at_once(
        &mut self,
        packet: Packet,
        header: impl FnOnce(&Packet) -> HeaderFields,
        events: &mut Events,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let Some(packet) = self.port.pass(events.now(), packet, header, discarded) else {
            self.ask_when_port_opens(events);
            return None;
        };
        self.transmit(packet, events);
        if self.ring_packets > 0 {
            self.serve(events, discarded);
        }
        Some(packet)
    }

    /// A packet arrives at a link that foretells: answers with it as it is queued, and when it will have been sent. None if
    /// it is discarded.
    #[inline(always)]
    pub(crate) fn foretell(
        &mut self,
        now: Time,
        packet: Packet,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<(Packet, Time)> {
        self.catch_up(now);
        if self.busy {
            let packet = self.port.accept(now, packet, discarded)?;
            let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes()));
            self.foretold_until += self.foretold.transmit(wire_bytes);
            return Some((packet, self.foretold_until));
        }
        let packet = self.port.pass(now, packet, Queued::header_fields, discarded)?;
        self.begin_transmission(packet, now);
        (self.foretold, self.foretold_until) = (self.transmission, self.transmission_ends);
        Some((packet, self.foretold_until))
    }

    /// Lets happen what was foretold until `now`, included: transmissions that ended since, and the departures behind them,
    /// each at its own instant.
    #[inline(always)]
    pub(crate) fn catch_up(&mut self, now: Time) {
        while self.busy && self.transmission_ends <= now {
            self.end_transmission();
            self.serve_next(self.transmission_ends);
        }
    }

    /// The link takes the next packet into service, if one waits.
    #[inline(always)]
    fn serve_next(&mut self, now: Time) {
        let mut discard =
            |packet: Packet, reason: Reason| unreachable!("{reason:?} of {packet:?}, which was foretold");
        if let Some(packet) = self.port.depart(now, &mut discard) {
            self.begin_transmission(packet, now);
        }
    }

    /// Whether what the port accepts leaves, in the order of arrival and at a constant rate, so that its departure can be
    /// foretold.
    pub(crate) fn keeps_what_it_accepts(&self) -> bool {
        self.ring_packets == 0
            && self.trace.is_none()
            && !self.port.classifies()
            && !self.port.decides_about_waiting()
    }

    /// The transmission has ended; answers with the packet and its frame bytes. Another must be taken into service,
    /// or the event queue told that the link is idle.
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
}

impl MonitoredLink for QueuedLink {
    fn queue(&self) -> &dyn MonitoredQueue {
        &self.port
    }

    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue {
        &mut self.port
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    /// Of the transmission under way the part that is over, gaps between frames counted.
    fn transmitting(&self, now: Time) -> Span {
        let idle = self.idle + (now.max(self.transmission_ends) - self.transmission_ends);
        (now - Time::ZERO) - idle
    }
}
