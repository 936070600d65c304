//! The queues of `aqmlab-aqm` for programs in C: `include/aqmlab_queue.h`.
//!
//! A queue is made by the name of its scheme and its parameters as JSON. It holds what a program says of its
//! packets and a pointer to each; packets themselves stay the program's. It does no I/O and has no clock.
//!
//! Every function checks what it is given: a wrong argument is an answer, never a crash, as far as a pointer
//! can be checked at all. The header is made from this file by cbindgen; a test compares both.
#![deny(missing_docs)]
#![allow(unsafe_code, reason = "functions that C calls")]
#![allow(non_camel_case_types, reason = "the names that C has")]

use aqmlab_aqm::{
    Codepoint, HeaderFields, PacketClass, PacketFacts, Port, PortFacts, Queued, Reason, Scheme,
};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Time};
use serde::Deserialize;
use std::ffi::{CStr, c_char, c_void};

/// The largest rate of a link, in bits per second.
const HIGHEST_BPS: u64 = 1_000_000_000_000;

/// How long a queue may live, so that sums of instants stay in 64 bits.
const LONGEST_NS: u64 = 1 << 62;

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum aqmlab_status {
    /// Done.
    AQMLAB_OK = 0,
    /// Nothing leaves the queue now: it is empty, or holds back what waits (`aqmlab_queue_opens`).
    AQMLAB_NOTHING = 1,
    /// A null pointer where none is legal.
    AQMLAB_NULL = 2,
    /// An instant before that of an earlier call, or more than 2^62 ns behind the first.
    AQMLAB_WRONG_TIME = 3,
    /// A packet without bytes, or ECN bits above 3, or a codepoint above 63.
    AQMLAB_WRONG_PACKET = 4,
    /// A scheme, parameter or link that is not legal: the message has the words.
    AQMLAB_REFUSED = 5,
}
use aqmlab_status::{
    AQMLAB_NOTHING, AQMLAB_NULL, AQMLAB_OK, AQMLAB_REFUSED, AQMLAB_WRONG_PACKET, AQMLAB_WRONG_TIME,
};

/// What a queue has to know of a packet.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct aqmlab_packet {
    /// The program's own packet: handed back as it came, never read.
    pub packet: *mut c_void,
    /// Tells flows apart, such as a hash of addresses, ports and protocol.
    pub flow: u64,
    /// Address of the sender, or a hash of it: CAKE is fair between hosts. 0 if nobody tells.
    pub source: u32,
    /// Address of the receiver, or a hash of it.
    pub destination: u32,
    /// Length of the IP packet, headers included; at least 1.
    pub bytes: u32,
    /// Differentiated services codepoint, from 0 to 63.
    pub dscp: u8,
    /// ECN bits as they stand in the IP header: 0 not capable, 1 ECT(1), 2 ECT(0), 3 marked. Of a packet that
    /// leaves, as they have to be set.
    pub ecn: u8,
}

/// The link behind a queue.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct aqmlab_link {
    /// Its rate, from 1 to 10^12 bits per second.
    pub rate_bps: u64,
    /// The present instant of the program's clock, in nanoseconds: the queue begins then.
    pub begins_ns: u64,
    /// Seed of the random numbers of the queue.
    pub seed: u64,
    /// Where periodic timers tick within their period, from 0 to below 1.
    pub timer_phase: f64,
    /// Salt of the hash that sorts flows into queues.
    pub flow_salt: u64,
}

/// What happened at a queue so far, in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct aqmlab_counts {
    /// That came.
    pub arrived: u64,
    /// That left.
    pub departed: u64,
    /// That were marked.
    pub marked: u64,
    /// That were discarded.
    pub discarded: u64,
    /// That wait.
    pub waiting: u64,
    /// Bytes that wait: of the IP packets.
    pub waiting_bytes: u64,
}

/// Takes a packet that was discarded, with the reason: "overflow", "early", "freed" and others. It must not
/// call the queue.
pub type aqmlab_discarded =
    Option<unsafe extern "C" fn(context: *mut c_void, packet: *mut c_void, reason: *const c_char)>;

impl Default for aqmlab_packet {
    fn default() -> Self {
        let packet = std::ptr::null_mut();
        Self { packet, flow: 0, source: 0, destination: 0, bytes: 0, dscp: 0, ecn: 0 }
    }
}

struct Packet {
    own: aqmlab_packet,
    facts: PacketFacts,
}

impl Packet {
    fn of(own: &aqmlab_packet) -> Option<Self> {
        const CODEPOINTS: [Codepoint; 4] =
            [Codepoint::NotEct, Codepoint::Ect1, Codepoint::Ect0, Codepoint::Ce];
        let codepoint = *CODEPOINTS.get(usize::from(own.ecn))?;
        let facts = PacketFacts { flow: own.flow, bytes: own.bytes, codepoint, class: PacketClass::Datagram };
        (own.bytes > 0 && own.dscp < 64).then_some(Self { own: *own, facts })
    }
}

impl Queued for Packet {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
        self.own.ecn = 3;
    }

    fn wash(&mut self) {
        self.own.dscp = 0;
    }

    fn header_fields(&self) -> HeaderFields {
        let aqmlab_packet { flow, source, destination, dscp, .. } = self.own;
        HeaderFields { flow_hash: HeaderFields::of_flow(flow).flow_hash, dscp, source, destination }
    }
}

/// A queue in front of a link.
pub struct aqmlab_queue {
    port: Port<Packet>,
    begins_ns: u64,
    /// Since it began.
    now: Time,
    discarded: aqmlab_discarded,
    context: *mut c_void,
}

impl aqmlab_queue {
    /// Lets time pass, which never runs backwards.
    fn at(&mut self, now_ns: u64) -> Option<Time> {
        let since = now_ns.checked_sub(self.begins_ns).filter(|since| *since <= LONGEST_NS)?;
        let now = Time::from_nanoseconds(since);
        if now < self.now {
            return None;
        }
        self.now = now;
        Some(now)
    }

    /// What hands a discarded packet to the program.
    fn hands_back(&self) -> impl FnMut(Packet, Reason) + use<> {
        let (discarded, context) = (self.discarded, self.context);
        move |packet, reason| hand_back(discarded, context, &packet, c_name(reason))
    }
}

fn hand_back(discarded: aqmlab_discarded, context: *mut c_void, packet: &Packet, reason: &CStr) {
    if let Some(discarded) = discarded {
        // SAFETY: the program gave the function with its context, for as long as the queue lives.
        unsafe { discarded(context, packet.own.packet, reason.as_ptr()) }
    }
}

/// The names of reasons as C has texts.
fn c_name(reason: Reason) -> &'static CStr {
    match reason {
        Reason::Overflow => c"overflow",
        Reason::Early => c"early",
        Reason::Forced => c"forced",
        Reason::Match => c"match",
        Reason::Filter => c"filter",
        Reason::Impairment => c"impairment",
        Reason::Redundant => c"redundant",
    }
}

/// The scheme and the port of a new queue, or the words of a refusal.
fn scheme_of(parameters: &str, link: &aqmlab_link) -> Result<(Scheme, PortFacts), String> {
    let mut json = serde_json::Deserializer::from_str(parameters);
    let scheme = Scheme::deserialize(&mut json).map_err(|error| error.to_string())?;
    json.end().map_err(|error| error.to_string())?;
    if !(1..=HIGHEST_BPS).contains(&link.rate_bps) {
        return Err(format!("rate_bps is {}: it must be from 1 to {HIGHEST_BPS}", link.rate_bps));
    }
    if !(0.0..1.0).contains(&link.timer_phase) {
        return Err(format!("timer_phase is {}: it must be from 0 to below 1", link.timer_phase));
    }
    let facts = PortFacts::new(Rate::from_bits_per_second(link.rate_bps));
    let facts = facts.with_timer_phase(link.timer_phase).with_flow_salt(link.flow_salt);
    scheme.validate_at(&facts).map_err(|error| error.to_string())?;
    Ok((scheme, facts))
}

/// Writes a message, cut short where there is too little room, with its end.
///
/// # Safety
/// `message` is null, or has room for so many bytes.
unsafe fn write(text: &str, message: *mut c_char, room: usize) {
    if message.is_null() || room == 0 {
        return;
    }
    let mut length = text.len().min(room - 1);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    // SAFETY: `length` is less than the room that the caller vouches for.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), message, length);
        message.add(length).write(0);
    }
}

/// Makes a queue. `parameters` is JSON with the name of the scheme, such as
/// `{"scheme": "codel", "limit_packets": 1000, "target_ms": 5}`: the keys of a scenario's queue.
///
/// `discarded` takes every packet that is discarded, with `context`; null if nobody has to. `message` has
/// room for `message_room` bytes and says why a queue was refused; null if nobody reads it.
///
/// # Safety
/// The texts are texts, and pointers are null or point to what they are said to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_new(
    parameters: *const c_char,
    link: *const aqmlab_link,
    discarded: aqmlab_discarded,
    context: *mut c_void,
    queue: *mut *mut aqmlab_queue,
    message: *mut c_char,
    message_room: usize,
) -> aqmlab_status {
    if parameters.is_null() || link.is_null() || queue.is_null() {
        return AQMLAB_NULL;
    }
    // SAFETY: the caller says that it is a text that ends, and that the link is one.
    let (parameters, link) = unsafe { (CStr::from_ptr(parameters), link.read()) };
    let parameters = parameters.to_str().map_err(|_| "the parameters are not UTF-8".to_owned());
    match parameters.and_then(|parameters| scheme_of(parameters, &link)) {
        Ok((scheme, facts)) => {
            let port = Port::new(&scheme, facts, Key::from_seed(link.seed).stream());
            let made = Box::new(aqmlab_queue {
                port,
                begins_ns: link.begins_ns,
                now: Time::ZERO,
                discarded,
                context,
            });
            // SAFETY: not null, and the caller's.
            unsafe { queue.write(Box::into_raw(made)) };
            AQMLAB_OK
        }
        Err(error) => {
            // SAFETY: as the caller says.
            unsafe { write(&error, message, message_room) };
            AQMLAB_REFUSED
        }
    }
}

/// A packet arrives. It is queued, or discarded, as others that wait may be for it. The queue keeps a copy of
/// what `packet` says.
///
/// # Safety
/// `queue` is null or a queue that was made and not freed, `packet` null or one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_arrive(
    queue: *mut aqmlab_queue,
    now_ns: u64,
    packet: *const aqmlab_packet,
) -> aqmlab_status {
    // SAFETY: as the caller says.
    let (queue, packet) = unsafe { (queue.as_mut(), packet.as_ref()) };
    let (Some(queue), Some(packet)) = (queue, packet) else { return AQMLAB_NULL };
    let Some(packet) = Packet::of(packet) else { return AQMLAB_WRONG_PACKET };
    let Some(now) = queue.at(now_ns) else { return AQMLAB_WRONG_TIME };
    let mut hands_back = queue.hands_back();
    queue.port.arrive(now, packet, &mut hands_back);
    AQMLAB_OK
}

/// The link asks for the next packet. `AQMLAB_NOTHING`: there is none now. Packets that the scheme discards
/// on the way are handed over first.
///
/// # Safety
/// `queue` is null or a queue that was made and not freed, `packet` null or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_depart(
    queue: *mut aqmlab_queue,
    now_ns: u64,
    packet: *mut aqmlab_packet,
) -> aqmlab_status {
    // SAFETY: as the caller says.
    let Some(queue) = (unsafe { queue.as_mut() }) else { return AQMLAB_NULL };
    if packet.is_null() {
        return AQMLAB_NULL;
    }
    let Some(now) = queue.at(now_ns) else { return AQMLAB_WRONG_TIME };
    let mut hands_back = queue.hands_back();
    let Some(next) = queue.port.depart(now, &mut hands_back) else { return AQMLAB_NOTHING };
    // SAFETY: not null, and the caller's.
    unsafe { packet.write(next.own) };
    AQMLAB_OK
}

/// Until when the queue holds back what waits, as a shaper does: when to ask again where
/// `aqmlab_queue_depart` gave nothing. UINT64_MAX: nothing waits, or nothing holds it back.
///
/// # Safety
/// `queue` is null or a queue that was made and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_opens(queue: *const aqmlab_queue) -> u64 {
    // SAFETY: as the caller says.
    let Some(queue) = (unsafe { queue.as_ref() }) else { return u64::MAX };
    queue.port.opens().map_or(u64::MAX, |opens| queue.begins_ns.saturating_add(opens.nanoseconds()))
}

/// What happened at a queue so far.
///
/// # Safety
/// `queue` is null or a queue that was made and not freed, `counts` null or has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_counts(
    queue: *const aqmlab_queue,
    counts: *mut aqmlab_counts,
) -> aqmlab_status {
    // SAFETY: as the caller says.
    let Some(queue) = (unsafe { queue.as_ref() }) else { return AQMLAB_NULL };
    if counts.is_null() {
        return AQMLAB_NULL;
    }
    let counters = queue.port.counters();
    let found = aqmlab_counts {
        arrived: counters.arrivals().total().packets,
        departed: counters.departures().total().packets,
        marked: counters.marks().total().packets,
        discarded: counters.all_discards().total().packets,
        waiting: u64::from(queue.port.packets()),
        waiting_bytes: queue.port.bytes(),
    };
    // SAFETY: not null, and the caller's.
    unsafe { counts.write(found) };
    AQMLAB_OK
}

/// Ends a queue. Packets that still wait are handed over as discarded, with the reason "freed". Null is
/// legal.
///
/// # Safety
/// `queue` is null or a queue that was made and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aqmlab_queue_free(queue: *mut aqmlab_queue) {
    if queue.is_null() {
        return;
    }
    // SAFETY: as the caller says, it comes from `aqmlab_queue_new`.
    let queue = unsafe { Box::from_raw(queue) };
    for packet in queue.port.waiting() {
        hand_back(queue.discarded, queue.context, packet, c"freed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_has_the_names_of_all_reasons() {
        Reason::ALL.iter().for_each(|reason| assert_eq!(c_name(*reason).to_str(), Ok(reason.name())));
    }

    #[test]
    fn a_message_is_cut_between_characters_and_always_ends() {
        let mut room = [1_u8; 8];
        // SAFETY: there is so much room.
        let mut written = |text, bytes| unsafe {
            write(text, room.as_mut_ptr().cast(), bytes);
            CStr::from_ptr(room.as_ptr().cast()).to_str().map(str::to_owned)
        };
        assert_eq!(written("abc", 8).as_deref(), Ok("abc"));
        assert_eq!(written("abcdefghij", 4).as_deref(), Ok("abc"));
        // The second of three bytes of a character.
        assert_eq!(written("a\u{2265}", 3).as_deref(), Ok("a"));
        assert_eq!(written("abc", 1).as_deref(), Ok(""));
    }
}
