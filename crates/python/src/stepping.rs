//! A simulation as a Python object that is taken step by step.

use crate::error::{RunError, ScenarioError};
use crate::run::{Run, guarded};
use crate::scenario::Scenario;
use aqmlab_aqm::Reason;
use aqmlab_sim::{Action, Control, Steering};
use aqmlab_units::{Span, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The monitored links and the groups of traffic at one instant, as `Simulation.observe` returns them.
///
/// Attributes:
///     time_s: The instant, in seconds of simulated time.
///     since_s: The instant of the observation before, or 0.
///     links: A `LinkObservation` for each monitored link, by its name.
///     groups: A `GroupObservation` for each population and each group of flows or datagrams, by its name.
#[pyclass(frozen, get_all, module = "aqmlab")]
pub(crate) struct Observation {
    time_s: f64,
    since_s: f64,
    links: Py<PyDict>,
    groups: Py<PyDict>,
}

/// A population, or a group of flows or datagrams: what became of its traffic since the observation before.
///
/// Attributes:
///     name: Its name, as in result tables.
///     completed: Objects that arrived whole, transfers whose last byte arrived, or datagrams that arrived;
///         of a group `NAME-echo`, those that came back.
///     failed: Objects whose connection gave up, or datagrams that were lost.
///     under_way: Objects, transfers or datagrams under way now; transfers without an end always are.
///     delivered_bytes: Bytes that reached receivers: of flows as they came, of objects with the last byte of
///         each, of datagrams with their headers.
///     mean_response_time_s: Mean response time in seconds of the objects that arrived whole; None where none
///         did. Those under way may have waited longer.
///     mean_round_trip_s: Of flows, the mean of the smoothed round trips of their open connections now, in
///         seconds; None before the first.
///     mean_window_bytes: Of flows, the mean congestion window of their open connections now; None without
///         one.
///     retransmitted_segments: Of flows, segments with data or FIN that were sent again, by either end.
///     frames_shown: Of adaptive calls and games, frames that were shown.
///     frames_skipped: Frames that were passed over for later ones.
///     mean_frame_delay_s: Mean time from capture to showing of the frames that were shown, in seconds; None
///         where none was.
#[pyclass(frozen, get_all, module = "aqmlab")]
pub(crate) struct GroupObservation {
    name: String,
    completed: u64,
    failed: u64,
    under_way: u64,
    delivered_bytes: u64,
    mean_response_time_s: Option<f64>,
    mean_round_trip_s: Option<f64>,
    mean_window_bytes: Option<f64>,
    retransmitted_segments: u64,
    frames_shown: u64,
    frames_skipped: u64,
    mean_frame_delay_s: Option<f64>,
}

/// A link with a queue: its state now, and what happened there since the observation before.
///
/// Bytes are those of IP packets. The packet on the link does not wait.
///
/// Attributes:
///     name: The link's name, as in result tables.
///     rate_mbps: Its rate now, in Mbit/s; the mean of a rate trace.
///     backlog_packets: Packets that wait.
///     backlog_bytes: Bytes that wait.
///     mean_backlog_packets: Time average of the packets that waited; 0 if no time has passed.
///     queueing_delay_s: How long the link needs to send the backlog, in seconds, without frame overhead.
///     signal_probability: Probability with which the scheme now signals (marks or drops) a packet of average
///         size.
///     next_timer_s: When a timer of the scheme is due next, such as PIE's update, in seconds of simulated
///         time; None if it has none.
///     state: The scheme's own state, by name; its page explains the names.
///     arrived_packets: Packets that arrived at the queue.
///     arrived_bytes: Their bytes.
///     departed_packets: Packets that left the queue for the link.
///     departed_bytes: Their bytes.
///     marked_packets: Packets that were marked with CE.
///     marked_bytes: Their bytes.
///     dropped_packets: Packets that were dropped.
///     dropped_bytes: Their bytes.
///     dropped_packets_for: Dropped packets by reason, such as `overflow` and `early`.
///     sent_packets: Packets that the link has sent completely.
///     sent_frame_bytes: Bytes of their frames, including the link layer's overhead.
///     utilization: Share of the time in which the link was sending, from 0 to 1; 0 if no time has passed.
#[pyclass(frozen, get_all, module = "aqmlab")]
pub(crate) struct LinkObservation {
    name: String,
    rate_mbps: f64,
    backlog_packets: u32,
    backlog_bytes: u64,
    mean_backlog_packets: f64,
    queueing_delay_s: f64,
    signal_probability: f64,
    next_timer_s: Option<f64>,
    state: BTreeMap<&'static str, f64>,
    arrived_packets: u64,
    arrived_bytes: u64,
    departed_packets: u64,
    departed_bytes: u64,
    marked_packets: u64,
    marked_bytes: u64,
    dropped_packets: u64,
    dropped_bytes: u64,
    dropped_packets_for: BTreeMap<&'static str, u64>,
    sent_packets: u64,
    sent_frame_bytes: u64,
    utilization: f64,
}

/// An action that is refused: its message; the key of the parameter, if it is one; what would be legal, in
/// words; the legal names, where it is a name that is refused.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct RefusedAction {
    message: String,
    key: Option<String>,
    legal: String,
    names: Vec<String>,
}

/// A simulation under way.
///
/// A step releases the interpreter lock, and hears Ctrl-C every few milliseconds; it can be taken up again
/// then.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct Simulation {
    scenario: Arc<aqmlab_scenario::Scenario>,
    seed: u64,
    control: Control,
    /// None once it has finished or failed.
    under_way: Mutex<Option<aqmlab_sim::Simulation<'static>>>,
}

thread_local! {
    /// What a signal handler of Python raised during a step of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

fn is_interrupted() -> bool {
    let raised = Python::attach(|py| py.check_signals().err());
    let is_raised = raised.is_some();
    RAISED.with_borrow_mut(|last| *last = raised.or_else(|| last.take()));
    is_raised
}

/// The outcome of a step, or what a signal handler raised meanwhile.
fn or_interrupted<T>(outcome: PyResult<T>) -> PyResult<T> {
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => outcome,
    }
}

#[pymethods]
impl Simulation {
    /// Raises `ScenarioError` when the scenario is too large for the simulator or a model cannot be made, and
    /// `RunError` when a scheme of the user's fails.
    #[new]
    fn new(scenario: &Scenario, seed: u64, py: Python<'_>) -> PyResult<Self> {
        let scenario = Arc::clone(scenario.get());
        let control = Control::interruptible(is_interrupted);
        let begin = || {
            let begin = || aqmlab_sim::Simulation::new(&scenario, seed, &control);
            guarded(begin).map(aqmlab_sim::Simulation::into_owned)
        };
        let simulation = or_interrupted(py.detach(begin))?;
        Ok(Self { scenario, seed, control, under_way: Mutex::new(Some(simulation)) })
    }

    /// Simulated time in seconds.
    #[getter]
    fn time_s(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |simulation| Ok(simulation.now().seconds()))
    }

    /// Serves all events up to this time, that instant included. A time beyond the end is the end; one that
    /// has passed is no step.
    ///
    /// Raises `ScenarioError` when the scenario turns out to be too large, and `RunError` when the simulator
    /// fails, or a scheme of the user's; the simulation is over then.
    fn advance_until(&self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        let advance = |simulation: &mut aqmlab_sim::Simulation<'static>| {
            guarded(|| simulation.advance_until(Time::from_seconds(time_s), &self.control))
        };
        or_interrupted(self.with(py, advance))
    }

    /// The monitored links now, and what happened since the last observation.
    ///
    /// Raises `RunError` when a scheme of the user's fails; the simulation is over then.
    fn observe(&self, py: Python<'_>) -> PyResult<Observation> {
        let observation = self.with(py, |simulation| guarded(|| Ok(simulation.observe())))?;
        let links = PyDict::new(py);
        for link in observation.links {
            links.set_item(link.name.clone(), Py::new(py, LinkObservation::of(link))?)?;
        }
        let groups = PyDict::new(py);
        for group in observation.groups {
            groups.set_item(group.name.clone(), Py::new(py, GroupObservation::of(group))?)?;
        }
        let (time_s, since_s) = (observation.now.seconds(), observation.since.seconds());
        Ok(Observation { time_s, since_s, links: links.unbind(), groups: groups.unbind() })
    }

    /// Changes a monitored link from now on; `parameters_json` is a table of parameters of its queue's
    /// scheme. Those of them that are floats stand in `floats` with all their bits, which text may lose.
    ///
    /// Returns what is refused, if anything, and has then changed nothing.
    ///
    /// Raises `RunError` when a scheme of the user's fails: the simulation is over then.
    fn act(
        &self,
        py: Python<'_>,
        link: &str,
        rate_mbps: Option<f64>,
        parameters_json: &str,
        floats: BTreeMap<String, f64>,
    ) -> PyResult<Option<RefusedAction>> {
        let mut parameters: serde_json::Map<_, _> = serde_json::from_str(parameters_json)
            .map_err(|error| ScenarioError::new_err(format!("{link}: parameters: {error}")))?;
        parameters.extend(floats.into_iter().map(|(key, value)| (key, value.into())));
        let action = Action { rate_mbps, parameters };
        let acted = self.with(py, |simulation| guarded(|| Ok(simulation.act(link, &action))))?;
        Ok(acted.err().map(|error| RefusedAction {
            message: error.to_string(),
            key: error.key().map(ToOwned::to_owned),
            legal: error.legal(),
            names: error.names(),
        }))
    }

    /// Changes the senders of a group from now on.
    ///
    /// Returns what is refused, if anything, and has then changed nothing.
    fn steer(
        &self,
        py: Python<'_>,
        group: &str,
        window_segments: Option<u32>,
        bit_rate_mbps: Option<f64>,
    ) -> PyResult<Option<RefusedAction>> {
        let steering = Steering { window_segments, bit_rate_mbps };
        let steered = self.with(py, |simulation| guarded(|| Ok(simulation.steer(group, &steering))))?;
        Ok(steered.err().map(|error| RefusedAction {
            message: error.to_string(),
            key: error.key().map(ToOwned::to_owned),
            legal: error.legal(),
            names: error.names(),
        }))
    }

    /// A simulation that goes on from here by itself.
    ///
    /// Raises `RunError` when an instance of a user's class or a connection over QUIC cannot be copied, or
    /// the simulation is over.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copied = py.detach(|| {
            let under_way = self.lock();
            let simulation = under_way.as_ref().ok_or_else(over)?;
            guarded(|| simulation.copied())
        })?;
        Ok(Self {
            scenario: Arc::clone(&self.scenario),
            seed: self.seed,
            control: Control::interruptible(is_interrupted),
            under_way: Mutex::new(Some(copied)),
        })
    }

    /// Simulates what is left and returns the run.
    ///
    /// Raises as `advance_until`.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        self.advance_until(py, self.scenario.duration.seconds())?;
        let output = py.detach(|| {
            let simulation = self.lock().take().ok_or_else(over)?;
            guarded(|| simulation.finish(&self.control))
        });
        Run::finished(Arc::clone(&self.scenario), self.seed, or_interrupted(output)?, py)
    }
}

impl Simulation {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<aqmlab_sim::Simulation<'static>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the simulation, without the interpreter lock. One that has failed is over.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut aqmlab_sim::Simulation<'static>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut under_way = self.lock();
            let simulation = under_way.as_mut().ok_or_else(over)?;
            let outcome = what(simulation);
            let has_failed =
                |error: &PyErr| Python::attach(|py| !error.is_instance_of::<crate::error::Cancelled>(py));
            if outcome.as_ref().err().is_some_and(has_failed) {
                *under_way = None;
            }
            outcome
        })
    }
}

fn over() -> PyErr {
    RunError::new_err("the simulation is over: it has finished or failed; make a new one")
}

impl GroupObservation {
    fn of(group: aqmlab_sim::GroupObservation) -> Self {
        Self {
            name: group.name,
            completed: group.completed,
            failed: group.failed,
            under_way: group.under_way,
            delivered_bytes: group.delivered_bytes,
            mean_response_time_s: group.mean_response_time.map(Span::seconds),
            mean_round_trip_s: group.mean_round_trip.map(Span::seconds),
            mean_window_bytes: group.mean_window_bytes,
            retransmitted_segments: group.retransmitted_segments,
            frames_shown: group.frames_shown,
            frames_skipped: group.frames_skipped,
            mean_frame_delay_s: group.mean_frame_delay.map(Span::seconds),
        }
    }
}

#[pymethods]
impl GroupObservation {
    fn __repr__(&self) -> String {
        format!(
            "GroupObservation({:?}: {} completed, {} failed, {} under way, {} bytes)",
            self.name, self.completed, self.failed, self.under_way, self.delivered_bytes
        )
    }
}

impl LinkObservation {
    fn of(link: aqmlab_sim::LinkObservation) -> Self {
        let dropped_for = Reason::ALL.into_iter().zip(link.dropped_for);
        Self {
            queueing_delay_s: link.queueing_delay().seconds(),
            name: link.name,
            rate_mbps: link.rate.bits_per_second() as f64 / 1e6,
            backlog_packets: link.backlog_packets,
            backlog_bytes: link.backlog_bytes,
            mean_backlog_packets: link.mean_backlog_packets,
            signal_probability: link.signal_probability.value(),
            next_timer_s: link.next_timer.map(Time::seconds),
            state: link.state.into_iter().collect(),
            arrived_packets: link.arrived.packets,
            arrived_bytes: link.arrived.bytes,
            departed_packets: link.departed.packets,
            departed_bytes: link.departed.bytes,
            marked_packets: link.marked.packets,
            marked_bytes: link.marked.bytes,
            dropped_packets: link.dropped.packets,
            dropped_bytes: link.dropped.bytes,
            dropped_packets_for: dropped_for.map(|(reason, tally)| (reason.name(), tally.packets)).collect(),
            sent_packets: link.sent.frames,
            sent_frame_bytes: link.sent.frame_bytes,
            utilization: link.utilization,
        }
    }
}

#[pymethods]
impl Observation {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let links: Vec<String> = self
            .links
            .bind(py)
            .values()
            .iter()
            .map(|link| link.repr().map(|text| text.to_string()))
            .collect::<PyResult<_>>()?;
        Ok(format!("Observation({} s: {})", self.time_s, links.join(", ")))
    }
}

#[pymethods]
impl LinkObservation {
    fn __repr__(&self) -> String {
        format!(
            "LinkObservation({:?}: {} packets wait {:.4} s, {:.0} % busy, {} marked, {} dropped)",
            self.name,
            self.backlog_packets,
            self.queueing_delay_s,
            100.0 * self.utilization,
            self.marked_packets,
            self.dropped_packets
        )
    }
}
