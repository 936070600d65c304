//! What is recorded of a run while it happens, and what it leaves behind.

mod congestion_windows;
mod flow_groups;
mod flow_rows;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod monitor;
mod output;
mod queue_counts;
#[allow(clippy::cast_possible_truncation)] // real numbers of seven digits
mod queue_summary;
mod sampling_clock;
#[allow(clippy::cast_possible_truncation)] // samples of seven digits, in tests
mod settling;
mod snapshot;
mod transfers;
mod warnings;

pub(crate) use congestion_windows::CongestionWindows;
pub(crate) use flow_groups::FlowGroups;
pub(crate) use flow_rows::FlowRows;
pub(crate) use monitor::{Boundary, Monitor};
pub use output::Output;
pub(crate) use output::gather;
pub(crate) use snapshot::Snapshot;
