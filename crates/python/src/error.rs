//! Errors of the core as Python exceptions, by whose doing they are. The classes are those of `aqmlab.errors`.

use aqmlab_scenario::{Mistake, Place};
use pyo3::{PyErr, import_exception};
use std::fmt::Display;

import_exception!(aqmlab.errors, ScenarioError);
import_exception!(aqmlab.errors, RunError);
import_exception!(aqmlab.errors, Cancelled);

/// The user's mistake, in one sentence.
pub(crate) fn refused(error: impl Display) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// A scenario that was refused, with its mistakes.
pub(crate) fn refused_scenario(error: &aqmlab_scenario::ScenarioError) -> PyErr {
    let mistakes: Vec<_> = error.mistakes().iter().map(row).collect();
    ScenarioError::new_err((error.to_string(), mistakes))
}

/// A mistake as Python has it: its message; the source, line, column and override; its key; the value as JSON;
/// what would be legal, in words; the nearest legal name.
type MistakeRow = (
    String,
    (String, Option<usize>, Option<usize>, Option<String>),
    String,
    Option<String>,
    Option<String>,
    Option<String>,
);

fn row(mistake: &Mistake) -> MistakeRow {
    let (line, column, given) = match &mistake.place {
        Place::Whole => (None, None, None),
        Place::Line(line) => (Some(*line), None, None),
        Place::Column(line, column) => (Some(*line), Some(*column), None),
        Place::Override(given) => (None, None, Some(given.clone())),
    };
    (
        mistake.to_string(),
        (mistake.source_name.clone(), line, column, given),
        mistake.key.clone(),
        mistake.value.as_ref().map(ToString::to_string),
        mistake.legal.clone(),
        mistake.nearest.clone(),
    )
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
