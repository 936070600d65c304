//! What a port makes of a scheme's verdicts, shown with a scheme that says what the test tells it to.

#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::parts::Limit;
use aqmlab_aqm::{
    Aqm, Codepoint, ConservationError, Departing, Discipline, Event, PacketClass, PacketFacts,
    ParameterError, Parameters, Port, PortFacts, Positions, QueueView, Queued, Reason, Scheme, Verdict,
    register,
};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Time};
use packet::TestPacket;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// What a scripted scheme was told, in words.
type Log = Arc<Mutex<Vec<String>>>;

/// A scheme that gives the verdicts it is told to, then `Pass`, and keeps a log of its calls.
#[derive(Clone, Default)]
struct Script {
    on_arrival: VecDeque<Verdict>,
    on_departure: VecDeque<Verdict>,
    timers: VecDeque<Time>,
    wants_instants: bool,
    log: Log,
}

impl Script {
    fn arrivals(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        Self { on_arrival: verdicts.into_iter().collect(), ..Self::default() }
    }

    fn departures(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        Self { on_departure: verdicts.into_iter().collect(), ..Self::default() }
    }

    fn note(&self, text: String) {
        self.log.lock().expect("no test panics while it holds the log").push(text);
    }
}

impl Aqm for Script {
    fn on_arrival(&mut self, now: Time, _: &PacketFacts, queue: &QueueView<'_>, _: &mut Stream) -> Verdict {
        self.note(format!("arrival at {now} behind {} packets, {} bytes", queue.packets(), queue.bytes()));
        self.on_arrival.pop_front().unwrap_or(Verdict::Pass)
    }

    fn on_departure(
        &mut self,
        _: Time,
        leaving: &Departing,
        queue: &QueueView<'_>,
        _: &mut Stream,
    ) -> Verdict {
        let behind = (0..queue.packets()).map(|position| queue.facts(position).bytes);
        let behind: Vec<u32> = behind.collect();
        self.note(format!(
            "departure of {} queued at {:?} before {behind:?}",
            leaving.facts.bytes, leaving.arrived
        ));
        if self.wants_instants {
            let (head, beyond) = (queue.arrived(0), queue.arrived(queue.packets()));
            self.note(format!("the head was queued at {head:?}, what is beyond the tail at {beyond:?}"));
        }
        self.on_departure.pop_front().unwrap_or(Verdict::Pass)
    }

    fn on_overflow(&mut self, _: Time, packet: &PacketFacts) {
        self.note(format!("overflow of {}", packet.bytes));
    }

    fn on_idle(&mut self, now: Time) {
        self.note(format!("idle at {now}"));
    }

    fn next_timer(&self) -> Option<Time> {
        self.timers.front().copied()
    }

    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        self.note(format!("timer at {due} with {} packets", queue.packets()));
        self.timers.pop_front();
    }

    fn needs_arrival_instants(&self) -> bool {
        self.wants_instants
    }
}

/// A port under a script, with everything that it discarded.
struct Bench {
    port: Port<TestPacket>,
    log: Log,
    discarded: Vec<(u64, Reason)>,
}

impl Bench {
    fn new(script: Script, limit_packets: u32, ecn: bool) -> Self {
        let log = Arc::clone(&script.log);
        let coins = Key::from_seed(1).stream();
        let port = Port::with_scheme(Box::new(script), Limit::of_packets(limit_packets), ecn, coins);
        Self { port, log, discarded: Vec::new() }
    }

    fn arrive(&mut self, id: u64, bytes: u32, codepoint: Codepoint) {
        let discarded = &mut self.discarded;
        let now = Time::from_nanoseconds(id);
        self.port.arrive(now, TestPacket::data(id, bytes, codepoint), &mut |packet, reason| {
            discarded.push((packet.id, reason));
        });
    }

    fn depart(&mut self, nanoseconds: u64) -> Option<TestPacket> {
        let discarded = &mut self.discarded;
        let now = Time::from_nanoseconds(nanoseconds);
        self.port.depart(now, &mut |packet, reason| discarded.push((packet.id, reason)))
    }

    /// Empties the queue: the ids in the order in which they leave.
    fn drain(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.depart(1_000)).map(|packet| packet.id).collect()
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().expect("no test panics while it holds the log").clone()
    }
}

const SIGNAL: Verdict = Verdict::Signal(Reason::Early);

fn positions(list: &[u32]) -> Positions {
    let mut positions = Positions::default();
    list.iter().for_each(|&position| assert!(positions.insert(position)));
    positions
}

#[test]
fn a_signal_marks_exactly_the_packets_that_can_be_marked() {
    for (codepoint, after) in [
        (Codepoint::NotEct, None),
        (Codepoint::Ect0, Some(Codepoint::Ce)),
        (Codepoint::Ect1, Some(Codepoint::Ce)),
        (Codepoint::Ce, Some(Codepoint::Ce)),
    ] {
        for at_departure in [false, true] {
            let script = if at_departure { Script::departures([SIGNAL]) } else { Script::arrivals([SIGNAL]) };
            let mut bench = Bench::new(script, 5, true);
            bench.arrive(1, 1000, codepoint);
            assert_eq!(bench.depart(2).map(|packet| packet.facts.codepoint), after);
            let marks = bench.port.counters().marks().of(codepoint, PacketClass::Data).packets;
            let lost = bench.port.counters().discards(Reason::Early).total().packets;
            assert_eq!((marks, lost), if after.is_some() { (1, 0) } else { (0, 1) }, "{codepoint:?}");
            assert_eq!(bench.port.check_conservation(), Ok(()));
        }
    }
}

#[test]
fn without_ecn_a_signal_drops_every_packet() {
    for codepoint in Codepoint::ALL {
        let mut bench = Bench::new(Script::arrivals([SIGNAL]), 5, false);
        bench.arrive(1, 1000, codepoint);
        assert_eq!((bench.discarded.as_slice(), bench.port.packets()), (&[(1, Reason::Early)][..], 0));
    }
}

#[test]
fn a_drop_spares_no_codepoint() {
    for codepoint in Codepoint::ALL {
        let mut bench = Bench::new(Script::arrivals([Verdict::Drop(Reason::Filter)]), 5, true);
        bench.arrive(1, 1000, codepoint);
        assert_eq!(bench.discarded, [(1, Reason::Filter)]);
    }
}

#[test]
fn a_signalled_packet_without_room_is_an_overflow_and_not_a_mark() {
    let mut bench = Bench::new(Script::arrivals([Verdict::Pass, SIGNAL]), 1, true);
    bench.arrive(1, 1000, Codepoint::Ect0);
    bench.arrive(2, 600, Codepoint::Ect0);
    assert_eq!(bench.discarded, [(2, Reason::Overflow)]);
    assert_eq!(bench.port.counters().marks().total().packets, 0);
    let overflow = bench.port.counters().discards(Reason::Overflow);
    assert_eq!(overflow.of(Codepoint::Ect0, PacketClass::Data).bytes, 600, "with the codepoint it came with");
    assert_eq!(bench.log().last().map(String::as_str), Some("overflow of 600"));
}

#[test]
fn drop_with_takes_the_named_packets_and_leaves_the_others_in_order() {
    let with = Verdict::DropWith { positions: positions(&[2, 0, 3]), reason: Reason::Match };
    let mut bench = Bench::new(Script::arrivals([Verdict::Pass; 5].into_iter().chain([with])), 9, true);
    (1..=6).for_each(|id| bench.arrive(id, 100 * id as u32, Codepoint::Ect0));
    let mut lost: Vec<u64> = bench.discarded.iter().map(|&(id, _)| id).collect();
    lost.sort_unstable();
    assert_eq!(lost, [1, 3, 4, 6]);
    assert!(bench.discarded.iter().all(|&(_, reason)| reason == Reason::Match));
    assert_eq!((bench.port.packets(), bench.port.bytes()), (2, 700));
    assert_eq!(bench.port.check_conservation(), Ok(()));
    assert_eq!(bench.drain(), [2, 5]);
}

#[test]
fn pass_evicting_makes_room_for_the_arrival() {
    // Drop-front on a full queue of two.
    let front = Verdict::PassEvicting { positions: Positions::one(0), reason: Reason::Overflow };
    let mut bench = Bench::new(Script::arrivals([Verdict::Pass, Verdict::Pass, front]), 2, true);
    (1..=3).for_each(|id| bench.arrive(id, 1000, Codepoint::NotEct));
    assert_eq!(bench.discarded, [(1, Reason::Overflow)]);
    assert_eq!(bench.port.check_conservation(), Ok(()));
    assert_eq!(bench.drain(), [2, 3]);
}

#[test]
fn a_drop_on_departure_asks_about_the_next_packet() {
    let script = Script::departures([Verdict::Drop(Reason::Early), SIGNAL, Verdict::Pass]);
    let mut bench = Bench::new(script, 9, true);
    bench.arrive(1, 100, Codepoint::Ect0);
    bench.arrive(2, 200, Codepoint::NotEct);
    bench.arrive(3, 300, Codepoint::NotEct);
    assert_eq!(bench.depart(4).map(|packet| packet.id), Some(3));
    assert_eq!(bench.discarded, [(1, Reason::Early), (2, Reason::Early)]);
    let seen = bench.log();
    assert_eq!(seen[3], "departure of 100 queued at None before [200, 300]");
    assert_eq!(seen[4], "departure of 200 queued at None before [300]");
}

#[test]
fn a_queue_that_loses_its_last_packet_on_departure_leaves_the_link_idle() {
    let mut bench = Bench::new(Script::departures([Verdict::Drop(Reason::Early)]), 9, true);
    bench.arrive(1, 100, Codepoint::Ect0);
    assert_eq!(bench.depart(2), None);
    assert_eq!(bench.log().last().map(String::as_str), Some("idle at 0.000000002 s"));
    assert_eq!(bench.port.check_conservation(), Ok(()));
}

#[test]
fn verdicts_on_departure_may_take_waiting_packets_along() {
    let with = Verdict::DropWith { positions: positions(&[1]), reason: Reason::Match };
    let passing = Verdict::PassEvicting { positions: positions(&[0]), reason: Reason::Filter };
    let mut bench = Bench::new(Script::departures([with, passing]), 9, true);
    (1..=5).for_each(|id| bench.arrive(id, 100, Codepoint::NotEct));
    // 1 goes with 3; then 2 leaves and takes 4 out of the queue; 5 stays.
    assert_eq!(bench.depart(6).map(|packet| packet.id), Some(2));
    assert_eq!(bench.discarded, [(1, Reason::Match), (3, Reason::Match), (4, Reason::Filter)]);
    assert_eq!(bench.drain(), [5]);
    assert_eq!(bench.port.check_conservation(), Ok(()));
}

#[test]
fn a_scheme_that_asks_learns_when_packets_were_queued() {
    let evict = Verdict::PassEvicting { positions: Positions::one(1), reason: Reason::Match };
    let script = Script { wants_instants: true, ..Script::arrivals([Verdict::Pass, Verdict::Pass, evict]) };
    let mut bench = Bench::new(script, 9, true);
    bench.arrive(1, 100, Codepoint::NotEct);
    bench.arrive(5, 200, Codepoint::NotEct);
    bench.arrive(8, 300, Codepoint::NotEct);
    bench.drain();
    let departures: Vec<String> =
        bench.log().into_iter().filter(|line| line.starts_with("departure")).collect();
    assert_eq!(
        departures[0],
        format!("departure of 100 queued at {:?} before [300]", Some(Time::from_nanoseconds(1)))
    );
    assert_eq!(
        departures[1],
        format!("departure of 300 queued at {:?} before []", Some(Time::from_nanoseconds(8)))
    );
    let heads: Vec<String> = bench.log().into_iter().filter(|line| line.starts_with("the head")).collect();
    let instant =
        |head: Option<Time>| format!("the head was queued at {head:?}, what is beyond the tail at None");
    assert_eq!(heads, [instant(Some(Time::from_nanoseconds(8))), instant(None)]);
}

#[test]
fn overdue_timers_run_at_their_own_instants_before_the_packet() {
    let timers = [3, 7, 10, 20].map(Time::from_nanoseconds);
    let mut bench = Bench::new(Script { timers: timers.into(), ..Script::default() }, 9, true);
    bench.arrive(5, 100, Codepoint::NotEct);
    bench.arrive(10, 100, Codepoint::NotEct);
    bench.port.advance(Time::from_nanoseconds(19));
    assert_eq!(
        bench.log(),
        [
            "timer at 0.000000003 s with 0 packets",
            "arrival at 0.000000005 s behind 0 packets, 0 bytes",
            "timer at 0.000000007 s with 1 packets",
            "timer at 0.000000010 s with 1 packets",
            "arrival at 0.000000010 s behind 1 packets, 100 bytes",
        ]
    );
}

#[test]
#[should_panic(expected = "a timer must move forward: 0.000000003 s after 0.000000003 s")]
fn a_timer_that_does_not_move_is_a_bug() {
    let timers = [3, 3].map(Time::from_nanoseconds);
    let mut bench = Bench::new(Script { timers: timers.into(), ..Script::default() }, 9, true);
    bench.port.advance(Time::from_nanoseconds(4));
}

#[test]
#[should_panic(expected = "time ran backwards: 0.000000004 s after 0.000000005 s")]
fn time_that_runs_backwards_is_a_bug() {
    let mut bench = Bench::new(Script::default(), 9, true);
    bench.arrive(5, 100, Codepoint::NotEct);
    bench.depart(4);
}

#[test]
#[should_panic(expected = "no packet at position 1: 1 waiting")]
fn evicting_what_does_not_wait_is_a_bug() {
    let evict = Verdict::PassEvicting { positions: Positions::one(1), reason: Reason::Match };
    let mut bench = Bench::new(Script::arrivals([Verdict::Pass, evict]), 9, true);
    bench.arrive(1, 100, Codepoint::NotEct);
    bench.arrive(2, 100, Codepoint::NotEct);
}

#[test]
fn counters_of_a_window_are_those_of_the_end_minus_those_of_its_start() {
    let mut bench =
        Bench::new(Script::arrivals([Verdict::Pass, Verdict::Drop(Reason::Early), SIGNAL]), 9, true);
    bench.arrive(1, 100, Codepoint::Ect0);
    bench.depart(1);
    let warm_up = bench.port.counters().clone();
    bench.arrive(2, 200, Codepoint::Ect0);
    bench.arrive(3, 300, Codepoint::Ect1);
    bench.depart(4);
    let window = bench.port.counters().minus(&warm_up);
    let counted: Vec<(&str, &str, &str, u64, u64)> = window
        .entries()
        .filter(|entry| entry.tally.packets > 0)
        .map(|entry| {
            let tally = entry.tally;
            (entry.event.name(), entry.codepoint.name(), entry.class.name(), tally.packets, tally.bytes)
        })
        .collect();
    assert_eq!(
        counted,
        [
            ("arrivals", "ect0", "data", 1, 200),
            ("arrivals", "ect1", "data", 1, 300),
            ("departures", "ce", "data", 1, 300),
            ("marks", "ect1", "data", 1, 300),
            ("early", "ect0", "data", 1, 200),
        ]
    );
    assert_eq!(window.of(Event::Arrival).of_class(PacketClass::Data).bytes, 500);
    assert_eq!(window.of(Event::Arrival).of_codepoint(Codepoint::Ect1).bytes, 300);
    assert_eq!(window.all_discards().total().packets, 1);
}

#[test]
#[should_panic(expected = "counts never decrease")]
fn a_window_that_ends_before_it_starts_is_a_bug() {
    let mut bench = Bench::new(Script::default(), 9, true);
    let before = bench.port.counters().clone();
    bench.arrive(1, 100, Codepoint::Ect0);
    let _ = before.minus(bench.port.counters());
}

/// A packet that does not take marks, and whose length somebody else can change.
struct Faulty {
    bytes: Rc<Cell<u32>>,
}

impl Queued for Faulty {
    fn facts(&self) -> PacketFacts {
        TestPacket::data(1, self.bytes.get(), Codepoint::Ect0).facts
    }

    fn mark(&mut self) {}
}

#[test]
fn the_balance_notices_packets_that_change_while_they_wait() {
    let bytes = Rc::new(Cell::new(100));
    let coins = Key::from_seed(1).stream();
    let mut port = Port::with_scheme(Box::new(Script::default()), Limit::of_packets(9), true, coins);
    port.arrive(Time::ZERO, Faulty { bytes: Rc::clone(&bytes) }, &mut |_, _| {});
    assert_eq!(port.check_conservation(), Ok(()));
    bytes.set(101);
    assert_eq!(port.check_conservation(), Err(ConservationError::Bytes { kept: 100, waiting: 101 }));
}

#[test]
fn the_balance_notices_packets_that_do_not_take_their_mark() {
    let bytes = Rc::new(Cell::new(100));
    let coins = Key::from_seed(1).stream();
    let script = Box::new(Script::arrivals([SIGNAL]));
    let mut port = Port::with_scheme(script, Limit::of_packets(9), true, coins);
    port.arrive(Time::ZERO, Faulty { bytes }, &mut |_, _| {});
    let error = port.check_conservation();
    let unbalanced = matches!(error, Err(ConservationError::Unbalanced { codepoint: Codepoint::Ect0, .. }));
    assert!(unbalanced, "{error:?}");
}

#[test]
fn a_steady_queue_keeps_its_order() {
    let mut bench = Bench::new(Script::default(), 50, true);
    (0..40).for_each(|id| bench.arrive(id, 1, Codepoint::NotEct));
    for id in 40..10_000 {
        assert_eq!(bench.depart(id).map(|packet| packet.id), Some(id - 40));
        bench.arrive(id, 1, Codepoint::NotEct);
    }
    assert_eq!((bench.port.packets(), bench.port.bytes()), (40, 40));
}

/// A scheme that says more than it does: it lists its threshold, and does not go on under another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Stubborn {
    limit_packets: u32,
    threshold_packets: u32,
}

impl Default for Stubborn {
    fn default() -> Self {
        Self { limit_packets: 9, threshold_packets: 5 }
    }
}

impl Parameters for Stubborn {
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit::of_packets(self.limit_packets)
    }

    fn ecn(&self) -> bool {
        false
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "threshold_packets"]
    }

    fn build(&self, _: &PortFacts) -> Discipline {
        Discipline::fifo(DropAll)
    }
}

/// Nothing passes, and [`Aqm::continue_from`] is what it is where nobody writes one.
#[derive(Clone)]
struct DropAll;

impl Aqm for DropAll {
    fn on_arrival(&mut self, _: Time, _: &PacketFacts, _: &QueueView<'_>, _: &mut Stream) -> Verdict {
        Verdict::Drop(Reason::Early)
    }
}

#[test]
fn a_scheme_that_does_not_continue_refuses_settings_of_its_own_and_not_those_of_the_port() {
    register::<Stubborn>("stubborn").unwrap();
    let facts = PortFacts::new(Rate::from_megabits_per_second(1.0));
    let within = |scheme: &str| -> Scheme { serde_json::from_str(scheme).unwrap() };
    for scheme in [
        within(r#"{ "scheme": "stubborn" }"#),
        within(r#"{ "scheme": "fq", "limit_packets": 9, "inner": { "scheme": "stubborn" } }"#),
    ] {
        let mut port: Port<TestPacket> = Port::new(&scheme, facts, Key::from_seed(1).stream());
        let lower = json!({ "limit_packets": 8 });
        let lower = scheme.adjusted(lower.as_object().unwrap(), &facts).unwrap();
        assert_eq!(port.adjust(Time::ZERO, &lower, &facts), Ok(()));
    }
    let scheme = within(r#"{ "scheme": "stubborn" }"#);
    let mut port: Port<TestPacket> = Port::new(&scheme, facts, Key::from_seed(1).stream());
    let both = json!({ "limit_packets": 8, "threshold_packets": 6 });
    let both = scheme.adjusted(both.as_object().unwrap(), &facts).unwrap();
    let refused = port.adjust(Time::ZERO, &both, &facts).unwrap_err();
    assert_eq!(refused.key(), "threshold_packets");
    assert_eq!(
        refused.to_string(),
        "`threshold_packets` of stubborn cannot be changed during a run: it does not continue from its own state"
    );
}
