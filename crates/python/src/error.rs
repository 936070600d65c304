//! Errors of the core as Python exceptions, by whose doing they are.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use std::fmt::Display;

create_exception!(
    aqmlab,
    ScenarioError,
    PyValueError,
    "A scenario is refused: the message names the place, the legal values and the nearest name."
);
create_exception!(
    aqmlab,
    RunError,
    PyRuntimeError,
    "A run failed, by the simulator's fault, or by that of a scheme of the user's."
);
create_exception!(aqmlab, Cancelled, PyException, "The run was cancelled before it ended.");

/// The user's mistake.
pub(crate) fn refused(error: impl Display) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// Why a run gave no result: what the scenario asks for is the user's to mend, a broken law is ours.
pub(crate) fn failed(error: &aqmlab_sim::RunError) -> PyErr {
    let message = error.to_string();
    match error {
        aqmlab_sim::RunError::Cancelled => Cancelled::new_err(message),
        aqmlab_sim::RunError::TooLarge(_) | aqmlab_sim::RunError::Model(_) => ScenarioError::new_err(message),
        aqmlab_sim::RunError::Invariant(_) => RunError::new_err(message),
    }
}
