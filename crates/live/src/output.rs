//! From a finished run to its summary and tables, as a simulation leaves them.

use crate::audit::Audit;
use crate::error::LiveError;
use crate::hosts::{HostSettings, foreign_answers_to_marks};
use crate::kernel_counts::KernelCounts;
use crate::router::capture::Capture;
use crate::router::link::QueuedLink;
use crate::router::log::LogRow;
use crate::router::network::{Balance, Edge, Network};
use crate::router::thread::Routed;
use crate::traffic::thread::Traffic;
use aqmlab_driver::{
    FORMAT, TableNames, WatchedLink, datagram_sources, document, flows, link_summaries, measured_window,
    populations, queue_counts, transfers, warnings,
};
use aqmlab_link::MonitoredLink;
use aqmlab_record::{Invariant, LinkSummary, Summary, Table, TcpSummary};
use aqmlab_scenario::{Responses, Scenario};
use aqmlab_session::Session;
use aqmlab_units::Time;

/// What a live run leaves behind.
pub struct Output {
    /// Everything that is not a table, as of a simulation.
    pub summary: Summary,
    /// What can make the run wrong, and the verdict.
    pub audit: Audit,
    /// The tables.
    pub tables: Vec<Table>,
    /// What happened at the queues, if that was asked for.
    pub log: Vec<LogRow>,
    /// What passed the ports that were captured, in the order in which they were named.
    pub captures: Vec<Capture>,
}

/// Checks the laws that every run must obey, and gathers what is to be kept.
pub(crate) fn gather(
    routed: Routed,
    traffic: Traffic,
    (hosts, audit): (HostSettings, Audit),
    scenario: &Scenario,
    seed: u64,
) -> Result<Output, LiveError> {
    let invariants = invariants(&routed.network, &traffic);
    if let Some(breaches) = Invariant::breaches(&invariants) {
        return Err(LiveError::Run(format!("a consistency check failed (a bug): {breaches}")));
    }
    let window = measured_window(scenario);
    let [Some(begin), Some(end)] = routed.network.edges.clone() else {
        return Err(LiveError::Run("the measured window did not begin and end".to_owned()));
    };
    let [before, after] = &traffic.edges;
    let mut summary = Summary {
        format: FORMAT,
        aqmlab_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: document(scenario),
        seed,
        measured_from_s: window.from.seconds(),
        measured_until_s: window.until.seconds(),
        ended_s: None,
        links: links(&routed.network, scenario, [&begin, &end], window.length().seconds()),
        impairments: Vec::new(),
        delay_boxes: Vec::new(),
        shapers: routed.network.shapers(),
        populations: populations(&traffic.session, scenario),
        flows: flows(scenario, &traffic.session, [&before.delivered, &after.delivered]),
        tcp: tcp(&routed, &traffic, [&begin, &end]),
        invariants,
        warnings: Vec::new(),
    };
    summary.warnings = warnings::of(&summary, scenario);
    summary.warnings.extend(warnings::of_samples(&routed.network.monitor, &summary.links));
    summary.warnings.extend(hosts.other_controllers(scenario));
    summary.warnings.extend(foreign_answers_to_marks(scenario));
    summary.warnings.extend(said_of(&audit));
    let now = Time::ZERO + scenario.duration;
    let (tables, (log, captures)) = tables(routed, traffic, scenario, [&begin, &end], now);
    Ok(Output { summary, audit, tables, log, captures })
}

/// What stands beside every figure of a suspect run.
fn said_of(audit: &Audit) -> Option<String> {
    let reasons = audit.reasons.join("; ");
    (audit.verdict != "valid").then(|| format!("live run, timing suspect: {reasons}"))
}

fn links(network: &Network, scenario: &Scenario, [begin, end]: [&Edge; 2], seconds: f64) -> Vec<LinkSummary> {
    let monitored = network.queues.iter().filter(|link| link.monitored.is_some());
    let watched = monitored
        .map(|link| WatchedLink { link: link.number, decides_about_waiting: link.decides_about_waiting });
    link_summaries(scenario, watched, [&begin.links, &end.links], seconds)
}

/// What the kernel counted in both namespaces. It counts neither windows reduced for ECN nor windows of data
/// with losses.
fn tcp(routed: &Routed, traffic: &Traffic, [begin, end]: [&Edge; 2]) -> TcpSummary {
    let [before, after] = &traffic.edges;
    let kernel = KernelCounts::since([after.kernel, routed.kernel[1]], [before.kernel, routed.kernel[0]]);
    TcpSummary {
        connections: after.totals.opened - before.totals.opened,
        gave_up: after.totals.gave_up - before.totals.gave_up,
        timeouts: kernel.timeouts,
        syn_retransmissions: kernel.syn_retransmissions,
        fast_recoveries: kernel.fast_recoveries,
        retransmitted_segments: kernel.retransmitted_segments,
        ecn_reductions: None,
        classic_fallbacks: None,
        loss_episodes: None,
        loss_episodes_multiple: None,
        dropped_data_segments: end.dropped[0] - begin.dropped[0],
        dropped_handshake_segments: end.dropped[1] - begin.dropped[1],
    }
}

fn tables(
    routed: Routed,
    mut traffic: Traffic,
    scenario: &Scenario,
    [begin, end]: [&Edge; 2],
    now: Time,
) -> (Vec<Table>, (Vec<LogRow>, Vec<Capture>)) {
    let names = TableNames::of(scenario);
    let Network { monitor, log, traffic: carried, .. } = routed.network;
    let mut tables = monitor.into_tables(&names);
    tables.extend(queue_counts::table(&begin.links, &end.links, &names));
    tables.extend(carried.into_iter().flat_map(|carried| carried.into_tables(&names)).flatten());
    tables.extend(traffic.congestion_windows.into_table(&names));
    tables.extend(transfers::table(scenario, &traffic.session, now, &names));
    tables.extend(traffic.datagrams.into_tables(scenario, now).into_iter().flatten());
    tables.extend(datagram_sources::frames(scenario, &mut traffic.session));
    if scenario.record.responses != Responses::None {
        tables.extend(traffic.session.into_records(now).into_tables(&names.populations));
    }
    (tables, log.into_parts())
}

/// Checks every law at the end of a run. A violation is an error, because nothing in such a run can be
/// trusted.
fn invariants(network: &Network, traffic: &Traffic) -> Vec<Invariant> {
    vec![
        Invariant::of(
            "packets and bytes that arrived at each port = departed + discarded + waiting",
            network.queues.iter().try_for_each(port_conserves),
        ),
        Invariant::of(
            "packets that departed from each port = sent on its link + in service or in the driver's ring",
            network.queues.iter().try_for_each(link_sends_what_departs),
        ),
        Invariant::of(
            "exchanges that each population started = completed + failed + under way at the end",
            exchanges_end(&traffic.session),
        ),
        Invariant::of(
            "datagrams that each source sent >= received + lost",
            traffic.datagrams.overdrawn().map_or(Ok(()), |source| {
                Err(format!("source {source} of datagrams sent fewer than were received and lost"))
            }),
        ),
        Invariant::of(
            "packets that the router read = handed over + discarded + refused + under way",
            router_balances(network.balance, network.under_way()),
        ),
    ]
}

fn port_conserves(queue: &QueuedLink) -> Result<(), String> {
    queue.check_conservation().map_err(|what| format!("link {}: {what}", queue.number.0))
}

fn link_sends_what_departs(queue: &QueuedLink) -> Result<(), String> {
    let departed = queue.queue().counters().departures().total().packets;
    let (sent, under_way) = (queue.sent().frames, queue.under_way());
    let holds = departed == sent + under_way;
    holds.then_some(()).ok_or_else(|| {
        format!(
            "link {}: {departed} packets left the queue, {sent} the link, {under_way} are under way",
            queue.number.0
        )
    })
}

fn exchanges_end(session: &Session) -> Result<(), String> {
    session.populations().iter().zip(session.unfinished()).try_for_each(|(population, unfinished)| {
        let counts = population.in_run();
        let holds = counts.leaves(unfinished);
        holds.then_some(()).ok_or_else(|| format!("{counts:?} exchanges, {unfinished} under way"))
    })
}

fn router_balances(balance: Balance, under_way: u64) -> Result<(), String> {
    let Balance { read, handed_over, discarded, refused } = balance;
    let holds = read == handed_over + discarded + refused.iter().sum::<u64>() + under_way;
    holds.then_some(()).ok_or_else(|| format!("{balance:?}, and {under_way} are under way"))
}
