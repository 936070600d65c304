//! A port with several queues, and with guards in front: who is asked, who is told, what is discarded from
//! where, and what is counted. Shown with small guards, schedulers and schemes, by histories that are worked
//! out by hand.

#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::algorithms::{codel, drop_tail, pi};
use aqmlab_aqm::parts::Limit;
use aqmlab_aqm::{
    Admission, Aqm, Backlogs, Behind, Codepoint, Decision, Departing, Discipline, End, Guard, HeaderFields,
    PacketFacts, Port, PortFacts, QueueLimit, Reason, Scheduled, Scheduler, Scheme, Turn, Verdict, Victim,
};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use packet::TestPacket;
use std::sync::{Arc, Mutex};

fn facts() -> PortFacts {
    PortFacts::new(Rate::from_megabits_per_second(8.0))
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn drop_tail(packets: u32) -> Scheme {
    Scheme::DropTail(drop_tail::Params { limit_packets: Some(packets), ..drop_tail::Params::default() })
}

/// A port with all that it has discarded.
struct Bench {
    port: Port<TestPacket>,
    discarded: Vec<(u64, Reason)>,
}

impl Bench {
    fn new(discipline: Discipline, limit_packets: u32, ecn: bool) -> Self {
        let limit = Limit::of_packets(limit_packets);
        let port = Port::with_discipline(discipline, limit, ecn, Key::from_seed(1).stream());
        Self { port, discarded: Vec::new() }
    }

    /// A packet of 1000 bytes of this flow and with this codepoint point in its header.
    fn arrive(&mut self, milliseconds: u64, id: u64, flow: u32, dscp: u8, codepoint: Codepoint) {
        let discarded = &mut self.discarded;
        let mut packet = TestPacket::data(id, 1000, codepoint);
        packet.facts.flow = u64::from(flow);
        let header = |_: &TestPacket| HeaderFields { flow_hash: flow, dscp, ..HeaderFields::default() };
        let mut discard = |packet: TestPacket, reason| discarded.push((packet.id, reason));
        self.port.arrive_with(at(milliseconds), packet, header, &mut discard);
        assert_eq!(self.port.check_conservation(), Ok(()));
    }

    fn depart(&mut self, milliseconds: u64) -> Option<u64> {
        let discarded = &mut self.discarded;
        let mut discard = |packet: TestPacket, reason| discarded.push((packet.id, reason));
        let sent = self.port.depart(at(milliseconds), &mut discard);
        assert_eq!(self.port.check_conservation(), Ok(()));
        sent.map(|packet| packet.id)
    }
}

/// Two queues: packets that ask for it with their DSCP (46, expedited forwarding) go first. A full buffer
/// discards the latest of those that did not ask.
#[derive(Clone)]
struct Expedited;

impl Scheduler for Expedited {
    fn classify(&mut self, _: Time, _: &PacketFacts, header: &HeaderFields, queues: &dyn Backlogs) -> usize {
        assert_eq!(queues.queues(), 2);
        usize::from(header.dscp != 46)
    }

    fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

    fn next(&mut self, _: Time, queues: &dyn Backlogs) -> Turn {
        (0..2).find(|&queue| queues.packets(queue) > 0).map_or(Turn::Nobody, Turn::Queue)
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

    fn on_empty(&mut self, _: Time, _: usize) {}

    fn victim(&mut self, _: Time, queues: &dyn Backlogs) -> Victim {
        let queue = usize::from(queues.packets(1) > 0);
        Victim { queue, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("queues", 2.0);
    }
}

fn fifo(scheme: &Scheme) -> Box<dyn Aqm> {
    match scheme.build(&facts()) {
        Discipline::Fifo(scheme) => scheme,
        Discipline::Scheduled(_) => panic!("{scheme:?} is no single queue"),
    }
}

fn expedited(scheme: &Scheme, queue_limit: QueueLimit) -> Discipline {
    let queues = vec![fifo(scheme), fifo(scheme)];
    Discipline::Scheduled(Scheduled { queue_limit, ..Scheduled::queues(Box::new(Expedited), queues) })
}

#[test]
fn packets_are_sorted_by_their_codepoint_and_the_tail_makes_room() {
    let mut bench = Bench::new(expedited(&drop_tail(9), QueueLimit::None), 4, false);
    for (id, dscp) in [(1, 0), (2, 0), (3, 46), (4, 0), (5, 46)] {
        bench.arrive(id, id, 7, dscp, Codepoint::NotEct);
    }
    // The fifth is one too many: the last of those without a claim, 4, makes room for it.
    assert_eq!(bench.discarded, [(4, Reason::Overflow)]);
    let length = |bench: &Bench, queue| bench.port.queue(queue).map(|queue| (queue.packets, queue.bytes));
    assert_eq!((length(&bench, 0), length(&bench, 1)), (Some((2, 2000)), Some((2, 2000))));
    assert_eq!((bench.port.packets(), bench.port.bytes(), bench.port.queues()), (4, 4000, 2));
    assert!(bench.port.queue(2).is_none() && bench.port.decides_about_waiting());
    let left: Vec<u64> = (10..14).filter_map(|now| bench.depart(now)).collect();
    assert_eq!((left, bench.depart(15)), (vec![3, 5, 1, 2], None));
    let counters = bench.port.queue(1).expect("two queues").counters;
    assert_eq!((counters.arrivals.packets, counters.departures.packets), (3, 2));
    assert_eq!((counters.discards(Reason::Overflow).packets, counters.all_discards().bytes), (1, 1000));
    assert_eq!(bench.port.counters().discards(Reason::Overflow).total().packets, 1);
}

#[test]
fn a_queue_with_a_limit_of_its_own_refuses_its_arrivals() {
    let own = QueueLimit::Own(Limit::of_packets(2));
    let mut bench = Bench::new(expedited(&drop_tail(9), own), 100, false);
    (1..=4).for_each(|id| bench.arrive(id, id, 7, 0, Codepoint::NotEct));
    bench.arrive(5, 5, 7, 46, Codepoint::NotEct);
    assert_eq!(bench.discarded, [(3, Reason::Overflow), (4, Reason::Overflow)]);
    assert_eq!(bench.port.packets(), 3);
}

#[test]
fn each_queue_has_a_scheme_with_a_state_and_a_timer_of_its_own() {
    let gains = pi::Gains::Fixed { a: 0.1, b: 0.05 };
    let params = pi::Params { q_ref_packets: 0.0, sampling_hz: 100.0, gains, ..pi::Params::default() };
    let mut bench = Bench::new(
        expedited(&Scheme::Pi(pi::Params { limit_packets: Some(99), ..params }), QueueLimit::None),
        99,
        false,
    );
    (1..=4).for_each(|id| bench.arrive(1, id, 7, 46, Codepoint::NotEct));
    bench.arrive(1, 5, 7, 0, Codepoint::NotEct);
    bench.port.advance(at(10));
    // After one sample: 0.1 · 4 in the first queue, 0.1 · 1 in the second.
    let probability = |queue: usize| {
        let mut found = f64::NAN;
        let report = bench.port.queue(queue).expect("two queues");
        report.observe(&mut |name, value| {
            if name == "probability" {
                found = value;
            }
        });
        found
    };
    assert!((probability(0) - 0.4).abs() < 1e-12 && (probability(1) - 0.1).abs() < 1e-12);
    // Of the port: the mean by waiting packets, (4 · 0.4 + 1 · 0.1) / 5.
    assert!((bench.port.signal_probability().value() - 0.34).abs() < 1e-12);
    let mut seen = Vec::new();
    bench.port.observe(&mut |name, value| seen.push((name, value)));
    assert_eq!(seen, [("queues", 2.0)], "the scheduler speaks for the port");
}

/// What a guard was told.
type Log = Arc<Mutex<Vec<String>>>;

/// Refuses a flow after it was signalled once, until its timer forgives, 20 ms after the start.
#[derive(Clone)]
struct OneStrike {
    struck: Vec<u64>,
    forgives: Option<Time>,
    log: Log,
}

impl OneStrike {
    fn new(log: &Log) -> Box<Self> {
        Box::new(Self { struck: Vec::new(), forgives: Some(at(20)), log: Arc::clone(log) })
    }

    fn note(&self, text: String) {
        self.log.lock().expect("no test panics while it holds the log").push(text);
    }
}

impl Guard for OneStrike {
    fn admits(
        &mut self,
        _: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        _: &mut Stream,
    ) -> Admission {
        self.note(format!("flow {} asks before {} packets", header.flow_hash, behind.packets));
        if self.struck.contains(&packet.flow) { Admission::Refuse(Reason::Filter) } else { Admission::Pass }
    }

    fn on_decision(&mut self, _: Time, packet: &PacketFacts, decision: Decision) {
        self.note(format!("flow {}: {decision:?}", packet.flow));
        if matches!(decision, Decision::Marked | Decision::Discarded(_)) {
            self.struck.push(packet.flow);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.forgives
    }

    fn on_timer(&mut self, due: Time, behind: &Behind<'_>) {
        self.note(format!("forgives at {due} before {} packets", behind.packets));
        self.struck.clear();
        self.forgives = None;
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("struck_flows", self.struck.len() as f64);
    }
}

#[test]
fn a_guard_hears_what_is_decided_behind_it_and_refuses_what_it_will() {
    let log = Log::default();
    let mut bench = Bench::new(drop_tail(2).build(&facts()).guarded_by(OneStrike::new(&log)), 2, false);
    bench.arrive(1, 1, 7, 0, Codepoint::NotEct);
    bench.arrive(2, 2, 7, 0, Codepoint::NotEct);
    bench.arrive(3, 3, 8, 0, Codepoint::NotEct);
    bench.arrive(4, 4, 8, 0, Codepoint::NotEct);
    assert_eq!(bench.depart(5), Some(1));
    bench.arrive(6, 5, 8, 0, Codepoint::NotEct);
    bench.arrive(25, 6, 8, 0, Codepoint::NotEct);
    assert_eq!(bench.discarded, [(3, Reason::Overflow), (4, Reason::Filter), (5, Reason::Filter)]);
    assert_eq!((bench.depart(26), bench.depart(27), bench.depart(28)), (Some(2), Some(6), None));
    let told = log.lock().expect("no test panics while it holds the log").clone();
    assert_eq!(
        told,
        [
            "flow 7 asks before 0 packets",
            "flow 7: Queued",
            "flow 7 asks before 1 packets",
            "flow 7: Queued",
            "flow 8 asks before 2 packets",
            "flow 8: Discarded(Overflow)",
            "flow 8 asks before 2 packets",
            "flow 7: Sent",
            "flow 8 asks before 1 packets",
            "forgives at 0.020000000 s before 1 packets",
            "flow 8 asks before 1 packets",
            "flow 8: Queued",
            "flow 7: Sent",
            "flow 8: Sent",
        ]
    );
    // What the guard refused never came to the queue.
    let counters = bench.port.queue(0).expect("a queue behind a guard").counters;
    assert_eq!((counters.arrivals.packets, counters.departures.packets), (4, 3));
    assert_eq!(bench.port.counters().discards(Reason::Filter).total().packets, 2);
    assert!(!bench.port.decides_about_waiting(), "one queue that drops its arrivals alone");
}

#[test]
fn guards_stand_in_a_row_and_hear_of_marks_at_departure() {
    let codel =
        codel::Params { limit_packets: Some(99), ecn: true, mtu_bytes: 1, ..codel::Params::default() };
    let (outer, inner) = (Log::default(), Log::default());
    let discipline = Scheme::CoDel(codel).build(&facts());
    let discipline = discipline.guarded_by(OneStrike::new(&inner)).guarded_by(OneStrike::new(&outer));
    let mut bench = Bench::new(discipline, 99, true);
    (1..=3).for_each(|id| bench.arrive(30, id, id as u32, 0, Codepoint::Ect0));
    // Above the target since 40 ms, for an interval at 140 ms: CoDel marks the second, flow 2.
    assert_eq!((bench.depart(40), bench.depart(140)), (Some(1), Some(2)));
    assert_eq!(bench.port.counters().marks().total().packets, 1);
    assert_eq!(bench.port.queue(0).expect("a queue").counters.marks.packets, 1);
    bench.arrive(141, 4, 2, 0, Codepoint::Ect0);
    assert_eq!(bench.discarded, [(4, Reason::Filter)]);
    let last = |log: &Log| log.lock().expect("nobody panics").last().cloned();
    assert_eq!(last(&outer).as_deref(), Some("flow 2 asks before 1 packets"), "the outer one refuses");
    assert_eq!(last(&inner).as_deref(), Some("flow 2: Sent"), "the inner one is never asked");
    let told = inner.lock().expect("nobody panics").clone();
    assert!(told.contains(&"flow 2: Marked".to_owned()), "{told:?}");
}

/// Two queues of which each may send for 10 ms, then the other.
#[derive(Clone)]
struct InTurns;

impl Scheduler for InTurns {
    fn classify(&mut self, _: Time, _: &PacketFacts, header: &HeaderFields, _: &dyn Backlogs) -> usize {
        usize::from(header.dscp != 46)
    }

    fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let slot = now.nanoseconds() / 10_000_000;
        let queue = usize::from(slot % 2 == 1);
        match queues.packets(queue) {
            0 if queues.waiting() == 0 => Turn::Nobody,
            0 => Turn::At(at(10 * (slot + 1))),
            _ => Turn::Queue(queue),
        }
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

    fn on_empty(&mut self, _: Time, _: usize) {}

    fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
        panic!("there is room")
    }
}

#[test]
fn a_scheduler_may_hold_back_what_waits_until_an_instant() {
    let queues = || vec![fifo(&drop_tail(9)), fifo(&drop_tail(9))];
    let discipline = || Discipline::Scheduled(Scheduled::queues(Box::new(InTurns), queues()));
    let mut bench = Bench::new(discipline(), 9, false);
    assert_eq!((bench.depart(0), bench.port.opens()), (None, None), "nothing waits");
    bench.arrive(1, 1, 7, 0, Codepoint::NotEct);
    assert_eq!((bench.depart(1), bench.port.opens()), (None, Some(at(10))));
    bench.arrive(2, 2, 7, 46, Codepoint::NotEct);
    assert_eq!((bench.depart(2), bench.depart(3), bench.port.opens()), (Some(2), None, Some(at(10))));
    assert_eq!((bench.depart(10), bench.depart(11), bench.port.opens()), (Some(1), None, None));
    // An idle link asks for a packet as it comes.
    let mut packet = TestPacket::data(3, 1000, Codepoint::NotEct);
    packet.facts.flow = 7;
    let header = |_: &TestPacket| HeaderFields::default();
    let mut discard = |_: TestPacket, reason: Reason| panic!("{reason:?}");
    assert_eq!(bench.port.pass(at(15), packet, header, &mut discard).map(|packet| packet.id), Some(3));
    assert!(bench.port.pass(at(20), packet, header, &mut discard).is_none());
    assert_eq!(bench.port.opens(), Some(at(30)));
}

#[test]
fn a_scheduler_decides_about_packets_that_leave_where_it_wants_to() {
    /// One queue, of which every second packet is signalled to when it leaves.
    #[derive(Clone)]
    struct EverySecond(u32);
    impl Scheduler for EverySecond {
        fn classify(&mut self, _: Time, _: &PacketFacts, _: &HeaderFields, _: &dyn Backlogs) -> usize {
            0
        }
        fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}
        fn next(&mut self, _: Time, queues: &dyn Backlogs) -> Turn {
            if queues.waiting() > 0 { Turn::Queue(0) } else { Turn::Nobody }
        }
        fn on_departure(&mut self, _: Time, _: usize, _: &Departing, queues: &dyn Backlogs) -> Verdict {
            self.0 += 1;
            assert_eq!(queues.packets(0), queues.waiting(), "without the one that leaves");
            if self.0 % 2 == 0 { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
        }
        fn watches_departures(&self) -> bool {
            true
        }
        fn on_sent(&mut self, _: Time, _: usize, _: u32) {}
        fn on_empty(&mut self, _: Time, _: usize) {}
        fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
            panic!("there is room")
        }
    }
    let scheduled = Scheduled::queues(Box::new(EverySecond(0)), vec![fifo(&drop_tail(9))]);
    let mut bench = Bench::new(Discipline::Scheduled(scheduled), 9, true);
    for (id, codepoint) in [(1, Codepoint::Ect0), (2, Codepoint::Ect0), (3, Codepoint::Ect0)] {
        bench.arrive(1, id, 7, 0, codepoint);
    }
    (4..=5).for_each(|id| bench.arrive(1, id, 7, 0, Codepoint::NotEct));
    let left: Vec<u64> = (2..6).filter_map(|now| bench.depart(now)).collect();
    assert_eq!((left, bench.discarded.clone()), (vec![1, 2, 3, 5], vec![(4, Reason::Early)]));
    assert_eq!(bench.port.counters().marks().total().packets, 1);
    let counters = bench.port.queue(0).expect("a queue").counters;
    assert_eq!((counters.marks.packets, counters.departures.packets), (1, 4));
}

#[test]
fn a_discipline_that_loses_packets_is_a_bug() {
    /// Serves nobody.
    #[derive(Clone)]
    struct Idle;
    impl Scheduler for Idle {
        fn classify(&mut self, _: Time, _: &PacketFacts, _: &HeaderFields, _: &dyn Backlogs) -> usize {
            0
        }
        fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}
        fn next(&mut self, _: Time, _: &dyn Backlogs) -> Turn {
            Turn::Nobody
        }
        fn on_sent(&mut self, _: Time, _: usize, _: u32) {}
        fn on_empty(&mut self, _: Time, _: usize) {}
        fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
            Victim { queue: 0, end: End::Head, most_packets: 1, enough_bytes: 0 }
        }
    }
    let scheduled = Scheduled::queues(Box::new(Idle), vec![fifo(&drop_tail(9))]);
    let mut bench = Bench::new(Discipline::Scheduled(scheduled), 9, false);
    bench.arrive(1, 1, 7, 0, Codepoint::NotEct);
    let served = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.depart(2)));
    assert!(served.is_err(), "a link that is told that nobody waits stays idle for ever");
}
