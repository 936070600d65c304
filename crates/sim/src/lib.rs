//! The driver in virtual time: runs a scenario packet by packet, deterministic and single-threaded.
//!
//! [`run`] is the whole interface: scenario and seed in, summary and tables out. Inside, one idea per file:
//!
//! | file | idea |
//! | --- | --- |
//! | `simulation.rs` | the event loop, and what happens to a packet at a link |
//! | `agenda.rs`, `transmissions.rs`, `wheel/` | what is pending, and in which order it happens |
//! | `network.rs`, `route_table.rs`, `links.rs` | links, routes, and what a link does with a packet; any topology |
//! | `impairments.rs` | losses that no queue decides: by ordinal, and by chance |
//! | `packet.rs` | a TCP segment in its IP packet, 24 bytes |
//! | `connection.rs` | both ends of a connection, and where connections are kept |
//! | `transport.rs` | endpoints and the network: segments out, segments in, timers |
//! | `browsing.rs`, `flows.rs` | who uses connections: browsing users, long-lived flows |
//! | `access_delay.rs` | the minimum delay of a connection, or of a pair of machines |
//! | `identifiers.rs` | the numbers by which a run tells things apart |
//! | `prefetch.rs` | asking for memory before it is needed; the only unsafe code |
//! | `monitor.rs`, `queue_summary.rs`, `losses.rs`, `exchanges.rs`, `flow_rows.rs`, `trace.rs` | what is recorded while it happens |
//! | `memory.rs` | how much memory a run will take |
//! | `output.rs`, `warnings.rs`, `snapshot.rs`, `table_names.rs` | what a run leaves behind |
//!
//! **Determinism.** Equal instants are served in a fixed order (see `agenda.rs`); every random number has an
//! address (see `aqmlab-random`); so the same scenario, seed and version give the same bytes.
//!
//! **Where delays sit.** A machine hands a packet to its interface, which sends it at its own rate, first in,
//! first out; the minimum delay of the connection follows; then comes the router. The order of interface and
//! delay could be the reverse (a delay in the host's network stack): the difference is at most the spacing of
//! packets of one machine that leave the delay within the same few microseconds.
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod access_delay;
mod agenda;
mod browsing;
mod connection;
mod control;
mod deviations;
mod exchanges;
mod flow_rows;
mod flows;
mod identifiers;
mod impairments;
mod links;
mod losses;
mod memory;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod monitor;
mod network;
mod output;
mod packet;
mod prefetch;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod queue_summary;
mod route_table;
mod simulation;
mod snapshot;
mod table_names;
mod trace;
mod transmissions;
mod transport;
mod warnings;
mod wheel;

pub use control::{Control, RunError};
pub use memory::memory_estimate;
pub use output::Output;

use aqmlab_scenario::Scenario;
use aqmlab_units::Time;

/// Runs a scenario from its start to its end.
///
/// # Errors
/// [`RunError`]: cancelled through `control`, a scenario larger than the simulator can hold, a traffic model
/// that cannot be made, or (a bug) a broken invariant.
pub fn run(scenario: &Scenario, seed: u64, control: &Control) -> Result<Output, RunError> {
    let scenario = &*deviations::of_run(scenario, seed);
    let mut simulation = simulation::Simulation::new(scenario, seed, control)?;
    simulation.run(Time::ZERO + scenario.duration, control)?;
    control.report_done();
    output::gather(simulation, scenario, seed)
}
