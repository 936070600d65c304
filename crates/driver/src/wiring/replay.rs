//! What a link does with arrivals that were recorded elsewhere: the proof that a live run's queue decided as
//! a simulated one.

use crate::wiring::deviations;
use crate::wiring::links::link_of;
use aqmlab_aqm::{Acknowledgement, Codepoint, HeaderFields, PacketFacts, Queued, Reason};
use aqmlab_link::{Link, News};
use aqmlab_random::Key;
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::Time;

/// A packet that came to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedArrival {
    /// When.
    pub at: Time,
    /// What schemes see of it.
    pub facts: PacketFacts,
    /// What queues sort it by.
    pub header: HeaderFields,
    /// What it acknowledges.
    pub acknowledgement: Option<Acknowledgement>,
    /// Whether it came before the end of a transmission of this link at the same instant. Which is first is
    /// the network's to say: where a link leads straight to this one, the end of its transmission brings the
    /// packet.
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
        self.facts.codepoint = Codepoint::Ce;
    }

    fn header_fields(&self) -> HeaderFields {
        self.header
    }

    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.acknowledgement
    }
}

/// Everything that happens behind these arrivals, in their order, at a link with a queue until an instant, in
/// a run with this seed. Marks are in the codepoints of what departs.
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
    let mut replay = Replay {
        link: link_of(description, (rate, scheme), Key::from_seed(seed)),
        ends: None,
        asks_again: None,
        happened: Vec::new(),
    };
    for arrival in arrivals {
        replay
            .pass_until(|at, is_end| at < arrival.at || (at == arrival.at && is_end && !arrival.before_end));
        replay.act(arrival.at, |link, mut discarded| link.arrive(arrival.at, *arrival, &mut discarded));
    }
    replay.pass_until(|at, _| at <= until);
    replay.happened
}

/// A link, and what is pending there.
struct Replay {
    link: Link<ReplayedArrival>,
    ends: Option<Time>,
    asks_again: Option<Time>,
    happened: Vec<(Time, ReplayedEvent, PacketFacts)>,
}

impl Replay {
    /// Lets the link act, and notes what it discards and what comes of it.
    fn act(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut Link<ReplayedArrival>, &mut dyn FnMut(ReplayedArrival, Reason)) -> News,
    ) {
        let Self { link, happened, .. } = self;
        let mut discarded = |packet: ReplayedArrival, reason| {
            happened.push((now, ReplayedEvent::Discard(reason), packet.facts));
        };
        let News { begun, asks_again } = act(link, &mut discarded);
        self.ends = self.ends.or(begun);
        self.asks_again = [self.asks_again, asks_again].into_iter().flatten().min();
    }

    /// Lets everything happen by itself that is due: asked with the instant, and whether a transmission ends
    /// then.
    fn pass_until(&mut self, is_due: impl Fn(Time, bool) -> bool) {
        loop {
            let [ends, asks_again] = [self.ends, self.asks_again].map(|at| at.unwrap_or(Time::MAX));
            let (now, is_end) = if ends <= asks_again { (ends, true) } else { (asks_again, false) };
            if now == Time::MAX || !is_due(now, is_end) {
                return;
            }
            if is_end {
                self.end_transmission(now);
            } else {
                self.asks_again = None;
                self.act(now, |link, mut discarded| link.ask_again(now, &mut discarded));
            }
        }
    }

    fn end_transmission(&mut self, now: Time) {
        self.ends = None;
        while self.link.is_sending() {
            let packet = self.link.end_transmission();
            self.happened.push((now, ReplayedEvent::Departure, packet.facts));
        }
        self.act(now, |link, mut discarded| link.serve(now, &mut discarded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wiring::links::key_of_service;
    use aqmlab_aqm::PacketClass;
    use aqmlab_link::conformance::{Arrival, Case, Outcome, expected};
    use aqmlab_units::Span;

    /// Wire frames of 1,250 bytes take 1 ms at 10 Mbit/s. One is sent and one waits, which is all that there
    /// is room for, when another comes at the instant at which the first has been sent.
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
            acknowledgement: None,
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

    #[test]
    fn a_replay_sends_and_refuses_what_the_reference_of_links_does() {
        let until = Time::from_seconds(1e5);
        for seed in 0..100 {
            let mut dice = Key::from_seed(seed).stream();
            let mut case = Case::drawn(&mut dice);
            let text = format!("duration_s = 9.0\n{}[users]\nper_side = 1\n", case.scenario_text());
            let scenario = Scenario::from_toml(&text, "case", &[]).unwrap_or_else(|error| panic!("{error}"));
            case.key = key_of_service(&scenario.network.links[0], Key::from_seed(1));
            let arrivals = case.arrivals(150, &mut dice);
            let arrived = arrivals.iter().zip(0..).map(|(&Arrival { at, ip_bytes }, flow)| ReplayedArrival {
                at,
                facts: PacketFacts {
                    flow,
                    bytes: ip_bytes,
                    codepoint: Codepoint::NotEct,
                    class: PacketClass::Data,
                },
                header: HeaderFields::default(),
                acknowledgement: None,
                before_end: false,
            });
            let arrived: Vec<ReplayedArrival> = arrived.collect();
            let mut outcomes = vec![None; arrivals.len()];
            for (at, event, facts) in replay(&scenario, 1, LinkIndex(0), &arrived, until) {
                let outcome = match event {
                    ReplayedEvent::Departure => Outcome::Departs(at),
                    ReplayedEvent::Discard(_) => Outcome::Overflows,
                };
                assert_eq!(outcomes[usize::try_from(facts.flow).unwrap()].replace(outcome), None, "once");
            }
            let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
            assert_eq!(outcomes, expected(&case, &arrivals), "{case:?}");
        }
    }

    /// A shaper of 1 Mbit/s in front of a link of 100: packets of 1,250 bytes leave the queue every 10 ms,
    /// and need 0.1 ms.
    #[test]
    fn a_port_that_holds_back_what_waits_is_asked_again() {
        let text = "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 100.0\nlayer2_overhead_bytes = 0\n\
                    layer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n\
                    queue = { scheme = \"cake\", rate_mbps = 1.0 }\n[users]\nper_side = 1\n";
        let scenario = Scenario::from_toml(text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
        let facts =
            PacketFacts { flow: 1, bytes: 1_250, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        let arrival = ReplayedArrival {
            at: Time::ZERO,
            facts,
            header: HeaderFields::default(),
            acknowledgement: None,
            before_end: false,
        };
        let rows = replay(&scenario, 1, LinkIndex(0), &[arrival; 3], Time::from_seconds(1.0));
        let left: Vec<u64> = rows.iter().map(|(at, ..)| at.nanoseconds() / 1_000).collect();
        assert_eq!(left, [100, 10_100, 20_100]);
    }
}
