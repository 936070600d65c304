//! What stands in the tables: names that are those of the summary, and a key that joins.

mod columns;

use aqmlab_record::ColumnValues;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{column, labels, names, real, table, whole};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const BROWSING: &str = r#"
name = "browsing"
duration_s = 60.0
[dumbbell]
rate_mbps = 3.0
queue = { scheme = "drop-tail", limit_packets = 30 }
[users]
left = 300
right = 20
[[flows]]
name = "bulk"
count = 2
direction = "left-to-right"
[record]
responses = "rows"
packets = true
flows = true
users = true
"#;

/// Senders and receivers with this many routers between them, whose queues from the one to the next are
/// monitored beside one towards the receivers that is not.
fn chain(routers: usize) -> String {
    let mut text = String::from(
        "name = \"chain\"\nduration_s = 3.0\n[record]\nusers = true\npackets = true\n\
         [[flows]]\nname = \"long\"\ncount = 1\nsenders = \"senders\"\nreceivers = \"receivers\"\n\
         [[populations]]\nname = \"people\"\ncount = 3\nbrowsers = \"receivers\"\nservers = \"senders\"\n\
         [[topology.nodes]]\nname = \"senders\"\nkind = \"host\"\n\
         [[topology.nodes]]\nname = \"receivers\"\nkind = \"host\"\n",
    );
    let queue = "queue = { scheme = \"drop-tail\", limit_packets = 20 }";
    let mut link = |from: &str, to: &str, rest: &str| {
        let _ = writeln!(text, "[[topology.links]]\nfrom = \"{from}\"\nto = \"{to}\"\n{rest}");
    };
    link("senders", "r0", "rate_mbps = 100.0");
    link(&format!("r{}", routers - 1), "receivers", &format!("rate_mbps = 5.0\nmonitored = false\n{queue}"));
    for router in 1..routers {
        let rest = format!("rate_mbps = 10.0\nboth_ways = false\n{queue}");
        link(&format!("r{}", router - 1), &format!("r{router}"), &rest);
        link(&format!("r{router}"), &format!("r{}", router - 1), "rate_mbps = 100.0\nboth_ways = false");
    }
    for router in 0..routers {
        let _ = writeln!(text, "[[topology.nodes]]\nname = \"r{router}\"\nkind = \"router\"");
    }
    text
}

fn simulate(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_monitored_link_of_many_stands_in_every_table_under_its_own_name_and_no_other_link_does() {
    let output = simulate(&chain(302));
    let summary: BTreeSet<&str> = output.summary.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        (output.summary.links.len(), summary.len()),
        (301, 301),
        "more than eight bits can tell apart"
    );
    for name in ["queue", "link", "packets", "users"] {
        let links = labels(table(&output, name), "link");
        assert_eq!(links.into_iter().collect::<BTreeSet<_>>(), summary, "{name}");
    }
    // What left each link by the traced packets is what left it by its counters.
    let packets = table(&output, "packets");
    let mut departed: BTreeMap<&str, u64> = BTreeMap::new();
    for (event, link) in labels(packets, "event").into_iter().zip(labels(packets, "link")) {
        *departed.entry(link).or_default() += u64::from(event == "departure");
    }
    for link in &output.summary.links {
        // The window ends with the run: a packet may be in service there.
        let counted = link.counters.departed.packets;
        let departed = departed[link.name.as_str()];
        assert!(counted - departed <= 1, "{}: {counted}, {departed}", link.name);
    }
}

#[test]
fn links_that_lead_from_servers_to_users_carry_data() {
    let output = simulate(BROWSING);
    let carry: Vec<_> = output.summary.links.iter().map(|link| link.carries_data).collect();
    assert_eq!(carry, [true, true], "people and servers are on both sides");
    let one_side = BROWSING.replace("right = 20", "right = 0").split("[[flows]]").next().unwrap().to_owned();
    let output = simulate(&one_side);
    let carry: Vec<_> =
        output.summary.links.iter().filter(|link| link.carries_data).map(|link| &link.name).collect();
    assert_eq!(carry, ["right-to-left"], "those on the left browse the servers on the right");
}

#[test]
fn connections_join_packets_flows_and_responses() {
    let output = simulate(BROWSING);
    let (flows, packets) = (table(&output, "flows"), table(&output, "packets"));
    let connections = whole(flows, "connection");
    assert_eq!(connections.iter().collect::<BTreeSet<_>>().len(), connections.len(), "one row a connection");
    assert_eq!(connections.len() as u64, output.summary.tcp.connections);
    assert!(connections.len() > 1_000, "too few connections for any place to be used twice");

    let mut lost: BTreeMap<u64, u64> = connections.iter().map(|&connection| (connection, 0)).collect();
    let (events, classes) = (labels(packets, "event"), labels(packets, "class"));
    for (row, connection) in whole(packets, "connection").into_iter().enumerate() {
        let data_lost = events[row] == "discard" && classes[row] == "data";
        *lost.get_mut(&connection).expect("packets are of connections in flows") += u64::from(data_lost);
    }
    let dropped = whole(flows, "dropped_data_segments");
    let counted: BTreeMap<u64, u64> = connections.iter().copied().zip(dropped).collect();
    assert_eq!(lost, counted);
    assert!(counted.values().sum::<u64>() > 100, "a trace without losses would prove little");

    let responses = table(&output, "responses");
    let mut answered: BTreeMap<u64, u64> = BTreeMap::new();
    whole(responses, "connection").into_iter().for_each(|number| *answered.entry(number).or_default() += 1);
    let exchanges: BTreeMap<u64, u64> = connections.iter().copied().zip(whole(flows, "exchanges")).collect();
    assert!(answered.values().any(|&count| count > 1), "connections that carry several exchanges");
    for (connection, count) in answered {
        let asked = exchanges[&connection];
        assert!(asked == count || asked == count + 1, "{connection}: {count} of {asked} exchanges complete");
    }
}

#[test]
fn a_connection_is_of_a_population_or_of_a_group_of_flows_by_name() {
    let output = simulate(BROWSING);
    let flows = table(&output, "flows");
    let [population, group] =
        ["population", "flow_group"].map(|name| names(flows, name).iter().collect::<Vec<_>>());
    let user = whole(flows, "user");
    let of_flows: Vec<u64> =
        (0..user.len()).filter(|&row| group[row].is_some()).map(|row| user[row]).collect();
    assert_eq!(of_flows.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([0, 1]));
    for (population, group) in population.iter().zip(&group) {
        assert_ne!(population.is_some(), group.is_some(), "{population:?}, {group:?}");
        assert!(group.is_none_or(|name| name == "bulk"));
    }
    let seen: BTreeSet<_> = population.into_iter().flatten().collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["left", "right"]);
}

#[test]
fn what_users_put_on_the_links_adds_up_to_what_left_them() {
    let output = simulate(&BROWSING.replace("[[flows]]", "[[flows]]\nbytes = 1\nstart_spread_s = 0.0"));
    let users = table(&output, "users");
    assert_eq!(users.rows(), 2 * (300 + 20), "a row for every user and link");
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for (link, count) in labels(users, "link").into_iter().zip(whole(users, "bytes")) {
        *bytes.entry(link).or_default() += count;
    }
    for link in &output.summary.links {
        let left = link.throughput_mbps * 1e6 / 8.0 * 60.0;
        // Apart from the flows' handshakes, and last packets of connections that are over.
        let missing = left - bytes[link.name.as_str()] as f64;
        assert!(missing > 0.0 && missing < 0.002 * left, "{}: {missing} of {left}", link.name);
    }
}

/// A link on which a full packet takes ten bins of its table, and a window that cuts through packets.
const SLOW: &str = r#"
name = "slow"
duration_s = 20.0
warm_up_s = 0.9137
cool_down_s = 0.0071
[dumbbell]
rate_mbps = 0.1
queue = { scheme = "drop-tail", limit_packets = 10 }
[[flows]]
count = 1
direction = "left-to-right"
start_spread_s = 0.0
profile = "ns2-oneway"
host = { maximum_segment_bytes = 960, window_bytes = 7680 }
[record]
link_interval_ms = 12.3
"#;

#[test]
fn utilization_is_a_share_however_short_the_interval() {
    let output = simulate(SLOW);
    let link = table(&output, "link");
    let ColumnValues::F32(shares) = column(link, "utilization") else { panic!("its type") };
    let times = real(link, "time_s");
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
    // A window of eight packets, of which the pipe holds two, keeps the link busy without a gap: every
    // interval is full, exactly.
    let links = labels(link, "link");
    let forward: Vec<f32> = (0..shares.len())
        .filter(|&row| links[row] == "left-to-right" && times[row] > 2.0)
        .map(|row| shares[row])
        .collect();
    assert!(forward.len() > 1_000 && forward.iter().all(|&share| share == 1.0));
    assert_eq!(output.summary.links[0].busy_share, 1.0, "a transmission across an edge counts with its part");
    assert!(output.summary.links[1].busy_share > 0.0 && output.summary.links[1].busy_share < 0.2);
}
