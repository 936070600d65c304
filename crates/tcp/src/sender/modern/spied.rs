//! What a modern sender does with the answers of its controller: a spy gives them.

use super::random_conversation::{Packet, Path, Watcher, converse};
use crate::Endpoint;
use crate::congestion::{Codepoint, spy};
use crate::context::Context;
use crate::hosts::{EcnRule, HostOverrides, HostProfile};
use crate::options::SegmentOptions;
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Rate, Span, Time};

const ANSWERS: spy::Answers = spy::Answers {
    window: 10,
    pacing_rate: None,
    codepoint: Codepoint::Ect0,
    answers_marks: false,
    send_quantum: 1,
    limits_samples: false,
};

/// When a server sends its first segments, in microseconds from when they are written; at most four.
fn sent_at(pacing_rate: Option<Rate>, send_quantum: u32) -> Vec<u64> {
    spy::install(spy::Answers { pacing_rate, send_quantum, ..ANSWERS });
    let profile = HostProfile::named("linux6-reno").unwrap();
    assert!(!profile.extensions().pacing);
    let profile = HostProfile { maximum_segment_bytes: 948, header_bytes: 52, ..profile };
    let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
    let mut server = Endpoint::passive();
    let syn = Segment {
        sequence: SequenceNumber::INITIAL,
        acknowledgement: SequenceNumber::INITIAL,
        payload: 0,
        flags: Flags::SYN,
        ect: false,
        unread: 0,
    };
    let one = SequenceNumber::new(1);
    let hand = Segment { sequence: one, acknowledgement: one, flags: Flags::ACK, ..syn };
    for segment in [syn, hand] {
        let said = (&segment, &SegmentOptions::default());
        server.on_segment_with_options(Time::ZERO, &context, said, false, &mut Outbox::new());
    }
    let mut instants = Vec::new();
    let mut out = Outbox::new();
    server.write(Time::ZERO, &context, 4 * 948, &mut out);
    let mut now = Time::ZERO;
    for _ in 0..4 {
        instants.extend(out.segments.iter().map(|_| now.nanoseconds() / 1_000));
        if instants.len() >= 4 {
            break;
        }
        now = server.deadline();
        out = Outbox::new();
        server.on_timer(now, &context, &mut out);
    }
    instants
}

#[test]
fn a_controller_with_a_pace_is_paced_on_a_host_that_does_not_pace() {
    assert_eq!(sent_at(None, 1), [0; 4]);
    // 1,000 bytes at 8 Mbit/s take a millisecond.
    let rate = Some(Rate::from_bits_per_second(8_000_000));
    assert_eq!(sent_at(rate, 1), [0, 1_000, 2_000, 3_000]);
    assert_eq!(sent_at(rate, 2), [0, 0, 2_000, 2_000]);
    assert_eq!(sent_at(rate, 4), [0; 4]);
}

/// Whether data were ECT(1), as far as any were sent.
#[derive(Default)]
struct Codepoints(Vec<bool>);

impl Watcher for Codepoints {
    fn look(&mut self, _: Time, _: &Context<'_>, end: &Endpoint, _: &Packet) {
        self.0.push(end.is_scalable());
    }
}

/// How often controllers with these answers are told of marks, under this rule of ECN, and whether their data
/// are ECT(1).
fn told_of_marks(ecn: EcnRule, codepoint: Codepoint, answers_marks: bool) -> (u32, bool) {
    spy::install(spy::Answers { codepoint, answers_marks, ..ANSWERS });
    let overrides = HostOverrides { ecn: Some(ecn), ..HostOverrides::default() };
    let profile = HostProfile::named("linux6-reno").unwrap().with(&overrides).unwrap();
    let path = Path { lost: 0.0, late: 0.0, marked: 20.0, hostile: 0.0 };
    let mut seen = Codepoints::default();
    converse(&profile, path, 1, &mut seen);
    let scalable = seen.0.iter().any(|scalable| *scalable);
    (spy::reductions(), scalable)
}

#[test]
fn the_codepoint_of_data_does_not_say_who_answers_marks() {
    for codepoint in [Codepoint::Ect0, Codepoint::Ect1] {
        let is_ect1 = codepoint == Codepoint::Ect1;
        let (reductions, scalable) = told_of_marks(EcnRule::Accurate, codepoint, false);
        assert!(reductions > 10, "{reductions}");
        assert_eq!(scalable, is_ect1);
        assert_eq!(told_of_marks(EcnRule::Accurate, codepoint, true), (0, is_ect1));
        // An ECN-Echo does not say how many marks there were: nobody can answer them one by one.
        assert!(told_of_marks(EcnRule::Rfc3168, codepoint, true).0 > 10);
    }
}
