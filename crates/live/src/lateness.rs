//! How late the router is.

use aqmlab_units::{Span, Time};

/// How late packets were handed over, and how long the router was away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lateness {
    pub(crate) late_ns: Vec<u32>,
    /// The longest time from one look at the devices to the next, less what it meant to sleep.
    pub(crate) longest_stall: Span,
}

impl Lateness {
    /// A packet that was due at one instant was handed over at another.
    pub(crate) fn note(&mut self, due: Time, done: Time) {
        let late = done.checked_since(due).unwrap_or(Span::ZERO);
        self.late_ns.push(u32::try_from(late.nanoseconds()).unwrap_or(u32::MAX));
    }

    /// What was noted elsewhere belongs to it.
    pub(crate) fn join(&mut self, other: &Self) {
        self.late_ns.extend(&other.late_ns);
        self.longest_stall = self.longest_stall.max(other.longest_stall);
    }
}
