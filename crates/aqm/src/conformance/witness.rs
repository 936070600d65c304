//! A port with everything that came to it and left it, and all that it may never do.

use super::history::Operation;
use crate::algorithms::Scheme;
use crate::aqm::Reason;
use crate::packet::{Codepoint, PacketClass, PacketFacts, Queued};
use crate::parts::LimitRule;
use crate::port::Port;
use crate::port_facts::PortFacts;
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A packet with an identity, for following it through a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestPacket {
    /// Its number.
    pub id: u64,
    /// What schemes see of it.
    pub facts: PacketFacts,
}

impl TestPacket {
    /// A packet with data, of flow 1.
    #[must_use]
    pub const fn data(id: u64, bytes: u32, codepoint: Codepoint) -> Self {
        Self { id, facts: PacketFacts { flow: 1, bytes, codepoint, class: PacketClass::Data } }
    }
}

impl Queued for TestPacket {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = Codepoint::Ce;
    }
}

/// What became of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was sent.
    Sent(TestPacket),
    /// It was discarded.
    Lost(TestPacket, Reason),
}

/// A port with what came and what left.
pub struct Witness {
    scheme: Scheme,
    /// The port.
    pub port: Port<TestPacket>,
    /// The present instant.
    pub now: Time,
    came: Vec<TestPacket>,
    /// What became of the packets that left, in their order.
    pub fates: Vec<Fate>,
}

impl Witness {
    /// A port under a scheme, at a link where its parameters are legal.
    ///
    /// # Errors
    /// In words, when there is no such link.
    pub fn new(scheme: &Scheme, seed: u64) -> Result<Self, String> {
        let mut random = Key::from_seed(seed).named("port").stream();
        let rate = Rate::from_bits_per_second(100_000 * (1 + random.below(1_000)));
        let facts = PortFacts::new(rate).with_timer_phase(random.uniform());
        let facts = if scheme.validate_at(&facts).is_ok() { facts } else { fitting_link(scheme)? };
        Ok(Self::at(scheme, facts, seed))
    }

    /// A port under a scheme, which must be legal there.
    #[must_use]
    pub fn at(scheme: &Scheme, facts: PortFacts, seed: u64) -> Self {
        let port = Port::new(scheme, facts, Key::from_seed(seed).named("coins").stream());
        Self { scheme: scheme.clone(), port, now: Time::ZERO, came: Vec::new(), fates: Vec::new() }
    }

    /// Lets all of it happen, and checks after each operation and in the end.
    ///
    /// # Errors
    /// In words, what the port has done that it may not do.
    pub fn run(&mut self, operations: &[(Span, Operation)]) -> Result<(), String> {
        for (number, (gap, operation)) in operations.iter().enumerate() {
            self.now += *gap;
            let done = self.happen(operation).and_then(|()| self.check());
            done.map_err(|wrong| format!("operation {number}, {operation:?}: {wrong}"))?;
        }
        self.check_fates()
    }

    /// Lets one operation happen.
    ///
    /// # Errors
    /// In words, when it met a packet that had nothing to fear.
    pub fn happen(&mut self, operation: &Operation) -> Result<(), String> {
        let marks = |port: &Port<TestPacket>| port.counters().marks().total();
        let before = (self.fates.len(), marks(&self.port));
        self.carry_out(operation);
        if self.port.decides_about_waiting() {
            return Ok(());
        }
        // Only the packet that arrives has anything to fear.
        let arriving = match operation {
            Operation::Arrive { .. } => Some(self.came.len() as u64 - 1),
            Operation::Depart | Operation::Wait => None,
        };
        let lost = |fate: &Fate| matches!(fate, Fate::Lost(packet, _) if Some(packet.id) != arriving);
        let safe = arriving.is_some() || marks(&self.port) == before.1;
        if safe && !self.fates[before.0..].iter().any(lost) {
            return Ok(());
        }
        Err("met a waiting packet, which the scheme says that it never does".to_owned())
    }

    fn carry_out(&mut self, operation: &Operation) {
        let fates = &mut self.fates;
        let mut discarded = |packet, reason| fates.push(Fate::Lost(packet, reason));
        match *operation {
            Operation::Arrive { flow, bytes, codepoint, class } => {
                let facts = PacketFacts { flow, bytes, codepoint, class };
                let packet = TestPacket { id: self.came.len() as u64, facts };
                self.came.push(packet);
                self.port.arrive(self.now, packet, &mut discarded);
            }
            Operation::Depart => {
                let sent = self.port.depart(self.now, &mut discarded);
                fates.extend(sent.map(Fate::Sent));
            }
            Operation::Wait => self.port.advance(self.now),
        }
    }

    /// After every operation: the balance closes, the limits hold, the probability is one.
    fn check(&self) -> Result<(), String> {
        self.port.check_conservation().map_err(|error| error.to_string())?;
        let (came, gone) = (self.came.len(), self.fates.len());
        let waiting = self.port.packets() as usize;
        require(came == gone + waiting, || format!("{came} came, {gone} left and {waiting} wait"))?;
        self.check_limit()?;
        let probability = self.port.signal_probability().value();
        require((0.0..=1.0).contains(&probability), || format!("a signal probability of {probability}"))
    }

    fn check_limit(&self) -> Result<(), String> {
        let limit = self.scheme.limit();
        let largest = self.came.iter().map(|packet| u64::from(packet.facts.bytes)).max().unwrap_or(0);
        let (most_withheld, overshoot) = match limit.rule {
            LimitRule::HoldLimit => (0, 0),
            LimitRule::HoldLimitMinusOne => (1, 0),
            LimitRule::RefuseWhenFull => (0, largest.saturating_sub(1)),
        };
        let (packets, bytes) = (self.port.packets(), self.port.bytes());
        let few = limit.packets.is_none_or(|most| packets <= most - most_withheld);
        require(few, || format!("{packets} packets wait, with a limit of {:?}", limit.packets))?;
        let small = limit.bytes.is_none_or(|most| bytes <= (most - u64::from(most_withheld)) + overshoot);
        require(small, || format!("{bytes} bytes wait, with a limit of {:?}", limit.bytes))
    }

    /// In the end: nobody left twice, those sent left in order (of several queues, those of one flow and
    /// codepoint, which nothing sorts apart, unless the scheme reorders these), and only capable packets
    /// changed, if any.
    fn check_fates(&self) -> Result<(), String> {
        let mut gone = BTreeSet::new();
        let mut last_of_queue = BTreeMap::new();
        for fate in &self.fates {
            let (Fate::Sent(packet) | Fate::Lost(packet, _)) = fate;
            require(gone.insert(packet.id), || format!("packet {} left twice", packet.id))?;
            let before = self.came[packet.id as usize].facts;
            if matches!(fate, Fate::Sent(_)) && !self.scheme.reorders_flows() {
                let queue =
                    if self.scheme.is_one_queue() { None } else { Some((before.flow, before.codepoint)) };
                let last_sent = last_of_queue.insert(queue, packet.id);
                require(last_sent < Some(packet.id), || format!("packet {} overtook another", packet.id))?;
            }
            let marked = packet.facts.codepoint == Codepoint::Ce;
            let may_be_marked = self.scheme.ecn() && before.codepoint.can_be_marked();
            let codepoint = if may_be_marked && marked { Codepoint::Ce } else { before.codepoint };
            require(packet.facts == PacketFacts { codepoint, ..before }, || {
                format!("packet {} came as {before:?} and left as {:?}", packet.id, packet.facts)
            })?;
        }
        Ok(())
    }

    /// Everything that the scheme reports of itself, to the bit.
    ///
    /// # Errors
    /// In words, when it reports a number that is not finite.
    pub fn state(&self) -> Result<Vec<(&'static str, u64)>, String> {
        let mut state = vec![("signal_probability", self.port.signal_probability().value().to_bits())];
        let mut wrong = None;
        self.port.observe(&mut |name, value| {
            if !value.is_finite() {
                wrong = Some(format!("{name} is {value}"));
            }
            state.push((name, value.to_bits()));
        });
        wrong.map_or(Ok(state), Err)
    }
}

fn require(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

/// A link at which the scheme's parameters are valid: the slower the link, the higher a design's sampling
/// rate.
fn fitting_link(scheme: &Scheme) -> Result<PortFacts, String> {
    let rates = (0..60).map(|doublings| Rate::from_bits_per_second(1_000_000 << (doublings / 2)));
    let mut links = rates.map(PortFacts::new);
    let fitting = links.find(|facts| scheme.validate_at(facts).is_ok());
    fitting.ok_or_else(|| "its legal parameters are refused at every link".to_owned())
}
