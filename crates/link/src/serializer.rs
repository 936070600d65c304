//! A link with a rate and an unlimited queue, first in, first out: the departure of a packet is known on
//! arrival, so that it holds none.

use crate::framing::Framing;
use aqmlab_units::{Rate, Time, TransmissionClock};

/// What cannot be sent within 146 years is never sent: a slow link may be handed more in a run than it can
/// send in the range of [`Time`].
const LATEST: Time = Time::from_nanoseconds(1 << 62);

/// Sends packets one after the other at a constant rate.
#[derive(Clone, Copy, Debug)]
pub struct Serializer {
    clock: TransmissionClock,
    framing: Framing,
    busy_until: Time,
}

impl Serializer {
    /// An idle link.
    #[must_use]
    pub fn new(rate: Rate, framing: Framing) -> Self {
        Self { clock: TransmissionClock::new(rate), framing, busy_until: Time::ZERO }
    }

    /// A packet of `ip_bytes` is handed over at `from`; returns when the last of it has left. `from` may lie
    /// before an earlier call: the packet follows those handed over before it.
    #[inline(always)]
    pub fn send(&mut self, from: Time, ip_bytes: u32) -> Time {
        let took = self.clock.transmit(self.framing.wire_bytes(ip_bytes));
        self.busy_until = (self.busy_until.max(from) + took).min(LATEST);
        self.busy_until
    }

    /// Goes on from a transmission that ends at an instant and was timed by this clock.
    #[inline(always)]
    pub(crate) fn continue_from(&mut self, clock: TransmissionClock, ends: Time) {
        (self.clock, self.busy_until) = (clock, ends);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Span;

    #[test]
    fn packets_follow_one_another_and_idle_time_is_lost() {
        // 1,000 bytes take 8 ms at 1 Mbit/s.
        let mut serializer = Serializer::new(Rate::from_megabits_per_second(1.0), Framing::NONE);
        let at = |ms| Time::ZERO + Span::from_milliseconds(ms);
        assert_eq!([at(0), at(3), at(20)].map(|from| serializer.send(from, 1_000)), [at(8), at(16), at(28)]);
    }

    #[test]
    fn what_a_slow_link_cannot_send_in_the_range_of_time_arrives_after_every_run() {
        let framing = Framing {
            overhead_bytes: 10_000,
            minimum_frame_bytes: 10_000,
            gap_bytes: 10_000,
            ..Framing::NONE
        };
        let mut serializer = Serializer::new(Rate::from_bits_per_second(1_000), framing);
        // A packet of 65,535 bytes takes 684 s: 27 million of them would pass the end of the range.
        serializer.busy_until = Time::from_nanoseconds((1 << 62) - 1);
        // 2^62 ns are 146 years: half of the range, so that a link and a delay behind this one still fit.
        let sent = [(); 3].map(|()| serializer.send(Time::ZERO, 65_535));
        assert_eq!(sent, [Time::from_nanoseconds(1 << 62); 3]);
    }
}
