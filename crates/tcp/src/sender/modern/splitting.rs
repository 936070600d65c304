//! An acknowledgement that advances SND.UNA and reports blocks teaches what both parts teach one after the
//! other: in every phase, on random conversations over paths that lose, turn around and mark. The faults of a
//! scoreboard lie where two things happen in one acknowledgement.
//!
//! What has arrived is the same in every case. What follows from it is the same but where Linux itself learns
//! something else from the parts. Of all but (e) its kernel was asked: a conversation of each kind, both
//! ways, is in `tests/kernel/splitting.txt`.
//!
//! | | of the parts | why | here |
//! | --- | --- | --- | --- |
//! | a | segments are overdue sooner | RACK's round trip is that of the last segment walked over, blocks first | judged where it is the same |
//! | b | two samples of the round trip | one for each part | estimate left out |
//! | c | reordering reaches less far | up to the highest that was reported by then | reach left out |
//! | d | a duplicate of what the advance covers is one of what is forgotten | blocks are looked up before the queue is shortened | left out |
//! | e | segments are overdue sooner | the advance is judged before the blocks tell of reordering for the first time | judged where they do not |
//! | f | what the advance lets be sent again is ambiguous when its original is reported | it left in between | nothing leaves in between |

use super::delivery::Arrived;
use super::random_conversation::{Packet, Path, Watcher, converse};
use super::{Sent, Undo};
use crate::Endpoint;
use crate::congestion::Phase;
use crate::context::Context;
use crate::hosts::{Ecn, HostProfile, Stack};
use crate::options::{Blocks, SegmentOptions};
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use std::collections::BTreeMap;

/// What has arrived.
#[derive(Debug, PartialEq)]
struct Known {
    segments: Vec<(SequenceNumber, bool)>,
    /// When what was sent last left, and its end.
    latest: Option<(Time, SequenceNumber)>,
    highest: Option<SequenceNumber>,
    delivered: u32,
    is_reordered: bool,
    least_round_trip: Span,
}

/// What is concluded from it.
#[derive(Debug, PartialEq)]
struct Concluded {
    /// What is taken for lost, and what is sent again.
    marks: Vec<(SequenceNumber, bool, bool)>,
    phase: Phase,
    recover: SequenceNumber,
    undo: Option<Undo>,
    forward: bool,
    first_retransmission: Option<u32>,
    timed_out: bool,
    is_disordered: bool,
}

/// A sender that is told acknowledgements, and sends nothing.
struct Silent<'a> {
    end: Endpoint,
    now: Time,
    context: &'a Context<'a>,
    delivered: u32,
}

impl Silent<'_> {
    fn hear(&mut self, segment: &Segment, options: &SegmentOptions) {
        let number = segment.acknowledgement;
        let sender = &mut self.end.sender;
        if let Some(modern) = sender.modern_mut() {
            modern.take_in_options(options);
        }
        let delivered = sender.with_modern(self.now, self.context, |modern, lent| {
            let mut news = modern.take_in(lent, segment, false);
            lent.sequence.advance(number);
            modern.answer(lent, &mut news);
            news.delivery.delivered
        });
        sender.sequence.advance(number);
        self.delivered += delivered.unwrap();
    }

    fn known(&self) -> Known {
        let modern = self.end.sender.modern().unwrap();
        Known {
            segments: modern.board.iter().map(|sent: &Sent| (sent.start, sent.sacked)).collect(),
            latest: modern.rack.latest().map(|(latest, ..)| (latest.at, latest.end)),
            highest: modern.board.highest(),
            delivered: self.delivered,
            is_reordered: modern.rack.reordering().0,
            least_round_trip: modern.rack.least(),
        }
    }

    fn concluded(&self) -> Concluded {
        let modern = self.end.sender.modern().unwrap();
        Concluded {
            marks: modern.board.iter().map(|sent: &Sent| (sent.start, sent.lost, sent.again)).collect(),
            phase: modern.phase,
            recover: modern.recover,
            undo: modern.undo,
            forward: modern.forward,
            first_retransmission: modern.first_retransmission,
            timed_out: modern.timed_out,
            is_disordered: modern.phase == Phase::Open && modern.disordered,
        }
    }

    /// By what RACK judges: its round trip and whose that is, and whether reordering was seen.
    fn clock(&self) -> (Option<(Arrived, Span)>, bool) {
        let rack = &self.end.sender.modern().unwrap().rack;
        (rack.latest().map(|(_, measured, round_trip)| (measured, round_trip)), rack.reordering().0)
    }
}

/// How many acknowledgements were split, and how many of these were judged by the same clock, by phase.
#[derive(Debug, Default)]
struct Split {
    by_phase: BTreeMap<String, (u32, u32)>,
}

/// Whether an acknowledgement advances SND.UNA and reports blocks beyond it, and no duplicate of what it
/// covers.
fn is_both(una: SequenceNumber, max: SequenceNumber, segment: &Segment, options: &SegmentOptions) -> bool {
    let number = segment.acknowledgement;
    let covers_a_duplicate =
        |&(start, end): &(SequenceNumber, SequenceNumber)| start.before(number) && una.before(end);
    segment.payload == 0
        && (segment.flags == Flags::ACK || segment.flags == Flags::ACK.with(Flags::ECE))
        && una.before(number)
        && !max.before(number)
        && !options.blocks.as_slice().is_empty()
        && !options.blocks.as_slice().first().is_some_and(covers_a_duplicate)
}

impl Watcher for Split {
    fn look(&mut self, now: Time, context: &Context<'_>, end: &Endpoint, packet: &Packet) {
        let (segment, options) = (&packet.segment, &packet.options);
        let Some(modern) = end.sender.modern().filter(|_| end.state.is_synchronized()) else { return };
        if !is_both(end.sender.sequence.una, end.sender.sequence.max, segment, options) {
            return;
        }
        let silent = || Silent { end: end.clone(), now, context, delivered: 0 };
        let (mut whole, mut parts) = (silent(), silent());
        whole.hear(segment, options);
        parts.hear(segment, &SegmentOptions { blocks: Blocks::default(), ..*options });
        let clock = parts.clock();
        parts.hear(segment, options);
        let said = || format!("at {now}, {:?}, {segment:?}, {:?}", modern.phase, options.blocks.as_slice());
        assert_eq!(whole.known(), parts.known(), "{}", said());
        let (split, judged) = self.by_phase.entry(format!("{:?}", modern.phase)).or_default();
        *split += 1;
        if clock == whole.clock() && clock == parts.clock() {
            *judged += 1;
            assert_eq!(whole.concluded(), parts.concluded(), "{}", said());
        }
    }
}

#[test]
fn the_parts_of_an_acknowledgement_teach_what_the_whole_teaches() {
    let few = Path { lost: 3.0, late: 3.0, marked: 2.0, hostile: 0.0 };
    let many = Path { lost: 10.0, late: 10.0, marked: 2.0, hostile: 0.0 };
    let mut split = Split::default();
    for name in ["linux6-cubic", "linux6-reno"] {
        for ecn in [Ecn::Off, Ecn::Rfc3168] {
            for timestamps in [true, false] {
                let mut profile = HostProfile::named(name).unwrap();
                profile.ecn = ecn;
                if let Stack::Modern(modern) = &mut profile.stack {
                    modern.extensions.timestamps = timestamps;
                }
                for (seed, path) in (0..).zip([few, many]) {
                    (0..8).for_each(|number| converse(&profile, path, 100 * seed + number, &mut split));
                }
            }
        }
    }
    assert_eq!(split.by_phase.len(), 4, "{split:?}");
    assert!(split.by_phase.values().all(|&(split, judged)| split > 60 && judged > 20), "{split:?}");
}
