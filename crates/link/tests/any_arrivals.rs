//! A bare link under random arrivals, beside the reference that every driver of a link is compared with.

mod packet;

use aqmlab_aqm::{
    Codepoint, PacketClass, PacketFacts, Port, PortFacts, Reason, Scheme, algorithms::drop_tail,
};
use aqmlab_link::conformance::{Arrival, Case, Outcome, expected};
use aqmlab_link::{Link, MonitoredLink, News};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use packet::Packet;
use proptest::prelude::*;

fn packet(number: usize, ip_bytes: u32) -> Packet {
    Packet(PacketFacts {
        flow: number as u64,
        bytes: ip_bytes,
        codepoint: Codepoint::NotEct,
        class: PacketClass::Data,
    })
}

fn link_of(case: &Case) -> Link<Packet> {
    let limit_packets = Some(case.limit_packets);
    let scheme = Scheme::DropTail(drop_tail::Params { limit_packets, ..drop_tail::Params::default() });
    let port = Port::new(&scheme, PortFacts::new(case.rate), Key::from_seed(1).stream());
    Link::new(port, (&case.service, case.key), case.rate, case.framing, case.ring_packets)
}

/// What a driver makes of a link: it ends transmissions when they are over, before arrivals at the same
/// instant.
struct Driver {
    link: Link<Packet>,
    ends: Option<Time>,
    outcomes: Vec<Option<Outcome>>,
}

impl Driver {
    fn note(&mut self, News { begun, asks_again }: News) {
        assert!(begun.is_none() || self.ends.is_none(), "one transmission at a time");
        assert_eq!(asks_again, None, "nothing holds back what waits here");
        self.ends = self.ends.or(begun);
    }

    fn end_transmissions(&mut self, until: Time) {
        while let Some(now) = self.ends.filter(|&ends| ends <= until) {
            while self.link.is_sending() {
                let sent = self.link.end_transmission();
                self.outcomes[sent.0.flow as usize] = Some(Outcome::Departs(now));
            }
            self.ends = None;
            let news = self.link.serve(now, &mut |_, reason| panic!("{}", reason.name()));
            self.note(news);
        }
    }

    fn arrive(&mut self, number: usize, Arrival { at, ip_bytes }: Arrival) {
        self.end_transmissions(at);
        let outcomes = &mut self.outcomes;
        let news = self.link.arrive(at, packet(number, ip_bytes), &mut |packet, reason| {
            assert_eq!(reason, Reason::Overflow);
            outcomes[packet.0.flow as usize] = Some(Outcome::Overflows);
        });
        self.note(news);
    }
}

fn drive(case: &Case, arrivals: &[Arrival]) -> (Vec<Outcome>, Link<Packet>) {
    let mut driver = Driver { link: link_of(case), ends: None, outcomes: vec![None; arrivals.len()] };
    for (number, &arrival) in arrivals.iter().enumerate() {
        driver.arrive(number, arrival);
        let (link, known) = (&driver.link, driver.outcomes.iter().flatten().count());
        assert_eq!(link.packets().count(), number + 1 - known, "every packet is somewhere");
        assert_eq!(u64::from(link.port().packets()) + link.under_way(), link.packets().count() as u64);
    }
    driver.end_transmissions(Time::MAX);
    (driver.outcomes.into_iter().flatten().collect(), driver.link)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_link_sends_and_refuses_what_the_reference_does(seed: u64) {
        let mut dice = Key::from_seed(seed).stream();
        let case = Case::drawn(&mut dice);
        let arrivals = case.arrivals(200, &mut dice);
        let (outcomes, link) = drive(&case, &arrivals);
        let wanted = expected(&case, &arrivals);
        prop_assert_eq!(&outcomes, &wanted, "{:?}", case);
        let sent: Vec<&Arrival> = arrivals.iter().zip(&wanted).filter(|(_, outcome)| **outcome != Outcome::Overflows)
            .map(|(arrival, _)| arrival).collect();
        let bytes = |of: &dyn Fn(u32) -> u32| sent.iter().map(|arrival| u64::from(of(arrival.ip_bytes))).sum::<u64>();
        prop_assert_eq!(link.sent().frames, sent.len() as u64);
        prop_assert_eq!(link.sent().ip_bytes, bytes(&|ip| ip));
        prop_assert_eq!(link.sent().frame_bytes, bytes(&|ip| case.framing.frame_bytes(ip)));
    }

    /// Where departures can be predicted they are as they will be, packet by packet, and the link ends up the
    /// same.
    #[test]
    fn what_is_predicted_is_what_happens(seed: u64) {
        let mut dice = Key::from_seed(seed).stream();
        let case = Case::drawn(&mut dice);
        let mut link = link_of(&case);
        prop_assert_eq!(link.is_predictable(), case.ring_packets == 0 && case.service.is_constant());
        if !link.is_predictable() {
            return Ok(());
        }
        let arrivals = case.arrivals(200, &mut dice);
        let mut outcomes = Vec::new();
        for (number, arrival) in arrivals.iter().enumerate() {
            let mut discard = |_: Packet, reason| assert_eq!(reason, Reason::Overflow);
            let sent = link.predict(arrival.at, packet(number, arrival.ip_bytes), &mut discard);
            outcomes.push(sent.map_or(Outcome::Overflows, |(_, sent)| Outcome::Departs(sent)));
        }
        prop_assert_eq!(&outcomes, &expected(&case, &arrivals), "{:?}", case);
        let (_, told) = drive(&case, &arrivals);
        let end = Time::from_seconds(1e6);
        link.catch_up(end);
        prop_assert_eq!(link.sent(), told.sent());
        prop_assert_eq!(link.transmitting(end), told.transmitting(end));
        prop_assert_eq!(link.port().counters(), told.port().counters());
    }
}

/// Three packets of 1,250 bytes with pauses between them on a link of 10 Mbit/s.
#[test]
fn time_is_spent_sending_while_a_frame_is_on_the_wire() {
    let case = Case {
        rate: aqmlab_units::Rate::from_megabits_per_second(10.0),
        service: aqmlab_link::ServiceModel::Constant,
        key: Key::from_seed(1),
        framing: aqmlab_link::Framing::NONE,
        ring_packets: 0,
        limit_packets: 10,
    };
    let at = |us| Time::ZERO + Span::from_microseconds(us);
    let arrivals = [0, 5_000, 9_000].map(|us| Arrival { at: at(us), ip_bytes: 1_250 });
    let (outcomes, link) = drive(&case, &arrivals);
    assert_eq!(outcomes, [1_000, 6_000, 10_000].map(|us| Outcome::Departs(at(us))));
    let spent = [9_000, 9_400, 10_000, 20_000].map(|us| link.transmitting(at(us)));
    assert_eq!(spent, [2_000, 2_400, 3_000, 3_000].map(Span::from_microseconds));
}
