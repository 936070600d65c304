//! One loss, delay or mark at a chosen place, and what it costs. Milliseconds are from the request's writing
//! to the last byte of the response, worked by hand for a round trip of 80 ms, a first timeout of 1 s,
//! delayed acknowledgements of 100 ms and a server that starts with two segments.

mod network;

use aqmlab_tcp::{EcnRule, Flags, HostOverrides, HostProfile, WindowUpdates};
use aqmlab_units::Span;
use network::{Close, Exchange, Fate, Sent, Side, World, is_data, is_fin, is_syn};

const ROUND_TRIP: Span = Span::from_milliseconds(80);
const SEGMENT: u64 = 1460;

fn bsd45() -> HostProfile {
    HostProfile::named("bsd45").unwrap()
}

/// A request of 350 bytes and a response, under a law, run to the end.
fn world<'a>(
    profile: &HostProfile,
    response: u64,
    close: Close,
    law: impl FnMut(&Sent) -> Fate + 'a,
) -> World<'a> {
    let mut world = World::new(profile, ROUND_TRIP, &[Exchange::of(350, response)], close).with_law(law);
    world.run();
    world
}

fn drop_if(unlucky: bool) -> Fate {
    if unlucky { Fate::Drop } else { Fate::Pass }
}

#[test]
fn each_packet_of_the_opening_costs_what_its_timer_says() {
    let client = |sent: &Sent| sent.from == Side::Client;
    let lost_syn =
        world(&bsd45(), 1_000, Close::Client, |s| drop_if(client(s) && is_syn(&s.segment) && s.nth == 0));
    assert_eq!(lost_syn.client.established_at.unwrap().seconds(), 3.080);
    assert_eq!(lost_syn.response_time_ms(0), 80);
    assert_eq!(lost_syn.client.endpoint.statistics().syn_retransmissions, 1);
    assert_eq!(lost_syn.server.endpoint.statistics().syn_retransmissions, 0);

    // The client's second SYN and the server's timer come at the same instant, 3.040; the SYN is first.
    let lost_syn_ack =
        world(&bsd45(), 1_000, Close::Client, |s| drop_if(!client(s) && is_syn(&s.segment) && s.nth == 0));
    assert_eq!(lost_syn_ack.client.established_at.unwrap().seconds(), 3.080);
    assert_eq!(lost_syn_ack.times(Side::Server, |s| is_syn(&s.segment)), [0.040, 3.040]);

    // The request says the same as the acknowledgement before it.
    let pure = |s: &Sent| !is_syn(&s.segment) && !is_data(&s.segment) && !is_fin(&s.segment);
    let lost_ack = world(&bsd45(), 1_000, Close::Client, |s| drop_if(client(s) && pure(s) && s.nth == 0));
    assert_eq!(lost_ack.response_time_ms(0), 80);

    let lost_request =
        world(&bsd45(), 1_000, Close::Client, |s| drop_if(client(s) && is_data(&s.segment) && s.nth == 0));
    assert_eq!(lost_request.response_time_ms(0), 1_080);
}

#[test]
fn one_lost_segment_of_a_short_response_costs_a_timeout_or_a_fast_retransmit() {
    // Segments of the response, the one lost (from 1), and milliseconds.
    let table = [
        (1, 1, 1_080),
        (2, 1, 1_080), // one duplicate
        (2, 2, 1_260), // the first is acknowledged after 100 ms, which restarts the timer
        (3, 1, 1_160), // the third follows after the timeout
        (3, 2, 1_260),
        (3, 3, 1_160),
        (5, 3, 1_160), // two duplicates
        (8, 5, 320),   // three duplicates
        (8, 6, 1_320), // the first of three acknowledges the fifth
        (8, 8, 1_420),
    ];
    for (segments, lost, expected) in table {
        let law = |s: &Sent| drop_if(s.from == Side::Server && is_data(&s.segment) && s.nth == lost - 1);
        let world = world(&bsd45(), segments * SEGMENT, Close::Client, law);
        assert_eq!(world.response_time_ms(0), expected, "segment {lost} of {segments}");
        let statistics = world.server.endpoint.statistics();
        let fast = u16::from(expected < 1_000);
        assert_eq!((statistics.fast_recoveries, statistics.timeouts), (fast, 1 - fast));
    }
}

#[test]
fn a_lost_retransmission_costs_a_timeout() {
    // As the fifth of eight above, but its retransmission at 280 ms is lost too: it armed the timer.
    let law = |s: &Sent| {
        let data = s.from == Side::Server && is_data(&s.segment);
        drop_if(data && (s.nth == 4 || s.nth == 8))
    };
    let world = world(&bsd45(), 8 * SEGMENT, Close::Client, law);
    assert_eq!(world.response_time_ms(0), 280 + 1_000 + 40);
}

#[test]
fn a_late_segment_is_sent_again_only_if_three_overtake_it() {
    for name in ["bsd45", "rfc5681"] {
        for overtaken_by in [1, 2, 3, 4] {
            let overrides = HostOverrides { initial_window_segments: Some(10), ..HostOverrides::default() };
            let profile = HostProfile::named(name).unwrap().with(&overrides).unwrap();
            let profile = HostProfile { maximum_burst_segments: None, ..profile };
            let law = |s: &Sent| {
                let late = s.from == Side::Server && is_data(&s.segment) && s.nth == 9 - overtaken_by;
                if late { Fate::Late(Span::from_milliseconds(1)) } else { Fate::Pass }
            };
            let world = world(&profile, 10 * SEGMENT, Close::Client, law);
            let resent = world.server.endpoint.statistics().retransmitted_segments;
            assert_eq!(resent, u32::from(overtaken_by >= 3), "{name}, overtaken by {overtaken_by}");
        }
    }
}

#[test]
fn losing_every_second_acknowledgement_of_a_full_window_costs_no_retransmission() {
    for name in ["bsd45", "rfc5681"] {
        let pure = |s: &Sent| s.from == Side::Client && !is_syn(&s.segment) && !is_data(&s.segment);
        let law = |s: &Sent| drop_if(pure(s) && s.nth % 2 == 1 && (0.4..0.9).contains(&s.at.seconds()));
        let world = world(&HostProfile::named(name).unwrap(), 150 * SEGMENT, Close::Client, law);
        assert_eq!(world.server.endpoint.statistics().retransmitted_segments, 0, "{name}");
        assert_eq!(world.client.delivered, 150 * SEGMENT);
    }
}

#[test]
fn a_lost_fin_or_its_acknowledgement_delays_the_end_by_a_timeout_even_if_the_peer_is_forgotten() {
    for close in [Close::Client, Close::Server] {
        let closer = if close == Close::Client { Side::Client } else { Side::Server };
        // The second closer's FIN, then the acknowledgement of it: what TIME-WAIT exists for.
        for lost in [0, 1] {
            let mut fin_seen = false;
            let mut losses = 0;
            let law = |s: &Sent| {
                let last_fin = s.from != closer && is_fin(&s.segment);
                let answer = s.from == closer && fin_seen;
                fin_seen |= last_fin;
                let unlucky = losses == 0 && if lost == 0 { last_fin } else { answer };
                losses += i32::from(unlucky);
                drop_if(unlucky)
            };
            let plan = [Exchange::of(350, 1_000)];
            let mut world = World::new(&bsd45(), ROUND_TRIP, &plan, close).with_law(law);
            world.recycle = true;
            world.run();
            let end = |side: Side, world: &mut World<'_>| world.host(side).finished_at.unwrap().seconds();
            let (first, last) = (end(closer, &mut world), end(closer.other(), &mut world));
            assert!(first.max(last) > 1.0 && first.max(last) < 1.5, "{close:?}, {lost}: {first} {last}");
            assert!(!world.client.reset && !world.server.reset);
            let fins = world.times(closer.other(), |s| is_fin(&s.segment));
            assert_eq!(fins.len(), 2, "the FIN is sent twice, no more: {fins:?}");
        }
    }
}

#[test]
fn a_mark_on_any_data_segment_costs_no_retransmission_and_one_reduction() {
    // KAME takes the echo of a window update for another mark: a conversation of its own shows it.
    let updates = |rule| (rule == EcnRule::On).then_some(WindowUpdates::Never);
    for (name, rule) in [("bsd45", EcnRule::On), ("bsd45", EcnRule::Rfc3168), ("rfc5681", EcnRule::On)] {
        let overrides =
            HostOverrides { ecn: Some(rule), window_updates: updates(rule), ..HostOverrides::default() };
        let profile = HostProfile::named(name).unwrap().with(&overrides).unwrap();
        for marked in 0..40 {
            let law = |s: &Sent| {
                let unlucky = s.from == Side::Server && is_data(&s.segment) && s.nth == marked;
                if unlucky { Fate::Mark } else { Fate::Pass }
            };
            let world = world(&profile, 40 * SEGMENT, Close::Client, law);
            let statistics = world.server.endpoint.statistics();
            assert_eq!(statistics.retransmitted_segments, 0, "{name} {rule:?}, segment {marked}");
            // Where no data were left to carry CWR, the echo goes on, and the end reacts to it once more.
            let told =
                world.trace.iter().any(|s| is_data(&s.segment) && s.segment.flags.contains(Flags::CWR));
            let most = if told { 1 } else { 2 };
            let reductions = statistics.ecn_reductions;
            assert!((1..=most).contains(&reductions), "{name} {rule:?}, segment {marked}: {reductions}");
        }
    }
}

#[test]
fn marks_on_every_data_segment_reduce_at_most_once_per_round_trip() {
    for (name, rule) in [("bsd45", EcnRule::On), ("bsd45", EcnRule::Rfc3168), ("rfc5681", EcnRule::On)] {
        let overrides = HostOverrides { ecn: Some(rule), ..HostOverrides::default() };
        let profile = HostProfile::named(name).unwrap().with(&overrides).unwrap();
        let law = |s: &Sent| if s.segment.ect { Fate::Mark } else { Fate::Pass };
        let world = world(&profile, 60 * SEGMENT, Close::Client, law);
        let statistics = world.server.endpoint.statistics();
        let round_trips = world.response_time_ms(0) / 80;
        // One more when the response is over and the client closes.
        assert!(u64::from(statistics.ecn_reductions) <= round_trips + 1, "{name} {rule:?}: {statistics:?}");
        assert!(statistics.ecn_reductions > 5, "{name} {rule:?}: {statistics:?}");
        assert_eq!(statistics.retransmitted_segments, 0, "{name} {rule:?}");
        assert_eq!(world.client.delivered, 60 * SEGMENT);
    }
}
