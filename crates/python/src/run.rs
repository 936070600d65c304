//! A run as a Python object: executed on one thread, watched and cancelled from others.

use crate::error::{RunError, ScenarioError, failed, refused};
use crate::table::into_arrays;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Capture, CapturedPorts, Control, Output};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::fs::File;
use std::io::BufWriter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// One run of a resolved scenario.
///
/// `execute` blocks without the interpreter lock; `progress` and `cancel` may be called from other threads
/// meanwhile, `summary`, `tables` and `table` once it is done.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct Run {
    scenario: Scenario,
    seed: u64,
    captured: CapturedPorts,
    control: Control,
    started: AtomicBool,
    finished: OnceLock<Finished>,
}

struct Finished {
    summary: String,
    tables: Vec<(&'static str, Py<PyDict>)>,
    captures: Vec<Capture>,
}

#[pymethods]
impl Run {
    /// Raises `ScenarioError` when there is no port of a name in `captured`, or its packets cannot be captured.
    #[new]
    #[pyo3(signature = (scenario_json, seed, captured = Vec::new()))]
    fn new(scenario_json: &str, seed: u64, captured: Vec<String>) -> PyResult<Self> {
        let scenario = Scenario::from_json(scenario_json).map_err(refused)?;
        let captured = CapturedPorts::of(&scenario, &captured)
            .map_err(|refusal| ScenarioError::new_err(refusal.to_string()))?;
        Ok(Self {
            scenario,
            seed,
            captured,
            control: Control::default(),
            started: AtomicBool::new(false),
            finished: OnceLock::new(),
        })
    }

    /// Simulates to the end; once per object.
    ///
    /// Raises `Cancelled` after `cancel`, `ScenarioError` when the scenario is too large for the simulator, and
    /// `RunError` when the simulator fails, or a scheme of the user's.
    fn execute(&self, py: Python<'_>) -> PyResult<()> {
        if self.started.swap(true, Ordering::Relaxed) {
            return Err(PyRuntimeError::new_err("a run executes once: make a new Run"));
        }
        let output = py.detach(|| self.simulate())?;
        let tables = output
            .tables
            .into_iter()
            .map(|table| Ok((table.name, into_arrays(table, py)?.unbind())))
            .collect::<PyResult<_>>()?;
        let finished = Finished { summary: output.summary.to_json(), tables, captures: output.captures };
        assert!(self.finished.set(finished).is_ok(), "only the first execution comes here");
        Ok(())
    }

    /// Share of the simulated time that has passed, 0 to 1.
    fn progress(&self) -> f64 {
        self.control.progress()
    }

    /// Asks the run to stop soon.
    fn cancel(&self) {
        self.control.cancel();
    }

    /// The content of `run.json`.
    fn summary(&self) -> PyResult<&str> {
        Ok(&self.finished()?.summary)
    }

    /// The ports whose packets were kept.
    fn captures(&self) -> PyResult<Vec<&str>> {
        Ok(self.finished()?.captures.iter().map(Capture::port).collect())
    }

    /// Writes what passed a port to a new pcapng file.
    ///
    /// Raises `KeyError` when its packets were not kept, and `OSError`.
    fn write_capture(&self, py: Python<'_>, port: &str, file: PathBuf) -> PyResult<()> {
        let found = self.finished()?.captures.iter().find(|capture| capture.port() == port);
        let capture = found.ok_or_else(|| PyKeyError::new_err(port.to_owned()))?;
        Ok(py.detach(|| capture.write(BufWriter::new(File::create_new(file)?)))?)
    }

    /// The names of the tables.
    fn tables(&self) -> PyResult<Vec<&'static str>> {
        Ok(self.finished()?.tables.iter().map(|(name, _)| *name).collect())
    }

    /// The columns of a table by name, as arrays over the memory that the run filled; a column of names is a pair of
    /// codes and names, see `table.rs`.
    ///
    /// Raises `KeyError` when there is no such table.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let tables = &self.finished()?.tables;
        let found = tables.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| Err(PyKeyError::new_err(name.to_owned())), |(_, table)| table.bind(py).copy())
    }
}

impl Run {
    /// Runs the simulator. A fault is that of a scheme of the user's; a panic is the simulator's, and no reason to lose the
    /// interpreter.
    fn simulate(&self) -> PyResult<Output> {
        let Self { scenario, seed, control, captured, .. } = self;
        let simulate = || aqmlab_sim::run_capturing(scenario, *seed, control, captured);
        let run = || aqmlab_plugin::catch(simulate);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(output)) => output.map_err(|error| failed(&error)),
            Ok(Err(fault)) => Err(RunError::new_err(fault.to_string())),
            Err(panic) => {
                Err(RunError::new_err(format!("the simulator panicked (a bug): {}", words(&*panic))))
            }
        }
    }

    fn finished(&self) -> PyResult<&Finished> {
        self.finished.get().ok_or_else(|| PyRuntimeError::new_err("the run has not been executed to its end"))
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
