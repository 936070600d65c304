//! What a scheme in Python is shown of a packet, its queue and the random stream.
#![allow(unsafe_code)]

use aqmlab_aqm::{PacketFacts, QueueView};
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
                "no packet at position {position}: {waiting} packets wait"
            )));
        }
        Ok(Packet { facts: view.facts(position), arrived: view.arrived(position) })
    }
}

/// The scheme's random stream: the only random numbers that it may use. One object serves all calls.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Coins {
    pub(super) stream: Stream,
}

#[pymethods]
impl Coins {
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
