//! A receiver that reports what has arrived beyond a hole, echoes timestamps, counts marks and adapts how
//! long it delays acknowledgements: what Linux keeps beside RCV.NXT.
//!
//! Source: RFC 2018 section 4 (the block of the segment that arrived last comes first, then those reported
//! before), RFC 2883 section 4 (a duplicate is reported once, first), RFC 7323 section 4.3 (which timestamp
//! is echoed), RFC 9768 section 3.2 (r.cep, the count of marked packets). Delayed acknowledgements: Linux
//! net/ipv4/tcp_input.c and tcp_output.c: `tcp_event_data_recv`, `tcp_send_delayed_ack`,
//! `tcp_event_data_sent`.
//!
//! | event | quick acknowledgements left | delay of an acknowledgement (ATO) |
//! | --- | --- | --- |
//! | the first data | as many as half of the window holds, 16 at the most | 40 ms |
//! | data within 20 ms of those before | | half of it, and 20 ms |
//! | data within the ATO | | half of it, and the gap |
//! | data after a pause longer than the timeout | as at first | |
//! | an acknowledgement left | one less | 40 ms when none is left |
//! | its timer fired in a one-way conversation | | doubled, up to the timeout |
//! | data are sent within the ATO of data received | the conversation is interactive: none is quick | |
//! | its timer fired in such a conversation | | 40 ms, and interactive no longer |
//!
//! An acknowledgement that is delayed waits for the ATO, in a one-way conversation 40 ms to 500 ms, at most
//! the smoothed round trip (at least 40 ms); in an interactive one at most 200 ms.
//!
//! **Compression** (Linux `__tcp_ack_snd_check`, `tcp_compressed_ack_kick`). Of what lies beyond a hole the
//! first three acknowledgements leave at once, so that the sender can tell a loss. Each later one waits, with
//! those that follow, for a twentieth of the round trip, 1 ms at the most, and a tenth of a millisecond by
//! which the kernel's timer may be late; without timestamps no round trip is known yet, and the rest is what
//! it waits. It leaves at once after 44 of them, where RCV.NXT moves by more than a segment, in quick
//! acknowledgement, and where the last hole is filled.
//!
//! Linux takes for a full segment the longest that has come, 536 bytes at first (`tcp_measure_rcv_mss`).
//!
//! Departures and silences: Linux also answers at once when the program has read a short segment of a
//! conversation that is not interactive; its receive window grows (receive buffer auto-tuning), here it is
//! constant.

use crate::hosts::HostProfile;
use crate::options::{Block, Blocks, ByteCounts, Timestamps};
use crate::range_set::{Range, RangeSet};
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// Blocks that a receiver remembers to have reported (Linux `selective_acks`).
const REMEMBERED: usize = 4;
/// r.cep of a connection that opens (RFC 9768 section 3.2.1).
const FIRST_MARKED_COUNT: u32 = 5;
/// Greatest such time of an interactive conversation (`TCP_DELACK_MAX`).
const GREATEST_DELAY: Span = Span::from_milliseconds(200);
/// Greatest such time of a one-way conversation (half a second).
const GREATEST_ONE_WAY_DELAY: Span = Span::from_milliseconds(500);
/// Acknowledgements of what lies beyond a hole that leave at once (`TCP_FASTRETRANS_THRESH`), and that are
/// saved in a row at the most (`tcp_comp_sack_nr`).
const UNCOMPRESSED: u8 = 3;
const MOST_COMPRESSED: u8 = 44;
/// How long they wait at the most (`tcp_comp_sack_delay_ns`), by which share of the round trip, and how much
/// longer (`tcp_comp_sack_slack_ns`).
const LONGEST_COMPRESSION: Span = Span::from_milliseconds(1);
const COMPRESSED_SHARE: u64 = 20;
const COMPRESSION_SLACK: Span = Span::from_microseconds(100);
/// A full segment before any has come (`TCP_MSS_DEFAULT`).
const FIRST_FULL_SEGMENT: u32 = 536;
/// Most quick acknowledgements (`TCP_MAX_QUICKACKS`).
const MOST_QUICK: u32 = 16;

/// Bytes of options in a header, and of timestamps in whole words.
const OPTION_BYTES: u16 = 40;
const HEADER_OF_TIMESTAMPS: u16 = 12;

/// The codepoint with which a segment arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    NotCapable,
    Ect0,
    Ect1,
    Marked,
}

/// What a reporting receiver keeps.
#[derive(Clone, Debug)]
pub(crate) struct Reporting {
    /// What waits for a hole to be filled.
    pub(crate) ranges: RangeSet,
    /// A number of each range that was reported, the most recent first.
    recent: [SequenceNumber; REMEMBERED],
    remembered: usize,
    /// A duplicate that no acknowledgement has reported yet.
    duplicate: Option<Block>,
    /// TS.Recent of RFC 7323.
    recent_stamp: u32,
    /// Last.ACK.sent of RFC 7323.
    last_acknowledged: SequenceNumber,
    /// Packets that arrived with a mark, as RFC 9768 counts them.
    pub(crate) marked_packets: u32,
    /// Bytes of data by their codepoints, where an option tells them, and whether any came that are not
    /// ECN-capable.
    counts: Option<ByteCounts>,
    came_not_capable: bool,
    /// Whether there are quick acknowledgements at all, and how many are left.
    has_quick: bool,
    quick: u32,
    interactive: bool,
    /// Whether acknowledgements of what lies beyond a hole wait for others, and whether a timestamp tells the
    /// round trip.
    compresses: bool,
    is_stamped: bool,
    /// Those that have left at once since RCV.NXT was this, and those that wait.
    uncompressed: u8,
    uncompressed_of: SequenceNumber,
    compressed: u8,
    /// The longest segment that has come, as far as that is known.
    full_segment: u32,
    /// Least time that an acknowledgement is delayed (`TCP_ATO_MIN`, `TCP_DELACK_MIN`).
    least_delay: Span,
    /// The ATO; zero before the first data.
    delay: Span,
    received_at: Time,
    /// The smoothed round trip and the retransmission timeout when the connection opened.
    smoothed: Span,
    timeout: Span,
}

impl Reporting {
    /// That of a connection which opens.
    pub(crate) fn new(profile: &HostProfile) -> Self {
        Self {
            ranges: RangeSet::default(),
            recent: [SequenceNumber::INITIAL; REMEMBERED],
            remembered: 0,
            duplicate: None,
            recent_stamp: 0,
            last_acknowledged: SequenceNumber::INITIAL,
            marked_packets: FIRST_MARKED_COUNT,
            counts: profile.extensions().accurate_ecn_option.then(ByteCounts::default),
            came_not_capable: false,
            has_quick: profile.extensions().quick_acknowledgements,
            quick: 0,
            interactive: false,
            compresses: profile.extensions().acknowledgement_compression,
            is_stamped: profile.extensions().timestamps,
            uncompressed: 0,
            uncompressed_of: SequenceNumber::INITIAL,
            compressed: 0,
            full_segment: FIRST_FULL_SEGMENT.min(profile.segment_bytes()),
            least_delay: profile.delayed_ack.delay,
            delay: Span::ZERO,
            received_at: Time::ZERO,
            smoothed: GREATEST_ONE_WAY_DELAY,
            timeout: profile.retransmission.initial,
        }
    }

    /// The connection is open, on a path with this round trip and timeout.
    pub(crate) fn note_path(&mut self, smoothed: Span, timeout: Span) {
        (self.smoothed, self.timeout) = (smoothed, timeout);
    }

    /// What a segment echoes.
    pub(crate) const fn recent_stamp(&self) -> u32 {
        self.recent_stamp
    }

    /// Keeps the timestamp of a segment that an acknowledgement will be of (RFC 7323 section 4.3); of SYNs,
    /// the first one's (Linux `tcp_check_req`).
    pub(crate) fn note_stamp(&mut self, segment: &Segment, stamps: Option<Timestamps>) {
        let Some(Timestamps { value, .. }) = stamps else { return };
        let is_syn = segment.flags.contains(Flags::SYN);
        let covers =
            if is_syn { self.recent_stamp == 0 } else { !self.last_acknowledged.before(segment.sequence) };
        if covers && value.wrapping_sub(self.recent_stamp) as i32 >= 0 {
            self.recent_stamp = value;
        }
    }

    /// An acknowledgement of everything before `number` leaves.
    pub(crate) fn note_acknowledged(&mut self, number: SequenceNumber) {
        self.last_acknowledged = number;
        self.compressed = 0;
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.delay = self.least_delay;
            }
        }
    }

    /// How long an acknowledgement waits that reports what lies beyond a hole, with everything before `next`
    /// in order, of which so many bytes were never acknowledged; none if it leaves at once.
    pub(crate) fn compress(&mut self, next: SequenceNumber, bytes: u32) -> Option<Span> {
        if !self.compresses
            || self.is_quick()
            || bytes > self.full_segment
            || self.compressed >= MOST_COMPRESSED
        {
            return None;
        }
        if self.uncompressed_of != next {
            (self.uncompressed_of, self.uncompressed) = (next, 0);
        }
        if self.uncompressed < UNCOMPRESSED {
            self.uncompressed += 1;
            return None;
        }
        self.compressed += 1;
        let round_trip = if self.is_stamped { self.smoothed } else { Span::ZERO };
        let share = Span::from_nanoseconds(round_trip.nanoseconds() / COMPRESSED_SHARE);
        Some(share.min(LONGEST_COMPRESSION) + COMPRESSION_SLACK)
    }

    /// Keeps numbers that lie beyond a hole.
    pub(crate) fn insert(&mut self, start: SequenceNumber, end: SequenceNumber) {
        if self.ranges.covering(start, end).is_some() {
            self.duplicate = Some((start, end));
        }
        self.ranges.insert(Range::new(start, end));
        self.remember(start, end);
    }

    /// The block that these numbers lie in is the most recent. Each block has one place, so that one which
    /// grows does not push out others, which are repeated (RFC 2018 section 4; Linux `tcp_sack_new_ofo_skb`).
    fn remember(&mut self, start: SequenceNumber, end: SequenceNumber) {
        let Some((from, to)) = self.ranges.covering(start, end).map(Range::block) else { return };
        let lies_in_it = |number: SequenceNumber| !number.before(from) && number.before(to);
        let mut kept = [start; REMEMBERED];
        let mut count = 1;
        for &number in &self.recent[..self.remembered] {
            if !lies_in_it(number) && count < REMEMBERED {
                kept[count] = number;
                count += 1;
            }
        }
        (self.recent, self.remembered) = (kept, count);
    }

    /// Numbers arrive that had arrived before.
    pub(crate) fn note_duplicate(
        &mut self,
        start: SequenceNumber,
        end: SequenceNumber,
        window_segments: u32,
    ) {
        self.duplicate = Some((start, end));
        self.acknowledge_quickly(window_segments);
    }

    /// Whether an acknowledgement says more than when it was sent.
    #[inline]
    pub(crate) fn has_something_to_say(&self) -> bool {
        self.duplicate.is_some() || !self.ranges.is_empty() || self.counts.is_some()
    }

    /// What an acknowledgement reports: a duplicate once, then ranges, the most recent first.
    pub(crate) fn blocks(&mut self, most: usize) -> Blocks {
        let mut blocks = Blocks::default();
        if let Some(duplicate) = self.duplicate.take() {
            blocks.push(duplicate);
        }
        if self.ranges.is_empty() {
            return blocks;
        }
        let first = blocks.as_slice().len();
        for number in &self.recent[..self.remembered] {
            let Some(range) = self.ranges.covering(*number, number.plus(1)) else { continue };
            let said = blocks.as_slice();
            if said.len() < most && !said[first..].contains(&range.block()) {
                blocks.push(range.block());
            }
        }
        blocks
    }

    /// A packet came with a mark.
    pub(crate) fn count_mark(&mut self) {
        self.marked_packets = self.marked_packets.wrapping_add(1);
    }

    /// Data came with a codepoint.
    pub(crate) fn count_bytes(&mut self, bytes: u16, arrived: Arrived) {
        let Some(counts) = &mut self.counts else { return };
        let count = match arrived {
            Arrived::NotCapable => {
                self.came_not_capable |= bytes > 0;
                return;
            }
            Arrived::Ect0 => &mut counts.ect0,
            Arrived::Ect1 => &mut counts.ect1,
            Arrived::Marked => &mut counts.marked,
        };
        *count = (*count + u32::from(bytes)) & ByteCounts::MASK;
    }

    /// What an acknowledgement with so many blocks says of them, where there is room: from the first mark on,
    /// or the first data that are not ECN-capable.
    pub(crate) fn counts(&self, blocks: &Blocks) -> Option<ByteCounts> {
        let stamps = if self.is_stamped { HEADER_OF_TIMESTAMPS } else { 0 };
        let room = OPTION_BYTES - stamps - blocks.header_bytes();
        let has_news = self.marked_packets != FIRST_MARKED_COUNT || self.came_not_capable;
        self.counts.filter(|_| has_news && room >= ByteCounts::HEADER_BYTES)
    }

    /// Quick acknowledgements begin, or begin again (`tcp_enter_quickack_mode`).
    pub(crate) fn acknowledge_quickly(&mut self, window_segments: u32) {
        if self.has_quick {
            self.quick = self.quick.max((window_segments / 2).clamp(2, MOST_QUICK));
        }
    }

    /// So many bytes arrive in order, in a segment. Answers with the longest that has come.
    pub(crate) fn measure(&mut self, bytes: u32) -> u32 {
        self.full_segment = self.full_segment.max(bytes);
        self.full_segment
    }

    /// Data arrive, which changes how long an acknowledgement is delayed.
    pub(crate) fn note_data(&mut self, now: Time, window_segments: u32) {
        let gap = now - self.received_at;
        self.received_at = now;
        let half = Span::from_nanoseconds(self.delay.nanoseconds() / 2);
        let half_least = Span::from_nanoseconds(self.least_delay.nanoseconds() / 2);
        if self.delay == Span::ZERO {
            self.acknowledge_quickly(window_segments);
            self.delay = self.least_delay;
        } else if gap <= half_least {
            self.delay = half + half_least;
        } else if gap < self.delay {
            self.delay = (half + gap).min(self.timeout);
        } else if gap > self.timeout {
            self.acknowledge_quickly(window_segments);
        }
    }

    /// Data are sent: soon after some were received it is a conversation (`tcp_event_data_sent`).
    pub(crate) fn note_sent(&mut self, now: Time) {
        self.interactive |= now - self.received_at < self.delay;
    }

    /// Whether every segment is acknowledged at once for now.
    pub(crate) const fn is_quick(&self) -> bool {
        self.quick > 0 && !self.interactive
    }

    /// How long an acknowledgement is delayed.
    pub(crate) fn delay(&self) -> Span {
        let most = if self.interactive { GREATEST_DELAY } else { GREATEST_ONE_WAY_DELAY };
        let most = most.min(self.smoothed.max(self.least_delay));
        self.delay.max(self.least_delay).min(most)
    }

    /// An acknowledgement was delayed to the end (`tcp_delack_timer`).
    pub(crate) fn note_delayed(&mut self) {
        if self.compressed > 0 {
            return;
        }
        if self.interactive {
            self.interactive = false;
            self.delay = self.least_delay;
        } else {
            self.delay = (self.delay + self.delay).min(self.timeout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new() -> Reporting {
        Reporting::new(&HostProfile::named("linux6-reno").unwrap())
    }

    fn at(value: u32) -> SequenceNumber {
        SequenceNumber::new(value)
    }

    #[test]
    fn the_block_of_what_arrived_last_comes_first_and_then_those_reported_before() {
        // RFC 2018 section 4, case 3: of eight segments of 500 bytes from 5000 on the first, third, fifth and
        // seventh are lost.
        let mut reporting = new();
        let mut said = Vec::new();
        for start in [5_500, 6_500, 7_500, 8_500] {
            reporting.insert(at(start), at(start + 500));
            said = reporting.blocks(4).as_slice().iter().map(|(start, _)| start.value()).collect();
        }
        assert_eq!(said, [8_500, 7_500, 6_500, 5_500]);
        // The fourth is received again: 6000 to 7000 joins what stood there.
        reporting.insert(at(6_000), at(6_500));
        let blocks = reporting.blocks(3);
        let said: Vec<_> = blocks.as_slice().iter().map(|(from, to)| (from.value(), to.value())).collect();
        assert_eq!(said, [(5_500, 7_000), (8_500, 9_000), (7_500, 8_000)]);
    }

    #[test]
    fn a_duplicate_is_reported_once_and_first() {
        // RFC 2883 section 4.1.1: 3000 to 3500 comes twice, and everything before 4000 is there.
        let mut reporting = new();
        reporting.note_duplicate(at(3_000), at(3_500), 40);
        assert_eq!(reporting.blocks(3).as_slice(), [(at(3_000), at(3_500))]);
        assert_eq!(reporting.blocks(3).as_slice(), []);
        // Section 4.1.2: beyond a hole, the block that it is in follows.
        reporting.insert(at(4_500), at(5_000));
        reporting.blocks(3);
        reporting.insert(at(4_500), at(5_000));
        assert_eq!(reporting.blocks(3).as_slice(), [(at(4_500), at(5_000)); 2]);
    }

    #[test]
    fn the_delay_follows_the_gaps_between_arrivals() {
        let mut reporting = new();
        reporting.note_path(Span::from_milliseconds(100), Span::from_milliseconds(300));
        let mut arrive = |at_ms| {
            reporting.note_data(Time::ZERO + Span::from_milliseconds(at_ms), 40);
            reporting.delay().nanoseconds() / 1_000_000
        };
        // 40; half and the gap of 30 are 50; half and the gap of 40 are 65; half and 20 are 52; 46.
        assert_eq!([0, 30, 70, 75, 80].map(&mut arrive), [40, 50, 65, 52, 46]);
        assert!(reporting.is_quick());
        for _ in 0..MOST_QUICK {
            reporting.note_acknowledged(SequenceNumber::INITIAL);
        }
        assert!(!reporting.is_quick());
        reporting.note_delayed();
        assert_eq!(reporting.delay(), Span::from_milliseconds(80));
        reporting.note_path(Span::from_milliseconds(60), Span::from_milliseconds(260));
        assert_eq!(reporting.delay(), Span::from_milliseconds(60));
        reporting.note_path(Span::from_milliseconds(5), Span::from_milliseconds(205));
        assert_eq!(reporting.delay(), Span::from_milliseconds(40));
    }

    fn with_round_trip(milliseconds: u64, timestamps: bool) -> Reporting {
        let mut profile = HostProfile::named("linux6-reno").unwrap();
        if let crate::hosts::Stack::Modern(modern) = &mut profile.stack {
            modern.extensions.timestamps = timestamps;
        }
        let mut reporting = Reporting::new(&profile);
        reporting.note_path(Span::from_milliseconds(milliseconds), Span::from_milliseconds(1_000));
        reporting
    }

    /// Linux `__tcp_ack_snd_check`: the first three leave at once, and then one in 1 ms or a twentieth of the
    /// round trip; after 44 one leaves.
    #[test]
    fn what_is_reported_beyond_a_hole_waits_from_the_fourth_time_on() {
        for (round_trip, stamped, expected_us) in
            [(100, true, 1_100), (10, true, 600), (20, true, 1_100), (100, false, 100)]
        {
            let mut reporting = with_round_trip(round_trip, stamped);
            let mut waits = |next| reporting.compress(at(next), 0).map(|wait| wait.nanoseconds() / 1_000);
            assert_eq!([0; 3].map(|_| waits(1_000)), [None; 3]);
            assert_eq!([0; 44].map(|_| waits(1_000)), [Some(expected_us); 44]);
            assert_eq!(waits(1_000), None, "the 45th");
        }
        let mut reporting = with_round_trip(100, true);
        (0..5).for_each(|_| {
            reporting.compress(at(1_000), 0);
        });
        assert_eq!(reporting.compress(at(2_000), 0), None, "RCV.NXT has moved");
        assert_eq!(reporting.compress(at(2_000), 1_449), None, "more than a segment is not acknowledged");
        reporting.acknowledge_quickly(40);
        assert_eq!([0; 5].map(|_| reporting.compress(at(2_000), 0)), [None; 5]);
    }

    /// RFC 2018 section 4 and Linux `tcp_sack_new_ofo_skb`: a block that grows keeps one place.
    #[test]
    fn a_block_that_grows_pushes_no_other_out() {
        let mut reporting = new();
        for start in [3_001, 5_001, 6_001, 7_001, 8_001, 9_001] {
            reporting.insert(at(start), at(start + 1_000));
        }
        assert_eq!(reporting.blocks(4).as_slice(), [(at(5_001), at(10_001)), (at(3_001), at(4_001))]);
        // The first is the most recent once more, and joins what it touches.
        reporting.insert(at(4_001), at(5_001));
        assert_eq!(reporting.blocks(4).as_slice(), [(at(3_001), at(10_001))]);
        for start in [12_001, 14_001, 16_001, 18_001] {
            reporting.insert(at(start), at(start + 1_000));
        }
        let said: Vec<_> = reporting.blocks(4).as_slice().iter().map(|block| block.0.value()).collect();
        assert_eq!(said, [18_001, 16_001, 14_001, 12_001], "four are remembered");
    }
}
