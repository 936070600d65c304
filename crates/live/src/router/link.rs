//! Links: with a queue, and without.

use super::network::Packet;
use crate::kernel_queue::KernelQueue;
use aqmlab_aqm::{Port, Reason, Scheme};
use aqmlab_driver::{MonitoredLink, MonitoredQueue, Sent, TraceClock, port_of};
use aqmlab_random::Key;
use aqmlab_scenario::{Framing, Link, LinkIndex};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use std::collections::VecDeque;

/// A link with a queue discipline.
pub(crate) struct QueuedLink {
    pub(crate) port: Port<Packet>,
    /// In its place, where the queue is the kernel's.
    pub(crate) kernel: Option<KernelQueue>,
    /// Packets that have left that and have not begun to be sent on.
    pub(crate) leaving: u64,
    pub(crate) link: LinkIndex,
    pub(crate) monitored: bool,
    /// Propagation delay.
    pub(crate) delay: Span,
    in_service: Option<Packet>,
    /// Packets that the driver has taken out of the queue and the link has not begun to send.
    ring: VecDeque<Packet>,
    ring_packets: usize,
    transmission: TransmissionClock,
    /// Goes before the other clock, where the rate varies.
    trace: Option<TraceClock>,
    transmission_ends: Time,
    /// When the port was last said to open, which holds back what waits.
    opens: Time,
    /// Time without a transmission before the present or last one began.
    idle: Span,
    framing: Framing,
    sent: Sent,
}

impl QueuedLink {
    pub(crate) fn new(number: LinkIndex, link: &Link, (rate, scheme): (Rate, &Scheme), key: Key) -> Self {
        Self {
            port: port_of(link, (rate, scheme), key),
            kernel: None,
            leaving: 0,
            link: number,
            monitored: link.monitored,
            delay: link.delay,
            in_service: None,
            ring: VecDeque::new(),
            ring_packets: link.transmit_ring_packets as usize,
            transmission: TransmissionClock::new(rate),
            trace: link.trace.clone().map(TraceClock::new),
            transmission_ends: Time::ZERO,
            opens: Time::ZERO,
            idle: Span::ZERO,
            framing: link.framing,
            sent: Sent::default(),
        }
    }

    /// Lets the driver take what it can hold, and the link begin to send if it is idle; answers with the end of the
    /// transmission that it begins.
    pub(crate) fn serve(&mut self, now: Time, discarded: &mut impl FnMut(Packet, Reason)) -> Option<Time> {
        let mut begun = None;
        loop {
            let waiting = if self.in_service.is_some() { None } else { self.ring.pop_front() };
            if let Some(packet) = waiting {
                begun = Some(self.transmit(packet, now));
                continue;
            }
            if self.in_service.is_some() && self.ring.len() >= self.ring_packets {
                return begun;
            }
            let Some(packet) = self.port.depart(now, discarded) else { return begun };
            if self.in_service.is_some() {
                self.ring.push_back(packet);
            } else {
                begun = Some(self.transmit(packet, now));
            }
        }
    }

    /// When an idle link has to ask a port again that holds back what waits; told once.
    pub(crate) fn asks_again(&mut self) -> Option<Time> {
        let opens = if self.in_service.is_none() { self.port.opens() } else { None };
        let news = opens.filter(|&opens| opens > self.opens);
        self.opens = news.unwrap_or(self.opens);
        news
    }

    fn transmit(&mut self, packet: Packet, now: Time) -> Time {
        let wire_bytes = self.framing.wire_bytes(packet.facts.bytes);
        self.in_service = Some(packet);
        self.idle += now - self.transmission_ends;
        self.transmission_ends = match &mut self.trace {
            None => now + self.transmission.transmit(wire_bytes),
            Some(trace) => trace.transmit(now, wire_bytes),
        };
        self.transmission_ends
    }

    /// The transmission has ended; answers with the packet.
    pub(crate) fn end_transmission(&mut self) -> Packet {
        let Some(packet) = self.in_service.take() else { unreachable!("nothing was being sent") };
        self.count_sent(packet.facts.bytes);
        packet
    }

    fn count_sent(&mut self, ip_bytes: u32) {
        self.sent.frames += 1;
        self.sent.frame_bytes += u64::from(self.framing.frame_bytes(ip_bytes));
        self.sent.ip_bytes += u64::from(ip_bytes);
    }

    /// The kernel has let a packet go; answers with the end of its transmission, which begins when those before it are over.
    pub(crate) fn send_on(&mut self, now: Time, ip_bytes: u32) -> Time {
        let begins = now.max(self.transmission_ends);
        self.idle += begins - self.transmission_ends;
        self.transmission_ends = begins + self.transmission.transmit(self.framing.wire_bytes(ip_bytes));
        self.count_sent(ip_bytes);
        self.transmission_ends
    }

    /// Packets that wait or are being sent.
    pub(crate) fn held(&self) -> u64 {
        u64::from(self.queue().packets()) + self.under_way()
    }

    /// Packets that have left the queue and not the link.
    pub(crate) fn under_way(&self) -> u64 {
        u64::from(self.in_service.is_some()) + self.ring.len() as u64 + self.leaving
    }

    /// Frames that were sent so far.
    pub(crate) fn frames(&self) -> u64 {
        self.sent.frames
    }
}

impl MonitoredLink for QueuedLink {
    fn queue(&self) -> &dyn MonitoredQueue {
        match &self.kernel {
            None => &self.port,
            Some(kernel) => kernel,
        }
    }

    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue {
        match &mut self.kernel {
            None => &mut self.port,
            Some(kernel) => kernel,
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn transmitting(&self, now: Time) -> Span {
        let idle = self.idle + (now.max(self.transmission_ends) - self.transmission_ends);
        (now - Time::ZERO) - idle
    }
}

/// A link with a rate and an unlimited queue, first in, first out: when a packet has been sent is known when it comes.
pub(crate) struct Serializer {
    transmission: TransmissionClock,
    busy_until: Time,
    framing: Framing,
    delay: Span,
}

impl Serializer {
    pub(crate) fn new(rate: Rate, link: &Link) -> Self {
        Self {
            transmission: TransmissionClock::new(rate),
            busy_until: Time::ZERO,
            framing: link.framing,
            delay: link.delay,
        }
    }

    /// When a packet that comes `now` reaches the far end.
    pub(crate) fn send(&mut self, now: Time, ip_bytes: u32) -> Time {
        let took = self.transmission.transmit(self.framing.wire_bytes(ip_bytes));
        self.busy_until = self.busy_until.max(now) + took;
        self.busy_until + self.delay
    }
}
