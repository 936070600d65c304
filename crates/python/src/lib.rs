//! The compiled half of the Python package, `aqmlab._core`: conversions between Rust and Python, the mapping of
//! errors, and the release of the interpreter lock. Nothing here knows about networks.
//!
//! The Python half documents and types what is here: `python/aqmlab/_core.pyi`.

mod catalogue;
mod error;
mod run;
mod scenario;
mod table;

/// The module as Python sees it.
#[pyo3::pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::catalogue::{explain, json_schema, profile_names, scheme_names, version};
    #[pymodule_export]
    use crate::error::{Cancelled, RunError, ScenarioError};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::{override_resolved, resolve, uncongested_twin};
}
