//! Transmission rates, and the exact time that bytes take on a link.

use crate::time::Span;
use std::fmt;

/// A transmission rate in whole bits per second, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// A rate of `bits_per_second`.
    ///
    /// # Panics
    /// If `bits_per_second` is zero: a link that never transmits is not a link.
    #[must_use]
    pub const fn from_bits_per_second(bits_per_second: u64) -> Self {
        assert!(bits_per_second > 0, "a rate must be at least 1 bit/s");
        Self(bits_per_second)
    }

    /// A rate of `megabits_per_second`, rounded to whole bits per second.
    ///
    /// # Panics
    /// If the result is below 1 bit/s, above 1.8e19 bit/s or not a number.
    #[must_use]
    pub fn from_megabits_per_second(megabits_per_second: f64) -> Self {
        let bits = (megabits_per_second * 1e6).round();
        assert!((1.0..1.8e19).contains(&bits), "not a rate: {megabits_per_second} Mbit/s");
        Self(bits as u64)
    }

    /// Bits per second.
    #[must_use]
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Packets of `packet_bytes` per second.
    #[must_use]
    pub fn packets_per_second(self, packet_bytes: u32) -> f64 {
        self.0 as f64 / (8.0 * f64::from(packet_bytes))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbit/s", self.0 as f64 / 1e6)
    }
}

/// Turns bytes into transmission times and carries the remainder, so that n packets take the same time as
/// their sum whatever the rate.
///
/// The time of one byte is kept in units of 2⁻³² ns (rounded to nearest): the accumulated error stays below
/// one part in 10⁹ for rates up to 8 Tbit/s, and is zero where 8·10⁹ ns / rate is a dyadic fraction.
#[derive(Clone, Copy, Debug)]
pub struct TransmissionClock {
    nanoseconds_per_byte_q32: u64,
    carried_q32: u64,
}

impl TransmissionClock {
    /// A clock of a link with this rate.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        let numerator = 8_000_000_000_u128 << 32;
        let per_byte = (numerator + u128::from(rate.0 / 2)) / u128::from(rate.0);
        Self { nanoseconds_per_byte_q32: per_byte as u64, carried_q32: 0 }
    }

    /// The time that `bytes` take on the wire, rounded down to a nanosecond; what was cut is carried to the
    /// next call.
    #[inline]
    pub fn transmit(&mut self, bytes: u32) -> Span {
        let total =
            u128::from(self.nanoseconds_per_byte_q32) * u128::from(bytes) + u128::from(self.carried_q32);
        self.carried_q32 = (total as u64) & 0xffff_ffff;
        Span::from_nanoseconds((total >> 32) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_frame_takes_its_time() {
        let mut clock = TransmissionClock::new(Rate::from_megabits_per_second(100.0));
        assert_eq!(clock.transmit(1500), Span::from_microseconds(120));
        let mut gigabit = TransmissionClock::new(Rate::from_megabits_per_second(1000.0));
        assert_eq!(gigabit.transmit(40), Span::from_nanoseconds(320));
    }

    #[test]
    fn packets_take_as_long_as_their_sum() {
        // 7 Mbit/s: a byte takes 1142.857... ns, so every single packet is rounded.
        let rate = Rate::from_megabits_per_second(7.0);
        let mut one_by_one = TransmissionClock::new(rate);
        let sum: u64 = (0..70_000).map(|_| one_by_one.transmit(41).nanoseconds()).sum();
        let exact = 70_000.0 * 41.0 * 8e9 / 7e6;
        assert!((sum as f64 - exact).abs() <= 2.0, "{sum} against {exact}");
    }
}
