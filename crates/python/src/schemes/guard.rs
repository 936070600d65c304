//! A guard whose methods are called in Python, one by one, under the interpreter lock.

use super::methods::Own;
use super::view::{self, Coins, Header, Packet};
use aqmlab_aqm::{Admission, Behind, Decision, Guard, HeaderFields, PacketFacts};
use aqmlab_plugin::{TimerPace, Traits, admission_of, decision_name};
use aqmlab_random::{Key, Stream};
use aqmlab_units::Time;
use pyo3::prelude::*;

/// The methods of an instance, those that its class does not have left out, and the objects that they are
/// shown.
pub(super) struct ClassGuard {
    admits: Option<Py<PyAny>>,
    on_decision: Option<Py<PyAny>>,
    next_timer: Option<Py<PyAny>>,
    on_timer: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    packet: Py<Packet>,
    header: Py<Header>,
    behind: Py<view::Behind>,
    coins: Py<Coins>,
    own: Own,
    pace: TimerPace,
}

impl ClassGuard {
    pub(super) fn new(instance: &Bound<'_, PyAny>, loaded: Py<PyAny>, traits: Traits) -> PyResult<Self> {
        let py = instance.py();
        let own = Own::new(instance, loaded, traits)?;
        let method = |name: &str| own.method(py, name);
        Ok(Self {
            admits: method("admits")?,
            on_decision: method("on_decision")?,
            next_timer: method("next_timer")?,
            on_timer: method("on_timer")?,
            observe: method("observe")?,
            packet: Py::new(py, Packet::nothing())?,
            header: Py::new(py, Header::default())?,
            behind: Py::new(py, view::Behind::new())?,
            coins: Py::new(py, Coins { stream: Key::from_seed(0).stream() })?,
            own,
            pace: TimerPace::default(),
        })
    }
}

/// A copy of a simulation has a deep copy of the instance.
impl Clone for ClassGuard {
    fn clone(&self) -> Self {
        Self { pace: self.pace, ..self.own.copied(Self::new) }
    }
}

impl Guard for ClassGuard {
    fn admits(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission {
        let Some(method) = &self.admits else { return Admission::Pass };
        let code: i32 = self.own.call(|py| {
            *self.packet.borrow_mut(py) = Packet::new(*packet, None);
            self.header.borrow_mut(py).fields = *header;
            self.behind.borrow_mut(py).show(behind);
            self.coins.borrow_mut(py).stream = coins.clone();
            let arguments = (now.nanoseconds(), &self.packet, &self.header, &self.behind, &self.coins);
            let answer = method.call1(py, arguments);
            self.behind.borrow_mut(py).hide();
            *coins = self.coins.borrow(py).stream.clone();
            let answer = answer?;
            answer.extract(py).map_err(|_| {
                let wrong = format!("admits returned {answer}, which is no Verdict");
                pyo3::exceptions::PyTypeError::new_err(wrong)
            })
        });
        admission_of(code).unwrap_or_else(|wrong| self.own.refuse(&wrong))
    }

    fn on_decision(&mut self, now: Time, packet: &PacketFacts, decision: Decision) {
        let Some(method) = &self.on_decision else { return };
        self.own.call(|py| {
            *self.packet.borrow_mut(py) = Packet::new(*packet, None);
            let word = decision_name(decision);
            method.call1(py, (now.nanoseconds(), &self.packet, word)).map(|_| ())
        });
    }

    fn hears_of_all(&self) -> bool {
        self.on_decision.is_some()
    }

    fn next_timer(&self) -> Option<Time> {
        let method = self.next_timer.as_ref()?;
        let due: Option<u64> = self.own.call(|py| method.call0(py)?.extract(py));
        due.map(Time::from_nanoseconds)
    }

    fn on_timer(&mut self, due: Time, behind: &Behind<'_>) {
        if let Some(method) = &self.on_timer {
            self.own.call(|py| {
                self.behind.borrow_mut(py).show(behind);
                let answer = method.call1(py, (due.nanoseconds(), &self.behind));
                self.behind.borrow_mut(py).hide();
                answer.map(|_| ())
            });
        }
        let next = self.next_timer();
        self.pace.count(due, next).unwrap_or_else(|wrong| self.own.refuse(&wrong));
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.own.observe(self.observe.as_ref(), sink);
    }
}
