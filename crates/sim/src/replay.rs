//! What a port does with arrivals that were recorded elsewhere: the proof that a live run's queue decided as a simulated one.

use aqmlab_aqm::{HeaderFields, PacketFacts, Port, Queued, Reason};
use aqmlab_driver::{TraceClock, deviations, port_of};
use aqmlab_random::Key;
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::{Time, TransmissionClock};
use std::collections::VecDeque;

/// A packet that came to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedArrival {
    /// When.
    pub at: Time,
    /// What schemes see of it.
    pub facts: PacketFacts,
    /// What queues sort it by.
    pub header: HeaderFields,
}

/// What happened to a packet then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayedEvent {
    /// The last of it left on the link.
    Departure,
    /// The queue threw it away.
    Discard(Reason),
}

impl Queued for ReplayedArrival {
    fn facts(&self) -> PacketFacts {
        self.facts
    }

    fn mark(&mut self) {
        self.facts.codepoint = aqmlab_aqm::Codepoint::Ce;
    }

    fn header_fields(&self) -> HeaderFields {
        self.header
    }
}

/// Everything that happens behind these arrivals, in their order, at a link with a queue until an instant, in a run with this
/// seed. Marks are in the codepoints of what departs.
///
/// # Panics
/// If the link has no rate or no queue, or an arrival lies before the one before it.
#[must_use]
pub fn replay(
    scenario: &Scenario,
    seed: u64,
    link: LinkIndex,
    arrivals: &[ReplayedArrival],
    until: Time,
) -> Vec<(Time, ReplayedEvent, PacketFacts)> {
    let scenario = &*deviations::of_run(scenario, seed);
    let description = scenario.network.link(link);
    let rate = description.rate.expect("a link with a rate");
    let scheme = description.queue.as_ref().expect("a link with a queue");
    let mut link = Link {
        port: port_of(description, (rate, scheme), Key::from_seed(seed)),
        clock: TransmissionClock::new(rate),
        trace: description.trace.clone().map(TraceClock::new),
        framing: description.framing,
        ring: VecDeque::new(),
        ring_packets: description.transmit_ring_packets as usize,
        in_service: None,
        happened: Vec::new(),
    };
    for &arrival in arrivals {
        link.end_transmissions(arrival.at);
        link.arrive(arrival);
    }
    link.end_transmissions(until);
    link.happened
}

struct Link {
    port: Port<ReplayedArrival>,
    clock: TransmissionClock,
    trace: Option<TraceClock>,
    framing: aqmlab_scenario::Framing,
    ring: VecDeque<ReplayedArrival>,
    ring_packets: usize,
    /// What is being sent, and until when.
    in_service: Option<(ReplayedArrival, Time)>,
    happened: Vec<(Time, ReplayedEvent, PacketFacts)>,
}

impl Link {
    fn arrive(&mut self, arrival: ReplayedArrival) {
        let Self { port, happened, .. } = self;
        let mut discard = |packet: ReplayedArrival, reason| {
            happened.push((arrival.at, ReplayedEvent::Discard(reason), packet.facts));
        };
        port.arrive(arrival.at, arrival, &mut discard);
        self.take(arrival.at);
    }

    /// The driver takes what it has room for, and an idle link the first of it.
    fn take(&mut self, now: Time) {
        loop {
            if self.in_service.is_none() {
                if let Some(packet) = self.ring.pop_front() {
                    self.begin(now, packet);
                    continue;
                }
            } else if self.ring.len() >= self.ring_packets {
                return;
            }
            let Self { port, happened, .. } = self;
            let mut discard = |packet: ReplayedArrival, reason| {
                happened.push((now, ReplayedEvent::Discard(reason), packet.facts));
            };
            match port.depart(now, &mut discard) {
                None => return,
                Some(packet) if self.in_service.is_some() => self.ring.push_back(packet),
                Some(packet) => self.begin(now, packet),
            }
        }
    }

    fn begin(&mut self, now: Time, packet: ReplayedArrival) {
        let bytes = self.framing.wire_bytes(packet.facts.bytes);
        let ends = match &mut self.trace {
            None => now + self.clock.transmit(bytes),
            Some(trace) => trace.transmit(now, bytes),
        };
        self.in_service = Some((packet, ends));
    }

    fn end_transmissions(&mut self, now: Time) {
        while let Some((packet, ends)) = self.in_service.filter(|&(_, ends)| ends <= now) {
            self.happened.push((ends, ReplayedEvent::Departure, packet.facts));
            self.in_service = None;
            self.take(ends);
        }
    }
}
