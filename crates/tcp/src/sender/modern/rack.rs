//! RACK: losses are told by the time of sending.
//!
//! Source: RFC 8985 section 6, as Linux net/ipv4/tcp_recovery.c has it: a segment is lost when another one,
//! sent later, has arrived, and a round trip has passed since, with some time more if reordering was seen.

use super::delivery::{Arrived, Delivery};
use super::scoreboard::Judgement;
use crate::sender::DUPLICATE_THRESHOLD;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// Recoveries after which a window of reordering that duplicates have widened is what it was
/// (`TCP_RACK_RECOVERY_THRESH`).
const RECOVERIES_KEPT: u8 = 16;

/// Segments that reordering reaches over while none was seen (`tcp_reordering`), and at the most
/// (`tcp_max_reordering`).
const LEAST_DEGREE: u32 = DUPLICATE_THRESHOLD as u32;
const GREATEST_DEGREE: u32 = 300;

/// What RACK remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// Of what has arrived, the segment that was sent last (RACK.segment), and what was walked over last,
    /// with its round trip (RACK.rtt).
    latest: Option<(Arrived, Arrived, Span)>,
    /// Whether something has arrived since segments were last judged.
    advanced: bool,
    /// The least round trip of the connection.
    least: Span,
    reordering_seen: bool,
    /// Over how many segments reordering reaches.
    degree: u32,
    /// Quarters of the least round trip that reordering may take.
    quarters: u8,
    recoveries_left: u8,
    /// Whether a duplicate was reported that has not widened the window yet.
    duplicate_seen: bool,
    /// When a duplicate last did: those of what was sent before are of the same round.
    widened_at: Time,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: None,
            advanced: false,
            least: Span::from_nanoseconds(u64::MAX),
            reordering_seen: false,
            degree: LEAST_DEGREE,
            quarters: 1,
            recoveries_left: 0,
            duplicate_seen: false,
            widened_at: Time::ZERO,
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

    /// The same; none before the first.
    pub(crate) fn round_trip_seen(&self) -> Option<Span> {
        Some(self.least).filter(|least| least.nanoseconds() < u64::MAX)
    }

    /// The round trip of what arrived last; none before the first.
    pub(crate) fn round_trip(&self) -> Option<Span> {
        self.latest.map(|(_, _, round_trip)| round_trip)
    }

    /// Something has arrived (RFC 8985 section 6.2 steps 1 and 2).
    pub(crate) fn note(&mut self, delivery: &Delivery) {
        let Some((arrived, measured, round_trip)) = delivery.judge else { return };
        let latest = self.latest.map(|(latest, ..)| latest);
        let latest = latest.filter(|latest| latest.sent_after(arrived.at, arrived.end));
        self.latest = Some((latest.unwrap_or(arrived), measured, round_trip));
        self.advanced = true;
    }

    /// What begins at `low` arrived behind what ends at `highest`, which was sent later (step 3; Linux
    /// `tcp_check_sack_reordering`).
    pub(crate) fn note_reordering(
        &mut self,
        low: SequenceNumber,
        highest: SequenceNumber,
        segment_bytes: u32,
    ) {
        if low.before(highest) {
            let segments = highest.distance_from(low).div_ceil(segment_bytes);
            self.degree = self.degree.max(segments.min(GREATEST_DEGREE));
            self.reordering_seen = true;
        }
    }

    /// Whether reordering reaches over so many segments that three duplicates mean nothing: then the window
    /// grows with whatever arrives (Linux `tcp_may_raise_cwnd`).
    #[inline]
    pub(crate) const fn reaches_far(&self) -> bool {
        self.degree > LEAST_DEGREE
    }

    /// Of what has arrived, what was sent last, and what was walked over last, with its round trip.
    #[cfg(test)]
    pub(crate) const fn latest(&self) -> Option<(Arrived, Arrived, Span)> {
        self.latest
    }

    /// Whether reordering was seen, and over how many segments it reaches.
    #[cfg(test)]
    pub(crate) const fn reordering(&self) -> (bool, u32) {
        (self.reordering_seen, self.degree)
    }

    /// The timer has expired though so many segments had arrived beyond a hole: reordering was overestimated
    /// (Linux `tcp_enter_loss`).
    pub(crate) const fn note_timeout(&mut self, sacked: u32) {
        if sacked >= LEAST_DEGREE {
            self.degree = LEAST_DEGREE;
        }
    }

    /// A duplicate was reported of what was sent again in a recovery: that was not needed (step 4). Without
    /// reordering it was not this clock that took the segment for lost (Linux `tcp_dsack_seen`).
    pub(crate) const fn note_duplicate(&mut self) {
        self.duplicate_seen |= self.reordering_seen;
    }

    /// Something has arrived that was sent `at`, the last of it: a duplicate widens the window once in a
    /// round trip (Linux `tcp_rack_update_reo_wnd`).
    pub(crate) fn widen(&mut self, now: Time, at: Time) {
        self.duplicate_seen &= at >= self.widened_at;
        if std::mem::take(&mut self.duplicate_seen) {
            self.quarters = self.quarters.saturating_add(1);
            self.recoveries_left = RECOVERIES_KEPT;
            self.widened_at = now;
        } else if self.recoveries_left == 0 {
            self.quarters = 1;
        }
    }

    /// A recovery is over, and was none too many.
    pub(crate) const fn note_recovered(&mut self) {
        self.recoveries_left = self.recoveries_left.saturating_sub(1);
    }

    /// Duplicates have taken a recovery back.
    pub(crate) fn note_mistake(&mut self) {
        self.recoveries_left = (self.recoveries_left + 1).min(RECOVERIES_KEPT);
    }

    /// What was taken for lost may not be: everything is judged anew.
    pub(crate) const fn judge_again(&mut self) {
        self.advanced = true;
    }

    /// Nothing has been overtaken by what has arrived.
    #[inline]
    pub(crate) const fn skip_judgement(&mut self) {
        self.advanced = false;
    }

    /// By what others are judged, if something has arrived since they were judged last.
    pub(crate) fn next_judgement(
        &mut self,
        sacked: u32,
        in_recovery: bool,
        smoothed: Span,
    ) -> Option<Judgement> {
        if !std::mem::take(&mut self.advanced) {
            return None;
        }
        self.judgement(sacked, in_recovery, smoothed)
    }

    /// By what others are judged now, with so many segments beyond a hole.
    pub(crate) fn judgement(&self, sacked: u32, in_recovery: bool, smoothed: Span) -> Option<Judgement> {
        let (latest, measured, round_trip) = self.latest?;
        let certain = in_recovery || sacked >= self.degree;
        let reordering = if !self.reordering_seen && certain {
            Span::ZERO
        } else {
            let quarter = self.least.nanoseconds() / 4;
            Span::from_nanoseconds(quarter.saturating_mul(u64::from(self.quarters))).min(smoothed)
        };
        Some(Judgement { latest, measured, round_trip, reordering })
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
    fn rack(reordered: bool) -> Rack {
        let mut rack = Rack::default();
        rack.note_round_trip(LEAST);
        let sent = Time::from_seconds(0.88);
        let arrived = Arrived { at: sent, end: at(1_000), ambiguous: false };
        let judge = Some((arrived, arrived, Span::from_milliseconds(120)));
        rack.note(&Delivery { judge, ..Delivery::default() });
        if reordered {
            rack.note_reordering(at(1), at(1_001), 1_000);
        }
        rack
    }

    /// A duplicate is reported so many milliseconds after 1 s, with an arrival sent then.
    fn duplicate(rack: &mut Rack, now_ms: u64, sent_ms: u64) {
        let at = |milliseconds| Time::from_seconds(1.0) + Span::from_milliseconds(milliseconds);
        rack.note_duplicate();
        rack.widen(at(now_ms), at(sent_ms));
    }

    fn recover(rack: &mut Rack, times: u32) {
        (0..times).for_each(|_| rack.note_recovered());
        rack.widen(Time::from_seconds(9.0), Time::from_seconds(9.0));
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
        duplicate(&mut rack, 100, 0);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50);
        duplicate(&mut rack, 110, 10);
        duplicate(&mut rack, 150, 99);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50, "what arrives was sent before the first");
        duplicate(&mut rack, 200, 100);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 75);
    }

    /// Linux `tcp_dsack_seen`: without reordering it was not this clock that took the segment for lost.
    #[test]
    fn a_duplicate_without_reordering_widens_nothing() {
        let mut rack = rack(false);
        duplicate(&mut rack, 100, 0);
        assert_eq!(window_ms(&rack, 0, false, SMOOTHED), 25);
    }

    /// RFC 8985 section 6.2 step 4: the smoothed round trip is the bound.
    #[test]
    fn the_window_is_a_smoothed_round_trip_at_the_most() {
        let mut rack = rack(true);
        (1..6).for_each(|round| duplicate(&mut rack, round * 100, round * 100));
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 150);
        assert_eq!(window_ms(&rack, 3, true, Span::from_milliseconds(149)), 149);
        assert_eq!(window_ms(&rack, 3, true, Span::from_milliseconds(130)), 130);
    }

    /// RFC 8985 section 6.2 step 4: `RACK.reo_wnd_persist` is 16 recoveries; another duplicate begins them
    /// anew.
    #[test]
    fn sixteen_recoveries_narrow_a_widened_window() {
        let mut rack = rack(true);
        duplicate(&mut rack, 100, 0);
        recover(&mut rack, 15);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 50);
        duplicate(&mut rack, 200, 100);
        recover(&mut rack, 15);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 75);
        recover(&mut rack, 1);
        assert_eq!(window_ms(&rack, 3, true, SMOOTHED), 25);
    }

    /// Linux `tcp_check_sack_reordering`: 3,500 bytes are four segments, and 300 are the most.
    #[test]
    fn reordering_reaches_over_as_many_segments_as_overtook() {
        let mut rack = rack(false);
        rack.note_reordering(at(5_000), at(5_000), 1_000);
        assert!(!rack.reaches_far() && !rack.reordering_seen, "nothing overtook");
        rack.note_reordering(at(1_000), at(4_000), 1_000);
        assert!(!rack.reaches_far() && rack.reordering_seen);
        rack.note_reordering(at(1_000), at(4_500), 1_000);
        assert_eq!((rack.reaches_far(), rack.degree), (true, 4));
        rack.note_reordering(at(0), at(1_000_000), 1_000);
        assert_eq!(rack.degree, 300);
        rack.note_timeout(2);
        assert_eq!(rack.degree, 300);
        rack.note_timeout(3);
        assert_eq!(rack.degree, 3);
    }

    /// RFC 8985 section 6.2 step 2: what was sent last counts, not what arrived last; of one instant the end.
    /// The round trip is that of the last arrival (Linux `tcp_rack_advance`).
    #[test]
    fn what_was_sent_before_does_not_judge_though_it_arrives_later() {
        let mut rack = rack(false);
        for (sent_s, end, expected) in [(0.87, 900, 1_000), (0.88, 999, 1_000), (0.88, 1_001, 1_001)] {
            let arrived = Arrived { at: Time::from_seconds(sent_s), end: at(end), ambiguous: false };
            let judge = Some((arrived, arrived, Span::from_milliseconds(u64::from(end))));
            rack.note(&Delivery { judge, ..Delivery::default() });
            let judgement = rack.next_judgement(3, true, SMOOTHED).expect("an arrival");
            assert_eq!(judgement.latest.end, at(expected), "sent at {sent_s}");
            assert_eq!(judgement.round_trip, Span::from_milliseconds(u64::from(end)));
            assert!(rack.next_judgement(3, true, SMOOTHED).is_none(), "nothing has arrived since");
        }
    }
}
