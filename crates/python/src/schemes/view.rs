//! What a scheme, scheduler or guard in Python is shown of a packet, the queues and the random stream.
#![allow(unsafe_code)]

use aqmlab_aqm::{Backlogs, Codepoint, HeaderFields, PacketClass, PacketFacts, QueueView};
use aqmlab_random::Stream;
use aqmlab_units::Time;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// All that a scheme knows of one packet. One object serves all calls: keep its values, not the object.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Packet {
    facts: PacketFacts,
    arrived: Option<Time>,
}

impl Packet {
    pub(super) fn new(facts: PacketFacts, arrived: Option<Time>) -> Self {
        Self { facts, arrived }
    }

    /// What stands there before the first call.
    pub(super) fn nothing() -> Self {
        let (codepoint, class) = (Codepoint::NotEct, PacketClass::Data);
        Self { facts: PacketFacts { flow: 0, bytes: 0, codepoint, class }, arrived: None }
    }
}

#[pymethods]
impl Packet {
    /// Equal for the packets of one flow in one direction, as long as any of them wait.
    #[getter]
    fn flow(&self) -> u64 {
        self.facts.flow
    }

    /// Length in bytes of the IP packet, headers included.
    #[getter]
    fn bytes(&self) -> u32 {
        self.facts.bytes
    }

    /// The ECN bits: `not_ect`, `ect0`, `ect1` or `ce`.
    #[getter]
    fn codepoint(&self) -> &'static str {
        self.facts.codepoint.name()
    }

    /// What it is to its transport: `syn`, `syn_ack`, `pure_ack`, `fin`, `data`, `reset` or `datagram`.
    #[getter]
    fn packet_class(&self) -> &'static str {
        self.facts.class.name()
    }

    /// When it was queued, in nanoseconds; of a departing or waiting packet, if the scheme asks for it.
    #[getter]
    fn arrived_ns(&self) -> Option<u64> {
        self.arrived.map(Time::nanoseconds)
    }
}

/// The waiting packets. One object serves all calls; it can be asked only while a call is under way.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Queue {
    packets: u32,
    bytes: u64,
    /// The address of a view that lives while a call is under way; otherwise 0.
    view: usize,
}

impl Queue {
    pub(super) const fn new() -> Self {
        Self { packets: 0, bytes: 0, view: 0 }
    }

    pub(super) fn show(&mut self, queue: &QueueView<'_>) {
        (self.packets, self.bytes) = (queue.packets(), queue.bytes());
        self.view = std::ptr::from_ref(queue) as usize;
    }

    /// The call is over.
    pub(super) fn hide(&mut self) {
        self.view = 0;
    }

    fn view(&self) -> PyResult<&QueueView<'_>> {
        if self.view == 0 {
            return Err(PyRuntimeError::new_err("a queue can be asked only while the scheme is being asked"));
        }
        // SAFETY: `show` put the address there, and the call that it belongs to has not come to `hide`: this
        // runs while the interpreter lock is held, which `hide` needs, so the view is alive.
        Ok(unsafe { &*(self.view as *const QueueView<'_>) })
    }
}

#[pymethods]
impl Queue {
    /// How many packets wait.
    #[getter]
    fn packets(&self) -> u32 {
        self.packets
    }

    /// How many bytes wait.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether there is room for a packet of so many bytes now.
    fn has_room_for(&self, bytes: u32) -> PyResult<bool> {
        Ok(self.view()?.has_room_for(bytes))
    }

    /// The packet at a position; 0 is the head.
    ///
    /// Raises `IndexError` where none waits.
    fn packet(&self, position: u32) -> PyResult<Packet> {
        let view = self.view()?;
        if position >= view.packets() {
            let waiting = view.packets();
            return Err(PyIndexError::new_err(format!(
                "no packet at position {position}: {waiting} waiting"
            )));
        }
        Ok(Packet { facts: view.facts(position), arrived: view.arrived(position) })
    }
}

/// What a scheduler or a guard sorts packets by. One object serves all calls: keep its values, not the
/// object.
#[pyclass(module = "aqmlab._core")]
#[derive(Default)]
pub(crate) struct Header {
    pub(super) fields: HeaderFields,
}

#[pymethods]
impl Header {
    /// Hash of addresses, ports and protocol: the same for every packet of a flow in this direction.
    #[getter]
    fn flow_hash(&self) -> u32 {
        self.fields.flow_hash
    }

    /// Differentiated services codepoint, 0 to 63.
    #[getter]
    fn dscp(&self) -> u8 {
        self.fields.dscp
    }

    /// Address of the sender.
    #[getter]
    fn source(&self) -> u32 {
        self.fields.source
    }

    /// Address of the receiver.
    #[getter]
    fn destination(&self) -> u32 {
        self.fields.destination
    }
}

/// The queues of a scheduler, behind an address.
pub(super) struct QueuesView<'a>(pub(super) &'a dyn Backlogs);

/// The queues of a scheduler. One object serves all calls; it can be asked only while a call is under way.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Queues {
    /// The address of a view that lives while a call is under way; otherwise 0.
    view: usize,
}

impl Queues {
    pub(super) const fn new() -> Self {
        Self { view: 0 }
    }

    pub(super) fn show(&mut self, queues: &QueuesView<'_>) {
        self.view = std::ptr::from_ref(queues) as usize;
    }

    /// The call is over.
    pub(super) fn hide(&mut self) {
        self.view = 0;
    }

    fn view(&self) -> PyResult<&dyn Backlogs> {
        if self.view == 0 {
            return Err(PyRuntimeError::new_err(
                "queues can be asked only while the scheduler is being asked",
            ));
        }
        // SAFETY: as in `Queue::view`.
        Ok(unsafe { &*(self.view as *const QueuesView<'_>) }.0)
    }

    /// The queues, if there is one of this number.
    fn with(&self, queue: usize) -> PyResult<&dyn Backlogs> {
        let view = self.view()?;
        if queue < view.queues() {
            return Ok(view);
        }
        Err(PyIndexError::new_err(format!("queue {queue}: there are {}, from 0 on", view.queues())))
    }
}

#[pymethods]
impl Queues {
    /// How many queues there are.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.view()?.queues())
    }

    /// How many packets wait in all queues together.
    #[getter]
    fn waiting(&self) -> PyResult<u32> {
        Ok(self.view()?.waiting())
    }

    /// How many packets wait in a queue.
    ///
    /// Raises `IndexError` where there is no such queue.
    fn packets(&self, queue: usize) -> PyResult<u32> {
        Ok(self.with(queue)?.packets(queue))
    }

    /// How many bytes wait in a queue.
    ///
    /// Raises `IndexError` where there is no such queue.
    fn bytes(&self, queue: usize) -> PyResult<u64> {
        Ok(self.with(queue)?.bytes(queue))
    }

    /// The packet at the head of a queue; none where it is empty.
    ///
    /// Raises `IndexError` where there is no such queue.
    fn head(&self, queue: usize) -> PyResult<Option<Packet>> {
        let head = self.with(queue)?.head(queue);
        Ok(head.map(|head| Packet { facts: head.facts, arrived: head.arrived }))
    }
}

/// What waits behind a guard. One object serves all calls; it can be asked only while a call is under way.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Behind {
    packets: u32,
    bytes: u64,
    /// The address of a view that lives while a call is under way; otherwise 0.
    view: usize,
}

impl Behind {
    pub(super) const fn new() -> Self {
        Self { packets: 0, bytes: 0, view: 0 }
    }

    pub(super) fn show(&mut self, behind: &aqmlab_aqm::Behind<'_>) {
        (self.packets, self.bytes) = (behind.packets, behind.bytes);
        self.view = std::ptr::from_ref(behind) as usize;
    }

    /// The call is over.
    pub(super) fn hide(&mut self) {
        self.view = 0;
    }
}

#[pymethods]
impl Behind {
    /// How many packets wait.
    #[getter]
    fn packets(&self) -> u32 {
        self.packets
    }

    /// How many bytes wait.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The probability with which the scheme behind signals now.
    fn signal_probability(&self) -> PyResult<f64> {
        if self.view == 0 {
            return Err(PyRuntimeError::new_err("it can be asked only while the guard is being asked"));
        }
        // SAFETY: as in `Queue::view`.
        let behind = unsafe { &*(self.view as *const aqmlab_aqm::Behind<'_>) };
        Ok(behind.signal_probability().value())
    }
}

/// The scheme's random stream: the only random numbers that it may use. One object serves all calls.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Coins {
    pub(crate) stream: Stream,
}

#[pymethods]
impl Coins {
    /// A copy, which draws the same numbers from here on.
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self { stream: self.stream.clone() }
    }

    /// The next uniform number in [0, 1).
    fn uniform(&mut self) -> f64 {
        self.stream.uniform()
    }

    /// The next whole number uniform in [0, below).
    ///
    /// Raises `ValueError` if `below` is zero.
    fn below(&mut self, below: u64) -> PyResult<u64> {
        if below == 0 {
            return Err(PyValueError::new_err("no whole number is below zero"));
        }
        Ok(self.stream.below(below))
    }
}
