//! Published and worked numbers, seen through a port: what a user of the crate would measure.

#[path = "support/packet.rs"]
mod packet;

use aqmlab_aqm::algorithms::{ared, drop_tail, pi, red, rem};
use aqmlab_aqm::parts::{Bottom, IdleRule, LimitRule, Spacing, Weight, Word};
use aqmlab_aqm::{Codepoint, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Time};
use packet::TestPacket;

fn port_at(megabits_per_second: f64, scheme: &Scheme) -> Port<TestPacket> {
    let facts = PortFacts::new(Rate::from_megabits_per_second(megabits_per_second));
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

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} against {expected}");
}

/// Offers packets at one instant.
fn burst(port: &mut Port<TestPacket>, packets: u64, bytes: u32) {
    let now = Time::ZERO;
    (0..packets)
        .for_each(|id| port.arrive(now, TestPacket::data(id, bytes, Codepoint::NotEct), &mut |_, _| {}));
}

#[test]
fn full_buffers_of_the_studies_last_as_long_as_published() {
    for (megabits_per_second, limit, bytes, milliseconds) in [
        (100.0, 24, 500, 0.96),
        (100.0, 240, 500, 9.6),
        (100.0, 2400, 500, 96.0),
        (10.0, 480, 1000, 384.0),
        (10.0, 200, 615, 98.4),
    ] {
        let params = drop_tail::Params { limit_packets: Some(limit), ..drop_tail::Params::default() };
        let mut port = port_at(megabits_per_second, &Scheme::DropTail(params));
        burst(&mut port, 5_000, bytes);
        assert_close(port.bytes() as f64 * 8.0 / (megabits_per_second * 1e3), milliseconds, 1e-9);
    }
}

#[test]
fn ns2s_drop_tail_of_24_packets_holds_23() {
    let limit_rule = LimitRule::HoldLimitMinusOne;
    let params = drop_tail::Params { limit_packets: Some(24), limit_rule, ..drop_tail::Params::default() };
    let mut port = port_at(100.0, &Scheme::DropTail(params));
    burst(&mut port, 100, 500);
    assert_eq!(port.packets(), 23);
    assert_eq!(port.counters().discards(Reason::Overflow).total().packets, 77);
}

#[test]
fn red_lets_the_papers_longest_burst_pass() {
    // The packet that is decided about is not in the sample, so one packet more than the paper's 71 stays
    // below min_th = 5 at w_q = 0.002.
    let params = red::Params { limit_packets: Some(200), ..red::Params::default() };
    let mut port = port_at(10.0, &Scheme::Red(params));
    burst(&mut port, 72, 1000);
    assert!(observed(&port, "average_packets") < 5.0);
    burst(&mut port, 1, 1000);
    assert!(observed(&port, "average_packets") >= 5.0);
}

#[test]
fn adaptive_red_sets_itself_up_as_published() {
    for (megabits_per_second, mean_packet_bytes, target_delay_ms, w_q, min_th, max_th) in [
        (100.0, 500, None, 3.99992e-5, 62.5, 187.5),
        (10.0, 615, Some(10.0), 4.91879e-4, 10.163, 30.488),
        (10.0, 1000, Some(5.0), 7.99680e-4, 5.0, 15.0),
        (1.5, 500, None, 2.66311e-3, 5.0, 15.0),
    ] {
        let params = ared::Params {
            limit_packets: Some(240),
            mean_packet_bytes,
            target_delay_ms,
            bottom: Bottom::FromLinkRate(Word::FromLinkRate),
            ..ared::Params::default()
        };
        let port = port_at(megabits_per_second, &Scheme::Ared(params));
        assert_close(observed(&port, "w_q"), w_q, w_q * 2e-6);
        assert_close(observed(&port, "min_th_packets"), min_th, 5e-4);
        assert_close(observed(&port, "max_th_packets"), max_th, 5e-4);
        let bottom = if megabits_per_second == 100.0 { 8e-4 } else { (0.08 / megabits_per_second).min(0.01) };
        assert_close(observed(&port, "bottom"), bottom, 1e-15);
        assert_eq!(observed(&port, "max_p"), 0.1);
    }
}

#[test]
fn adaptive_red_without_traffic_steps_down_every_half_second_to_its_bottom() {
    let params = ared::Params { limit_packets: Some(240), ..ared::Params::default() };
    let mut port = port_at(10.0, &Scheme::Ared(params));
    port.advance(Time::from_seconds(2.499));
    assert_close(observed(&port, "max_p"), 0.1 * 0.9 * 0.9 * 0.9 * 0.9, 1e-15);
    port.advance(Time::from_seconds(2.5));
    assert_close(observed(&port, "max_p"), 0.059049, 1e-15);
    // 0.1·0.9²¹ = 0.01094 is still above 0.01, 0.1·0.9²² = 0.00985 is not: one step beyond the bound, then
    // none.
    port.advance(Time::from_seconds(100.0));
    assert_close(observed(&port, "max_p"), 0.00985, 5e-6);
}

#[test]
fn pi_is_an_integrator_of_a_constant_deviation() {
    // q = 300, q_ref = 200: after the first sample each one adds (a − b)·100.
    let params = pi::Params { limit_packets: Some(800), ..pi::Params::default() };
    let mut port = port_at(15.0, &Scheme::Pi(params));
    burst(&mut port, 300, 500);
    port.advance(Time::from_seconds(1.0 / 160.0));
    let first = 1.822e-5 * 100.0 + 1.816e-5 * 200.0;
    assert_close(port.signal_probability().value(), first, 1e-15);
    port.advance(Time::from_seconds(10.0));
    assert_close(port.signal_probability().value(), first + 1_599.0 * 6e-8 * 100.0, 1e-12);
}

#[test]
fn rem_knows_what_its_link_sends_in_an_interval() {
    for (megabits_per_second, mean_packet_bytes, packets) in [(10.0, 1000, 2.5), (100.0, 500, 50.0)] {
        let params = rem::Params { limit_packets: Some(240), mean_packet_bytes, ..rem::Params::default() };
        let port = port_at(megabits_per_second, &Scheme::Rem(params));
        assert_close(observed(&port, "capacity_packets"), packets, 1e-12);
    }
}

#[test]
fn rems_price_climbs_five_per_second_at_a_hundred_packets_too_many() {
    // Rates balanced: 5 packets every 2 ms at 20 Mbit/s of 1000 bytes, and 120 packets that stay.
    let params = rem::Params { limit_packets: Some(500), ecn: true, ..rem::Params::default() };
    let mut port = port_at(20.0, &Scheme::Rem(params));
    // ECN-capable packets stay in the queue whatever the coin says.
    let packet = |id| TestPacket::data(id, 1000, Codepoint::Ect0);
    (0..120).for_each(|id| port.arrive(Time::ZERO, packet(id), &mut |_, _| {}));
    let mut price_at = |seconds: u64| {
        for slot in 2_500 * (seconds - 1)..2_500 * seconds {
            let now = Time::from_nanoseconds(400_000 * slot);
            port.arrive(now, packet(slot), &mut |_, _| {});
            port.depart(now, &mut |_, _| {});
        }
        port.advance(Time::from_seconds(seconds as f64));
        observed(&port, "price")
    };
    let (first, second) = (price_at(1), price_at(2));
    assert_close(second - first, 5.0, 1e-9);
}

/// Signals of RED in `arrivals` arrivals that all find 10 packets, where the base probability is 0.02.
fn signals_at_one_in_fifty(spacing: Spacing, arrivals: u64) -> f64 {
    let params = red::Params {
        limit_packets: Some(100),
        min_th_packets: Some(5.0),
        max_th_packets: Some(30.0),
        w_q: Weight::Fixed(1.0),
        max_p: 0.1,
        spacing,
        idle: IdleRule::Ns2,
        ..red::Params::default()
    };
    let mut port = port_at(10.0, &Scheme::Red(params));
    burst(&mut port, 10, 1000);
    assert_eq!(port.packets(), 10);
    let before = port.counters().clone();
    for id in 0..arrivals {
        let now = Time::from_nanoseconds(id);
        port.arrive(now, TestPacket::data(id, 1000, Codepoint::NotEct), &mut |_, _| {});
        assert_close(observed(&port, "base_probability"), 0.02, 1e-12);
        if port.packets() > 10 {
            port.depart(now, &mut |_, _| {});
        }
    }
    port.counters().minus(&before).discards(Reason::Early).total().packets as f64
}

#[test]
fn long_run_signal_rates_are_those_of_the_spacing_laws() {
    // Mean and standard deviation of the spacing: a uniform law on n numbers has deviation sqrt((n² − 1)/12).
    let uniform = |n: f64| ((n * n - 1.0) / 12.0).sqrt();
    for (spacing, mean, deviation) in [
        (Spacing::Geometric, 50.0, 50.0 * 0.98_f64.sqrt()),
        (Spacing::Classic, 25.0, uniform(49.0)),
        (Spacing::Altq, 50.0, uniform(99.0)),
        (Spacing::Ns2Wait, 74.5, uniform(50.0)),
    ] {
        let arrivals = 400_000.0_f64;
        let found = signals_at_one_in_fifty(spacing, arrivals as u64);
        // Central limit theorem for renewal counts: variance arrivals·deviation²/mean³.
        let standard_error = deviation * (arrivals / (mean * mean * mean)).sqrt();
        assert_close(found, arrivals / mean, 4.0 * standard_error);
    }
}

#[test]
fn a_scheme_marks_the_share_of_packets_that_it_says() {
    // PI with a constant probability: 20 packets wait, as many as the reference.
    let gains = pi::Gains::Fixed { a: 0.01, b: 0.009 };
    let params = pi::Params {
        limit_packets: Some(100),
        q_ref_packets: 20.0,
        gains,
        ecn: true,
        ..pi::Params::default()
    };
    let mut port = port_at(10.0, &Scheme::Pi(params));
    burst(&mut port, 20, 500);
    // The first sample: a·0 − b·(0 − 20) = 0.18; after that nothing changes.
    let start = Time::from_seconds(1.0);
    port.advance(start);
    assert_close(port.signal_probability().value(), 0.18, 1e-15);
    let offered = 100_000;
    for id in 0..offered {
        port.arrive(start, TestPacket::data(id, 500, Codepoint::Ect0), &mut |_, _| {
            panic!("ECT packets are marked")
        });
        port.depart(start, &mut |_, _| {});
    }
    let share = port.counters().marks().total().packets as f64 / offered as f64;
    assert_close(share, 0.18, 4.0 * (0.18 * 0.82 / offered as f64).sqrt());
}
