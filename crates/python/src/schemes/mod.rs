//! Schemes in files: classes of Python, called as they are or through a table of compiled functions, and
//! libraries.

mod class;
mod guard;
mod methods;
mod scheduler;
mod scheme;
mod trial;
mod view;

pub(crate) use trial::{check_scheme, scheme_checks, scheme_cost};
pub(crate) use view::{Behind, Coins, Header, Packet, Queue, Queues};

use crate::error::refused;
use aqmlab_aqm::Declaration;
use aqmlab_plugin::{Call, load_library};
use aqmlab_scenario::{InFile, load_scheme_in_file, set_scheme_loader};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes schemes in files known to scenarios.
pub(crate) fn install() {
    set_scheme_loader(load);
}

fn load(file: &InFile<'_>) -> Result<Arc<dyn Declaration>, String> {
    let declared = if file.is_library() {
        load_library(&file.bytes()?, file.object, &format!("{}:{}", file.file, file.object))?
    } else {
        class::load(file)?
    };
    Ok(Arc::new(declared))
}

/// Loads a scheme in a file, `my_red.py:MyRed`, that stands in `folder`; answers with the name under which
/// `explain` and `check_scheme` know it.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn load_scheme(folder: PathBuf, name: &str) -> PyResult<String> {
    load_scheme_in_file(&folder, name).map_err(|why| refused(format!("{name}: {why}")))
}

/// The layout of what compiled functions are given: its length, and name, offset and NumPy type of each
/// field.
#[pyfunction]
pub(crate) fn call_layout() -> (usize, Vec<(&'static str, usize, &'static str)>) {
    (Call::FIELDS.0, Call::FIELDS.1.to_vec())
}
