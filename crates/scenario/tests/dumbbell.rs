//! What a dumbbell stands for.

use aqmlab_scenario::{
    DelayOwner, Link, LinkIndex, MinimumDelay, NodeIndex, NodeKind, Scenario, StartRule, UserModel,
};
use aqmlab_units::{Rate, Span};
use std::collections::BTreeSet;

const TEXT: &str = r#"
name = "small"
duration_s = 60.0
[dumbbell]
rate_mbps = 10.0
delay_ms = 0.1
queue = { scheme = "pi", limit_packets = 100 }
queue_right_to_left = { scheme = "drop-tail", limit_packets = 50 }
browser_machines_per_side = 3
server_machines_per_side = 2
interface_rate_mbps = 25.0
[users]
left = 7
right = 0
start = "fresh"
start_spread_s = 2.5
minimum_delay_ms = { low = 20, high = 30 }
host = { ecn = "on" }
"#;

fn small() -> Scenario {
    Scenario::from_toml(TEXT, "small.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn names(scenario: &Scenario, nodes: &[NodeIndex]) -> Vec<String> {
    nodes.iter().map(|node| scenario.network.node(*node).name.clone()).collect()
}

fn link<'a>(scenario: &'a Scenario, name: &str) -> &'a Link {
    let mut named = scenario.network.links.iter().filter(|link| link.name == name);
    let found = named.next().unwrap_or_else(|| panic!("no link {name}"));
    assert!(named.next().is_none(), "two links {name}");
    found
}

fn uniform_per_connection(low_ms: u32, high_ms: u32) -> MinimumDelay {
    MinimumDelay { low_ms, high_ms, per: DelayOwner::Connection, power: 1.0, clock_tick: None }
}

#[test]
fn there_are_two_routers_and_every_machine_has_a_link_each_way() {
    let network = small().network;
    let machines = 2 * (3 + 2);
    assert_eq!(network.nodes.len(), 2 + machines);
    assert_eq!(network.links.len(), 2 + 2 * machines);
    assert_eq!(network.nodes.iter().filter(|node| node.kind == NodeKind::Router).count(), 2);
    let names: BTreeSet<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names.len(), network.nodes.len(), "names are unique");
    assert!(names.contains("router-left") && names.contains("servers-right-1"));
}

#[test]
fn the_bottleneck_has_a_queue_each_way_and_is_monitored() {
    let scenario = small();
    for (name, from, to, scheme) in [
        ("left-to-right", "router-left", "router-right", "pi"),
        ("right-to-left", "router-right", "router-left", "drop-tail"),
    ] {
        let link = link(&scenario, name);
        assert_eq!(names(&scenario, &[link.from, link.to]), [from, to]);
        assert_eq!(link.rate, Some(Rate::from_megabits_per_second(10.0)));
        assert_eq!(link.delay, Span::from_microseconds(100));
        assert_eq!(link.queue.as_ref().map(|queue| queue.name()), Some(scheme));
        assert!(link.monitored);
    }
    assert_eq!(scenario.network.links.iter().filter(|link| link.monitored).count(), 2);
}

#[test]
fn a_machine_sends_over_its_interface_and_is_reached_over_an_ideal_wire() {
    let scenario = small();
    let out = link(&scenario, "browsers-left-2-to-router-left");
    assert_eq!(out.rate, Some(Rate::from_megabits_per_second(25.0)));
    assert_eq!((out.delay, out.queue.is_none()), (Span::ZERO, true));
    let back = link(&scenario, "router-left-to-browsers-left-2");
    assert_eq!((back.rate, back.delay, back.queue.is_none()), (None, Span::ZERO, true));
}

#[test]
fn users_of_each_side_browse_the_servers_of_the_other_over_the_bottleneck() {
    let scenario = small();
    let [left, right] = scenario.populations.as_slice() else { panic!("two populations") };
    assert_eq!((left.name.as_str(), left.users), ("left", 7));
    assert_eq!((right.name.as_str(), right.users), ("right", 0));
    assert_eq!(names(&scenario, &left.browsers), ["browsers-left-0", "browsers-left-1", "browsers-left-2"]);
    assert_eq!(names(&scenario, &left.servers), ["servers-right-0", "servers-right-1"]);
    assert_eq!(names(&scenario, &right.servers), ["servers-left-0", "servers-left-1"]);
    let path = scenario.network.path(left.browsers[1], left.servers[0]).unwrap();
    let hops: Vec<&str> = path.iter().map(|hop| scenario.network.link(*hop).name.as_str()).collect();
    assert_eq!(hops, ["browsers-left-1-to-router-left", "left-to-right", "router-right-to-servers-right-0"]);
}

#[test]
fn what_users_do_is_as_written() {
    let scenario = small();
    let left = &scenario.populations[0];
    assert_eq!(left.start, StartRule::Fresh { spread: Span::from_milliseconds(2_500) });
    assert_eq!(left.minimum_delay, uniform_per_connection(20, 30));
    assert_eq!(left.profile.name, "bsd45");
    assert_ne!(left.profile.ecn, aqmlab_tcp::Ecn::Off);
    let UserModel::Unc(parameters) = &left.model else { panic!("the default model") };
    assert_eq!(parameters.server_count, 2, "as many as there are server machines");
}

/// Every default of the documentation that the studies and IEEE 802.3 give.
#[test]
fn what_is_not_written_has_its_default() {
    let text = "name = \"x\"\nduration_s = 1\n[dumbbell]\nrate_mbps = 100\n\
                queue = { scheme = \"drop-tail\", limit_packets = 240 }\n[users]\nper_side = 5\n";
    let scenario = Scenario::from_toml(text, "x.toml", &[]).unwrap();
    assert_eq!(scenario.populations[0].browsers.len(), 14);
    assert_eq!(scenario.populations[0].servers.len(), 8);
    assert_eq!([scenario.populations[0].users, scenario.populations[1].users], [5, 5]);
    assert_eq!(scenario.populations[0].start, StartRule::Steady);
    assert_eq!(scenario.populations[0].minimum_delay, uniform_per_connection(10, 150));
    let bottleneck = link(&scenario, "left-to-right");
    assert_eq!((bottleneck.framing.frame_bytes(1500), bottleneck.framing.wire_bytes(1500)), (1518, 1538));
    assert_eq!(bottleneck.queue, link(&scenario, "right-to-left").queue);
    assert_eq!((scenario.warm_up, scenario.cool_down), (Span::ZERO, Span::ZERO));
    assert_eq!(scenario.record.queue_interval, Span::from_milliseconds(10));
    assert_eq!(scenario.record.link_interval, Span::from_milliseconds(100));
}

#[test]
fn populations_between_machine_groups_stand_beside_users() {
    let more = "\n[[populations]]\nname = \"local\"\nbrowsers = \"browsers-left\"\nservers = \"servers-left\"\ncount = 4\n";
    let scenario = Scenario::from_toml(&format!("{TEXT}{more}"), "x.toml", &[]).unwrap();
    let names: Vec<&str> = scenario.populations.iter().map(|population| population.name.as_str()).collect();
    assert_eq!(names, ["left", "right", "local"]);
}

#[test]
fn the_demands_of_a_dumbbell_are_its_sides_and_what_stands_beside_them() {
    let text = r#"
name = "both"
duration_s = 10.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 3
right = 0
[[populations]]
name = "guests"
browsers = "browsers-left"
servers = "servers-right"
count = 5
"#;
    let scenario = Scenario::from_toml(text, "both.toml", &[]).unwrap();
    let demands = scenario.demands();
    let keys: Vec<_> = demands.iter().map(|own| (own.name.as_str(), own.key.as_str(), own.size)).collect();
    let expected = [
        ("users.left", "users.left", 3),
        ("users.right", "users.right", 0),
        ("populations.guests", "populations.0.count", 5),
    ];
    assert_eq!(keys, expected);
    // What people on the left ask for travels from right to left.
    let carries = |place| scenario.data_links_of(|own| own == place)[..2].to_vec();
    assert_eq!([carries(0), carries(1), carries(2)], [[false, true], [false, false], [false, true]]);
    let key = |link| scenario.queue_key(LinkIndex(link));
    assert_eq!(
        [key(0), key(1), key(2)],
        [Some("dumbbell.queue".to_owned()), Some("dumbbell.queue".to_owned()), None]
    );
    let other = (
        "dumbbell.queue_right_to_left".to_owned(),
        "{ scheme = \"drop-tail\", limit_packets = 9 }".to_owned(),
    );
    let own = scenario.with_overrides(&[other]).unwrap();
    assert_eq!(own.queue_key(LinkIndex(0)).as_deref(), Some("dumbbell.queue"));
    assert_eq!(own.queue_key(LinkIndex(1)).as_deref(), Some("dumbbell.queue_right_to_left"));
}

#[test]
fn the_bytes_of_the_link_layer_are_counted_at_the_bottleneck_alone() {
    let key = |value: &str| [("dumbbell.layer2_queued_bytes".to_owned(), value.to_owned())];
    let counted = |scenario: &Scenario| -> Vec<u32> {
        scenario.network.links.iter().map(|link| link.layer2_queued_bytes).collect()
    };
    assert!(counted(&small()).iter().all(|&bytes| bytes == 0));
    let framed = small().with_overrides(&key("14")).unwrap();
    assert_eq!(counted(&framed)[..2], [14, 14]);
    assert!(counted(&framed)[2..].iter().all(|&bytes| bytes == 0));
    let refused = small().with_overrides(&key("10001")).unwrap_err().to_string();
    assert!(refused.contains("dumbbell.layer2_queued_bytes") && refused.contains("10000"), "{refused}");
}

#[test]
fn the_way_back_may_have_a_rate_of_its_own() {
    let with = |key: &str, value: &str| small().with_overrides(&[(key.to_owned(), value.to_owned())]);
    let rates = |scenario: &Scenario| {
        ["left-to-right", "right-to-left"].map(|name| link(scenario, name).rate.unwrap().bits_per_second())
    };
    let slower = with("dumbbell.rate_right_to_left_mbps", "1.5").unwrap();
    assert_eq!(rates(&slower), [10_000_000, 1_500_000]);
    assert_eq!(rates(&slower.uncongested_twin().unwrap()), [1_000_000_000; 2], "the twin is fast both ways");
    let keys = |scenario: &Scenario| [0, 1, 2].map(|link| scenario.rate_key(LinkIndex(link)));
    let one = || Some("dumbbell.rate_mbps".to_owned());
    assert_eq!(keys(&small()), [one(), one(), None]);
    assert_eq!(keys(&slower), [one(), Some("dumbbell.rate_right_to_left_mbps".to_owned()), None]);
    // The same rate said twice is one rate, and an override then changes both directions.
    let same = with("dumbbell.rate_right_to_left_mbps", "10.0").unwrap();
    assert_eq!(same, small());
    assert_eq!(rates(&with("dumbbell.rate_mbps", "3.0").unwrap()), [3_000_000; 2]);
    let refused = with("dumbbell.rate_right_to_left_mbps", "0").unwrap_err().to_string();
    assert!(refused.contains("dumbbell.rate_right_to_left_mbps") && refused.contains("0.001"), "{refused}");
}

#[test]
fn what_a_scheme_derives_from_the_rate_must_be_legal_at_both_and_is_told_once() {
    // A design for n flows wants n below 0.43 rtt C: 107 at 10 Mbit/s of 500-byte packets and 100 ms, 10.7 at
    // 1 Mbit/s.
    let both = TEXT.replace("queue_right_to_left", "#");
    let refusal = |flows: &str, back: &str| {
        let gains = format!("{{ designed = {{ flows = {flows}, rtt_ms = 100 }} }}");
        let overrides =
            [("dumbbell.queue.gains", gains.as_str()), ("dumbbell.rate_right_to_left_mbps", back)];
        let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Scenario::from_toml(&both, "small.toml", &overrides).err().map(|error| error.to_string())
    };
    assert_eq!(refusal("60", "10.0"), None);
    for (flows, back) in [("60", "1.0"), ("200", "10.0"), ("200", "1.0")] {
        let refused = refusal(flows, back).unwrap_or_else(|| panic!("{flows} flows at {back} Mbit/s"));
        assert_eq!(refused.matches("gains.designed.flows:").count(), 1, "{refused}");
    }
}
