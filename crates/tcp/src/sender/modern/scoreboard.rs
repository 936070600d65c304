//! The scoreboard: what was sent and not acknowledged, segment by segment, and what became of each.
//!
//! Source: RFC 6675 sections 3 and 4 (`Update`, `IsLost`, `SetPipe`), counted in segments as Linux does
//! (`packets_out`, `sacked_out`, `lost_out`, `retrans_out`: `tcp_packets_in_flight`).
//!
//! The work of an acknowledgement does not grow with the window. Every transmission is looked at once when a
//! later one has arrived, and once when it is due, in the order of sending (Linux `tsorted_sent_queue`); what
//! is to be sent again waits in a heap.
//!
//! Departures and silences:
//! - A segment is selectively acknowledged whole or not at all, as receivers do that report what arrived.
//! - Of RFC 6675's rules for what to send next, (1) and (2): what is taken for lost, then new data. Neither
//!   is anything sent again that is not taken for lost (3), nor the last segment once more (4): Linux has its
//!   tail loss probe instead.

use super::delivery::{Arrived, Delivery, extended, lower};
use super::sent::{Departed, Sent};
use crate::options::Block;
use crate::sender::DUPLICATE_THRESHOLD;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// How many segments of new data the connection had sent before this one.
pub(crate) type Place = u64;

/// One departure of a segment, compared by time and then by place, as RACK does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Transmission {
    at: Time,
    place: Place,
}

/// By what segments are judged that have not arrived (RFC 8985 section 6.2 step 5).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    /// Of what has arrived, what was sent last.
    pub(crate) latest: Arrived,
    /// What the last acknowledgement has walked over last, and its round trip.
    pub(crate) measured: Arrived,
    pub(crate) round_trip: Span,
    /// The time that reordering may take.
    pub(crate) reordering: Span,
}

/// What is outstanding, in the order of its numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// The place of the first of them.
    first: Place,
    /// The place of the first that nothing sent later has overtaken, of those that were sent once: these lie
    /// in the order of sending. What was sent again since, or has arrived, is passed over.
    next_once: Place,
    /// The same of what was sent again, in the order of sending.
    sent_again: VecDeque<Transmission>,
    /// What was overtaken and is not overdue, likewise.
    overtaken: VecDeque<Transmission>,
    /// What is to be sent again, the lowest place first. What no longer is, is passed over.
    missing: BinaryHeap<Reverse<Place>>,
    /// The ends, as places, of the three highest segments that were selectively acknowledged, descending.
    highest_ends: [Place; DUPLICATE_THRESHOLD as usize],
    sacked: u32,
    lost: u32,
    again: u32,
    /// Segments that ever were taken for lost, each time; the count wraps.
    lost_ever: u32,
    /// Those of them that were since this was last read, if anybody asks for them.
    pub(super) losses: Option<Vec<(Place, Sent)>>,
    /// The highest number that was selectively acknowledged.
    highest: Option<SequenceNumber>,
    /// The blocks of the last acknowledgement: what they cover is known.
    known: Vec<Block>,
}

impl Scoreboard {
    /// An empty one, for a controller that asks for each lost segment or not.
    pub(crate) fn new(keeps_losses: bool) -> Self {
        Self { losses: keeps_losses.then(Vec::new), ..Self::default() }
    }

    /// Whether nothing is outstanding, nor remembered of what the last acknowledgement reported.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.known.is_empty()
    }

    /// Whether everything outstanding was sent once, and nothing of it has arrived or been judged; nor is
    /// anything remembered of what no longer is outstanding.
    #[inline]
    pub(crate) fn is_undisturbed(&self) -> bool {
        (self.sacked | self.lost | self.again) == 0
            && self.known.is_empty()
            && self.sent_again.is_empty()
            && self.overtaken.is_empty()
            && self.missing.is_empty()
    }

    /// What is outstanding.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sent> {
        self.segments.iter()
    }

    /// Segments outstanding.
    pub(crate) fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments in the network, as far as is known (`pipe`).
    pub(crate) fn in_flight(&self) -> u32 {
        self.outstanding() + self.again - self.sacked - self.lost
    }

    /// Segments that have arrived beyond a hole.
    pub(crate) const fn sacked(&self) -> u32 {
        self.sacked
    }

    /// The first segment outstanding.
    pub(crate) fn first(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The last segment outstanding.
    pub(crate) fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// New data are sent, [`Sent::apart`] or not, and limited by the application or not.
    pub(crate) fn push(&mut self, now: Time, (start, end): Block, apart: bool, limited: bool) {
        let departed = Departed { in_flight: self.in_flight() + 1, lost: self.lost_ever };
        self.segments.push_back(Sent {
            start,
            end,
            at: now,
            departed,
            limited,
            sacked: false,
            lost: false,
            again: false,
            is_judged: false,
            ambiguous: false,
            apart,
        });
    }

    /// Segments that ever were taken for lost, each time; the count wraps.
    pub(crate) const fn lost_ever(&self) -> u32 {
        self.lost_ever
    }

    /// Segments that are taken for lost, whether sent again since or not.
    pub(crate) const fn lost(&self) -> u32 {
        self.lost
    }

    /// Retransmissions outstanding.
    pub(crate) const fn sent_again(&self) -> u32 {
        self.again
    }

    /// Whether any is outstanding, or the first segment was sent again at some time (Linux
    /// `tcp_any_retrans_done`).
    pub(crate) fn any_sent_again(&self) -> bool {
        self.again > 0 || self.segments.front().is_some_and(|segment| segment.ambiguous)
    }

    /// The segment that begins at `start` is sent again. Answers whether it was taken for lost; if not it is
    /// a probe, which is in the network once, as before.
    pub(crate) fn send_again(&mut self, now: Time, start: SequenceNumber, limited: bool) -> bool {
        let index = self.segments.partition_point(|segment| segment.start.before(start));
        let Some(segment) = self.segments.get_mut(index) else { return false };
        let was_lost = segment.lost;
        self.again += u32::from(was_lost && !segment.again);
        segment.again |= was_lost;
        let in_flight = self.segments.len() as u32 + self.again - self.sacked - self.lost;
        let segment = &mut self.segments[index];
        segment.departed = Departed { in_flight, lost: self.lost_ever };
        segment.limited = limited;
        segment.is_judged = false;
        segment.ambiguous = true;
        segment.at = now;
        let new = Transmission { at: now, place: self.first + index as Place };
        // Only of one instant may a lower place follow a higher one.
        let later = self.sent_again.iter().rev().take_while(|sent| **sent > new).count();
        self.sent_again.insert(self.sent_again.len() - later, new);
        was_lost
    }

    /// The earliest transmission that nothing sent later has overtaken, and where its segment lies. What can
    /// no longer be judged by its transmission is passed over.
    #[inline(always)]
    fn earliest(&mut self) -> Option<(Transmission, usize)> {
        let once = self.earliest_once();
        if self.sent_again.is_empty() {
            return once;
        }
        match (once, self.earliest_again()) {
            (Some(once), Some(again)) => Some(if once.0 < again.0 { once } else { again }),
            (once, again) => once.or(again),
        }
    }

    /// The same of what was sent once.
    #[inline(always)]
    fn earliest_once(&mut self) -> Option<(Transmission, usize)> {
        self.next_once = self.next_once.max(self.first);
        loop {
            let index = (self.next_once - self.first) as usize;
            let segment = self.segments.get(index)?;
            if segment.waits_once() {
                return Some((Transmission { at: segment.at, place: self.next_once }, index));
            }
            self.next_once += 1;
        }
    }

    /// The same of what was sent again.
    fn earliest_again(&mut self) -> Option<(Transmission, usize)> {
        while let Some(&sent) = self.sent_again.front() {
            if let Some(index) = self.waiting(sent) {
                return Some((sent, index));
            }
            self.sent_again.pop_front();
        }
        None
    }

    /// The [earliest](Self::earliest) is overtaken, or lost.
    fn pass(&mut self, earliest: Transmission) {
        if self.sent_again.front() == Some(&earliest) {
            self.sent_again.pop_front();
        } else {
            self.next_once = earliest.place + 1;
        }
    }

    /// Where a segment of this place lies, if it is outstanding.
    fn index(&self, place: Place) -> Option<usize> {
        let index = place.checked_sub(self.first)? as usize;
        (index < self.segments.len()).then_some(index)
    }

    /// The segment of this transmission, if it may still be judged by that.
    fn waiting(&self, sent: Transmission) -> Option<usize> {
        self.index(sent.place).filter(|&index| self.segments[index].waits_since(sent.at))
    }

    /// Takes a segment for lost.
    fn lose(&mut self, index: usize) {
        let segment = &mut self.segments[index];
        self.lost += u32::from(!segment.lost);
        self.again -= u32::from(std::mem::take(&mut segment.again));
        segment.lost = true;
        self.lost_ever = self.lost_ever.wrapping_add(1);
        if let Some(losses) = &mut self.losses {
            losses.push((self.first + index as Place, *segment));
        }
        self.missing.push(Reverse(self.first + index as Place));
    }

    /// The highest number that has arrived beyond a hole.
    pub(crate) const fn highest(&self) -> Option<SequenceNumber> {
        self.highest
    }

    /// Everything before `number` has arrived.
    pub(crate) fn acknowledge(&mut self, number: SequenceNumber, delivery: &mut Delivery) {
        while let Some(&segment) = self.segments.front() {
            if number.before(segment.end) {
                break;
            }
            self.segments.pop_front();
            self.first += 1;
            self.lost -= u32::from(segment.lost);
            self.again -= u32::from(segment.again);
            delivery.passed_ambiguous |= segment.ambiguous;
            if segment.sacked {
                self.sacked -= 1;
            } else {
                delivery.note_passed(&segment);
            }
        }
        self.next_once = self.next_once.max(self.first);
        if self.highest.is_some_and(|highest| !number.before(highest)) {
            self.highest = None;
        }
    }

    /// The same of an [undisturbed](Self::is_undisturbed) scoreboard, whose first segment has arrived:
    /// nothing lies beyond a hole, and of segments in the order of sending the last is the latest.
    #[inline]
    pub(crate) fn acknowledge_undisturbed(&mut self, now: Time, number: SequenceNumber) -> Delivery {
        let mut delivery = Delivery { now, ..Delivery::default() };
        while let Some(&Sent { at, end, departed, .. }) =
            self.segments.front().filter(|first| !number.before(first.end))
        {
            self.segments.pop_front();
            delivery.delivered += 1;
            delivery.passed = extended(delivery.passed, at);
            let arrived = Arrived { at, end, ambiguous: false };
            (delivery.latest, delivery.judge) = (Some(arrived), Some((arrived, arrived, now - at)));
            delivery.departed = departed;
        }
        self.first += Place::from(delivery.delivered);
        self.next_once = self.next_once.max(self.first);
        delivery
    }

    /// What these blocks cover has arrived; they ascend.
    pub(crate) fn acknowledge_selectively(&mut self, blocks: &[Block], delivery: &mut Delivery) {
        if blocks.is_empty() && self.known.is_empty() {
            return;
        }
        let mut known = std::mem::take(&mut self.known);
        for &(start, end) in blocks {
            // Of a block that has grown, only what is new is looked for.
            let inside = |old: &&Block| !old.0.before(start) && !end.before(old.1);
            match known.iter().find(inside) {
                Some(&(from, to)) => {
                    self.mark_arrived(start, from, delivery);
                    self.mark_arrived(to, end, delivery);
                }
                None => self.mark_arrived(start, end, delivery),
            }
        }
        known.clear();
        known.extend_from_slice(blocks);
        self.known = known;
    }

    fn mark_arrived(&mut self, start: SequenceNumber, end: SequenceNumber, delivery: &mut Delivery) {
        let from = self.segments.partition_point(|segment| segment.start.before(start));
        for (index, segment) in self.segments.iter_mut().enumerate().skip(from) {
            if end.before(segment.end) {
                break;
            }
            if segment.sacked {
                continue;
            }
            delivery.note_reported(segment, self.highest);
            self.sacked += 1;
            // Where it was sent again and is not taken for lost any more, both are in the network.
            if std::mem::take(&mut segment.lost) {
                self.lost -= 1;
                self.again -= u32::from(std::mem::take(&mut segment.again));
            }
            segment.sacked = true;
            self.highest = Some(self.highest.map_or(segment.end, |number| number.later_of(segment.end)));
            let [.., lowest] = &mut self.highest_ends;
            *lowest = (*lowest).max(self.first + index as Place + 1);
            self.highest_ends.sort_unstable_by_key(|&end| Reverse(end));
        }
    }

    /// Of the segments that a peer reports to have come twice, how many were sent again, and where the lowest
    /// begins of those that had been reported to have arrived. A retransmission that is still taken to be in
    /// the network is not (Linux `tcp_sacktag_one`).
    pub(crate) fn find_repeated(&mut self, (start, end): Block) -> (u32, Option<SequenceNumber>) {
        let from = self.segments.partition_point(|segment| segment.start.before(start));
        let (mut count, mut lowest) = (0, None);
        for segment in self.segments.iter_mut().skip(from).take_while(|segment| !end.before(segment.end)) {
            if segment.ambiguous {
                count += 1;
                if segment.sacked {
                    lowest = lower(lowest, segment.start);
                }
            }
            if segment.again && !segment.lost {
                segment.again = false;
                self.again -= 1;
            }
        }
        (count, lowest)
    }

    /// Takes for lost what three segments or more have overtaken (RFC 6675 section 4, `IsLost`), and was
    /// never sent again. Answers how many segments that are.
    pub(crate) fn detect_by_duplicates(&mut self) -> u32 {
        let before = self.lost;
        // What is lost ends before the third of the highest that have arrived.
        let [.., bound] = self.highest_ends;
        while let Some((sent, index)) = self.earliest().filter(|(sent, _)| sent.place < bound) {
            self.pass(sent);
            if !self.segments[index].ambiguous {
                self.lose(index);
            }
        }
        self.lost - before
    }

    /// Takes for lost what was sent before the latest and is overdue (RFC 8985 section 6.2 step 5): the time
    /// since is the round trip and the time that reordering may take. What left in the same instant, but
    /// apart and behind the segment whose round trip that is, is not overdue yet: its departure was some
    /// microseconds later. Answers how many segments that are, and how long the last of the others that were
    /// sent before it has left. The latest was sent no earlier than that of the call before.
    pub(crate) fn detect_by_time(&mut self, now: Time, judgement: &Judgement) -> (u32, Option<Span>) {
        self.overtake(&judgement.latest);
        let mut count = 0;
        while let Some(&sent) = self.overtaken.front() {
            if self.time_left(now, sent, judgement).is_some() {
                break;
            }
            self.overtaken.pop_front();
            if let Some(index) = self.waiting(sent) {
                self.lose(index);
                self.segments[index].is_judged = true;
                count += 1;
            }
        }
        while self.overtaken.back().is_some_and(|&sent| self.waiting(sent).is_none()) {
            self.overtaken.pop_back();
        }
        (count, self.overtaken.back().and_then(|&sent| self.time_left(now, sent, judgement)))
    }

    /// How long a transmission has left; none if it is overdue.
    fn time_left(&self, now: Time, sent: Transmission, judgement: &Judgement) -> Option<Span> {
        let Judgement { measured, round_trip, reordering, .. } = *judgement;
        let left = (sent.at + round_trip + reordering).checked_since(now)?;
        let is_behind = || {
            let segment = self.index(sent.place).map(|index| &self.segments[index]);
            let behind = |segment: &Sent| segment.apart && measured.end.before(segment.end);
            sent.at == measured.at && segment.is_some_and(behind)
        };
        (left > Span::ZERO || is_behind()).then_some(left)
    }

    /// Sets apart what was sent before `rack`.
    fn overtake(&mut self, rack: &Arrived) {
        while let Some((sent, index)) = self.earliest() {
            if !rack.sent_after(sent.at, self.segments[index].end) {
                break;
            }
            self.pass(sent);
            self.overtaken.push_back(sent);
        }
    }

    /// Takes everything for lost that has not arrived; only the first segment, and what was sent a round trip
    /// ago, where there is one.
    pub(crate) fn lose_all(&mut self, now: Time, round_trip: Option<Span>) {
        for index in 0..self.segments.len() {
            let segment = &self.segments[index];
            let is_recent = round_trip.is_some_and(|round_trip| segment.at + round_trip > now);
            if !(segment.sacked || segment.is_missing() || index > 0 && is_recent) {
                self.lose(index);
            }
        }
    }

    /// Nothing is taken for lost any more: that was a mistake. Everything is judged anew but what was taken
    /// for lost by its time and not sent again: a timeout or a later retransmission has to find that.
    pub(crate) fn find_all(&mut self) {
        for segment in &mut self.segments {
            segment.lost = false;
        }
        self.lost = 0;
        self.missing.clear();
        self.overtaken.clear();
        self.next_once = self.first;
        let places = (self.first..).zip(&self.segments);
        let again = places.filter(|(_, segment)| segment.ambiguous && segment.may_be_judged());
        self.sent_again = again.map(|(place, segment)| Transmission { at: segment.at, place }).collect();
        self.sent_again.make_contiguous().sort_unstable();
    }

    /// Whether there may be a segment that is taken for lost and was not sent again since.
    #[inline]
    pub(crate) fn misses_any(&self) -> bool {
        !self.missing.is_empty()
    }

    /// The first segment that is taken for lost and was not sent again since.
    pub(crate) fn next_lost(&mut self) -> Option<Sent> {
        while let Some(&Reverse(place)) = self.missing.peek() {
            let segment = self.index(place).map(|index| self.segments[index]);
            if segment.is_some_and(|segment| segment.is_missing()) {
                return segment;
            }
            self.missing.pop();
        }
        None
    }
}

#[cfg(test)]
#[path = "walking_scoreboard.rs"]
mod walking_scoreboard;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: u32) -> SequenceNumber {
        SequenceNumber::new(value)
    }

    fn milliseconds(value: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(value)
    }

    /// Ten segments of 100 bytes, a millisecond apart.
    fn ten() -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..10_u32 {
            board.push(
                milliseconds(u64::from(number)),
                (at(100 * number), at(100 * number + 100)),
                false,
                false,
            );
        }
        board
    }

    /// The fourth of them has arrived last, after 40 ms, with 10 ms for reordering.
    fn by_the_fourth() -> Judgement {
        Judgement {
            latest: Arrived { at: milliseconds(3), end: at(400), ambiguous: false },
            measured: Arrived { at: milliseconds(3), end: at(400), ambiguous: false },
            round_trip: Span::from_milliseconds(40),
            reordering: Span::from_milliseconds(10),
        }
    }

    /// An acknowledgement that comes after everything was sent.
    fn later() -> Delivery {
        Delivery { now: milliseconds(100), ..Delivery::default() }
    }

    fn sack(board: &mut Scoreboard, blocks: &[(u32, u32)]) -> Delivery {
        let mut delivery = later();
        let blocks: Vec<Block> = blocks.iter().map(|&(start, end)| (at(start), at(end))).collect();
        board.acknowledge_selectively(&blocks, &mut delivery);
        delivery
    }

    #[test]
    fn what_three_segments_have_overtaken_is_lost_and_no_longer_in_the_network() {
        let mut board = ten();
        sack(&mut board, &[(100, 300)]);
        assert_eq!((board.detect_by_duplicates(), board.in_flight()), (0, 8));
        sack(&mut board, &[(400, 500), (100, 300)]);
        // Above the first are three; above the one at 300 is one.
        assert_eq!((board.detect_by_duplicates(), board.in_flight()), (1, 6));
        assert_eq!(board.next_lost().map(|segment| segment.start), Some(at(0)));
        board.send_again(milliseconds(50), at(0), false);
        assert_eq!((board.next_lost().is_none(), board.in_flight()), (true, 7));
        let mut delivery = later();
        board.acknowledge(at(300), &mut delivery);
        assert_eq!((delivery.delivered, delivery.original, board.in_flight()), (1, false, 6));
    }

    #[test]
    fn a_probe_is_in_the_network_once_and_its_segment_counts_as_sent_again_when_it_is_the_first() {
        let mut board = ten();
        assert!(!board.send_again(milliseconds(50), at(900), false), "it was not taken for lost");
        assert_eq!((board.in_flight(), board.sent_again(), board.any_sent_again()), (10, 0, false));
        board.acknowledge(at(900), &mut later());
        assert_eq!((board.in_flight(), board.sent_again(), board.any_sent_again()), (1, 0, true));
    }

    #[test]
    fn a_block_that_grows_delivers_what_is_new() {
        let mut board = ten();
        assert_eq!(sack(&mut board, &[(300, 500)]).delivered, 2);
        let grown = sack(&mut board, &[(200, 700)]);
        assert_eq!((grown.delivered, grown.sacked, grown.reported_late), (3, 3, Some(at(200))));
        assert_eq!(grown.latest.map(|latest| latest.end), Some(at(700)));
        assert_eq!(sack(&mut board, &[(800, 900), (200, 700)]).delivered, 1);
    }

    /// RFC 8985 section 6.2 step 3: only what was never sent again can tell of reordering.
    #[test]
    fn a_retransmission_that_fills_a_hole_is_no_reordering() {
        let mut board = ten();
        assert_eq!(sack(&mut board, &[(300, 600)]).reported_late, None, "nothing had arrived beyond it");
        assert_eq!(board.detect_by_duplicates(), 3);
        board.send_again(milliseconds(50), at(200), false);
        assert_eq!(sack(&mut board, &[(200, 600)]).reported_late, None);
        let mut delivery = later();
        board.send_again(milliseconds(50), at(0), false);
        board.acknowledge(at(100), &mut delivery);
        assert_eq!(delivery.lowest_passed, None);
        board.acknowledge(at(200), &mut delivery);
        assert_eq!(delivery.lowest_passed, Some(at(100)), "the original was late");
    }

    #[test]
    fn what_is_overdue_is_lost_and_the_rest_has_so_long_left() {
        let mut board = ten();
        sack(&mut board, &[(300, 400)]);
        let judgement = by_the_fourth();
        // Sent at 0, 1 and 2 ms, and due at 50, 51 and 52.
        let (lost, left) = board.detect_by_time(milliseconds(51), &judgement);
        assert_eq!((lost, left), (2, Some(Span::from_milliseconds(1))));
        assert_eq!(board.in_flight(), 7);
        board.lose_all(milliseconds(60), None);
        assert_eq!((board.in_flight(), board.sacked()), (0, 1));
        board.find_all();
        assert_eq!(board.in_flight(), 9);
    }

    /// Linux `tcp_rack_detect_loss` takes what it takes for lost out of the order of sending, and only
    /// sending it again puts it back (`tcp_update_skb_after_send`); `tcp_timeout_mark_lost` takes out
    /// nothing.
    #[test]
    fn what_time_took_for_lost_by_mistake_it_does_not_take_for_lost_again() {
        let lost_later = |by_time, sent_again| {
            let mut board = ten();
            sack(&mut board, &[(300, 400)]);
            if by_time {
                assert_eq!(board.detect_by_time(milliseconds(60), &by_the_fourth()).0, 3);
            } else {
                board.lose_all(milliseconds(60), None);
            }
            if sent_again {
                board.send_again(milliseconds(60), at(0), false);
            }
            board.find_all();
            let latest = Arrived { at: milliseconds(70), end: at(1_100), ambiguous: false };
            let judgement = Judgement { latest, measured: latest, ..by_the_fourth() };
            board.detect_by_time(milliseconds(200), &judgement).0
        };
        // Of ten one has arrived, and three were judged.
        assert_eq!([lost_later(true, false), lost_later(true, true)], [6, 7]);
        assert_eq!(lost_later(false, false), 9);
    }

    /// RFC 8985 section 6.2 step 5: a segment is judged by the time at which it was sent last.
    #[test]
    fn a_retransmission_is_not_overdue_because_its_original_was() {
        let mut board = ten();
        sack(&mut board, &[(300, 400)]);
        let judgement = by_the_fourth();
        assert_eq!(board.detect_by_time(milliseconds(43), &judgement).0, 0);
        board.lose_all(milliseconds(60), None);
        board.send_again(milliseconds(45), at(0), false);
        // The original was due at 50 ms.
        assert_eq!(board.detect_by_time(milliseconds(51), &judgement), (0, None));
        assert_eq!(board.in_flight(), 1);
    }

    /// RFC 8985 section 6.2 step 2: of all that arrived, what was sent last.
    #[test]
    fn the_latest_is_what_was_sent_last_wherever_it_lies() {
        let mut board = ten();
        sack(&mut board, &[(300, 600)]);
        assert_eq!(board.detect_by_duplicates(), 3);
        board.send_again(milliseconds(50), at(200), false);
        let latest = sack(&mut board, &[(200, 700)]).latest;
        assert_eq!(latest, Some(Arrived { at: milliseconds(50), end: at(300), ambiguous: true }));
    }

    /// RFC 8985 section 6.2 step 2: an answer that comes sooner than any round trip is the original's, and so
    /// is one that echoes a timestamp from before the retransmission. It judges nothing.
    #[test]
    fn an_early_answer_to_a_retransmission_is_the_originals() {
        let answered = |now_ms, echo| {
            let mut board = ten();
            board.lose_all(milliseconds(50), None);
            board.send_again(milliseconds(50), at(0), false);
            let least = Span::from_milliseconds(40);
            let now = milliseconds(now_ms);
            let mut delivery = Delivery { now, least, echo, ..Delivery::default() };
            board.acknowledge(at(100), &mut delivery);
            delivery.judge.map(|(.., round_trip)| round_trip)
        };
        assert_eq!(answered(89, None), None);
        assert_eq!(answered(90, None), Some(Span::from_milliseconds(40)));
        assert_eq!(answered(90, Some(49)), None);
        assert_eq!(answered(90, Some(50)), Some(Span::from_milliseconds(40)));
    }

    /// Linux sends what is written segment by segment, each some microseconds behind the one before
    /// (`tcp_push_one`): what left behind the segment whose round trip it is has these left. What an
    /// acknowledgement lets leave has one time.
    #[test]
    fn of_one_instant_what_left_behind_the_measured_segment_is_not_overdue_yet() {
        let judged = |apart, measured_end| {
            let mut board = Scoreboard::default();
            for number in 0..4 {
                board.push(milliseconds(0), (at(100 * number), at(100 * number + 100)), apart, false);
            }
            sack(&mut board, &[(300, 400)]);
            let arrived = |end| Arrived { at: milliseconds(0), end: at(end), ambiguous: false };
            let judgement = Judgement {
                latest: arrived(400),
                measured: arrived(measured_end),
                round_trip: Span::from_milliseconds(40),
                reordering: Span::ZERO,
            };
            board.detect_by_time(milliseconds(40), &judgement)
        };
        assert_eq!(judged(true, 400), (3, None));
        assert_eq!(judged(true, 200), (2, Some(Span::ZERO)));
        assert_eq!(judged(false, 200), (3, None), "all have one time");
    }

    /// Linux `tcp_timeout_mark_lost`: what was sent within a round trip is spared, but not the first segment.
    #[test]
    fn a_timeout_spares_what_was_sent_within_a_round_trip() {
        let mut board = ten();
        // Sent at 0 to 9 ms: at 44 ms those of 5 ms and later were sent less than 40 ms ago.
        board.lose_all(milliseconds(44), Some(Span::from_milliseconds(40)));
        assert_eq!((board.lost(), board.in_flight()), (5, 5));
        board.lose_all(milliseconds(44), Some(Span::from_milliseconds(100)));
        assert_eq!(board.lost(), 5);
        let mut board = ten();
        board.lose_all(milliseconds(10), Some(Span::from_milliseconds(100)));
        assert_eq!(board.lost(), 1);
    }

    /// Linux `tcp_sacktag_one`: duplicates count where they were sent again, and end what is in the network
    /// twice.
    #[test]
    fn a_duplicate_counts_where_the_segment_was_sent_again() {
        let mut board = ten();
        assert_eq!(board.find_repeated((at(100), at(300))), (0, None));
        board.lose_all(milliseconds(50), None);
        board.send_again(milliseconds(50), at(100), false);
        board.find_all();
        assert_eq!(board.in_flight(), 11, "both of it");
        sack(&mut board, &[(100, 300)]);
        assert_eq!(board.in_flight(), 9, "one of it");
        assert_eq!(board.find_repeated((at(100), at(300))), (1, Some(at(100))));
        assert_eq!(board.in_flight(), 8);
    }

    #[test]
    fn a_phase_lasts_up_to_its_last_number_included() {
        for (recover, original) in [(100, true), (200, true), (0, false)] {
            let mut delivery = Delivery { recover: at(recover), ..later() };
            ten().acknowledge(at(100), &mut delivery);
            assert_eq!((delivery.delivered, delivery.original), (1, original), "{recover}");
        }
    }

    #[test]
    fn a_retransmission_anywhere_or_of_the_first_segment_is_one() {
        assert!(!Scoreboard::default().any_sent_again());
        let mut board = ten();
        assert!(!board.send_again(milliseconds(50), at(1_000), false), "nothing begins there");
        sack(&mut board, &[(300, 600)]);
        board.detect_by_duplicates();
        assert!(!board.any_sent_again());
        assert!(board.send_again(milliseconds(50), at(200), false));
        assert!(board.any_sent_again());
    }

    #[test]
    fn what_lies_before_the_highest_that_arrived_is_reordered() {
        let mut board = ten();
        let late = [300, 600, 400, 500].map(|start| sack(&mut board, &[(start, start + 100)]).reported_late);
        assert_eq!(late, [None, None, Some(at(400)), Some(at(500))]);
    }

    /// Numbers are compared modulo 2^32: what is acknowledged is forgotten, and no measure 2 GiB later.
    #[test]
    fn nothing_is_reordered_against_what_is_acknowledged() {
        for acknowledged in [400, 1_000] {
            let mut board = ten();
            sack(&mut board, &[(300, 400)]);
            board.acknowledge(at(acknowledged), &mut later());
            assert_eq!(board.highest(), None);
        }
    }
}
