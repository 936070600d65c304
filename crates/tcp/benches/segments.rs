//! What TCP costs at one end, per host profile: data that arrive in order, an acknowledgement of new data,
//! and a whole short connection. Nothing is lost. `tools/bench/program.rs` says how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_tcp::{Context, Endpoint, Flags, HostProfile, Outbox, Segment, SegmentOptions, SequenceNumber};
use aqmlab_units::{Span, Time};
use program::Case;
use std::collections::VecDeque;

/// Between two segments of a steady transfer: round trips of 60 to 220 ms at the profiles' windows.
const GAP: Span = Span::from_milliseconds(10);
/// From one end to the other in a short connection.
const ONE_WAY: Span = Span::from_milliseconds(20);
const REQUEST_BYTES: u64 = 350;
const RESPONSE_BYTES: u64 = 7_000;

/// Both ends of a connection, and what is under way between them.
struct Pair<'a> {
    context: Context<'a>,
    ends: [Endpoint; 2],
    wire: VecDeque<(Time, usize, Segment)>,
    out: Outbox,
    now: Time,
}

const CLIENT: usize = 0;
const SERVER: usize = 1;

impl<'a> Pair<'a> {
    fn new(profile: &'a HostProfile) -> Self {
        let context = Context { profile, clock: profile.clock(Span::ZERO) };
        let ends = [Endpoint::active(), Endpoint::passive()];
        Self { context, ends, wire: VecDeque::new(), out: Outbox::new(), now: Time::ZERO }
    }

    /// Tells one end something, and puts what it sends on the wire. The answer stays in `out`.
    fn tell(&mut self, end: usize, what: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox)) {
        self.out.clear();
        what(&mut self.ends[end], self.now, &self.context, &mut self.out);
        let to = 1 - end;
        self.wire.extend(self.out.segments.iter().map(|&segment| (self.now + ONE_WAY, to, segment)));
    }

    /// The next thing that happens: a segment that arrives, or timers. Answers at which end something
    /// arrived; none when nothing will happen any more.
    fn next(&mut self) -> Option<usize> {
        let deadline = self.ends[CLIENT].deadline().min(self.ends[SERVER].deadline());
        let arrival = self.wire.front().filter(|arrival| arrival.0 <= deadline).copied();
        if let Some((at, end, segment)) = arrival {
            self.wire.pop_front();
            self.now = at;
            self.tell(end, |endpoint, now, context, out| {
                endpoint.on_segment(now, context, &segment, false, out);
            });
            return Some(end);
        }
        if deadline == Time::MAX {
            return None;
        }
        self.now = deadline;
        for end in [CLIENT, SERVER] {
            self.tell(end, Endpoint::on_timer);
        }
        self.out.clear();
        Some(SERVER)
    }

    /// The client has connected, and nothing is under way.
    fn established(profile: &'a HostProfile) -> Self {
        let mut pair = Self::new(profile);
        pair.tell(CLIENT, Endpoint::connect);
        while pair.next().is_some() {}
        pair
    }
}

/// A segment arrives, with the options of a host that has some.
#[inline(always)]
fn arrive(
    end: &mut Endpoint,
    now: Time,
    context: &Context<'_>,
    (segment, options): (&Segment, Option<&SegmentOptions>),
    out: &mut Outbox,
) {
    match options {
        Some(options) => end.on_segment_with_options(now, context, (segment, options), false, out),
        None => end.on_segment(now, context, segment, false, out),
    }
}

/// Full segments arrive in order at a receiver.
fn receive(profile: &HostProfile, count: u64) -> u64 {
    let Pair { context, ends: [client, mut server], mut out, mut now, .. } = Pair::established(profile);
    let payload = profile.maximum_segment_bytes;
    let options = profile.has_options().then(SegmentOptions::default);
    let mut segment = Segment {
        sequence: client.highest_sent(),
        acknowledgement: server.highest_sent(),
        payload,
        flags: Flags::ACK,
        ect: false,
        unread: 0,
    };
    let mut delivered = 0;
    for _ in 0..count {
        now += GAP;
        out.clear();
        arrive(&mut server, now, &context, (&segment, options.as_ref()), &mut out);
        segment.sequence = segment.sequence.plus(u32::from(payload));
        delivered += u64::from(out.delivered);
    }
    assert_eq!(delivered, count * u64::from(payload), "everything is in order");
    count
}

/// Acknowledgements as this profile's receiver sends them arrive at a sender with unlimited data.
fn acknowledge(profile: &HostProfile, count: u64) -> u64 {
    let Pair { context, ends: [mut client, server], mut out, mut now, .. } = Pair::established(profile);
    let step = u32::from(profile.maximum_segment_bytes) * u32::from(profile.delayed_ack.every_segments);
    let options = profile.has_options().then(SegmentOptions::default);
    let mut acknowledged: SequenceNumber = client.highest_sent();
    client.write_unlimited(now, &context, &mut out);
    for _ in 0..count {
        now += GAP;
        acknowledged = acknowledged.plus(step.min(client.outstanding()));
        let segment = Segment {
            sequence: server.highest_sent(),
            acknowledgement: acknowledged,
            payload: 0,
            flags: Flags::ACK,
            ect: false,
            unread: 0,
        };
        out.clear();
        arrive(&mut client, now, &context, (&segment, options.as_ref()), &mut out);
        assert!(out.acknowledged > 0 && client.outstanding() > 0, "every acknowledgement is of new data");
    }
    count
}

/// A request, a response of 7,000 bytes, and both ends close. One-way hosts send the response bytes alone.
fn converse(profile: &HostProfile) {
    let mut pair = Pair::new(profile);
    let one_way = profile.is_one_way();
    let from_client = if one_way { RESPONSE_BYTES } else { REQUEST_BYTES };
    let (mut arrived, mut finished) = (0, [false, one_way]);
    pair.tell(CLIENT, Endpoint::connect);
    pair.tell(CLIENT, |client, now, context, out| client.write(now, context, from_client, out));
    if one_way {
        pair.tell(CLIENT, Endpoint::close);
    }
    while let Some(end) = pair.next() {
        finished[end] |= pair.out.finished;
        let (delivered, peer_closed) = (pair.out.delivered, pair.out.peer_closed);
        if end == SERVER && delivered > 0 {
            arrived += u64::from(delivered);
            if arrived == REQUEST_BYTES && !one_way {
                pair.tell(SERVER, |server, now, context, out| {
                    server.write(now, context, RESPONSE_BYTES, out);
                });
                pair.tell(SERVER, Endpoint::close);
                finished[SERVER] |= pair.out.finished;
            }
        }
        if end == CLIENT && peer_closed {
            pair.tell(CLIENT, Endpoint::close);
            finished[CLIENT] |= pair.out.finished;
        }
    }
    assert!(arrived == from_client && finished == [true, true], "{arrived} bytes, finished: {finished:?}");
}

fn conversations(profile: &HostProfile, count: u64) -> u64 {
    (0..count).for_each(|_| converse(profile));
    count
}

/// Does so many steps under a profile, and answers how many it did.
type Step = fn(&HostProfile, u64) -> u64;

fn main() {
    let steps: [(&str, Step); 3] = [
        ("data in order at a receiver", receive),
        ("acknowledgement at a sender", acknowledge),
        ("connection of 7,000 bytes", conversations),
    ];
    let mut cases = Vec::new();
    for (step, run) in steps {
        for name in HostProfile::NAMES {
            let profile = HostProfile::named(name).expect("a named profile");
            cases.push(Case::new(format!("{step}, {name}"), move |count| run(&profile, count)));
        }
    }
    program::run(&cases);
}
