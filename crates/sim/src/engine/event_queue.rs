//! The event queue: everything that is pending in a run, in one place, and the present instant.
//!
//! Packets under way lie in one timing wheel, timers in another with wider slots; of transmissions only the
//! ends are kept. A packet that is there in a moment waits beside the wheel: nearly always it is next, and
//! then never enters it.
//!
//! **The order of equal instants is part of the contract:** samples, then ends of transmissions in the order
//! of the links, then packets that begin without an interface or a delay, then packets in pipes in the order
//! of the pipes, then packets with delays of their own, then timers; and within each of these, the order of
//! insertion. A [`Rank`] says where a packet stands in it.

use super::transmissions::Transmissions;
use super::wheel::{Pending, Rank, Wheel};
use aqmlab_units::Time;

/// Packets with a delay of their own; lower ranks are pipes.
pub(crate) const DELAYED: Rank = Rank::LAST;
const TIMERS: Rank = Rank::FIRST;

/// What kind of event is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// The next instant at which something is sampled.
    Sample,
    /// The end of a transmission.
    Transmission,
    /// The arrival of a packet.
    Packet,
    /// The arrival of the packet that was to be there soon.
    PacketSoon,
    /// Somebody wanted to be woken.
    Timer,
}

/// The pending events of a run whose packets and timers are of these types.
#[derive(Clone)]
pub(crate) struct EventQueue<P, T> {
    now: Time,
    pub(crate) transmissions: Transmissions,
    /// Slots of 2 µs, a horizon of 0.27 s (longer delays go through the heap).
    packets: Wheel<P, 11>,
    /// A packet that is there in a moment, and when; [`Time::MAX`] if there is none.
    soon: Option<Pending<P>>,
    soon_instant: Time,
    /// Slots of 0.26 ms, a horizon of 34 s, which holds all but long think times.
    timers: Wheel<T, 18>,
    sample: Time,
    /// The earliest of the next sample and the next timer.
    sample_or_timer: Time,
    /// The earliest of these and the packet that is there in a moment.
    unlike_packets: Time,
}

impl<P: Copy, T: Copy> EventQueue<P, T> {
    /// An empty queue for a network with this many links with a queue.
    pub(crate) fn new(links: usize) -> Self {
        Self {
            now: Time::ZERO,
            transmissions: Transmissions::new(links),
            packets: Wheel::new(),
            soon: None,
            soon_instant: Time::MAX,
            timers: Wheel::new(),
            sample: Time::MAX,
            sample_or_timer: Time::MAX,
            unlike_packets: Time::MAX,
        }
    }

    /// Whether more packets have travelled than can be put into order.
    pub(crate) const fn is_worn_out(&self) -> bool {
        self.packets.is_worn_out() || self.timers.is_worn_out()
    }

    /// The present instant.
    #[inline(always)]
    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// Turns the clock forward.
    #[inline(always)]
    pub(crate) fn advance(&mut self, instant: Time) {
        debug_assert!(instant >= self.now, "time ran backwards: {instant} after {}", self.now);
        self.now = instant;
    }

    /// What comes next, and when; the instant is beyond the end of every run when nothing is pending.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> (Time, EventKind) {
        let packet = self.packets.head();
        let transmission = self.transmissions.first_end();
        let (instant, next) = if transmission <= packet {
            (transmission, EventKind::Transmission)
        } else {
            (packet, EventKind::Packet)
        };
        if instant < self.unlike_packets {
            (instant, next)
        } else if self.soon_instant < instant.min(self.sample_or_timer) {
            (self.soon_instant, EventKind::PacketSoon)
        } else {
            self.next_unlike_packets(instant, next)
        }
    }

    #[inline(never)]
    fn next_unlike_packets(&mut self, instant: Time, next: EventKind) -> (Time, EventKind) {
        if let Some(soon) = self.take_soon() {
            // It is not next, or something else is due at the same instant: the wheel knows the order.
            self.packets.insert_pending(soon);
            return self.next();
        }
        if self.sample == self.unlike_packets {
            (self.sample, EventKind::Sample)
        } else if instant == self.unlike_packets {
            (instant, next)
        } else {
            (self.unlike_packets, EventKind::Timer)
        }
    }

    /// What was to be there soon is there, or among all others.
    #[inline(always)]
    fn take_soon(&mut self) -> Option<Pending<P>> {
        self.soon_instant = Time::MAX;
        self.unlike_packets = self.sample_or_timer;
        self.soon.take()
    }

    /// The next sample or timer is another one.
    #[inline(always)]
    fn find_sample_or_timer(&mut self) {
        self.sample_or_timer = self.timers.head().min(self.sample);
        self.unlike_packets = self.sample_or_timer.min(self.soon_instant);
    }

    pub(crate) fn set_sample(&mut self, instant: Time) {
        self.sample = instant;
        self.find_sample_or_timer();
    }

    /// A packet is to arrive somewhere.
    #[inline(always)]
    pub(crate) fn push(&mut self, rank: Rank, instant: Time, packet: P) {
        self.packets.insert(instant, rank, packet);
    }

    /// The same of a packet that is likely to be next.
    #[inline(always)]
    pub(crate) fn push_soon(&mut self, rank: Rank, instant: Time, packet: P) {
        if self.soon.is_some() {
            return self.push(rank, instant, packet);
        }
        self.soon = Some(self.packets.pending(instant, rank, packet));
        self.soon_instant = instant;
        self.unlike_packets = self.unlike_packets.min(instant);
    }

    /// At least every packet on its way to an arrival: see [`Wheel::remembered`].
    pub(crate) fn remembered_packets(&self) -> impl Iterator<Item = P> + '_ {
        self.packets.remembered().chain(self.soon.iter().map(Pending::item))
    }

    /// Takes the packet whose arrival is the next event, of the kind that was named.
    #[inline(always)]
    pub(crate) fn take_packet(&mut self, kind: EventKind) -> P {
        if kind != EventKind::PacketSoon {
            return self.packets.pop();
        }
        match self.take_soon() {
            Some(soon) => soon.item(),
            None => unreachable!("it was named as the next event"),
        }
    }

    #[inline]
    pub(crate) fn wake_at(&mut self, instant: Time, timer: T) {
        debug_assert!(instant < Time::MAX, "a timer that never fires is not set");
        self.timers.insert(instant, TIMERS, timer);
        self.sample_or_timer = self.sample_or_timer.min(instant);
        self.unlike_packets = self.unlike_packets.min(instant);
    }

    #[inline]
    pub(crate) fn take_timer(&mut self) -> T {
        // What was inserted since the wheel was last asked may not have reached the slot being served.
        let head = self.timers.head();
        debug_assert_eq!(head, self.unlike_packets, "the earliest timer is taken at its instant");
        let timer = self.timers.pop();
        self.find_sample_or_timer();
        timer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identifiers::QueuedId;

    #[test]
    fn at_one_instant_samples_come_first_then_transmissions_packets_and_timers() {
        let instant = Time::from_nanoseconds(5_000);
        let mut events: EventQueue<&str, &str> = EventQueue::new(1);
        events.wake_at(instant, "timer");
        events.push(DELAYED, instant, "packet");
        events.transmissions.begin(QueuedId::of(0), instant);
        events.set_sample(instant);
        assert_eq!(events.next(), (instant, EventKind::Sample));
        events.set_sample(Time::MAX);
        assert_eq!(events.next(), (instant, EventKind::Transmission));
        events.transmissions.end(QueuedId::of(0));
        assert_eq!(events.next(), (instant, EventKind::Packet));
        events.advance(instant);
        assert_eq!(events.take_packet(EventKind::Packet), "packet");
        assert_eq!(events.next(), (instant, EventKind::Timer));
        assert_eq!(events.take_timer(), "timer");
        assert!(events.next().0 > Time::from_seconds(2e6), "nothing is left within the longest run");
    }

    /// Whether a packet comes soon changes nothing: not before what is earlier, not among what is due at
    /// once.
    #[test]
    fn a_packet_that_comes_soon_has_its_place_among_all_others() {
        let at = Time::from_nanoseconds;
        for (soon, expected) in [
            (4_000, ["soon", "early", "first", "last"]),
            (5_000, ["early", "soon", "first", "last"]),
            (6_000, ["early", "first", "soon", "last"]),
            (90_000_000, ["early", "first", "last", "soon"]),
        ] {
            let mut events: EventQueue<&str, &str> = EventQueue::new(1);
            let rank = |place| Rank::between(place);
            events.push(rank(0), at(5_000), "early");
            events.push(rank(2), at(6_000), "last");
            events.push_soon(rank(1), at(soon), "soon");
            events.push(rank(0), at(6_000), "first");
            let found = [(); 4].map(|()| {
                let (instant, kind) = events.next();
                events.advance(instant);
                assert!(matches!(kind, EventKind::Packet | EventKind::PacketSoon), "{kind:?}");
                events.take_packet(kind)
            });
            assert_eq!(found, expected, "soon at {soon}");
        }
    }

    #[test]
    fn a_sample_and_a_timer_come_before_a_packet_that_comes_soon_but_is_later() {
        let at = Time::from_nanoseconds;
        let mut events: EventQueue<&str, &str> = EventQueue::new(1);
        events.push_soon(DELAYED, at(5_000), "soon");
        events.wake_at(at(4_000), "timer");
        events.set_sample(at(3_000));
        assert_eq!(events.next(), (at(3_000), EventKind::Sample));
        events.advance(at(3_000));
        events.set_sample(at(9_000));
        assert_eq!(events.next(), (at(4_000), EventKind::Timer));
        events.advance(at(4_000));
        assert_eq!(events.take_timer(), "timer");
        let (instant, kind) = events.next();
        events.advance(instant);
        assert_eq!((instant, events.take_packet(kind)), (at(5_000), "soon"));
        assert_eq!(events.next(), (at(9_000), EventKind::Sample));
    }
}
