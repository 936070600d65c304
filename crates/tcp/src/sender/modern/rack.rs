//! RACK: losses are told by the time of sending.
//!
//! Source: RFC 8985 section 6, as Linux net/ipv4/tcp_recovery.c has it: a segment is lost when another one,
//! sent later, has arrived, and a round trip has passed since, with some time more if reordering was seen.

use super::scoreboard::{Arrived, Delivery, Judgement};
use crate::sender::DUPLICATE_THRESHOLD;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// Recoveries after which a window of reordering that duplicates have widened is what it was
/// (`TCP_RACK_RECOVERY_THRESH`).
const RECOVERIES_KEPT: u8 = 16;

/// What RACK remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// Of what has arrived, the segment that was sent last (RACK.segment), and its round trip (RACK.rtt).
    latest: Option<(Arrived, Span)>,
    /// The least round trip of the connection.
    least: Span,
    reordering_seen: bool,
    /// Quarters of the least round trip that reordering may take.
    quarters: u8,
    recoveries_left: u8,
    /// Up to where duplicates of one round are one.
    widened_until: SequenceNumber,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: None,
            least: Span::from_nanoseconds(u64::MAX),
            reordering_seen: false,
            quarters: 1,
            recoveries_left: 0,
            widened_until: SequenceNumber::INITIAL,
        }
    }
}

impl Rack {
    /// A round trip was measured.
    pub(crate) fn note_round_trip(&mut self, round_trip: Span) {
        self.least = self.least.min(round_trip);
    }

    /// The least round trip of the connection; the greatest value before the first.
    pub(crate) const fn least(&self) -> Span {
        self.least
    }

    /// Something has arrived (RFC 8985 section 6.2 steps 1 to 3).
    pub(crate) fn note(&mut self, now: Time, delivery: &Delivery) {
        self.reordering_seen |= delivery.reordered;
        let Some(arrived) = delivery.latest else { return };
        let round_trip = now - arrived.at;
        // A retransmission that is answered sooner than anything else was: the original has arrived.
        if arrived.ambiguous && round_trip < self.least {
            return;
        }
        if self.latest.is_none_or(|(latest, _)| !latest.sent_after(arrived.at, arrived.end)) {
            self.latest = Some((arrived, round_trip));
        }
    }

    /// Whether something sent after this has arrived.
    #[inline]
    pub(crate) fn has_overtaken(&self, at: Time, end: SequenceNumber) -> bool {
        self.latest.is_some_and(|(latest, _)| latest.sent_after(at, end))
    }

    /// What filled a hole had only been delayed, or came behind what was sent later.
    pub(crate) const fn note_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// A duplicate was reported of what was sent again in a recovery: that was not needed (step 4). Without
    /// reordering it was not this clock that took the segment for lost (Linux `tcp_dsack_seen`).
    pub(crate) fn note_duplicate(&mut self, una: SequenceNumber, max: SequenceNumber) {
        if self.reordering_seen && !una.before(self.widened_until) {
            self.quarters = self.quarters.saturating_add(1);
            self.recoveries_left = RECOVERIES_KEPT;
            self.widened_until = max;
        }
    }

    /// A recovery is over.
    pub(crate) fn note_recovered(&mut self) {
        self.recoveries_left = self.recoveries_left.saturating_sub(1);
        if self.recoveries_left == 0 {
            self.quarters = 1;
        }
    }

    /// By what others are judged now, with so many segments beyond a hole.
    pub(crate) fn judgement(&self, sacked: u32, in_recovery: bool, smoothed: Span) -> Option<Judgement> {
        let (latest, round_trip) = self.latest?;
        let certain = in_recovery || sacked >= u32::from(DUPLICATE_THRESHOLD);
        let reordering = if !self.reordering_seen && certain {
            Span::ZERO
        } else {
            let quarter = self.least.nanoseconds() / 4;
            Span::from_nanoseconds(quarter.saturating_mul(u64::from(self.quarters))).min(smoothed)
        };
        Some(Judgement { latest, round_trip, reordering })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a connection whose least round trip is 100 ms and whose smoothed one is longer than any bound here.
    const LEAST: Span = Span::from_milliseconds(100);
    const SMOOTHED: Span = Span::from_milliseconds(1_000);

    fn at(value: u32) -> SequenceNumber {
        SequenceNumber::new(value)
    }

    /// Something has arrived, at 1 s, that was sent 120 ms before.
    fn arrival(reordered: bool) -> Delivery {
        let sent = Time::from_seconds(0.88);
        let latest = Some(Arrived { at: sent, end: at(1_000), ambiguous: false });
        Delivery { latest, reordered, ..Delivery::default() }
    }

    fn rack(reordered: bool) -> Rack {
        let mut rack = Rack::default();
        rack.note_round_trip(LEAST);
        rack.note(Time::from_seconds(1.0), &arrival(reordered));
        rack
    }

    /// The time that reordering may take, in milliseconds, with so many segments beyond a hole.
    fn window_ms(rack: &Rack, sacked: u32, in_recovery: bool, smoothed: Span) -> u64 {
        let Judgement { round_trip, reordering, .. } =
            rack.judgement(sacked, in_recovery, smoothed).expect("an arrival");
        assert_eq!(round_trip, Span::from_milliseconds(120));
        reordering.nanoseconds() / 1_000_000
    }

    /// RFC 8985 section 6.2 step 4: none where no reordering was seen, in recovery or with three segments
    /// beyond a hole.
    #[test]
    fn without_reordering_recoveries_and_three_duplicates_do_not_wait() {
        let calm = rack(false);
        assert_eq!([0, 2, 3, 4].map(|sacked| window_ms(&calm, sacked, false, SMOOTHED)), [25, 25, 0, 0]);
        assert_eq!([0, 3].map(|sacked| window_ms(&calm, sacked, true, SMOOTHED)), [0, 0]);
        let reordered = rack(true);
        assert_eq!([0, 3].map(|sacked| window_ms(&reordered, sacked, false, SMOOTHED)), [25, 25]);
        assert_eq!([0, 3].map(|sacked| window_ms(&reordered, sacked, true, SMOOTHED)), [25, 25]);
    }

    /// RFC 8985 section 6.2 step 4: a quarter of the least round trip more for each round with a duplicate.
    #[test]
    fn duplicates_of_one_round_widen_the_window_once() {
        let mut rack = rack(true);
        rack.note_duplicate(at(1_000), at(5_000));
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50);
        rack.note_duplicate(at(2_000), at(6_000));
        rack.note_duplicate(at(4_999), at(7_000));
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50, "what was sent by then is not acknowledged yet");
        rack.note_duplicate(at(5_000), at(8_000));
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 75);
    }

    /// Linux `tcp_dsack_seen`: without reordering it was not this clock that took the segment for lost.
    #[test]
    fn a_duplicate_without_reordering_widens_nothing() {
        let mut rack = rack(false);
        rack.note_duplicate(at(1_000), at(5_000));
        assert_eq!(window_ms(&rack, 0, false, SMOOTHED), 25);
    }

    /// RFC 8985 section 6.2 step 4: the smoothed round trip is the bound.
    #[test]
    fn the_window_is_a_smoothed_round_trip_at_the_most() {
        let mut rack = rack(true);
        (1..6).for_each(|round| rack.note_duplicate(at(round * 1_000), at((round + 1) * 1_000)));
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 150);
        assert_eq!(window_ms(&rack, 3, true, Span::from_milliseconds(149)), 149);
        assert_eq!(window_ms(&rack, 3, true, Span::from_milliseconds(130)), 130);
    }

    /// RFC 8985 section 6.2 step 4: `RACK.reo_wnd_persist` is 16 recoveries; another duplicate begins them
    /// anew.
    #[test]
    fn sixteen_recoveries_narrow_a_widened_window() {
        let mut rack = rack(true);
        rack.note_duplicate(at(1_000), at(2_000));
        (0..15).for_each(|_| rack.note_recovered());
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50);
        rack.note_duplicate(at(2_000), at(3_000));
        (0..15).for_each(|_| rack.note_recovered());
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 75);
        rack.note_recovered();
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 25);
    }

    /// RFC 8985 section 6.2 step 2: an answer that comes sooner than any round trip is the original's.
    #[test]
    fn an_early_answer_to_a_retransmission_is_the_originals() {
        let mut rack = rack(false);
        let sent = Time::from_seconds(1.0);
        let answer = |ambiguous| Delivery {
            latest: Some(Arrived { at: sent, end: at(2_000), ambiguous }),
            ..Delivery::default()
        };
        let latest = |rack: &Rack| rack.judgement(3, true, SMOOTHED).map(|judgement| judgement.latest.end);
        rack.note(sent + Span::from_microseconds(99_999), &answer(true));
        assert_eq!(latest(&rack), Some(at(1_000)));
        rack.note(sent + LEAST, &answer(true));
        assert_eq!(latest(&rack), Some(at(2_000)));
    }

    /// RFC 8985 section 6.2 step 2: what was sent last counts, not what arrived last; of one instant the end.
    #[test]
    fn what_was_sent_before_does_not_judge_though_it_arrives_later() {
        let mut rack = rack(false);
        let latest = |rack: &Rack| rack.judgement(3, true, SMOOTHED).map(|judgement| judgement.latest.end);
        for (sent_s, end, expected) in [(0.87, 900, 1_000), (0.88, 999, 1_000), (0.88, 1_001, 1_001)] {
            let latest_of = Some(Arrived { at: Time::from_seconds(sent_s), end: at(end), ambiguous: false });
            rack.note(Time::from_seconds(1.1), &Delivery { latest: latest_of, ..Delivery::default() });
            assert_eq!(latest(&rack), Some(at(expected)), "sent at {sent_s}");
        }
    }
}
