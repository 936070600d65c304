//! Header prediction against the processing that it shortens: both ends of random conversations, over a path
//! that loses, delays, turns around and marks, meet every acknowledgement both ways. It is hostile as well:
//! some acknowledgements end within a segment, and some have lost their blocks.

use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::hosts::{Ecn, HostProfile};
use crate::options::{Blocks, SegmentOptions};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};

/// A segment under way to one of the ends.
struct Packet {
    at: Time,
    to: usize,
    segment: Segment,
    options: SegmentOptions,
    marked: bool,
}

/// How badly a path treats what crosses it, in per cent of the segments.
#[derive(Clone, Copy)]
struct Path {
    lost: f64,
    late: f64,
    marked: f64,
    hostile: f64,
}

struct Conversation<'a> {
    context: Context<'a>,
    path: Path,
    random: Stream,
    ends: [Endpoint; 2],
    wire: Vec<Packet>,
    now: Time,
    predicted: u32,
    others: u32,
}

impl Conversation<'_> {
    fn chance(&mut self, percent: f64) -> bool {
        self.random.uniform() * 100.0 < percent
    }

    fn tell(&mut self, end: usize, what: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox)) {
        let mut out = Outbox::new();
        what(&mut self.ends[end], self.now, &self.context, &mut out);
        for segment in out.segments {
            let mut options = self.ends[end].options(self.now, self.context.profile, &segment);
            let mut segment = segment;
            if segment.payload == 0 && segment.flags == Flags::ACK && self.chance(self.path.hostile) {
                let bytes = 1 + (self.random.uniform() * 2_000.0) as u32;
                let before = segment.acknowledgement.value().saturating_sub(bytes).max(1);
                segment.acknowledgement = SequenceNumber::new(before);
            } else if self.chance(self.path.hostile) {
                options.blocks = Blocks::default();
            }
            if self.chance(self.path.lost) {
                continue;
            }
            let more = if self.chance(self.path.late) { self.random.uniform() * 60.0 } else { 0.0 };
            let at = self.now + Span::from_seconds((20.0 + more) / 1e3);
            let marked = segment.ect && self.chance(self.path.marked);
            self.wire.push(Packet { at, to: 1 - end, segment, options, marked });
        }
    }

    /// What is next: a segment that arrives, or a timer. Answers whether there is anything.
    fn step(&mut self) -> bool {
        let due = self.ends[0].deadline().min(self.ends[1].deadline());
        let first = (0..self.wire.len()).min_by_key(|&index| self.wire[index].at);
        let arrival = first.map_or(Time::MAX, |index| self.wire[index].at);
        if due.min(arrival) == Time::MAX {
            return false;
        }
        self.now = self.now.max(due.min(arrival));
        match first.filter(|_| arrival <= due) {
            Some(index) => {
                let packet = self.wire.remove(index);
                self.hold_both_ways_beside_each_other(&packet);
                let said = (&packet.segment, &packet.options);
                self.tell(packet.to, |end, now, context, out| {
                    end.on_segment_with_options(now, context, said, packet.marked, out);
                });
            }
            None => {
                for end in [0, 1] {
                    self.tell(end, Endpoint::on_timer);
                }
            }
        }
        true
    }

    fn hold_both_ways_beside_each_other(&mut self, packet: &Packet) {
        let Packet { to, segment, options, marked, .. } = packet;
        let (now, context) = (self.now, &self.context);
        let mut short = self.ends[*to].clone();
        if !short.predicts_modern_acknowledgement(context, segment, options) {
            self.others += u32::from(segment.payload == 0);
            return;
        }
        let mut whole = short.clone();
        if let Some(modern) = whole.sender.modern_mut() {
            modern.take_in_options(options);
        }
        let (mut brief, mut long) = (Outbox::new(), Outbox::new());
        short.on_predicted_modern_acknowledgement(now, context, segment, &mut brief);
        whole.process(now, context, segment, *marked, &mut long);
        assert!(brief == long, "at {now}, {segment:?}: {brief:?}, and the whole of it {long:?}");
        // What an option said is forgotten at the next segment.
        if let Some(modern) = short.sender.modern_mut() {
            modern.take_in_options(options);
        }
        let (short, whole) = (format!("{short:?}"), format!("{whole:?}"));
        assert!(short == whole, "at {now}, {segment:?}:\n{short}\nand the whole of it\n{whole}");
        self.predicted += 1;
    }
}

/// A conversation in which both ends write at random and close at last. Answers how many acknowledgements
/// were predicted, and how many were not.
fn converse(profile: &HostProfile, path: Path, seed: u64) -> (u32, u32) {
    let context = Context { profile, clock: profile.clock(Span::ZERO) };
    let mut conversation = Conversation {
        context,
        path,
        random: Key::from_seed(seed).named("conversation").stream(),
        ends: [Endpoint::active(), Endpoint::passive()],
        wire: Vec::new(),
        now: Time::ZERO,
        predicted: 0,
        others: 0,
    };
    conversation.tell(0, Endpoint::connect);
    for _ in 0..40 {
        let end = usize::from(conversation.chance(80.0));
        let part = conversation.random.uniform();
        let bytes = (part * part * part * 200_000.0) as u64 + 1;
        conversation.tell(end, |endpoint, now, context, out| endpoint.write(now, context, bytes, out));
        let steps = (conversation.random.uniform() * 200.0) as u32;
        (0..steps).all(|_| conversation.step());
    }
    for end in [0, 1] {
        conversation.tell(end, Endpoint::close);
    }
    (0..20_000).all(|_| conversation.step());
    (conversation.predicted, conversation.others)
}

#[test]
fn a_predicted_acknowledgement_leaves_what_the_whole_of_its_processing_leaves() {
    // With the least share of the acknowledgements that are predicted, in per cent.
    let kind = Path { lost: 0.0, late: 0.0, marked: 0.0, hostile: 0.0 };
    let busy = Path { lost: 0.2, late: 0.3, marked: 10.0, hostile: 1.0 };
    let bad = Path { lost: 2.0, late: 3.0, marked: 2.0, hostile: 20.0 };
    for name in HostProfile::NAMES.iter().filter(|name| name.starts_with("linux6")) {
        for ecn in [Ecn::Off, Ecn::Rfc3168] {
            let mut profile = HostProfile::named(name).unwrap();
            profile.ecn = ecn;
            for (seed, (path, least)) in (0..).zip([(kind, 90), (busy, 30), (bad, 5)]) {
                let counts = (0..6).map(|conversation| converse(&profile, path, 10 * seed + conversation));
                let (predicted, others) = counts.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
                let share = 100 * predicted / (predicted + others);
                assert!(share >= least, "{name}, {ecn:?}, path {seed}: {predicted} and {others} others");
            }
        }
    }
}
