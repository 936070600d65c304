//! Links on which a departure is known on arrival.
//!
//! Where nothing is decided about a packet once it is queued, and packets leave in the order of their arrival
//! and at a constant rate, the instant at which one will have left is known when it arrives. A driver that
//! uses this calls [`Link::predict`] instead of [`Link::arrive`], and never ends a transmission: the link
//! does that itself, each at its own instant, when it is called next or told to [catch up](Link::catch_up).

use crate::link::Link;
use crate::transmitter::Pace;
use aqmlab_aqm::{Queued, Reason};
use aqmlab_units::Time;

impl<P: Queued + Copy> Link<P> {
    /// Whether departures are known on arrival.
    #[must_use]
    pub fn is_predictable(&self) -> bool {
        self.ring_packets == 0
            && self.transmitter.is_constant()
            && !self.port.classifies()
            && !self.port.decides_about_waiting()
    }

    /// A packet arrives; returns it as it is queued, and when it will have been sent. None if it is
    /// discarded.
    #[inline(always)]
    pub fn predict(
        &mut self,
        now: Time,
        packet: P,
        discarded: &mut impl FnMut(P, Reason),
    ) -> Option<(P, Time)> {
        self.catch_up(now);
        if self.is_sending() {
            let packet = self.port.accept(now, packet, discarded)?;
            return Some((packet, self.predicted.send(now, packet.facts().bytes)));
        }
        let packet = self.port.pass(now, packet, P::header_fields, discarded)?;
        let ends = self.begin_alone(now, packet);
        if let Pace::Constant(clock) = self.transmitter.pace {
            self.predicted.continue_from(clock, ends);
        }
        Some((packet, ends))
    }

    /// Lets happen what was predicted until `now`, included: transmissions that ended since, and the
    /// departures behind them, each at its own instant.
    #[inline(always)]
    pub fn catch_up(&mut self, now: Time) {
        if self.is_sending() && self.transmitter.ends() <= now {
            self.end_until(now);
        }
    }

    /// A function of its own: where the loop is compiled into an event, its addresses are made before the
    /// first transmission, and there are one or two.
    #[inline(never)]
    fn end_until(&mut self, now: Time) {
        while self.is_sending() && self.transmitter.ends() <= now {
            self.end_transmission();
            self.take_next(self.transmitter.ends());
        }
    }

    /// The link takes the next packet into service, if one waits.
    #[inline(always)]
    fn take_next(&mut self, now: Time) {
        let mut discard =
            |_: P, reason: Reason| unreachable!("{reason:?} of a packet whose departure was predicted");
        if let Some(packet) = self.port.depart(now, &mut discard) {
            self.begin_alone(now, packet);
        }
    }

    #[inline(always)]
    fn begin_alone(&mut self, now: Time, packet: P) -> Time {
        self.in_service = Some(packet);
        self.transmitter.begin(now, self.transmitter.load_of(packet.facts().bytes))
    }
}
