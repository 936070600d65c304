//! Live runs as Python objects, on Linux.

use crate::error::{Cancelled, RunError, ScenarioError, refused};
use crate::finished::{Finished, Once};
use crate::scenario::Scenario;
use aqmlab_driver::{Control, ReplayedArrival, ReplayedEvent, replay, shares_a_channel};
use aqmlab_live::{
    Backend, CapturedPorts, HostSettings, KeptPacket, LiveError, LogEvent, LogRow, Output, Program, Settings,
};
use aqmlab_scenario::LinkIndex;
use aqmlab_units::{Span, Time};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// One live run of a resolved scenario.
///
/// `execute` blocks without the interpreter lock for as long as the run lasts; `progress` and `cancel` may be
/// called from other threads meanwhile, the others once it is done.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct LiveRun {
    scenario: Arc<aqmlab_scenario::Scenario>,
    seed: u64,
    settings: Settings,
    control: Control,
    execution: Once<Finished<KeptPacket, Live>>,
}

/// What a live run leaves behind beside what a simulation does.
struct Live {
    audit: String,
    log: Vec<LogRow>,
}

/// A program behind the bottleneck of a live run.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct LiveProgram(Program);

#[pymethods]
impl LiveProgram {
    /// The command with its arguments; that of a server on the other side, if it is not empty; the round trip
    /// without queues and transmissions.
    #[new]
    #[pyo3(signature = (command, server, rtt_ms))]
    fn new(command: Vec<String>, server: Vec<String>, rtt_ms: Option<f64>) -> Self {
        let round_trip = rtt_ms.map(|ms| Span::from_seconds(ms / 1e3));
        Self(Program { command, server, round_trip })
    }
}

/// How a live run is made: names of host settings and backend, empty for those of the scenario and the
/// machine; whether queues are the kernel's; whether events at queues are kept for a replay; the ports whose
/// packets are kept; a program of the user's own.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct LiveSettings {
    hosts: String,
    backend: String,
    kernel_queues: bool,
    log: bool,
    captured: Vec<String>,
    program: Option<Program>,
}

#[pymethods]
impl LiveSettings {
    #[new]
    #[pyo3(signature = (*, hosts = String::new(), backend = String::new(), kernel_queues = false, log = false, captured = Vec::new(), program = None))]
    fn new(
        hosts: String,
        backend: String,
        kernel_queues: bool,
        log: bool,
        captured: Vec<String>,
        program: Option<PyRef<'_, LiveProgram>>,
    ) -> Self {
        let program = program.map(|program| program.0.clone());
        Self { hosts, backend, kernel_queues, log, captured, program }
    }
}

impl LiveSettings {
    fn settings(&self, scenario: &aqmlab_scenario::Scenario) -> PyResult<Settings> {
        let Self { kernel_queues, log, .. } = *self;
        let hosts = match self.hosts.as_str() {
            "" => HostSettings::nearest_to(scenario),
            name => hosts_named(name)?,
        };
        let backend = match self.backend.as_str() {
            "" => Backend::of_this_machine(),
            name => backend_named(name)?,
        };
        let captured = CapturedPorts::of(scenario, &self.captured).map_err(refused)?;
        Ok(Settings { hosts, backend, kernel_queues, log, captured, program: self.program.clone() })
    }
}

#[pymethods]
impl LiveRun {
    /// Raises `ScenarioError` when the scenario asks for what only the simulator has, or there are no such
    /// host settings.
    #[new]
    fn new(scenario: &Scenario, seed: u64, settings: &LiveSettings) -> PyResult<Self> {
        let scenario = Arc::clone(scenario.get());
        let settings = settings.settings(&scenario)?;
        aqmlab_live::check(&scenario, &settings).map_err(failed)?;
        Ok(Self { scenario, seed, settings, control: Control::default(), execution: Once::new() })
    }

    /// Runs to the end, in real time; once per object.
    fn execute(&self, py: Python<'_>) -> PyResult<()> {
        let Self { scenario, seed, settings, control, .. } = self;
        self.execution.execute(|| {
            let run = || aqmlab_live::run(scenario, *seed, settings, control);
            let Output { summary, audit, tables, log, captures } = py.detach(run).map_err(failed)?;
            let audit =
                serde_json::to_string(&audit).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            Finished::of(&summary, tables, captures, Live { audit, log }, py)
        })
    }

    /// Share of the time that has passed, 0 to 1.
    fn progress(&self) -> f64 {
        self.control.progress()
    }

    /// Asks the run to stop soon.
    fn cancel(&self) {
        self.control.cancel();
    }

    /// The content of `run.json`, without the audit.
    fn summary(&self) -> PyResult<&str> {
        Ok(self.execution.finished()?.summary())
    }

    /// What can make the run wrong, and the verdict, as JSON.
    fn audit(&self) -> PyResult<&str> {
        Ok(&self.execution.finished()?.more.audit)
    }

    /// The ports whose packets were kept.
    fn captures(&self) -> PyResult<Vec<&str>> {
        Ok(self.execution.finished()?.captures())
    }

    /// Writes what passed a port to a new pcapng file; see `Run.write_capture`.
    fn write_capture(&self, py: Python<'_>, port: &str, file: PathBuf) -> PyResult<()> {
        self.execution.finished()?.write_capture(py, port, &file)
    }

    /// The names of the tables.
    fn tables(&self) -> PyResult<Vec<&'static str>> {
        Ok(self.execution.finished()?.tables())
    }

    /// The columns of a table by name; see `Run.table`.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        self.execution.finished()?.table(py, name)
    }

    /// Replays the arrivals at each queue through a simulated port with the same seed: how many events there
    /// were, and the first in which the two differ, if they do.
    fn replay(&self, py: Python<'_>) -> PyResult<(usize, Option<String>)> {
        let log = &self.execution.finished()?.more.log;
        let until = Time::ZERO + self.scenario.duration;
        Ok(py.detach(|| {
            let links: BTreeSet<u32> = log.iter().map(|row| row.link.0).collect();
            // Whose turn it is on a shared channel is not known to a link alone.
            let network = &self.scenario.network;
            let alone = |link: &u32| !shares_a_channel(network, network.link(LinkIndex(*link)));
            let found = links
                .into_iter()
                .filter(alone)
                .map(|link| difference(&self.scenario, self.seed, LinkIndex(link), log, until));
            (log.len(), found.flatten().next())
        }))
    }
}

/// The first event at a link in which a live run and its replay differ.
fn difference(
    scenario: &aqmlab_scenario::Scenario,
    seed: u64,
    link: LinkIndex,
    log: &[LogRow],
    until: Time,
) -> Option<String> {
    let (mut arrivals, mut live, mut last_end) = (Vec::new(), Vec::new(), None);
    for row in log.iter().filter(|row| row.link == link) {
        match row.event {
            LogEvent::Arrival => {
                let before_end = last_end != Some(row.at);
                let &LogRow { at, facts, header, acknowledgement, .. } = row;
                arrivals.push(ReplayedArrival { at, facts, header, acknowledgement, before_end });
            }
            LogEvent::Departure => {
                last_end = Some(row.at);
                live.push((row.at, ReplayedEvent::Departure, row.facts));
            }
            LogEvent::Discard(reason) => live.push((row.at, ReplayedEvent::Discard(reason), row.facts)),
        }
    }
    let replayed = replay(scenario, seed, link, &arrivals, until);
    let name = &scenario.network.link(link).name;
    if let Some(place) = live.iter().zip(&replayed).position(|(live, replayed)| live != replayed) {
        return Some(format!(
            "{name}, event {place}: live {:?}, replayed {:?}",
            live[place], replayed[place]
        ));
    }
    let (live, replayed) = (live.len(), replayed.len());
    (live != replayed).then(|| format!("{name}: {live} events live, {replayed} replayed"))
}

/// Makes this process one for live runs; see `aqmlab_live::prepare`.
#[pyfunction]
pub(crate) fn prepare_live(parent: u32) -> PyResult<()> {
    aqmlab_live::prepare(parent).map_err(failed)
}

/// What the system refuses of what a live run needs with this backend and these host settings, if it refuses
/// anything.
#[pyfunction]
pub(crate) fn probe_live(hosts: &str, backend: &str, py: Python<'_>) -> PyResult<Option<String>> {
    let (hosts, backend) = (hosts_named(hosts)?, backend_named(backend)?);
    Ok(py.detach(|| aqmlab_live::probe(hosts, backend)).err().map(|error| error.to_string()))
}

fn hosts_named(name: &str) -> PyResult<HostSettings> {
    HostSettings::named(name).ok_or_else(|| {
        let known = HostSettings::NAMES.join(", ");
        ScenarioError::new_err(format!("host settings {name:?}: there are {known}"))
    })
}

fn backend_named(name: &str) -> PyResult<Backend> {
    Backend::named(name).ok_or_else(|| {
        let known = Backend::ALL.map(Backend::name).join(", ");
        ScenarioError::new_err(format!("backend {name:?}: there are {known}"))
    })
}

/// A queue that may be the kernel's: the link, its scheme, and the kernel's discipline in the words of tc(8)
/// and the lines that are added below it (the device is DEV there), or why there is none.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct KernelOffer {
    link: String,
    scheme: String,
    words: Vec<String>,
    below: Vec<String>,
    refusal: String,
}

/// The queues of a scenario that may be the kernel's.
#[pyfunction]
pub(crate) fn kernel_disciplines(scenario: &Scenario) -> Vec<KernelOffer> {
    let scenario = scenario.get();
    let links = (0..).zip(&scenario.network.links).filter(|(_, link)| link.monitored);
    let offers = links.filter_map(|(number, link)| {
        let scheme = link.queue.as_ref()?.name().to_owned();
        let (words, below, refusal) = match aqmlab_live::discipline_of(scenario, LinkIndex(number)) {
            Ok(discipline) => (discipline.words, discipline.below, String::new()),
            Err(why) => (Vec::new(), Vec::new(), why),
        };
        Some(KernelOffer { link: link.name.clone(), scheme, words, below, refusal })
    });
    offers.collect()
}

/// The names of host settings for live runs.
#[pyfunction]
pub(crate) fn live_host_names() -> Vec<&'static str> {
    HostSettings::NAMES.to_vec()
}

/// What the scenario asks for, or the machine has not, is the user's to mend.
fn failed(error: LiveError) -> PyErr {
    let message = error.to_string();
    match error {
        LiveError::Cancelled => Cancelled::new_err(message),
        LiveError::Unsupported(_) => ScenarioError::new_err(message),
        LiveError::Missing(_) | LiveError::Setup { .. } | LiveError::Run(_) => RunError::new_err(message),
    }
}
