//! What there is: names, explanations, the schema, the version.

use crate::error::refused;
use aqmlab_aqm::Scheme;
use aqmlab_tcp::HostProfile;
use pyo3::prelude::*;

/// The queue disciplines.
#[pyfunction]
pub(crate) fn scheme_names() -> Vec<&'static str> {
    Scheme::names().to_vec()
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

/// The version, with a digest of the simulator's sources: runs of the same version string, scenario and seed
/// have the same results.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("AQMLAB_SOURCE_DIGEST"))
}
