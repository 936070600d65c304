//! How often the timer of a scheme from outside may be due.
//!
//! A port calls the timer at every instant at which it is due, however long nothing else happens. A timer of
//! one nanosecond, most often a mistake of unit, would keep the port busy for hours over one simulated
//! second.

use aqmlab_units::{Span, Time};

/// Calls of a timer within [`WINDOW`]: one per microsecond on average. Two timers of a scheme may still be
/// due close together.
pub const MOST_CALLS: u32 = 1_000;
/// The time over which calls are counted, from the first of them.
pub const WINDOW: Span = Span::from_milliseconds(1);

/// The calls of one scheme's timer so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimerPace {
    window_ends_ns: u64,
    calls: u32,
}

impl TimerPace {
    /// Counts the call that was due at `due`, after which the timer is due at `next`.
    ///
    /// # Errors
    /// In words, what is wrong: the timer has not moved forward, or was due more than [`MOST_CALLS`] times
    /// within [`WINDOW`].
    #[inline]
    pub fn count(&mut self, due: Time, next: Option<Time>) -> Result<(), String> {
        if next.is_some_and(|next| next <= due) {
            return Err(format!("a timer must move forward, and is due again at {due}"));
        }
        if due.nanoseconds() >= self.window_ends_ns {
            self.window_ends_ns = due.nanoseconds().saturating_add(WINDOW.nanoseconds());
            self.calls = 0;
        }
        self.calls += 1;
        if self.calls <= MOST_CALLS { Ok(()) } else { Err(too_often(due)) }
    }
}

#[cold]
fn too_often(due: Time) -> String {
    format!(
        "the timer was due more than {MOST_CALLS} times within 1 ms, until {due}; legal: once per microsecond on average \
         (next_timer is in nanoseconds: 15 ms are 15_000_000)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The call, counted from one, at which a timer of this period is refused, of so many calls.
    fn refused_at(period_ns: u64, calls: u64) -> Option<u64> {
        let mut pace = TimerPace::default();
        let due = |call: u64| Time::from_nanoseconds(7_000_000_000 + call * period_ns);
        (1..=calls).find(|&call| pace.count(due(call), Some(due(call + 1))).is_err())
    }

    #[test]
    fn a_timer_may_be_due_once_per_microsecond() {
        assert_eq!(refused_at(1_000, 100_000), None);
        assert_eq!(refused_at(999, 100_000), Some(1_001));
        assert_eq!(refused_at(1, 100_000), Some(1_001));
    }

    /// Pairs of one nanosecond, 15 ms apart: two periodic timers that meet.
    #[test]
    fn two_timers_may_meet() {
        let mut pace = TimerPace::default();
        for pair in 0..10_000 {
            let due = Time::from_nanoseconds(pair * 15_000_000);
            assert_eq!(pace.count(due, Some(due + Span::from_nanoseconds(1))), Ok(()));
            assert_eq!(pace.count(due + Span::from_nanoseconds(1), None), Ok(()));
        }
    }

    #[test]
    fn a_timer_that_stands_still_is_refused_at_once() {
        let due = Time::from_nanoseconds(5);
        for next in [5, 4, 0] {
            let wrong = TimerPace::default().count(due, Some(Time::from_nanoseconds(next)));
            assert!(wrong.is_err_and(|wrong| wrong.starts_with("a timer must move forward")), "{next}");
        }
        assert_eq!(TimerPace::default().count(due, None), Ok(()));
    }
}
