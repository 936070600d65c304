//! The one clock of a live run: nanoseconds since its start, the same in every thread and namespace.

use aqmlab_units::{Span, Time};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A clock that was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    epoch_ns: u64,
}

impl Clock {
    /// A clock that reaches zero this much from now.
    pub(crate) fn starting_in(delay: Span) -> Self {
        Self { epoch_ns: monotonic_ns() + delay.nanoseconds() }
    }

    /// The present instant; zero before the start.
    pub(crate) fn now(self) -> Time {
        Time::from_nanoseconds(monotonic_ns().saturating_sub(self.epoch_ns))
    }
}

/// A span as system calls take it.
pub(crate) fn timeout(span: Span) -> TimeSpec {
    TimeSpec::from(Duration::from_nanos(span.nanoseconds()))
}

#[allow(clippy::cast_sign_loss)] // time since the machine started
fn monotonic_ns() -> u64 {
    let now =
        clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or_else(|_| unreachable!("Linux has this clock"));
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}
