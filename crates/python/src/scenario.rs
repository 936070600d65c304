//! Scenarios go back and forth as canonical JSON text.

use crate::error::refused;
use aqmlab_aqm::PortFacts;
use aqmlab_link::Framing;
use aqmlab_scenario::{Link, LinkIndex, NodeIndex, NodeKind, Routes, Scenario, TrafficGroup, Way};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Checks TOML text with overrides, and resolves it. Files that it names are looked for in `folder`.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn resolve(
    text: &str,
    source_name: &str,
    folder: PathBuf,
    overrides: Vec<(String, String)>,
) -> PyResult<String> {
    let scenario = Scenario::from_toml_in(&folder, text, source_name, &overrides).map_err(refused)?;
    Ok(scenario.to_json())
}

/// A resolved scenario with some keys set anew, checked again. Files that these name are looked for in
/// `folder`.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn override_resolved(
    scenario_json: &str,
    folder: PathBuf,
    overrides: Vec<(String, String)>,
) -> PyResult<String> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    Ok(scenario.with_overrides_in(&folder, &overrides).map_err(refused)?.to_json())
}

/// The uncongested twin of a resolved scenario.
///
/// Raises `ScenarioError` when the scenario does not say what its uncongested network is.
#[pyfunction]
pub(crate) fn uncongested_twin(scenario_json: &str) -> PyResult<String> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    Ok(scenario.uncongested_twin().map_err(refused)?.to_json())
}

/// The uncongested twin without endless flows, save those of the groups that are kept: where offered load is
/// measured.
///
/// Raises `ScenarioError` when there is no such twin.
#[pyfunction]
pub(crate) fn offering_twin(scenario_json: &str, kept: Vec<String>) -> PyResult<String> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    Ok(scenario.offering_twin(&kept).map_err(refused)?.to_json())
}

/// A demand as Python has it: name, key of its size, unit, size, whether it is endless.
type DemandRow = (String, String, &'static str, u32, bool);

/// The parts of the traffic with the keys that set their sizes.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn demands(scenario_json: &str) -> PyResult<Vec<DemandRow>> {
    let demands = Scenario::from_json(scenario_json).map_err(refused)?.demands();
    Ok(demands.into_iter().map(|own| (own.name, own.key, own.unit.name(), own.size, own.endless)).collect())
}

/// A link as Python has it: name, the nodes it joins, rate in Mbit/s, keys of its queue discipline and of its
/// rate.
type LinkRow = (String, (String, String), f64, String, String);

/// The monitored links that carry the data of the demands with these names; of all traffic, without a name.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn demand_links(scenario_json: &str, names: Vec<String>) -> PyResult<Vec<LinkRow>> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let demands = scenario.demands();
    let carries = scenario.data_links_of(|place| names.is_empty() || names.contains(&demands[place].name));
    Ok(monitored(&scenario, |place| carries[place]))
}

/// Every monitored link.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn monitored_links(scenario_json: &str) -> PyResult<Vec<LinkRow>> {
    Ok(monitored(&Scenario::from_json(scenario_json).map_err(refused)?, |_| true))
}

/// The values in force of the parameters that a scheme derives where they are not given, by key: those at the
/// monitored link with this name.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn parameters_in_force(scenario_json: &str, link: &str) -> PyResult<BTreeMap<&'static str, f64>> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let found = scenario.network.links.iter().find(|each| each.monitored && each.name == link);
    let port = found.and_then(|each| Some((each.queue.as_ref()?, PortFacts::new(each.rate?))));
    Ok(port.map_or_else(BTreeMap::new, |(scheme, facts)| scheme.in_force(&facts).into_iter().collect()))
}

/// Of every link with a queue discipline, by its name: how long in seconds packets wait in its full buffer
/// (none where the scheme keeps waiting times at a target), and a usual buffer at its rate in packets.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn buffers(scenario_json: &str) -> PyResult<BTreeMap<String, (Option<f64>, u32)>> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let queued = scenario.network.links.iter().filter(|link| link.queue.is_some());
    let row = |link: &Link| Some((link.name.clone(), (link.felt_buffer_s(), link.usual_buffer_packets()?)));
    Ok(queued.filter_map(row).collect())
}

/// What a reader should know of a scenario before any run of it, in words.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn scenario_warnings(scenario_json: &str) -> PyResult<Vec<String>> {
    Ok(aqmlab_driver::warnings::of_scenario(&Scenario::from_json(scenario_json).map_err(refused)?))
}

/// Monitored links that count; each has a rate and a queue discipline, or the scenario would have been
/// refused.
fn monitored(scenario: &Scenario, counts: impl Fn(usize) -> bool) -> Vec<LinkRow> {
    let network = &scenario.network;
    let links = network.links.iter().enumerate().filter(|(place, link)| link.monitored && counts(*place));
    let row = |(place, link): (usize, &Link)| {
        let end = |node| network.node(node).name.clone();
        let rate_mbps = link.rate?.bits_per_second() as f64 / 1e6;
        let index = LinkIndex(place as u32);
        let (queue_key, rate_key) = (scenario.queue_key(index)?, scenario.rate_key(index)?);
        Some((link.name.clone(), (end(link.from), end(link.to)), rate_mbps, queue_key, rate_key))
    };
    links.filter_map(row).collect()
}

/// What the link layer adds to an IP datagram as Python has it: overhead, shortest frame and gap, in bytes.
type FramingRow = (u32, u32, u32);

/// The framing of every monitored link, by its name.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn framings(scenario_json: &str) -> PyResult<BTreeMap<String, FramingRow>> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let monitored = scenario.network.links.iter().filter(|link| link.monitored);
    let row = |Framing { overhead_bytes, minimum_frame_bytes, gap_bytes }: Framing| {
        (overhead_bytes, minimum_frame_bytes, gap_bytes)
    };
    Ok(monitored.map(|link| (link.name.clone(), row(link.framing))).collect())
}

/// A node as Python has it: name, group, whether it is a router.
type NodeRow = (String, String, bool);
/// A link of any kind: name, places of the nodes that it joins, rate in Mbit/s, delay in ms, scheme.
type WireRow = (String, (u32, u32), Option<f64>, f64, Option<String>);
/// Who sends data to whom: name, what its size counts, size, groups of the senders and receivers, places of
/// the links from the first sender to the first receiver.
type TrafficRow = (String, &'static str, u32, (String, String), Vec<u32>);

/// The network and the traffic on it, to be drawn: nodes, links, and who sends data to whom.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn network(scenario_json: &str) -> PyResult<(Vec<NodeRow>, Vec<WireRow>, Vec<TrafficRow>)> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let network = &scenario.network;
    let node =
        |node: &aqmlab_scenario::Node| (node.name.clone(), node.group.clone(), node.kind == NodeKind::Router);
    let link = |link: &Link| {
        let rate_mbps = link.rate.map(|rate| rate.bits_per_second() as f64 / 1e6);
        let scheme = link.queue.as_ref().map(|queue| queue.name().to_owned());
        let delay_ms = link.delay.nanoseconds() as f64 / 1e6;
        (link.name.clone(), (link.from.0, link.to.0), rate_mbps, delay_ms, scheme)
    };
    let (nodes, links) = (network.nodes.iter().map(node), network.links.iter().map(link));
    Ok((nodes.collect(), links.collect(), traffic(&scenario)))
}

fn traffic(scenario: &Scenario) -> Vec<TrafficRow> {
    let routes = Routes::new(&scenario.network);
    let group = |node: NodeIndex| scenario.network.node(node).group.clone();
    let row = |(demand, own): (aqmlab_scenario::Demand, TrafficGroup<'_>)| {
        let Way { from, to } = own.conversations().next()?.data();
        let (&sender, &receiver) = (from.first()?, to.first()?);
        let path = routes.path(sender, receiver)?.into_iter().map(|link| link.0).collect();
        Some((demand.name, demand.unit.name(), demand.size, (group(sender), group(receiver)), path))
    };
    scenario.demands().into_iter().zip(scenario.traffic()).filter_map(row).collect()
}

/// Bytes of memory that a run of a resolved scenario takes at its peak, estimated.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn memory_estimate(scenario_json: &str) -> PyResult<f64> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    Ok(aqmlab_sim::memory_estimate(&scenario))
}
