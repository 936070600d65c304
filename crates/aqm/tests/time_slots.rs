//! A scheduler with time in another crate: one file and one line, [`register`](aqmlab_aqm::register). Queues
//! take turns in a fixed cycle (time division), as the gates of IEEE 802.1Q-2018, section 8.6.8.4.

use aqmlab_aqm::conformance::{self, TestPacket};
use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{
    Backlogs, Codepoint, Discipline, End, HeaderFields, InnerScheme, PacketFacts, ParameterError, Parameters,
    Port, PortFacts, Scheduled, Scheduler, Scheme, Turn, Victim,
};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time slots: each of some queues begins to send only in its slot of a cycle.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Packets that may wait in all queues together.
    limit_packets: u32,
    /// Slots of a cycle, one for each queue.
    slots: u32,
    /// Length of a slot, in microseconds.
    slot_us: u32,
}

impl Default for Params {
    fn default() -> Self {
        Self { limit_packets: 100, slots: 4, slot_us: 2_000 }
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        for (key, value) in [("slots", self.slots), ("slot_us", self.slot_us)] {
            if !(1..=1_000_000).contains(&value) || (key == "slots" && value > 64) {
                let legal = "from 1 on, at most 64 slots of a second".to_owned();
                return Err(ParameterError { key: key.into(), value: Some(value.to_string()), legal });
            }
        }
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit { packets: Some(self.limit_packets), bytes: None, rule: LimitRule::HoldLimit }
    }

    fn ecn(&self) -> bool {
        false
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn queues(&self) -> usize {
        self.slots as usize
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let slots =
            TimeSlots { slot: Span::from_microseconds(self.slot_us.into()), slots: self.slots.into() };
        let queues = (0..self.slots).map(|_| InnerScheme::default().build(facts)).collect();
        Discipline::Scheduled(Scheduled::queues(Box::new(slots), queues))
    }
}

#[derive(Clone)]
struct TimeSlots {
    slot: Span,
    slots: u64,
}

impl Scheduler for TimeSlots {
    fn classify(&mut self, _: Time, _: &PacketFacts, header: &HeaderFields, _: &dyn Backlogs) -> usize {
        header.flow_hash as usize % self.slots as usize
    }

    fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let present = (now - Time::ZERO).div_floor(self.slot);
        let owner = |ahead: u64| ((present + ahead) % self.slots) as usize;
        match (0..=self.slots).find(|&ahead| queues.packets(owner(ahead)) > 0) {
            None => Turn::Nobody,
            Some(0) => Turn::Queue(owner(0)),
            Some(ahead) => Turn::At(Time::from_nanoseconds((present + ahead) * self.slot.nanoseconds())),
        }
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

    fn on_empty(&mut self, _: Time, _: usize) {}

    fn victim(&mut self, _: Time, queues: &dyn Backlogs) -> Victim {
        let queue = (0..queues.queues()).max_by_key(|&queue| queues.packets(queue)).unwrap_or_default();
        Victim { queue, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }
}

#[test]
fn a_packet_waits_for_its_slot() {
    let scheme = Params { slots: 3, slot_us: 1_000, ..Params::default() };
    let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
    let coins = Key::from_seed(1).stream();
    let mut port = Port::with_discipline(scheme.build(&facts), scheme.limit(), false, coins);
    let at = |us: u64| Time::ZERO + Span::from_microseconds(us);
    let none = &mut |_: TestPacket, _| unreachable!("there is room");
    let packet = |id: u64, flow: u64| {
        let packet = TestPacket::data(id, 1_000, Codepoint::NotEct);
        TestPacket { facts: PacketFacts { flow, ..packet.facts }, ..packet }
    };
    // Flows 1 and 2 are those of the second and third slot: from 1 and from 2 ms on, in each 3 ms.
    for (id, flow) in [(0, 2), (1, 1), (2, 2), (3, 1)] {
        port.arrive(at(0), packet(id, flow), none);
    }
    let mut left = Vec::new();
    let mut now = at(0);
    while port.packets() > 0 {
        match port.depart(now, none) {
            Some(packet) => {
                left.push((now, packet.id));
                // A packet takes 0.8 ms.
                now += Span::from_microseconds(800);
            }
            None => now = port.opens().unwrap(),
        }
    }
    // The third slot is over at 3 ms, before a second packet of it could begin at 3.4 ms.
    assert_eq!(left, [(at(1_000), 1), (at(1_800), 3), (at(2_600), 0), (at(5_000), 2)]);
}

#[test]
fn it_keeps_what_every_scheme_owes() {
    aqmlab_aqm::register::<Params>("time-slots").unwrap();
    assert!(Scheme::names().contains(&"time-slots"));
    assert_eq!(conformance::check("time-slots", 40), []);
}

/// A scheduler that names an instant and never lets go is found.
#[test]
fn a_scheduler_that_keeps_packets_for_ever_is_found() {
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    struct Never {
        /// Packets that may wait.
        limit_packets: Option<u32>,
    }

    impl Parameters for Never {
        fn validate(&self) -> Result<(), ParameterError> {
            Ok(())
        }

        fn limit(&self) -> Limit {
            Limit { packets: self.limit_packets, bytes: None, rule: LimitRule::HoldLimit }
        }

        fn ecn(&self) -> bool {
            false
        }

        fn is_one_queue(&self) -> bool {
            false
        }

        fn build(&self, facts: &PortFacts) -> Discipline {
            let queues = vec![InnerScheme::default().build(facts)];
            Discipline::Scheduled(Scheduled::queues(Box::new(Tomorrow), queues))
        }
    }

    #[derive(Clone)]
    struct Tomorrow;

    impl Scheduler for Tomorrow {
        fn classify(&mut self, _: Time, _: &PacketFacts, _: &HeaderFields, _: &dyn Backlogs) -> usize {
            0
        }

        fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

        fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
            let tomorrow = now + Span::from_milliseconds(1);
            if queues.waiting() > 0 { Turn::At(tomorrow) } else { Turn::Nobody }
        }

        fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

        fn on_empty(&mut self, _: Time, _: usize) {}

        fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
            Victim { queue: 0, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
        }
    }

    aqmlab_aqm::register::<Never>("never").unwrap();
    let findings = conformance::check("never", 20);
    let named = findings.iter().find(|finding| finding.property.starts_with("draining"));
    let wrong = named.map(|finding| &*finding.wrong).unwrap_or_default();
    assert!(wrong.contains("packets wait after 20000 questions"), "{findings:?}");
}
