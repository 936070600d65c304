//! Which flow of which group a flow of the run is.

use aqmlab_scenario::Scenario;
use aqmlab_session::FlowId;

/// Flows are counted through all groups; tables name the group, and count within it.
#[derive(Clone)]
pub struct FlowGroups {
    /// First flow of each group.
    firsts: Vec<usize>,
}

impl FlowGroups {
    /// The groups of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let firsts = scenario.flows.iter().scan(0, |next, group| {
            let first = *next;
            *next += group.flows.len();
            Some(first)
        });
        Self { firsts: firsts.collect() }
    }

    /// The group of a flow by its place in the scenario, and the place of the flow there.
    #[must_use]
    pub fn place(&self, flow: FlowId) -> (u16, FlowId) {
        let group = self.firsts.partition_point(|&first| first <= flow.place()) - 1;
        (short(group), FlowId::of(flow.place() - self.firsts[group]))
    }
}

/// Groups and monitored links have short numbers: a legal scenario has no more of them.
pub(crate) fn short(place: usize) -> u16 {
    u16::try_from(place).expect("links and groups have short numbers")
}
