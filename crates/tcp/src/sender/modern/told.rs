//! What a modern sender tells its controller: a spy writes it down.

use super::Usage;
use super::delivery::Delivery;
use crate::congestion::{Acknowledged, spy};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::hosts::HostProfile;
use crate::options::SegmentOptions;
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sender::SendSequence;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

const SEGMENT: u32 = 1_000;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn number(segments: u32) -> SequenceNumber {
    SequenceNumber::new(1 + segments * SEGMENT)
}

/// A server with ten segments under way since 100 ms.
struct Sending {
    profile: HostProfile,
    endpoint: Endpoint,
}

impl Sending {
    fn new() -> Self {
        let mut profile = HostProfile::named("linux6-reno").unwrap();
        profile.maximum_segment_bytes = SEGMENT as u16;
        if let crate::hosts::Stack::Modern(modern) = &mut profile.stack {
            modern.extensions.timestamps = false;
        }
        let mut sending = Self { profile, endpoint: Endpoint::passive() };
        let syn = Segment { flags: Flags::SYN, ..sending.acknowledgement(SequenceNumber::INITIAL) };
        sending.arrive(0, syn, &[]);
        sending.hear(100, number(0), &[]);
        let context = sending.context();
        let mut endpoint = sending.endpoint.clone();
        endpoint.write(at(100), &context, 100_000, &mut Outbox::new());
        sending.endpoint = endpoint;
        spy::read();
        sending
    }

    fn context(&self) -> Context<'_> {
        Context { profile: &self.profile, clock: self.profile.clock(Span::ZERO) }
    }

    fn acknowledgement(&self, acknowledgement: SequenceNumber) -> Segment {
        let sequence = SequenceNumber::new(1);
        Segment { sequence, acknowledgement, payload: 0, flags: Flags::ACK, ect: false, unread: 0 }
    }

    fn arrive(&mut self, now: u64, segment: Segment, blocks: &[(u32, u32)]) -> Vec<Acknowledged> {
        let mut options = SegmentOptions::default();
        for &(from, to) in blocks {
            options.blocks.push((number(from), number(to)));
        }
        let profile = self.profile.clone();
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        let segment = if segment.flags == Flags::SYN {
            Segment { sequence: SequenceNumber::INITIAL, ..segment }
        } else {
            segment
        };
        let said = (&segment, &options);
        self.endpoint.on_segment_with_options(at(now), &context, said, false, &mut Outbox::new());
        spy::read()
    }

    /// An acknowledgement arrives. Answers with what the controller is told.
    fn hear(&mut self, now: u64, una: SequenceNumber, blocks: &[(u32, u32)]) -> Vec<Acknowledged> {
        let segment = self.acknowledgement(una);
        self.arrive(now, segment, blocks)
    }
}

/// Ten segments leave at once, and the path lets one through every 10 ms (the worked case of
/// `delivery_rate.rs`): each acknowledgement tells that, the plain ones and those with blocks.
#[test]
fn every_acknowledgement_tells_the_rate_of_delivery() {
    let mut sending = Sending::new();
    for segment in 1..=9 {
        let now = 190 + 10 * u64::from(segment);
        let told = match segment {
            1..=3 => sending.hear(now, number(segment), &[]),
            _ => sending.hear(now, number(3), &[(4, segment + 1)]),
        };
        let [told] = &told[..] else { panic!("once, not {told:?}") };
        let rate = told.delivery_rate.expect("a rate");
        assert_eq!((rate.segments, rate.interval), (segment, Span::from_milliseconds(now - 100)));
        // Before these data there were none.
        assert_eq!((told.delivered, rate.application_limited), (1, true));
    }
}

/// RFC 8985 section 6.2: of ten segments four and then three more have arrived beyond two holes of one and
/// two segments. Each loss is told once, with what is in the network without it.
#[test]
fn losses_are_told_with_the_acknowledgement_that_shows_them() {
    let mut sending = Sending::new();
    let losses: Vec<_> = [(210, vec![(1, 2)]), (211, vec![(1, 4)]), (212, vec![(6, 9), (1, 4)])]
        .iter()
        .map(|(now, blocks)| {
            let told = sending.hear(*now, number(0), blocks);
            let [told] = &told[..] else { panic!("once, not {told:?}") };
            (told.delivered, told.lost, told.in_flight, told.phase.is_reduction())
        })
        .collect();
    // After the first loss it is sent again, and one new segment for the second and the third report each.
    assert_eq!(losses[0], (1, 0, 9, false));
    assert_eq!(losses[1], (2, 1, 7, true));
    assert_eq!((losses[2].0, losses[2].1, losses[2].3), (3, 2, true));
}

/// Linux `tcp_cwnd_validate`: that the window was full is remembered until what was sent then is
/// acknowledged, though later segments leave room.
#[test]
fn a_window_that_was_full_counts_as_used_for_as_long_as_its_data_are_outstanding() {
    let mut sending = Sending::new();
    let sequence = |una, max| SendSequence { una: number(una), nxt: number(max), max: number(max) };
    let modern = sending.endpoint.sender.modern_mut().unwrap();
    assert!(modern.usage.limited && modern.used_its_window());
    // Three have arrived beyond a hole, and one more is all there is to send: seven and one of ten.
    let mut delivery = Delivery { now: at(200), ..Delivery::default() };
    modern.board.acknowledge_selectively(&[(number(1), number(4))], &mut delivery);
    modern.board.push(at(200), (number(10), number(11)), false);
    modern.note_usage(sequence(0, 11));
    assert!(modern.usage.limited);
    // The ten are acknowledged: now it counts that one is outstanding.
    modern.board.acknowledge(number(10), &mut delivery);
    modern.note_usage(sequence(10, 11));
    let Usage { limited, most_segments, until, .. } = modern.usage;
    assert_eq!((limited, most_segments, until), (false, 1, number(11)));
}

/// Linux `tcp_cwnd_application_limited`: after a timeout (here 300 ms, of a round trip of 100) in which ten of
/// forty segments were used the window is halved towards these, and so after each further one.
#[test]
fn a_window_that_is_not_used_up_for_a_timeout_goes_half_of_the_way_towards_what_is() {
    let mut sending = Sending::new();
    let profile = sending.profile.clone();
    let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
    let sender = &mut sending.endpoint.sender;
    let modern = sender.modern_mut().unwrap();
    modern.grow(at(100), 30);
    modern.usage.limited = false;
    let mut window_at = |now: u64, waits: bool| {
        let validated = sender.with_modern(at(now), &context, |modern, lent| {
            modern.validate_window(lent, waits);
            modern.controller.window()
        });
        validated.unwrap()
    };
    assert_eq!([100, 300, 399].map(|now| window_at(now, false)), [40; 3]);
    assert_eq!([400, 500, 699].map(|now| window_at(now, false)), [25; 3]);
    assert_eq!(window_at(700, false), 17);
    // Data that wait are held back by something else than the application.
    assert_eq!(window_at(1_100, true), 17);
    assert_eq!(window_at(1_400, false), 13);
}
