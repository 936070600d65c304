//! A congestion controller in a library, tried outside of any scenario: it has the methods and attributes of
//! `aqmlab.controllers.Controller`, and shows its answers as they are, legal or not.

use super::library_facts::{
    ToldAcknowledged, ToldLoss, ToldLostSegment, ToldMarks, ToldOpening, ToldRoundTrip, ToldSent,
    ToldTimeout, recovered_of,
};
use crate::error::{RunError, refused};
use aqmlab_plugin::{
    ControllerHost, LibraryController, RawAnswers, TableController, Values, catch, is_controller,
};
use aqmlab_random::Key;
use aqmlab_scenario::{InFile, with_controller_file};
use aqmlab_tcp::congestion::own::{Fact, OwnInstance};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Seeds that a trial may draw.
const SEEDS: u64 = 1 << 32;

/// The controller of a library.
pub(super) fn load(file: &InFile<'_>) -> Result<LibraryController, String> {
    LibraryController::load(&file.bytes()?, file.object, &format!("{}:{}", file.file, file.object))
}

/// Whether `LIBRARY.so:SYMBOL` in a folder names a congestion controller.
#[pyfunction]
pub(crate) fn names_controller_library(folder: PathBuf, name: &str) -> bool {
    let asked = with_controller_file(&folder, name, |file| {
        Ok(file.is_library() && is_controller(&file.bytes()?, file.object))
    });
    asked.unwrap_or(false)
}

/// The congestion controller `LIBRARY.so:SYMBOL` in a folder, to be tried.
///
/// Raises `ScenarioError` when something is refused.
#[pyfunction]
pub(crate) fn load_controller_library(folder: PathBuf, name: &str) -> PyResult<ControllerLibrary> {
    let found = with_controller_file(&folder, name, load);
    let own = found.map_err(|why| refused(format!("controller {name}: {why}")))?;
    Ok(ControllerLibrary { name: name.to_owned(), own })
}

/// A congestion controller of a library: what `aqmlab.controllers.loading.Loaded` is of a class.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct ControllerLibrary {
    #[pyo3(get)]
    name: String,
    own: LibraryController,
}

#[pymethods]
impl ControllerLibrary {
    /// Whether it hears of each lost segment, and models the path.
    #[getter]
    fn hears_each_loss(&self) -> bool {
        self.own.traits().hears_each_loss
    }

    /// Whether it answers marks by itself.
    #[getter]
    fn answers_marks(&self) -> bool {
        self.own.traits().answers_marks
    }

    /// The defaults of its parameters.
    #[getter]
    fn defaults_json(&self) -> String {
        serde_json::Value::Object(self.own.defaults()).to_string()
    }

    /// The parameter that it refuses, what is wrong with it, and what would be legal.
    fn refusal_of(&self, values_json: &str) -> PyResult<Option<(String, String, String)>> {
        let values: Values = serde_json::from_str(values_json).map_err(refused)?;
        let host = ControllerHost { initial_window: 10, packet_bytes: 1_500, pacing: false };
        Ok(self.own.started(&values, &host).err().map(|(key, legal)| {
            let wrong =
                values.get(&key).map_or("not legal".to_owned(), |value| format!("{value} is not legal"));
            (key, wrong, legal)
        }))
    }

    /// That of a connection that begins, on a host of an initial window, the bytes of a packet, and whether
    /// it paces.
    fn make(&self, values_json: &str, host: (u32, u32, bool)) -> PyResult<LibraryConnection> {
        let values: Values = serde_json::from_str(values_json).map_err(refused)?;
        let (initial_window, packet_bytes, pacing) = host;
        let host = ControllerHost { initial_window, packet_bytes, pacing };
        let made = self.own.started(&values, &host);
        let own = made.map_err(|(key, legal)| refused(format!("{}: {key} must be {legal}", self.name)))?;
        Ok(LibraryConnection { own })
    }

    /// The message of an exception.
    fn described(&self, error: &Bound<'_, PyAny>, places: &Bound<'_, PyAny>) -> String {
        let _ = places;
        format!("{}: {error}", self.name)
    }
}

/// The congestion controller of one connection.
#[pyclass(module = "aqmlab._core")]
#[derive(Clone)]
pub(crate) struct LibraryConnection {
    own: TableController,
}

impl LibraryConnection {
    fn tell(&mut self, fact: &Fact<'_>) -> PyResult<()> {
        let told = catch(|| self.own.call(fact));
        told.map(|_| ()).map_err(|fault| RunError::new_err(fault.to_string()))
    }

    const fn answers(&self) -> &RawAnswers {
        self.own.answers()
    }
}

#[pymethods]
impl LibraryConnection {
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    #[getter]
    fn window(&self) -> f64 {
        self.answers().window
    }

    #[getter]
    fn threshold(&self) -> f64 {
        self.answers().threshold
    }

    /// The infinite pace, which is none, is `None`.
    #[getter]
    fn pacing_bps(&self) -> Option<f64> {
        let bps = self.answers().pacing_bps;
        (bps != f64::INFINITY).then_some(bps)
    }

    #[getter]
    fn send_quantum(&self) -> u32 {
        self.answers().send_quantum
    }

    #[getter]
    fn limits_samples(&self) -> bool {
        self.answers().limits_samples != 0
    }

    /// Draws random numbers of its own from here on, of a seed that is drawn from `coins`.
    #[setter]
    fn set_coins(&mut self, coins: &Bound<'_, PyAny>) -> PyResult<()> {
        let seed = coins.call_method1("below", (SEEDS,))?.extract()?;
        self.own.draw_from(Key::from_seed(seed));
        Ok(())
    }

    fn on_established(&mut self, opening: ToldOpening) -> PyResult<()> {
        self.tell(&Fact::Established(&opening.fact()?))
    }

    fn on_sent(&mut self, sent: ToldSent) -> PyResult<()> {
        self.tell(&Fact::Sent(&sent.fact()?))
    }

    fn on_round_trip(&mut self, round_trip: ToldRoundTrip) -> PyResult<()> {
        self.tell(&Fact::RoundTrip(&round_trip.fact()))
    }

    fn on_acknowledged(&mut self, acknowledged: ToldAcknowledged) -> PyResult<()> {
        self.tell(&Fact::Acknowledged(&acknowledged.fact()?))
    }

    fn on_lost(&mut self, lost: ToldLostSegment) -> PyResult<()> {
        self.tell(&Fact::Lost(&lost.fact()))
    }

    fn on_loss(&mut self, loss: ToldLoss) -> PyResult<()> {
        self.tell(&Fact::Loss(&loss.fact()))
    }

    fn on_timeout(&mut self, timeout: ToldTimeout) -> PyResult<()> {
        self.tell(&Fact::Timeout(&timeout.fact()))
    }

    fn on_marks(&mut self, marks: ToldMarks) -> PyResult<()> {
        self.tell(&Fact::Marks(&marks.fact()))
    }

    fn on_recovered(&mut self, how: &str) -> PyResult<()> {
        self.tell(&Fact::Recovered(recovered_of(how)?))
    }

    fn on_idle(&mut self, timeouts: u32) -> PyResult<()> {
        self.tell(&Fact::Idle(timeouts))
    }

    fn on_unused(&mut self, used: u32) -> PyResult<()> {
        self.tell(&Fact::Unused(used))
    }
}
