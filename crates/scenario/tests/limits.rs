//! What a run cannot hold is refused by the check, at the table with which the limit is passed.

use aqmlab_scenario::{Scenario, limits};
use std::fmt::Write as _;

const LINE: &str = r#"
name = "line"
duration_s = 60.0
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
rate_mbps = 10.0
[[topology.links]]
from = "middle"
to = "site"
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
"#;

fn refusal(text: &str) -> String {
    let refused = Scenario::from_toml(text, "", &[]).expect_err("larger than a run can hold").to_string();
    // The line depends on how the text was made; the rest of the message is the promise.
    refused
        .trim_start_matches(|character: char| character == ':' || character.is_ascii_digit())
        .trim()
        .to_owned()
}

fn population(name: &str, count: u64) -> String {
    format!(
        "[[populations]]\nname = \"{name}\"\nbrowsers = \"readers\"\nservers = \"site\"\ncount = {count}\n"
    )
}

fn people() -> String {
    population("people", 30)
}

fn flows(number: usize, count: u64) -> String {
    format!(
        "[[flows]]\nname = \"flows-{number}\"\nsenders = \"site\"\nreceivers = \"readers\"\ncount = {count}\n"
    )
}

/// Groups of 10,000 hosts, each joined to `middle` both ways with these keys.
fn groups(count: usize, keys: &str) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ =
            writeln!(text, "[[topology.nodes]]\nname = \"group-{number}\"\nkind = \"host\"\ncount = 10000");
        let _ = writeln!(text, "[[topology.links]]\nfrom = \"group-{number}\"\nto = \"middle\"\n{keys}");
        text
    })
}

#[test]
fn more_nodes_than_packets_can_name() {
    let people = people();
    let text = format!("{LINE}{}{people}", groups(7, ""));
    assert_eq!(
        refusal(&text),
        format!("topology.nodes.9.count: 70005 nodes with those before; legal: {} in all", limits::NODES)
    );
    assert!(Scenario::from_toml(&format!("{LINE}{}{people}", groups(6, "")), "", &[]).is_ok());
}

#[test]
fn more_links_with_a_queue_than_can_be_told_apart() {
    let people = people();
    let queue = "rate_mbps = 1.0\nqueue = { scheme = \"drop-tail\", limit_packets = 50 }";
    assert_eq!(
        refusal(&format!("{LINE}{}{people}", groups(1, queue))),
        format!(
            "topology.links.2.queue: 20002 one-way links with a queue with those before; legal: {} in all",
            limits::QUEUED_LINKS
        )
    );
}

#[test]
fn more_links_than_can_be_told_apart() {
    let people = people();
    let routers = (0..20).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "[[topology.nodes]]\nname = \"router-{number}\"\nkind = \"router\"");
        let _ = writeln!(text, "[[topology.links]]\nfrom = \"group-0\"\nto = \"router-{number}\"");
        text
    });
    let message = refusal(&format!("{LINE}{}{routers}{people}", groups(1, "")));
    assert_eq!(
        message,
        format!("topology.links.15: 280008 one-way links with those before; legal: {} in all", limits::LINKS)
    );
}

#[test]
#[ignore = "exhaustive"]
fn more_populations_and_users_than_can_be_told_apart() {
    let people = people();
    let most = (0..limits::POPULATIONS).map(|number| population(&number.to_string(), 1)).collect::<String>();
    assert!(Scenario::from_toml(&format!("{LINE}{most}"), "", &[]).is_ok());
    let more = format!("{LINE}{most}{people}");
    assert_eq!(refusal(&more), "populations.10000: 10001 populations with those before; legal: 10000 in all");
    let users = (0..11).map(|number| population(&number.to_string(), 10_000_000)).collect::<String>();
    assert_eq!(
        refusal(&format!("{LINE}{users}")),
        "populations.10.count: 110000000 users with those before; legal: 100000000 in all"
    );
}

#[test]
fn more_flows_and_groups_of_flows_than_can_be_told_apart() {
    let groups = (0..=limits::FLOW_GROUPS).map(|number| flows(number, 1)).collect::<String>();
    assert_eq!(
        refusal(&format!("{LINE}{groups}")),
        "flows.10000: 10001 groups of flows with those before; legal: 10000 in all"
    );
    let all = (0..2).map(|number| flows(number, 1_000_000)).collect::<String>();
    assert_eq!(
        refusal(&format!("{LINE}{all}")),
        "flows.1.count: 2000000 flows with those before; legal: 1500000 in all"
    );
}

#[test]
fn more_sources_and_groups_of_datagrams_than_can_be_told_apart() {
    let group = |count: u64| {
        format!(
            "[[datagrams]]\nsenders = \"readers\"\nreceivers = \"site\"\ncount = {count}\npacket_bytes = 60\nrate_mbps = 1\n"
        )
    };
    assert_eq!(
        refusal(&format!("{LINE}{}", group(1).repeat(limits::DATAGRAM_GROUPS + 1))),
        "datagrams.10000: 10001 groups of datagrams with those before; legal: 10000 in all"
    );
    assert_eq!(
        refusal(&format!("{LINE}{}", group(100_000).repeat(11))),
        "datagrams.10.count: 1100000 sources of datagrams with those before; legal: 1000000 in all"
    );
}

#[test]
fn a_run_may_last_as_long_as_its_instants_reach() {
    let people = people();
    let with = |duration: &str| {
        Scenario::from_toml(&format!("{LINE}{people}"), "", &[("duration_s".to_owned(), duration.to_owned())])
    };
    assert!(with("2000000").is_ok());
    let message = with("2000001").expect_err("too long").to_string();
    assert_eq!(message, "duration_s=2000001: duration_s: 2000001 is out of range; legal: 0.001 to 2000000");
}
