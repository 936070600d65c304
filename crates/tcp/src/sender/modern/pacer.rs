//! Pacing: the segments of a window leave at a rate, and not as one burst.
//!
//! The rate is the controller's ([`crate::congestion::CongestionControl::pacing_rate`]). The output routine
//! asks before each segment with data, and tells of each that left. When its turn has come a quantum of
//! segments may leave in one instant, and the pace is kept behind them: fewer timers, and what a host with
//! segmentation offload does (draft-ietf-ccwg-bbr section 5.6.3).

use aqmlab_units::{Rate, Time, TransmissionClock};

/// When the next segment of a paced sender may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// From when on the next segment may leave.
    next: Time,
    /// Whether there is one that waits for it.
    is_waiting: bool,
    /// What is left of a quantum, of the instant alone in which it began to leave.
    left: u32,
    began: Time,
    /// Turns bytes into time at the rate of the last segment; it carries the fraction of a nanosecond.
    pace: Option<(Rate, TransmissionClock)>,
}

impl Default for Pacer {
    /// Nothing has left yet.
    fn default() -> Self {
        Self { next: Time::ZERO, is_waiting: false, left: 0, began: Time::ZERO, pace: None }
    }
}

impl Pacer {
    /// Whether a segment that is ready has to wait; then it is waited for.
    pub(super) fn holds_back(&mut self, now: Time) -> bool {
        self.is_waiting = now < self.next && (self.left == 0 || self.began != now);
        self.is_waiting
    }

    /// An IP packet of so many bytes leaves; the next may when it would have been sent at this rate, or at
    /// once if it belongs to the same quantum, of so many segments.
    pub(super) fn note_sent(&mut self, now: Time, ip_bytes: u16, rate: Rate, segments: u32) {
        if self.left > 0 && self.began == now {
            self.left -= 1;
        } else {
            (self.left, self.began) = (segments.saturating_sub(1), now);
        }
        let (known, mut clock) = self.pace.unwrap_or_else(|| (rate, TransmissionClock::new(rate)));
        if known != rate {
            clock = TransmissionClock::new(rate);
        }
        self.next = self.next.max(now) + clock.transmit(u32::from(ip_bytes));
        self.pace = Some((rate, clock));
    }

    /// When a segment that waits may leave; `Time::MAX` if none waits.
    pub(super) const fn deadline(&self) -> Time {
        if self.is_waiting { self.next } else { Time::MAX }
    }

    /// Nothing waits any more.
    pub(super) const fn stop(&mut self) {
        self.is_waiting = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Span;

    /// When the next may leave, in nanoseconds, behind so many of 1,001 bytes.
    fn after(pacer: &mut Pacer, packets: u32, gigabits_per_second: u64) -> u64 {
        let rate = Rate::from_bits_per_second(gigabits_per_second * 1_000_000_000);
        (0..packets).for_each(|_| pacer.note_sent(Time::ZERO, 1_001, rate, 1));
        pacer.next.nanoseconds()
    }

    /// A byte takes half a nanosecond at 16 Gbit/s and a whole one at 8: a packet 500.5 and 1,001.
    #[test]
    fn fractions_of_a_nanosecond_are_carried_until_the_rate_changes() {
        let mut pacer = Pacer::default();
        assert_eq!([1, 1, 1].map(|packets| after(&mut pacer, packets, 16)), [500, 1_001, 1_501]);
        assert_eq!(after(&mut pacer, 2, 8), 1_501 + 2_002);
        assert_eq!(after(&mut pacer, 2, 16), 1_501 + 2_002 + 1_001);
    }

    #[test]
    fn a_segment_waits_until_its_turn_and_after_a_pause_nothing_is_owed() {
        let mut pacer = Pacer::default();
        pacer.note_sent(Time::ZERO, 1_000, Rate::from_bits_per_second(8_000_000), 1);
        let at = Time::from_nanoseconds;
        assert_eq!((pacer.holds_back(at(1_000_000)), pacer.deadline()), (false, Time::MAX));
        assert_eq!((pacer.holds_back(at(999_999)), pacer.deadline()), (true, at(1_000_000)));
        pacer.stop();
        assert_eq!(pacer.deadline(), Time::MAX);
        pacer.note_sent(at(5_000_000), 1_000, Rate::from_bits_per_second(8_000_000), 1);
        assert!(pacer.holds_back(at(5_999_999)) && !pacer.holds_back(at(6_000_000)));
    }

    /// Of 1,000 bytes at 8 Mbit/s, which take a millisecond: four leave at once, and the fifth four
    /// milliseconds later, whatever left of a quantum in the meantime was not sent.
    #[test]
    fn a_quantum_leaves_in_one_instant_and_the_pace_is_kept_behind_it() {
        let mut pacer = Pacer::default();
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let send = |pacer: &mut Pacer, now| {
            pacer.note_sent(at(now), 1_000, Rate::from_bits_per_second(8_000_000), 4);
        };
        for _ in 0..4 {
            assert!(!pacer.holds_back(at(10)));
            send(&mut pacer, 10);
        }
        assert_eq!((pacer.holds_back(at(10)), pacer.deadline()), (true, at(14)));
        assert!(pacer.holds_back(at(13)) && !pacer.holds_back(at(14)));
        // One segment was all there was: what is left of its quantum is of that instant.
        send(&mut pacer, 14);
        assert!(!pacer.holds_back(at(14)));
        assert!(pacer.holds_back(at(14) + Span::from_microseconds(1)));
        assert!(!pacer.holds_back(at(15)));
    }
}
