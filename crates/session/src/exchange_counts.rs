//! Exchanges by how they ended.

use aqmlab_record::Completion;
use aqmlab_units::Span;

/// How many exchanges of a population began, were completed, and failed.
///
/// An exchange begins with `connect()` if it is the first of its connection, and with the write of its
/// request if not. It is completed where its response time ends, and fails when its connection gives up
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeCounts {
    /// Began.
    pub started: u64,
    /// Their response time ended.
    pub completed: u64,
    /// Their connection gave up before.
    pub failed: u64,
}

impl ExchangeCounts {
    pub(crate) const STARTED: Self = Self { started: 1, completed: 0, failed: 0 };
    pub(crate) const COMPLETED: Self = Self { started: 0, completed: 1, failed: 0 };
    pub(crate) const FAILED: Self = Self { started: 0, completed: 0, failed: 1 };

    pub(crate) const fn add(&mut self, other: Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
    }

    /// Whether those that began and have not ended are this many.
    #[must_use]
    pub const fn leaves(self, unfinished: u64) -> bool {
        self.started == self.completed + self.failed + unfinished
    }
}

/// The responses of completed exchanges together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Their bytes.
    pub bytes: u64,
    /// Their response times, added up.
    pub response_times: Span,
}

impl Delivered {
    pub(crate) fn add(&mut self, completion: &Completion) {
        self.bytes += completion.response_bytes;
        self.response_times += completion.response_time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_and_has_not_ended_is_under_way() {
        let counts = ExchangeCounts { started: 9, completed: 4, failed: 3 };
        assert_eq!([1, 2, 3, 9].map(|unfinished| counts.leaves(unfinished)), [false, true, false, false]);
    }
}
