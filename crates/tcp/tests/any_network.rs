//! Whatever the network does for a while, every byte arrives exactly once and in order, and both ends finish. The
//! world itself checks windows and segment sizes at every call.

mod network;

use aqmlab_tcp::{EcnRule, HostOverrides, HostProfile};
use aqmlab_units::Span;
use network::{Close, Exchange, Fate, Sent, World};
use proptest::prelude::*;

/// What the network does to the packets of one connection: the n-th packet meets the n-th fate, later ones pass.
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

fn profile(name: &str, ecn: bool, nagle: bool) -> HostProfile {
    let overrides =
        HostOverrides { ecn: ecn.then_some(EcnRule::On), nagle: Some(nagle), ..HostOverrides::default() };
    HostProfile::named(name).unwrap().with(&overrides).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_once_and_both_ends_finish(
        name in prop::sample::select(vec!["bsd45", "rfc5681"]),
        ecn: bool,
        nagle: bool,
        server_closes: bool,
        recycle: bool,
        drop_below in 0_u8..40,
        fates in fates(),
        sizes in prop::collection::vec((1_u64..4_000, 0_u64..60_000, 0_u64..3_000), 1..4),
        phases in (0_u64..1_000, 0_u64..1_000),
    ) {
        let profile = profile(name, ecn, nagle);
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
        prop_assume!(!client.gave_up && !server.gave_up);
        let requested: u64 = plan.iter().map(|exchange| exchange.request).sum();
        let responded: u64 = plan.iter().map(|exchange| exchange.response).sum();
        prop_assert_eq!((client.delivered, server.delivered), (responded, requested));
        prop_assert_eq!((client.acknowledged, server.acknowledged), (requested, responded));
        prop_assert!(client.finished_at.is_some() && server.finished_at.is_some());
        prop_assert!(client.peer_closed && server.peer_closed);
        prop_assert!(!client.reset && !server.reset);
    }

    #[test]
    fn ns2_delivers_every_byte_one_way(
        ecn: bool,
        drop_below in 0_u8..40,
        fates in fates(),
        bytes in 1_u64..200_000,
        phase in 0_u64..10_000,
    ) {
        let profile = profile("ns2-oneway", ecn, false);
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
    }
}
