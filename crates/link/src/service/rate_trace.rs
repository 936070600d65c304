//! Rates that vary: the instants at which a link may send.
//!
//! Source: Mahimahi (R. Netravali and others, USENIX ATC 2015), the format of `mm-link`: a line for each
//! opportunity to send 1,504 bytes, with the instant in whole milliseconds, never decreasing; behind the last
//! line the file begins again, with the last line's instant as its time 0.
//!
//! Each opportunity carries so many bytes. A packet that is taken into service uses the opportunities from
//! that instant on, and has left at the one in which its last byte goes; the next one uses what is left of
//! that one. An opportunity at which nothing is in service is lost, as is what is left of one then. So it is
//! in Mahimahi (`link_queue.cc`), but for what stands in the queue: there a packet leaves it at its first
//! opportunity, here as soon as the link is free, as on every other link.

use super::{Load, Service};
use aqmlab_units::{Rate, Span, Time};
use std::sync::Arc;

/// Bytes of an opportunity: 1,500 of an IP packet and the four that Mahimahi's packets carry in front.
const OPPORTUNITY_BYTES: u32 = 1_504;

/// The instants at which a link may send, over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateTrace {
    opportunities_ms: Arc<[u32]>,
}

impl RateTrace {
    /// Reads the text of a trace.
    ///
    /// # Errors
    /// The line at fault, counted from 1, where one is, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, (Option<usize>, String)> {
        let mut instants: Vec<u32> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let refuse = |reason| (Some(index + 1), reason);
            let instant = line.trim().parse::<u32>().map_err(|_| {
                refuse(format!("expected an instant in whole milliseconds, found \"{}\"", shortened(line)))
            })?;
            if instants.last().is_some_and(|&last| instant < last) {
                return Err(refuse(format!("{instant} behind {}", instants[instants.len() - 1])));
            }
            instants.push(instant);
        }
        match instants.last() {
            None => Err((None, "there is no line".to_owned())),
            Some(0) => Err((None, "it has no duration: the last instant is 0".to_owned())),
            Some(_) => Ok(Self { opportunities_ms: instants.into() }),
        }
    }

    /// These traces, one behind the other: each begins at the last instant of the one before. None if that
    /// takes longer than can be counted, or there are none.
    #[must_use]
    pub fn in_a_row(traces: &[Self]) -> Option<Self> {
        let (mut instants, mut began_ms) = (Vec::new(), 0_u32);
        for trace in traces {
            for &instant in trace.opportunities_ms() {
                instants.push(began_ms.checked_add(instant)?);
            }
            began_ms = *instants.last()?;
        }
        (!instants.is_empty()).then(|| Self { opportunities_ms: instants.into() })
    }

    /// The instants of one round, in milliseconds: at least one, never decreasing, the last one above zero.
    #[must_use]
    pub fn opportunities_ms(&self) -> &[u32] {
        &self.opportunities_ms
    }

    /// How long one round takes, in milliseconds.
    #[must_use]
    pub fn period_ms(&self) -> u32 {
        self.opportunities_ms[self.opportunities_ms.len() - 1]
    }

    /// What a round lets through, over its time.
    #[must_use]
    pub fn mean_rate(&self) -> Rate {
        let bits = 8 * u64::from(OPPORTUNITY_BYTES) * self.opportunities_ms.len() as u64;
        let per_second = bits as f64 * 1e3 / f64::from(self.period_ms());
        Rate::from_megabits_per_second((per_second / 1e6).max(1e-6))
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(20).collect()
}

/// A trace on its way: the opportunity that is used next, and what is left of it.
#[derive(Clone, Debug)]
pub(super) struct TraceClock {
    trace: RateTrace,
    /// When the present round began.
    round_began: Time,
    next: usize,
    left_bytes: u32,
}

impl TraceClock {
    /// A trace at its beginning, which is [`Time::ZERO`].
    pub(super) const fn new(trace: RateTrace) -> Self {
        Self { trace, round_began: Time::ZERO, next: 0, left_bytes: OPPORTUNITY_BYTES }
    }

    fn instant(&self) -> Time {
        self.round_began + Span::from_milliseconds(u64::from(self.trace.opportunities_ms()[self.next]))
    }

    fn pass(&mut self) {
        self.left_bytes = OPPORTUNITY_BYTES;
        self.next += 1;
        if self.next == self.trace.opportunities_ms().len() {
            self.next = 0;
            self.round_began += Span::from_milliseconds(u64::from(self.trace.period_ms()));
        }
    }
}

impl Service for TraceClock {
    fn transmit(&mut self, now: Time, load: Load) -> Time {
        while self.instant() < now {
            self.pass();
        }
        let mut missing = load.wire_bytes;
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

    fn costs_bytes_alone(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_opportunity() {
        let trace = RateTrace::parse("0\n1\n1\n 4\r\n").unwrap();
        assert_eq!(trace.opportunities_ms(), [0, 1, 1, 4]);
        assert_eq!(trace.period_ms(), 4);
        // Four times 1,504 bytes in 4 ms: 12.032 Mbit/s.
        assert_eq!(trace.mean_rate(), Rate::from_bits_per_second(12_032_000));
    }

    #[test]
    fn traces_in_a_row_follow_one_another() {
        let traces = ["1\n4\n", "0\n2\n", "3\n"].map(|text| RateTrace::parse(text).unwrap());
        let all = RateTrace::in_a_row(&traces).unwrap();
        assert_eq!(all.opportunities_ms(), [1, 4, 4, 6, 9]);
        let longest = RateTrace::parse("4294967295\n").unwrap();
        assert_eq!(RateTrace::in_a_row(&[longest.clone(), longest]), None);
        assert_eq!(RateTrace::in_a_row(&[]), None);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        let said = |text| RateTrace::parse(text).unwrap_err();
        assert_eq!(said(""), (None, "there is no line".to_owned()));
        assert_eq!(said("0\n0\n"), (None, "it has no duration: the last instant is 0".to_owned()));
        assert_eq!(said("3\n2\n"), (Some(2), "2 behind 3".to_owned()));
        let expected = |found| format!("expected an instant in whole milliseconds, found \"{found}\"");
        assert_eq!(said("3\n\n4\n"), (Some(2), expected("")));
        assert_eq!(said("1.5\n"), (Some(1), expected("1.5")));
        assert_eq!(said("-1\n"), (Some(1), expected("-1")));
        assert_eq!(said("4294967296\n"), (Some(1), expected("4294967296")));
    }
}
