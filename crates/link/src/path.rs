//! One way of a line as an endpoint without I/O: packets go in, a time-out is asked for, packets come out.
//!
//! ```text
//! send -> queue -> transmission -> propagation -> poll_packet
//! ```
//!
//! A program with endpoints of its own drives it as it drives them: it needs no event queue of these crates.

use crate::framing::Framing;
use crate::link::{Link, News};
use crate::service::ServiceModel;
use aqmlab_aqm::{Counters, Port, PortFacts, Queued, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// A link with a queue, and the propagation delay behind it.
///
/// At one instant ends of transmissions come first, then packets that are sent, then a queue that held back
/// what waits: send what goes out at an instant before [`Path::handle_timeout`] of that instant. Discarded
/// packets are gone; [`Path::counters`] has how many, and why.
///
/// ```
/// use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Queued, Scheme, algorithms::fq_codel};
/// use aqmlab_link::Path;
/// use aqmlab_random::Key;
/// use aqmlab_units::{Rate, Span, Time};
///
/// struct Packet(PacketFacts);
/// impl Queued for Packet {
///     fn facts(&self) -> PacketFacts {
///         self.0
///     }
///     fn mark(&mut self) {
///         self.0.codepoint = Codepoint::Ce;
///     }
/// }
///
/// let queue = Scheme::FqCoDel(fq_codel::Params::default());
/// let rate = Rate::from_megabits_per_second(10.0);
/// let mut path = Path::new(&queue, rate, Span::from_milliseconds(20), Key::from_seed(1));
/// let facts = PacketFacts { flow: 1, bytes: 1250, codepoint: Codepoint::Ect0, class: PacketClass::Datagram };
/// path.send(Time::ZERO, Packet(facts));
/// let mut now = Time::ZERO;
/// let arrived = loop {
///     if let Some(packet) = path.poll_packet(now) {
///         break packet;
///     }
///     now = path.poll_timeout().expect("the packet is under way");
///     path.handle_timeout(now);
/// };
/// // 1,250 bytes take 1 ms at 10 Mbit/s.
/// assert_eq!((arrived.0.flow, now), (1, Time::ZERO + Span::from_milliseconds(21)));
/// ```
#[derive(Clone)]
pub struct Path<P: Queued> {
    link: Link<P>,
    delay: Span,
    /// When the transmission under way ends; [`Time::MAX`] without one.
    ends: Time,
    /// When the queue is asked again that holds back what waits; [`Time::MAX`] if it does not.
    asks_again: Time,
    /// Packets behind the link, with their arrivals.
    under_way: VecDeque<(Time, P)>,
}

impl<P: Queued> Path<P> {
    /// A link of a constant rate behind a queue under this scheme, and the propagation delay. The random
    /// numbers of the queue, its timer phase and the salt of its hash are at a key: two paths with one key
    /// draw the same.
    ///
    /// # Panics
    /// If the scheme [is not valid](Scheme::validate_at).
    #[must_use]
    pub fn new(scheme: &Scheme, rate: Rate, delay: Span, key: Key) -> Self {
        let facts = PortFacts::new(rate).with_timer_phase(key.named("timer phase").uniform(0));
        let facts = facts.with_flow_salt(key.named("flow salt").bits(0));
        let port = Port::new(scheme, facts, key.named("coins").stream());
        let service = (&ServiceModel::Constant, key.named("service"));
        Self::of_link(Link::new(port, service, rate, Framing::NONE, 0), delay)
    }

    /// Any link that has nothing to send yet, such as one with framing, a ring, or a rate that varies.
    #[must_use]
    pub fn of_link(link: Link<P>, delay: Span) -> Self {
        Self { link, delay, ends: Time::MAX, asks_again: Time::MAX, under_way: VecDeque::new() }
    }

    /// A packet is sent into the path.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    pub fn send(&mut self, now: Time, packet: P) {
        self.advance(now);
        let news = self.link.arrive(now, packet, &mut |_, _| {});
        self.note(news);
    }

    /// When to call [`Path::handle_timeout`], and to ask for packets: none while nothing is under way.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let arrives = self.under_way.front().map_or(Time::MAX, |(arrives, _)| *arrives);
        let next = arrives.min(self.ends).min(self.asks_again);
        (next < Time::MAX).then_some(next)
    }

    /// Time has come to `now`.
    ///
    /// # Panics
    /// If `now` lies before an earlier call.
    pub fn handle_timeout(&mut self, now: Time) {
        self.advance(now);
        while self.asks_again <= now {
            self.ask_again();
            self.advance(now);
        }
    }

    /// The next packet that has arrived by `now`, in their order.
    pub fn poll_packet(&mut self, now: Time) -> Option<P> {
        self.advance(now);
        self.under_way.front().is_some_and(|(arrives, _)| *arrives <= now).then_some(())?;
        self.under_way.pop_front().map(|(_, packet)| packet)
    }

    /// What happened at the queue so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        self.link.port().counters()
    }

    /// The link with its queue.
    #[must_use]
    pub const fn link(&self) -> &Link<P> {
        &self.link
    }

    /// Lets time pass until `now`, event by event; a queue that is to be asked again at `now` itself is left.
    fn advance(&mut self, now: Time) {
        while self.ends.min(self.asks_again) < now || self.ends == now {
            if self.ends <= self.asks_again {
                self.end_transmission();
            } else {
                self.ask_again();
            }
        }
    }

    fn end_transmission(&mut self) {
        let now = std::mem::replace(&mut self.ends, Time::MAX);
        while self.link.is_sending() {
            self.under_way.push_back((now + self.delay, self.link.end_transmission()));
        }
        let news = self.link.serve(now, &mut |_, _| {});
        self.note(news);
    }

    fn ask_again(&mut self) {
        let now = std::mem::replace(&mut self.asks_again, Time::MAX);
        let news = self.link.ask_again(now, &mut |_, _| {});
        self.note(news);
    }

    fn note(&mut self, news: News) {
        self.ends = news.begun.unwrap_or(self.ends);
        self.asks_again = news.asks_again.map_or(self.asks_again, |at| at.min(self.asks_again));
    }
}
