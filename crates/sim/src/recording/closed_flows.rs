//! What the connections of flows that are over had counted, by group: a place is given to the next
//! connection, and its counters with it.

use crate::fabric::Connection;
use aqmlab_driver::FlowGroups;
use aqmlab_scenario::Scenario;
use aqmlab_session::Owner;

/// Segments that were sent again on connections that are over, of each group of flows.
#[derive(Clone)]
pub(crate) struct ClosedFlows {
    groups: FlowGroups,
    retransmitted_segments: Vec<u64>,
}

impl ClosedFlows {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { groups: FlowGroups::of(scenario), retransmitted_segments: vec![0; scenario.flows.len()] }
    }

    /// Adds a connection that is over.
    #[inline]
    pub(crate) fn add(&mut self, connection: &Connection) {
        let Owner::Flow { flow } = connection.owner else { return };
        let (group, _) = self.groups.place(flow);
        self.retransmitted_segments[usize::from(group)] += connection.totals().retransmitted_segments;
    }

    /// Of a group, by its place among the groups of flows.
    pub(crate) fn retransmitted_segments(&self, group: usize) -> u64 {
        self.retransmitted_segments[group]
    }
}
