//! A run as a Python object: executed on one thread, watched and cancelled from others.

use crate::error::{RunError, ScenarioError, failed};
use crate::finished::{Finished, Once};
use crate::scenario::Scenario;
use aqmlab_sim::{CapturedPorts, Control, Output};
use aqmlab_wire::WirePacket;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

/// One run of a scenario.
///
/// `execute` blocks without the interpreter lock; `progress` and `cancel` may be called from other threads
/// meanwhile, `summary`, `tables` and `table` once it is done.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct Run {
    scenario: Arc<aqmlab_scenario::Scenario>,
    seed: u64,
    captured: CapturedPorts,
    control: Control,
    execution: Once<Finished<WirePacket, ()>>,
}

#[pymethods]
impl Run {
    /// Raises `ScenarioError` when there is no port of a name in `captured`, or its packets cannot be
    /// captured.
    #[new]
    #[pyo3(signature = (scenario, seed, captured = Vec::new()))]
    fn new(scenario: &Scenario, seed: u64, captured: Vec<String>) -> PyResult<Self> {
        let scenario = Arc::clone(scenario.get());
        let captured = CapturedPorts::of(&scenario, &captured)
            .map_err(|refusal| ScenarioError::new_err(refusal.to_string()))?;
        Ok(Self { scenario, seed, captured, control: Control::default(), execution: Once::new() })
    }

    /// Simulates to the end; once per object.
    ///
    /// Raises `Cancelled` after `cancel`, `ScenarioError` when the scenario is too large for the simulator,
    /// and `RunError` when the simulator fails, or a scheme of the user's.
    fn execute(&self, py: Python<'_>) -> PyResult<()> {
        self.execution.execute(|| {
            let Output { summary, tables, captures, .. } = py.detach(|| self.simulate())?;
            Finished::of(&summary, tables, captures, (), py)
        })
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
        Ok(self.execution.finished()?.summary())
    }

    /// The ports whose packets were kept.
    fn captures(&self) -> PyResult<Vec<&str>> {
        Ok(self.execution.finished()?.captures())
    }

    /// Writes what passed a port to a new pcapng file.
    ///
    /// Raises `KeyError` when its packets were not kept, and `OSError`.
    fn write_capture(&self, py: Python<'_>, port: &str, file: PathBuf) -> PyResult<()> {
        self.execution.finished()?.write_capture(py, port, &file)
    }

    /// The names of the tables.
    fn tables(&self) -> PyResult<Vec<&'static str>> {
        Ok(self.execution.finished()?.tables())
    }

    /// The columns of a table by name, as arrays over the memory that the run filled; a column of names is a
    /// pair of codes and names, see `table.rs`.
    ///
    /// Raises `KeyError` when there is no such table.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        self.execution.finished()?.table(py, name)
    }
}

impl Run {
    /// A run that has been executed, for what it leaves behind.
    pub(crate) fn finished(
        scenario: Arc<aqmlab_scenario::Scenario>,
        seed: u64,
        output: Output,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let Output { summary, tables, captures, .. } = output;
        let run = Self {
            scenario,
            seed,
            captured: CapturedPorts::default(),
            control: Control::default(),
            execution: Once::new(),
        };
        run.control.report_done();
        run.execution.execute(|| Finished::of(&summary, tables, captures, (), py))?;
        Ok(run)
    }

    fn simulate(&self) -> PyResult<Output> {
        let Self { scenario, seed, control, captured, .. } = self;
        guarded(|| aqmlab_sim::run_capturing(scenario, *seed, control, captured))
    }
}

/// Runs the simulator. A fault is that of a scheme of the user's; a panic is the simulator's, and no reason
/// to lose the interpreter.
pub(crate) fn guarded<T>(simulate: impl FnOnce() -> Result<T, aqmlab_sim::RunError>) -> PyResult<T> {
    let run = || aqmlab_plugin::catch(simulate);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome.map_err(|error| failed(&error)),
        Ok(Err(fault)) => Err(RunError::new_err(fault.to_string())),
        Err(panic) => Err(RunError::new_err(format!("the simulator panicked (a bug): {}", words(&*panic)))),
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
