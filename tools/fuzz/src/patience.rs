//! When a case counts as endless: by the processor time that it took, so that a machine with other work to do
//! does not make a slow case of a quick one; and by the clock, much later, for one that waits for ever.
#![allow(clippy::disallowed_methods)] // what takes no processor time is known by the clock

use std::time::{Duration, Instant};

/// A case that takes no processor time, or on a system that does not tell it, hangs after so many times its
/// patience.
pub(crate) const WAITING: u32 = 10;

/// Ticks of a second in which Linux tells processor time, on every processor that Rust's standard library
/// knows.
const TICKS_PER_SECOND: u64 = 100;

/// A case under way in a child.
pub(crate) struct UnderWay {
    pub(crate) case: u64,
    child: u32,
    begun: Instant,
    begun_at: Option<Duration>,
}

impl UnderWay {
    /// The case which the child with this process identifier begins now.
    pub(crate) fn begun(case: u64, child: u32) -> Self {
        Self { case, child, begun: Instant::now(), begun_at: processor_time(child) }
    }

    /// By the clock.
    pub(crate) fn milliseconds(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// What to say of the case if it has used up its patience.
    pub(crate) fn endless(&self, patience: Duration) -> Option<String> {
        let taken = processor_time(self.child).zip(self.begun_at).map(|(now, then)| now.saturating_sub(then));
        if taken.is_some_and(|taken| taken >= patience) {
            return Some(format!("no end after {} s of processor time", patience.as_secs_f64()));
        }
        let waiting = patience * WAITING;
        (self.begun.elapsed() >= waiting).then(|| format!("no end after {} s", waiting.as_secs_f64()))
    }
}

/// Processor time that a process has taken, of its own and in the system; none where that is not told.
fn processor_time(process: u32) -> Option<Duration> {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    ticks(&told).map(|ticks| Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// The sum of `utime` and `stime` of a line of proc_pid_stat(5). The second field, the program's name in
/// parentheses, may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, behind_the_name) = stat.rsplit_once(')')?;
    // Fields 14 and 15; the first one behind the name is the third.
    let mut fields = behind_the_name.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "7 (a b) R 1 2) S 1 7 7 0 -1 4194304 100 0 0 0 250 31 9 9 20 0 1 0 5 6 7";
        assert_eq!(ticks(stat), Some(281));
        assert_eq!(ticks("7 (a) S 1 7"), None);
    }
}
