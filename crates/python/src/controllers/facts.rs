//! What a controller in Python is told: objects of the types of `aqmlab.controllers.facts`.

use aqmlab_tcp::congestion::own::Fact;
use aqmlab_tcp::congestion::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Opening, Phase, Recovered,
    Sent, Timeout,
};
use aqmlab_units::{Span, Time};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// The types of facts that are objects.
pub(super) struct FactTypes {
    opening: Py<PyAny>,
    sent: Py<PyAny>,
    round_trip: Py<PyAny>,
    acknowledged: Py<PyAny>,
    delivery_rate: Py<PyAny>,
    lost_segment: Py<PyAny>,
    loss: Py<PyAny>,
    timeout: Py<PyAny>,
    marks: Py<PyAny>,
}

impl FactTypes {
    pub(super) fn new(py: Python<'_>) -> PyResult<Arc<Self>> {
        let module = py.import("aqmlab.controllers.facts")?;
        let of = |name: &str| module.getattr(name).map(Bound::unbind);
        Ok(Arc::new(Self {
            opening: of("Opening")?,
            sent: of("Sent")?,
            round_trip: of("RoundTrip")?,
            acknowledged: of("Acknowledged")?,
            delivery_rate: of("DeliveryRate")?,
            lost_segment: of("LostSegment")?,
            loss: of("Loss")?,
            timeout: of("Timeout")?,
            marks: of("Marks")?,
        }))
    }

    /// What a method is given.
    pub(super) fn of(&self, py: Python<'_>, fact: &Fact<'_>) -> PyResult<Py<PyAny>> {
        match *fact {
            Fact::Established(opening) => self.opening_of(py, opening),
            Fact::Sent(sent) => self.sent_of(py, sent),
            Fact::RoundTrip(measured) => self.round_trip_of(py, measured),
            Fact::Acknowledged(acknowledged) => self.acknowledged_of(py, acknowledged),
            Fact::Lost(lost) => self.lost_of(py, lost),
            Fact::Loss(loss) => self.loss_of(py, loss),
            Fact::Timeout(timeout) => self.timeout_of(py, timeout),
            Fact::Marks(marks) => self.marks_of(py, marks),
            Fact::Recovered(how) => recovered_name(how).into_py_any(py),
            Fact::Idle(timeouts) => timeouts.into_py_any(py),
            Fact::Unused(used) => used.into_py_any(py),
        }
    }

    fn opening_of(&self, py: Python<'_>, opening: &Opening) -> PyResult<Py<PyAny>> {
        let Opening { now, round_trip, active, syn_lost, reduces_window, feedback } = *opening;
        let values =
            (at(now), round_trip.map(long), active, syn_lost, reduces_window, feedback_name(feedback));
        self.opening.call1(py, values)
    }

    fn sent_of(&self, py: Python<'_>, sent: &Sent) -> PyResult<Py<PyAny>> {
        let Sent { now, again, in_flight, application_limited, phase } = *sent;
        self.sent.call1(py, (at(now), again, in_flight, application_limited, phase_name(phase)))
    }

    fn round_trip_of(&self, py: Python<'_>, measured: &Measured) -> PyResult<Py<PyAny>> {
        let Measured { now, round_trip, round_begins } = *measured;
        self.round_trip.call1(py, (at(now), long(round_trip), round_begins))
    }

    fn acknowledged_of(&self, py: Python<'_>, told: &Acknowledged) -> PyResult<Py<PyAny>> {
        let rate = told.delivery_rate.map(|rate| self.rate_of(py, &rate)).transpose()?;
        let values = [
            at(told.now).into_py_any(py)?,
            told.delivered.into_py_any(py)?,
            told.delivered_ever.into_py_any(py)?,
            told.marked.into_py_any(py)?,
            told.lost.into_py_any(py)?,
            told.in_flight.into_py_any(py)?,
            told.advanced.into_py_any(py)?,
            told.may_grow.into_py_any(py)?,
            told.round_trip.map(long).into_py_any(py)?,
            rate.into_py_any(py)?,
            told.window_unused.into_py_any(py)?,
            told.window_full.into_py_any(py)?,
            told.round_begins.into_py_any(py)?,
            phase_name(told.phase).into_py_any(py)?,
        ];
        self.acknowledged.call1(py, PyTuple::new(py, values)?)
    }

    fn rate_of(&self, py: Python<'_>, rate: &DeliveryRate) -> PyResult<Py<PyAny>> {
        let DeliveryRate { segments, interval, application_limited, in_flight, lost_since } = *rate;
        self.delivery_rate.call1(py, (segments, long(interval), application_limited, in_flight, lost_since))
    }

    fn lost_of(&self, py: Python<'_>, lost: &LostSegment) -> PyResult<Py<PyAny>> {
        let LostSegment { now, delivered_ever, place, in_flight, lost_since, application_limited } = *lost;
        let values = (at(now), delivered_ever, place, in_flight, lost_since, application_limited);
        self.lost_segment.call1(py, values)
    }

    fn loss_of(&self, py: Python<'_>, loss: &Loss) -> PyResult<Py<PyAny>> {
        self.loss.call1(py, (at(loss.now), loss.in_flight, loss.reduced, loss.repaired))
    }

    fn timeout_of(&self, py: Python<'_>, timeout: &Timeout) -> PyResult<Py<PyAny>> {
        self.timeout.call1(py, (at(timeout.now), timeout.in_flight, timeout.repeated))
    }

    fn marks_of(&self, py: Python<'_>, marks: &Marks) -> PyResult<Py<PyAny>> {
        self.marks.call1(py, (at(marks.now), marks.marked))
    }
}

const fn at(now: Time) -> u64 {
    now.nanoseconds()
}

const fn long(span: Span) -> u64 {
    span.nanoseconds()
}

const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "open",
        Phase::Reducing => "reducing",
        Phase::Recovery => "recovery",
        Phase::Loss => "loss",
    }
}

const fn feedback_name(feedback: Feedback) -> &'static str {
    match feedback {
        Feedback::None => "none",
        Feedback::Classic => "classic",
        Feedback::Accurate => "accurate",
    }
}

const fn recovered_name(how: Recovered) -> &'static str {
    match how {
        Recovered::Complete => "complete",
        Recovered::Mistaken => "mistaken",
        Recovered::AfterTimeout => "after-timeout",
    }
}
