//! Trials of a scheme outside of any scenario: the conformance suite, and what it costs per packet.

use crate::error::refused;
use aqmlab_aqm::conformance::{PROPERTIES, TestPacket, check_with};
use aqmlab_aqm::{Codepoint, Port, PortFacts, Scheme};
use aqmlab_plugin::{Fault, catch};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use pyo3::prelude::*;
use serde::Deserialize as _;
use std::time::Instant;

/// Tries so many cases of each property that every scheme owes on the scheme with this name; answers with
/// property, case and what is wrong, of those that fail.
#[pyfunction]
pub(crate) fn check_scheme(py: Python<'_>, name: &str, cases: u64) -> Vec<(&'static str, u64, String)> {
    let attempt = |case: &dyn Fn() -> Result<(), String>| {
        catch(case).unwrap_or_else(|fault: Fault| Err(fault.to_string()))
    };
    let findings = py.detach(|| check_with(name, cases, attempt));
    findings.into_iter().map(|own| (own.property, own.case, own.wrong)).collect()
}

/// Everything that `check_scheme` checks, in words.
#[pyfunction]
pub(crate) fn scheme_checks() -> Vec<&'static str> {
    PROPERTIES.iter().map(|(property, _)| *property).collect()
}

/// Bits per second of the link at which costs are measured.
const RATE: u64 = 100_000_000;
const BYTES: u32 = 1_000;
const LIMIT_PACKETS: u32 = 100;

/// The longest time between two packets, in transmissions: a scheme that drops whatever happens would slow
/// the source down for ever.
const SLOWEST_TRANSMISSIONS: u64 = 100;

/// Nanoseconds of real time that a packet takes at a port under the scheme with this name, arrival and
/// departure, with its defaults, a buffer of 100 packets, and one source that answers to losses, down to a
/// hundredth of the link's rate.
///
/// Raises `ScenarioError` when its defaults are not legal, and `RunError` when it fails.
#[pyfunction]
pub(crate) fn scheme_cost(py: Python<'_>, name: &str, packets: u64) -> PyResult<f64> {
    let table = serde_json::json!({ "scheme": name, "limit_packets": LIMIT_PACKETS });
    let scheme = Scheme::deserialize(table).map_err(refused)?;
    let facts = PortFacts::new(Rate::from_bits_per_second(RATE));
    scheme.validate_at(&facts).map_err(refused)?;
    let cost = py.detach(|| catch(|| measured(&scheme, facts, packets)));
    cost.map_err(|fault| crate::error::RunError::new_err(fault.to_string()))
}

/// One source that comes a little faster after every packet, and slower after every loss, as TCP does: the
/// queue swings.
#[allow(clippy::disallowed_methods, reason = "it measures what a call costs, and runs nothing that is kept")]
fn measured(scheme: &Scheme, facts: PortFacts, packets: u64) -> f64 {
    let mut port = Port::new(scheme, facts, Key::from_seed(1).named("coins").stream());
    let transmission = Span::from_nanoseconds(u64::from(BYTES) * 8_000_000_000 / RATE);
    let slowest = SLOWEST_TRANSMISSIONS * transmission.nanoseconds();
    let (mut now, mut free_at, mut gap) = (Time::ZERO, Time::MAX, transmission.nanoseconds());
    let begun = Instant::now();
    for id in 0..packets {
        now += Span::from_nanoseconds(gap);
        let mut lost = false;
        while free_at <= now {
            let at = free_at;
            let sent = port.depart(at, &mut |_, _| lost = true);
            free_at = if sent.is_some() { at + transmission } else { Time::MAX };
        }
        port.arrive(now, TestPacket::data(id, BYTES, Codepoint::NotEct), &mut |_, _| lost = true);
        gap = if lost { slowest.min(gap + (gap >> 3)) } else { gap - (gap >> 9) };
        if free_at == Time::MAX {
            free_at = now;
        }
    }
    begun.elapsed().as_nanos() as f64 / packets as f64
}
