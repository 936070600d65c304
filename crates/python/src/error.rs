//! Errors of the core as Python exceptions, by whose doing they are. The classes are those of
//! `aqmlab.errors`.

use aqmlab_scenario::{Mistake, Place};
use pyo3::{PyErr, import_exception, pyclass};
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
    let mistakes: Vec<_> = error.mistakes().iter().map(FoundMistake::of).collect();
    ScenarioError::new_err((error.to_string(), mistakes, error.told().len(), error.untold()))
}

/// A mistake in a scenario: its message, and the same without its place; the name of the source with line and
/// column, or the override in which it is; its key, of a missing one where it belongs; the value as JSON;
/// what would be legal, in words; the nearest legal name.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct FoundMistake {
    message: String,
    sentence: String,
    source_name: String,
    line: Option<usize>,
    column: Option<usize>,
    r#override: Option<String>,
    key: String,
    value_json: Option<String>,
    legal: Option<String>,
    nearest: Option<String>,
}

impl FoundMistake {
    fn of(mistake: &Mistake) -> Self {
        let (line, column, given) = match &mistake.place {
            Place::Whole => (None, None, None),
            Place::Line(line) => (Some(*line), None, None),
            Place::Column(line, column) => (Some(*line), Some(*column), None),
            Place::Override(given) => (None, None, Some(given.clone())),
        };
        let keys: Vec<&str> = [Some(mistake.key.as_str()), mistake.missing.as_deref()]
            .into_iter()
            .flatten()
            .filter(|key| !key.is_empty())
            .collect();
        Self {
            message: mistake.to_string(),
            sentence: mistake.sentence().to_string(),
            source_name: mistake.source_name.clone(),
            line,
            column,
            r#override: given,
            key: keys.join("."),
            value_json: mistake.value.as_ref().map(ToString::to_string),
            legal: mistake.legal.as_ref().map(|legal| legal.words().to_owned()),
            nearest: mistake.nearest.clone(),
        }
    }
}

/// Why a run gave no result: what the scenario asks for is the user's to mend, a broken law is ours.
pub(crate) fn failed(error: &aqmlab_sim::RunError) -> PyErr {
    let message = error.to_string();
    match error {
        aqmlab_sim::RunError::Cancelled => Cancelled::new_err(message),
        aqmlab_sim::RunError::TooLarge(_)
        | aqmlab_sim::RunError::Model(_)
        | aqmlab_sim::RunError::Steps(_) => ScenarioError::new_err(message),
        aqmlab_sim::RunError::Invariant(_) => RunError::new_err(message),
    }
}
