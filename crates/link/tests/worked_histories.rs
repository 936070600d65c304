//! What a link tells its driver and its monitor: histories that are worked out by hand, instant by instant.
//!
//! Unless a test says otherwise the link has 10 Mbit/s, so that a packet of 1,250 bytes takes 1 ms.

mod packet;

use aqmlab_aqm::algorithms::{cake, codel, drop_tail, pi};
use aqmlab_aqm::parts::Limit;
use aqmlab_aqm::{
    Admission, Backlogs, Behind, Codepoint, Discipline, End, Guard, HeaderFields, InnerScheme, PacketClass,
    PacketFacts, Port, PortFacts, Reason, Scheduled, Scheduler, Scheme, Turn, Victim,
};
use aqmlab_link::{
    Aggregation, Framing, Link, Medium, MonitoredLink, News, Sent, ServiceModel, Slots, Transmitter,
};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use packet::Packet;

/// A packet that may be marked.
fn packet(flow: u64, bytes: u32) -> Packet {
    Packet(PacketFacts { flow, bytes, codepoint: Codepoint::Ect0, class: PacketClass::Data })
}

fn at(microseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(microseconds)
}

fn key() -> Key {
    Key::from_seed(2)
}

fn rate() -> Rate {
    Rate::from_megabits_per_second(10.0)
}

fn drop_tail(limit_packets: u32) -> Scheme {
    Scheme::DropTail(drop_tail::Params { limit_packets: Some(limit_packets), ..drop_tail::Params::default() })
}

fn port(scheme: &Scheme) -> Port<Packet> {
    Port::new(scheme, PortFacts::new(rate()), Key::from_seed(1).stream())
}

fn link(port: Port<Packet>, ring_packets: u32) -> Link<Packet> {
    Link::new(port, (&ServiceModel::Constant, key()), rate(), Framing::NONE, ring_packets)
}

/// Nothing is discarded.
fn kept(packet: Packet, reason: Reason) {
    panic!("{packet:?}: {}", reason.name());
}

/// News in microseconds: when the transmission ends that has begun, and when to ask again.
fn told(News { begun, asks_again }: News) -> [Option<u64>; 2] {
    [begun, asks_again].map(|when| when.map(|when| when.nanoseconds() / 1_000))
}

/// Each of three queues begins to send only in its slot of a millisecond, one after the other; a flow has the
/// queue of its number.
#[derive(Clone)]
struct TimeSlots;

impl Scheduler for TimeSlots {
    fn classify(&mut self, _: Time, _: &PacketFacts, header: &HeaderFields, _: &dyn Backlogs) -> usize {
        header.flow_hash as usize
    }

    fn on_queued(&mut self, _: Time, _: usize, _: &PacketFacts, _: &dyn Backlogs) {}

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let present = now.nanoseconds() / 1_000_000;
        let owner = |ahead: u64| ((present + ahead) % 3) as usize;
        match (0..=3).find(|&ahead| owner(ahead) < queues.queues() && queues.packets(owner(ahead)) > 0) {
            None => Turn::Nobody,
            Some(0) => Turn::Queue(owner(0)),
            Some(ahead) => Turn::At(Time::from_nanoseconds((present + ahead) * 1_000_000)),
        }
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32) {}

    fn on_empty(&mut self, _: Time, _: usize) {}

    fn victim(&mut self, _: Time, _: &dyn Backlogs) -> Victim {
        Victim { queue: 0, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }
}

fn slotted_port(queues: usize) -> Port<Packet> {
    let queues = (0..queues).map(|_| InnerScheme::default().build(&PortFacts::new(rate()))).collect();
    let discipline = Discipline::Scheduled(Scheduled::queues(Box::new(TimeSlots), queues));
    Port::with_discipline(discipline, Limit::of_packets(100), false, Key::from_seed(1).stream())
}

/// CAKE shapes to 8 Mbit/s: a packet of 1,000 bytes opens it for the next one 1 ms later, and takes the link
/// 0.8 ms.
#[test]
fn a_shaper_is_asked_again_when_it_opens() {
    let shaped = Scheme::Cake(cake::Params { rate_mbps: Some(8.0), ..cake::Params::default() });
    let mut link = link(port(&shaped), 0);
    let arrive = |link: &mut Link<Packet>, us| told(link.arrive(at(us), packet(1, 1_000), &mut kept));
    let end = |link: &mut Link<Packet>, us| {
        link.end_transmission();
        told(link.serve(at(us), &mut kept))
    };
    let ask = |link: &mut Link<Packet>, us| told(link.ask_again(at(us), &mut kept));
    assert_eq!(arrive(&mut link, 0), [Some(800), None]);
    assert_eq!(arrive(&mut link, 100), [None, None], "the link is sending");
    assert_eq!(end(&mut link, 800), [None, Some(1_000)], "idle, and the shaper closed until 1 ms");
    assert_eq!(arrive(&mut link, 900), [None, None], "the driver knows of that instant");
    assert_eq!(ask(&mut link, 950), [None, None], "too early, and still known");
    assert!(link.in_service().is_none() && link.port().packets() == 2);
    assert_eq!(ask(&mut link, 1_000), [Some(1_800), None]);
    assert_eq!(link.in_service().map(|packet| packet.0.bytes), Some(1_000));
    assert_eq!(ask(&mut link, 1_500), [None, None], "a link that sends has nothing to ask for");
    assert_eq!(end(&mut link, 1_800), [None, Some(2_000)], "the instant at 1 ms is over");
    assert_eq!(ask(&mut link, 2_000), [Some(2_800), None]);
    assert_eq!(end(&mut link, 2_800), [None, None], "nothing waits");
    // An arrival at an idle link whose shaper is closed.
    assert_eq!(arrive(&mut link, 2_900), [None, Some(3_000)]);
    assert_eq!(ask(&mut link, 3_000), [Some(3_800), None]);
}

#[test]
fn an_instant_that_becomes_earlier_is_told() {
    let mut link = link(slotted_port(3), 0);
    let arrive =
        |link: &mut Link<Packet>, us, flow| told(link.arrive(at(us), packet(flow, 1_250), &mut kept));
    assert_eq!(arrive(&mut link, 0, 2), [None, Some(2_000)], "the third slot");
    assert_eq!(arrive(&mut link, 100, 1), [None, Some(1_000)], "the second");
    assert_eq!(arrive(&mut link, 200, 1), [None, None]);
    assert_eq!(told(link.ask_again(at(1_000), &mut kept)), [Some(2_000), None]);
    assert_eq!(link.end_transmission().0.flow, 1);
    assert_eq!(told(link.serve(at(2_000), &mut kept)), [Some(3_000), None], "its own slot has come");
    assert_eq!(link.end_transmission().0.flow, 2);
    // The second packet of flow 1 waits for the next cycle.
    assert_eq!(told(link.serve(at(3_000), &mut kept)), [None, Some(4_000)]);
}

/// Everything else that happens at an instant comes before the port is asked again.
#[test]
fn an_arrival_that_opens_the_port_fills_the_ring_too() {
    let mut link = link(slotted_port(3), 1);
    let arrive = |link: &mut Link<Packet>, us| told(link.arrive(at(us), packet(1, 1_250), &mut kept));
    assert_eq!(arrive(&mut link, 0), [None, Some(1_000)]);
    // At 1 ms the second slot begins: the first packet is sent, and the ring takes the second.
    assert_eq!(arrive(&mut link, 1_000), [Some(2_000), None]);
    assert_eq!((link.port().packets(), link.under_way()), (0, 2));
    assert_eq!(told(link.ask_again(at(1_000), &mut kept)), [None, None]);
    // The ring is full. The slot is over when it has room again, and the next one of flow 1 begins at 4 ms.
    assert_eq!(arrive(&mut link, 1_500), [None, None]);
    link.end_transmission();
    assert_eq!(told(link.serve(at(2_000), &mut kept)), [Some(3_000), Some(4_000)]);
}

/// A transmission keeps the rate at which it began: 1 ms at 10 Mbit/s, then 2 ms at 5 Mbit/s.
#[test]
fn another_rate_holds_from_the_next_transmission_on() {
    let mut link = link(port(&drop_tail(10)), 0);
    assert_eq!(told(link.arrive(at(0), packet(1, 1_250), &mut kept)), [Some(1_000), None]);
    assert_eq!(told(link.arrive(at(0), packet(2, 1_250), &mut kept)), [None, None]);
    assert!(link.change_rate(Rate::from_megabits_per_second(5.0)));
    link.end_transmission();
    assert_eq!(told(link.serve(at(1_000), &mut kept)), [Some(3_000), None]);
    // A rate that varies by itself stays: the slots of 1 ms in each 2 ms go on at twice the link's rate.
    let slots = ServiceModel::Medium(Medium::Slots(Slots { cycle_ms: 2.0, slot_ms: 1.0, offset_ms: 0.0 }));
    let mut link = Link::new(port(&drop_tail(10)), (&slots, key()), rate(), Framing::NONE, 0);
    assert!(!link.change_rate(Rate::from_megabits_per_second(5.0)));
    assert_eq!(told(link.arrive(at(0), packet(1, 1_250), &mut kept)), [Some(500), None]);
}

#[test]
fn a_packet_that_is_lost_on_its_way_is_counted_and_never_queued() {
    let mut link = link(port(&drop_tail(10)), 0);
    let mut lost = Vec::new();
    link.lose(packet(7, 1_250), &mut |packet, reason| lost.push((packet.0.flow, reason)));
    assert_eq!(lost, [(7, Reason::Impairment)]);
    let counters = link.port().counters();
    assert_eq!(counters.arrivals().total().bytes, 1_250);
    assert_eq!(counters.discards(Reason::Impairment).total().packets, 1);
    assert!(!link.is_sending() && link.packets().count() == 0);
}

/// Up to 3,000 bytes travel together, each for a microsecond; the first packet finds the link idle and goes
/// alone. A transmission that is full takes nothing more out of the queue; one that has a byte left takes a
/// packet, which does not fit and waits in the ring.
#[test]
fn a_transmission_asks_for_another_packet_while_a_byte_is_free() {
    let aggregation = Aggregation { overhead_us: 0.0, most_packets: 10, most_bytes: 3_000 };
    let service = ServiceModel::Medium(Medium::Aggregation(aggregation));
    for (third, in_queue, ends) in [(1_000, 1, 4_000), (999, 0, 3_999)] {
        let rate = Rate::from_megabits_per_second(8.0);
        let mut link = Link::new(port(&drop_tail(10)), (&service, key()), rate, Framing::NONE, 0);
        assert_eq!(told(link.arrive(at(0), packet(0, 1_000), &mut kept)), [Some(1_000), None]);
        for (flow, bytes) in [(1, 1_000), (2, 1_000), (3, third), (4, 1_000)] {
            assert_eq!(told(link.arrive(at(0), packet(flow, bytes), &mut kept)), [None, None]);
        }
        assert!(!link.carries_another());
        assert_eq!(link.end_transmission().0.flow, 0);
        assert_eq!(told(link.serve(at(1_000), &mut kept)), [Some(ends), None]);
        assert_eq!((link.port().packets(), link.under_way()), (in_queue, 4 - u64::from(in_queue)));
        let left = [(); 3].map(|()| (link.carries_another(), link.end_transmission().0.flow));
        assert_eq!(left, [(true, 1), (true, 2), (false, 3)]);
        assert!(!link.is_sending());
        assert_eq!(told(link.serve(at(ends), &mut kept)), [Some(ends + 1_000), None]);
    }
}

/// IEEE 802.3: 14 bytes of header and 4 of check sequence, 64 at least, 8 of preamble and 12 of gap.
#[test]
fn a_transmitter_sends_one_after_the_other_and_counts_frames() {
    let ethernet = Framing { overhead_bytes: 18, minimum_frame_bytes: 64, gap_bytes: 20, ..Framing::NONE };
    let mut transmitter = Transmitter::constant(rate(), ethernet);
    // 1,212 bytes of IP are 1,230 of a frame and 1,250 on the wire.
    let ends = [0, 500, 5_000].map(|us| transmitter.send(at(us), 1_212));
    assert_eq!(ends, [1_000, 2_000, 6_000].map(at));
    let first = transmitter.sent();
    assert_eq!(first, Sent { frames: 3, frame_bytes: 3_690, ip_bytes: 3_636 });
    assert_eq!(transmitter.send(at(8_000), 1_212), at(9_000));
    assert_eq!(transmitter.sent().minus(first), Sent { frames: 1, frame_bytes: 1_230, ip_bytes: 1_212 });
    let spent = [8_500, 9_000, 20_000].map(|us| transmitter.transmitting(at(us)));
    assert_eq!(spent, [3_500, 4_000, 4_000].map(Span::from_microseconds));
}

/// PI, 100 times a second: p grows by 0.1·q - 0.05·q_old where nothing is to wait. Two packets of mean size
/// wait: 0.2 at 10 ms, and 0.1·2 - 0.05·2 more at 20 ms.
#[test]
fn a_monitor_sees_the_queue_as_time_has_left_it() {
    let scheme = Scheme::Pi(pi::Params {
        limit_packets: Some(10),
        q_ref_packets: 0.0,
        mean_packet_bytes: 1_250,
        sampling_hz: 100.0,
        gains: pi::Gains::Fixed { a: 0.1, b: 0.05 },
        ..pi::Params::default()
    });
    let slow = Rate::from_bits_per_second(100_000);
    let mut link = Link::new(port(&scheme), (&ServiceModel::Constant, key()), slow, Framing::NONE, 0);
    for flow in 0..3 {
        assert_eq!(
            link.arrive(at(0), packet(flow, 1_250), &mut kept).begun,
            (flow == 0).then_some(at(100_000))
        );
    }
    let monitored: &mut dyn MonitoredLink = &mut link;
    assert_eq!((monitored.queue().packets(), monitored.queue().bytes()), (2, 2_500));
    for (us, probability) in [(9_999, 0.0), (10_000, 0.2), (20_000, 0.3)] {
        monitored.queue_mut().advance(at(us));
        let near = |value: f64| (value - probability).abs() < 1e-12;
        assert!(monitored.queue().signal_probability().is_some_and(|now| near(now.value())), "{us}");
        let mut seen = Vec::new();
        monitored.queue().observe(&mut |name, value| seen.push((name, value)));
        assert!(seen.iter().any(|&(name, value)| name == "probability" && near(value)), "{us}: {seen:?}");
    }
    assert!(monitored.queue().parts().is_none(), "one queue without guards");
    let snapshot = monitored.snapshot(at(20_000));
    assert_eq!((snapshot.sent, snapshot.transmitting), (Sent::default(), Span::from_milliseconds(20)));
    assert_eq!(snapshot.counters.arrivals().total().packets, 3);
    assert_eq!(snapshot.occupancy.mean_packets_since(&aqmlab_aqm::Occupancy::ZERO), 2.0);
    assert!(snapshot.queues.is_none());
}

#[test]
fn of_several_queues_those_that_saw_a_packet_are_reported() {
    let parts = |queues, flows: &[u64]| {
        let mut link = link(slotted_port(queues), 0);
        for &flow in flows {
            let _ = link.arrive(at(0), packet(flow, 1_250), &mut kept);
        }
        let parts = link.queue().parts().expect("it sorts packets into queues");
        parts.iter().map(|(queue, counters)| (*queue, counters.arrivals.packets)).collect::<Vec<_>>()
    };
    assert_eq!(parts(3, &[0, 2, 2]), [(0, 1), (2, 2)]);
    assert_eq!(parts(3, &[1]), [(1, 1)]);
    assert_eq!(parts(1, &[0]), [(0, 1)]);
    assert_eq!(parts(1, &[]), []);
}

/// Lets everything pass, and is asked.
#[derive(Clone)]
struct Open;

impl Guard for Open {
    fn admits(
        &mut self,
        _: Time,
        _: &PacketFacts,
        _: &HeaderFields,
        _: &Behind<'_>,
        _: &mut Stream,
    ) -> Admission {
        Admission::Pass
    }
}

#[test]
fn a_departure_is_known_on_arrival_where_nothing_is_decided_later() {
    let predictable = |port, ring| link(port, ring).is_predictable();
    assert!(predictable(port(&drop_tail(10)), 0));
    assert!(!predictable(port(&drop_tail(10)), 1), "a ring");
    assert!(
        !predictable(
            port(&Scheme::CoDel(codel::Params { limit_packets: Some(10), ..codel::Params::default() })),
            0
        ),
        "decides at the head"
    );
    let discipline = drop_tail(10).build(&PortFacts::new(rate())).guarded_by(Box::new(Open));
    let guarded: Port<Packet> =
        Port::with_discipline(discipline, Limit::of_packets(10), false, Key::from_seed(1).stream());
    assert!(guarded.classifies() && !guarded.decides_about_waiting());
    assert!(!predictable(guarded, 0), "a guard is told of departures");
}

/// One may wait: the third packet finds the place that the second has just left.
#[test]
fn what_ends_at_an_instant_has_left_before_an_arrival_of_that_instant() {
    let mut link = link(port(&drop_tail(1)), 0);
    let sent = [0, 0, 1_000, 1_999].map(|us| {
        let full = &mut |_, reason| assert_eq!(reason, Reason::Overflow);
        link.predict(at(us), packet(1, 1_250), full).map(|(_, sent)| sent)
    });
    assert_eq!(sent, [Some(at(1_000)), Some(at(2_000)), Some(at(3_000)), None]);
    link.catch_up(at(3_000));
    assert!(!link.is_sending());
    assert_eq!(link.sent().frames, 3);
}
