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
    /// Whether it came before the end of a transmission of this link at the same instant. Which is first is the network's
    /// to say: where a link leads straight to this one, the end of its transmission brings the packet.
    pub before_end: bool,
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
        link.end_transmissions(|ends| ends < arrival.at || (ends == arrival.at && !arrival.before_end));
        link.arrive(arrival);
    }
    link.end_transmissions(|ends| ends <= until);
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

    fn end_transmissions(&mut self, is_due: impl Fn(Time) -> bool) {
        while let Some((packet, ends)) = self.in_service.filter(|&(_, ends)| is_due(ends)) {
            self.happened.push((ends, ReplayedEvent::Departure, packet.facts));
            self.in_service = None;
            self.take(ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_aqm::{Codepoint, PacketClass};
    use aqmlab_units::Span;

    /// Wire frames of 1,250 bytes take 1 ms at 10 Mbit/s. One is sent and one waits, which is all that there is room for, when
    /// another comes at the instant at which the first has been sent.
    #[test]
    fn an_arrival_is_before_or_behind_the_end_of_a_transmission_as_it_is_said_to_be() {
        let text = "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\nqueue = { scheme = \"drop-tail\", \
                    limit_packets = 1 }\n[users]\nper_side = 1\n";
        let scenario = Scenario::from_toml(text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let name = |link: &aqmlab_scenario::Link| link.name == "left-to-right";
        let place = scenario.network.links.iter().position(name).unwrap();
        let link = LinkIndex(u32::try_from(place).unwrap());
        // 20 bytes of preamble and gap, 18 of header and check sequence.
        let facts = PacketFacts {
            flow: 1,
            bytes: 1_250 - 38,
            codepoint: Codepoint::NotEct,
            class: PacketClass::Data,
        };
        let at = |ms, before_end| ReplayedArrival {
            at: Time::ZERO + Span::from_milliseconds(ms),
            facts,
            header: HeaderFields::default(),
            before_end,
        };
        let until = Time::ZERO + Span::from_milliseconds(10);
        let happened = |before_end| {
            let arrivals = [at(0, false), at(0, false), at(1, before_end)];
            let rows = replay(&scenario, 1, link, &arrivals, until);
            rows.into_iter().map(|(at, event, _)| (at.nanoseconds() / 1_000_000, event)).collect::<Vec<_>>()
        };
        let sent = |ms| (ms, ReplayedEvent::Departure);
        assert_eq!(happened(false), [sent(1), sent(2), sent(3)]);
        assert_eq!(happened(true), [(1, ReplayedEvent::Discard(Reason::Overflow)), sent(1), sent(2)]);
    }
}
