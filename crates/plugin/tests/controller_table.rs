//! A congestion controller of C functions, which are written in Rust here: all that the table, the facts, the
//! answers and the state hand back and forth. `make miri` runs this under Miri, which no library from a
//! compiler can be.
//!
//! Facts and answers are laid out a second time, as `aqmlab_controller.h` has them.
#![allow(
    unsafe_code,
    clippy::missing_transmute_annotations,
    reason = "functions as a C compiler would make them"
)]

use aqmlab_plugin::{ControllerHost, ControllerTable, Fault, TableController, catch};
use aqmlab_random::Key;
use aqmlab_tcp::congestion::own::{Answers, Fact, OwnInstance};
use aqmlab_tcp::congestion::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Opening, Phase, Recovered,
    Sent, Timeout,
};
use aqmlab_units::{Rate, Span, Time};
use std::ffi::c_void;
use std::mem::transmute;

const NEVER: u64 = u64::MAX;

/// `aqmlab_answers`.
#[repr(C)]
struct CAnswers {
    window: f64,
    threshold: f64,
    pacing_bps: f64,
    send_quantum: u32,
    limits_samples: u32,
    coins_key: u64,
    coins_next: u64,
}

/// `aqmlab_opening`.
#[repr(C)]
struct COpening {
    now_ns: u64,
    round_trip_ns: u64,
    active: u32,
    syn_lost: u32,
    reduces_window: u32,
    feedback: u32,
}

/// `aqmlab_sent`.
#[repr(C)]
struct CSent {
    now_ns: u64,
    again: u32,
    in_flight: u32,
    application_limited: u32,
    phase: u32,
}

/// `aqmlab_round_trip`.
#[repr(C)]
struct CRoundTrip {
    now_ns: u64,
    round_trip_ns: u64,
    round_begins: u32,
}

/// `aqmlab_delivery_rate`.
#[repr(C)]
struct CDeliveryRate {
    interval_ns: u64,
    segments: u32,
    application_limited: u32,
    in_flight: u32,
    lost_since: u32,
}

/// `aqmlab_acknowledged`.
#[repr(C)]
struct CAcknowledged {
    now_ns: u64,
    delivered_ever: u64,
    round_trip_ns: u64,
    delivery_rate: CDeliveryRate,
    delivered: u32,
    marked: u32,
    lost: u32,
    in_flight: u32,
    advanced: u32,
    may_grow: u32,
    window_unused: u32,
    window_full: u32,
    round_begins: u32,
    phase: u32,
}

/// `aqmlab_lost_segment`.
#[repr(C)]
struct CLostSegment {
    now_ns: u64,
    delivered_ever: u64,
    place: u64,
    in_flight: u32,
    lost_since: u32,
    application_limited: u32,
}

/// `aqmlab_loss`.
#[repr(C)]
struct CLoss {
    now_ns: u64,
    in_flight: u32,
    reduced: u32,
    repaired: u32,
}

/// `aqmlab_timeout`.
#[repr(C)]
struct CTimeout {
    now_ns: u64,
    in_flight: u32,
    repeated: u32,
}

/// `aqmlab_marks`.
#[repr(C)]
struct CMarks {
    now_ns: u64,
    marked: u32,
}

/// What the functions here remember: facts that were told, and the sum of what they said.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct State {
    told: u64,
    sum: u64,
}

/// Counts a fact with its numbers; the answers say how many there were and what they sum up to.
unsafe fn count(own: *mut c_void, answers: *mut CAnswers, numbers: &[u64]) {
    // SAFETY: these are the state and the answers of a controller below.
    let (own, answers) = unsafe { (&mut *own.cast::<State>(), &mut *answers) };
    own.told += 1;
    own.sum += numbers.iter().sum::<u64>();
    answers.window = own.told as f64 + 0.5;
    answers.threshold = 2.0 + own.sum as f64;
}

unsafe extern "C" fn on_established(own: *mut c_void, told: *const COpening, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    assert_eq!((told.now_ns, told.round_trip_ns, told.feedback), (1, NEVER, 2));
    let flags = [told.active, told.syn_lost, told.reduces_window].map(u64::from);
    unsafe { count(own, answers, &flags) };
}

unsafe extern "C" fn on_sent(own: *mut c_void, told: *const CSent, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    let numbers = [told.again, told.in_flight, told.application_limited, told.phase].map(u64::from);
    unsafe { count(own, answers, &[told.now_ns]) };
    unsafe { count(own, answers, &numbers) };
}

unsafe extern "C" fn on_round_trip(own: *mut c_void, told: *const CRoundTrip, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    unsafe { count(own, answers, &[told.now_ns, told.round_trip_ns, told.round_begins.into()]) };
}

/// Draws a number as well.
unsafe extern "C" fn on_acknowledged(own: *mut c_void, told: *const CAcknowledged, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    let rate = &told.delivery_rate;
    let numbers = [told.now_ns, told.delivered_ever, told.round_trip_ns, rate.interval_ns];
    let of_rate = [rate.segments, rate.application_limited, rate.in_flight, rate.lost_since];
    let counts = [told.delivered, told.marked, told.lost, told.in_flight, told.phase];
    let flags = [told.advanced, told.may_grow, told.window_unused, told.window_full, told.round_begins];
    unsafe { count(own, answers, &numbers) };
    for some in [&of_rate[..], &counts, &flags] {
        let some: Vec<u64> = some.iter().copied().map(u64::from).collect();
        unsafe { count(own, answers, &some) };
    }
    unsafe { (*answers).coins_next += 1 };
}

unsafe extern "C" fn on_lost(own: *mut c_void, told: *const CLostSegment, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    let rest = [told.in_flight, told.lost_since, told.application_limited].map(u64::from);
    unsafe { count(own, answers, &[told.now_ns, told.delivered_ever, told.place]) };
    unsafe { count(own, answers, &rest) };
}

/// Answers with a pace.
unsafe extern "C" fn on_loss(own: *mut c_void, told: *const CLoss, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    let rest = [told.in_flight, told.reduced, told.repaired].map(u64::from);
    unsafe { count(own, answers, &[told.now_ns]) };
    unsafe { count(own, answers, &rest) };
    unsafe { ((*answers).pacing_bps, (*answers).send_quantum) = (5e6, 3) };
}

unsafe extern "C" fn on_timeout(own: *mut c_void, told: *const CTimeout, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    unsafe { count(own, answers, &[told.now_ns, told.in_flight.into(), told.repeated.into()]) };
}

unsafe extern "C" fn on_marks(own: *mut c_void, told: *const CMarks, answers: *mut CAnswers) {
    let told = unsafe { &*told };
    unsafe { count(own, answers, &[told.now_ns, told.marked.into()]) };
}

unsafe extern "C" fn on_number(own: *mut c_void, number: u32, answers: *mut CAnswers) {
    unsafe { count(own, answers, &[number.into()]) };
}

/// No window.
unsafe extern "C" fn on_wrong_number(_: *mut c_void, _: u32, answers: *mut CAnswers) {
    unsafe { (*answers).window = f64::NAN };
}

/// Sets the random stream back.
unsafe extern "C" fn on_drawn_again(_: *mut c_void, _: u32, answers: *mut CAnswers) {
    unsafe { ((*answers).coins_key, (*answers).coins_next) = (7, 0) };
}

/// A function of this file as one of a table: the types differ in the names of fact and answers alone.
macro_rules! entry {
    ($fact:ty, $function:ident) => {{
        type Own = unsafe extern "C" fn(*mut c_void, *const $fact, *mut CAnswers);
        // SAFETY: the layouts are the same.
        Some(unsafe { transmute::<Own, _>($function) })
    }};
}

fn number(function: unsafe extern "C" fn(*mut c_void, u32, *mut CAnswers)) -> aqmlab_plugin::ToldNumber {
    // SAFETY: the layouts are the same.
    unsafe { transmute(function) }
}

fn table() -> ControllerTable {
    ControllerTable {
        on_established: entry!(COpening, on_established),
        on_sent: entry!(CSent, on_sent),
        on_round_trip: entry!(CRoundTrip, on_round_trip),
        on_acknowledged: entry!(CAcknowledged, on_acknowledged),
        on_lost: entry!(CLostSegment, on_lost),
        on_loss: entry!(CLoss, on_loss),
        on_timeout: entry!(CTimeout, on_timeout),
        on_marks: entry!(CMarks, on_marks),
        on_recovered: Some(number(on_number)),
        on_idle: Some(number(on_number)),
        on_unused: None,
    }
}

fn controller(table: ControllerTable) -> TableController {
    let host = ControllerHost { initial_window: 10, packet_bytes: 1_500, pacing: false };
    // SAFETY: the functions are of this state.
    unsafe { TableController::new(table, &[0; size_of::<State>()], "of functions", &host) }
}

const NOW: Time = Time::from_nanoseconds(1);

fn opening() -> Opening {
    Opening {
        now: NOW,
        round_trip: None,
        active: true,
        syn_lost: true,
        reduces_window: true,
        feedback: Feedback::Accurate,
    }
}

fn acknowledged() -> Acknowledged {
    let rate = DeliveryRate {
        segments: 5,
        interval: Span::from_nanoseconds(6),
        application_limited: true,
        in_flight: 7,
        lost_since: 8,
    };
    Acknowledged {
        now: NOW,
        delivered: 2,
        delivered_ever: 3,
        marked: 1,
        lost: 9,
        in_flight: 4,
        advanced: true,
        may_grow: true,
        round_trip: Some(Span::from_nanoseconds(10)),
        delivery_rate: Some(rate),
        window_unused: true,
        window_full: true,
        round_begins: true,
        phase: Phase::Recovery,
    }
}

/// Windows and thresholds after a fact.
fn levels(told: Option<Answers>) -> Option<(u32, u32)> {
    told.map(|answers| (answers.window, answers.slow_start_threshold))
}

#[test]
fn every_fact_reaches_its_function_with_all_its_numbers() {
    let mut own = controller(table());
    assert_eq!(levels(own.tell(&Fact::Established(&opening()))), Some((1, 2 + 3)));
    let sent = Sent { now: NOW, again: true, in_flight: 20, application_limited: true, phase: Phase::Loss };
    assert_eq!(levels(own.tell(&Fact::Sent(&sent))), Some((3, 5 + 1 + 1 + 20 + 1 + 3)));
    let measured = Measured { now: NOW, round_trip: Span::from_nanoseconds(40), round_begins: true };
    assert_eq!(levels(own.tell(&Fact::RoundTrip(&measured))), Some((4, 31 + 42)));
    // 1 + 3 + 10 + 6, then 5 + 1 + 7 + 8, then 2 + 1 + 9 + 4 + 2, then five flags.
    assert_eq!(levels(own.tell(&Fact::Acknowledged(&acknowledged()))), Some((8, 73 + 20 + 21 + 18 + 5)));
    let lost = LostSegment {
        now: NOW,
        delivered_ever: 2,
        place: 3,
        in_flight: 4,
        lost_since: 5,
        application_limited: false,
    };
    assert_eq!(levels(own.tell(&Fact::Lost(&lost))), Some((10, 137 + 6 + 9)));
    let loss = Loss { now: NOW, in_flight: 30, reduced: true, repaired: true };
    let answers = own.tell(&Fact::Loss(&loss));
    assert_eq!(levels(answers), Some((12, 152 + 33)));
    assert_eq!(answers.and_then(|answers| answers.pacing_rate), Some(Rate::from_bits_per_second(5_000_000)));
    assert_eq!(answers.map(|answers| (answers.send_quantum, answers.limits_samples)), Some((3, false)));
    let timeout = Timeout { now: NOW, in_flight: 2, repeated: true };
    assert_eq!(levels(own.tell(&Fact::Timeout(&timeout))), Some((13, 185 + 4)));
    assert_eq!(levels(own.tell(&Fact::Marks(&Marks { now: NOW, marked: 6 }))), Some((14, 189 + 7)));
    assert_eq!(levels(own.tell(&Fact::Recovered(Recovered::AfterTimeout))), Some((15, 196 + 2)));
    assert_eq!(levels(own.tell(&Fact::Idle(50))), Some((16, 198 + 50)));
    assert_eq!(own.tell(&Fact::Unused(60)), None, "it has no such function");
    assert_eq!(own.answers().window, 16.5, "the answers stay");
}

unsafe extern "C" fn on_silence(_: *mut c_void, told: *const CAcknowledged, answers: *mut CAnswers) {
    let (told, answers) = unsafe { (&*told, &mut *answers) };
    let rate = &told.delivery_rate;
    assert_eq!((told.round_trip_ns, rate.interval_ns, rate.segments), (NEVER, 0, 0));
    answers.window = 33.0;
}

#[test]
fn a_time_or_rate_that_is_absent_is_told_so() {
    let silent = Acknowledged { round_trip: None, delivery_rate: None, ..acknowledged() };
    let mut without = controller(ControllerTable { on_acknowledged: None, ..table() });
    assert_eq!(without.tell(&Fact::Acknowledged(&silent)), None);
    let mut own =
        controller(ControllerTable { on_acknowledged: entry!(CAcknowledged, on_silence), ..table() });
    assert_eq!(own.tell(&Fact::Acknowledged(&silent)).map(|answers| answers.window), Some(33));
}

#[test]
fn a_copy_has_the_bytes_of_the_state_and_goes_on_by_itself() {
    let mut own = controller(table());
    own.draw_from(Key::from_seed(3));
    own.tell(&Fact::Acknowledged(&acknowledged()));
    let mut copy = own.copied();
    let (ours, theirs) = (own.tell(&Fact::Idle(1)), copy.tell(&Fact::Idle(1)));
    assert_eq!(ours, theirs);
    own.tell(&Fact::Idle(7));
    assert_eq!(levels(copy.tell(&Fact::Idle(2))), Some((6, 2 + 64 + 1 + 2)));
}

#[test]
fn what_is_not_legal_ends_the_run_and_names_the_function() {
    let message = |function, fact: Fact<'_>| {
        let table = ControllerTable { on_idle: Some(number(function)), ..table() };
        let mut own = controller(table);
        own.tell(&Fact::Acknowledged(&acknowledged()));
        catch(|| own.tell(&fact)).map_err(|fault: Fault| fault.to_string())
    };
    let wrong = message(on_wrong_number, Fact::Idle(1));
    let legal = "legal: a number of segments, 1 to 1e9";
    assert_eq!(wrong, Err(format!("of functions, after on_idle: window is NaN; {legal}")));
    let wrong = message(on_drawn_again, Fact::Idle(1));
    assert_eq!(wrong, Err("of functions, after on_idle: the random stream was set back".to_owned()));
}
