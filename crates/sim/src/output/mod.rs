//! From a finished simulation to its summary and tables.

mod invariants;

use crate::fabric::{Capture, MAXIMUM_NUMBERED};
use crate::recording::Snapshot;
use crate::simulation::EventLoop;
use aqmlab_driver::ShaperFollower;
use aqmlab_driver::{
    FORMAT, RunError, TableNames, WatchedLink, amount, datagram_sources, document, flows, link_summaries,
    populations, queue_counts, transfers, warnings,
};
use aqmlab_record::{DelayBoxSummary, ImpairmentSummary, Invariant, LinkSummary, Summary, Table, TcpSummary};
use aqmlab_scenario::{Responses, Scenario};
use aqmlab_units::Time;

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
pub(crate) fn gather(simulation: EventLoop, scenario: &Scenario, seed: u64) -> Result<Output, RunError> {
    let invariants = invariants::check(&simulation);
    if let Some(breaches) = Invariant::breaches(&invariants) {
        return Err(RunError::Invariant(breaches));
    }
    let (Some(begin), Some(end)) = (simulation.at_begin.clone(), simulation.at_end.clone()) else {
        return Err(RunError::Invariant("the measured window did not begin and end".to_owned()));
    };
    let links = links(&simulation, scenario, &begin, &end);
    let populations = populations(&simulation.session, scenario);
    let mut summary = Summary {
        format: FORMAT,
        aqmlab_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: document(scenario),
        seed,
        measured_from_s: simulation.window.from.seconds(),
        measured_until_s: simulation.window.until.seconds(),
        ended_s: ended_in_cool_down(&simulation, scenario),
        flows: flows(scenario, &simulation.session, [&begin.flows, &end.flows]),
        tcp: tcp(scenario, &begin, &end),
        links,
        impairments: impairments(&simulation, scenario, &begin, &end),
        delay_boxes: delay_boxes(scenario, &begin, &end),
        shapers: simulation.fabric.datagrams().follower().map(ShaperFollower::summaries).unwrap_or_default(),
        populations,
        invariants,
        warnings: Vec::new(),
    };
    summary.warnings = warnings::of(&summary, scenario);
    summary.warnings.extend(warnings::of_samples(&simulation.monitor, &summary.links));
    let (events, opened) = (simulation.events_served(), simulation.fabric.opened());
    let sources = simulation.fabric.datagrams().sources() as u64;
    let (tables, captures) = tables(simulation, scenario);
    check_numbers(&tables, opened, MAXIMUM_NUMBERED - sources)?;
    Ok(Output { summary, tables, captures, events })
}

/// When a run ended before the end of its cool-down.
fn ended_in_cool_down(simulation: &EventLoop, scenario: &Scenario) -> Option<f64> {
    let (end, window) = (simulation.end, simulation.window);
    (window.until <= end && end < Time::ZERO + scenario.duration && scenario.end_after.is_none())
        .then(|| end.seconds())
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

fn tables(simulation: EventLoop, scenario: &Scenario) -> (Vec<Table>, Vec<Capture>) {
    let EventLoop { fabric, mut session, monitor, mut flow_rows, congestion_windows, events, .. } =
        simulation;
    let (at_begin, at_end) = (simulation.at_begin, simulation.at_end);
    for (place, connection) in fabric.open_connections() {
        flow_rows.record(connection, || session.exchanges(place, connection.owner));
    }
    let names = TableNames::of(scenario);
    let mut tables = monitor.into_tables(&names);
    tables.extend(
        at_begin.zip(at_end).and_then(|(begin, end)| queue_counts::table(&begin.links, &end.links, &names)),
    );
    let transfers = transfers::table(scenario, &session, events.now(), &names);
    let frames = datagram_sources::frames(scenario, &mut session);
    let ([users, traffic, traffic_series, packets, datagrams, arrivals], captures) =
        fabric.into_tables(&names, events.now());
    tables.extend(users);
    tables.extend(traffic);
    tables.extend(traffic_series);
    if scenario.record.responses != Responses::None {
        tables.extend(session.into_records(events.now()).into_tables(&names.populations));
    }
    tables.extend(flow_rows.into_table(&names));
    tables.extend(congestion_windows.into_table(&names));
    tables.extend(packets);
    tables.extend(datagrams);
    tables.extend(arrivals);
    tables.extend(frames);
    tables.extend(transfers);
    (tables, captures)
}

fn links(simulation: &EventLoop, scenario: &Scenario, begin: &Snapshot, end: &Snapshot) -> Vec<LinkSummary> {
    let links = simulation.fabric.network().monitored_links();
    let watched = links.map(|queued| WatchedLink {
        link: queued.number,
        decides_about_waiting: queued.link.port().decides_about_waiting(),
    });
    link_summaries(scenario, watched, [&begin.links, &end.links], simulation.window.length().seconds())
}

fn impairments(
    simulation: &EventLoop,
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
            duplicated: (counts.duplicated.packets > 0).then(|| amount(counts.duplicated)),
            ecn_changed: (counts.ecn_changed.packets > 0).then(|| amount(counts.ecn_changed)),
        })
        .collect()
}

/// Of the populations and groups of flows that have boxes.
fn delay_boxes(scenario: &Scenario, begin: &Snapshot, end: &Snapshot) -> Vec<DelayBoxSummary> {
    let windows = end.boxes.iter().zip(&begin.boxes).map(|(end, begin)| end.minus(*begin));
    let groups = scenario.connection_groups().zip(windows);
    groups
        .filter(|(group, _)| group.delay_box.is_some())
        .map(|(group, counts)| DelayBoxSummary {
            name: group.name.to_owned(),
            arrived: amount(counts.arrived),
            lost: amount(counts.lost),
        })
        .collect()
}

fn tcp(scenario: &Scenario, begin: &Snapshot, end: &Snapshot) -> TcpSummary {
    let mut profiles = scenario.connection_groups().map(|group| group.profile);
    let can_fall_back = profiles.any(|profile| profile.extensions().classic_ecn_fallback);
    let losses = end.losses.minus(begin.losses);
    TcpSummary {
        connections: end.opened - begin.opened,
        gave_up: end.gave_up - begin.gave_up,
        timeouts: end.tcp.timeouts - begin.tcp.timeouts,
        syn_retransmissions: end.tcp.syn_retransmissions - begin.tcp.syn_retransmissions,
        fast_recoveries: end.tcp.fast_recoveries - begin.tcp.fast_recoveries,
        retransmitted_segments: end.tcp.retransmitted_segments - begin.tcp.retransmitted_segments,
        ecn_reductions: Some(end.tcp.ecn_reductions - begin.tcp.ecn_reductions),
        // A sender that fell back while it warmed up is no other one in the window.
        classic_fallbacks: can_fall_back.then_some(end.tcp.classic_fallbacks),
        loss_episodes: Some(losses.episodes),
        loss_episodes_multiple: Some(losses.episodes_multiple),
        dropped_data_segments: losses.data_segments,
        dropped_handshake_segments: losses.handshake_segments,
    }
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
