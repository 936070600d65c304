//! Random conversations of two ends of ours, over a path that loses, delays, turns around and marks. It is
//! hostile as well: some acknowledgements end within a segment, and some have lost their blocks. Tests look
//! at each segment before it is processed.

use crate::Endpoint;
use crate::context::Context;
use crate::hosts::HostProfile;
use crate::options::{Blocks, SegmentOptions};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};

/// A segment under way to one of the ends.
pub(super) struct Packet {
    at: Time,
    to: usize,
    pub(super) segment: Segment,
    pub(super) options: SegmentOptions,
    pub(super) marked: bool,
}

/// How badly a path treats what crosses it, in per cent of the segments.
#[derive(Clone, Copy)]
pub(super) struct Path {
    pub(super) lost: f64,
    pub(super) late: f64,
    pub(super) marked: f64,
    pub(super) hostile: f64,
}

/// What looks at a segment: when it arrives, and at which end.
pub(super) trait Watcher {
    fn look(&mut self, now: Time, context: &Context<'_>, end: &Endpoint, packet: &Packet);
}

struct Conversation<'a, W> {
    watcher: &'a mut W,
    context: Context<'a>,
    path: Path,
    random: Stream,
    ends: [Endpoint; 2],
    wire: Vec<Packet>,
    now: Time,
}

impl<W: Watcher> Conversation<'_, W> {
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
                self.watcher.look(self.now, &self.context, &self.ends[packet.to], &packet);
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
}

/// A conversation in which both ends write at random and close at last.
pub(super) fn converse(profile: &HostProfile, path: Path, seed: u64, watcher: &mut impl Watcher) {
    let context = Context { profile, clock: profile.clock(Span::ZERO) };
    let mut conversation = Conversation {
        watcher,
        context,
        path,
        random: Key::from_seed(seed).named("conversation").stream(),
        ends: [Endpoint::active(), Endpoint::passive()],
        wire: Vec::new(),
        now: Time::ZERO,
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
}
