//! What there is: names, explanations, the schema, the version.

use crate::error::refused;
use aqmlab_applications::{ApplicationModel, Facts, FramesFacts, Viewers};
use aqmlab_aqm::parts::{ArcLoop, PiGains, sfg_design};
use aqmlab_aqm::{Scheme, algorithms::sfg};
use aqmlab_random::Key;
use aqmlab_scenario::{FileKind, Scenario, Transport, UserModel, WaitsFor};
use aqmlab_tcp::HostProfile;
use pyo3::prelude::*;
use std::collections::BTreeSet;

/// The queue disciplines of this package. Schemes in files that this process has read are not among them:
/// what is legal does not depend on what was read before.
#[pyfunction]
pub(crate) fn scheme_names() -> Vec<&'static str> {
    Scheme::names().iter().copied().filter(|name| !name.contains(':')).collect()
}

/// The scheme of this package that the field or Linux call by this name; none if there is none.
#[pyfunction]
pub(crate) fn scheme_named_elsewhere(name: &str) -> Option<&'static str> {
    aqmlab_scenario::scheme_named_elsewhere(name)
}

/// What a file with this content is, its kind and what can be done with it; none if nobody knows.
#[pyfunction]
pub(crate) fn recognised_file(name: &str, content: &[u8]) -> Option<(&'static str, &'static str)> {
    FileKind::of(name, content).map(|kind| (kind.name(), kind.said()))
}

/// The host profiles.
#[pyfunction]
pub(crate) fn profile_names() -> Vec<&'static str> {
    HostProfile::NAMES.to_vec()
}

/// The traffic models whose connections arrive by themselves: in a cloud of these nobody is a person.
#[pyfunction]
pub(crate) fn cloud_models() -> Vec<&'static str> {
    UserModel::names_where(|facts| facts.waits_for == WaitsFor::Nothing)
}

/// An application over datagrams.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Application {
    /// The key of a group of datagrams that names it.
    key: &'static str,
    /// The ending of the group of what its receiver sends of its own; none if that is silent.
    receiver: Option<&'static str>,
    /// Who looks at the frames that it records, "talking" or "playing"; none if it records none.
    viewers: Option<&'static str>,
}

/// The applications over datagrams, in the order of their list.
#[pyfunction]
pub(crate) fn applications() -> Vec<Application> {
    let viewers = |frames: FramesFacts| match frames.viewers {
        Viewers::Talking => "talking",
        Viewers::Playing => "playing",
    };
    let described = |(key, facts): (&'static str, Facts)| Application {
        key,
        receiver: facts.receiver.map(|own| own.name),
        viewers: facts.frames.map(viewers),
    };
    ApplicationModel::usual().into_iter().map(described).collect()
}

/// What a host profile is, and its values of the keys of `host`; none if there is no such profile.
#[pyfunction]
pub(crate) fn profile_settings(name: &str) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    HostProfile::named(name).map(|profile| (profile.meaning(), profile.settings()))
}

/// The transports of connections, TCP first.
#[pyfunction]
pub(crate) fn transport_names() -> Vec<&'static str> {
    Transport::names().collect()
}

/// A key, and the values that it may have.
type LegalValues = (&'static str, Vec<&'static str>);

/// What a transport is, and the keys of `host` that it has with their legal values: none of TCP, whose keys
/// are those of a profile. None if there is no such transport.
#[pyfunction]
pub(crate) fn transport_settings(name: &str) -> Option<(&'static str, Vec<LegalValues>)> {
    if name == Transport::TCP {
        return Some((Transport::MEANING_OF_TCP, Vec::new()));
    }
    let transport = Transport::named(name)?;
    let keys = transport.host_keys().map(|(key, legal)| (key, legal.to_vec()));
    Some((transport.meaning, keys.to_vec()))
}

/// What a queue discipline does, where it comes from, and its parameters.
///
/// Raises `ScenarioError` when there is no such discipline.
#[pyfunction]
pub(crate) fn explain(scheme: &str) -> PyResult<String> {
    Scheme::describe(scheme).map_err(refused)
}

/// The parameters of a table in words, from their JSON schemas by their names.
///
/// Raises `ScenarioError` when the text is no table.
#[pyfunction]
pub(crate) fn describe_parameters(properties_json: &str) -> PyResult<String> {
    let properties = serde_json::from_str(properties_json).map_err(refused)?;
    Ok(aqmlab_aqm::describe_parameters(&properties))
}

/// The gains of ARC per second of interval under which its loop with TCP is stable, from lowest to highest;
/// none where there is no such gain.
#[pyfunction]
pub(crate) fn arc_admissible_gains(
    flows: f64,
    rtt_s: f64,
    packets_per_second: f64,
    utilization: f64,
) -> Option<(f64, f64)> {
    ArcLoop { flows, rtt_s, packets_per_second, utilization }.admissible()
}

/// How often a flow shares its bins in all levels with misbehaving flows.
#[pyfunction]
pub(crate) fn sfg_false_positive(levels: f64, bins: f64, misbehaving: f64) -> f64 {
    sfg_design::false_positive(levels, bins, misbehaving)
}

/// Of so many filters, each with hash functions of its own, how many take a flow for one that misbehaves.
///
/// Raises `ScenarioError` when there is no filter with so many levels or bins.
#[pyfunction]
pub(crate) fn sfg_false_positives(levels: u32, bins: u32, misbehaving: u32, trials: u32) -> PyResult<u32> {
    let found = sfg::false_positives(levels, bins, misbehaving, trials, Key::from_seed(1));
    found.map_err(refused)
}

/// The gains a and b of PI for so many flows and this path and link; none where the loop has no phase margin.
#[pyfunction]
pub(crate) fn pi_designed_gains(
    flows: f64,
    rtt_s: f64,
    packets_per_second: f64,
    sampling_hz: f64,
) -> Option<(f64, f64)> {
    let gains = PiGains::designed(flows, rtt_s, packets_per_second, sampling_hz);
    let legal = flows < PiGains::most_flows(rtt_s, packets_per_second) && gains.b > 0.0;
    (legal && gains.a.is_finite()).then_some((gains.a, gains.b))
}

/// Bytes per second of a TCP-friendly flow.
#[pyfunction]
pub(crate) fn sfg_tcp_friendly_rate(packet_bytes: f64, rtt_s: f64, notification_rate: f64) -> f64 {
    sfg_design::tcp_friendly_rate(packet_bytes, rtt_s, notification_rate)
}

/// The JSON Schema of a scenario, as text.
#[pyfunction]
pub(crate) fn json_schema() -> String {
    aqmlab_scenario::json_schema().to_string()
}

/// The version, with a digest of all sources of the simulator: runs of the same version string, scenario and
/// seed have the same results.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("AQMLAB_SOURCE_DIGEST"))
}

/// The version and digests of the sources that runs of a scenario depend on.
pub(crate) fn sources_of(scenario: &Scenario) -> String {
    let queues = scenario.network.links.iter().filter_map(|link| link.queue.as_ref());
    // A scheme in a file stands in the scenario with the file's text.
    let names: BTreeSet<&str> =
        queues.flat_map(Scheme::names_within).filter(|name| !name.contains(':')).collect();
    let own = |one: &&str| one.split_once('=').is_some_and(|(name, _)| names.contains(name));
    let schemes: Vec<&str> = env!("AQMLAB_SCHEME_DIGESTS").split(' ').filter(own).collect();
    assert_eq!(schemes.len(), names.len(), "every scheme has a digest");
    let core = concat!(env!("CARGO_PKG_VERSION"), "+", env!("AQMLAB_CORE_DIGEST"));
    [&[core], schemes.as_slice()].concat().join(" ")
}
