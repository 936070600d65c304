//! The C functions of a scheduler, and the scheduler that calls them; what any scheduler from outside may
//! answer.
//!
//! `aqmlab_scheme.h` says the same to C compilers. Nothing here allocates or takes a lock while packets pass.
#![allow(unsafe_code)]

use crate::instance::{Instance, Observe, Traits};
use crate::table::{NEVER, Waiting};
use crate::verdict::decode;
use aqmlab_aqm::{Backlogs, Departing, End, HeaderFields, PacketFacts, Scheduler, Turn, Verdict, Victim};
use aqmlab_units::Time;
use std::ffi::c_void;

/// What a scheduler from outside answers, checked: what it may not say ends its run in words, not in a loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Served {
    /// Turns in a row of queues in which nothing waited.
    empty_turns: u32,
}

/// Turns in a row that empty queues may have, beside two of each queue.
const MOST_EMPTY_TURNS: u32 = 1_000;

impl Served {
    /// The queue of an arrival.
    ///
    /// # Errors
    /// In words: there is no such queue.
    #[inline]
    pub fn queue(number: u64, queues: &dyn Backlogs) -> Result<usize, String> {
        match usize::try_from(number) {
            Ok(queue) if queue < queues.queues() => Ok(queue),
            _ => Err(format!("queue {number}: there are {}, from 0 on", queues.queues())),
        }
    }

    /// The queue whose turn it is.
    ///
    /// # Errors
    /// In words: there is no such queue, or it has gone on naming empty ones while packets wait.
    #[inline]
    pub fn turn_of(&mut self, number: u64, queues: &dyn Backlogs) -> Result<Turn, String> {
        let queue = Self::queue(number, queues)?;
        if queues.packets(queue) > 0 {
            self.empty_turns = 0;
            return Ok(Turn::Queue(queue));
        }
        self.empty_turns += 1;
        let most = (2 * queues.queues() as u64).saturating_add(MOST_EMPTY_TURNS.into());
        if u64::from(self.empty_turns) <= most {
            return Ok(Turn::Queue(queue));
        }
        let waiting = queues.waiting();
        Err(format!("next named empty queues {most} times in a row, with {waiting} waiting in others"))
    }

    /// Nobody's turn before an instant.
    ///
    /// # Errors
    /// In words: it is over.
    #[inline]
    pub fn turn_at(&mut self, now: Time, opens: Time) -> Result<Turn, String> {
        self.empty_turns = 0;
        if opens > now {
            return Ok(Turn::At(opens));
        }
        let [opens, now] = [opens, now].map(Time::nanoseconds);
        Err(format!("next holds packets back until {opens} ns at {now} ns; legal: a later instant"))
    }

    /// What is discarded to make room.
    ///
    /// # Errors
    /// In words: nothing waits in that queue.
    pub fn victim(number: u64, end: End, packets: u32, queues: &dyn Backlogs) -> Result<Victim, String> {
        let queue = Self::queue(number, queues)?;
        if queues.packets(queue) == 0 {
            return Err(format!("victim: no packet waits in queue {queue}"));
        }
        Ok(Victim { queue, end, most_packets: packets.max(1), enough_bytes: u64::MAX })
    }

    /// The last packet of the queue with the most bytes.
    #[must_use]
    pub fn longest(queues: &dyn Backlogs) -> Victim {
        let longest = (0..queues.queues()).rev().max_by_key(|&queue| queues.bytes(queue));
        let queue = longest.unwrap_or_default();
        Victim { queue, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }
}

/// The queues, for functions that ask.
struct Queues<'a>(&'a dyn Backlogs);

/// What a function is told about a packet and the queues, and where it answers. Valid while it runs.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct TurnCall {
    now_ns: u64,
    /// When a departing packet was queued, if the scheme of its queue asked for it; otherwise [`NEVER`].
    arrived_ns: u64,
    flow: u64,
    /// Answer of `next`: the instant before which nobody has a turn.
    at_ns: u64,
    bytes: u32,
    codepoint: u32,
    packet_class: u32,
    /// Of an arrival's header.
    flow_hash: u32,
    dscp: u32,
    source: u32,
    destination: u32,
    /// The queue that it is about.
    queue: u32,
    queue_count: u32,
    waiting: u32,
    /// Answer of `victim`: whether packets are taken from the head, and how many.
    victim_from_head: u32,
    victim_packets: u32,
    queues: *const c_void,
    packets: extern "C" fn(*const c_void, u32) -> u32,
    queued_bytes: extern "C" fn(*const c_void, u32) -> u64,
    head: extern "C" fn(*const c_void, u32, *mut Waiting) -> i32,
}

/// The queues behind a pointer, if the queue is one of them.
///
/// # Safety
/// The pointer is null, or what `TurnCall::show` put there, of a call that goes on.
unsafe fn shown<'a>(queues: *const c_void, queue: u32) -> Option<(&'a Queues<'a>, usize)> {
    // SAFETY: promised by the caller.
    let queues = unsafe { queues.cast::<Queues<'_>>().as_ref() }?;
    let queue = queue as usize;
    (queue < queues.0.queues()).then_some((queues, queue))
}

extern "C" fn packets(queues: *const c_void, queue: u32) -> u32 {
    // SAFETY: a function asks with the pointer of its call.
    unsafe { shown(queues, queue) }.map_or(0, |(queues, queue)| queues.0.packets(queue))
}

extern "C" fn queued_bytes(queues: *const c_void, queue: u32) -> u64 {
    // SAFETY: as in `packets`.
    unsafe { shown(queues, queue) }.map_or(0, |(queues, queue)| queues.0.bytes(queue))
}

/// Answers 1 and fills in the packet at the head of a queue; 0 where there is none.
extern "C" fn head(queues: *const c_void, queue: u32, packet: *mut Waiting) -> i32 {
    // SAFETY: as in `packets`.
    let Some((queues, queue)) = (unsafe { shown(queues, queue) }) else { return 0 };
    let Some(head) = queues.0.head(queue).filter(|_| !packet.is_null()) else { return 0 };
    // SAFETY: the function that asks owns the place that it names.
    unsafe { packet.write(Waiting::of(&head.facts, head.arrived)) };
    1
}

impl TurnCall {
    const fn empty() -> Self {
        Self {
            now_ns: 0,
            arrived_ns: NEVER,
            flow: 0,
            at_ns: 0,
            bytes: 0,
            codepoint: 0,
            packet_class: 0,
            flow_hash: 0,
            dscp: 0,
            source: 0,
            destination: 0,
            queue: 0,
            queue_count: 0,
            waiting: 0,
            victim_from_head: 0,
            victim_packets: 1,
            queues: std::ptr::null(),
            packets,
            queued_bytes,
            head,
        }
    }

    #[inline(always)]
    fn set_packet(&mut self, packet: &PacketFacts, queue: usize) {
        self.flow = packet.flow;
        self.bytes = packet.bytes;
        self.codepoint = packet.codepoint as u32;
        self.packet_class = packet.class as u32;
        self.queue = queue as u32;
    }

    #[inline(always)]
    fn show(&mut self, now: Time, queues: &Queues<'_>) {
        self.now_ns = now.nanoseconds();
        self.queue_count = queues.0.queues() as u32;
        self.waiting = queues.0.waiting();
        self.queues = std::ptr::from_ref(queues).cast();
    }
}

type Asked<T> = unsafe extern "C" fn(state: *mut c_void, turn: *mut TurnCall) -> T;

/// The functions of a scheduler, each of which is given its state. `classify` and `next` have to be there.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct SchedulerTable {
    /// How many queues there are, by the values of the parameters.
    pub queues: Option<unsafe extern "C" fn(values: *const f64) -> u32>,
    /// The queue of an arrival.
    pub classify: Option<Asked<u32>>,
    /// A packet was queued.
    pub on_queued: Option<Asked<()>>,
    /// The queue whose turn it is, or -1 and an instant.
    pub next: Option<Asked<i64>>,
    /// What becomes of a packet that leaves: see [`decode`].
    pub on_departure: Option<Asked<i32>>,
    /// A queue has sent a packet of so many bytes.
    pub on_sent: Option<unsafe extern "C" fn(state: *mut c_void, now_ns: u64, queue: u32, bytes: u32)>,
    /// The queue whose turn it was has nothing to send.
    pub on_empty: Option<unsafe extern "C" fn(state: *mut c_void, now_ns: u64, queue: u32)>,
    /// The queue of which packets are discarded to make room.
    pub victim: Option<Asked<u32>>,
    /// Writes the values of what the scheduler reports of itself.
    pub observe: Option<Observe>,
}

/// A scheduler of C functions at a port.
#[derive(Clone)]
pub struct TableScheduler {
    functions: SchedulerTable,
    call: TurnCall,
    instance: Instance,
    served: Served,
}

// SAFETY: the state belongs to this scheduler alone, and the pointer in the call is used only while a
// function runs.
unsafe impl Send for TableScheduler {}

impl TableScheduler {
    /// A scheduler whose state begins as these words.
    ///
    /// # Safety
    /// The functions must be what the table says they are, must stay in memory, and must keep to the state's
    /// length.
    #[must_use]
    pub unsafe fn new(functions: SchedulerTable, state: Vec<u128>, traits: Traits) -> Self {
        Self {
            functions,
            call: TurnCall::empty(),
            instance: Instance::new(state, traits),
            served: Served::default(),
        }
    }

    /// Asks a function about the queues.
    #[inline(always)]
    fn ask<T>(&mut self, function: Asked<T>, now: Time, queues: &dyn Backlogs) -> T {
        let queues = Queues(queues);
        self.call.show(now, &queues);
        // SAFETY: `TableScheduler::new` was promised that this is such a function, and the state is its own.
        let answer = unsafe { function(self.instance.state_mut(), &raw mut self.call) };
        self.call.queues = std::ptr::null();
        answer
    }
}

impl Scheduler for TableScheduler {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        let Some(classify) = self.functions.classify else { return 0 };
        self.call.set_packet(packet, 0);
        self.call.flow_hash = header.flow_hash;
        self.call.dscp = header.dscp.into();
        (self.call.source, self.call.destination) = (header.source, header.destination);
        let queue = self.ask(classify, now, queues);
        Served::queue(queue.into(), queues)
            .unwrap_or_else(|wrong| self.instance.fail(&format!("classify: {wrong}")))
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        let Some(on_queued) = self.functions.on_queued else { return };
        self.call.set_packet(packet, queue);
        self.ask(on_queued, now, queues);
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let Some(next) = self.functions.next.filter(|_| queues.waiting() > 0) else { return Turn::Nobody };
        let turn = match self.ask(next, now, queues) {
            -1 => self.served.turn_at(now, Time::from_nanoseconds(self.call.at_ns)),
            number => match u64::try_from(number) {
                Ok(number) => self.served.turn_of(number, queues),
                Err(_) => Err(format!("next answered {number}; legal: a queue, or AQMLAB_AT")),
            },
        };
        turn.unwrap_or_else(|wrong| self.instance.fail(&wrong))
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        let Some(on_departure) = self.functions.on_departure else { return Verdict::Pass };
        self.call.set_packet(&packet.facts, queue);
        self.call.arrived_ns = packet.arrived.map_or(NEVER, Time::nanoseconds);
        let code = self.ask(on_departure, now, queues);
        self.call.arrived_ns = NEVER;
        match decode(code, &[], 0) {
            Ok(verdict @ (Verdict::Pass | Verdict::Signal(_) | Verdict::Drop(_))) => verdict,
            Ok(_) => self.instance.fail("on_departure of a scheduler discards no packets that wait"),
            Err(wrong) => self.instance.fail(&wrong),
        }
    }

    fn watches_departures(&self) -> bool {
        self.functions.on_departure.is_some()
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        let Some(on_sent) = self.functions.on_sent else { return };
        // SAFETY: as in `ask`.
        unsafe { on_sent(self.instance.state_mut(), now.nanoseconds(), queue as u32, bytes) };
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        let Some(on_empty) = self.functions.on_empty else { return };
        // SAFETY: as in `ask`.
        unsafe { on_empty(self.instance.state_mut(), now.nanoseconds(), queue as u32) };
    }

    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        let Some(victim) = self.functions.victim else { return Served::longest(queues) };
        (self.call.victim_from_head, self.call.victim_packets) = (0, 1);
        let queue = self.ask(victim, now, queues);
        let end = if self.call.victim_from_head == 0 { End::Tail } else { End::Head };
        let victim = Served::victim(queue.into(), end, self.call.victim_packets, queues);
        victim.unwrap_or_else(|wrong| self.instance.fail(&wrong))
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        // SAFETY: as in `ask`; it writes as many values as it has names.
        unsafe { self.instance.observe(self.functions.observe, sink) };
    }
}
