//! Congestion controllers in files: classes of Python that are told what happens on a connection.

mod answers;
mod class;
mod facts;

use crate::error::refused;
use aqmlab_scenario::{load_controller_in_file, set_controller_loader};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Makes congestion controllers in files known to scenarios.
pub(crate) fn install() {
    set_controller_loader(class::load);
}

/// The JSON Schema of the table of a congestion controller in a file, `my_aimd.py:MyAimd`, that stands in
/// `folder`, as text.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn controller_schema(folder: PathBuf, name: &str) -> PyResult<String> {
    let schema = load_controller_in_file(&folder, name);
    schema.map(|schema| schema.to_string()).map_err(|why| refused(format!("{name}: {why}")))
}
