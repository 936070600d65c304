//! Scenarios with many of something: nothing takes another's place when there are more than a byte or two counts.

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

/// A window of one segment and a round trip of 100 ms limit a flow to ten segments a second: each group shows the
/// segment size of its own hosts.
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
