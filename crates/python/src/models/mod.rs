//! Traffic models in files: classes of Python that say what pages consist of.

mod class;
mod draws;
mod page;
mod trial;

pub(crate) use draws::Draws;
pub(crate) use trial::{SampledPages, sample_model};

use crate::error::refused;
use aqmlab_scenario::{load_model_in_file, set_model_loader};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Makes traffic models in files known to scenarios.
pub(crate) fn install() {
    set_model_loader(class::load);
}

/// The JSON Schema of the table of a traffic model in a file, `my_pages.py:MyPages`, that stands in `folder`,
/// as text.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn model_schema(folder: PathBuf, name: &str) -> PyResult<String> {
    let model = load_model_in_file(&folder, name);
    model.map(|(_, schema)| schema.to_string()).map_err(|why| refused(format!("{name}: {why}")))
}
