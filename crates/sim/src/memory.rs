//! How much memory a run will take, before it is made.
//!
//! What is made at the start is counted: users, links, flows. What grows while a run lasts is estimated from the rates
//! at which it grows: connections and exchanges from the users, packets from the rates of the links. The estimate is
//! for deciding whether a run has room, not for accounting.

use crate::fabric::{Connection, Interface, Packet, QueuedLink, Timer};
use aqmlab_aqm::{Port, Scheme};
use aqmlab_record::{Completion, PageLoad, SIZE_CLASS_UPPER_BYTES};
use aqmlab_scenario::{Link, Node, Responses, Scenario, UserModel};
use aqmlab_session::{BrowserConnection, PAGE_BYTES_PER_USER};
use aqmlab_units::Span;
use aqmlab_web::{MahUser, User};

/// The process itself: code, stacks, tables of the traffic models.
const PROCESS_BYTES: f64 = 8e6;
/// A name on the heap, with what the allocator adds.
const NAME_BYTES: f64 = 48.0;
/// Connections that a user has open at the peak, those that are being closed included; more when a link is overloaded.
const CONNECTIONS_PER_USER: f64 = 0.3;
/// Exchanges of a user per second (0.16 measured with the defaults of the UNC model).
const EXCHANGES_PER_USER_AND_SECOND: f64 = 0.16;
/// Pages of a user per second: a think time of 15 s and the page itself.
const PAGES_PER_USER_AND_SECOND: f64 = 0.06;
/// Connections of a user per second (0.10 measured with the same).
const CONNECTIONS_PER_USER_AND_SECOND: f64 = 0.10;
/// Of a user's plan of a visit, on the heap.
const PLAN_BYTES: f64 = 96.0;
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
const SAMPLE_ROW_BYTES: f64 = 25.0;
const SUMMARY_ROW_BYTES: f64 = 44.0;
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
    let routers = network.nodes.iter().filter(|node| node.kind == aqmlab_scenario::NodeKind::Router).count();
    let queued = network.links.iter().filter(|link| link.queue.is_some()).count();
    let hosts = network.nodes.len() - routers;
    // The description, the links, and a table of routes of which a copy is turned from columns into rows. Of machines
    // behind ideal wires there are few columns, but which these are is known only when it is built.
    let ideal = network.links.iter().filter(|link| link.is_ideal()).count();
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

fn traffic(scenario: &Scenario) -> f64 {
    let connection = (size_of::<Connection>() + size_of::<BrowserConnection>()) as f64;
    let timer = (size_of::<Timer>() + 24) as f64;
    let of_populations = scenario.populations.iter().map(|population| {
        let user = match population.model {
            UserModel::Unc(_) => size_of::<User>(),
            UserModel::Mah(_) => size_of::<MahUser>(),
        };
        let per_user = user as f64
            + PLAN_BYTES
            + 4.0
            + PAGE_BYTES_PER_USER as f64
            + timer
            + CONNECTIONS_PER_USER * (connection + 2.0 * timer);
        f64::from(population.users) * per_user
    });
    let flows: usize = scenario.flows.iter().map(|group| group.flows.len()).sum();
    let sources: usize = scenario.datagrams.iter().map(|group| group.sources.len()).sum();
    of_populations.sum::<f64>()
        + flows as f64 * (200.0 + connection + 3.0 * timer + PACKETS_OF_FLOW_BYTES)
        + sources as f64 * (400.0 + timer + DELAYS_OF_SOURCE_BYTES)
}

/// What is sampled of monitored links.
fn samples(scenario: &Scenario) -> f64 {
    let record = &scenario.record;
    let times = |interval: Span| scenario.duration.seconds() / interval.seconds();
    let arrivals = if record.arrivals { times(Span::from_milliseconds(1)) } else { 0.0 };
    let summaries = record.queue_summary.map_or(0.0, |summary| times(summary.interval));
    let samples = times(record.queue_interval) + times(record.link_interval) + arrivals;
    let monitored =
        scenario.network.links.iter().filter(|link| link.monitored && link.queue.is_some()).count();
    monitored as f64 * (samples * SAMPLE_ROW_BYTES + summaries * SUMMARY_ROW_BYTES)
}

/// Exchanges, connections and packets one by one.
fn rows(scenario: &Scenario) -> f64 {
    let record = &scenario.record;
    let seconds = scenario.duration.seconds();
    let users: f64 = scenario.populations.iter().map(|population| f64::from(population.users)).sum();
    let flows: usize = scenario.flows.iter().map(|group| group.flows.len()).sum();
    let exchanges = users * EXCHANGES_PER_USER_AND_SECOND * seconds;
    let pages = users * PAGES_PER_USER_AND_SECOND * seconds;
    let response = size_of::<Completion>() as f64 + RESPONSE_COLUMN_BYTES;
    let page = size_of::<PageLoad>() as f64 + PAGE_COLUMN_BYTES;
    let responses = match record.responses {
        Responses::Auto => exchanges.min(AUTOMATIC_ROWS) * response + pages.min(AUTOMATIC_ROWS) * page,
        Responses::Rows => exchanges * response + pages * page,
        Responses::Histogram | Responses::None => 0.0,
    };
    let connections = users * CONNECTIONS_PER_USER_AND_SECOND * seconds + flows as f64;
    // Those of exchanges by size, and three of pages.
    let classes = (scenario.populations.len() * (SIZE_CLASS_UPPER_BYTES.len() + 3)) as f64;
    let monitored = scenario.network.links.iter().filter(|link| link.monitored);
    let bits_per_second: f64 =
        monitored.clone().filter_map(|link| link.rate).map(|rate| rate.bits_per_second() as f64).sum();
    // A packet has a row when it arrives and one when it leaves.
    let packets = bits_per_second / 8.0 / MEAN_WIRE_BYTES * seconds * 2.0;
    SCATTER_BYTES
        + responses
        + classes * HISTOGRAM_BYTES
        + when(record.flows, connections * FLOW_ROW_BYTES)
        + when(record.users, users * monitored.count() as f64 * 24.0)
        + when(record.packets, packets * PACKET_ROW_BYTES)
}

fn bytes_of<T>(count: usize) -> f64 {
    count as f64 * size_of::<T>() as f64
}

const fn when(wanted: bool, bytes: f64) -> f64 {
    if wanted { bytes } else { 0.0 }
}
