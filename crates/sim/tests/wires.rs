//! Paths on which some links, or all of them, take no time.

use aqmlab_record::Summary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};

/// Two machines behind a router; everything on the way back takes `there` and `back`.
fn summary(there: &str, back: &str, traffic: &str) -> Summary {
    let text = format!(
        r#"
name = "wires"
duration_s = 20.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 2
[[topology.nodes]]
name = "middle"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "middle"
[[topology.links]]
from = "middle"
to = "site"
both_ways = false
{there}
[[topology.links]]
from = "site"
to = "middle"
both_ways = false
{back}
{traffic}"#
    );
    let scenario = Scenario::from_toml(&text, "wires", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 3, &Control::default()).unwrap_or_else(|error| panic!("{error}")).summary
}

const PEOPLE: &str =
    "[[populations]]\nname = \"people\"\nbrowsers = \"readers\"\nservers = \"site\"\ncount = 200\n";

#[test]
fn a_finite_flow_is_delivered_whichever_way_takes_no_time() {
    for (there, back) in [("", "delay_ms = 10.0"), ("delay_ms = 10.0", "")] {
        let flows = "[[flows]]\nsenders = \"site\"\nreceivers = \"readers\"\ncount = 8\nbytes = 100000\n";
        let summary = summary(there, back, flows);
        assert_eq!(summary.flows[0].delivered_bytes, [100_000; 8], "{there} there, {back} back");
        assert_eq!((summary.tcp.timeouts, summary.tcp.retransmitted_segments), (0, 0));
    }
}

#[test]
fn users_are_served_whichever_way_takes_no_time() {
    let drawn = format!("{PEOPLE}minimum_delay_ms = {{ low = 1, high = 20 }}\n");
    let none = format!("{PEOPLE}minimum_delay_ms = {{ low = 0, high = 0 }}\n");
    let cases = [("", "", &drawn), ("", "delay_ms = 10.0", &none), ("delay_ms = 10.0", "", &none)];
    for (there, back, traffic) in cases {
        let summary = summary(there, back, traffic);
        let people = &summary.populations[0];
        assert!(people.completed > 500, "{} completed; {there} there, {back} back", people.completed);
        assert_eq!((people.failed, summary.tcp.timeouts), (0, 0), "{there} there, {back} back");
    }
}
