//! A scheduler whose methods are called in Python, one by one, under the interpreter lock.

use super::methods::Own;
use super::view::{Header, Packet, Queues, QueuesView};
use aqmlab_aqm::{Backlogs, Departing, End, HeaderFields, PacketFacts, Scheduler, Turn, Verdict, Victim};
use aqmlab_plugin::{Served, Traits, decode};
use aqmlab_units::Time;
use pyo3::prelude::*;

/// The methods of an instance, those that its class does not have left out, and the objects that they are
/// shown.
pub(super) struct ClassScheduler {
    classify: Option<Py<PyAny>>,
    on_queued: Option<Py<PyAny>>,
    next: Option<Py<PyAny>>,
    on_departure: Option<Py<PyAny>>,
    on_sent: Option<Py<PyAny>>,
    on_empty: Option<Py<PyAny>>,
    victim: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    packet: Py<Packet>,
    header: Py<Header>,
    queues: Py<Queues>,
    own: Own,
    served: Served,
}

impl ClassScheduler {
    pub(super) fn new(instance: &Bound<'_, PyAny>, loaded: Py<PyAny>, traits: Traits) -> PyResult<Self> {
        let py = instance.py();
        let own = Own::new(instance, loaded, traits)?;
        let method = |name: &str| own.method(py, name);
        Ok(Self {
            classify: method("classify")?,
            on_queued: method("on_queued")?,
            next: method("next")?,
            on_departure: method("on_departure")?,
            on_sent: method("on_sent")?,
            on_empty: method("on_empty")?,
            victim: method("victim")?,
            observe: method("observe")?,
            packet: Py::new(py, Packet::nothing())?,
            header: Py::new(py, Header::default())?,
            queues: Py::new(py, Queues::new())?,
            own,
            served: Served::default(),
        })
    }

    /// Asks a method, which is shown the queues while it runs.
    fn ask<T>(
        &self,
        queues: &dyn Backlogs,
        call: impl FnOnce(Python<'_>, &Py<Queues>) -> PyResult<Py<PyAny>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        let view = QueuesView(queues);
        self.own.call(|py| {
            self.queues.borrow_mut(py).show(&view);
            let answer = call(py, &self.queues);
            self.queues.borrow_mut(py).hide();
            read(answer?.bind(py))
        })
    }

    fn show_packet(&self, packet: Packet) {
        self.own.call(|py| {
            *self.packet.borrow_mut(py) = packet;
            Ok(())
        });
    }
}

fn type_error<T>(wrong: String) -> PyResult<T> {
    Err(pyo3::exceptions::PyTypeError::new_err(wrong))
}

/// A queue's number.
fn number_of(method: &str, answer: &Bound<'_, PyAny>) -> PyResult<u64> {
    match answer.extract() {
        Ok(number) => Ok(number),
        Err(_) => type_error(format!("{method} returned {answer}, which is no number of a queue")),
    }
}

/// A queue, or the instant before which no queue has a turn.
enum Answer {
    Queue(u64),
    At(u64),
}

fn turn_of(answer: &Bound<'_, PyAny>) -> PyResult<Answer> {
    if let Ok(number) = answer.extract() {
        return Ok(Answer::Queue(number));
    }
    match answer.getattr("opens_ns").and_then(|opens| opens.extract()) {
        Ok(opens) => Ok(Answer::At(opens)),
        Err(_) => {
            type_error(format!("next returned {answer}; legal: the number of a queue, or At(opens_ns)"))
        }
    }
}

/// A queue's number, the end that packets are taken from, and how many.
fn victim_of(answer: &Bound<'_, PyAny>) -> PyResult<(u64, End, u32)> {
    if let Ok(number) = answer.extract() {
        return Ok((number, End::Tail, 1));
    }
    let read = || -> PyResult<_> {
        let from_head: bool = answer.getattr("from_head")?.extract()?;
        let end = if from_head { End::Head } else { End::Tail };
        Ok((answer.getattr("queue")?.extract()?, end, answer.getattr("packets")?.extract()?))
    };
    let wrong = || {
        format!(
            "victim returned {answer}; legal: the number of a queue, or Victim(queue, from_head, packets)"
        )
    };
    read().or_else(|_| type_error(wrong()))
}

/// A copy of a simulation has a deep copy of the instance.
impl Clone for ClassScheduler {
    fn clone(&self) -> Self {
        Self { served: self.served, ..self.own.copied(Self::new) }
    }
}

impl Scheduler for ClassScheduler {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        let Some(method) = &self.classify else { return 0 };
        self.show_packet(Packet::new(*packet, None));
        let number = self.ask(
            queues,
            |py, shown| {
                self.header.borrow_mut(py).fields = *header;
                method.call1(py, (now.nanoseconds(), &self.packet, &self.header, shown))
            },
            |answer| number_of("classify", answer),
        );
        let queue = Served::queue(number, queues);
        queue.unwrap_or_else(|wrong| self.own.refuse(&format!("classify: {wrong}")))
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        let Some(method) = &self.on_queued else { return };
        self.show_packet(Packet::new(*packet, None));
        let call = |py: Python<'_>, shown: &Py<Queues>| {
            method.call1(py, (now.nanoseconds(), queue, &self.packet, shown))
        };
        self.ask(queues, call, |_| Ok(()));
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let Some(method) = self.next.as_ref().filter(|_| queues.waiting() > 0) else { return Turn::Nobody };
        let call = |py: Python<'_>, shown: &Py<Queues>| method.call1(py, (now.nanoseconds(), shown));
        let turn = match self.ask(queues, call, turn_of) {
            Answer::Queue(number) => self.served.turn_of(number, queues),
            Answer::At(opens) => self.served.turn_at(now, Time::from_nanoseconds(opens)),
        };
        turn.unwrap_or_else(|wrong| self.own.refuse(&wrong))
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        let Some(method) = &self.on_departure else { return Verdict::Pass };
        self.show_packet(Packet::new(packet.facts, packet.arrived));
        let code: i32 = self.ask(
            queues,
            |py, shown| method.call1(py, (now.nanoseconds(), queue, &self.packet, shown)),
            |answer| match answer.extract() {
                Ok(code) => Ok(code),
                Err(_) => type_error(format!("on_departure returned {answer}, which is no Verdict")),
            },
        );
        match decode(code, &[], 0) {
            Ok(verdict @ (Verdict::Pass | Verdict::Signal(_) | Verdict::Drop(_))) => verdict,
            Ok(_) => self.own.refuse("on_departure of a scheduler discards no packets that wait"),
            Err(wrong) => self.own.refuse(&wrong),
        }
    }

    fn watches_departures(&self) -> bool {
        self.on_departure.is_some()
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        let Some(method) = &self.on_sent else { return };
        self.own.call(|py| method.call1(py, (now.nanoseconds(), queue, bytes)).map(|_| ()));
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        let Some(method) = &self.on_empty else { return };
        self.own.call(|py| method.call1(py, (now.nanoseconds(), queue)).map(|_| ()));
    }

    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        let Some(method) = &self.victim else { return Served::longest(queues) };
        let call = |py: Python<'_>, shown: &Py<Queues>| method.call1(py, (now.nanoseconds(), shown));
        let (number, end, packets) = self.ask(queues, call, victim_of);
        Served::victim(number, end, packets, queues).unwrap_or_else(|wrong| self.own.refuse(&wrong))
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.own.observe(self.observe.as_ref(), sink);
    }
}
