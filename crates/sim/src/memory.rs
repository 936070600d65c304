//! How much memory a run will take, before it is made.
//!
//! What is made at the start is counted: users, links, flows. What grows while a run lasts is estimated from
//! the rates at which it grows: connections and exchanges from the users, packets from the rates of the
//! links. The estimate is for deciding whether a run has room, not for accounting.

use crate::fabric::{Connection, FlowHashes, Interface, Packet, QueuedLink, Timer};
use aqmlab_aqm::{Port, Scheme};
use aqmlab_record::{Completion, PageLoad, SIZE_CLASS_UPPER_BYTES, VideoCallFrame};
use aqmlab_scenario::{DatagramGroup, DemandUnit, Link, Node, NodeKind, Responses, Scenario};
use aqmlab_session::{BrowserConnection, PAGE_BYTES_PER_USER};
use aqmlab_transport::OtherTransport;
use aqmlab_units::Span;
use aqmlab_web::Habits;

/// The process itself: code, stacks, tables of the traffic models.
const PROCESS_BYTES: f64 = 8e6;
/// A name on the heap, with what the allocator adds.
const NAME_BYTES: f64 = 48.0;
/// All users, each with what this is for her.
fn of_users(scenario: &Scenario, of: impl Fn(&Habits) -> f64) -> f64 {
    scenario
        .populations
        .iter()
        .map(|group| {
            let habits = group.model.parameters().habits(&scenario.file_texts());
            f64::from(group.users) * of(&habits.expect("the scenario was checked"))
        })
        .sum()
}

/// Packets of a flow that are under way: a window of twelve.
const PACKETS_OF_FLOW_BYTES: f64 = 600.0;
/// Delays of a source of datagrams: a histogram of five octaves, which is from 10 to 320 ms.
const DELAYS_OF_SOURCE_BYTES: f64 = 5.0 * 8192.0;
/// Exchanges of which `responses = "auto"` keeps rows.
const AUTOMATIC_ROWS: f64 = 5e6;
/// Bytes of a packet on the wire where a link is full of data.
const MEAN_WIRE_BYTES: f64 = 1_538.0;
/// Bytes of a row of each table, as columns.
const RESPONSE_COLUMN_BYTES: f64 = 50.0;
const PAGE_COLUMN_BYTES: f64 = 49.0;
const FLOW_ROW_BYTES: f64 = 72.0 + 76.0;
const PACKET_ROW_BYTES: f64 = 40.0 + 36.0;
/// The group's code is added when the table is made.
const DATAGRAM_ROW_BYTES: f64 = 20.0 + 24.0;
const FRAME_ROW_BYTES: f64 = size_of::<VideoCallFrame>() as f64 + 44.0;
const SAMPLE_ROW_BYTES: f64 = 25.0;
const SUMMARY_ROW_BYTES: f64 = 44.0;
/// A scheme tells of seven quantities, one behind a filter of ten.
const STATE_ROW_BYTES: f64 = 10.0 * 24.0;
const TRAFFIC_ROW_BYTES: f64 = 124.0;
const WINDOW_ROW_BYTES: f64 = 50.0;
/// A histogram of response times up to some minutes, and the scatter of sizes and times.
const HISTOGRAM_BYTES: f64 = 0.3e6;
const SCATTER_BYTES: f64 = 1.1e6;

/// Bytes that a run of this scenario takes at its peak, its tables included.
#[must_use]
pub fn memory_estimate(scenario: &Scenario) -> f64 {
    PROCESS_BYTES + network(scenario) + traffic(scenario) + samples(scenario) + rows(scenario)
}

fn network(scenario: &Scenario) -> f64 {
    let network = &scenario.network;
    let routers = network.nodes.iter().filter(|node| node.kind == NodeKind::Router).count();
    let queued = network.links.iter().filter(|link| link.queue.is_some()).count();
    let hosts = network.nodes.len() - routers;
    // The description, the links, and a table of routes of which a copy is turned from columns into rows. Of
    // machines behind ideal wires there are few columns, but which these are is known only when it is built.
    let of_host = |link: &&Link| network.node(link.from).kind == NodeKind::Host;
    let ideal = network.links.iter().filter(of_host).filter(|link| link.is_ideal()).count();
    let columns = hosts.saturating_sub(ideal) + routers;
    let several = network.links.iter().filter_map(|link| link.queue.as_ref()).map(Scheme::queues);
    let queues: usize = several.filter(|&queues| queues > 1).sum();
    bytes_of::<Node>(network.nodes.len())
        + queues as f64 * Port::<Packet>::BYTES_PER_QUEUE as f64
        + network.nodes.len() as f64 * 2.0 * NAME_BYTES
        + bytes_of::<Link>(network.links.len())
        + network.links.len() as f64 * (NAME_BYTES + 24.0)
        + bytes_of::<QueuedLink>(queued)
        + bytes_of::<Interface>(network.links.len() - queued)
        + 2.0 * bytes_of::<u32>((routers + 1) * columns)
}

/// What a port sorts the packets of a connection by, where one does.
fn hashes_of_connection(scenario: &Scenario) -> usize {
    let mut schemes = scenario.network.links.iter().filter_map(|link| link.queue.as_ref());
    if schemes.any(|scheme| !scheme.is_one_queue()) { FlowHashes::BYTES_PER_CONNECTION } else { 0 }
}

fn traffic(scenario: &Scenario) -> f64 {
    let hashes = hashes_of_connection(scenario);
    let connection = (size_of::<Connection>() + size_of::<BrowserConnection>() + hashes) as f64;
    let timer = (size_of::<Timer>() + 24) as f64;
    let of_user = |habits: &Habits| {
        habits.user_bytes as f64
            + habits.plan_bytes
            + 4.0
            + PAGE_BYTES_PER_USER as f64
            + timer
            + habits.connections * (connection + 2.0 * timer)
    };
    let [flows, sources] = [DemandUnit::Flows, DemandUnit::Datagrams].map(|unit| scenario.count_of(unit));
    of_users(scenario, of_user)
        + other_transports(scenario)
        + flows as f64 * (200.0 + connection + 3.0 * timer + PACKETS_OF_FLOW_BYTES)
        + sources as f64 * (400.0 + timer + DELAYS_OF_SOURCE_BYTES)
}

/// What the ends of transports other than TCP keep beside the connection.
fn other_transports(scenario: &Scenario) -> f64 {
    let kept =
        |transport: Option<OtherTransport>| transport.map_or(0.0, |own| own.transport.connection_bytes);
    let of_users = scenario.populations.iter().filter(|group| group.transport.is_some()).map(|group| {
        let habits = group.model.parameters().habits(&scenario.file_texts());
        let connections = habits.expect("the scenario was checked").connections;
        f64::from(group.users) * connections * kept(group.transport)
    });
    let of_flows = scenario.flows.iter().map(|group| group.flows.len() as f64 * kept(group.transport));
    of_users.chain(of_flows).sum()
}

/// What is sampled of monitored links.
fn samples(scenario: &Scenario) -> f64 {
    let record = &scenario.record;
    let times = |interval: Span| scenario.duration.seconds() / interval.seconds();
    let arrivals = if record.arrivals { times(Span::from_milliseconds(1)) } else { 0.0 };
    let summaries = record.queue_summary.map_or(0.0, |summary| times(summary.interval));
    let states = record.scheme_state_interval.map_or(0.0, times);
    let samples = times(record.queue_interval) + times(record.link_interval) + arrivals;
    let monitored = scenario.network.links.iter().filter(|link| link.monitored).count();
    let flows = scenario.count_of(DemandUnit::Flows);
    let windows = record.congestion_window_interval.map_or(0.0, times) * flows as f64;
    let parties = scenario.traffic().count() + 1;
    let traffic = record.traffic_interval.map_or(0.0, times) * (2 * parties * monitored) as f64;
    windows * WINDOW_ROW_BYTES
        + traffic * TRAFFIC_ROW_BYTES
        + monitored as f64
            * (samples * SAMPLE_ROW_BYTES + summaries * SUMMARY_ROW_BYTES + states * STATE_ROW_BYTES)
}

/// Exchanges, connections and packets one by one.
fn rows(scenario: &Scenario) -> f64 {
    let record = &scenario.record;
    let seconds = scenario.duration.seconds();
    let [users, flows] = [DemandUnit::Users, DemandUnit::Flows].map(|unit| scenario.count_of(unit) as f64);
    let exchanges = of_users(scenario, |habits| habits.exchanges_per_second) * seconds;
    let pages = of_users(scenario, |habits| habits.pages_per_second) * seconds;
    let response = size_of::<Completion>() as f64 + RESPONSE_COLUMN_BYTES;
    let page = size_of::<PageLoad>() as f64 + PAGE_COLUMN_BYTES;
    let responses = match record.responses {
        Responses::Auto => exchanges.min(AUTOMATIC_ROWS) * response + pages.min(AUTOMATIC_ROWS) * page,
        Responses::Rows => exchanges * response + pages * page,
        Responses::Histogram | Responses::None => 0.0,
    };
    let connections = of_users(scenario, |habits| habits.connections_per_second) * seconds + flows;
    // Those of exchanges by size, and three of pages.
    let classes = (scenario.populations.len() * (SIZE_CLASS_UPPER_BYTES.len() + 3)) as f64;
    let monitored = scenario.network.links.iter().filter(|link| link.monitored);
    let bits_per_second: f64 =
        monitored.clone().filter_map(|link| link.rate).map(|rate| rate.bits_per_second() as f64).sum();
    // A packet has a row when it arrives and one when it leaves.
    let packets = bits_per_second / 8.0 / MEAN_WIRE_BYTES * seconds * 2.0;
    let of_group = |group: &DatagramGroup| group.sends.packets_per_second * group.sources.len() as f64;
    let datagrams = scenario.datagrams.iter().map(of_group).sum::<f64>() * seconds;
    SCATTER_BYTES
        + responses
        + classes * HISTOGRAM_BYTES
        + when(record.datagrams, datagrams * DATAGRAM_ROW_BYTES)
        + scenario.datagrams.iter().map(frames_hz).sum::<f64>() * seconds * FRAME_ROW_BYTES
        + when(record.flows, connections * FLOW_ROW_BYTES)
        + when(record.users, users * monitored.count() as f64 * 24.0)
        + when(record.packets, packets * PACKET_ROW_BYTES)
}

/// Frames per second that all sources of a group record.
fn frames_hz(group: &DatagramGroup) -> f64 {
    group.frames().map_or(0.0, |frames| group.sources.len() as f64 * frames.hz)
}

fn bytes_of<T>(count: usize) -> f64 {
    count as f64 * size_of::<T>() as f64
}

const fn when(wanted: bool, bytes: f64) -> f64 {
    if wanted { bytes } else { 0.0 }
}

#[cfg(test)]
mod tests {
    //! Each part of the estimate, counted by hand; `tests/memory.rs` holds the whole beside what the kernel
    //! counts.
    use super::*;
    use aqmlab_web::{MahUser, PackMimeCloud, User};

    /// Ten readers behind a router, and a site; the last link has a queue each way and is recorded each way.
    const HOUSE: &str = r#"
name = "memory"
duration_s = 100.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 10
[[topology.nodes]]
name = "middle"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "middle"
rate_mbps = 1000.0
[[topology.links]]
from = "middle"
to = "site"
rate_mbps = 15.38
queue = { scheme = "drop-tail", limit_packets = 100 }
[[populations]]
name = "people"
browsers = "readers"
servers = "site"
count = 500
[[flows]]
senders = "site"
receivers = "readers"
count = 7
[record]
queue_interval_ms = 50.0
link_interval_ms = 100.0
responses = "none"
"#;

    fn read(text: &str, overrides: &[(&str, &str)]) -> Scenario {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scenario::from_toml(text, "memory", &overrides).unwrap_or_else(|error| panic!("{error}"))
    }

    fn house(overrides: &[(&str, &str)]) -> Scenario {
        read(HOUSE, overrides)
    }

    /// Fails unless both are the same but for rounding.
    #[track_caller]
    fn same(estimate: f64, counted: f64) {
        assert!((estimate - counted).abs() < 1e-3, "{estimate} for {counted}");
    }

    /// How many, of how many bytes each.
    fn bytes(counts: &[(usize, usize)]) -> f64 {
        counts.iter().map(|(count, size)| count * size).sum::<usize>() as f64
    }

    #[test]
    fn a_network_is_its_nodes_its_links_and_routes_from_routers_and_hosts_to_every_node() {
        // Twelve nodes with two names each; eleven links each way, two of them with a queue, with a name and
        // a list; in either copy of the table a row for the router and one for the hosts, of twelve columns.
        let plain = bytes(&[
            (12, size_of::<Node>()),
            (24, 48),
            (22, size_of::<Link>() + 48 + 24),
            (2, size_of::<QueuedLink>()),
            (20, size_of::<Interface>()),
            (2 * 2 * 12, 4),
        ]);
        same(network(&house(&[])), plain);
        let queue = "{ scheme = \"fq-codel\", limit_packets = 100, flows = 64 }";
        let of_many_queues = network(&house(&[("topology.links.1.queue", queue)]));
        same(of_many_queues - plain, bytes(&[(2 * 64, Port::<Packet>::BYTES_PER_QUEUE)]));
        // Machines behind ideal wires need no columns of their own.
        let back =
            "both_ways = false\n[[topology.links]]\nfrom = \"middle\"\nto = \"readers\"\nboth_ways = false\n";
        let ideal = read(&HOUSE.replace("rate_mbps = 1000.0\n", &format!("{back}rate_mbps = 1000.0\n")), &[]);
        same(plain - network(&ideal), bytes(&[(2 * 2 * 10, 4)]));
    }

    #[test]
    fn a_user_is_her_state_and_three_tenths_of_a_connection() {
        let connection = size_of::<Connection>() + size_of::<BrowserConnection>();
        let timer = size_of::<Timer>() + 24;
        // Of 500 users: plans, places in a list, the page under way, a timer each; 150 connections with a
        // timer at either end.
        let beside = bytes(&[(500, 96 + 4 + PAGE_BYTES_PER_USER), (500 + 300, timer), (150, connection)]);
        let flows = bytes(&[(7, 200 + connection + 600), (21, timer)]);
        same(traffic(&house(&[])), bytes(&[(500, size_of::<User>())]) + beside + flows);
        // Behind a port that sorts flows the connections of users and flows have two headers each, of 16
        // bytes, and two words of 4 that say whether and whose they are.
        let sorting = traffic(&house(&[("topology.links.1.queue", "{ scheme = \"fq-codel\" }")]));
        same(sorting - traffic(&house(&[])), bytes(&[(150 + 7, 2 * 16 + 2 * 4)]));
        let mah = house(&[("populations.0.model", "{ model = \"mah\" }")]);
        same(traffic(&mah), bytes(&[(500, size_of::<MahUser>())]) + beside + flows);
    }

    #[test]
    fn a_cloud_is_the_past_of_four_series_and_two_connections_for_each_of_a_second() {
        let model = |hz: f64| format!("{{ model = \"packmime\", connections_per_second = {hz:?} }}");
        let of_rate =
            |hz| traffic(&house(&[("populations.0.count", "3"), ("populations.0.model", &model(hz))]));
        let connection = size_of::<Connection>() + size_of::<BrowserConnection>();
        let timer = size_of::<Timer>() + 24;
        let plans = bytes(&[(3 * 10_100, 8), (3 * 20, 250)]);
        let beside = bytes(&[
            (3, size_of::<PackMimeCloud>() + 4 + PAGE_BYTES_PER_USER),
            (3 + 120, timer),
            (60, connection),
        ]);
        let flows = bytes(&[(7, 200 + connection + 600), (21, timer)]);
        same(of_rate(10.0), plans + beside + flows);
    }

    #[test]
    fn a_source_of_datagrams_is_its_record_a_timer_and_the_delays_that_it_counts() {
        let text = HOUSE.to_owned()
            + "[[datagrams]]\nsenders = \"site\"\nreceivers = \"readers\"\ncount = 9\npacket_bytes = 200\nrate_mbps = 0.1\n";
        let added = traffic(&read(&text, &[])) - traffic(&house(&[]));
        let each = 400 + size_of::<Timer>() + 24 + 5 * 8192;
        same(added, bytes(&[(9, each)]));
    }

    #[test]
    fn each_frame_of_a_call_is_a_row() {
        let text = HOUSE.to_owned()
            + "[[datagrams]]\nsenders = \"site\"\nreceivers = \"readers\"\ncount = 3\npacket_bytes = 1200\n\
               adaptive_video = { frames_hz = 25 }\n";
        let added = rows(&read(&text, &[])) - rows(&house(&[]));
        // 25 a second of each for 100 s.
        same(added, bytes(&[(3 * 2_500, 40 + 44)]));
    }

    #[test]
    fn samples_are_as_many_as_their_intervals_fit_into_the_run() {
        // Every 50 and every 100 ms for 100 s, of two links.
        same(samples(&house(&[])), bytes(&[(2 * (2_000 + 1_000), 25)]));
        let arrivals = samples(&house(&[("record.arrivals", "true")]));
        same(arrivals, bytes(&[(2 * (2_000 + 1_000 + 100_000), 25)]));
        let summaries = samples(&house(&[("record.queue_summary_interval_ms", "500.0")]));
        same(summaries, bytes(&[(2 * (2_000 + 1_000), 25), (2 * 200, 44)]));
        let states = samples(&house(&[("record.scheme_state_interval_ms", "500.0")]));
        same(states, bytes(&[(2 * (2_000 + 1_000), 25), (2 * 200, 10 * 24)]));
        let windows = samples(&house(&[("record.congestion_window_interval_ms", "200.0")]));
        same(windows, bytes(&[(2 * (2_000 + 1_000), 25), (7 * 500, 50)]));
        // One population and one group of flows, and packets of nobody, by two senders at two links.
        let traffic = samples(&house(&[("record.traffic_interval_ms", "1000.0")]));
        same(traffic, bytes(&[(2 * (2_000 + 1_000), 25), (3 * 2 * 2 * 100, 124)]));
        let beside = [
            ("topology.links.0.queue", "{ scheme = \"drop-tail\", limit_packets = 100 }"),
            ("topology.links.0.monitored", "false"),
        ];
        same(samples(&house(&beside)), bytes(&[(2 * (2_000 + 1_000), 25)]));
    }

    #[test]
    fn rows_are_as_many_as_users_ask_for_and_links_carry() {
        // Histograms of exchanges by size, and of pages that were completed, followed to their end, and not
        // ended.
        let plain = 1.1e6 + (SIZE_CLASS_UPPER_BYTES.len() + 3) as f64 * 0.3e6;
        same(rows(&house(&[])), plain);
        let added = |overrides: &[(&str, &str)]| rows(&house(overrides)) - plain;
        // 500 users ask for 0.16 objects and 0.06 pages and open a tenth of a connection a second, for 100 s.
        let (row, page) = (size_of::<Completion>() + 50, size_of::<PageLoad>() + 49);
        same(added(&[("record.responses", "rows")]), bytes(&[(8_000, row), (3_000, page)]));
        same(added(&[("record.responses", "auto")]), bytes(&[(8_000, row), (3_000, page)]));
        let many = [("populations.0.count", "1000000"), ("record.responses", "auto")];
        same(added(&many), bytes(&[(5_000_000, row), (5_000_000, page)]));
        same(added(&[("record.flows", "true")]), bytes(&[(5_000 + 7, 72 + 76)]));
        same(added(&[("record.users", "true")]), bytes(&[(2 * 500, 24)]));
        // 15.38 Mbit/s carry 1,250 packets of 1,538 bytes a second; each arrives and leaves.
        same(added(&[("record.packets", "true")]), bytes(&[(2 * 2 * 125_000, 40 + 36)]));
    }

    #[test]
    fn the_whole_is_the_sum_of_its_parts_and_the_process() {
        let house = house(&[]);
        let parts = network(&house) + traffic(&house) + samples(&house) + rows(&house);
        same(memory_estimate(&house), 8e6 + parts);
    }
}
