//! The C functions of a scheme, and the scheme that calls them.
//!
//! The one layout for whatever compiles to C functions: Numba, C, a Rust `cdylib`. `aqmlab_scheme.h` says the
//! same to C compilers, and [`Call::FIELDS`] to others. Nothing here allocates or takes a lock while packets
//! pass.
#![allow(unsafe_code)]

use crate::instance::{Instance, Observe, Traits};
use crate::timer_pace::TimerPace;
use crate::verdict::{MOST_EVICTED, as_said, decode};
use aqmlab_aqm::{Aqm, Departing, PacketFacts, QueueView, Verdict};
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use std::ffi::c_void;
use std::mem::offset_of;

/// An instant that is none.
pub const NEVER: u64 = u64::MAX;

/// What a function is told about a packet, the queue and the random stream, and where it answers. Valid while
/// it runs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Call {
    now_ns: u64,
    /// When a departing packet was queued, if the scheme asked for it; otherwise [`NEVER`].
    arrived_ns: u64,
    flow: u64,
    queue_bytes: u64,
    /// The stream: its key, and the number of the next draw, which the function counts on.
    coins_key: u64,
    coins_next: u64,
    queue_packets: u32,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    /// Whether the queue has room for the packet.
    has_room: u32,
    /// How many of `positions` the verdict discards.
    evicted: u32,
    positions: [u32; MOST_EVICTED],
    /// The waiting packets, for `waiting`.
    queue: *const c_void,
    waiting: extern "C" fn(*const c_void, u32, *mut Waiting) -> i32,
}

/// A waiting packet, for functions that ask.
#[derive(Debug)]
#[repr(C)]
pub struct Waiting {
    arrived_ns: u64,
    flow: u64,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
}

impl Waiting {
    pub(crate) fn of(facts: &PacketFacts, arrived: Option<Time>) -> Self {
        Self {
            arrived_ns: arrived.map_or(NEVER, Time::nanoseconds),
            flow: facts.flow,
            bytes: facts.bytes,
            codepoint: facts.codepoint as u32,
            packet_class: facts.class as u32,
        }
    }
}

impl Call {
    /// Names, offsets and NumPy types of the fields, with the length of the whole first: for compilers that
    /// do not read C.
    pub const FIELDS: (usize, [(&'static str, usize, &'static str); 13]) = (
        size_of::<Self>(),
        [
            ("now_ns", offset_of!(Self, now_ns), "u8"),
            ("arrived_ns", offset_of!(Self, arrived_ns), "u8"),
            ("flow", offset_of!(Self, flow), "u8"),
            ("queue_bytes", offset_of!(Self, queue_bytes), "u8"),
            ("coins_key", offset_of!(Self, coins_key), "u8"),
            ("coins_next", offset_of!(Self, coins_next), "u8"),
            ("queue_packets", offset_of!(Self, queue_packets), "u4"),
            ("bytes", offset_of!(Self, bytes), "u4"),
            ("codepoint", offset_of!(Self, codepoint), "u4"),
            ("packet_class", offset_of!(Self, packet_class), "u4"),
            ("has_room", offset_of!(Self, has_room), "u4"),
            ("evicted", offset_of!(Self, evicted), "u4"),
            ("positions", offset_of!(Self, positions), "(16,)u4"),
        ],
    );

    const fn empty() -> Self {
        Self {
            now_ns: 0,
            arrived_ns: NEVER,
            flow: 0,
            queue_bytes: 0,
            coins_key: 0,
            coins_next: 0,
            queue_packets: 0,
            bytes: 0,
            codepoint: 0,
            packet_class: 0,
            has_room: 0,
            evicted: 0,
            positions: [0; MOST_EVICTED],
            queue: std::ptr::null(),
            waiting,
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
    fn set_queue(&mut self, queue: &QueueView<'_>, bytes: u32) {
        self.queue_packets = queue.packets();
        self.queue_bytes = queue.bytes();
        self.has_room = queue.has_room_for(bytes).into();
        self.queue = std::ptr::from_ref(queue).cast();
    }
}

/// Answers 1 and fills in the packet at a position of the queue; 0 where there is none.
extern "C" fn waiting(queue: *const c_void, position: u32, packet: *mut Waiting) -> i32 {
    if queue.is_null() || packet.is_null() {
        return 0;
    }
    // SAFETY: `queue` is what `set_queue` put there, which lives while the function runs that was given the
    // call.
    let queue = unsafe { &*queue.cast::<QueueView<'_>>() };
    if position >= queue.packets() {
        return 0;
    }
    let found = Waiting::of(&queue.facts(position), queue.arrived(position));
    // SAFETY: the function that asks owns the place that it names.
    unsafe { packet.write(found) };
    1
}

/// Decides about a packet; see [`decode`].
pub type Decide = unsafe extern "C" fn(state: *mut c_void, call: *mut Call) -> i32;

/// The functions of a scheme, each of which is given its state. What is absent does what [`Aqm`] does by
/// default.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FunctionTable {
    /// A packet arrives.
    pub on_arrival: Option<Decide>,
    /// A packet was taken from the head.
    pub on_departure: Option<Decide>,
    /// A packet found no room.
    pub on_overflow: Option<unsafe extern "C" fn(state: *mut c_void, call: *const Call)>,
    /// Waiting packets were discarded to make room.
    pub on_room_made: Option<unsafe extern "C" fn(state: *mut c_void, now_ns: u64, packets: u32)>,
    /// The link asked for a packet and found none.
    pub on_idle: Option<unsafe extern "C" fn(state: *mut c_void, now_ns: u64)>,
    /// When the timer is due next; [`NEVER`] without one.
    pub next_timer: Option<unsafe extern "C" fn(state: *const c_void) -> u64>,
    /// The timer is due, at `now_ns` of the call.
    pub on_timer: Option<unsafe extern "C" fn(state: *mut c_void, call: *const Call)>,
    /// The probability with which the scheme signals now.
    pub signal_probability: Option<unsafe extern "C" fn(state: *const c_void) -> f64>,
    /// Writes the values of what the scheme reports of itself.
    pub observe: Option<Observe>,
}

/// A scheme of C functions at a port. The state is a block of memory that only they know.
#[derive(Clone)]
pub struct TableScheme {
    functions: FunctionTable,
    call: Call,
    instance: Instance,
    pace: TimerPace,
}

// SAFETY: the state belongs to this scheme alone, and the pointer in the call is used only while a function
// runs.
unsafe impl Send for TableScheme {}

impl TableScheme {
    /// A scheme whose state begins as these bytes.
    ///
    /// # Safety
    /// The functions must be what the table says they are, must stay in memory, and must keep to the state's
    /// length.
    #[must_use]
    pub unsafe fn new(functions: FunctionTable, state: &[u8], traits: Traits) -> Self {
        let mut words = vec![0_u128; state.len().div_ceil(size_of::<u128>()).max(1)];
        // SAFETY: the words are at least as long as the bytes, and any bytes are words.
        unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), words.as_mut_ptr().cast(), state.len()) };
        // SAFETY: promised by the caller.
        unsafe { Self::with_words(functions, words, traits) }
    }

    /// The same of a state that begins as these words.
    ///
    /// # Safety
    /// As of [`TableScheme::new`].
    pub(crate) unsafe fn with_words(functions: FunctionTable, state: Vec<u128>, traits: Traits) -> Self {
        Self {
            functions,
            call: Call::empty(),
            instance: Instance::new(state, traits),
            pace: TimerPace::default(),
        }
    }

    /// Asks a function, with everything but the packet's instants in the call. None: the packet passes, and
    /// nothing is discarded, which is nearly always so and costs no copy of a verdict.
    #[inline(always)]
    fn decide(&mut self, decide: Decide, queue: &QueueView<'_>, coins: &mut Stream) -> Option<Verdict> {
        let drawn = coins.drawn();
        self.call.coins_key = coins.key_number();
        self.call.coins_next = drawn;
        // SAFETY: `TableScheme::new` was promised that this is such a function, and the state is its own.
        let code = unsafe { decide(self.instance.state_mut(), &raw mut self.call) };
        let next = self.call.coins_next;
        if next < drawn {
            self.instance.fail("the random stream was set back");
        }
        coins.pass_to(next);
        let passes = code == 0 && self.call.evicted == 0;
        (!passes).then(|| self.verdict(code, queue.packets()))
    }

    /// What an answer says that is not just to let the packet pass.
    #[cold]
    #[inline(never)]
    fn verdict(&mut self, code: i32, waiting: u32) -> Verdict {
        let count = std::mem::take(&mut self.call.evicted) as usize;
        let Some(positions) = self.call.positions.get(..count) else {
            self.instance.fail(&format!("{count} waiting packets to discard: at most 16"))
        };
        decode(code, positions, waiting).unwrap_or_else(|wrong| self.instance.fail(&wrong))
    }
}

impl Aqm for TableScheme {
    #[inline]
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        let Some(on_arrival) = self.functions.on_arrival else { return Verdict::Pass };
        self.call.set_packet(now, packet);
        self.call.set_queue(queue, packet.bytes);
        let Some(verdict) = self.decide(on_arrival, queue, coins) else { return Verdict::Pass };
        as_said(verdict, self.instance.traits().evicts).unwrap_or_else(|wrong| self.instance.fail(&wrong))
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        let Some(on_departure) = self.functions.on_departure else { return Verdict::Pass };
        self.call.set_packet(now, &packet.facts);
        self.call.set_queue(queue, packet.facts.bytes);
        self.call.arrived_ns = packet.arrived.map_or(NEVER, Time::nanoseconds);
        let verdict = self.decide(on_departure, queue, coins);
        self.call.arrived_ns = NEVER;
        verdict.unwrap_or(Verdict::Pass)
    }

    fn on_overflow(&mut self, now: Time, packet: &PacketFacts) {
        if let Some(on_overflow) = self.functions.on_overflow {
            self.call.set_packet(now, packet);
            self.call.queue = std::ptr::null();
            // SAFETY: as in `decide`.
            unsafe { on_overflow(self.instance.state_mut(), &raw const self.call) };
        }
    }

    fn on_room_made(&mut self, now: Time, packets: u32) {
        if let Some(on_room_made) = self.functions.on_room_made {
            // SAFETY: as in `decide`.
            unsafe { on_room_made(self.instance.state_mut(), now.nanoseconds(), packets) };
        }
    }

    fn on_idle(&mut self, now: Time) {
        if let Some(on_idle) = self.functions.on_idle {
            // SAFETY: as in `decide`.
            unsafe { on_idle(self.instance.state_mut(), now.nanoseconds()) };
        }
    }

    fn next_timer(&self) -> Option<Time> {
        let next_timer = self.functions.next_timer?;
        // SAFETY: as in `decide`.
        let due = unsafe { next_timer(self.instance.state()) };
        (due != NEVER).then(|| Time::from_nanoseconds(due))
    }

    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        if let Some(on_timer) = self.functions.on_timer {
            self.call.now_ns = due.nanoseconds();
            self.call.set_queue(queue, 0);
            // SAFETY: as in `decide`.
            unsafe { on_timer(self.instance.state_mut(), &raw const self.call) };
        }
        let next = self.next_timer();
        self.pace.count(due, next).unwrap_or_else(|wrong| self.instance.fail(&wrong));
    }

    fn signal_probability(&self) -> Probability {
        let Some(signal_probability) = self.functions.signal_probability else { return Probability::ZERO };
        // SAFETY: as in `decide`.
        let value = unsafe { signal_probability(self.instance.state()) };
        if !(0.0..=1.0).contains(&value) {
            self.instance.fail(&format!("the signal probability is {value}, not from 0 to 1"));
        }
        Probability::clamped(value)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        // SAFETY: as in `decide`; it writes as many values as it has names.
        unsafe { self.instance.observe(self.functions.observe, sink) };
    }

    fn watches_arrivals(&self) -> bool {
        self.functions.on_arrival.is_some()
    }

    fn watches_departures(&self) -> bool {
        self.functions.on_departure.is_some()
    }

    fn watches_idleness(&self) -> bool {
        self.functions.on_idle.is_some()
    }

    fn decides_about_waiting(&self) -> bool {
        self.instance.traits().evicts || self.watches_departures()
    }

    fn needs_arrival_instants(&self) -> bool {
        self.instance.traits().needs_arrival_instants
    }
}
