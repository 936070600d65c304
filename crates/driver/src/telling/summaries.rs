//! From counters and applications to what `run.json` says of them.

use crate::telling::transfers;
use aqmlab_aqm::{Breakdown, Codepoint, Counters, PacketClass, Reason, Tally};
use aqmlab_link::LinkSnapshot;
use aqmlab_record::{
    Amount, ClassCounts, ExchangeSummary, FlowSummary, LinkCounters, LinkSummary, PopulationSummary,
};
use aqmlab_scenario::{FlowGroup, LinkIndex, Scenario, ThroughputLayer};
use aqmlab_session::Session;
use aqmlab_units::Rate;
use aqmlab_web::Statistics;
use std::collections::BTreeMap;

/// Version of the layout of `run.json`.
pub const FORMAT: u32 = 3;

/// What a summary needs to know of a monitored link beside its counters.
#[derive(Clone, Copy, Debug)]
pub struct WatchedLink {
    /// Its number in the scenario.
    pub link: LinkIndex,
    /// Whether its port may still discard or mark packets that wait.
    pub decides_about_waiting: bool,
}

/// Packets and bytes as they are written.
#[must_use]
pub fn amount(tally: Tally) -> Amount {
    Amount { packets: tally.packets, bytes: tally.bytes }
}

/// The monitored links over so many seconds between two snapshots of each.
#[must_use]
pub fn link_summaries(
    scenario: &Scenario,
    watched: impl Iterator<Item = WatchedLink>,
    [begin, end]: [&[LinkSnapshot]; 2],
    seconds: f64,
) -> Vec<LinkSummary> {
    let (carry_data, capacities) = (scenario.data_links(), scenario.capacities_of(|_| true));
    let windows = begin.iter().zip(end);
    let of = |(watched, (begin, end)): (WatchedLink, _)| {
        let place = watched.link.0 as usize;
        let carried = (carry_data[place], capacities[place]);
        link_summary(scenario, &watched, carried, (begin, end), seconds)
    };
    watched.zip(windows).map(of).collect()
}

fn link_summary(
    scenario: &Scenario,
    watched: &WatchedLink,
    (carries_data, capacity): (bool, Option<Rate>),
    (begin, end): (&LinkSnapshot, &LinkSnapshot),
    seconds: f64,
) -> LinkSummary {
    let (counters, sent) = (end.counters.minus(&begin.counters), end.sent.minus(begin.sent));
    let at_risk = at_risk(watched.decides_about_waiting, begin, &counters);
    let link = scenario.network.link(watched.link);
    let layer = scenario.record.throughput_layer;
    let rate_bits = link.rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
    let node = |node: aqmlab_scenario::NodeIndex| scenario.network.nodes[node.0 as usize].name.clone();
    let megabits = |bytes: u64| bytes as f64 * 8.0 / seconds / 1e6;
    let exposed = at_risk.total().packets;
    let share = |packets: u64| if exposed > 0 { packets as f64 / exposed as f64 } else { 0.0 };
    let queue_packets_mean = end.occupancy.mean_packets_since(&begin.occupancy);
    LinkSummary {
        name: link.name.clone(),
        from: node(link.from),
        to: node(link.to),
        rate_mbps: rate_bits / 1e6,
        capacity_mbps: capacity.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64) / 1e6,
        scheme: link.queue.as_ref().map_or("none", |scheme| scheme.name()).to_owned(),
        carries_data,
        throughput_mbps: match layer {
            ThroughputLayer::Frame => megabits(sent.frame_bytes),
            ThroughputLayer::Ip => megabits(sent.ip_bytes),
        },
        throughput_layer: layer.name().to_owned(),
        throughput_frame_mbps: megabits(sent.frame_bytes),
        throughput_ip_mbps: megabits(sent.ip_bytes),
        busy_share: (end.transmitting - begin.transmitting).seconds() / seconds,
        mean_frame_bytes: sent.frame_bytes as f64 / (sent.frames as f64).max(1.0),
        queue_packets_mean,
        wait_mean_s: wait_mean_s(queue_packets_mean * seconds, &counters),
        // What a later acknowledgement says too is taken out, and nobody misses it.
        loss_ratio: share(
            counters.all_discards().total().packets - counters.discards(Reason::Redundant).total().packets,
        ),
        mark_ratio: share(counters.marks().total().packets),
        counters: link_counters(&counters, &at_risk),
    }
}

/// Mean wait of the packets that left (Little's law): the packet-seconds of the window, less those of packets
/// that were discarded. A wait counts where the packet left or was discarded.
fn wait_mean_s(packet_seconds: f64, counters: &Counters) -> Option<f64> {
    let left = counters.departures().total().packets;
    (left > 0).then(|| (packet_seconds - counters.waited_in_vain_s()).max(0.0) / left as f64)
}

/// Packets that the queue could discard or mark in the window: those that arrived in it and, where packets
/// that wait are decided about, those that waited when it began.
fn at_risk(decides_about_waiting: bool, begin: &LinkSnapshot, in_window: &Counters) -> Breakdown {
    if decides_about_waiting {
        in_window.arrivals().plus(&begin.counters.waiting())
    } else {
        *in_window.arrivals()
    }
}

fn link_counters(counters: &Counters, at_risk: &Breakdown) -> LinkCounters {
    let discards = counters.all_discards();
    let counts = |arrived: Tally, at_risk: Tally, marked: Tally, discarded: Tally| ClassCounts {
        arrived_packets: arrived.packets,
        at_risk_packets: at_risk.packets,
        marked_packets: marked.packets,
        discarded_packets: discarded.packets,
    };
    let of_class = |class: PacketClass| {
        counts(
            counters.arrivals().of_class(class),
            at_risk.of_class(class),
            counters.marks().of_class(class),
            discards.of_class(class),
        )
    };
    let of_codepoint = |point: Codepoint| {
        counts(
            counters.arrivals().of_codepoint(point),
            at_risk.of_codepoint(point),
            counters.marks().of_codepoint(point),
            discards.of_codepoint(point),
        )
    };
    LinkCounters {
        arrived: amount(counters.arrivals().total()),
        at_risk: amount(at_risk.total()),
        departed: amount(counters.departures().total()),
        marked: amount(counters.marks().total()),
        discarded: Reason::ALL
            .iter()
            .map(|&reason| (reason.name().to_owned(), amount(counters.discards(reason).total())))
            .collect(),
        by_class: PacketClass::ALL.iter().map(|&class| (class.name().to_owned(), of_class(class))).collect(),
        by_codepoint: Codepoint::ALL
            .iter()
            .map(|&point| (point.name().to_owned(), of_codepoint(point)))
            .collect(),
    }
}

/// What each population did.
#[must_use]
pub fn populations(session: &Session, scenario: &Scenario) -> Vec<PopulationSummary> {
    let described = scenario.populations.iter().zip(session.populations()).zip(session.unfinished());
    described
        .map(|((description, population), unfinished)| {
            let (in_run, in_window) = (population.in_run(), population.in_window());
            PopulationSummary {
                name: description.name.clone(),
                users: description.users,
                completed: in_window.completed,
                failed: in_window.failed,
                unfinished,
                gave_up: population.gave_up(),
                whole_run: ExchangeSummary {
                    started: in_run.started,
                    completed: in_run.completed,
                    failed: in_run.failed,
                },
                generated: generated(population.generated()),
            }
        })
        .collect()
}

fn generated(statistics: &Statistics) -> BTreeMap<String, f64> {
    let mut generated: BTreeMap<String, f64> = [
        ("server_visits", statistics.server_visits),
        ("pages", statistics.pages),
        ("objects", statistics.objects()),
        ("connections", statistics.connections),
        ("persistent_connections", statistics.persistent_connections),
        ("reopened_connections", statistics.reopened_connections),
        ("objects_on_persistent", statistics.objects_on_persistent_connections),
        ("response_bytes_on_persistent", statistics.response_bytes_on_persistent_connections),
        ("response_bytes", statistics.response_bytes()),
        ("request_bytes", statistics.request_bytes()),
    ]
    .into_iter()
    .map(|(name, count)| (name.to_owned(), count as f64))
    .collect();
    for (name, share) in [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999)] {
        if let Some(bytes) = statistics.response_sizes.quantile(share) {
            generated.insert(format!("response_bytes_{name}"), bytes);
        }
    }
    generated
}

/// What each group of flows achieved between two counts of the bytes delivered, flow by flow.
#[must_use]
pub fn flows(scenario: &Scenario, session: &Session, [begin, end]: [&[u64]; 2]) -> Vec<FlowSummary> {
    let mut delivered = end.iter().zip(begin).map(|(end, begin)| end - begin);
    let mut alone = transfers::alone_s(scenario, session).into_iter();
    let summary = |group: &FlowGroup| FlowSummary {
        name: group.name.clone(),
        delivered_bytes: delivered.by_ref().take(group.flows.len()).collect(),
        alone_s: alone.next().unwrap_or_default(),
    };
    scenario.flows.iter().map(summary).collect()
}

/// The scenario as resolved.
///
/// # Panics
/// Never: a resolved scenario is written as JSON.
#[must_use]
pub fn document(scenario: &Scenario) -> serde_json::Value {
    serde_json::from_str(&scenario.to_json()).expect("a resolved scenario is written as JSON")
}
