//! Whatever single settings a scenario replaces, within their legal ranges and on a clock of any phase: no
//! deadline ever lies in the past, no timer stays due, and nothing overflows. The world itself checks that at
//! every call.

mod network;

use aqmlab_tcp::{EcnRule, HostOverrides, HostProfile, WindowUpdates};
use aqmlab_units::{Span, Time};
use network::{Close, Exchange, Fate, World};
use proptest::prelude::*;

const WINDOW_UPDATES: [WindowUpdates; 3] =
    [WindowUpdates::Never, WindowUpdates::EachSegment, WindowUpdates::EachAcknowledgement];

/// A setting left alone, at either end of its range, or anywhere within.
macro_rules! some {
    ($least:expr, $most:expr) => {
        prop_oneof![
            3 => Just(None),
            1 => Just(Some($least)),
            1 => Just(Some($most)),
            3 => ($least..=$most).prop_map(Some),
        ]
    };
}

/// Milliseconds of a timer, as often short as long.
fn timer_ms(least: u32, most: u32) -> impl Strategy<Value = Option<u32>> {
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(least)),
        1 => Just(Some(most)),
        3 => (least..=(least + 60).min(most)).prop_map(Some),
        3 => (least..=most).prop_map(Some),
    ]
}

fn timers() -> impl Strategy<Value = HostOverrides> {
    (timer_ms(10, 60_000), timer_ms(0, 60_000), timer_ms(1_000, 600_000), timer_ms(1, 500)).prop_map(
        |(initial_rto_ms, minimum_rto_ms, maximum_rto_ms, delayed_ack_ms)| HostOverrides {
            initial_rto_ms,
            minimum_rto_ms,
            maximum_rto_ms,
            delayed_ack_ms,
            ..HostOverrides::default()
        },
    )
}

fn switches() -> impl Strategy<Value = HostOverrides> {
    let switch = || prop::option::of(any::<bool>());
    let rules = prop::sample::select(vec![EcnRule::Off, EcnRule::On, EcnRule::Rfc3168, EcnRule::Kame]);
    let reads = prop::sample::select(WINDOW_UPDATES.to_vec());
    let rules = (prop::option::of(rules), prop::option::of(reads));
    (switch(), switch(), switch(), switch(), switch(), switch(), rules, some!(1_u8, 2)).prop_map(
        |(quirk, limited, nagle, clusters, split, fallback, (ecn, window_updates), least)| HostOverrides {
            window_updates,
            passive_window_quirk: quirk,
            limited_transmit: limited,
            nagle,
            cluster_writes: clusters,
            small_write_split: split,
            ecn_fallback_on_syn_loss: fallback,
            ecn_least_window_segments: least,
            ecn,
            ..HostOverrides::default()
        },
    )
}

fn sizes() -> impl Strategy<Value = HostOverrides> {
    let numbers = (
        some!(1_u16, 9_000),
        some!(40_u16, 120),
        some!(40_u16, 120),
        some!(1_u32, 1_000_000_000),
        some!(1_u8, 100),
        some!(1_u16, u16::MAX),
        some!(1_u8, 100),
    );
    numbers.prop_map(|(segment, header, syn_header, window, initial, burst, every)| HostOverrides {
        maximum_segment_bytes: segment,
        header_bytes: header,
        syn_header_bytes: syn_header,
        window_bytes: window,
        initial_window_segments: initial,
        maximum_burst_segments: burst,
        acknowledge_every_segments: every,
        ..HostOverrides::default()
    })
}

/// A profile under overrides that are legal for it.
fn profiles() -> impl Strategy<Value = HostProfile> {
    let names = prop::sample::select(HostProfile::NAMES.to_vec());
    (names, timers(), switches(), sizes()).prop_filter_map("legal", |(name, timers, switches, sizes)| {
        let profile = HostProfile::named(name)?;
        profile.with(&timers).ok()?.with(&switches).ok()?.with(&sizes).ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_deadline_lies_in_the_past(
        profile in profiles(),
        fates in prop::collection::vec(0_u8..100, 0..120),
        drop_below in 0_u8..40,
        sizes in prop::collection::vec((1_u64..2_000, 0_u64..30_000, 0_u64..3_000), 1..4),
        phases in (0.0_f64..1.0, 0.0_f64..1.0),
        round_trip_us in prop_oneof![Just(0_u64), 1..1_000_u64, 1..3_000_000_u64],
    ) {
        let one_way = profile.is_one_way();
        let plan: Vec<Exchange> = sizes
            .iter()
            .map(|&(request, response, pause)| Exchange {
                pause: Span::from_milliseconds(pause),
                request,
                response: if one_way { 0 } else { response },
            })
            .collect();
        let tick = profile.retransmission.tick.seconds();
        let [client, server] = [phases.0, phases.1].map(|phase| Span::from_seconds(0.999 * phase * tick));
        let mut number = 0;
        let mut world = World::new(&profile, Span::from_microseconds(round_trip_us), &plan, Close::Client)
            .with_phases(client, server)
            .with_law(move |sent| {
                number += 1;
                match fates.get(number - 1) {
                    Some(&fate) if fate < drop_below => Fate::Drop,
                    Some(&fate) if fate < drop_below + 20 && sent.segment.ect => Fate::Mark,
                    _ => Fate::Pass,
                }
            });
        world.keep_trace = false;
        world.run_until(Time::from_seconds(1_000.0));
    }
}

/// The numbers of packets whose loss lets the timer of reordering and the timeout fall on one instant, 10.401
/// s.
const LOST_PACKETS: [usize; 29] = [
    5, 10, 11, 12, 19, 23, 24, 25, 26, 28, 29, 31, 37, 39, 40, 41, 42, 44, 51, 52, 53, 57, 63, 64, 65, 66,
    67, 68, 70,
];

#[test]
fn a_timeout_due_with_the_timer_of_reordering_does_not_stay_due() {
    let overrides = HostOverrides {
        minimum_rto_ms: Some(0),
        maximum_rto_ms: Some(1_000),
        acknowledge_every_segments: Some(100),
        nagle: Some(false),
        maximum_burst_segments: Some(u16::MAX),
        ..HostOverrides::default()
    };
    let profile = HostProfile::named("linux6-cubic").unwrap().with(&overrides).unwrap();
    let exchange = |request, response, pause_ms| Exchange {
        pause: Span::from_milliseconds(pause_ms),
        request,
        response,
    };
    let plan = [exchange(1_449, 23_169, 357), exchange(1, 11_585, 40)];
    let mut number = 0;
    let mut world = World::new(&profile, Span::from_microseconds(1_286_000), &plan, Close::Client)
        .with_phases(Span::ZERO, Span::ZERO)
        .with_law(move |_| {
            number += 1;
            if LOST_PACKETS.contains(&number) { Fate::Drop } else { Fate::Pass }
        });
    world.run();
}
