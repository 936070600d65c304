//! Facts from Python: the types of `aqmlab.controllers.facts`, read by the names of their fields.

use aqmlab_tcp::congestion::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Opening, Phase, Recovered,
    Sent, Timeout,
};
use aqmlab_units::{Span, Time};
use pyo3::FromPyObject;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

#[derive(FromPyObject)]
pub(crate) struct ToldOpening {
    now_ns: u64,
    round_trip_ns: Option<u64>,
    active: bool,
    syn_lost: bool,
    reduces_window: bool,
    feedback: String,
}

#[derive(FromPyObject)]
pub(crate) struct ToldSent {
    now_ns: u64,
    again: bool,
    in_flight: u32,
    application_limited: bool,
    phase: String,
}

#[derive(FromPyObject)]
pub(crate) struct ToldRoundTrip {
    now_ns: u64,
    round_trip_ns: u64,
    round_begins: bool,
}

#[derive(FromPyObject)]
struct ToldRate {
    segments: u32,
    interval_ns: u64,
    application_limited: bool,
    in_flight: u32,
    lost_since: u32,
}

#[derive(FromPyObject)]
pub(crate) struct ToldAcknowledged {
    now_ns: u64,
    delivered: u32,
    delivered_ever: u64,
    marked: u32,
    lost: u32,
    in_flight: u32,
    advanced: bool,
    may_grow: bool,
    round_trip_ns: Option<u64>,
    delivery_rate: Option<ToldRate>,
    window_unused: bool,
    window_full: bool,
    round_begins: bool,
    phase: String,
}

#[derive(FromPyObject)]
pub(crate) struct ToldLostSegment {
    now_ns: u64,
    delivered_ever: u64,
    place: u64,
    in_flight: u32,
    lost_since: u32,
    application_limited: bool,
}

#[derive(FromPyObject)]
pub(crate) struct ToldLoss {
    now_ns: u64,
    in_flight: u32,
    reduced: bool,
    repaired: bool,
}

#[derive(FromPyObject)]
pub(crate) struct ToldTimeout {
    now_ns: u64,
    in_flight: u32,
    repeated: bool,
}

#[derive(FromPyObject)]
pub(crate) struct ToldMarks {
    now_ns: u64,
    marked: u32,
}

const fn at(now_ns: u64) -> Time {
    Time::from_nanoseconds(now_ns)
}

const fn long(span_ns: u64) -> Span {
    Span::from_nanoseconds(span_ns)
}

/// What a word means, of those that are legal.
fn meant<T: Copy>(word: &str, legal: &[(&str, T)]) -> PyResult<T> {
    let found = legal.iter().find(|(name, _)| *name == word);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let legal: Vec<&str> = legal.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("{word:?}; legal: {}", legal.join(", ")))
    })
}

fn phase_of(word: &str) -> PyResult<Phase> {
    let legal = [
        ("open", Phase::Open),
        ("reducing", Phase::Reducing),
        ("recovery", Phase::Recovery),
        ("loss", Phase::Loss),
    ];
    meant(word, &legal)
}

/// How a reduction ended.
pub(super) fn recovered_of(word: &str) -> PyResult<Recovered> {
    let legal = [
        ("complete", Recovered::Complete),
        ("mistaken", Recovered::Mistaken),
        ("after-timeout", Recovered::AfterTimeout),
    ];
    meant(word, &legal)
}

impl ToldOpening {
    pub(super) fn fact(&self) -> PyResult<Opening> {
        let legal =
            [("none", Feedback::None), ("classic", Feedback::Classic), ("accurate", Feedback::Accurate)];
        Ok(Opening {
            now: at(self.now_ns),
            round_trip: self.round_trip_ns.map(long),
            active: self.active,
            syn_lost: self.syn_lost,
            reduces_window: self.reduces_window,
            feedback: meant(&self.feedback, &legal)?,
        })
    }
}

impl ToldSent {
    pub(super) fn fact(&self) -> PyResult<Sent> {
        Ok(Sent {
            now: at(self.now_ns),
            again: self.again,
            in_flight: self.in_flight,
            application_limited: self.application_limited,
            phase: phase_of(&self.phase)?,
        })
    }
}

impl ToldRoundTrip {
    pub(super) const fn fact(&self) -> Measured {
        let Self { now_ns, round_trip_ns, round_begins } = *self;
        Measured { now: at(now_ns), round_trip: long(round_trip_ns), round_begins }
    }
}

impl ToldRate {
    const fn fact(&self) -> DeliveryRate {
        let Self { segments, interval_ns, application_limited, in_flight, lost_since } = *self;
        DeliveryRate { segments, interval: long(interval_ns), application_limited, in_flight, lost_since }
    }
}

impl ToldAcknowledged {
    pub(super) fn fact(&self) -> PyResult<Acknowledged> {
        Ok(Acknowledged {
            now: at(self.now_ns),
            delivered: self.delivered,
            delivered_ever: self.delivered_ever,
            marked: self.marked,
            lost: self.lost,
            in_flight: self.in_flight,
            advanced: self.advanced,
            may_grow: self.may_grow,
            round_trip: self.round_trip_ns.map(long),
            delivery_rate: self.delivery_rate.as_ref().map(ToldRate::fact),
            window_unused: self.window_unused,
            window_full: self.window_full,
            round_begins: self.round_begins,
            phase: phase_of(&self.phase)?,
        })
    }
}

impl ToldLostSegment {
    pub(super) const fn fact(&self) -> LostSegment {
        let Self { now_ns, delivered_ever, place, in_flight, lost_since, application_limited } = *self;
        LostSegment { now: at(now_ns), delivered_ever, place, in_flight, lost_since, application_limited }
    }
}

impl ToldLoss {
    pub(super) const fn fact(&self) -> Loss {
        let Self { now_ns, in_flight, reduced, repaired } = *self;
        Loss { now: at(now_ns), in_flight, reduced, repaired }
    }
}

impl ToldTimeout {
    pub(super) const fn fact(&self) -> Timeout {
        let Self { now_ns, in_flight, repeated } = *self;
        Timeout { now: at(now_ns), in_flight, repeated }
    }
}

impl ToldMarks {
    pub(super) const fn fact(&self) -> Marks {
        Marks { now: at(self.now_ns), marked: self.marked }
    }
}
