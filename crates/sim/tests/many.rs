//! Scenarios with many of something: nothing takes another's place when there are more than a byte or two
//! counts.

use aqmlab_record::Summary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};
use std::fmt::Write as _;

const LINE: &str = r#"
name = "many"
duration_s = 4.0
warm_up_s = 1.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 3
[[topology.nodes]]
name = "middle"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "middle"
rate_mbps = 100.0
[[topology.links]]
from = "middle"
to = "site"
rate_mbps = 100.0
queue = { scheme = "drop-tail", limit_packets = 500 }
"#;

fn summary(text: &str) -> Summary {
    let scenario = Scenario::from_toml(text, "many", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 3, &Control::default()).unwrap_or_else(|error| panic!("{error}")).summary
}

/// A window of one segment and a round trip of 100 ms limit a flow to ten segments a second: each group shows
/// the segment size of its own hosts.
#[test]
fn each_of_three_hundred_groups_of_flows_has_its_own_tcp() {
    let mut text = LINE.to_owned();
    for number in 0..300 {
        let bytes = 400 + number;
        let _ = write!(
            text,
            "[[flows]]\nsenders = \"site\"\nreceivers = \"readers\"\ncount = 1\nbase_rtt_ms = 100.0\n\
             host.maximum_segment_bytes = {bytes}\nhost.window_bytes = {bytes}\n\
             host.acknowledge_every_segments = 1\n"
        );
    }
    let flows = summary(&text).flows;
    assert_eq!(flows.len(), 300);
    for (number, group) in (0..).zip(&flows) {
        let bytes = 400 + number;
        let segments = group.delivered_bytes[0] / bytes;
        assert_eq!(
            group.delivered_bytes[0],
            segments * bytes,
            "group {number} sends segments of {bytes} bytes"
        );
        assert!((28..=31).contains(&segments), "group {number}: {segments} segments in three seconds");
    }
}

#[test]
fn each_of_three_hundred_populations_has_its_own_users() {
    let mut text = LINE.to_owned();
    for number in 0..300 {
        let users = if number == 290 { 40 } else { 0 };
        let _ = write!(
            text,
            "[[populations]]\nname = \"people-{number}\"\nbrowsers = \"readers\"\nservers = \"site\"\ncount = {users}\n"
        );
    }
    let populations = summary(&text).populations;
    for (number, population) in populations.iter().enumerate() {
        let pages = population.generated["pages"];
        assert_eq!(pages > 0.0, number == 290, "population {number} has {pages} pages");
    }
    assert!(populations[290].completed > 0);
}

/// The longest run of the slowest link with the longest frames: a packet takes 172 s, and one is under way at
/// the end.
#[test]
fn the_longest_run_ends_with_a_transmission_that_does_not() {
    let text = r#"
name = "long"
duration_s = 2000000.0
[dumbbell]
rate_mbps = 0.001
queue = { scheme = "drop-tail", limit_packets = 500 }
[[flows]]
direction = "left-to-right"
count = 1
# Two segments: a round trip stays below the longest retransmission timeout.
host = { window_bytes = 2920 }
[record]
responses = "none"
queue_interval_ms = 1e7
link_interval_ms = 1e7
"#;
    let summary = summary(text);
    let link = &summary.links[0];
    // 8 bits of 1,538 bytes at 1,000 bit/s.
    let most = 2e6 / 12.304;
    let departed = link.counters.departed.packets as f64;
    // Beside them two short packets of the handshake, and one that is being sent.
    assert!((0.9 * most..=most + 3.0).contains(&departed), "{departed} of {most}");
    assert!(link.busy_share > 0.99 && link.busy_share <= 1.0001, "{}", link.busy_share);
}

/// A write without end is handed over in clusters of 2,048 bytes while these can change what is sent. With a
/// segment of more than two clusters and Nagle's algorithm they never do, and handing over went on for ever.
#[test]
fn an_endless_write_is_handed_over_though_segments_are_longer_than_clusters() {
    let text = r#"
name = "clusters"
duration_s = 5.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[[flows]]
direction = "left-to-right"
count = 1
start_spread_s = 0.0
profile = "bsd228"
host = { maximum_segment_bytes = 5000, nagle = true }
"#;
    let delivered = summary(text).flows[0].delivered_bytes[0];
    assert!((5_000_000..=6_250_000).contains(&delivered), "{delivered} of 6,250,000 bytes at 10 Mbit/s");
}
