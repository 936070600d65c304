//! The driver in virtual time: runs a scenario packet by packet, deterministic and single-threaded.
//!
//! [`run`] takes a scenario and a seed, and returns summary and tables; [`Simulation`] is the same run taken
//! step by step.
//!
//! ```
//! use aqmlab_sim::{Control, Scenario, run};
//!
//! let text = r#"
//!     name = "one download"
//!     duration_s = 20.0
//!     [dumbbell]
//!     rate_mbps = 10.0
//!     queue = { scheme = "pie", limit_packets = 200 }
//!     [[flows]]
//!     direction = "left-to-right"
//!     count = 1
//! "#;
//! let scenario = Scenario::from_toml(text, "download.toml", &[])?;
//! let seed = 1;
//! let output = run(&scenario, seed, &Control::default())?;
//! let link = &output.summary.links[0];
//! let wait_s = link.wait_mean_s.ok_or("no packet left the queue")?;
//! println!("{:.1} Mbit/s, packets wait {:.1} ms", link.throughput_mbps, 1000.0 * wait_s);
//! # assert!(link.throughput_mbps <= 10.0 && wait_s < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Inside, one idea per file:
//!
//! | file | idea |
//! | --- | --- |
//! | `simulation.rs` | the event loop |
//! | `engine/` | the clock, what is pending, and in which order it happens |
//! | `fabric/` | links, queues, routes, and the ends of connections: packets in, connection events out |
//! | `stepping/` | a run that is taken step by step, watched and acted on |
//! | `transport.rs` | the fabric as applications see it (`aqmlab-session`) |
//! | `recording/` | what is recorded while it happens |
//! | `output/` | what a run leaves behind, and the laws that it must have obeyed |
//! | `identifiers.rs` | the numbers by which a run tells things apart |
//! | `memory.rs` | the memory that a run will take |
//!
//! What it shares with the driver in real time (applications, delays of connections, ports, tables,
//! summaries) is `aqmlab-driver`.
//!
//! One event is served like this: the event queue names the next instant; the fabric is handed what is due;
//! it is polled for what that means to connections; each connection event goes to the session, whose
//! applications open, write, close and ask to be woken through the transport, which puts new events into the
//! queue. Nobody calls back.
//!
//! **Determinism.** Equal instants are served in a fixed order (see `engine/event_queue.rs`); every random
//! number has an address (see `aqmlab-random`); so the same scenario, seed and version give the same bytes.
//!
//! **Where delays sit.** A machine hands a packet to its interface, which sends it at its own rate, first in,
//! first out; the minimum delay of the connection follows; then comes the router. The order of interface and
//! delay could be the reverse (a delay in the host's network stack): the difference is at most the spacing of
//! packets of one machine that leave the delay within the same few microseconds.
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

#[cfg(test)]
extern crate self as aqmlab_sim; // the transport of the tests is written for users of this crate

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod engine;
mod fabric;
mod identifiers;
mod memory;
mod output;
mod recording;
mod simulation;
mod stepping;
mod transport;

pub use fabric::{Capture, CaptureRefused, CapturedPorts, TransportRefused, Transports};
pub use memory::memory_estimate;
pub use output::Output;
pub use stepping::{
    Action, ActionError, GroupObservation, LinkObservation, Observation, Simulation, Steering, SteeringError,
    WINDOW_SEGMENTS,
};

pub use aqmlab_driver::{Control, RunError};
pub use aqmlab_record::{Column, ColumnValues, Summary, Table};
pub use aqmlab_scenario::{Scenario, ScenarioError};
pub use aqmlab_transport::{Answer, Connecting, MakeEnds, OutgoingPacket, StreamId, TransportEnd, Urgency};
pub use aqmlab_units::{Span, Time};
use fabric::{Departures, Settings};

/// Runs a scenario from its start to its end.
///
/// # Errors
/// [`RunError`]: cancelled through `control`, a scenario larger than the simulator can hold, a traffic model
/// that cannot be made, or (a bug) a broken invariant.
pub fn run(scenario: &Scenario, seed: u64, control: &Control) -> Result<Output, RunError> {
    run_capturing(scenario, seed, control, &CapturedPorts::default())
}

/// The same, and keeps the packets that pass these ports: [`Output::captures`]. Nothing else is another.
///
/// # Errors
/// As [`run`].
pub fn run_capturing(
    scenario: &Scenario,
    seed: u64,
    control: &Control,
    captured: &CapturedPorts,
) -> Result<Output, RunError> {
    let transports = Transports::of(scenario);
    run_with(scenario, seed, control, Settings { captured, transports, departures: Departures::Predicted })
}

/// As [`run`], where the connections of some populations and groups of flows are not TCP's.
///
/// # Errors
/// As [`run`].
pub fn run_over(
    scenario: &Scenario,
    seed: u64,
    control: &Control,
    transports: Transports,
) -> Result<Output, RunError> {
    let captured = &CapturedPorts::default();
    run_with(scenario, seed, control, Settings { captured, transports, departures: Departures::Predicted })
}

fn run_with(
    scenario: &Scenario,
    seed: u64,
    control: &Control,
    settings: Settings<'_>,
) -> Result<Output, RunError> {
    Simulation::begin(scenario, seed, control, settings)?.finish(control)
}
