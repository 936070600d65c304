//! Links that share a medium or carry several packets in a transmission: departures worked by hand, and
//! throughput in closed form.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use columns::{names, real, table};

/// Datagrams of 1,000 bytes, ten in each millisecond, which reach a bottleneck without framing as they are
/// sent.
fn scenario(keys: &str, directions: &[&str]) -> String {
    let group = |direction: &&str| {
        format!(
            "[[datagrams]]\ncount = 1\ndirection = \"{direction}\"\npacket_bytes = 1000\nrate_mbps = 80.0\n\
             start_spread_s = 0.0\n"
        )
    };
    let traffic: String = directions.iter().map(group).collect();
    format!(
        "name = \"media\"\nduration_s = 1.0\n{traffic}[record]\npackets = true\n[dumbbell]\n\
         interface_rate_mbps = 1000000.0\nlayer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\n\
         layer2_gap_bytes = 0\nqueue = {{ scheme = \"drop-tail\", limit_packets = 1000 }}\n{keys}"
    )
}

/// When packets leave a link, in nanoseconds.
fn departures(text: &str, link: &str) -> Vec<u64> {
    departures_of(text, link, 1)
}

fn departures_of(text: &str, link: &str, seed: u64) -> Vec<u64> {
    events_of(text, "departure", link, seed)
}

/// When packets come to a link, leave it, or are discarded, in nanoseconds.
fn events_of(text: &str, event: &str, link: &str, seed: u64) -> Vec<u64> {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    let output = run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let packets = table(&output, "packets");
    let times = real(packets, "time_s");
    let has = |name: &str, wanted: &str| -> Vec<bool> {
        names(packets, name).iter().map(|name| name == Some(wanted)).collect()
    };
    let (wanted, here) = (has("event", event), has("link", link));
    let rows = (0..times.len()).filter(|&row| wanted[row] && here[row]);
    rows.map(|row| (times[row] * 1e9).round() as u64).collect()
}

fn in_ms(departures: &[u64]) -> Vec<u64> {
    departures.iter().map(|ns| (ns + 500_000) / 1_000_000).collect()
}

/// 8 Mbit/s: 1 ms for each packet, and 1 ms for each transmission. The first packet goes alone.
#[test]
fn an_aggregate_pays_its_overhead_once() {
    let keys = "rate_mbps = 8.0\nmedium = { aggregation = { overhead_us = 1000.0, most_packets = 4 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    assert_eq!(in_ms(&left[..13]), [2, 7, 7, 7, 7, 12, 12, 12, 12, 17, 17, 17, 17]);
    // n·L/(overhead + n·L/rate): 4 packets in 5 ms, of which the first transmission is 1 in 2 ms.
    assert_eq!(left.len(), 1 + 4 * ((1_000 - 2) / 5));
}

/// Of 3,500 bytes three packets fit; the fourth waits for the next transmission.
#[test]
fn an_aggregate_holds_no_more_bytes_than_it_may() {
    let keys = "rate_mbps = 8.0\nmedium = { aggregation = { overhead_us = 500.0, most_bytes = 3500 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    let half_ms = |ns: &u64| (ns + 250_000) / 500_000;
    let wanted: Vec<u64> = [3, 10, 10, 10, 17, 17, 17].to_vec();
    assert_eq!(left[..7].iter().map(half_ms).collect::<Vec<_>>(), wanted);
}

/// One packet a transmission with an overhead: L/(overhead + L/rate).
#[test]
fn without_aggregation_each_packet_pays() {
    let keys = "rate_mbps = 8.0\nmedium = { aggregation = { overhead_us = 3000.0, most_packets = 1 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    assert_eq!(in_ms(&left), (1..250).map(|packet| 4 * packet).collect::<Vec<_>>());
}

/// 1.6 Mbit/s in 2 of 10 ms: 8 Mbit/s in a slot, two packets in each.
#[test]
fn a_link_sends_in_its_slots_alone() {
    let keys = "rate_mbps = 1.6\nmedium = { slots = { cycle_ms = 10.0, slot_ms = 2.0, offset_ms = 3.0 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    assert_eq!(in_ms(&left[..6]), [4, 5, 14, 15, 24, 25]);
    assert_eq!(left.len(), 200);
}

/// Both directions of a half-duplex medium: 4 of 10 ms there, 5 of 10 ms back, and nobody sends between them.
/// A packet takes 0.8 ms of a slot there and 4/3 ms back. The first one there comes 8 ns behind the beginning
/// of its slot, so that every fifth is over in the next one.
#[test]
fn two_links_that_share_a_medium_never_send_at_once() {
    let keys = "rate_mbps = 4.0\nrate_right_to_left_mbps = 3.0\n\
                medium = { slots = { cycle_ms = 10.0, slot_ms = 4.0 } }\n\
                medium_right_to_left = { slots = { cycle_ms = 10.0, slot_ms = 5.0, offset_ms = 5.0 } }\n";
    let text = scenario(keys, &["left-to-right", "right-to-left"]);
    for (link, from_ms, to_ms, packets) in [("left-to-right", 0, 4, 494), ("right-to-left", 5, 10, 371)] {
        let left = departures(&text, link);
        let in_99_cycles = left.iter().filter(|&&ns| ns <= 990_000_000).count();
        assert_eq!(in_99_cycles, packets, "{link}");
        // An end of a transmission lies behind the beginning of the slot, and at its end at the latest.
        let within = |ns: u64| {
            let since = (ns - 1) % 10_000_000 + 1;
            since > from_ms * 1_000_000 && since <= to_ms * 1_000_000
        };
        assert!(left.iter().all(|&ns| within(ns)), "{link}");
    }
}

#[test]
fn a_queue_before_a_medium_is_the_queue_of_any_link() {
    // 50 packets of 1 ms wait, in transmissions of 10 with an overhead of 2 ms: 50/10·12 ms.
    let keys = "rate_mbps = 8.0\nmedium = { aggregation = { overhead_us = 2000.0, most_packets = 10 } }\n";
    let text = scenario(keys, &["left-to-right"]).replace("limit_packets = 1000", "limit_packets = 50");
    let left = departures(&text, "left-to-right");
    assert_eq!(in_ms(&left[1..12]), [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 27]);
}

/// A link that always sends, under a queue that discards at its tail and one that discards at its head: what
/// waits differs, the rates do not. Another seed and the other direction have rates of their own.
#[test]
fn a_rate_varies_alike_under_every_scheme() {
    let medium =
        "{ varying_rate = { coefficient_of_variation = 0.6, correlation_time_s = 0.2, interval_ms = 20.0 } }";
    let keys = format!("rate_mbps = 8.0\nmedium = {medium}\nmedium_right_to_left = {medium}\n");
    let text = scenario(&keys, &["left-to-right", "right-to-left"]);
    let drop_tail = departures(&text, "left-to-right");
    let codel = text.replace("scheme = \"drop-tail\"", "scheme = \"codel\"");
    assert_eq!(drop_tail, departures(&codel, "left-to-right"));
    assert_ne!(drop_tail, departures_of(&text, "left-to-right", 2));
    assert_ne!(drop_tail, departures(&text, "right-to-left"));
}

/// 4 to 16 Mbit/s, another rate every 100 ms: packets of 1,000 bytes leave at equal distances of 0.5 to 2 ms
/// until the next rate, but for the one in which the rate changes.
#[test]
fn a_rate_that_varies_holds_for_its_interval_and_keeps_its_bounds() {
    let keys = "rate_mbps = 8.0\nmedium = { varying_rate = { coefficient_of_variation = 1.5, \
                correlation_time_s = 0.1, minimum_share = 0.5, maximum_share = 2.0 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    let gaps_in = |interval: u64| -> Vec<u64> {
        let within = |ns: &u64| (interval * 100_000_000..=(interval + 1) * 100_000_000).contains(ns);
        let here: Vec<u64> = left.iter().copied().filter(within).collect();
        here.windows(2).map(|two| two[1] - two[0]).collect()
    };
    let gaps: Vec<u64> = (0..10)
        .map(|interval| {
            let gaps = gaps_in(interval);
            // The first packet comes 8 ns behind the beginning, and every end is rounded to a nanosecond.
            assert!(gaps.iter().all(|gap| gap.abs_diff(gaps[0]) <= 1), "interval {interval}: {gaps:?}");
            gaps[0]
        })
        .collect();
    assert!(gaps.iter().all(|gap| (499_999..=2_000_001).contains(gap)), "{gaps:?}");
    assert!(gaps.iter().any(|gap| gap.abs_diff(2_000_000) <= 1), "some rate at its lower bound: {gaps:?}");
    assert!(gaps.windows(2).any(|two| two[0].abs_diff(two[1]) > 1_000), "{gaps:?}");
}

/// A thousand rates, nearly independent: the standard error of their mean is 0.4·√(2.2/1000), or 1.9 %.
#[test]
fn a_rate_that_varies_has_the_links_rate_as_its_mean() {
    let keys = "rate_mbps = 8.0\nmedium = { varying_rate = { coefficient_of_variation = 0.4, \
                correlation_time_s = 0.001, interval_ms = 1.0 } }\n";
    let text = scenario(keys, &["left-to-right"]);
    let sent: Vec<usize> = (1..=9).map(|seed| departures_of(&text, "left-to-right", seed).len()).collect();
    // Nine of them: 0.63 %.
    let mean = sent.iter().sum::<usize>() as f64 / 9.0;
    assert!((mean / 1_000.0 - 1.0).abs() < 4.0 * 0.0063, "{sent:?}");
    assert!(sent.iter().all(|&packets| packets.abs_diff(1_000) < 80), "{sent:?}");
}

/// 65 Mbit/s, which is the rate 50 m away: 4 ms are 32,500 bytes, 32 packets of 1,000. They take 3,938.5 us
/// beside 198.5, and twice that where others have half of the airtime: 8.274 ms.
#[test]
fn wifi_sends_what_fits_in_its_airtime_and_leaves_others_their_share() {
    let keys = "rate_mbps = 65.0\nmedium = { wifi = { distance_m = 50.0, others_airtime_share = 0.5 } }\n";
    let left = departures(&scenario(keys, &["left-to-right"]), "left-to-right");
    let full: Vec<u64> = left.into_iter().filter(|&ns| ns > 300_000_000).collect();
    let mut instants = full.clone();
    instants.dedup();
    let whole = &instants[1..instants.len() - 1];
    assert!(whole.iter().all(|instant| full.iter().filter(|&ns| ns == instant).count() == 32));
    let airtime_ns = 198_500.0 + 32_000.0 * 8.0 / 65e6 * 1e9;
    for two in whole.windows(2) {
        assert!(((two[1] - two[0]) as f64 - 2.0 * airtime_ns).abs() < 4.0, "{two:?}");
    }
    assert!(whole.len() > 80);
}

const CHANNEL: &str = "rate_mbps = 65.0\nmedium = { wifi = { distance_m = 50.0, channel = \"kitchen\" } }\n\
                       medium_right_to_left = { wifi = { distance_m = 50.0, channel = \"kitchen\" } }\n";

/// The transmissions of 32 packets of 1,000 bytes above, on one channel for both directions: they alternate,
/// and one alone has all turns.
#[test]
fn two_directions_of_one_channel_take_turns_as_far_as_both_have_something() {
    let airtime_ns = 198_500.0 + 32_000.0 * 8.0 / 65e6 * 1e9;
    let instants = |text: &str, link: &str| {
        let mut instants: Vec<u64> =
            departures(text, link).into_iter().filter(|&ns| ns > 300_000_000).collect();
        instants.dedup();
        instants
    };
    let both = scenario(CHANNEL, &["left-to-right", "right-to-left"]);
    let [down, up] = ["left-to-right", "right-to-left"].map(|link| instants(&both, link));
    assert!(down.len() > 80 && down.len().abs_diff(up.len()) <= 1, "{} and {}", down.len(), up.len());
    let mut turns: Vec<(u64, bool)> = down.iter().map(|&ns| (ns, true)).collect();
    turns.extend(up.iter().map(|&ns| (ns, false)));
    turns.sort_unstable();
    for two in turns.windows(2) {
        assert_ne!(two[0].1, two[1].1);
        assert!(((two[1].0 - two[0].0) as f64 - airtime_ns).abs() < 4.0, "{two:?}");
    }
    let alone = scenario(CHANNEL, &["left-to-right"]);
    let gaps = instants(&alone, "left-to-right");
    assert!(gaps.windows(2).all(|two| ((two[1] - two[0]) as f64 - airtime_ns).abs() < 4.0));
    let for_itself = CHANNEL.replace(", channel = \"kitchen\"", "");
    assert_eq!(
        departures(&alone, "left-to-right"),
        departures(&scenario(&for_itself, &["left-to-right"]), "left-to-right")
    );
}

/// Transmissions of one packet, 100 µs of bytes beside 198.5 µs, in either direction: the channel is one
/// server, and its departures follow from Lindley's recursion over the arrivals of both.
#[test]
fn with_equal_packets_a_channel_is_one_queue() {
    let medium = "{ wifi = { channel = \"kitchen\", most_packets = 1 } }";
    let group = |direction: &str, on_s: f64| {
        format!(
            "[[datagrams]]\ncount = 2\ndirection = \"{direction}\"\npacket_bytes = 1000\nrate_mbps = 12.0\n\
             on_s = {on_s}\noff_s = 0.05\nstart_spread_s = 0.1\n"
        )
    };
    let traffic = group("left-to-right", 0.03) + &group("right-to-left", 0.05);
    let keys = format!("rate_mbps = 80.0\nmedium = {medium}\nmedium_right_to_left = {medium}\n");
    let text = scenario(&keys, &[]).replace("[record]", &format!("{traffic}[record]"));
    for seed in 1..=5 {
        let both = |event: &str| {
            let mut instants: Vec<u64> = ["left-to-right", "right-to-left"]
                .into_iter()
                .flat_map(|link| events_of(&text, event, link, seed))
                .collect();
            instants.sort_unstable();
            instants
        };
        let (came, left) = (both("arrival"), both("departure"));
        let mut ends = 0;
        let expected = came.iter().map(|&at| {
            ends = ends.max(at) + 298_500;
            ends
        });
        let expected: Vec<u64> = expected.filter(|&ns| ns < 1_000_000_000).collect();
        assert!(left.len() > 1_000, "{}", left.len());
        assert_eq!(left, expected[..left.len()]);
        assert!(expected.len() - left.len() <= 1, "one at the very end");
    }
}
