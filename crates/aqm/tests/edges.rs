//! What a scheme does where one of its rules begins or ends, and what it says of itself, seen through a port.
//! Expected values are worked out from the rule as its source states it.

#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::algorithms::{ared, codel, drop_tail, fq_codel, pi, pie, red, rem};
use aqmlab_aqm::parts::{PiGains, Weight};
use aqmlab_aqm::{Codepoint, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use packet::TestPacket;
use std::borrow::Cow;

fn port(scheme: &Scheme) -> Port<TestPacket> {
    let facts = PortFacts::new(Rate::from_megabits_per_second(8.0));
    Port::new(scheme, facts, Key::from_seed(7).named("queue").stream())
}

fn observed(port: &Port<TestPacket>, name: &str) -> f64 {
    let mut found = None;
    port.observe(&mut |observed, value| {
        if observed == name {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("{name} is not observed"))
}

fn milliseconds(count: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(count)
}

/// Offers packets of 1000 bytes at one instant; answers how many were not let in.
fn offer(port: &mut Port<TestPacket>, now: Time, packets: u64, codepoint: Codepoint) -> u64 {
    let mut lost = 0;
    (0..packets)
        .for_each(|id| port.arrive(now, TestPacket::data(id, 1000, codepoint), &mut |_, _| lost += 1));
    lost
}

/// PIE without an allowance for bursts, whose probability is certainty from its first update on, 15 ms after
/// packets began to wait.
fn certain() -> pie::Params {
    pie::Params {
        limit_packets: Some(100),
        alpha_hz: 1e6,
        beta_hz: 1e6,
        auto_tuning: false,
        max_burst_ms: 0.0,
        ..pie::Params::default()
    }
}

#[test]
fn codel_and_rem_at_departure_decide_about_packets_that_wait() {
    let limit_packets = Some(10);
    let on_arrival = [
        Scheme::DropTail(drop_tail::Params { limit_packets, ..drop_tail::Params::default() }),
        Scheme::Red(red::Params { limit_packets, ..red::Params::default() }),
        Scheme::Ared(ared::Params { limit_packets, ..ared::Params::default() }),
        Scheme::Pi(pi::Params { limit_packets, ..pi::Params::default() }),
        Scheme::Rem(rem::Params { limit_packets, ..rem::Params::default() }),
        Scheme::Pie(pie::Params { limit_packets, ..pie::Params::default() }),
        Scheme::Pie(pie::Params {
            limit_packets,
            latency: pie::Latency::DepartureRate,
            ..pie::Params::default()
        }),
    ];
    for scheme in on_arrival {
        assert!(!port(&scheme).decides_about_waiting(), "{scheme:?}");
    }
    let codel = Scheme::CoDel(codel::Params { limit_packets, ..codel::Params::default() });
    let rem = rem::Params { limit_packets, point: rem::Point::Dequeue, ..rem::Params::default() };
    let fair = Scheme::FqCoDel(fq_codel::Params { ecn: false, ..fq_codel::Params::default() });
    assert!(port(&fair).decides_about_waiting());
    assert!(port(&codel).decides_about_waiting() && port(&Scheme::Rem(rem)).decides_about_waiting());
}

#[test]
fn the_probability_that_is_reported_is_the_one_of_the_rule() {
    let near = |port: &Port<TestPacket>, expected: f64| {
        let found = port.signal_probability().value();
        assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
    };
    // An average that follows the queue: ten packets lie in the middle between 5 and 15, half of max_p.
    let (limit_packets, w_q) = (Some(100), Weight::Fixed(1.0));
    let thresholds = (Some(5.0), Some(15.0));
    let red = red::Params {
        limit_packets,
        w_q,
        min_th_packets: thresholds.0,
        max_th_packets: thresholds.1,
        max_p: 1e-6,
        ..red::Params::default()
    };
    let ared = ared::Params {
        limit_packets,
        w_q,
        min_th_packets: thresholds.0,
        max_th_packets: thresholds.1,
        max_p: 1e-6,
        ..ared::Params::default()
    };
    for scheme in [Scheme::Red(red), Scheme::Ared(ared)] {
        let mut port = port(&scheme);
        assert_eq!(offer(&mut port, Time::ZERO, 11, Codepoint::NotEct), 0);
        near(&port, 0.5e-6);
    }
    // After 2 ms in which 10 packets came, 10 wait and 2 could have been sent: a price of
    // 0.001 · (0.1·(10 - 20) + 10 - 2) = 0.007, and 1 - 1.001^(-0.007).
    let mut rem = port(&Scheme::Rem(rem::Params { limit_packets, ..rem::Params::default() }));
    offer(&mut rem, Time::ZERO, 10, Codepoint::NotEct);
    rem.advance(milliseconds(2));
    near(&rem, 6.996_477_856e-6);
    // The head has waited for 15 ms, the target: 1.25 · 0.015; then for 30 ms: 0.125 · 0.015 + 1.25 · 0.015
    // more.
    let mut pie =
        port(&Scheme::Pie(pie::Params { limit_packets, auto_tuning: false, ..pie::Params::default() }));
    offer(&mut pie, Time::ZERO, 1, Codepoint::NotEct);
    pie.advance(milliseconds(15));
    near(&pie, 0.018_75);
    pie.advance(milliseconds(30));
    near(&pie, 0.018_75 + 0.020_625);
}

#[test]
fn a_lower_threshold_alone_takes_the_place_of_the_target_delay() {
    let params =
        ared::Params { limit_packets: Some(100), min_th_packets: Some(30.0), ..ared::Params::default() };
    let scheme = Scheme::Ared(params);
    assert_eq!(scheme.validate(), Ok(()));
    let port = port(&scheme);
    assert_eq!((observed(&port, "min_th_packets"), observed(&port, "max_th_packets")), (30.0, 90.0));
}

/// When packets are lost, in milliseconds, from a queue that never drains: one packet a millisecond leaves.
fn losses_of_a_standing_queue(ecn: bool, codepoint: Codepoint) -> Vec<u64> {
    let scheme = Scheme::CoDel(codel::Params { limit_packets: Some(1000), ecn, ..codel::Params::default() });
    let mut port = port(&scheme);
    offer(&mut port, Time::ZERO, 1000, codepoint);
    let mut losses = Vec::new();
    for now in 0..390 {
        let _ = port.depart(milliseconds(now), &mut |_, _| losses.push(now));
    }
    losses
}

#[test]
fn codel_drops_alike_where_ecn_is_off_at_the_queue_or_at_the_sender() {
    // 105, then gaps of 100/sqrt(1), 100/sqrt(2), ... ms, at the next whole millisecond.
    let losses = [105, 205, 276, 334, 384];
    assert_eq!(losses_of_a_standing_queue(false, Codepoint::Ect0), losses);
    assert_eq!(losses_of_a_standing_queue(true, Codepoint::NotEct), losses);
    assert!(losses_of_a_standing_queue(true, Codepoint::Ect0).is_empty());
}

#[test]
fn codel_leaves_its_dropping_state_when_the_queue_runs_empty() {
    for (ecn, codepoint) in [(false, Codepoint::Ect0), (true, Codepoint::NotEct)] {
        let params = codel::Params { limit_packets: Some(10), mtu_bytes: 1, ecn, ..codel::Params::default() };
        let mut port = port(&Scheme::CoDel(params));
        offer(&mut port, Time::ZERO, 3, codepoint);
        // The first has waited too long, an interval later the second has: it is dropped, and the last one is
        // delivered without a look at how long it waited.
        let mut lost = 0;
        let mut depart = |now| port.depart(milliseconds(now), &mut |_, _| lost += 1).map(|packet| packet.id);
        assert_eq!((depart(10), depart(120)), (Some(0), Some(2)));
        assert_eq!((lost, observed(&port, "dropping")), (1, 1.0));
        assert_eq!(port.depart(milliseconds(130), &mut |_, _| ()), None);
        assert_eq!(observed(&port, "dropping"), 0.0);
    }
}

#[test]
fn the_gains_of_pi_lie_strictly_between_their_bounds() {
    let refused = |a, b| {
        let params =
            pi::Params { limit_packets: Some(10), gains: pi::Gains::Fixed { a, b }, ..pi::Params::default() };
        Scheme::Pi(params).validate().err().map(|error| error.key)
    };
    assert_eq!(refused(2e-5, 1e-5), None);
    assert_eq!(refused(2e-5, 0.0), Some("gains.fixed.b".into()));
    assert_eq!(refused(2e-5, 2e-5), Some("gains.fixed.b".into()));
    assert_eq!(refused(2e-5, 3e-5), Some("gains.fixed.b".into()));
}

/// What is wrong with a design at a link of 1024 packets of 500 bytes per second.
fn wrong_design(flows: f64, rtt_ms: f64, sampling_hz: f64) -> Option<(Cow<'static, str>, String)> {
    let gains = pi::Gains::Designed { flows, rtt_ms };
    let scheme =
        Scheme::Pi(pi::Params { limit_packets: Some(10), gains, sampling_hz, ..pi::Params::default() });
    let facts = PortFacts::new(Rate::from_bits_per_second(1024 * 500 * 8));
    scheme.validate_at(&facts).err().map(|error| (error.key.clone(), error.to_string()))
}

#[test]
fn a_design_of_pi_is_refused_from_its_bounds_on() {
    // Half of w_g = 2N/(R²C) = 4/256: below it, and at it, one of the two gains is not positive.
    assert_eq!(wrong_design(2.0, 500.0, 0.007_812_6), None);
    let (key, said) = wrong_design(2.0, 500.0, 0.007_812_5).expect("a gain of nothing");
    assert_eq!(key, "sampling_hz");
    assert!(said.contains("above 0.008 per second = flows/(rtt²·C) for this design"), "{said}");
    // From β = 2N/(RC) = 0.86033 on nothing is left of the phase margin: N = 0.43017 · 512 packets.
    let most = PiGains::most_flows(0.5, 1024.0);
    assert_eq!((wrong_design(most.next_down(), 500.0, 160.0), most.round()), (None, 220.0));
    for flows in [most, 221.0] {
        let (key, said) = wrong_design(flows, 500.0, 160.0).expect("too many flows");
        assert_eq!(key, "gains.designed.flows");
        assert!(said.contains("from 1 to below 220.245 = 0.43·rtt·C, with C = 1024.0 packets/s"), "{said}");
    }
    // 1024 packets/s · 1 ms are one packet: not enough for one flow.
    let (key, said) = wrong_design(1.0, 1.0, 160.0).expect("no path for one flow");
    assert_eq!(key, "gains.designed.flows");
    assert!(
        said.contains("0.43·rtt·C = 0.440 flows") && said.contains("leave no design for even one"),
        "{said}"
    );
}

#[test]
fn pie_marks_below_its_threshold_and_drops_from_it_on() {
    // Certain selection: probability 1 lies below no legal threshold.
    let mut dropping = port(&Scheme::Pie(pie::Params { ecn: true, mark_ecn_threshold: 1.0, ..certain() }));
    offer(&mut dropping, Time::ZERO, 10, Codepoint::Ect0);
    assert_eq!(offer(&mut dropping, milliseconds(30), 5, Codepoint::Ect0), 5);
    assert_eq!(dropping.counters().marks().total().packets, 0);
    let gentle = pie::Params { beta_hz: 1e-9, alpha_hz: 1.0, ..certain() };
    let mut marking = port(&Scheme::Pie(pie::Params { ecn: true, mark_ecn_threshold: 0.9, ..gentle }));
    offer(&mut marking, Time::ZERO, 10, Codepoint::Ect0);
    marking.advance(milliseconds(150));
    // Nine steps of the head's wait beyond the target: 0.015 · (0 + 1 + ... + 9) = 0.675.
    assert!((marking.signal_probability().value() - 0.675).abs() < 1e-6);
    assert_eq!(offer(&mut marking, milliseconds(150), 50, Codepoint::Ect0), 0);
    assert!(marking.counters().marks().total().packets > 20, "of 50, each with 0.675");
    let early = |port: &Port<TestPacket>| port.counters().discards(Reason::Early).total().packets;
    assert_eq!((early(&marking), early(&dropping)), (0, 5));
}

#[test]
fn pie_selects_nothing_while_two_mean_packets_wait() {
    for (waiting, lost) in [(2, 0), (3, 1)] {
        let mut port = port(&Scheme::Pie(pie::Params { mean_packet_bytes: 1000, ..certain() }));
        offer(&mut port, Time::ZERO, waiting, Codepoint::NotEct);
        assert_eq!(offer(&mut port, milliseconds(30), 1, Codepoint::NotEct), lost, "behind {waiting}");
    }
}

#[test]
fn pie_begins_to_act_above_its_share_of_either_limit() {
    let packets =
        pie::Params { limit_packets: Some(10), activation_share: Some(0.5), ..pie::Params::default() };
    let bytes = pie::Params { limit_packets: None, limit_bytes: Some(10_000), ..packets.clone() };
    for params in [packets, bytes] {
        let mut port = port(&Scheme::Pie(params));
        // The sixth arrival finds five waiting, half the limit; the seventh finds more.
        offer(&mut port, Time::ZERO, 6, Codepoint::NotEct);
        assert_eq!(observed(&port, "burst_ms"), 0.0);
        offer(&mut port, Time::ZERO, 1, Codepoint::NotEct);
        assert_eq!(observed(&port, "burst_ms"), 150.0);
    }
}
