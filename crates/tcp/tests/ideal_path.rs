//! Latencies on a path without loss and with infinite rate, against tables computed by independent event
//! models.

mod network;

use aqmlab_tcp::{HostOverrides, HostProfile};
use aqmlab_units::Span;
use network::{Close, Exchange, World, is_data};

fn response_time_ms(profile: &HostProfile, round_trip_ms: u64, bytes: u64, close: Close) -> u64 {
    let plan = [Exchange::of(100, bytes)];
    let mut world = World::new(profile, Span::from_milliseconds(round_trip_ms), &plan, close);
    world.run();
    world.response_time_ms(0)
}

#[test]
fn bsd45_responses_take_as_long_as_the_socket_layer_makes_them() {
    // Response bytes; milliseconds with Nagle, without, and with a server that closes right after writing.
    const TABLE: [(u64, [u64; 3]); 11] = [
        (1_000, [80, 80, 80]),
        (1_460, [80, 80, 80]),
        (2_000, [80, 80, 80]),
        (2_500, [260, 80, 80]),
        (2_920, [80, 80, 80]),
        (3_000, [160, 160, 160]),
        (5_000, [160, 160, 160]),
        (7_300, [160, 160, 160]),
        (10_000, [320, 240, 240]),
        (20_000, [500, 320, 320]),
        (50_000, [560, 560, 560]),
    ];
    let bsd45 = HostProfile::named("bsd45").unwrap();
    let with_nagle = HostProfile { nagle: true, ..bsd45.clone() };
    let without = HostProfile { nagle: false, ..bsd45 };
    for (bytes, expected) in TABLE {
        let measured = [
            response_time_ms(&with_nagle, 80, bytes, Close::Client),
            response_time_ms(&without, 80, bytes, Close::Client),
            response_time_ms(&with_nagle, 80, bytes, Close::Server),
        ];
        assert_eq!(measured, expected, "{bytes} bytes");
    }
}

#[test]
fn ns2_full_asks_for_each_segment_whether_all_before_it_is_acknowledged() {
    // Response bytes; milliseconds with Nagle and without, whether or not the server closes.
    const TABLE: [(u64, [u64; 2]); 10] = [
        (1_460, [80, 80]),
        (2_000, [160, 80]),
        (2_500, [160, 80]),
        (2_920, [80, 80]),
        (3_000, [160, 160]),
        (5_000, [240, 160]),
        (7_300, [160, 160]),
        (10_000, [240, 240]),
        (20_000, [320, 240]),
        (50_000, [480, 400]),
    ];
    let with_nagle = HostProfile::named("ns2-full").unwrap();
    let without = HostProfile { nagle: false, ..with_nagle.clone() };
    for (bytes, expected) in TABLE {
        for close in [Close::Client, Close::Server] {
            let measured = [&with_nagle, &without].map(|profile| response_time_ms(profile, 80, bytes, close));
            assert_eq!(measured, expected, "{bytes} bytes, {close:?}");
        }
    }
}

/// Least, mean and greatest response time over the phases of the machines' clocks, in milliseconds.
fn over_phases(profile: &HostProfile, round_trip: Span, bytes: u64, close: Close) -> [f64; 3] {
    let plan = [Exchange::of(100, bytes)];
    // Half-millisecond steps of the 200 ms clock, off its ticks; the phases of client and server have no
    // bearing on each other.
    let times: Vec<f64> = (0..400)
        .map(|step| {
            let client = Span::from_microseconds(1_250 * step + 600);
            let server = Span::from_microseconds(1_250 * (step * 173 % 400) + 600);
            let mut world = World::new(profile, round_trip, &plan, close).with_phases(client, server);
            world.run();
            let (start, end) = world.exchanges[0];
            (end - start).seconds() * 1e3
        })
        .collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    [least, mean, times.iter().copied().fold(0.0, f64::max)]
}

#[test]
fn bsd228_responses_wait_for_the_tick_of_the_clients_machine() {
    // Response bytes; least, mean and greatest milliseconds with a server that closes right after writing,
    // and with one that stays open.
    const TABLE: [(u64, [[f64; 3]; 2]); 9] = [
        (1_460, [[80.0; 3], [80.0; 3]]),
        (2_000, [[80.0; 3], [80.0; 3]]),
        (2_500, [[80.0; 3], [160.0, 260.0, 360.0]]),
        (2_920, [[80.0; 3], [160.0, 260.0, 360.0]]),
        (3_000, [[160.0, 260.0, 360.0], [160.0, 260.0, 360.0]]),
        (5_000, [[160.0, 260.0, 360.0], [160.0, 260.0, 360.0]]),
        (7_300, [[240.0, 340.0, 440.0], [360.0, 460.0, 560.0]]),
        (10_000, [[240.0, 340.0, 440.0], [360.0, 460.0, 560.0]]),
        (20_000, [[400.0, 500.0, 600.0], [400.0, 500.0, 600.0]]),
    ];
    // After the first wait all of 50,000 bytes runs in step with the tick, and an acknowledgement falls on a
    // tick when five round trips are two ticks: a hair more and it waits for the next one. So 80 ms itself
    // says nothing.
    const LONG: [(u64, Close, [f64; 3]); 4] = [
        (79_990, Close::Server, [560.0, 660.0, 760.0]),
        (80_010, Close::Server, [560.0, 660.0, 760.0]),
        (79_990, Close::Never, [560.0, 660.0, 760.0]),
        (80_010, Close::Never, [760.0, 860.0, 960.0]),
    ];
    let bsd228 = HostProfile::named("bsd228").unwrap();
    for (bytes, expected) in TABLE {
        for (close, expected) in [Close::Server, Close::Never].into_iter().zip(expected) {
            let measured = over_phases(&bsd228, Span::from_milliseconds(80), bytes, close);
            assert_close(measured, expected, &format!("{bytes} bytes, {close:?}"));
        }
    }
    for (round_trip_us, close, expected) in LONG {
        let measured = over_phases(&bsd228, Span::from_microseconds(round_trip_us), 50_000, close);
        assert_close(measured, expected, &format!("{round_trip_us} us, {close:?}"));
    }
}

/// Within a millisecond: phases are half a millisecond apart, and never exactly on a tick.
fn assert_close(measured: [f64; 3], expected: [f64; 3], what: &str) {
    for (measured, expected) in measured.into_iter().zip(expected) {
        assert!((measured - expected).abs() <= 1.0, "{what}: {measured} for {expected}");
    }
}

const SEGMENTS: [u64; 11] = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100];
const INITIAL_WINDOWS: [u8; 5] = [1, 2, 3, 4, 10];

/// Milliseconds at a round trip of 100 ms, by number of segments and initial window 1, 2, 3, 4, 10, where
/// every second segment is acknowledged at once and the others after 100 ms.
const ACKNOWLEDGE_EVERY_SECOND: [[u64; 5]; 11] = [
    [100, 100, 100, 100, 100],
    [300, 100, 100, 100, 100],
    [300, 200, 100, 100, 100],
    [400, 200, 200, 200, 100],
    [500, 300, 300, 200, 100],
    [600, 400, 300, 200, 100],
    [600, 500, 400, 300, 200],
    [700, 500, 400, 400, 200],
    [800, 600, 500, 400, 300],
    [900, 700, 600, 600, 400],
    [1100, 900, 800, 700, 500],
];

fn slow_start_table(base: &HostProfile, every: u8) -> [[u64; 5]; 11] {
    SEGMENTS.map(|segments| {
        INITIAL_WINDOWS.map(|initial| {
            let overrides = HostOverrides {
                window_bytes: Some(10_000_000),
                initial_window_segments: Some(initial),
                passive_window_quirk: Some(false),
                maximum_burst_segments: Some(u16::MAX),
                acknowledge_every_segments: Some(every),
                delayed_ack_ms: Some(100),
                nagle: Some(false),
                ..HostOverrides::default()
            };
            let profile = base.clone().with(&overrides).unwrap();
            response_time_ms(&profile, 100, segments * 1460, Close::Client)
        })
    })
}

/// An initial window of w delivers w (2ⁿ - 1) segments in n round trips when every segment is acknowledged.
fn rounds(segments: u64, initial: u64) -> u64 {
    (1..).find(|&n| initial * ((1 << n) - 1) >= segments).unwrap()
}

#[test]
fn slow_start_doubles_each_round_when_every_segment_is_acknowledged() {
    for name in ["bsd45", "rfc5681", "ns2-full"] {
        let measured = slow_start_table(&HostProfile::named(name).unwrap(), 1);
        let expected =
            SEGMENTS.map(|segments| INITIAL_WINDOWS.map(|initial| 100 * rounds(segments, initial.into())));
        assert_eq!(measured, expected, "{name}");
    }
}

#[test]
fn slow_start_with_delayed_acknowledgements_takes_the_tabled_time() {
    for name in ["bsd45", "rfc5681"] {
        let measured = slow_start_table(&HostProfile::named(name).unwrap(), 2);
        assert_eq!(measured, ACKNOWLEDGE_EVERY_SECOND, "{name}");
    }
}

#[test]
fn ns2_answers_in_the_rounds_of_its_initial_window_of_two() {
    // One way: the client's SYN, its answer, then data. The sink acknowledges every segment.
    let wide = HostOverrides { window_bytes: Some(960_000), ..HostOverrides::default() };
    let profile = HostProfile::named("ns2-oneway").unwrap().with(&wide).unwrap();
    for segments in SEGMENTS {
        let plan = [Exchange::of(960 * segments, 0)];
        let mut world = World::new(&profile, Span::from_milliseconds(100), &plan, Close::Client);
        world.run();
        let last = world.trace.iter().rfind(|sent| is_data(&sent.segment)).unwrap();
        let delivered = last.at + Span::from_milliseconds(50) - world.client.established_at.unwrap();
        // The threshold is the window, so that it never ends slow start here.
        assert_eq!(delivered, Span::from_milliseconds(100 * rounds(segments, 2) - 50), "{segments} segments");
    }
}
