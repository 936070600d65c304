//! Rates that hold for intervals: transmissions take the rate of each interval that they reach into.

use super::{Load, Service};
use crate::steps::{StepClock, Steps};
use aqmlab_units::{Span, Time};

/// The rates of one interval after the other.
pub(super) trait RateIntervals: Clone + Send {
    /// Bits per second in the next interval, and when it ends; 0 while nothing passes.
    fn next(&mut self) -> (u64, Time);
}

/// What a byte is in bits that pass in a nanosecond at 1 bit/s.
const BYTE: u128 = 8_000_000_000;

/// A link whose rate is another in each interval. A nanosecond that a transmission begins and does not need
/// to its end serves the next one.
#[derive(Clone)]
pub(super) struct InIntervals<R> {
    rates: R,
    /// When the present interval ends.
    ends: Time,
    /// The rate of the present interval.
    bits_per_second: u64,
    /// What passed in the last nanosecond of the transmission before, beside its bytes.
    passed: u128,
}

impl<R: RateIntervals> InIntervals<R> {
    pub(super) fn new(mut rates: R) -> Self {
        let (bits_per_second, ends) = rates.next();
        Self { rates, ends, bits_per_second, passed: 0 }
    }

    fn next_interval(&mut self) {
        (self.bits_per_second, self.ends) = self.rates.next();
    }
}

impl<R: RateIntervals> Service for InIntervals<R> {
    fn transmit(&mut self, now: Time, load: Load) -> Time {
        while self.ends <= now {
            self.next_interval();
        }
        let needed = BYTE * u128::from(load.wire_bytes);
        let mut missing = needed.saturating_sub(self.passed);
        self.passed = self.passed.saturating_sub(needed);
        if missing == 0 {
            return now;
        }
        let mut at = now;
        loop {
            let passes = u128::from(self.bits_per_second) * u128::from((self.ends - at).nanoseconds());
            if missing <= passes {
                break;
            }
            missing -= passes;
            at = self.ends;
            self.next_interval();
        }
        let rate = u128::from(self.bits_per_second);
        let nanoseconds = missing.div_ceil(rate);
        self.passed = nanoseconds * rate - missing;
        at + Span::from_nanoseconds(nanoseconds as u64)
    }

    fn costs_bytes_alone(&self) -> bool {
        true
    }
}

/// Rates in the steps of a file.
#[derive(Clone)]
struct InSteps {
    clock: StepClock<u64>,
    has_begun: bool,
}

impl RateIntervals for InSteps {
    fn next(&mut self) -> (u64, Time) {
        if self.has_begun {
            self.clock.pass();
        }
        self.has_begun = true;
        (self.clock.value(), self.clock.ends())
    }
}

/// The service of a link whose rate goes by steps, of which something passes at last.
pub(super) fn in_steps(rates: &Steps<u64>) -> Box<dyn Service> {
    Box::new(InIntervals::new(InSteps { clock: StepClock::new(rates.clone()), has_begun: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(ms)
    }

    /// 10 ms of 8 Mbit/s carry 10,000 bytes, 10 ms of nothing none, 10 ms of 0.8 Mbit/s 1,000.
    #[test]
    fn a_trace_of_three_rates_carries_the_bytes_of_each() {
        let from = [0, 10, 20].map(Span::from_milliseconds);
        let rates = |repeats| {
            let values = [8_000_000, 0, 800_000].into();
            Steps::new(from.into(), values, Span::from_milliseconds(30), repeats)
        };
        let ends = |repeats, loads: &[u32]| -> Vec<Time> {
            let mut service = in_steps(&rates(repeats));
            let mut now = Time::ZERO;
            let send = |&wire_bytes: &u32| {
                now = service.transmit(now, Load { packets: 1, wire_bytes });
                now
            };
            loads.iter().map(send).collect()
        };
        let loads = [4_000, 6_000, 500, 500, 10_000, 1_000];
        assert_eq!(ends(true, &loads), [4, 10, 25, 30, 40, 60].map(at));
        assert_eq!(ends(false, &loads), [4, 10, 25, 30, 130, 140].map(at));
    }
}
