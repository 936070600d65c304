//! Schemes, schedulers and guards of C functions, which are written in Rust here: all that the tables, the
//! callbacks and the state hand back and forth, at a port. `make miri` runs this under Miri, which no library
//! from a compiler can be.
//!
//! The calls are laid out a second time, as `aqmlab_scheme.h` has them.
#![allow(
    unsafe_code,
    clippy::missing_transmute_annotations,
    reason = "functions as a C compiler would make them"
)]

use aqmlab_aqm::conformance::TestPacket;
use aqmlab_aqm::parts::Limit;
use aqmlab_aqm::{
    Aqm, Codepoint, Discipline, Guard, HeaderFields, PacketClass, PacketFacts, Port, QueueLimit, Queued,
    Reason, Scheduled, Scheduler,
};
use aqmlab_plugin::{
    FunctionTable, GuardTable, NEVER, SchedulerTable, TableGuard, TableScheduler, TableScheme, Traits,
};
use aqmlab_random::Key;
use aqmlab_units::Time;
use std::ffi::c_void;
use std::mem::{offset_of, transmute};

const MILLISECOND: u64 = 1_000_000;

fn at(milliseconds: u64) -> Time {
    Time::from_nanoseconds(milliseconds * MILLISECOND)
}

/// `aqmlab_packet`.
#[derive(Default)]
#[repr(C)]
struct CPacket {
    arrived_ns: u64,
    flow: u64,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
}

/// `aqmlab_call`.
#[repr(C)]
struct CCall {
    now_ns: u64,
    arrived_ns: u64,
    flow: u64,
    queue_bytes: u64,
    coins_key: u64,
    coins_next: u64,
    queue_packets: u32,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    has_room: u32,
    evicted: u32,
    positions: [u32; 16],
    queue: *const c_void,
    waiting: extern "C" fn(*const c_void, u32, *mut CPacket) -> i32,
}

impl CCall {
    fn packet(&self, position: u32) -> Option<CPacket> {
        let mut packet = CPacket::default();
        let found = (self.waiting)(self.queue, position, &raw mut packet);
        (found == 1).then_some(packet)
    }
}

/// `aqmlab_turn`.
#[repr(C)]
struct CTurn {
    now_ns: u64,
    arrived_ns: u64,
    flow: u64,
    at_ns: u64,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    flow_hash: u32,
    dscp: u32,
    source: u32,
    destination: u32,
    queue: u32,
    queue_count: u32,
    waiting: u32,
    victim_from_head: u32,
    victim_packets: u32,
    queues: *const c_void,
    packets: extern "C" fn(*const c_void, u32) -> u32,
    queued_bytes: extern "C" fn(*const c_void, u32) -> u64,
    head: extern "C" fn(*const c_void, u32, *mut CPacket) -> i32,
}

/// `aqmlab_arrival`.
#[repr(C)]
struct CArrival {
    now_ns: u64,
    flow: u64,
    queue_bytes: u64,
    coins_key: u64,
    coins_next: u64,
    queue_packets: u32,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    flow_hash: u32,
    dscp: u32,
    source: u32,
    destination: u32,
    decision: u32,
    behind: *const c_void,
    signal_probability: extern "C" fn(*const c_void) -> f64,
}

/// The state of each of them here: counts, and an instant.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct State {
    first: u64,
    second: u64,
    third: u64,
    due_ns: u64,
}

unsafe fn state<'a>(state: *mut c_void) -> &'a mut State {
    unsafe { &mut *state.cast::<State>() }
}

unsafe extern "C" fn observe(state: *const c_void, values: *mut f64) {
    let State { first, second, third, .. } = unsafe { *state.cast::<State>() };
    for (place, value) in [first, second, third].into_iter().enumerate() {
        unsafe { values.add(place).write(value as f64) };
    }
}

unsafe extern "C" fn next_timer(state: *const c_void) -> u64 {
    unsafe { (*state.cast::<State>()).due_ns }
}

fn traits() -> Traits {
    Traits {
        name: "of functions".to_owned(),
        needs_arrival_instants: true,
        evicts: true,
        observed: vec!["first", "second", "third"],
    }
}

fn words(initial: State) -> Vec<u128> {
    let word = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    vec![word(initial.first, initial.second), word(initial.third, initial.due_ns)]
}

fn observed(observe: impl Fn(&mut dyn FnMut(&'static str, f64))) -> Vec<f64> {
    let mut values = Vec::new();
    observe(&mut |_, value| values.push(value));
    values
}

fn packet(id: u64, bytes: u32) -> TestPacket {
    TestPacket::data(id, bytes, Codepoint::NotEct)
}

/// Discards the head where four packets would wait, and counts the bytes that it has seen there.
unsafe extern "C" fn on_arrival(own: *mut c_void, call: *mut CCall) -> i32 {
    let (own, call) = unsafe { (state(own), &mut *call) };
    let seen: Vec<CPacket> = (0..call.queue_packets).filter_map(|place| call.packet(place)).collect();
    assert_eq!(seen.iter().map(|packet| u64::from(packet.bytes)).sum::<u64>(), call.queue_bytes);
    assert!(seen.windows(2).all(|pair| pair[0].arrived_ns < pair[1].arrived_ns));
    assert!(call.packet(call.queue_packets).is_none(), "nothing waits there");
    assert_eq!((call.waiting)(call.queue, 0, std::ptr::null_mut()), 0);
    call.coins_next += 1;
    own.first += call.queue_bytes;
    if seen.len() < 3 {
        return 0;
    }
    (call.evicted, call.positions[0]) = (1, 0);
    0x31
}

/// Counts the milliseconds that packets have waited.
unsafe extern "C" fn on_departure(own: *mut c_void, call: *mut CCall) -> i32 {
    let (own, call) = unsafe { (state(own), &*call) };
    own.second += (call.now_ns - call.arrived_ns) / MILLISECOND;
    0
}

unsafe extern "C" fn on_overflow(own: *mut c_void, call: *const CCall) {
    let (own, call) = unsafe { (state(own), &*call) };
    assert!(call.packet(0).is_none(), "no queue is shown");
    own.third += u64::from(call.bytes);
}

/// Every 10 ms.
unsafe extern "C" fn on_timer(own: *mut c_void, call: *const CCall) {
    let (own, call) = unsafe { (state(own), &*call) };
    assert_eq!(call.packet(0).is_some(), call.queue_packets > 0);
    own.due_ns = call.now_ns + 10 * MILLISECOND;
    own.third += 1_000;
}

unsafe extern "C" fn probability(state: *const c_void) -> f64 {
    unsafe { (*state.cast::<State>()).third as f64 / 10_000.0 }
}

fn scheme() -> TableScheme {
    type Decides = unsafe extern "C" fn(*mut c_void, *mut CCall) -> i32;
    type Hears = unsafe extern "C" fn(*mut c_void, *const CCall);
    // SAFETY: the types differ in the name of the call alone.
    let functions = unsafe {
        FunctionTable {
            on_arrival: Some(transmute::<Decides, aqmlab_plugin::Decide>(on_arrival)),
            on_departure: Some(transmute::<Decides, aqmlab_plugin::Decide>(on_departure)),
            on_overflow: Some(transmute::<Hears, _>(on_overflow)),
            on_timer: Some(transmute::<Hears, _>(on_timer)),
            next_timer: Some(next_timer),
            signal_probability: Some(probability),
            observe: Some(observe),
            ..FunctionTable::default()
        }
    };
    let initial = State { due_ns: 10 * MILLISECOND, ..State::default() };
    let bytes: Vec<u8> = words(initial).iter().flat_map(|word| word.to_le_bytes()).collect();
    // SAFETY: the functions are of this state.
    unsafe { TableScheme::new(functions, &bytes, traits()) }
}

#[test]
fn a_scheme_of_functions_sees_the_queue_and_discards_from_it() {
    let (_, fields) = aqmlab_plugin::Call::FIELDS;
    assert_eq!(fields[12], ("positions", offset_of!(CCall, positions), "(16,)u4"));
    let mut port =
        Port::with_scheme(Box::new(scheme()), Limit::of_packets(4), true, Key::from_seed(1).stream());
    let mut lost = Vec::new();
    for id in 1..=4 {
        port.arrive(at(id), packet(id, 100 * id as u32), &mut |packet, reason| {
            lost.push((packet.id, reason));
        });
    }
    assert_eq!(lost, [(1, Reason::Early)], "the head made way for the fourth");
    let mut lost = 0;
    // Queued at 2 and 3 ms; the timer was due at 10 ms.
    for (now, id) in [(7, 2), (11, 3)] {
        let sent = port.depart(at(now), &mut |_, _| lost += 1);
        assert_eq!(sent.map(|packet| packet.id), Some(id));
    }
    assert_eq!(lost, 0);
    assert_eq!(port.signal_probability().value(), 0.1);
    // Seen: 100, then 100 + 200, then 600. Waited: 5 and 8 ms. The timer once.
    assert_eq!(observed(|sink| port.observe(sink)), [1_000.0, 13.0, 1_000.0]);
}

#[test]
fn a_scheme_of_functions_hears_of_what_finds_no_room() {
    let mut port =
        Port::with_scheme(Box::new(scheme()), Limit::of_packets(1), true, Key::from_seed(1).stream());
    let mut lost = Vec::new();
    for id in 1..=2 {
        port.arrive(at(id), packet(id, 70), &mut |packet, reason| lost.push((packet.id, reason)));
    }
    assert_eq!(lost, [(2, Reason::Overflow)]);
    assert_eq!(observed(|sink| port.observe(sink))[2], 70.0);
}

/// Packets of one of two queues, by their codepoint of differentiated services.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sorted {
    id: u64,
    bytes: u32,
    dscp: u8,
}

impl Queued for Sorted {
    fn facts(&self) -> PacketFacts {
        PacketFacts {
            flow: self.id,
            bytes: self.bytes,
            codepoint: Codepoint::NotEct,
            class: PacketClass::Data,
        }
    }

    fn mark(&mut self) {}

    fn header_fields(&self) -> HeaderFields {
        HeaderFields { flow_hash: 7, dscp: self.dscp, source: 1, destination: 2 }
    }
}

unsafe extern "C" fn classify(own: *mut c_void, turn: *mut CTurn) -> u32 {
    let (own, turn) = unsafe { (state(own), &*turn) };
    assert_eq!((turn.flow_hash, turn.source, turn.destination, turn.queue_count), (7, 1, 2, 2));
    assert_eq!((turn.packets)(turn.queues, 2), 0, "there is no such queue");
    assert_eq!((turn.head)(turn.queues, 0, std::ptr::null_mut()), 0);
    own.first += u64::from(turn.waiting);
    u32::from(turn.dscp >= 32)
}

/// Strict priority, from 10 ms on.
unsafe extern "C" fn next(_: *mut c_void, turn: *mut CTurn) -> i64 {
    let turn = unsafe { &mut *turn };
    if turn.now_ns < 10 * MILLISECOND {
        turn.at_ns = 10 * MILLISECOND;
        return -1;
    }
    i64::from((turn.packets)(turn.queues, 1) > 0)
}

/// Counts the bytes at the heads and in the queues that a departure leaves behind.
unsafe extern "C" fn on_leaving(own: *mut c_void, turn: *mut CTurn) -> i32 {
    let (own, turn) = unsafe { (state(own), &*turn) };
    let mut packet = CPacket::default();
    for queue in 0..turn.queue_count {
        if (turn.head)(turn.queues, queue, &raw mut packet) == 1 {
            own.second += u64::from(packet.bytes);
        }
        own.third += (turn.queued_bytes)(turn.queues, queue);
    }
    0
}

unsafe extern "C" fn victim(_: *mut c_void, turn: *mut CTurn) -> u32 {
    unsafe { (*turn).victim_from_head = 1 };
    0
}

fn scheduler() -> Box<dyn Scheduler> {
    type Asked<T> = unsafe extern "C" fn(*mut c_void, *mut CTurn) -> T;
    // SAFETY: as in `scheme`.
    let functions = unsafe {
        SchedulerTable {
            classify: Some(transmute::<Asked<u32>, _>(classify)),
            next: Some(transmute::<Asked<i64>, _>(next)),
            on_departure: Some(transmute::<Asked<i32>, _>(on_leaving)),
            victim: Some(transmute::<Asked<u32>, _>(victim)),
            observe: Some(observe),
            ..SchedulerTable::default()
        }
    };
    // SAFETY: the functions are of this state.
    Box::new(unsafe { TableScheduler::new(functions, words(State::default()), traits()) })
}

fn plain() -> Box<dyn Aqm> {
    // SAFETY: there are no functions.
    Box::new(unsafe { TableScheme::new(FunctionTable::default(), &[], Traits::default()) })
}

#[test]
fn a_scheduler_of_functions_sorts_holds_back_and_makes_room() {
    let queues = Scheduled::queues(scheduler(), vec![plain(), plain()]);
    let coins = Key::from_seed(1).stream();
    let mut port = Port::with_discipline(Discipline::Scheduled(queues), Limit::of_packets(3), false, coins);
    let mut lost = Vec::new();
    for (id, dscp) in [(1, 0), (2, 0), (3, 46), (4, 0)] {
        let packet = Sorted { id, bytes: 100 * id as u32, dscp };
        port.arrive(at(id), packet, &mut |packet, reason| lost.push((packet.id, reason)));
    }
    assert_eq!(lost, [(1, Reason::Overflow)], "the head of queue 0");
    assert_eq!(port.depart(at(5), &mut |_, _| {}), None);
    assert_eq!(port.opens(), Some(at(10)));
    let sent = [10, 11, 12, 13].map(|now| port.depart(at(now), &mut |_, _| {}).map(|packet| packet.id));
    assert_eq!(sent, [Some(3), Some(2), Some(4), None]);
    // Waiting at arrivals: 0, 1, 2 and 3. Left behind: heads of 200 and 400, in queues of 600 and 400.
    assert_eq!(observed(|sink| port.observe(sink)), [6.0, 600.0, 1_000.0]);
}

/// Refuses where two wait behind it, or where what is behind signals.
unsafe extern "C" fn admits(own: *mut c_void, arrival: *mut CArrival) -> i32 {
    let (own, arrival) = unsafe { (state(own), &mut *arrival) };
    assert_eq!((arrival.flow_hash, arrival.dscp), (7, 0));
    arrival.coins_next += 2;
    own.first += u64::from(arrival.queue_packets);
    let signals = (arrival.signal_probability)(arrival.behind) > 0.0;
    if arrival.queue_packets >= 2 || signals { 0x24 } else { 0 }
}

unsafe extern "C" fn on_decision(own: *mut c_void, arrival: *const CArrival) {
    let (own, arrival) = unsafe { (state(own), &*arrival) };
    own.second += 1;
    own.third += u64::from(arrival.decision);
}

unsafe extern "C" fn on_guards_timer(own: *mut c_void, arrival: *const CArrival) {
    let (own, arrival) = unsafe { (state(own), &*arrival) };
    own.first += 1_000 + u64::from(arrival.queue_packets);
    own.due_ns = NEVER;
}

fn guard() -> Box<dyn Guard> {
    type Admits = unsafe extern "C" fn(*mut c_void, *mut CArrival) -> i32;
    type Hears = unsafe extern "C" fn(*mut c_void, *const CArrival);
    // SAFETY: as in `scheme`.
    let functions = unsafe {
        GuardTable {
            admits: Some(transmute::<Admits, _>(admits)),
            on_decision: Some(transmute::<Hears, _>(on_decision)),
            on_timer: Some(transmute::<Hears, _>(on_guards_timer)),
            next_timer: Some(next_timer),
            observe: Some(observe),
        }
    };
    let initial = State { due_ns: 10 * MILLISECOND, ..State::default() };
    // SAFETY: the functions are of this state.
    Box::new(unsafe { TableGuard::new(functions, words(initial), traits()) })
}

#[test]
fn a_guard_of_functions_refuses_and_hears_of_what_it_let_through() {
    let queue = Scheduled::guarded_queue(guard(), plain(), QueueLimit::OfPort);
    let coins = Key::from_seed(1).stream();
    let mut port = Port::with_discipline(Discipline::Scheduled(queue), Limit::of_packets(9), false, coins);
    let mut lost = Vec::new();
    for id in 1..=3 {
        let packet = Sorted { id, bytes: 100, dscp: 0 };
        port.arrive(at(id), packet, &mut |packet, reason| lost.push((packet.id, reason)));
    }
    assert_eq!(lost, [(3, Reason::Filter)]);
    assert_eq!(port.depart(at(11), &mut |_, _| {}).map(|packet| packet.id), Some(1));
    // Waiting at arrivals: 0, 1 and 2; and 2 when the timer was due. Decisions: two queued (0), one sent (2).
    assert_eq!(observed(|sink| port.observe(sink)), [1_005.0, 3.0, 2.0]);
}
