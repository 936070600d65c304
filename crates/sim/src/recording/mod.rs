//! What is recorded of a run while it happens, and what it leaves behind.

mod closed_flows;
pub(crate) mod congestion_windows;
mod flow_rows;
mod invariants;
mod output;
mod snapshot;

pub(crate) use closed_flows::ClosedFlows;
pub(crate) use flow_rows::FlowRows;
pub use output::Output;
pub(crate) use output::gather;
pub(crate) use snapshot::Snapshot;
