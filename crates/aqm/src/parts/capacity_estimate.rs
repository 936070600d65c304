//! What a link in front can carry, estimated from what it brings: CAKE's rate that follows arrivals.
//!
//! Source: Linux `sch_cake.c` (6.1), `cake_enqueue`: what tc-cake(8) calls autorate-ingress. No paper
//! describes it. Linux compares each time with the instant of the last adjustment, which it never notes, so
//! that each window's end adjusts the rate; so does this.

use aqmlab_units::{Rate, Span, Time};

const SECOND_NS: u64 = 1_000_000_000;
/// By how many bits averages follow what is larger, and what is smaller.
const RISES_BY: u32 = 2;
const FALLS_BY: u32 = 8;
/// Linux's: a rate that sends something.
const LEAST_BYTES_PER_SECOND: u64 = 64;

/// An average that moves towards a sample by a power of two of the distance.
const fn moved(average: u64, sample: u64, shift: u32) -> u64 {
    average - (average >> shift) + (sample >> shift)
}

/// The estimate. A burst ends with an interval between packets that is longer than their average; what came
/// since the last such end, over that time, is a sample of the capacity.
#[derive(Clone, Debug)]
pub struct CapacityEstimate {
    last_packet: Option<Time>,
    packet_interval_ns: u64,
    window_begin: Time,
    window_bytes: u64,
    peak_bytes_per_second: u64,
}

impl CapacityEstimate {
    /// An estimate that begins with this rate. Nothing has come for long.
    #[must_use]
    pub const fn new(rate: Rate) -> Self {
        Self {
            last_packet: None,
            packet_interval_ns: 0,
            window_begin: Time::ZERO,
            window_bytes: 0,
            peak_bytes_per_second: rate.bits_per_second() / 8,
        }
    }

    /// A packet of so many bytes has come. Returns the rate to shape to from here on, 15/16 of the estimate,
    /// if a burst has ended.
    pub fn on_arrival(&mut self, now: Time, bytes: u32) -> Option<Rate> {
        self.window_bytes += u64::from(bytes);
        let since_last = self.last_packet.map(|last| now.since(last).nanoseconds());
        let interval_ns = since_last.unwrap_or(SECOND_NS).min(SECOND_NS);
        let is_longer = interval_ns > self.packet_interval_ns;
        let shift = if is_longer { RISES_BY } else { FALLS_BY };
        self.packet_interval_ns = moved(self.packet_interval_ns, interval_ns, shift);
        let is_first = self.last_packet.replace(now).is_none();
        (interval_ns > self.packet_interval_ns).then(|| self.end_window(now, is_first))
    }

    fn end_window(&mut self, now: Time, is_first: bool) -> Rate {
        let window: Span = now.since(self.window_begin);
        let bytes = u128::from(self.window_bytes) * u128::from(SECOND_NS);
        let sample = match u128::from(window.nanoseconds()) {
            0 => 0,
            _ if is_first => 0,
            window_ns => u64::try_from(bytes / window_ns).unwrap_or(u64::MAX),
        };
        let shift = if sample > self.peak_bytes_per_second { RISES_BY } else { FALLS_BY };
        self.peak_bytes_per_second = moved(self.peak_bytes_per_second, sample, shift);
        (self.window_bytes, self.window_begin) = (0, now);
        let bytes_per_second = ((self.peak_bytes_per_second * 15) >> 4).max(LEAST_BYTES_PER_SECOND);
        Rate::from_bits_per_second(8 * bytes_per_second)
    }
}
