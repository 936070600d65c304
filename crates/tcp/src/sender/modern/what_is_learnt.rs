//! What an acknowledgement teaches does not depend on the order of its blocks. `splitting.rs` asks whether it
//! depends on their coming with an advance.

use crate::Endpoint;
use crate::context::Context;
use crate::hosts::{HostProfile, Stack};
use crate::options::SegmentOptions;
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};

const SEGMENT: u32 = 1_000;
const CASES: u64 = 3_000;

struct Case {
    profile: HostProfile,
    random: Stream,
    endpoint: Endpoint,
    now: Time,
    flight: u32,
}

impl Case {
    /// A server that has sent so many segments at once, and has nothing more to send.
    fn new(number: u64) -> Self {
        let mut random = Key::from_seed(number).named("what is learnt").stream();
        let mut profile =
            HostProfile::named(if number.is_multiple_of(2) { "linux6-cubic" } else { "linux6-reno" })
                .unwrap();
        profile.maximum_segment_bytes = SEGMENT as u16;
        profile.initial_window_segments = 60;
        if let Stack::Modern(modern) = &mut profile.stack {
            modern.extensions.timestamps = !number.is_multiple_of(3);
            modern.extensions.rack = !number.is_multiple_of(5);
        }
        let flight = 2 + (random.uniform() * 58.0) as u32;
        let now = Time::from_seconds(0.1);
        let mut case = Self { profile, random, endpoint: Endpoint::passive(), now: Time::ZERO, flight };
        let syn = Segment { flags: Flags::SYN, sequence: SequenceNumber::INITIAL, ..case.said(0) };
        let mut endpoint = case.endpoint.clone();
        case.tell(&mut endpoint, syn, &[]);
        // What is written before the connection is open leaves together.
        endpoint.write(case.now, &case.context(), u64::from(flight * SEGMENT), &mut Outbox::new());
        case.now = now;
        case.hear(&mut endpoint, 0, &[]);
        case.now = Time::from_seconds(0.2);
        case.endpoint = endpoint;
        case
    }

    fn context(&self) -> Context<'_> {
        Context { profile: &self.profile, clock: self.profile.clock(Span::ZERO) }
    }

    /// An acknowledgement of so many segments.
    fn said(&self, segments: u32) -> Segment {
        Segment {
            sequence: SequenceNumber::new(1),
            acknowledgement: SequenceNumber::new(1 + segments * SEGMENT),
            payload: 0,
            flags: Flags::ACK,
            ect: false,
            unread: 0,
        }
    }

    fn tell(&self, endpoint: &mut Endpoint, segment: Segment, blocks: &[(u32, u32)]) {
        let mut options = SegmentOptions::default();
        let number = |segments| SequenceNumber::new(1 + segments * SEGMENT);
        blocks.iter().for_each(|&(from, to)| options.blocks.push((number(from), number(to))));
        let said = (&segment, &options);
        endpoint.on_segment_with_options(self.now, &self.context(), said, false, &mut Outbox::new());
    }

    fn hear(&self, endpoint: &mut Endpoint, segments: u32, blocks: &[(u32, u32)]) {
        self.tell(endpoint, self.said(segments), blocks);
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.random.uniform() * f64::from(bound)) as u32
    }

    /// Up to four blocks apart from each other beyond a hole behind so many segments, ascending.
    fn blocks(&mut self, acknowledged: u32) -> Vec<(u32, u32)> {
        let (mut blocks, mut from) = (Vec::new(), acknowledged);
        let most = 1 + self.below(4);
        while (blocks.len() as u32) < most {
            let start = from + 1 + self.below(4);
            let end = start + 1 + self.below(6);
            if end > self.flight {
                break;
            }
            blocks.push((start, end));
            from = end;
        }
        blocks
    }

    /// What was reported before: blocks beyond the first segment.
    fn report_some(&mut self) {
        let blocks = self.blocks(0);
        let mut endpoint = self.endpoint.clone();
        self.hear(&mut endpoint, 0, &blocks[..blocks.len().min(2)]);
        self.endpoint = endpoint;
        self.now += Span::from_milliseconds(3);
    }

    fn shuffled(&mut self, blocks: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut left = blocks.to_vec();
        let mut shuffled = Vec::new();
        while !left.is_empty() {
            let next = self.below(left.len() as u32) as usize;
            shuffled.push(left.swap_remove(next));
        }
        shuffled
    }
}

#[test]
fn blocks_in_any_order_say_the_same() {
    let mut several = 0;
    for number in 0..CASES {
        let mut case = Case::new(number);
        if case.below(2) == 0 {
            case.report_some();
        }
        let advance = case.below(case.flight);
        let blocks = case.blocks(advance);
        let shuffled = case.shuffled(&blocks);
        several += u32::from(blocks != shuffled);
        let (mut one, mut other) = (case.endpoint.clone(), case.endpoint.clone());
        case.hear(&mut one, advance, &blocks);
        case.hear(&mut other, advance, &shuffled);
        assert!(format!("{one:?}") == format!("{other:?}"), "case {number}: {advance}, {shuffled:?}");
    }
    assert!(several > 500, "{several} of {CASES} were shuffled");
}
