//! The scoreboard against one that walks everything outstanding whenever it is asked.

use super::{Arrived, Delivery, Departed, Judgement, Scoreboard, Sent};
use crate::options::Block;
use crate::sender::DUPLICATE_THRESHOLD;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use proptest::prelude::*;

const SEGMENT_BYTES: u32 = 100;

fn at(value: u32) -> SequenceNumber {
    SequenceNumber::new(value)
}

/// The rules as the RFCs state them, of each segment by itself.
#[derive(Default)]
struct WalkingScoreboard {
    segments: Vec<Sent>,
}

impl WalkingScoreboard {
    fn push(&mut self, now: Time, start: SequenceNumber, end: SequenceNumber) {
        let (sacked, lost, again, is_judged) = (false, false, false, false);
        let (ambiguous, apart, limited, departed) = (false, true, false, Departed::default());
        self.segments.push(Sent {
            start,
            end,
            at: now,
            departed,
            limited,
            sacked,
            lost,
            again,
            is_judged,
            ambiguous,
            apart,
        });
    }

    fn send_again(&mut self, now: Time, start: SequenceNumber) {
        for segment in self.segments.iter_mut().filter(|segment| segment.start == start) {
            // What is not taken for lost is a probe, which is in the network once, as before.
            (segment.at, segment.again, segment.ambiguous) = (now, segment.again || segment.lost, true);
            segment.is_judged = false;
        }
    }

    fn acknowledge(&mut self, number: SequenceNumber, blocks: &[Block]) {
        self.segments.retain(|segment| number.before(segment.end));
        for segment in &mut self.segments {
            let covered = |&(start, end): &Block| !segment.start.before(start) && !end.before(segment.end);
            if blocks.iter().any(covered) && !segment.sacked {
                // What was sent again and is not taken for lost any more is in the network twice.
                (segment.again, segment.lost) = (segment.again && !segment.lost, false);
                segment.sacked = true;
            }
        }
    }

    /// RFC 6675 section 4, `IsLost`: three segments or more above have arrived.
    fn detect_by_duplicates(&mut self) -> u32 {
        let mut count = 0;
        for place in 0..self.segments.len() {
            let above = self.segments[place..].iter().filter(|segment| segment.sacked).count();
            let segment = &mut self.segments[place];
            let judged = segment.sacked || segment.lost || segment.ambiguous;
            if above >= usize::from(DUPLICATE_THRESHOLD) && !judged {
                segment.lost = true;
                count += 1;
            }
        }
        count
    }

    /// RFC 8985 section 6.2 step 5, `RACK_detect_loss`.
    fn detect_by_time(&mut self, now: Time, judgement: &Judgement) -> (u32, Option<Span>) {
        let (mut count, mut longest) = (0, None);
        for segment in &mut self.segments {
            let judged = segment.sacked || segment.is_judged || segment.lost && !segment.again;
            if judged || !judgement.latest.sent_after(segment.at, segment.end) {
                continue;
            }
            let due = segment.at + judgement.round_trip + judgement.reordering;
            let behind = segment.at == judgement.measured.at && judgement.measured.end.before(segment.end);
            if due > now || due == now && behind {
                longest = longest.max(Some(due - now));
            } else {
                (segment.lost, segment.again, segment.is_judged) = (true, false, true);
                count += 1;
            }
        }
        (count, longest)
    }

    fn lose_all(&mut self) {
        for segment in self.segments.iter_mut().filter(|segment| !segment.sacked) {
            (segment.lost, segment.again) = (true, false);
        }
    }

    fn find_all(&mut self) {
        self.segments.iter_mut().for_each(|segment| segment.lost = false);
    }

    fn next_lost(&self) -> Option<SequenceNumber> {
        self.segments.iter().find(|segment| segment.lost && !segment.again).map(|segment| segment.start)
    }

    fn count(&self, is_counted: impl Fn(&Sent) -> bool) -> u32 {
        self.segments.iter().filter(|segment| is_counted(segment)).count() as u32
    }

    /// Segments outstanding, in flight, and arrived beyond a hole.
    fn counts(&self) -> (u32, u32, u32) {
        let outstanding = self.segments.len() as u32;
        let again = self.count(|segment| segment.again);
        let (sacked, lost) = (self.count(|segment| segment.sacked), self.count(|segment| segment.lost));
        (outstanding, outstanding + again - sacked - lost, sacked)
    }
}

/// What happens to a sender. Segments are named by their share, in 256ths, of what is outstanding.
#[derive(Clone, Debug)]
enum Step {
    Send {
        segments: u8,
    },
    Acknowledge {
        segments: u8,
        blocks: Vec<(u8, u8)>,
        resends: u8,
        reordering_us: u16,
    },
    /// A probe, which sends the last segment again while nothing has arrived beyond a hole.
    Probe,
    TimeOut,
    TakeBack,
}

fn step() -> impl Strategy<Value = Step> {
    let block = (any::<u8>(), 1..12_u8);
    let blocks = prop::collection::vec(block, 0..4);
    let acknowledge =
        (prop_oneof![Just(0_u8), 0..5_u8], blocks, 0..6_u8, prop_oneof![Just(0_u16), 0..900_u16]);
    prop_oneof![
        8 => (1..9_u8).prop_map(|segments| Step::Send { segments }),
        10 => acknowledge.prop_map(|(segments, blocks, resends, reordering_us)| {
            Step::Acknowledge { segments, blocks, resends, reordering_us }
        }),
        1 => Just(Step::Probe),
        1 => Just(Step::TimeOut),
        1 => Just(Step::TakeBack),
    ]
}

/// Both scoreboards, and the sender about them.
#[derive(Default)]
struct Pair {
    ours: Scoreboard,
    walking: WalkingScoreboard,
    now: Time,
    una: u32,
    max: u32,
    rack: Option<(Arrived, Span)>,
    by_duplicates: bool,
}

impl Pair {
    fn take(&mut self, step: &Step) {
        match step {
            Step::Send { segments } => (0..*segments).for_each(|_| self.send()),
            Step::Acknowledge { segments, blocks, resends, reordering_us } => {
                self.acknowledge(u32::from(*segments), blocks);
                self.detect(Span::from_microseconds(u64::from(*reordering_us)));
                (0..*resends).for_each(|_| self.resend());
            }
            Step::Probe => {
                if let Some(last) = self.ours.last().copied().filter(|_| self.ours.sacked() == 0) {
                    self.send_again(last.start);
                }
            }
            Step::TimeOut => {
                self.ours.lose_all(self.now, None);
                self.walking.lose_all();
            }
            Step::TakeBack => {
                self.ours.find_all();
                self.walking.find_all();
            }
        }
        let ours = (self.ours.outstanding(), self.ours.in_flight(), self.ours.sacked());
        assert_eq!(ours, self.walking.counts());
    }

    fn send(&mut self) {
        let (start, end) = (at(self.max), at(self.max + SEGMENT_BYTES));
        self.ours.push(self.now, (start, end), true, false);
        self.walking.push(self.now, start, end);
        self.max += SEGMENT_BYTES;
    }

    fn send_again(&mut self, start: SequenceNumber) {
        self.ours.send_again(self.now, start, false);
        self.walking.send_again(self.now, start);
    }

    fn resend(&mut self) {
        let next = self.ours.next_lost().map(|segment| segment.start);
        assert_eq!(next, self.walking.next_lost());
        if let Some(start) = next {
            self.send_again(start);
        }
    }

    fn acknowledge(&mut self, segments: u32, blocks: &[(u8, u8)]) {
        let outstanding = (self.max - self.una) / SEGMENT_BYTES;
        let number = self.una + segments.min(outstanding) * SEGMENT_BYTES;
        let block = |&(share, length): &(u8, u8)| {
            let start = self.una + u32::from(share) * outstanding / 256 * SEGMENT_BYTES;
            (at(start), at((start + u32::from(length) * SEGMENT_BYTES).min(self.max)))
        };
        let mut blocks: Vec<Block> = blocks.iter().map(block).collect();
        blocks.sort_unstable_by_key(|(start, _)| start.value());
        let mut delivery = Delivery { now: self.now, ..Delivery::default() };
        self.ours.acknowledge_selectively(&blocks, &mut delivery);
        self.ours.acknowledge(at(number), &mut delivery);
        self.walking.acknowledge(at(number), &blocks);
        self.una = number;
        let newer = |old: &(Arrived, Span), new: &Arrived| !old.0.sent_after(new.at, new.end);
        if let Some(new) = delivery.latest
            && self.rack.as_ref().is_none_or(|old| newer(old, &new))
        {
            self.rack = Some((new, self.now - new.at));
        }
    }

    fn detect(&mut self, reordering: Span) {
        if self.by_duplicates {
            assert_eq!(self.ours.detect_by_duplicates(), self.walking.detect_by_duplicates());
        } else if let Some((rack, round_trip)) = self.rack {
            let judgement = Judgement { latest: rack, measured: rack, round_trip, reordering };
            let ours = self.ours.detect_by_time(self.now, &judgement);
            assert_eq!(ours, self.walking.detect_by_time(self.now, &judgement));
        }
    }
}

proptest! {
    /// Many steps share an instant, and much is sent again more than once.
    #[test]
    fn nothing_is_judged_otherwise_than_by_walking_the_window(
        by_duplicates: bool,
        steps in prop::collection::vec((step(), prop_oneof![Just(0_u16), 1..1_000_u16]), 20..200),
    ) {
        let mut pair = Pair { by_duplicates, ..Pair::default() };
        for (step, microseconds) in &steps {
            pair.now += Span::from_microseconds(u64::from(*microseconds));
            pair.take(step);
        }
    }
}
