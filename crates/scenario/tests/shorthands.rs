//! Parking lots and stars: the networks that they stand for.

use aqmlab_scenario::{LinkIndex, NodeIndex, Scenario, Scheme};
use aqmlab_units::{Rate, Span};

const LOT: &str = r#"
name = "lot"
duration_s = 60.0
[parking_lot]
hops = 3
rate_mbps = 10.0
delay_ms = 1.0
queue = { scheme = "drop-tail", limit_packets = 100 }
links = [{ hop = 1, queue = { scheme = "red", limit_packets = 200 }, rate_right_to_left_mbps = 2.0 }]
machines = [{ name = "bulk", router = 3, count = 2, rate_mbps = 1.0, delay_ms = 4.0 }]
interface_delay_ms = 0.5
[users]
left = 0
right = 7
[[populations]]
name = "crossing"
browsers = "browsers-2"
servers = "servers-1"
count = 5
[[flows]]
count = 2
direction = "right-to-left"
[[flows]]
count = 2
senders = "servers-0"
receivers = "bulk"
"#;

const STAR: &str = r#"
name = "star"
duration_s = 60.0
star = { homes = 3, rate_mbps = 20, rate_up_mbps = 2, queue = { scheme = "codel", limit_packets = 100 }, links = [{ home = 2, delay_ms = 30, queue_up = { scheme = "pi", limit_packets = 100 } }] }
[[populations]]
name = "people"
browsers = "homes"
servers = "servers"
count = 4
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "lot.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn with(scenario: &Scenario, key: &str, value: &str) -> Scenario {
    scenario.with_overrides(&[(key.to_owned(), value.to_owned())]).unwrap_or_else(|error| panic!("{error}"))
}

/// A machine's interface has no queue that goes by bytes.
#[test]
fn the_bytes_of_the_link_layer_are_counted_by_every_queue_and_nowhere_else() {
    for (text, key) in [(LOT, "parking_lot.layer2_queued_bytes"), (STAR, "star.layer2_queued_bytes")] {
        let counted = |scenario: &Scenario, monitored| -> Vec<u32> {
            let links = scenario.network.links.iter().filter(|link| link.monitored == monitored);
            links.map(|link| link.layer2_queued_bytes).collect()
        };
        assert_eq!(counted(&read(text), true), [0; 6]);
        let framed = with(&read(text), key, "14");
        assert_eq!(counted(&framed, true), [14; 6]);
        assert!(counted(&framed, false).iter().all(|&bytes| bytes == 0));
        assert_eq!(counted(&framed.uncongested_twin().unwrap(), true), [14; 6]);
    }
}

/// Name, rate in Mbit/s, delay in ms and scheme of the links with a queue.
fn ports(scenario: &Scenario) -> Vec<(&str, f64, f64, &str)> {
    let queued = scenario.network.links.iter().filter(|link| link.monitored);
    let told = queued.map(|link| {
        let rate_mbps = link.rate.unwrap().bits_per_second() as f64 / 1e6;
        let scheme = link.queue.as_ref().map_or("", Scheme::name);
        (link.name.as_str(), rate_mbps, link.delay.nanoseconds() as f64 / 1e6, scheme)
    });
    told.collect()
}

/// The names of the links from the first machine of one group to the first of another.
fn way(scenario: &Scenario, from: &str, to: &str) -> Vec<String> {
    let network = &scenario.network;
    let first = |group: &str| -> NodeIndex { network.machines(group)[0] };
    let path = network.path(first(from), first(to)).unwrap();
    path.into_iter().map(|link| network.link(link).name.clone()).collect()
}

#[test]
fn a_parking_lot_is_routers_in_a_row_and_a_hop_may_differ_each_way() {
    let both = |from, to| [format!("router-{from}-to-router-{to}"), format!("router-{to}-to-router-{from}")];
    let [out0, back0] = both(0, 1);
    let [out1, back1] = both(1, 2);
    let [out2, back2] = both(2, 3);
    assert_eq!(
        ports(&read(LOT)),
        [
            (out0.as_str(), 10.0, 1.0, "drop-tail"),
            (back0.as_str(), 10.0, 1.0, "drop-tail"),
            (out1.as_str(), 10.0, 1.0, "red"),
            (back1.as_str(), 2.0, 1.0, "red"),
            (out2.as_str(), 10.0, 1.0, "drop-tail"),
            (back2.as_str(), 10.0, 1.0, "drop-tail"),
        ]
    );
}

#[test]
fn of_a_hop_its_own_keys_go_before_the_others_and_those_of_the_way_back_before_those_of_both() {
    let lot =
        with(&read(LOT), "parking_lot.queue_right_to_left", "{ scheme = \"codel\", limit_packets = 100 }");
    let lot = with(&lot, "parking_lot.rate_right_to_left_mbps", "5.0");
    let told: Vec<_> = ports(&lot).into_iter().map(|(_, rate, _, scheme)| (rate, scheme)).collect();
    let expected = [(10.0, "drop-tail"), (5.0, "codel"), (10.0, "red"), (2.0, "red"), (10.0, "drop-tail")];
    assert_eq!(told[..5], expected);
    let own_back =
        with(&lot, "parking_lot.links.0.queue_right_to_left", "{ scheme = \"pi\", limit_packets = 100 }");
    assert_eq!([ports(&own_back)[2].3, ports(&own_back)[3].3], ["red", "pi"]);
}

#[test]
fn traffic_goes_from_end_to_end_or_crosses_the_hops_between_its_routers() {
    let lot = read(LOT);
    assert_eq!(
        way(&lot, "servers-left", "browsers-right"),
        [
            "servers-left-0-to-router-0",
            "router-0-to-router-1",
            "router-1-to-router-2",
            "router-2-to-router-3",
            "router-3-to-browsers-right-0"
        ]
    );
    let crossing = ["servers-1-0-to-router-1", "router-1-to-router-2", "router-2-to-browsers-2-0"];
    assert_eq!(way(&lot, "servers-1", "browsers-2"), crossing);
    // Both ends of [users] and of a direction are those of a dumbbell.
    let right = &lot.populations[1];
    assert_eq!(right.browsers, lot.network.machines("browsers-right"));
    assert_eq!(right.servers, lot.network.machines("servers-left"));
    assert_eq!(lot.flows[0].flows[0].sender, lot.network.machines("servers-right")[0]);
    let carries = lot.data_links();
    let data: Vec<&str> =
        (0..6).filter(|&link| carries[link]).map(|link| lot.network.links[link].name.as_str()).collect();
    assert_eq!(data.len(), 6, "flows and users both ways: {data:?}");
}

#[test]
fn machines_stand_behind_their_router_at_a_rate_and_a_distance_both_ways() {
    let network = read(LOT).network;
    let rate_and_delay = |name: &str| {
        let link = network.links.iter().find(|link| link.name == name).unwrap_or_else(|| panic!("{name}"));
        (link.rate, link.delay)
    };
    let own = (Some(Rate::from_megabits_per_second(1.0)), Span::from_milliseconds(4));
    assert_eq!([rate_and_delay("bulk-1-to-router-3"), rate_and_delay("router-3-to-bulk-1")], [own; 2]);
    let usual = (Some(Rate::from_megabits_per_second(100.0)), Span::from_microseconds(500));
    for name in ["servers-2-1-to-router-2", "router-2-to-servers-2-1", "router-0-to-browsers-left-0"] {
        assert_eq!(rate_and_delay(name), usual, "{name}");
    }
    assert_eq!(network.nodes.len(), 4 + 4 * 2 + 4 * 2 * 2 + 2);
}

#[test]
fn a_star_has_an_access_link_for_each_home_both_ways() {
    let star = read(STAR);
    assert_eq!(
        ports(&star),
        [
            ("hub-to-homes-0", 20.0, 0.0, "codel"),
            ("homes-0-to-hub", 2.0, 0.0, "codel"),
            ("hub-to-homes-1", 20.0, 0.0, "codel"),
            ("homes-1-to-hub", 2.0, 0.0, "codel"),
            ("hub-to-homes-2", 20.0, 30.0, "codel"),
            ("homes-2-to-hub", 2.0, 30.0, "pi"),
        ]
    );
    assert_eq!(star.populations[0].browsers.len(), 3);
    assert_eq!(way(&star, "servers", "homes"), ["servers-0-to-hub", "hub-to-homes-0"]);
}

/// Each link's key, set to something else, changes that link.
#[test]
fn the_keys_of_a_link_are_those_that_say_its_queue_and_its_rate() {
    for text in [LOT, STAR] {
        let scenario = read(text);
        for (place, port) in ports(&scenario).into_iter().enumerate() {
            let link = LinkIndex(u32::try_from(place).unwrap());
            let (queue, rate) = (scenario.queue_key(link).unwrap(), scenario.rate_key(link).unwrap());
            let changed = with(&scenario, &queue, "{ scheme = \"fq-codel\" }");
            assert_eq!(ports(&changed)[place].3, "fq-codel", "{queue} of {}", port.0);
            assert_eq!(ports(&with(&scenario, &rate, "7.5"))[place].1, 7.5, "{rate} of {}", port.0);
        }
        let first_machine_link = LinkIndex(u32::try_from(ports(&scenario).len()).unwrap());
        assert_eq!(scenario.queue_key(first_machine_link), None);
    }
    let lot = read(LOT);
    assert_eq!(lot.queue_key(LinkIndex(3)).unwrap(), "parking_lot.links.0.queue");
    assert_eq!(lot.rate_key(LinkIndex(3)).unwrap(), "parking_lot.links.0.rate_right_to_left_mbps");
    assert_eq!(lot.rate_key(LinkIndex(2)).unwrap(), "parking_lot.rate_mbps");
}

#[test]
fn the_twin_is_fast_everywhere_and_as_far() {
    for (text, ports_in_all) in [(LOT, 6), (STAR, 6)] {
        let scenario = read(text);
        let twin = scenario.uncongested_twin().unwrap();
        assert_eq!(ports(&twin).len(), ports_in_all);
        for (own, fast) in ports(&scenario).into_iter().zip(ports(&twin)) {
            assert_eq!(fast, (own.0, 1000.0, own.2, "drop-tail"));
        }
        assert_eq!(twin.network.links[ports_in_all..], scenario.network.links[ports_in_all..]);
        assert_eq!(twin.uncongested_twin().unwrap(), twin);
    }
}

#[test]
fn what_is_written_is_read_back_unchanged_and_the_same_said_twice_is_said_once() {
    for text in [LOT, STAR] {
        let scenario = read(text);
        assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario);
    }
    let lot = read(LOT);
    assert_eq!(with(&lot, "parking_lot.rate_right_to_left_mbps", "10"), lot);
    let star = read(STAR);
    assert_eq!(with(&star, "star.queue_up", "{ scheme = \"codel\", limit_packets = 100 }"), star);
}
