//! Any network as data.

use aqmlab_scenario::{DemandUnit, LinkIndex, NodeKind, Scenario};
use aqmlab_units::{Rate, Span};

const TEXT: &str = r#"
name = "line"
duration_s = 60.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 3
[[topology.nodes]]
name = "near"
kind = "router"
[[topology.nodes]]
name = "far"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "near"
rate_mbps = 10.0
[[topology.links]]
from = "near"
to = "far"
rate_mbps = 2.0
delay_ms = 20.0
queue = { scheme = "drop-tail", limit_packets = 50 }
uncongested_rate_mbps = 1000.0
[[topology.links]]
from = "far"
to = "site"
both_ways = false
rate_mbps = 5.0
queue = { scheme = "drop-tail", limit_packets = 9 }
monitored = false
[[topology.links]]
from = "site"
to = "far"
both_ways = false
[[populations]]
name = "people"
browsers = "readers"
servers = "site"
count = 30
[[flows]]
count = 2
senders = "site"
receivers = "readers"
"#;

fn line() -> Scenario {
    Scenario::from_toml(TEXT, "line.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn groups_are_numbered_and_single_nodes_keep_their_name() {
    let network = line().network;
    let nodes: Vec<_> = network.nodes.iter().map(|node| (node.name.as_str(), node.group.as_str())).collect();
    assert_eq!(
        nodes,
        [
            ("readers-0", "readers"),
            ("readers-1", "readers"),
            ("readers-2", "readers"),
            ("near", "near"),
            ("far", "far"),
            ("site", "site")
        ]
    );
    assert_eq!(network.nodes[3].kind, NodeKind::Router);
    assert_eq!(network.machines("readers").len(), 3);
    assert!(network.machines("near").is_empty(), "a router is no machine");
}

#[test]
fn a_link_of_a_group_is_a_link_of_each_machine_and_both_ways() {
    let network = line().network;
    let names: Vec<&str> = network.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "readers-0-to-near",
            "near-to-readers-0",
            "readers-1-to-near",
            "near-to-readers-1",
            "readers-2-to-near",
            "near-to-readers-2",
            "near-to-far",
            "far-to-near",
            "far-to-site",
            "site-to-far",
        ]
    );
}

#[test]
fn links_are_as_written_and_monitored_when_they_have_a_queue_unless_said_not_to_be() {
    let network = line().network;
    let by_name = |name: &str| network.links.iter().find(|link| link.name == name).unwrap();
    for name in ["near-to-far", "far-to-near"] {
        let link = by_name(name);
        assert_eq!(link.rate, Some(Rate::from_megabits_per_second(2.0)));
        assert_eq!(link.delay, Span::from_milliseconds(20));
        assert!(link.queue.is_some() && link.monitored);
    }
    assert!(!by_name("far-to-site").monitored && by_name("far-to-site").queue.is_some());
    assert!(by_name("site-to-far").rate.is_none() && !by_name("site-to-far").monitored);
    assert!(!by_name("readers-0-to-near").monitored);
}

#[test]
fn a_queue_counts_the_bytes_of_the_link_layer_that_its_link_says() {
    let text = TEXT.replacen("queue =", "layer2_queued_bytes = 14\nqueue =", 1);
    let framed = Scenario::from_toml(&text, "line.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    for scenario in [&line(), &framed] {
        for link in &scenario.network.links {
            let named = scenario == &framed && ["near-to-far", "far-to-near"].contains(&&*link.name);
            assert_eq!(link.layer2_queued_bytes, if named { 14 } else { 0 }, "{}", link.name);
        }
    }
}

#[test]
fn populations_and_flows_use_the_groups_they_name() {
    let scenario = line();
    let population = &scenario.populations[0];
    assert_eq!((population.name.as_str(), population.users), ("people", 30));
    assert_eq!((population.browsers.len(), population.servers.len()), (3, 1));
    let flows = &scenario.flows[0];
    assert_eq!(flows.name, "flows-0");
    assert_eq!(flows.flows[1].sender, population.servers[0]);
    assert_eq!(flows.flows[1].receiver, population.browsers[1]);
}

#[test]
fn the_twin_of_a_topology_takes_its_uncongested_settings_alone() {
    let twin = line().uncongested_twin().unwrap();
    let rates: Vec<_> = twin.network.links.iter().map(|link| link.rate).collect();
    let megabits = |rate| Some(Rate::from_megabits_per_second(rate));
    assert_eq!(rates[6..], [megabits(1000.0), megabits(1000.0), megabits(5.0), None]);
    assert_eq!(twin.network.links[6].queue, line().network.links[6].queue);
}

#[test]
fn a_topology_without_uncongested_settings_has_no_twin() {
    let text = TEXT.replace("uncongested_rate_mbps = 1000.0\n", "");
    let error = Scenario::from_toml(&text, "line.toml", &[]).unwrap().uncongested_twin().unwrap_err();
    assert_eq!(
        error.to_string(),
        "line: topology.links: no link has uncongested settings, so there is no uncongested twin; \
         give uncongested_rate_mbps or uncongested_queue on at least one link"
    );
}

/// The names of the links on which data travels.
fn data_links(text: &str) -> Vec<String> {
    let scenario = Scenario::from_toml(text, "line.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let carries = scenario.data_links();
    let links = scenario.network.links.iter().zip(carries);
    links.filter(|(_, carries)| *carries).map(|(link, _)| link.name.clone()).collect()
}

#[test]
fn data_travels_from_servers_to_occupied_browsers_and_from_senders_to_receivers() {
    let without_flows = TEXT.split("[[flows]]").next().unwrap();
    let downwards = ["near-to-readers-0", "near-to-readers-1", "far-to-near", "site-to-far"];
    // Two users sit at the first two of three machines.
    assert_eq!(data_links(&without_flows.replace("count = 30", "count = 2")), downwards);
    let upload = "[[flows]]\ncount = 1\nsenders = \"readers\"\nreceivers = \"site\"\n";
    let nobody = without_flows.replace("count = 30", "count = 0");
    assert_eq!(data_links(&format!("{nobody}{upload}")), ["readers-0-to-near", "near-to-far", "far-to-site"]);
}

/// Name, key, unit, size and whether it is endless, of each demand.
fn demands(scenario: &Scenario) -> Vec<(String, String, DemandUnit, u32, bool)> {
    let demands = scenario.demands().into_iter();
    demands.map(|own| (own.name, own.key, own.unit, own.size, own.endless)).collect()
}

#[test]
fn a_demand_says_the_key_that_sets_its_size() {
    let finite =
        "[[flows]]\nname = \"backup\"\ncount = 1\nsenders = \"site\"\nreceivers = \"readers\"\nbytes = 9\n";
    let scenario = Scenario::from_toml(&format!("{TEXT}{finite}"), "line.toml", &[]).unwrap();
    let expected = [
        ("populations.people", "populations.0.count", DemandUnit::Users, 30, false),
        ("flows.flows-0", "flows.0.count", DemandUnit::Flows, 2, true),
        ("flows.backup", "flows.1.count", DemandUnit::Flows, 1, false),
    ];
    let owned = expected
        .map(|(name, key, unit, size, endless)| (name.to_owned(), key.to_owned(), unit, size, endless));
    assert_eq!(demands(&scenario), owned);
    for (place, own) in expected.iter().enumerate() {
        let more = scenario.with_overrides(&[(own.1.to_owned(), "17".to_owned())]).unwrap();
        assert_eq!(more.demands()[place].size, 17, "{}", own.1);
    }
}

#[test]
fn a_link_says_the_keys_of_its_queue_and_of_its_rate() {
    let scenario = line();
    let keys: Vec<Option<String>> = (0..10).map(|link| scenario.queue_key(LinkIndex(link))).collect();
    let (shared, own) = ("topology.links.1.queue".to_owned(), "topology.links.2.queue".to_owned());
    assert_eq!(keys[..6], [const { None }; 6]);
    assert_eq!(keys[6..], [Some(shared.clone()), Some(shared), Some(own), None]);
    let rates: Vec<Option<String>> = (0..10).map(|link| scenario.rate_key(LinkIndex(link))).collect();
    assert_eq!(rates[..6], [const { None }; 6]);
    let (shared, own) = ("topology.links.1.rate_mbps".to_owned(), "topology.links.2.rate_mbps".to_owned());
    assert_eq!(rates[6..], [Some(shared.clone()), Some(shared), Some(own), None]);
}

#[test]
fn offered_load_is_measured_without_endless_flows() {
    let scenario = line();
    let twin = scenario.offering_twin(&[]).unwrap();
    assert!(twin.flows.is_empty());
    assert_eq!(twin.network, scenario.uncongested_twin().unwrap().network);
    let kept = scenario.offering_twin(&["flows-0".to_owned()]).unwrap();
    assert_eq!(kept, scenario.uncongested_twin().unwrap());
    // Whose windows are recorded is left out with the flows.
    let recorded = [("record.congestion_window_interval_ms".to_owned(), "100.0".to_owned())];
    let recording = scenario.with_overrides(&recorded).unwrap();
    assert_eq!(recording.offering_twin(&[]).unwrap().record.congestion_window_interval, None);
    assert!(
        recording.offering_twin(&["flows-0".to_owned()]).unwrap().record.congestion_window_interval.is_some()
    );
    let finite = TEXT.replace("[[flows]]\n", "[[flows]]\nbytes = 100000\n");
    let scenario = Scenario::from_toml(&finite, "line.toml", &[]).unwrap();
    assert_eq!(scenario.offering_twin(&[]).unwrap(), scenario.uncongested_twin().unwrap());
}
