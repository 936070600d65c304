//! What is recorded of a run while it happens.

mod closed_flows;
pub(crate) mod congestion_windows;
mod flow_rows;
mod snapshot;

pub(crate) use closed_flows::ClosedFlows;
pub(crate) use flow_rows::FlowRows;
pub(crate) use snapshot::Snapshot;
