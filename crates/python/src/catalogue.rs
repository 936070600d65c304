//! What there is: names, explanations, the schema, the version.

use crate::error::refused;
use aqmlab_aqm::Scheme;
use aqmlab_scenario::Scenario;
use aqmlab_tcp::HostProfile;
use pyo3::prelude::*;
use std::collections::BTreeSet;

/// The queue disciplines of this package. Schemes in files that this process has read are not among them: what is legal does
/// not depend on what was read before.
#[pyfunction]
pub(crate) fn scheme_names() -> Vec<&'static str> {
    Scheme::names().iter().copied().filter(|name| !name.contains(':')).collect()
}

/// The host profiles.
#[pyfunction]
pub(crate) fn profile_names() -> Vec<&'static str> {
    HostProfile::NAMES.to_vec()
}

/// What a queue discipline does, where it comes from, and its parameters.
///
/// Raises `ScenarioError` when there is no such discipline.
#[pyfunction]
pub(crate) fn explain(scheme: &str) -> PyResult<String> {
    Scheme::describe(scheme).map_err(refused)
}

/// The JSON Schema of a scenario, as text.
#[pyfunction]
pub(crate) fn json_schema() -> String {
    aqmlab_scenario::json_schema().to_string()
}

/// The version, with a digest of all sources of the simulator: runs of the same version string, scenario and seed
/// have the same results.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("AQMLAB_SOURCE_DIGEST"))
}

/// The version and digests of the sources that runs of a resolved scenario depend on: those of the core, and those of
/// the schemes in its network. Runs of the same string, scenario and seed have the same results.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn sources_of(scenario_json: &str) -> PyResult<String> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    let queues = scenario.network.links.iter().filter_map(|link| link.queue.as_ref());
    // A scheme in a file stands in the scenario with the file's text.
    let names: BTreeSet<&str> =
        queues.flat_map(Scheme::names_within).filter(|name| !name.contains(':')).collect();
    let own = |one: &&str| one.split_once('=').is_some_and(|(name, _)| names.contains(name));
    let schemes: Vec<&str> = env!("AQMLAB_SCHEME_DIGESTS").split(' ').filter(own).collect();
    assert_eq!(schemes.len(), names.len(), "every scheme has a digest");
    let core = concat!(env!("CARGO_PKG_VERSION"), "+", env!("AQMLAB_CORE_DIGEST"));
    Ok([&[core], schemes.as_slice()].concat().join(" "))
}
