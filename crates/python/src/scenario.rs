//! Scenarios go back and forth as canonical JSON text.

use crate::error::refused;
use aqmlab_scenario::Scenario;
use pyo3::prelude::*;
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

/// A resolved scenario with some keys set anew, checked again. Files that these name are looked for in `folder`.
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

/// Bytes of memory that a run of a resolved scenario takes at its peak, estimated.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn memory_estimate(scenario_json: &str) -> PyResult<f64> {
    let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
    Ok(aqmlab_sim::memory_estimate(&scenario))
}
