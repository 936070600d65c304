//! Which flow of which group a flow of the run is.

use crate::identifiers::GroupId;
use aqmlab_scenario::Scenario;
use aqmlab_session::FlowId;

/// Flows are counted through all groups; tables name the group, and count within it.
pub(crate) struct FlowGroups {
    /// First flow of each group.
    firsts: Vec<usize>,
}

impl FlowGroups {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let firsts = scenario.flows.iter().scan(0, |next, group| {
            let first = *next;
            *next += group.flows.len();
            Some(first)
        });
        Self { firsts: firsts.collect() }
    }

    /// The group of a flow, and its place there.
    pub(crate) fn place(&self, flow: FlowId) -> (GroupId, FlowId) {
        let group = self.firsts.partition_point(|&first| first <= flow.place()) - 1;
        (GroupId::of(group), FlowId::of(flow.place() - self.firsts[group]))
    }
}
