//! During and after a run: what is sampled, counted, put into tables, and said of it.
//!
//! | file | idea |
//! | --- | --- |
//! | `monitor.rs`, `queue_summary.rs`, `scheme_state.rs`, `sampling_clock.rs` | what is sampled of monitored links |
//! | `queue_counts.rs`, `transfers.rs`, `table_names.rs` | tables of queues and transfers; the names in tables |
//! | `traffic.rs`, `congestion_windows.rs`, `flow_groups.rs` | what links sent of each group; what senders know over time; which flow of which group one is |
//! | `summaries.rs` | what `run.json` says |
//! | `warnings.rs`, `scenario_warning.rs`, `settling.rs`, `starvation.rs`, `traps.rs`, `tight_buffers.rs` | what a reader should know of the run, and of its scenario |

mod congestion_windows;
mod flow_groups;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod monitor;
pub mod queue_counts;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod queue_summary;
mod sampling_clock;
mod scenario_warning;
mod scheme_state;
#[allow(clippy::cast_possible_truncation)] // samples of seven digits, in tests
mod settling;
mod starvation;
mod summaries;
mod table_names;
mod tight_buffers;
mod traffic;
pub mod transfers;
mod traps;
pub mod warnings;

pub use congestion_windows::{CongestionWindows, SenderSample};
pub use flow_groups::FlowGroups;
pub use monitor::{Boundary, Monitor};
pub use sampling_clock::SamplingClock;
pub use scenario_warning::ScenarioWarning;
pub use settling::Unsettled;
pub use starvation::Starved;
pub use summaries::{FORMAT, WatchedLink, amount, document, flows, link_summaries, populations};
pub use table_names::TableNames;
pub use traffic::{CountedPacket, Traffic, Whose};
