//! A queue's length integrated over time.

use aqmlab_units::Time;

/// Packets times the time for which they waited.
///
/// Samples of a queue alias with traffic of a constant period; the integral does not: divided by a span it is
/// the time average over that span, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    until: Time,
    packet_nanoseconds: u128,
}

impl Occupancy {
    /// Of a queue at the beginning of time.
    pub const ZERO: Self = Self { until: Time::ZERO, packet_nanoseconds: 0 };

    /// The instant until which this is the integral.
    #[must_use]
    #[inline]
    pub const fn until(&self) -> Time {
        self.until
    }

    /// The integral until `now`, where so many packets waited since the last call. Does nothing if `now` lies
    /// before that.
    #[must_use]
    #[inline(always)]
    pub fn advanced(self, now: Time, packets: u32) -> Self {
        let until = self.until.max(now);
        let waited = u128::from((until - self.until).nanoseconds()) * u128::from(packets);
        Self { until, packet_nanoseconds: self.packet_nanoseconds + waited }
    }

    /// Time average of the packets that waited between the end of `earlier` and that of this; zero if no time
    /// lies between.
    ///
    /// # Panics
    /// If `earlier` is not an earlier one of the same queue.
    #[must_use]
    pub fn mean_packets_since(&self, earlier: &Self) -> f64 {
        let nanoseconds = (self.until - earlier.until).nanoseconds();
        let packet_nanoseconds = self.packet_nanoseconds - earlier.packet_nanoseconds;
        if nanoseconds == 0 { 0.0 } else { packet_nanoseconds as f64 / nanoseconds as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_packets_times_time_over_time() {
        let at = Time::from_nanoseconds;
        let begin = Occupancy::ZERO.advanced(at(100), 7);
        // Two packets for 30 ns, none for 50, five for 20: 160 packet-nanoseconds in 100.
        let end = begin.advanced(at(130), 2).advanced(at(180), 0).advanced(at(200), 5);
        assert_eq!(end.mean_packets_since(&begin), 1.6);
        assert_eq!(begin.mean_packets_since(&begin), 0.0);
        assert_eq!(end.advanced(at(150), 9), end, "no time passes backwards");
    }

    #[test]
    fn the_longest_run_of_the_longest_queue_fits() {
        let end = Occupancy::ZERO.advanced(Time::MAX, u32::MAX);
        assert_eq!(end.mean_packets_since(&Occupancy::ZERO), f64::from(u32::MAX));
    }
}
