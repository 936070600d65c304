//! When a packet has left a link whose rate varies.
//!
//! Each opportunity of the trace carries so many bytes. A packet that is taken into service uses the opportunities from that
//! instant on, and has left at the one in which its last byte goes; the next one uses what is left of that one. An
//! opportunity at which nothing is in service is lost, as is what is left of one then. So it is in Mahimahi (`link_queue.cc`),
//! but for what stands in the queue: there a packet leaves it at its first opportunity, here as soon as the link is free, as on
//! every other link.

use aqmlab_scenario::RateTrace;
use aqmlab_units::{Span, Time};

/// A trace on its way: the opportunity that is used next, and what is left of it.
#[derive(Clone, Debug)]
pub struct TraceClock {
    trace: RateTrace,
    /// When the present round began.
    round_began: Time,
    next: usize,
    left_bytes: u32,
}

impl TraceClock {
    /// A trace at its beginning, which is [`Time::ZERO`].
    #[must_use]
    pub const fn new(trace: RateTrace) -> Self {
        Self { trace, round_began: Time::ZERO, next: 0, left_bytes: RateTrace::OPPORTUNITY_BYTES }
    }

    /// When a packet of `bytes` has left that is taken into service `now`; `now` never decreases.
    pub fn transmit(&mut self, now: Time, bytes: u32) -> Time {
        while self.instant() < now {
            self.pass();
        }
        let mut missing = bytes;
        while missing > self.left_bytes {
            missing -= self.left_bytes;
            self.pass();
        }
        let leaves = self.instant();
        self.left_bytes -= missing;
        if self.left_bytes == 0 {
            self.pass();
        }
        leaves
    }

    fn instant(&self) -> Time {
        self.round_began + Span::from_milliseconds(u64::from(self.trace.opportunities_ms()[self.next]))
    }

    fn pass(&mut self) {
        self.left_bytes = RateTrace::OPPORTUNITY_BYTES;
        self.next += 1;
        if self.next == self.trace.opportunities_ms().len() {
            self.next = 0;
            self.round_began += Span::from_milliseconds(u64::from(self.trace.period_ms()));
        }
    }
}
