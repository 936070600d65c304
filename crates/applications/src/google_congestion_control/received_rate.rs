//! The bit rate at which packets arrived of late: R of draft-ietf-rmcat-gcc-02, section 5.5, over half a
//! second.

use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

const WINDOW: Span = Span::from_milliseconds(500);

/// Arrivals of the last half second.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedRate {
    arrivals: VecDeque<(Time, u16)>,
    bytes: u64,
    first: Option<Time>,
}

impl ReceivedRate {
    /// A packet arrived, later than all before.
    pub(super) fn add(&mut self, arrived: Time, ip_bytes: u16) {
        self.first.get_or_insert(arrived);
        self.arrivals.push_back((arrived, ip_bytes));
        self.bytes += u64::from(ip_bytes);
        while let Some(&(earlier, its_bytes)) = self.arrivals.front()
            && earlier + WINDOW <= arrived
        {
            self.arrivals.pop_front();
            self.bytes -= u64::from(its_bytes);
        }
    }

    /// Bits per second up to the last arrival; none before there has been half a second.
    pub(super) fn bps(&self) -> Option<f64> {
        let (last, _) = self.arrivals.back()?;
        (*last >= self.first? + WINDOW).then(|| self.bytes as f64 * 8.0 / WINDOW.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_bytes_of_half_a_second() {
        let mut rate = ReceivedRate::default();
        for ten_milliseconds in 0..50 {
            rate.add(Time::from_nanoseconds(ten_milliseconds * 10_000_000), 1000);
            assert_eq!(rate.bps(), None);
        }
        rate.add(Time::from_nanoseconds(500_000_000), 1000);
        assert_eq!(rate.bps(), Some(50.0 * 1000.0 * 8.0 / 0.5));
        // A silence of a second: nothing but what has come now.
        rate.add(Time::from_nanoseconds(1_500_000_000), 250);
        assert_eq!(rate.bps(), Some(4000.0));
    }
}
