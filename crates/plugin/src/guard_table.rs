//! The C functions of a guard, and the guard that calls them; what any guard from outside may answer.
//!
//! `aqmlab_scheme.h` says the same to C compilers. Nothing here allocates or takes a lock while packets pass.
#![allow(unsafe_code)]

use crate::instance::{Instance, Observe, Traits};
use crate::table::NEVER;
use crate::timer_pace::TimerPace;
use crate::verdict::decode;
use aqmlab_aqm::{Admission, Behind, Decision, Guard, HeaderFields, PacketFacts, Reason, Verdict};
use aqmlab_random::Stream;
use aqmlab_units::Time;
use std::ffi::c_void;

/// What a guard says of an arrival, of the number of a verdict: pass, signal, or drop.
///
/// # Errors
/// In words, what is wrong with it.
#[inline]
pub fn admission_of(code: i32) -> Result<Admission, String> {
    if code == 0 {
        return Ok(Admission::Pass);
    }
    match decode(code, &[], 0)? {
        Verdict::Pass => Ok(Admission::Pass),
        Verdict::Signal(Reason::Early) => Ok(Admission::Signal),
        Verdict::Drop(reason) => Ok(Admission::Refuse(reason)),
        _ => Err(format!("{code} is no verdict of a guard; legal: pass, signal early, drop")),
    }
}

/// What became of a packet, in a word: `queued`, `marked` or `sent`, or the reason of a discard.
#[must_use]
pub const fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::Queued => "queued",
        Decision::Marked => "marked",
        Decision::Sent => "sent",
        Decision::Discarded(reason) => reason.name(),
    }
}

/// The number of a decision for C: 0 queued, 1 marked, 2 sent; 16 and the reason's place among reasons for a
/// discard.
const fn number_of(decision: Decision) -> u32 {
    match decision {
        Decision::Queued => 0,
        Decision::Marked => 1,
        Decision::Sent => 2,
        Decision::Discarded(reason) => 16 + reason as u32,
    }
}

/// What a function is told about a packet, the queues behind and the random stream. Valid while it runs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct GuardCall {
    now_ns: u64,
    flow: u64,
    /// What waits behind, in all queues together.
    queue_bytes: u64,
    /// The stream: its key, and the number of the next draw, which the function counts on.
    coins_key: u64,
    coins_next: u64,
    queue_packets: u32,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    /// Of the header of an arrival.
    flow_hash: u32,
    dscp: u32,
    source: u32,
    destination: u32,
    /// What became of the packet, of `on_decision`.
    decision: u32,
    behind: *const c_void,
    signal_probability: extern "C" fn(*const c_void) -> f64,
}

/// The probability with which the schemes behind signal now.
extern "C" fn signal_probability(behind: *const c_void) -> f64 {
    // SAFETY: a function asks with the pointer of its call, which is null or lives while it runs.
    let behind = unsafe { behind.cast::<Behind<'_>>().as_ref() };
    behind.map_or(0.0, |behind| behind.signal_probability().value())
}

impl GuardCall {
    const fn empty() -> Self {
        Self {
            now_ns: 0,
            flow: 0,
            queue_bytes: 0,
            coins_key: 0,
            coins_next: 0,
            queue_packets: 0,
            bytes: 0,
            codepoint: 0,
            packet_class: 0,
            flow_hash: 0,
            dscp: 0,
            source: 0,
            destination: 0,
            decision: 0,
            behind: std::ptr::null(),
            signal_probability,
        }
    }

    #[inline(always)]
    fn set_packet(&mut self, now: Time, packet: &PacketFacts) {
        self.now_ns = now.nanoseconds();
        self.flow = packet.flow;
        self.bytes = packet.bytes;
        self.codepoint = packet.codepoint as u32;
        self.packet_class = packet.class as u32;
    }

    #[inline(always)]
    fn show(&mut self, behind: &Behind<'_>) {
        self.queue_packets = behind.packets;
        self.queue_bytes = behind.bytes;
        self.behind = std::ptr::from_ref(behind).cast();
    }
}

/// The functions of a guard, each of which is given its state. `admits` has to be there.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct GuardTable {
    /// Whether an arrival goes on: see [`admission_of`].
    pub admits: Option<unsafe extern "C" fn(state: *mut c_void, call: *mut GuardCall) -> i32>,
    /// What became of a packet that it has let through.
    pub on_decision: Option<unsafe extern "C" fn(state: *mut c_void, call: *const GuardCall)>,
    /// When the timer is due next; [`NEVER`] without one.
    pub next_timer: Option<unsafe extern "C" fn(state: *const c_void) -> u64>,
    /// The timer is due, at `now_ns` of the call.
    pub on_timer: Option<unsafe extern "C" fn(state: *mut c_void, call: *const GuardCall)>,
    /// Writes the values of what the guard reports of itself.
    pub observe: Option<Observe>,
}

/// A guard of C functions at a port.
#[derive(Clone)]
pub struct TableGuard {
    functions: GuardTable,
    call: GuardCall,
    instance: Instance,
    pace: TimerPace,
}

// SAFETY: the state belongs to this guard alone, and the pointer in the call is used only while a function
// runs.
unsafe impl Send for TableGuard {}

impl TableGuard {
    /// A guard whose state begins as these words.
    ///
    /// # Safety
    /// The functions must be what the table says they are, must stay in memory, and must keep to the state's
    /// length.
    #[must_use]
    pub unsafe fn new(functions: GuardTable, state: Vec<u128>, traits: Traits) -> Self {
        Self {
            functions,
            call: GuardCall::empty(),
            instance: Instance::new(state, traits),
            pace: TimerPace::default(),
        }
    }
}

impl Guard for TableGuard {
    fn admits(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission {
        let Some(admits) = self.functions.admits else { return Admission::Pass };
        self.call.set_packet(now, packet);
        self.call.show(behind);
        self.call.flow_hash = header.flow_hash;
        self.call.dscp = header.dscp.into();
        (self.call.source, self.call.destination) = (header.source, header.destination);
        let drawn = coins.drawn();
        (self.call.coins_key, self.call.coins_next) = (coins.key_number(), drawn);
        // SAFETY: `TableGuard::new` was promised that this is such a function, and the state is its own.
        let code = unsafe { admits(self.instance.state_mut(), &raw mut self.call) };
        self.call.behind = std::ptr::null();
        if self.call.coins_next < drawn {
            self.instance.fail("the random stream was set back");
        }
        coins.pass_to(self.call.coins_next);
        admission_of(code).unwrap_or_else(|wrong| self.instance.fail(&wrong))
    }

    fn on_decision(&mut self, now: Time, packet: &PacketFacts, decision: Decision) {
        let Some(on_decision) = self.functions.on_decision else { return };
        self.call.set_packet(now, packet);
        self.call.decision = number_of(decision);
        // SAFETY: as in `admits`.
        unsafe { on_decision(self.instance.state_mut(), &raw const self.call) };
    }

    fn hears_of_all(&self) -> bool {
        self.functions.on_decision.is_some()
    }

    fn next_timer(&self) -> Option<Time> {
        let next_timer = self.functions.next_timer?;
        // SAFETY: as in `admits`.
        let due = unsafe { next_timer(self.instance.state()) };
        (due != NEVER).then(|| Time::from_nanoseconds(due))
    }

    fn on_timer(&mut self, due: Time, behind: &Behind<'_>) {
        if let Some(on_timer) = self.functions.on_timer {
            self.call.now_ns = due.nanoseconds();
            self.call.show(behind);
            // SAFETY: as in `admits`.
            unsafe { on_timer(self.instance.state_mut(), &raw const self.call) };
            self.call.behind = std::ptr::null();
        }
        let next = self.next_timer();
        self.pace.count(due, next).unwrap_or_else(|wrong| self.instance.fail(&wrong));
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        // SAFETY: as in `admits`; it writes as many values as it has names.
        unsafe { self.instance.observe(self.functions.observe, sink) };
    }
}
