//! Whatever the network does for a while, every byte arrives exactly once and in order, and both ends finish.
//! The world itself checks windows and segment sizes at every call.

mod network;

use aqmlab_tcp::{
    Congestion, EcnRule, HostOverrides, HostProfile, Recovery, Stack, TimerPhase, WindowUpdates,
};
use aqmlab_units::Span;
use network::{Close, Exchange, Fate, Sent, World, is_fin};
use proptest::prelude::*;

/// What the network does to the packets of one connection: the n-th packet meets the n-th fate, later ones
/// pass.
fn fates() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0_u8..100, 0..200)
}

fn fate_of(number: u8, sent: &Sent, drop_below: u8) -> Fate {
    match number {
        n if n < drop_below => Fate::Drop,
        n if n < drop_below + 10 => Fate::Late(Span::from_milliseconds(u64::from(n) * 7)),
        n if n < drop_below + 15 => Fate::Twice(Span::from_milliseconds(u64::from(n))),
        n if n < drop_below + 30 && sent.segment.ect => Fate::Mark,
        _ => Fate::Pass,
    }
}

/// The older stacks by their names, and Linux with each of its congestion controllers.
fn stacks() -> Vec<(&'static str, Option<Congestion>)> {
    let older = ["bsd228", "bsd45", "rfc5681", "ns2-full"].map(|name| (name, None));
    let modern = Congestion::ALL.iter().map(|congestion| ("linux6-reno", Some(*congestion)));
    older.into_iter().chain(modern).collect()
}

/// A profile with everything changed that changes when and how much is sent.
fn byte_counting_profile() -> impl Strategy<Value = HostProfile> {
    let choices = (
        prop::sample::select(stacks()),
        prop::sample::select(vec![EcnRule::Off, EcnRule::On, EcnRule::Rfc3168, EcnRule::Kame]),
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        (100_u16..2_000, 1_u32..40, 1_u8..12),
        (1_u16..6, 1_u8..4, 200_u32..1_500),
        prop::sample::select(vec![
            WindowUpdates::Never,
            WindowUpdates::EachSegment,
            WindowUpdates::EachAcknowledgement,
        ]),
    );
    choices.prop_map(|((name, congestion), ecn, (nagle, fallback, limited, reno), sizes, rates, updates)| {
        let (segment, window, initial) = sizes;
        let (burst, every, minimum_rto) = rates;
        // ns-2 and Linux have their own ECN, and advertise no windows here.
        let linux = congestion.is_some();
        let needs_pacing = congestion
            .is_some_and(|congestion| congestion.name().starts_with("bbr") || congestion.name() == "prague");
        let own_rules = name == "ns2-full" || linux;
        let overrides = HostOverrides {
            ecn: Some(if own_rules && ecn != EcnRule::Off { EcnRule::On } else { ecn }),
            ecn_fallback_on_syn_loss: Some(fallback),
            nagle: Some(nagle),
            limited_transmit: Some(linux || limited && name == "rfc5681"),
            congestion,
            timestamps: linux.then_some(limited),
            rack: linux.then_some(!fallback),
            proportional_rate_reduction: linux.then_some(!reno),
            tail_loss_probe: linux.then_some(!nagle),
            forward_recovery: linux.then_some(limited != reno),
            pacing: linux.then_some(needs_pacing || limited == reno),
            timer_hz: linux.then_some(if fallback == reno { 250 } else { 0 }),
            timer_phase: (linux && fallback == reno && nagle).then_some(TimerPhase::Shared),
            quick_acknowledgements: linux.then_some(reno),
            window_validation: linux.then_some(nagle != reno),
            acknowledgement_compression: linux.then_some(nagle == reno),
            maximum_segment_bytes: Some(segment),
            // A window need not be a whole number of segments.
            window_bytes: Some(window * u32::from(segment) + window),
            initial_window_segments: Some(initial),
            maximum_burst_segments: Some(burst),
            acknowledge_every_segments: Some(every),
            minimum_rto_ms: Some(minimum_rto),
            window_updates: Some(if own_rules { WindowUpdates::Never } else { updates }),
            ..HostOverrides::default()
        };
        let mut profile = HostProfile::named(name).unwrap().with(&overrides).unwrap();
        if let Stack::Classic(classic) = &mut profile.stack
            && reno
            && classic.recovery == Recovery::NewReno
        {
            classic.recovery = Recovery::Reno;
        }
        profile
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_once_and_both_ends_finish(
        profile in byte_counting_profile(),
        server_closes: bool,
        recycle: bool,
        drop_below in 0_u8..40,
        fates in fates(),
        sizes in prop::collection::vec((1_u64..4_000, 0_u64..60_000, 0_u64..3_000), 1..4),
        phases in (0_u64..1_000, 0_u64..1_000),
    ) {
        let plan: Vec<Exchange> = sizes
            .iter()
            .map(|&(request, response, pause)| Exchange {
                pause: Span::from_milliseconds(pause),
                request,
                response,
            })
            .collect();
        let close = if server_closes { Close::Server } else { Close::Client };
        let mut number = 0;
        let mut world = World::new(&profile, Span::from_milliseconds(80), &plan, close)
            .with_phases(Span::from_microseconds(phases.0), Span::from_microseconds(phases.1))
            .with_law(move |sent| {
                number += 1;
                fates.get(number - 1).map_or(Fate::Pass, |&fate| fate_of(fate, sent, drop_below))
            });
        world.recycle = recycle;
        world.run();
        let (client, server) = (&world.client, &world.server);
        let requested: u64 = plan.iter().map(|exchange| exchange.request).sum();
        let responded: u64 = plan.iter().map(|exchange| exchange.response).sum();
        if client.gave_up || server.gave_up {
            prop_assert!(client.delivered <= responded && server.delivered <= requested);
            return Ok(());
        }
        prop_assert_eq!((client.delivered, server.delivered), (responded, requested));
        prop_assert_eq!((client.acknowledged, server.acknowledged), (requested, responded));
        prop_assert!(client.finished_at.is_some() && server.finished_at.is_some());
        prop_assert!(client.peer_closed && server.peer_closed);
        prop_assert!(!client.reset && !server.reset);
    }

    #[test]
    fn ns2_delivers_every_byte_one_way(
        ecn: bool,
        window in 1_u32..40,
        initial in 1_u8..6,
        drop_below in 0_u8..40,
        fates in fates(),
        bytes in 1_u64..200_000,
        phase in 0_u64..10_000,
    ) {
        let overrides = HostOverrides {
            ecn: ecn.then_some(EcnRule::On),
            window_bytes: Some(window * 960),
            initial_window_segments: Some(initial),
            ..HostOverrides::default()
        };
        let profile = HostProfile::named("ns2-oneway").unwrap().with(&overrides).unwrap();
        let mut number = 0;
        let mut world =
            World::new(&profile, Span::from_milliseconds(80), &[Exchange::of(bytes, 0)], Close::Client)
                .with_phases(Span::from_microseconds(phase), Span::ZERO)
                .with_law(move |sent| {
                    number += 1;
                    fates.get(number - 1).map_or(Fate::Pass, |&fate| fate_of(fate, sent, drop_below))
                });
        world.run();
        prop_assert_eq!(world.server.delivered, bytes);
        prop_assert_eq!(world.client.acknowledged, bytes);
        prop_assert!(!world.trace.iter().any(|sent| is_fin(&sent.segment)), "ns-2 has no FIN one way");
        prop_assert!(world.client.finished_at.is_some());
    }
}
