//! A link that is offered more than it carries is not idle, and one that is offered half serves again after a
//! burst: the law that finds a scheme which locks its link out.
//!
//! Averages and integrals take their time to forget a burst, and a link may be idle until they have. So the
//! law asks that it comes to work in the end, over some thousand transmissions in a row.

use super::witness::TestPacket;
use crate::algorithms::Scheme;
use crate::packet::{Codepoint, PacketClass, PacketFacts};
use crate::port::Port;
use crate::port_facts::PortFacts;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Span, Time};

/// What sources that answer to nothing bring to a link: packets at a constant pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offered {
    /// In packets for each that the link can send.
    pub load: f64,
    /// The same in the burst with which everything begins.
    pub burst_load: f64,
    /// Length of each packet (IP length).
    pub bytes: u32,
    /// Flows that send in turn.
    pub flows: u64,
    /// When the first packet comes, in parts of the time of a transmission.
    pub phase: f64,
}

impl Offered {
    /// Loads, sizes and phases at random: more than the link carries, or half of it after a burst.
    #[must_use]
    pub fn random(random: &mut Stream) -> Self {
        let load = [0.5, 1.05, 1.5, 2.2, 4.0][random.below(5) as usize];
        Self {
            load,
            burst_load: if load < 1.0 { 6.0 } else { load },
            bytes: [60, 200, 500, 1_000, 1_500][random.below(5) as usize],
            flows: [1, 2, 5][random.below(3) as usize],
            phase: random.uniform(),
        }
    }
}

/// How long the burst is, in transmissions.
const BURST: f64 = 1_000.0;
/// After so many transmissions the link is looked at.
const SETTLING: u64 = 5_000;
/// It has to be busy over so many of them in a row,
const WINDOW: u64 = 1_000;
/// for a quarter of what it could send: queues may swing, and controllers with random gains do,
const LEAST_SHARE: f64 = 0.25;
/// before so many windows have passed. A RED with the smallest weight that is drawn has forgotten a burst by
/// then.
const WINDOWS: u64 = 4_000;
/// A port that holds packets back may name so many instants in vain before it lets one go.
const MOST_IN_VAIN: u32 = 1_000;

/// The law, of one scheme and one load, at a link where its parameters are legal. It is not asked of schemes
/// that [say otherwise](crate::Parameters::starves_the_unresponsive). A
/// [guard](crate::Parameters::is_guarded_at_will) may refuse as much as it likes, but not everything for
/// ever: at half of what the link carries something of what comes is sent again. So may a port that holds
/// packets back until instants that it names send as few as its timetable allows, but some.
///
/// # Errors
/// In words, that the link is idle for ever.
pub fn keeps_the_link_busy(
    scheme: &Scheme,
    facts: PortFacts,
    offered: Offered,
    seed: u64,
) -> Result<(), String> {
    let is_guarded = scheme.is_guarded_at_will();
    if scheme.starves_the_unresponsive().is_some() || is_guarded && offered.load > 1.0 {
        return Ok(());
    }
    let mut link = OfferedLink::new(scheme, facts, offered, seed);
    link.pass(SETTLING);
    let due = WINDOW as f64 * offered.load.min(1.0);
    for _ in 0..WINDOWS {
        let sent = link.pass(WINDOW) as f64;
        if sent >= if is_guarded || link.was_held_back { 1.0 } else { LEAST_SHARE * due } {
            return Ok(());
        }
        // Where packets are held back the link is not idle for lack of packets, if it gets one in the end.
        match link.lets_go() {
            Some(true) => return Ok(()),
            Some(false) => break,
            None => {}
        }
    }
    Err(format!(
        "the link stays idle, where {} times what it carries comes in packets of {} bytes, after a start with {} times: \
         {} of {} packets are sent",
        offered.load, offered.bytes, offered.burst_load, link.sent, link.came
    ))
}

/// The share of what a link could send that it sends under a scheme, which must be legal there: over so many
/// transmissions, after as many to settle.
#[must_use]
pub fn share_sent(scheme: &Scheme, facts: PortFacts, offered: Offered, seed: u64, transmissions: u64) -> f64 {
    let mut link = OfferedLink::new(scheme, facts, offered, seed);
    link.pass(transmissions);
    link.pass(transmissions) as f64 / (transmissions as f64 * offered.load.min(1.0))
}

/// A link with a port, to which packets come.
struct OfferedLink {
    port: Port<TestPacket>,
    offered: Offered,
    transmission_ns: u64,
    /// When the next packet comes, in transmissions.
    next_arrival: f64,
    came: u64,
    sent: u64,
    is_busy: bool,
    /// When the link asks next: at the end of a transmission, or when the port opens.
    asks: Time,
    /// Whether the port has named an instant before which it sends nothing, since the last window began.
    was_held_back: bool,
}

impl OfferedLink {
    fn new(scheme: &Scheme, facts: PortFacts, offered: Offered, seed: u64) -> Self {
        let key = Key::from_seed(seed);
        let bits = u64::from(offered.bytes) * 8;
        Self {
            port: Port::new(scheme, facts.with_flow_salt(key.bits(0)), key.named("coins").stream()),
            offered,
            transmission_ns: (bits * 1_000_000_000).div_ceil(facts.link_rate.bits_per_second()),
            next_arrival: offered.phase,
            came: 0,
            sent: 0,
            is_busy: false,
            asks: Time::MAX,
            was_held_back: false,
        }
    }

    /// Lets so many transmissions pass; answers how many packets were sent in them.
    fn pass(&mut self, transmissions: u64) -> u64 {
        let (before, until) = (self.sent, self.next_arrival + transmissions as f64);
        self.was_held_back = false;
        while self.next_arrival < until {
            let now = Time::from_nanoseconds((self.next_arrival * self.transmission_ns as f64) as u64);
            while self.asks <= now {
                self.ask(self.asks);
            }
            self.arrive(now);
            let bursts = self.next_arrival < BURST;
            let load = if bursts { self.offered.burst_load } else { self.offered.load };
            self.next_arrival += 1.0 / load;
        }
        self.sent - before
    }

    /// Whether a port that holds packets back lets one go when the link asks at the instants that it names,
    /// before anything else arrives; none where it holds nothing back.
    fn lets_go(&mut self) -> Option<bool> {
        for _ in 0..MOST_IN_VAIN {
            let opens = self.port.opens()?;
            self.ask(opens);
            if self.is_busy {
                return Some(true);
            }
        }
        Some(false)
    }

    fn arrive(&mut self, now: Time) {
        let (flow, bytes) = (1 + self.came % self.offered.flows, self.offered.bytes);
        let facts = PacketFacts { flow, bytes, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        self.port.arrive(now, TestPacket { id: self.came, facts }, &mut |_, _| {});
        self.came += 1;
        if !self.is_busy {
            self.ask(now);
        }
    }

    fn ask(&mut self, now: Time) {
        self.is_busy = self.port.depart(now, &mut |_, _| {}).is_some();
        self.sent += u64::from(self.is_busy);
        let opens = if self.is_busy { None } else { self.port.opens() };
        self.was_held_back |= opens.is_some();
        let free = self.is_busy.then_some(now + Span::from_nanoseconds(self.transmission_ns));
        self.asks = free.or(opens).unwrap_or(Time::MAX);
    }
}
