//! A shaper: what leaves a port is held to a rate of its own, packet by packet, without bursts.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE*, IEEE LANMAN 2018, section III.A: a clock of when the next
//! packet may leave takes the place of a bucket of tokens.

use aqmlab_units::{Rate, Time, TransmissionClock};

/// A virtual link of some rate in front of the real one. The next packet may leave when this one would have been sent on
/// it. While packets wait nothing is lost that the real link, or whoever asks, came late for; what nobody needed is.
#[derive(Clone, Debug)]
pub struct Shaper {
    clock: TransmissionClock,
    overhead_bytes: u32,
    opens: Time,
}

impl Shaper {
    /// A shaper to this rate, on which each packet takes the time of `overhead_bytes` more than its IP length.
    #[must_use]
    pub fn new(rate: Rate, overhead_bytes: u32) -> Self {
        Self { clock: TransmissionClock::new(rate), overhead_bytes, opens: Time::ZERO }
    }

    /// When the next packet may leave.
    #[must_use]
    pub const fn opens(&self) -> Time {
        self.opens
    }

    /// A packet has come to an empty port: time that nobody needed is not made up for.
    pub fn begin(&mut self, now: Time) {
        self.opens = self.opens.max(now);
    }

    /// A packet of so many bytes has left.
    pub fn on_sent(&mut self, bytes: u32) {
        self.opens += self.clock.transmit(bytes.saturating_add(self.overhead_bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(1_000_000 * milliseconds)
    }

    #[test]
    fn packets_of_1000_bytes_leave_every_8_ms_at_a_megabit_per_second_and_late_ones_are_made_up_for() {
        let mut shaper = Shaper::new(Rate::from_megabits_per_second(1.0), 0);
        shaper.begin(at(3));
        shaper.on_sent(1000);
        assert_eq!(shaper.opens(), at(11));
        // Sent at 20 ms instead of 11: the one after it may still leave at 19 ms, that is at once.
        shaper.on_sent(1000);
        assert_eq!(shaper.opens(), at(19));
        shaper.on_sent(1000);
        shaper.begin(at(100));
        shaper.on_sent(1000);
        assert_eq!(shaper.opens(), at(108), "idle time is lost");
    }

    #[test]
    fn an_overhead_takes_its_time_with_every_packet() {
        let mut shaper = Shaper::new(Rate::from_megabits_per_second(1.0), 250);
        (0..4).for_each(|_| shaper.on_sent(1000));
        assert_eq!(shaper.opens(), at(40));
    }
}
