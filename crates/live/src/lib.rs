//! The driver in real time: a scenario over the kernel's TCP.
//!
//! Two network namespaces hold the hosts, one those who open connections, one those who answer. A router in
//! this process takes their packets from a device in each, and carries them through the scenario's links,
//! queues and delays in virtual time: every packet is delayed, queued, marked or discarded at its nominal
//! instant, by the same ports and schemes as in a simulation, and handed over when that instant has come. The
//! applications are those of a simulation too (`aqmlab-session`), over sockets.
//!
//! | file | idea |
//! | --- | --- |
//! | `run.rs` | a live run: what it refuses, its two threads |
//! | `namespace.rs`, `privileges.rs`, `scheduling.rs` | what the kernel is told, in namespaces that die with the process |
//! | `hosts/`, `kernel_counts.rs` | how the kernel's TCP is set, what it shows of itself, what it counts |
//! | `devices/` | the ways to the packets of a namespace |
//! | `addresses.rs` | addresses and ports, from which the router knows a packet's connection |
//! | `packet/` | a packet: its bytes, what is read in them, what queues know of it |
//! | `router/` | links and queues in virtual time; the thread between the devices |
//! | `traffic/` | applications over sockets; the thread that wakes them |
//! | `kernel_queue/` | queue disciplines of the kernel in place of the scenario's |
//! | `program.rs` | a program of the user's own behind the bottleneck, and its server |
//! | `audit.rs` | what can make a run wrong without a word, and the verdict |
//! | `output.rs` | summary and tables, as of a simulation |
//!
//! It knows nothing of the simulator, and reads clocks and files that models may not.
#![cfg(target_os = "linux")]
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod addresses;
mod audit;
mod clock;
mod devices;
mod error;
mod hosts;
mod kernel_counts;
mod kernel_queue;
mod lateness;
mod namespace;
mod output;
mod packet;
mod privileges;
mod program;
mod router;
mod run;
mod scheduling;
mod traffic;

pub use aqmlab_wire::TcpFields;
pub use audit::{Audit, Delays};
pub use devices::Backend;
pub use error::LiveError;
pub use hosts::HostSettings;
pub use kernel_queue::{Discipline, discipline_of};
pub use output::Output;
pub use packet::headers::{Headers, Refusal};
pub use privileges::prepare;
pub use program::{Program, Ran};
pub use router::capture::{Capture, CapturedPorts, KeptPacket};
pub use router::guest::{Crossing, Crossings};
pub use router::log::{LogEvent, LogRow};
pub use run::{Settings, check, probe, run};
