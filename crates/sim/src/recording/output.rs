//! From a finished simulation to its summary and tables.

use super::queue_counts;
use super::snapshot::Snapshot;
use super::transfers;
use super::warnings;
use crate::control::RunError;
use crate::fabric::{Capture, LinkSnapshot, MAXIMUM_NUMBERED, QueuedLink};
use crate::simulation::Simulation;
use crate::table_names::TableNames;
use aqmlab_aqm::{Breakdown, Codepoint, Counters, PacketClass, Reason, Tally};
use aqmlab_record::{
    Amount, ClassCounts, ExchangeSummary, FlowSummary, ImpairmentSummary, Invariant, LinkCounters,
    LinkSummary, PopulationSummary, Summary, Table, TcpSummary,
};
use aqmlab_scenario::{FlowGroup, Responses, Scenario, ThroughputLayer};
use aqmlab_web::Statistics;
use std::collections::BTreeMap;

/// Version of the layout of `run.json`.
const FORMAT: u32 = 3;

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Output {
    /// Everything that is not a table.
    pub summary: Summary,
    /// The tables.
    pub tables: Vec<Table>,
    /// What passed the ports that were captured, in the order in which they were named.
    pub captures: Vec<Capture>,
    /// Events that the simulator served: a measure of its work, not part of the result.
    pub events: u64,
}

/// Checks the laws that every run must obey and gathers what is to be kept.
pub(crate) fn gather(simulation: Simulation, scenario: &Scenario, seed: u64) -> Result<Output, RunError> {
    let invariants = invariants(&simulation)?;
    let (Some(begin), Some(end)) = (simulation.at_begin.clone(), simulation.at_end.clone()) else {
        return Err(RunError::Invariant("the measured window did not begin and end".to_owned()));
    };
    let links = links(&simulation, scenario, &begin, &end);
    let populations = populations(&simulation, scenario);
    let mut summary = Summary {
        format: FORMAT,
        aqmlab_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: document(scenario),
        seed,
        measured_from_s: simulation.window.from.seconds(),
        measured_until_s: simulation.window.until.seconds(),
        flows: flows(scenario, &begin, &end),
        tcp: tcp(&begin, &end),
        links,
        impairments: impairments(&simulation, scenario, &begin, &end),
        populations,
        invariants,
        warnings: Vec::new(),
    };
    summary.warnings = warnings::of(&summary, scenario);
    summary.warnings.extend(warnings::of_controllers(&simulation.monitor, &summary.links));
    let (events, opened) = (simulation.events_served(), simulation.fabric.opened());
    let sources = simulation.fabric.datagrams().sources() as u64;
    let (tables, captures) = tables(simulation, scenario);
    check_numbers(&tables, opened, MAXIMUM_NUMBERED - sources)?;
    Ok(Output { summary, tables, captures, events })
}

/// Two connections of one number would be taken for one, and so would a connection and a source of datagrams.
fn check_numbers(tables: &[Table], opened: u64, most: u64) -> Result<(), RunError> {
    let is_key = |table: &&Table| table.columns.iter().any(|column| column.name == "connection");
    match tables.iter().find(is_key) {
        Some(table) if opened > most => Err(RunError::TooLarge(format!(
            "{opened} connections, at most {most} can be told apart in the table {}",
            table.name
        ))),
        _ => Ok(()),
    }
}

fn tables(simulation: Simulation, scenario: &Scenario) -> (Vec<Table>, Vec<Capture>) {
    let Simulation { fabric, session, monitor, mut flow_rows, congestion_windows, events, .. } = simulation;
    let (at_begin, at_end) = (simulation.at_begin, simulation.at_end);
    for (place, connection) in fabric.open_connections() {
        flow_rows.record(connection, || session.exchanges(place, connection.owner));
    }
    let names = TableNames::of(scenario);
    let mut tables = monitor.into_tables(&names);
    tables.extend(at_begin.zip(at_end).and_then(|(begin, end)| queue_counts::table(&begin, &end, &names)));
    let transfers = transfers::table(scenario, &session, events.now(), &names);
    let ([users, traffic, packets, datagrams], captures) = fabric.into_tables(&names);
    tables.extend(users);
    tables.extend(traffic);
    if scenario.record.responses != Responses::None {
        let (responses, pages) = session.into_records(events.now());
        tables.extend(responses.into_tables(&names.populations));
        tables.extend(pages.into_tables(&names.populations));
    }
    tables.extend(flow_rows.into_table(&names));
    tables.extend(congestion_windows.into_table(&names));
    tables.extend(packets);
    tables.extend(datagrams);
    tables.extend(transfers);
    (tables, captures)
}

/// Conservation at every port: a violation is an error, because nothing in such a run can be trusted.
fn invariants(simulation: &Simulation) -> Result<Vec<Invariant>, RunError> {
    for (link, queued) in simulation.fabric.network().queued_links() {
        let named = |what: String| RunError::Invariant(format!("link {link}: {what}"));
        queued.port.check_conservation().map_err(|error| named(error.to_string()))?;
        let departed = queued.port.counters().departures().total();
        let under_way = u64::from(queued.busy) + queued.ring.len() as u64;
        if departed.packets != queued.sent.frames + under_way {
            return Err(named(format!(
                "{} packets left the queue, {} the link",
                departed.packets, queued.sent.frames
            )));
        }
    }
    for impaired in &simulation.fabric.network().impaired {
        let Some(queued) = simulation.fabric.network().queued.get(impaired.step.place()) else { continue };
        let (counts, counters) = (impaired.counts, queued.port.counters());
        let seen = (counters.arrivals().total(), counters.discards(Reason::Impairment).total());
        if seen != (counts.arrived, counts.lost) {
            let what = format!("{:?}: the impairment counts {counts:?}, the queue {seen:?}", impaired.link);
            return Err(RunError::Invariant(what));
        }
    }
    let session = &simulation.session;
    for ((place, population), unfinished) in
        session.populations().iter().enumerate().zip(session.unfinished())
    {
        let counts = population.in_run();
        if !counts.leaves(unfinished) {
            let what = format!("population {place}: {counts:?} exchanges, {unfinished} under way at the end");
            return Err(RunError::Invariant(what));
        }
    }
    if let Some(source) = simulation.fabric.datagrams().overdrawn() {
        let what = format!("source {source} of datagrams sent fewer than were received and lost");
        return Err(RunError::Invariant(what));
    }
    let holds = |name: &str| Invariant { name: name.to_owned(), holds: true };
    let mut invariants = vec![
        holds("packets and bytes that arrived at each port = departed + discarded + waiting"),
        holds("packets that departed from each port = sent on its link + in service or in the driver's ring"),
        holds("exchanges that each population started = completed + failed + under way at the end"),
    ];
    if simulation.fabric.datagrams().sources() > 0 {
        invariants.push(holds("datagrams that each source sent >= received + lost"));
    }
    Ok(invariants)
}

fn links(simulation: &Simulation, scenario: &Scenario, begin: &Snapshot, end: &Snapshot) -> Vec<LinkSummary> {
    let seconds = simulation.window.length().seconds();
    let carry_data = scenario.data_links();
    let windows = begin.links.iter().zip(&end.links);
    simulation
        .fabric
        .network()
        .monitored_links()
        .zip(windows)
        .enumerate()
        .map(|(code, (queued, (begin, end)))| LinkSummary {
            carries_data: carry_data[queued.link.0 as usize],
            queue_packets_mean: simulation.monitor.mean_queue_packets(code),
            ..link_summary(scenario, queued, begin, end, seconds)
        })
        .collect()
}

fn impairments(
    simulation: &Simulation,
    scenario: &Scenario,
    begin: &Snapshot,
    end: &Snapshot,
) -> Vec<ImpairmentSummary> {
    let windows = end.impaired.iter().zip(&begin.impaired).map(|(end, begin)| end.minus(*begin));
    let impaired = simulation.fabric.network().impaired.iter().zip(windows);
    impaired
        .map(|(impaired, counts)| ImpairmentSummary {
            link: scenario.network.link(impaired.link).name.clone(),
            arrived: amount(counts.arrived),
            lost: amount(counts.lost),
        })
        .collect()
}

fn amount(tally: Tally) -> Amount {
    Amount { packets: tally.packets, bytes: tally.bytes }
}

fn link_summary(
    scenario: &Scenario,
    queued: &QueuedLink,
    begin: &LinkSnapshot,
    end: &LinkSnapshot,
    seconds: f64,
) -> LinkSummary {
    let (counters, sent) = (end.counters.minus(&begin.counters), end.sent.minus(begin.sent));
    let at_risk = at_risk(queued, begin, &counters);
    let link = &scenario.network.links[queued.link.0 as usize];
    let layer = scenario.record.throughput_layer;
    let rate_bits = link.rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
    let node = |node: aqmlab_scenario::NodeIndex| scenario.network.nodes[node.0 as usize].name.clone();
    let megabits = |bytes: u64| bytes as f64 * 8.0 / seconds / 1e6;
    let exposed = at_risk.total().packets;
    let share = |packets: u64| if exposed > 0 { packets as f64 / exposed as f64 } else { 0.0 };
    LinkSummary {
        name: link.name.clone(),
        from: node(link.from),
        to: node(link.to),
        rate_mbps: rate_bits / 1e6,
        scheme: link.queue.as_ref().map_or("none", |scheme| scheme.name()).to_owned(),
        carries_data: false,
        throughput_mbps: match layer {
            ThroughputLayer::Frame => megabits(sent.frame_bytes),
            ThroughputLayer::Ip => megabits(sent.ip_bytes),
        },
        throughput_layer: layer.name().to_owned(),
        throughput_frame_mbps: megabits(sent.frame_bytes),
        throughput_ip_mbps: megabits(sent.ip_bytes),
        busy_share: (end.transmitting - begin.transmitting).seconds() / seconds,
        mean_frame_bytes: sent.frame_bytes as f64 / (sent.frames as f64).max(1.0),
        queue_packets_mean: 0.0,
        loss_ratio: share(counters.all_discards().total().packets),
        mark_ratio: share(counters.marks().total().packets),
        counters: link_counters(&counters, &at_risk),
    }
}

/// Packets that the queue could discard or mark in the window: those that arrived in it and, where packets that wait are
/// decided about, those that waited when it began.
fn at_risk(queued: &QueuedLink, begin: &LinkSnapshot, in_window: &Counters) -> Breakdown {
    if queued.port.decides_about_waiting() {
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

fn populations(simulation: &Simulation, scenario: &Scenario) -> Vec<PopulationSummary> {
    let session = &simulation.session;
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

fn tcp(begin: &Snapshot, end: &Snapshot) -> TcpSummary {
    let losses = end.losses.minus(begin.losses);
    TcpSummary {
        connections: end.opened - begin.opened,
        gave_up: end.gave_up - begin.gave_up,
        timeouts: end.tcp.timeouts - begin.tcp.timeouts,
        syn_retransmissions: end.tcp.syn_retransmissions - begin.tcp.syn_retransmissions,
        fast_recoveries: end.tcp.fast_recoveries - begin.tcp.fast_recoveries,
        retransmitted_segments: end.tcp.retransmitted_segments - begin.tcp.retransmitted_segments,
        ecn_reductions: end.tcp.ecn_reductions - begin.tcp.ecn_reductions,
        loss_episodes: losses.episodes,
        loss_episodes_multiple: losses.episodes_multiple,
        dropped_data_segments: losses.data_segments,
        dropped_handshake_segments: losses.handshake_segments,
    }
}

fn flows(scenario: &Scenario, begin: &Snapshot, end: &Snapshot) -> Vec<FlowSummary> {
    let mut delivered = end.flows.iter().zip(&begin.flows).map(|(end, begin)| end - begin);
    let summary = |group: &FlowGroup| FlowSummary {
        name: group.name.clone(),
        delivered_bytes: delivered.by_ref().take(group.flows.len()).collect(),
    };
    scenario.flows.iter().map(summary).collect()
}

fn document(scenario: &Scenario) -> serde_json::Value {
    serde_json::from_str(&scenario.to_json()).expect("a resolved scenario is written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_record::ColumnValues;

    #[test]
    fn more_connections_than_numbers_are_refused_where_numbers_are_kept() {
        let named = |column| Table::new("flows", vec![(column, ColumnValues::U32(vec![0]))]);
        let (keyed, other) = ([named("connection")], [named("user")]);
        let most = MAXIMUM_NUMBERED;
        let of = |tables, opened| check_numbers(tables, opened, most);
        assert!(of(&keyed, 1 << 32).is_ok() && of(&other, (1 << 32) + 1).is_ok());
        assert!(check_numbers(&keyed, 1 << 32, most - 1).is_err());
        let refused = of(&keyed, (1 << 32) + 1).unwrap_err();
        assert!(refused.to_string().contains("4294967297 connections, at most 4294967296"), "{refused}");
    }
}
