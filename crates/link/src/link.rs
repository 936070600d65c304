//! A link with a queue: who is taken out of the queue, and when.
//!
//! ```text
//! arrival -> port -> driver's ring -> transmission -> far end
//! ```
//!
//! Without a ring the driver asks the port for a packet only when the link is idle; with one it takes packets
//! ahead of transmission, as many as the ring holds, and the queue discipline no longer sees them.

use crate::framing::Framing;
use crate::monitored::{MonitoredLink, MonitoredQueue, Sent};
use crate::serializer::Serializer;
use crate::service::{Load, Service, ServiceModel};
use crate::transmitter::{Pace, Transmitter};
use aqmlab_aqm::{Headers, Port, Queued, Reason};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// What a driver has to remember after something happened at a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct News {
    /// A transmission has begun: when to call [`Link::end_transmission`].
    pub begun: Option<Time>,
    /// The port holds back what waits: when to call [`Link::ask_again`], after everything else that happens
    /// at that instant. Said again where that becomes earlier.
    pub asks_again: Option<Time>,
}

impl News {
    const NONE: Self = Self { begun: None, asks_again: None };
}

/// A link with a queue in front of it.
#[derive(Clone)]
pub struct Link<P: Queued> {
    pub(crate) port: Port<P>,
    /// What is being sent: the first packet of the transmission, and the others.
    pub(crate) in_service: Option<P>,
    beside: VecDeque<P>,
    /// Packets that have been taken out of the queue and the link has not begun to send: as many as the
    /// driver's ring holds, or one that did not fit in the present transmission.
    ring: VecDeque<P>,
    pub(crate) ring_packets: usize,
    pub(crate) transmitter: Transmitter,
    /// Whether another link sends on its channel.
    held: bool,
    /// When the driver was told to ask again, the earliest of these instants; [`Time::MAX`] if it was not.
    asks_again: Time,
    /// The transmissions of packets that wait: see `prediction.rs`.
    pub(crate) predicted: Serializer,
}

impl<P: Queued> Link<P> {
    /// An idle link of this rate behind a port. What is random of its service has its numbers at a key. Its
    /// driver's ring holds so many packets; 0 is no ring.
    #[must_use]
    pub fn new(
        port: Port<P>,
        service: (&ServiceModel, Key),
        rate: Rate,
        framing: Framing,
        ring_packets: u32,
    ) -> Self {
        let transmitter = Transmitter::new(service, rate, framing);
        Self {
            port,
            in_service: None,
            beside: VecDeque::new(),
            ring: VecDeque::new(),
            ring_packets: ring_packets as usize,
            transmitter,
            held: false,
            asks_again: Time::MAX,
            predicted: Serializer::new(rate, framing),
        }
    }

    /// The same link with another service.
    #[must_use]
    pub fn served_by(self, service: Box<dyn Service>) -> Self {
        let transmitter = Transmitter::at_pace(Pace::Varying(service), self.transmitter.framing());
        Self { transmitter, ..self }
    }

    /// Whether every transmission takes the time of its bytes at one rate, which can be changed.
    #[must_use]
    pub const fn has_constant_rate(&self) -> bool {
        self.transmitter.is_constant()
    }

    /// Sends at another rate from the next transmission on; answers whether it does, which it does not where
    /// the rate varies by itself. Not for links whose departures are [predicted](Link::predict): they hold
    /// for the old rate.
    #[must_use]
    pub fn change_rate(&mut self, rate: Rate) -> bool {
        self.transmitter.change_rate(rate)
    }

    /// A packet arrives; what is discarded is handed over with the reason.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, packet: P, discarded: &mut impl FnMut(P, Reason)) -> News {
        self.arrive_with(now, packet, P::header_fields, discarded)
    }

    /// As [`Link::arrive`], of a packet that does not carry what several queues are sorted by: see
    /// [`Port::arrive_with`].
    #[inline(always)]
    pub fn arrive_with(
        &mut self,
        now: Time,
        packet: P,
        headers: impl Headers<P>,
        discarded: &mut impl FnMut(P, Reason),
    ) -> News {
        if self.is_busy() {
            self.port.arrive_with(now, packet, headers, discarded);
            return if self.has_room_below() { self.serve(now, discarded) } else { News::NONE };
        }
        let Some(packet) = self.port.pass(now, packet, headers, discarded) else {
            return News { asks_again: self.held_back(), ..News::NONE };
        };
        let begun = Some(self.begin(now, packet, discarded));
        if self.ring_packets == 0 {
            return News { begun, ..News::NONE };
        }
        News { begun, ..self.serve(now, discarded) }
    }

    /// A packet is lost on its way to the queue: see [`Port::lose`].
    pub fn lose(&mut self, packet: P, discarded: &mut impl FnMut(P, Reason)) {
        self.port.lose(packet, discarded);
    }

    /// The transmission has ended: takes its next packet, which has left. While the link [is
    /// sending](Link::is_sending) there are others of the same transmission, to be taken in the same way;
    /// then it has to be [served](Link::serve).
    ///
    /// # Panics
    /// If nothing was being sent.
    #[inline(always)]
    pub fn end_transmission(&mut self) -> P {
        let Some(packet) = self.in_service.take() else { panic!("nothing was being sent") };
        if !self.beside.is_empty() {
            self.in_service = self.beside.pop_front();
        }
        self.transmitter.count(packet.facts().bytes);
        packet
    }

    /// Lets the driver take what its ring has room for, and the link begin to send if it is idle.
    #[inline(always)]
    pub fn serve(&mut self, now: Time, discarded: &mut impl FnMut(P, Reason)) -> News {
        let mut news = News::NONE;
        loop {
            let is_busy = self.is_busy();
            if is_busy && self.ring.len() >= self.ring_packets {
                return news;
            }
            if !is_busy && let Some(packet) = self.ring.pop_front() {
                news.begun = Some(self.begin(now, packet, discarded));
                continue;
            }
            let Some(packet) = self.port.depart(now, discarded) else {
                news.asks_again = self.held_back();
                return news;
            };
            if is_busy {
                self.ring.push_back(packet);
            } else {
                news.begun = Some(self.begin(now, packet, discarded));
            }
        }
    }

    /// The instant has come at which the link wanted to ask its port again.
    pub fn ask_again(&mut self, now: Time, discarded: &mut impl FnMut(P, Reason)) -> News {
        if self.asks_again <= now {
            self.asks_again = Time::MAX;
        }
        if self.has_room_below() { self.serve(now, discarded) } else { News::NONE }
    }

    /// When to ask the port again, if it holds back what waits and the driver was not told of so early an
    /// instant.
    #[inline(always)]
    fn held_back(&mut self) -> Option<Time> {
        let opens = self.port.opens().filter(|&opens| opens < self.asks_again)?;
        self.asks_again = opens;
        Some(opens)
    }

    /// Begins to send a packet, and those that travel with it; returns when that is over.
    #[inline(always)]
    fn begin(&mut self, now: Time, packet: P, discarded: &mut impl FnMut(P, Reason)) -> Time {
        let load = self.transmitter.load_of(packet.facts().bytes);
        self.in_service = Some(packet);
        let load = if self.transmitter.is_constant() { load } else { self.gather(now, load, discarded) };
        self.transmitter.begin(now, load)
    }

    /// Takes what travels in the transmission that begins now, beside its first packet. A packet that the
    /// queue has given and that no longer fits waits for the next transmission in the ring, where the queue
    /// discipline does not see it.
    #[inline(never)]
    fn gather(&mut self, now: Time, first: Load, discarded: &mut impl FnMut(P, Reason)) -> Load {
        const SMALLEST: Load = Load { packets: 1, wire_bytes: 1 };
        let mut load = first;
        while self.transmitter.carries(load.with(SMALLEST)) {
            if self.ring.is_empty() {
                self.ring.extend(self.port.depart(now, discarded));
            }
            let Some(next) = self.ring.front() else { break };
            let with_next = load.with(self.transmitter.load_of(next.facts().bytes));
            if !self.transmitter.carries(with_next) {
                break;
            }
            self.beside.extend(self.ring.pop_front());
            load = with_next;
        }
        load
    }

    /// Whether a packet is being sent.
    #[must_use]
    #[inline(always)]
    pub const fn is_sending(&self) -> bool {
        self.in_service.is_some()
    }

    /// Whether a packet has to wait: another is being sent, here or by another link on the same channel.
    #[inline(always)]
    const fn is_busy(&self) -> bool {
        self.is_sending() || self.held
    }

    /// Begins no transmission, as long as another link sends on the same [`Channel`](crate::Channel), or may
    /// again; what waits is not asked for.
    pub const fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Whether packets wait, in the queue or in the ring.
    #[must_use]
    pub fn has_something(&self) -> bool {
        self.port.packets() > 0 || !self.ring.is_empty()
    }

    /// Whether packets are being sent beside the one [in service](Link::in_service).
    #[must_use]
    pub fn carries_another(&self) -> bool {
        !self.beside.is_empty()
    }

    /// The packet that is being sent, the first where there are several.
    #[must_use]
    #[inline(always)]
    pub const fn in_service(&self) -> Option<&P> {
        self.in_service.as_ref()
    }

    /// Whether a packet can be taken out of the queue now.
    #[inline(always)]
    fn has_room_below(&self) -> bool {
        !self.is_busy() || self.ring.len() < self.ring_packets
    }

    /// The queue.
    #[must_use]
    pub const fn port(&self) -> &Port<P> {
        &self.port
    }

    /// The queue, for who adjusts its parameters.
    pub const fn port_mut(&mut self) -> &mut Port<P> {
        &mut self.port
    }

    /// What the link layer adds to a packet.
    #[must_use]
    pub const fn framing(&self) -> Framing {
        self.transmitter.framing()
    }

    /// Packets that have left the queue and not the link.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        u64::from(self.is_sending()) + (self.beside.len() + self.ring.len()) as u64
    }

    /// Every packet that waits in the queue or in the ring, or is being sent.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        self.port.waiting().chain(&self.ring).chain(&self.in_service).chain(&self.beside)
    }
}

impl<P: Queued> MonitoredLink for Link<P> {
    fn queue(&self) -> &dyn MonitoredQueue {
        &self.port
    }

    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue {
        &mut self.port
    }

    fn sent(&self) -> Sent {
        self.transmitter.sent()
    }

    fn transmitting(&self, now: Time) -> Span {
        self.transmitter.transmitting(now)
    }
}
