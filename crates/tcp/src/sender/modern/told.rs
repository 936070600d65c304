//! What a modern sender tells its controller: a spy writes it down.

use super::Usage;
use super::delivery::Delivery;
use super::scoreboard::Scoreboard;
use crate::Endpoint;
use crate::congestion::{Acknowledged, LostSegment, Phase, Recovered, spy};
use crate::context::Context;
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
    /// Its controller models the path: it hears of each lost segment.
    fn new() -> Self {
        spy::read();
        let mut profile = HostProfile::named("linux6-reno").unwrap();
        profile.maximum_segment_bytes = SEGMENT as u16;
        if let crate::hosts::Stack::Modern(modern) = &mut profile.stack {
            modern.extensions.timestamps = false;
            modern.extensions.forward_recovery = false;
        }
        let mut sending = Self { profile, endpoint: Endpoint::passive() };
        let syn = Segment { flags: Flags::SYN, ..sending.acknowledgement(SequenceNumber::INITIAL) };
        sending.arrive(0, syn, &[]);
        let modern = sending.endpoint.sender.modern_mut().unwrap();
        modern.models_path = true;
        modern.board = Scoreboard::new(true);
        sending.arrive(100, sending.acknowledgement(number(0)), &[]);
        let context = sending.context();
        let mut endpoint = sending.endpoint.clone();
        endpoint.write(at(100), &context, 100_000, &mut Outbox::new());
        sending.endpoint = endpoint;
        sending
    }

    fn context(&self) -> Context<'_> {
        Context { profile: &self.profile, clock: self.profile.clock(Span::ZERO) }
    }

    fn acknowledgement(&self, acknowledgement: SequenceNumber) -> Segment {
        let sequence = SequenceNumber::new(1);
        Segment { sequence, acknowledgement, payload: 0, flags: Flags::ACK, ect: false, unread: 0 }
    }

    fn arrive(&mut self, now: u64, segment: Segment, blocks: &[(u32, u32)]) {
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
    }

    /// Nothing comes back until the retransmission timer has expired. Answers when.
    fn time_out(&mut self) -> Time {
        let profile = self.profile.clone();
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        loop {
            let now = self.endpoint.deadline();
            self.endpoint.on_timer(now, &context, &mut Outbox::new());
            if self.endpoint.sender.modern().unwrap().phase == Phase::Loss {
                return now;
            }
        }
    }

    /// An acknowledgement arrives. Answers with what the controller is told.
    fn hear(&mut self, now: u64, una: SequenceNumber, blocks: &[(u32, u32)]) -> Vec<Acknowledged> {
        spy::read();
        self.arrive(now, self.acknowledgement(una), blocks);
        spy::read()
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
        // The newest that has arrived left as the n-th of its burst.
        let newest = if segment <= 3 { segment } else { segment + 1 };
        assert_eq!((told.delivered_ever, rate.in_flight), (u64::from(segment), newest));
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

/// The same, segment by segment: the n-th of ten left with n in the network, and nothing had been lost then.
#[test]
fn each_lost_segment_is_told_with_what_was_so_when_it_left() {
    let mut sending = Sending::new();
    spy::read_all();
    let mut rate = None;
    for (now, blocks) in [(210, vec![(1, 2)]), (211, vec![(1, 4)]), (212, vec![(6, 9), (1, 4)])] {
        sending.arrive(now, sending.acknowledgement(number(0)), &blocks);
    }
    let told = spy::read_all();
    let fact = |lost: &LostSegment| (lost.now, lost.place, lost.in_flight, lost.lost_since);
    let lost: Vec<_> = told.lost.iter().map(fact).collect();
    assert_eq!(lost, [(at(211), 0, 1, 1), (at(212), 4, 5, 2), (at(212), 5, 6, 3)]);
    let delivered: Vec<u64> = told.lost.iter().map(|lost| lost.delivered_ever).collect();
    assert_eq!(delivered, [3, 6, 6]);
    assert!(told.lost.iter().all(|lost| lost.application_limited), "nothing was written before");
    for told in &told.acknowledged {
        rate = told.delivery_rate.or(rate);
    }
    // The ninth has arrived, and three were lost since it left.
    let rate = rate.expect("a rate");
    assert_eq!((rate.segments, rate.in_flight, rate.lost_since), (6, 9, 3));
}

/// RFC 6298 rule 5.4 and Linux `tcp_enter_loss`: ten segments and the probe are lost, which acknowledgements
/// do not show. When all have arrived the sender has recovered, though no reduction was complete.
#[test]
fn what_a_timeout_takes_for_lost_is_told_and_when_it_has_been_repaired() {
    let mut sending = Sending::new();
    spy::read_all();
    let now = sending.time_out();
    let told = spy::read_all();
    let lost: Vec<_> = told.lost.iter().map(|lost| (lost.place, lost.in_flight, lost.lost_since)).collect();
    let expected: Vec<_> = (0..11_u32).map(|place| (u64::from(place), place + 1, place + 1)).collect();
    assert_eq!(lost, expected);
    assert!(told.lost.iter().all(|lost| lost.now == now && lost.delivered_ever == 0));
    assert!(told.acknowledged.is_empty());
    let after = now.nanoseconds() / 1_000_000 + 300;
    // A retransmission left with it alone in the network, and eleven lost before: none was since.
    sending.arrive(after, sending.acknowledgement(number(11)), &[]);
    let told = spy::read_all();
    assert_eq!(told.recovered, [Recovered::AfterTimeout]);
    let rate = told.acknowledged[0].delivery_rate.expect("a rate");
    assert_eq!((told.acknowledged[0].delivered, rate.in_flight, rate.lost_since), (11, 1, 0));
}

/// The SYN/ACK left at 0 and was acknowledged after 100 ms.
#[test]
fn an_opening_tells_when_it_was_and_the_round_trip_of_the_handshake() {
    spy::read_all();
    let sending = Sending::new();
    let told = spy::read_all();
    let [opening] = told.opened[..] else { panic!("once, not {:?}", told.opened) };
    assert_eq!((opening.now, opening.round_trip), (at(100), Some(Span::from_milliseconds(100))));
    assert!(!opening.active && sending.endpoint.highest_sent() == number(10));
}

/// What is written while everything written before has been sent limits what leaves until it has arrived
/// (draft-ietf-ccwg-bbr section 4.1.2.4), and so does a controller that asks for it.
#[test]
fn a_segment_that_leaves_is_told_whether_the_application_limits_it() {
    let mut sending = Sending::new();
    let told = spy::read_all();
    assert!(told.sent.iter().all(|sent| sent.application_limited), "the first flight");
    // One has arrived, and nothing had been in the network when its flight was written: the limit is over.
    sending.arrive(200, sending.acknowledgement(number(1)), &[]);
    let [later, ..] = spy::read_all().sent[..] else { panic!("the window admits another") };
    assert_eq!((later.application_limited, later.in_flight), (false, 10));
    let modern = sending.endpoint.sender.modern_mut().unwrap();
    assert_eq!(modern.deliveries.delivered(), 1);
    modern.deliveries.note_limited(modern.board.in_flight());
    sending.arrive(201, sending.acknowledgement(number(2)), &[]);
    assert!(spy::read_all().sent.iter().all(|sent| sent.application_limited));
}

#[test]
fn a_controller_that_limits_its_samples_is_asked_with_each_acknowledgement() {
    spy::install(spy::Answers {
        window: 10,
        pacing_rate: None,
        codepoint: crate::congestion::Codepoint::Ect0,
        answers_marks: false,
        send_quantum: 1,
        limits_samples: true,
    });
    let mut sending = Sending::new();
    sending.arrive(200, sending.acknowledgement(number(1)), &[]);
    spy::read_all();
    // Ten were in the network when the first was acknowledged, and nine are left: the tenth of them ends it.
    for segments in 2..10 {
        sending.arrive(200 + u64::from(segments), sending.acknowledgement(number(segments)), &[]);
    }
    assert!(spy::read_all().sent.iter().all(|sent| sent.application_limited));
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
    modern.board.push(at(200), (number(10), number(11)), false, false);
    modern.note_usage(sequence(0, 11));
    assert!(modern.usage.limited);
    // The ten are acknowledged: now it counts that one is outstanding.
    modern.board.acknowledge(number(10), &mut delivery);
    modern.note_usage(sequence(10, 11));
    let Usage { limited, most_segments, until, .. } = modern.usage;
    assert_eq!((limited, most_segments, until), (false, 1, number(11)));
}

/// Linux `tcp_cwnd_application_limited`: after a timeout (here 300 ms, of a round trip of 100) in which ten
/// of forty segments were used the window is halved towards these, and so after each further one.
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
    // Data that wait are held back by something else than the application.
    assert_eq!(window_at(400, true), 40);
    assert_eq!([401, 500, 699].map(|now| window_at(now, false)), [40; 3]);
    assert_eq!([700, 900, 999].map(|now| window_at(now, false)), [25; 3]);
    assert_eq!(window_at(1_000, false), 17);
    // In slow start a window below twice what was used counts as used up (Linux `tcp_is_cwnd_limited`).
    assert_eq!([1_300, 1_600].map(|now| window_at(now, false)), [17; 2]);
}
