//! CAKE's shaper in front of a fast link, beside CAKE in front of a link of the shaper's rate.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

/// Datagrams of odd lengths, so that none comes at the instant at which another leaves.
const TWO_SOURCES: &str = r#"
name = "shaped"
duration_s = 12.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 5.0
delay_ms = 7.0
queue = { scheme = "cake" }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
count = 3
direction = "left-to-right"
packet_bytes = 1237
rate_mbps = 1.9
[[datagrams]]
count = 2
direction = "left-to-right"
packet_bytes = 311
rate_mbps = 0.4
"#;

fn output(overrides: &[(&str, &str)]) -> Output {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario =
        Scenario::from_toml(TWO_SOURCES, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_shaped_port_in_front_of_a_fast_link_decides_as_one_in_front_of_a_link_of_its_rate() {
    let slow = output(&[]);
    let link = &slow.summary.links[0];
    let lost: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
    assert!(lost > 500, "{:?}", link.counters);
    for rate_mbps in ["50.0", "6.0"] {
        let shaped = output(&[("dumbbell.rate_mbps", rate_mbps), ("dumbbell.queue.rate_mbps", "5.0")]);
        let other = &shaped.summary.links[0];
        assert_eq!(format!("{:?}", other.counters), format!("{:?}", link.counters), "{rate_mbps} Mbit/s");
        // The link is busy for the shaper's share of its rate.
        let busy = 5.0 / rate_mbps.parse::<f64>().expect("a number");
        assert!((other.busy_share - busy).abs() < 0.002, "{}", other.busy_share);
    }
}

#[test]
fn an_overhead_takes_its_share_of_the_shapers_rate() {
    let shaped = output(&[
        ("dumbbell.rate_mbps", "50.0"),
        ("dumbbell.queue.rate_mbps", "5.0"),
        ("dumbbell.queue.overhead_bytes", "18"),
    ]);
    let sent = shaped.summary.links[0].counters.departed;
    let on_the_shaped_link = (sent.bytes + 18 * sent.packets) as f64 * 8.0 / 10.0;
    assert!((on_the_shaped_link / 5e6 - 1.0).abs() < 0.002, "{on_the_shaped_link}");
}

/// Two links one behind the other, the first with a shaper or with the shaper's rate.
const ROUTER: &str = r#"
name = "router"
duration_s = 12.0
warm_up_s = 2.0
[[topology.nodes]]
name = "senders"
kind = "host"
count = 5
[[topology.nodes]]
name = "router"
kind = "router"
[[topology.nodes]]
name = "receiver"
kind = "host"
[[topology.links]]
from = "senders"
to = "router"
rate_mbps = 1000.0
[[topology.links]]
name = "shaped"
from = "router"
to = "receiver"
both_ways = false
delay_ms = 7.0
RATE
queue = { QUEUE }
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
count = 3
senders = "senders"
receivers = "receiver"
packet_bytes = 1237
rate_mbps = 1.9
[[datagrams]]
count = 2
senders = "senders"
receivers = "receiver"
packet_bytes = 311
rate_mbps = 0.4
"#;

fn behind(rate: &str, queue: &str) -> String {
    let text = ROUTER.replace("RATE", rate).replace("QUEUE", queue);
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{queue}: {error}"));
    let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    let link = output.summary.links.iter().find(|link| link.name == "shaped").expect("the shaped link");
    let counters = &link.counters;
    // Packets at risk differ: of a shaped port it is not known at once what becomes of those that wait.
    assert!(counters.discarded.values().map(|amount| amount.packets).sum::<u64>() > 500, "{queue}");
    format!("{:?} {:?} {:?}", counters.arrived, counters.departed, counters.discarded)
}

/// Not FQ-CoDel: that a queue has run empty it finds out when it is asked again, which a fast link does
/// sooner.
#[test]
fn any_queue_behind_a_shaper_decides_as_in_front_of_a_link_of_the_shapers_rate() {
    for queue in [
        "scheme = \"drop-tail\", limit_packets = 40",
        "scheme = \"drop-tail\", limit_bytes = 30000",
        "scheme = \"codel\", limit_packets = 100",
        "scheme = \"pie\", limit_packets = 100",
        "scheme = \"pi\", limit_packets = 100",
        "scheme = \"dualpi2\", limit_packets = 100",
        "scheme = \"cake\"",
    ] {
        let slow = behind("rate_mbps = 5.0", queue);
        let shaped = behind("rate_mbps = 80.0\nshaper = { rate_mbps = 5.0 }", queue);
        assert_eq!(shaped, slow, "{queue}");
    }
}

/// A shaper that counts as the line behind it keeps that line's queue empty; one that does not fills it.
#[test]
fn a_shaper_that_counts_cells_leaves_nothing_in_the_modem() {
    const HOME: &str = r#"
name = "adsl"
duration_s = 40.0
warm_up_s = 15.0
[line]
technology = "adsl"
down_mbps = 6.0
up_mbps = 0.5
shaped_share_up = 0.95
router_queue_up = { scheme = "cake", isolation = "dual_source" }
[[flows]]
name = "backup"
count = 1
direction = "up"
base_rtt_ms = 20.0
profile = "linux6-cubic"
"#;
    let waiting = |overrides: &[(&str, &str)]| {
        let overrides: Vec<_> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let scenario =
            Scenario::from_toml(HOME, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
        let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let mean = |name: &str| {
            let link = output.summary.links.iter().find(|link| link.name == name);
            link.unwrap_or_else(|| panic!("no link {name}")).queue_packets_mean
        };
        (mean("up"), mean("router-up"))
    };
    let (modem, router) = waiting(&[]);
    assert!(modem < 0.1 && router > 0.5, "{modem} in the modem, {router} in the router");
    // 95 % of the rate, of IP packets and 14 bytes: 1,514 bytes count for the 1,749 that the line sends.
    let (modem, router) = waiting(&[("line.shapers_know_framing", "false")]);
    assert!(modem > 10.0 && router < 5.0, "{modem} in the modem, {router} in the router");
}
