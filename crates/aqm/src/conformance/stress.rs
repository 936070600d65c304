//! What presses on a port beyond ordinary traffic: crowds of flows, floods of one, flows that meet on
//! purpose, and hours in which nothing happens.
//!
//! The packets are counted, not followed, so that a hundred thousand flows take a fraction of a second.

use super::parameters::random_scheme;
use super::witness::TestPacket;
use crate::algorithms::Scheme;
use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketClass, PacketFacts};
use crate::parts::LimitRule;
use crate::port::Port;
use crate::port_facts::PortFacts;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use schemars::json_schema;
use serde::Deserialize as _;

/// How many flows a crowd has that no table of flows is made for.
pub const CROWD: u64 = 100_000;

/// A way to press on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// Each packet is of a flow of its own.
    Crowd,
    /// All packets are of one flow.
    OneFlow,
    /// Flows of one and the same hash: whoever knew the key of the hash could choose them.
    SameHash,
    /// Flows whose hashes have their lower 16 bits in common, by which tables find their places.
    SameLowBits,
    /// Bursts of a hundred packets at one instant, so that most intervals between arrivals are of no length.
    Bursts,
    /// In front of every four hundred packets an hour without any.
    IdleHours,
}

impl Pressure {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Crowd, Self::OneFlow, Self::SameHash, Self::SameLowBits, Self::Bursts, Self::IdleHours];

    /// Flow and flow hash of the n-th packet.
    fn flow(self, n: u64) -> (u64, u32) {
        // A bijection of 32 bits that scatters: flows of a driver are uniform under its key.
        let scattered = (n as u32).wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
        match self {
            Self::Crowd => (n, scattered),
            Self::OneFlow => (7, 7),
            Self::SameHash => (n, 7),
            Self::SameLowBits => (n, scattered << 16 | 7),
            Self::Bursts | Self::IdleHours => (n % 50, (n % 50) as u32),
        }
    }

    /// Time before the n-th packet.
    fn gap(self, n: u64, random: &mut Stream) -> Span {
        match self {
            Self::Bursts if n % 100 == 0 => Span::from_milliseconds(5),
            Self::Bursts => Span::ZERO,
            Self::IdleHours if n % 400 == 0 => Span::from_milliseconds(3_600_000),
            _ => Span::from_nanoseconds(random.below(200_000)),
        }
    }
}

/// A port under pressure, with a tally of its own of what came and went.
pub struct Stress {
    scheme: Scheme,
    /// The port.
    pub port: Port<TestPacket>,
    now: Time,
    came: u64,
    /// Packets and bytes that came, less those that were sent or discarded.
    waiting: (u64, u64),
    largest: u32,
    random: Stream,
}

impl Stress {
    /// The link that takes the packets.
    pub const LINK: PortFacts = PortFacts::new(Rate::from_bits_per_second(100_000_000));

    /// An empty port of this link under this scheme, which must be legal there.
    #[must_use]
    pub fn new(scheme: &Scheme, seed: u64) -> Self {
        let key = Key::from_seed(seed);
        let facts = Self::LINK.with_flow_salt(key.bits(0));
        Self {
            scheme: scheme.clone(),
            port: Port::new(scheme, facts, key.named("coins").stream()),
            now: Time::ZERO,
            came: 0,
            waiting: (0, 0),
            largest: 0,
            random: key.named("stress").stream(),
        }
    }

    /// So many packets more under a pressure, two for each that the link asks for; then the link takes what
    /// waits.
    ///
    /// # Errors
    /// In words, what does not add up.
    pub fn press(&mut self, pressure: Pressure, arrivals: u64) -> Result<(), String> {
        const CHECKED_EVERY: u64 = 1_000;
        for n in 0..arrivals {
            self.now += pressure.gap(n, &mut self.random);
            // An hour ends a queue: the link has taken what waits.
            if pressure == Pressure::IdleHours && n % 400 == 0 {
                self.drain()?;
            }
            self.arrive(pressure);
            if n % 2 == 1 {
                self.depart();
            }
            if n % CHECKED_EVERY == 0 {
                self.check()?;
            }
        }
        self.check()?;
        self.drain()?;
        self.check()
    }

    fn arrive(&mut self, pressure: Pressure) {
        let (flow, flow_hash) = pressure.flow(self.came);
        let bytes = [1, 65_535, 1500, 40][self.random.below(4) as usize];
        let codepoint = Codepoint::ALL[self.random.below(Codepoint::COUNT as u64) as usize];
        let class = PacketClass::ALL[self.random.below(PacketClass::COUNT as u64) as usize];
        let packet = TestPacket { id: self.came, facts: PacketFacts { flow, bytes, codepoint, class } };
        // Of a crowd some are of one host.
        let header =
            HeaderFields { flow_hash, dscp: (flow % 64) as u8, source: (flow % 300) as u32, destination: 1 };
        self.came += 1;
        self.largest = self.largest.max(bytes);
        let waiting = &mut self.waiting;
        *waiting = (waiting.0 + 1, waiting.1 + u64::from(bytes));
        let mut discarded = |lost: TestPacket, _| subtract(waiting, &lost);
        self.port.arrive_with(self.now, packet, |_: &TestPacket| header, &mut discarded);
    }

    /// Whether the link was sent a packet.
    fn depart(&mut self) -> bool {
        let waiting = &mut self.waiting;
        let sent = self.port.depart(self.now, &mut |lost, _| subtract(waiting, &lost));
        sent.inspect(|sent| subtract(&mut self.waiting, sent)).is_some()
    }

    /// The link takes what waits, and finds the queue empty. Where a port holds packets back it asks again at
    /// the instants that the port names, a thousand times in vain at most.
    fn drain(&mut self) -> Result<(), String> {
        let mut in_vain = 0;
        while in_vain < 1_000 {
            if self.depart() {
                in_vain = 0;
                continue;
            }
            let Some(opens) = self.port.opens() else { break };
            self.now = self.now.max(opens);
            in_vain += 1;
        }
        let left = self.port.packets();
        if left == 0 { Ok(()) } else { Err(format!("{left} packets wait, and the link gets none")) }
    }

    /// Everything that came has left or waits, within the limit, and what is reported are numbers.
    fn check(&self) -> Result<(), String> {
        self.port.check_conservation().map_err(|error| error.to_string())?;
        let waits = (u64::from(self.port.packets()), self.port.bytes());
        if waits != self.waiting {
            return Err(format!("{:?} packets and bytes wait, {waits:?} at the port", self.waiting));
        }
        let (limit, (packets, bytes)) = (self.scheme.limit(), waits);
        let overshoot = if limit.rule == LimitRule::RefuseWhenFull { u64::from(self.largest) } else { 0 };
        let full = limit.packets.is_some_and(|most| packets > u64::from(most))
            || limit.bytes.is_some_and(|most| bytes > most + overshoot);
        if full {
            return Err(format!("{packets} packets with {bytes} bytes wait, with a limit of {limit:?}"));
        }
        let probability = self.port.signal_probability().value();
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("a signal probability of {probability}"));
        }
        let mut wrong = Ok(());
        self.port.observe(&mut |name, value| {
            if !value.is_finite() {
                wrong = Err(format!("{name} is {value}"));
            }
        });
        wrong
    }
}

fn subtract(waiting: &mut (u64, u64), packet: &TestPacket) {
    *waiting = (waiting.0 - 1, waiting.1 - u64::from(packet.facts.bytes));
}

/// The scheme of this name as it comes, with room for a thousand packets; one with random parameters where it
/// asks for more than a limit.
///
/// # Errors
/// In words, when there is no such scheme.
pub fn usual_scheme(name: &str, random: &mut Stream) -> Result<Scheme, String> {
    let table = json_schema!({ "scheme": name, "limit_packets": 1_000 });
    let usual = Scheme::deserialize(table.to_value());
    match usual {
        Ok(scheme) if scheme.validate().is_ok() => Ok(scheme),
        _ => random_scheme(name, random),
    }
}
