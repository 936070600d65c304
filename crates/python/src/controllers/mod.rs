//! Congestion controllers in files: classes of Python that are told what happens on a connection, and
//! libraries.

mod answers;
mod class;
mod facts;
mod library;
mod library_facts;

pub(crate) use library::{
    ControllerLibrary, LibraryConnection, load_controller_library, names_controller_library,
};

use crate::error::refused;
use aqmlab_scenario::{InFile, load_controller_in_file, set_controller_loader};
use aqmlab_tcp::congestion::own::ControllerDeclaration;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes congestion controllers in files known to scenarios.
pub(crate) fn install() {
    set_controller_loader(load);
}

fn load(file: &InFile<'_>) -> Result<Arc<dyn ControllerDeclaration>, String> {
    if file.is_library() { Ok(Arc::new(library::load(file)?.declared()?)) } else { class::load(file) }
}

/// The JSON Schema of the table of a congestion controller in a file, `my_aimd.py:Aimd` or
/// `my_aimd.so:my_aimd`, that stands in `folder`, as text.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn controller_schema(folder: PathBuf, name: &str) -> PyResult<String> {
    let schema = load_controller_in_file(&folder, name);
    schema.map(|schema| schema.to_string()).map_err(|why| refused(format!("{name}: {why}")))
}
