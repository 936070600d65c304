//! The receiver of a call: reports of what has arrived.

use aqmlab_units::Time;
use std::collections::VecDeque;

/// IPv4, UDP, and RTCP with the header of transport-wide feedback.
const REPORT_BYTES: usize = 20 + 8 + 20;
/// Packets whose status has room in two bytes.
const PACKETS_PER_CHUNK: usize = 7;

/// What a report says: of all packets from one to before another, which have arrived, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// The first packet it speaks of.
    pub(super) from: u32,
    /// The first of which it does not.
    pub(super) until: u32,
    /// Those that have arrived, in the order in which they did.
    pub(super) arrived: Vec<(u32, Time)>,
}

impl Report {
    /// Length of its IP packet.
    fn ip_bytes(&self) -> usize {
        let chunks = ((self.until - self.from) as usize).div_ceil(PACKETS_PER_CHUNK);
        REPORT_BYTES + 2 * chunks + self.arrived.len()
    }
}

/// What the receiver knows, and the reports that are under way.
#[derive(Clone, Default)]
pub(super) struct Receiver {
    unreported: Vec<(u32, Time)>,
    next: u32,
    under_way: VecDeque<(u32, Report)>,
}

impl Receiver {
    /// A packet has arrived. What a report has passed over is not spoken of again.
    pub(super) fn arrive(&mut self, sequence: u32, now: Time) {
        if sequence >= self.next {
            self.unreported.push((sequence, now));
        }
    }

    /// A report is due, with this number; answers with the length of its packet, no more than the longest, if
    /// there is something to say.
    pub(super) fn report(&mut self, number: u32, longest: u16) -> Option<u16> {
        let last = self.unreported.iter().map(|&(sequence, _)| sequence).max()?;
        let report =
            Report { from: self.next, until: last + 1, arrived: std::mem::take(&mut self.unreported) };
        self.next = report.until;
        let ip_bytes = u16::try_from(report.ip_bytes()).unwrap_or(u16::MAX).min(longest);
        self.under_way.push_back((number, report));
        Some(ip_bytes)
    }

    /// What the report with this number said; it has reached the sender. Earlier ones are lost.
    pub(super) fn take(&mut self, number: u32) -> Option<Report> {
        let earlier = self.under_way.iter().take_while(|(own, _)| *own < number).count();
        self.under_way.drain(..earlier);
        let (own, _) = self.under_way.front()?;
        if *own == number { self.under_way.pop_front().map(|(_, report)| report) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(milliseconds * 1_000_000)
    }

    #[test]
    fn a_report_speaks_of_all_since_the_one_before_it() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.report(0, 1500), None);
        [(0, 1), (1, 2), (3, 3)].into_iter().for_each(|(sequence, now)| receiver.arrive(sequence, at(now)));
        // 48 bytes, a chunk of two for four packets, a byte for each of three.
        assert_eq!(receiver.report(0, 1500), Some(53));
        receiver.arrive(2, at(4));
        [(4, 5), (13, 6)].into_iter().for_each(|(sequence, now)| receiver.arrive(sequence, at(now)));
        // Ten packets in two chunks.
        assert_eq!(receiver.report(1, 1500), Some(54));
        let first = Report { from: 0, until: 4, arrived: vec![(0, at(1)), (1, at(2)), (3, at(3))] };
        assert_eq!(receiver.take(0), Some(first));
        assert_eq!(receiver.take(1).map(|report| (report.from, report.until)), Some((4, 14)));
    }

    #[test]
    fn a_lost_report_is_not_taken_later() {
        let mut receiver = Receiver::default();
        for number in 0..3 {
            receiver.arrive(number, at(1));
            assert_eq!(receiver.report(number, 50), Some(50), "no longer than the longest packet");
        }
        assert_eq!(receiver.take(1).map(|report| report.from), Some(1));
        assert_eq!(receiver.take(0), None);
        assert_eq!(receiver.take(2).map(|report| report.from), Some(2));
    }
}
