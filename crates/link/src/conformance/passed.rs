//! The reference of links whose rate varies: what could have passed until an instant, and when so much could.
//!
//! The rates themselves are the model's; how they come about has its own tests (`service/varying_rate.rs`).

use super::Case;
use crate::VaryingRate;
use crate::service::Rates;
use aqmlab_units::{Span, Time};

/// Billionths of a bit that could have passed until each end of an interval, if something had always been
/// sent.
pub(super) struct Passed {
    rates: Rates,
    interval: u128,
    until: Vec<u128>,
    /// What a transmission left of its last nanosecond.
    left: u128,
}

impl Passed {
    pub(super) fn new(case: &Case, own: &VaryingRate) -> Self {
        let interval = u128::from(Span::from_seconds(own.interval_ms / 1e3).nanoseconds());
        Self { rates: own.rates(case.rate, case.key), interval, until: vec![0], left: 0 }
    }

    /// What passes in a nanosecond of an interval.
    fn in_nanosecond(&mut self, interval: usize) -> u128 {
        while self.until.len() <= interval + 1 {
            let passes = u128::from(self.rates.advance()) * self.interval;
            self.until.push(self.until[self.until.len() - 1] + passes);
        }
        (self.until[interval + 1] - self.until[interval]) / self.interval
    }

    fn at(&mut self, nanosecond: u128) -> u128 {
        let interval = (nanosecond / self.interval) as usize;
        self.in_nanosecond(interval) * (nanosecond % self.interval) + self.until[interval]
    }

    /// The first nanosecond until which so much has passed.
    fn when(&mut self, passed: u128) -> u128 {
        while self.until[self.until.len() - 1] < passed {
            self.in_nanosecond(self.until.len() - 1);
        }
        let interval = self.until.partition_point(|&until| until < passed).max(1) - 1;
        let missing = passed - self.until[interval];
        interval as u128 * self.interval + missing.div_ceil(self.in_nanosecond(interval))
    }

    pub(super) fn send(&mut self, begins: Time, bytes: u32) -> Time {
        let begins = u128::from(begins.nanoseconds());
        let from = self.at(begins);
        let passed = (from + 8_000_000_000 * u128::from(bytes)).saturating_sub(self.left).max(from);
        let ends = self.when(passed).max(begins);
        self.left = self.at(ends) + self.left - from - 8_000_000_000 * u128::from(bytes);
        Time::from_nanoseconds(ends as u64)
    }
}
