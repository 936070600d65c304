//! A deterministic world of two hosts: a client and a server, a fixed delay each way, no queue, and a script
//! that decides the fate of every packet. At one instant arrivals come before timers, unless a test wants it
//! the other way.
#![allow(dead_code, reason = "each test file uses its part of the world")]

use aqmlab_tcp::{
    Context, Endpoint, Flags, HostClock, HostProfile, Outbox, Segment, SegmentOptions, respond_to_stray,
};
use aqmlab_units::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// What the network does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Pass,
    Drop,
    Mark,
    /// Arrives this much later than it should.
    Late(Span),
    /// Arrives, and once more after this time.
    Twice(Span),
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) from: Side,
    pub(crate) segment: Segment,
    /// How many packets of its class (SYN, data, FIN without data, pure acknowledgement) its side sent
    /// before.
    pub(crate) nth: usize,
    pub(crate) fate: Fate,
}

pub(crate) fn is_syn(segment: &Segment) -> bool {
    segment.flags.contains(Flags::SYN)
}

pub(crate) fn is_data(segment: &Segment) -> bool {
    segment.payload > 0
}

pub(crate) fn is_fin(segment: &Segment) -> bool {
    segment.flags.contains(Flags::FIN)
}

fn class(segment: &Segment) -> usize {
    if is_syn(segment) {
        0
    } else if is_data(segment) {
        1
    } else if is_fin(segment) {
        2
    } else {
        3
    }
}

/// One request and its response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// Pause before the request is written, after the connection opened or the last response was complete.
    pub(crate) pause: Span,
    pub(crate) request: u64,
    pub(crate) response: u64,
}

impl Exchange {
    pub(crate) fn of(request: u64, response: u64) -> Self {
        Self { pause: Span::ZERO, request, response }
    }
}

/// Who closes first, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    Never,
    /// The client, when the last response is complete.
    Client,
    /// The server, right after it has written the last response.
    Server,
}

enum Event {
    Arrival(Segment, SegmentOptions, bool),
    Request(usize),
}

pub(crate) struct Host {
    pub(crate) endpoint: Endpoint,
    pub(crate) profile: HostProfile,
    pub(crate) clock: HostClock,
    pub(crate) delivered: u64,
    pub(crate) acknowledged: u64,
    pub(crate) established_at: Option<Time>,
    pub(crate) peer_closed: bool,
    pub(crate) finished_at: Option<Time>,
    pub(crate) gave_up: bool,
    pub(crate) reset: bool,
    sent_by_class: [usize; 4],
}

impl Host {
    fn new(endpoint: Endpoint, profile: &HostProfile, phase: Span) -> Self {
        Self {
            endpoint,
            profile: profile.clone(),
            clock: profile.clock(phase),
            delivered: 0,
            acknowledged: 0,
            established_at: None,
            peer_closed: false,
            finished_at: None,
            gave_up: false,
            reset: false,
            sent_by_class: [0; 4],
        }
    }
}

type Law<'a> = Box<dyn FnMut(&Sent) -> Fate + 'a>;

pub(crate) struct World<'a> {
    pub(crate) now: Time,
    pub(crate) client: Host,
    pub(crate) server: Host,
    pub(crate) trace: Vec<Sent>,
    pub(crate) keep_trace: bool,
    /// Whether finished endpoints are forgotten at once.
    pub(crate) recycle: bool,
    /// The instants at which a timer was due together with an arrival, so far.
    pub(crate) ties: Vec<Time>,
    /// At which of these, counted from 0, the timer comes first.
    pub(crate) timers_first: BTreeSet<usize>,
    /// When request i was written and when its response was complete.
    pub(crate) exchanges: Vec<(Time, Time)>,
    one_way: Span,
    law: Law<'a>,
    plan: Vec<Exchange>,
    close: Close,
    served: usize,
    begun: usize,
    requested_at: Time,
    events: BTreeMap<(Time, u64), (Side, Event)>,
    counter: u64,
    out: Outbox,
}

impl<'a> World<'a> {
    /// Two hosts of one profile, both clocks in phase with the run.
    pub(crate) fn new(profile: &HostProfile, round_trip: Span, plan: &[Exchange], close: Close) -> Self {
        Self {
            now: Time::ZERO,
            client: Host::new(Endpoint::active(), profile, Span::ZERO),
            server: Host::new(Endpoint::passive(), profile, Span::ZERO),
            trace: Vec::new(),
            keep_trace: true,
            recycle: false,
            ties: Vec::new(),
            timers_first: BTreeSet::new(),
            exchanges: Vec::new(),
            one_way: Span::from_nanoseconds(round_trip.nanoseconds() / 2),
            law: Box::new(|_| Fate::Pass),
            plan: plan.to_vec(),
            close,
            served: 0,
            begun: 0,
            requested_at: Time::ZERO,
            events: BTreeMap::new(),
            counter: 0,
            out: Outbox::new(),
        }
    }

    pub(crate) fn with_law(mut self, law: impl FnMut(&Sent) -> Fate + 'a) -> Self {
        self.law = Box::new(law);
        self
    }

    pub(crate) fn with_phases(mut self, client: Span, server: Span) -> Self {
        self.client.clock = self.client.profile.clock(client);
        self.server.clock = self.server.profile.clock(server);
        self
    }

    pub(crate) fn host(&mut self, side: Side) -> &mut Host {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    /// Calls an endpoint and carries out what it answers, including what the applications then do.
    fn call(&mut self, side: Side, act: impl FnOnce(&mut Endpoint, Time, &Context<'_>, &mut Outbox)) {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        let now = self.now;
        let host = self.host(side);
        let context = Context { profile: &host.profile, clock: host.clock };
        act(&mut host.endpoint, now, &context, &mut out);
        host.delivered += u64::from(out.delivered);
        host.acknowledged += u64::from(out.acknowledged);
        host.peer_closed |= out.peer_closed;
        host.gave_up |= out.gave_up;
        host.reset |= out.reset;
        let deadline = host.endpoint.deadline();
        assert!(deadline >= now, "a deadline in the past: {deadline} at {now}");
        if out.established {
            assert!(host.established_at.is_none(), "established twice");
            host.established_at = Some(now);
        }
        if out.finished {
            assert!(host.finished_at.is_none(), "finished twice");
            host.finished_at = Some(now);
        }
        // A FIN alone may lie one number beyond a full window.
        let outstanding = host.endpoint.outstanding();
        assert!(outstanding <= host.profile.window_bytes + 1, "{outstanding} bytes outstanding");
        for segment in &out.segments {
            assert!(segment.payload <= host.profile.maximum_segment_bytes);
            assert!(!segment.ect || segment.payload > 0, "ECN-capable without data: {segment}");
        }
        for segment in &out.segments {
            let host = self.host(side);
            let said = if host.profile.has_options() {
                host.endpoint.options(now, &host.profile, segment)
            } else {
                SegmentOptions::default()
            };
            self.send(side, *segment, said);
        }
        let (established, peer_closed) = (out.established, out.peer_closed);
        self.out = out;
        match side {
            Side::Client => self.drive_client(established, peer_closed),
            Side::Server => self.drive_server(peer_closed),
        }
    }

    fn send(&mut self, from: Side, segment: Segment, said: SegmentOptions) {
        let at = self.now;
        let counts = &mut self.host(from).sent_by_class;
        let nth = counts[class(&segment)];
        counts[class(&segment)] += 1;
        let mut sent = Sent { at, from, segment, nth, fate: Fate::Pass };
        sent.fate = (self.law)(&sent);
        if self.keep_trace {
            self.trace.push(sent);
        }
        let arrival = at + self.one_way;
        let to = from.other();
        match sent.fate {
            Fate::Pass => self.schedule(arrival, to, Event::Arrival(segment, said, false)),
            Fate::Mark => {
                assert!(segment.ect, "marked a packet that is not ECN-capable: {segment}");
                self.schedule(arrival, to, Event::Arrival(segment, said, true));
            }
            Fate::Late(more) => self.schedule(arrival + more, to, Event::Arrival(segment, said, false)),
            Fate::Twice(gap) => {
                self.schedule(arrival, to, Event::Arrival(segment, said, false));
                self.schedule(arrival + gap, to, Event::Arrival(segment, said, false));
            }
            Fate::Drop => {}
        }
    }

    fn schedule(&mut self, at: Time, side: Side, event: Event) {
        self.counter += 1;
        self.events.insert((at, self.counter), (side, event));
    }

    fn drive_client(&mut self, established: bool, peer_closed: bool) {
        let answered: u64 = self.plan[..self.begun].iter().map(|exchange| exchange.response).sum();
        let complete = self.begun > self.exchanges.len() && self.client.delivered >= answered;
        if complete {
            self.exchanges.push((self.requested_at, self.now));
        }
        if established || complete {
            let next = self.exchanges.len();
            if next < self.plan.len() {
                let at = self.now + self.plan[next].pause;
                if at == self.now {
                    self.request(next);
                } else {
                    self.schedule(at, Side::Client, Event::Request(next));
                }
            } else if self.close == Close::Client {
                self.call(Side::Client, Endpoint::close);
            }
        }
        if peer_closed {
            self.call(Side::Client, Endpoint::close);
        }
    }

    fn request(&mut self, number: usize) {
        self.begun = number + 1;
        self.requested_at = self.now;
        let bytes = self.plan[number].request;
        self.call(Side::Client, |endpoint, now, context, out| endpoint.write(now, context, bytes, out));
    }

    fn drive_server(&mut self, peer_closed: bool) {
        while self.served < self.plan.len() {
            let needed: u64 = self.plan[..=self.served].iter().map(|exchange| exchange.request).sum();
            if self.server.delivered < needed {
                break;
            }
            let bytes = self.plan[self.served].response;
            self.served += 1;
            let last = self.served == self.plan.len() && self.close == Close::Server;
            self.call(Side::Server, |endpoint, now, context, out| {
                if last {
                    endpoint.write_and_close(now, context, bytes, out);
                } else {
                    endpoint.write(now, context, bytes, out);
                }
            });
        }
        if peer_closed {
            self.call(Side::Server, Endpoint::close);
        }
    }

    pub(crate) fn connect(&mut self) {
        self.call(Side::Client, Endpoint::connect);
    }

    /// Processes one event; answers whether there was one.
    pub(crate) fn step(&mut self) -> bool {
        let timer = self.client.endpoint.deadline().min(self.server.endpoint.deadline());
        let arrival = self.events.first_key_value().map_or(Time::MAX, |(key, _)| key.0);
        if timer == Time::MAX && arrival == Time::MAX {
            return false;
        }
        let due = arrival.min(timer);
        assert!(due >= self.now, "an event in the past: {due} is before {}", self.now);
        self.now = due;
        let timer_first = arrival == timer && {
            self.ties.push(due);
            self.timers_first.contains(&(self.ties.len() - 1))
        };
        if arrival <= timer && !timer_first {
            match self.events.pop_first().map(|(_, event)| event) {
                Some((side, Event::Arrival(segment, said, marked))) => {
                    self.arrive(side, (segment, said), marked);
                }
                Some((_, Event::Request(number))) => self.request(number),
                None => unreachable!("there is an earliest event"),
            }
        } else {
            let side = if self.client.endpoint.deadline() == timer { Side::Client } else { Side::Server };
            self.call(side, Endpoint::on_timer);
            assert!(self.host(side).endpoint.deadline() > self.now, "a timer that stays due");
        }
        true
    }

    fn arrive(&mut self, side: Side, (segment, said): (Segment, SegmentOptions), marked: bool) {
        if self.recycle && self.host(side).finished_at.is_some() {
            if let Some(answer) = respond_to_stray(&segment) {
                self.send(side, answer, SegmentOptions::default());
            }
            return;
        }
        self.call(side, |endpoint, now, context, out| {
            if context.profile.has_options() {
                endpoint.on_segment_with_options(now, context, (&segment, &said), marked, out);
            } else {
                endpoint.on_segment(now, context, &segment, marked, out);
            }
        });
    }

    /// Runs until nothing is left to happen, or `end` is passed.
    pub(crate) fn run_until(&mut self, end: Time) {
        self.connect();
        while self.now < end && self.step() {}
    }

    /// Runs to the end and asserts that there is one within a day.
    pub(crate) fn run(&mut self) {
        // Hundreds of losses in a row, each waited for a minute, are the longest that a test asks for.
        let day = Time::from_seconds(86_400.0);
        self.run_until(day);
        assert!(self.now < day, "still running after a day");
    }

    /// Times at which `side` sent a segment for which `which` holds, in seconds.
    pub(crate) fn times(&self, side: Side, which: impl Fn(&Sent) -> bool) -> Vec<f64> {
        self.trace
            .iter()
            .filter(|sent| sent.from == side && which(sent))
            .map(|sent| sent.at.seconds())
            .collect()
    }

    /// Milliseconds from the writing of request `number` to the last byte of its response.
    pub(crate) fn response_time_ms(&self, number: usize) -> u64 {
        let (start, end) = self.exchanges[number];
        (end - start).nanoseconds() / 1_000_000
    }
}
