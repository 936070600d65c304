//! A scheme whose methods are called in Python, one by one, under the interpreter lock.

use super::methods::Own;
use super::view::{Coins, Packet, Queue};
use aqmlab_aqm::{Aqm, Departing, PacketFacts, QueueView, Verdict};
use aqmlab_plugin::{TimerPace, Traits, as_said, decode};
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Probability, Time};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// The methods of an instance, those that its class does not have left out, and the objects that they are
/// shown.
pub(super) struct ClassScheme {
    methods: Methods,
    packet: Py<Packet>,
    queue: Py<Queue>,
    coins: Py<Coins>,
    own: Own,
    pace: TimerPace,
}

struct Methods {
    on_arrival: Option<Py<PyAny>>,
    on_departure: Option<Py<PyAny>>,
    on_overflow: Option<Py<PyAny>>,
    on_room_made: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
    next_timer: Option<Py<PyAny>>,
    on_timer: Option<Py<PyAny>>,
    signal_probability: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
}

impl ClassScheme {
    pub(super) fn new(instance: &Bound<'_, PyAny>, loaded: Py<PyAny>, traits: Traits) -> PyResult<Self> {
        let py = instance.py();
        let own = Own::new(instance, loaded, traits)?;
        let method = |name: &str| own.method(py, name);
        Ok(Self {
            methods: Methods {
                on_arrival: method("on_arrival")?,
                on_departure: method("on_departure")?,
                on_overflow: method("on_overflow")?,
                on_room_made: method("on_room_made")?,
                on_idle: method("on_idle")?,
                next_timer: method("next_timer")?,
                on_timer: method("on_timer")?,
                signal_probability: method("signal_probability")?,
                observe: method("observe")?,
            },
            packet: Py::new(py, Packet::nothing())?,
            queue: Py::new(py, Queue::new())?,
            coins: Py::new(py, Coins { stream: Key::from_seed(0).stream() })?,
            own,
            pace: TimerPace::default(),
        })
    }

    fn decide(
        &self,
        method: &Py<PyAny>,
        (now, packet): (Time, Packet),
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        let answer = self.own.call(|py| {
            *self.packet.borrow_mut(py) = packet;
            self.queue.borrow_mut(py).show(queue);
            self.coins.borrow_mut(py).stream = coins.clone();
            let answer = method.call1(py, (now.nanoseconds(), &self.packet, &self.queue, &self.coins));
            self.queue.borrow_mut(py).hide();
            *coins = self.coins.borrow(py).stream.clone();
            answer.and_then(|answer| verdict_of(answer.bind(py)))
        });
        let (code, positions) = answer;
        decode(code, &positions, queue.packets()).unwrap_or_else(|wrong| self.own.refuse(&wrong))
    }

    fn notify<A: for<'py> PyCallArgs<'py>>(&self, method: Option<&Py<PyAny>>, arguments: A) {
        if let Some(method) = method {
            self.own.call(|py| method.call1(py, arguments).map(|_| ()));
        }
    }
}

/// A verdict, or a verdict with the positions of the waiting packets that it discards.
fn verdict_of(answer: &Bound<'_, PyAny>) -> PyResult<(i32, Vec<u32>)> {
    match answer.extract() {
        Ok(code) => Ok((code, Vec::new())),
        Err(_) => answer.extract().map_err(|_| {
            let wrong = format!("returned {answer}, which is no Verdict, nor one with a list of positions");
            pyo3::exceptions::PyTypeError::new_err(wrong)
        }),
    }
}

/// A copy of a simulation has a deep copy of the instance.
impl Clone for ClassScheme {
    fn clone(&self) -> Self {
        Self { pace: self.pace, ..self.own.copied(Self::new) }
    }
}

impl Aqm for ClassScheme {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        match &self.methods.on_arrival {
            Some(method) => {
                let verdict = self.decide(method, (now, Packet::new(*packet, None)), queue, coins);
                as_said(verdict, self.own.traits.evicts).unwrap_or_else(|wrong| self.own.refuse(&wrong))
            }
            None => Verdict::Pass,
        }
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        match &self.methods.on_departure {
            Some(method) => {
                self.decide(method, (now, Packet::new(packet.facts, packet.arrived)), queue, coins)
            }
            None => Verdict::Pass,
        }
    }

    fn on_overflow(&mut self, now: Time, packet: &PacketFacts) {
        let Some(method) = &self.methods.on_overflow else { return };
        self.own.call(|py| {
            *self.packet.borrow_mut(py) = Packet::new(*packet, None);
            method.call1(py, (now.nanoseconds(), &self.packet)).map(|_| ())
        });
    }

    fn on_room_made(&mut self, now: Time, packets: u32) {
        self.notify(self.methods.on_room_made.as_ref(), (now.nanoseconds(), packets));
    }

    fn on_idle(&mut self, now: Time) {
        self.notify(self.methods.on_idle.as_ref(), (now.nanoseconds(),));
    }

    fn next_timer(&self) -> Option<Time> {
        let method = self.methods.next_timer.as_ref()?;
        let due: Option<u64> = self.own.call(|py| method.call0(py)?.extract(py));
        due.map(Time::from_nanoseconds)
    }

    fn on_timer(&mut self, due: Time, queue: &QueueView<'_>) {
        if let Some(method) = &self.methods.on_timer {
            self.own.call(|py| {
                self.queue.borrow_mut(py).show(queue);
                let answer = method.call1(py, (due.nanoseconds(), &self.queue));
                self.queue.borrow_mut(py).hide();
                answer.map(|_| ())
            });
        }
        let next = self.next_timer();
        self.pace.count(due, next).unwrap_or_else(|wrong| self.own.refuse(&wrong));
    }

    fn signal_probability(&self) -> Probability {
        let Some(method) = &self.methods.signal_probability else { return Probability::ZERO };
        let value: f64 = self.own.call(|py| method.call0(py)?.extract(py));
        if !(0.0..=1.0).contains(&value) {
            self.own.refuse(&format!("the signal probability is {value}, not from 0 to 1"));
        }
        Probability::clamped(value)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.own.observe(self.methods.observe.as_ref(), sink);
    }

    fn watches_arrivals(&self) -> bool {
        self.methods.on_arrival.is_some()
    }

    fn watches_departures(&self) -> bool {
        self.methods.on_departure.is_some()
    }

    fn watches_idleness(&self) -> bool {
        self.methods.on_idle.is_some()
    }

    fn decides_about_waiting(&self) -> bool {
        self.own.traits.evicts || self.watches_departures()
    }

    fn needs_arrival_instants(&self) -> bool {
        self.own.traits.needs_arrival_instants
    }
}
