//! What the codes of the tables stand for: links, populations and groups of flows by name.

use crate::wiring::links::is_monitored;
use aqmlab_record::{ColumnValues, Names};
use aqmlab_scenario::Scenario;

/// Names by code.
pub struct TableNames {
    /// The monitored links, in the order of `links` in the summary.
    pub links: Vec<String>,
    /// The populations, in the order of `populations` in the summary.
    pub populations: Vec<String>,
    /// The groups of long-lived flows, in the order of `flows` in the summary.
    flow_groups: Vec<String>,
    /// The groups of datagrams, in the order of the scenario.
    datagram_groups: Vec<String>,
}

impl TableNames {
    /// The names of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let monitored = scenario.network.links.iter().filter(|link| is_monitored(link));
        Self {
            links: monitored.map(|link| link.name.clone()).collect(),
            populations: scenario.populations.iter().map(|population| population.name.clone()).collect(),
            flow_groups: scenario.flows.iter().map(|group| group.name.clone()).collect(),
            datagram_groups: scenario.datagrams.iter().map(|group| group.name.clone()).collect(),
        }
    }

    /// A column of links.
    #[must_use]
    pub fn of_links(&self, codes: &[u16]) -> ColumnValues {
        ColumnValues::names(codes.iter().map(|&code| u32::from(code)).collect(), &self.links)
    }

    /// A column of populations; none where somebody else is meant.
    pub fn of_populations(&self, codes: impl Iterator<Item = Option<u16>>) -> ColumnValues {
        ColumnValues::names(codes.map(code_or_none).collect(), &self.populations)
    }

    /// A column of groups of flows; none where somebody else is meant.
    pub fn of_flow_groups(&self, codes: impl Iterator<Item = Option<u16>>) -> ColumnValues {
        ColumnValues::names(codes.map(code_or_none).collect(), &self.flow_groups)
    }

    /// A column of groups of datagrams; none where somebody else is meant.
    pub fn of_datagram_groups(&self, codes: impl Iterator<Item = Option<u16>>) -> ColumnValues {
        ColumnValues::names(codes.map(code_or_none).collect(), &self.datagram_groups)
    }
}

fn code_or_none(code: Option<u16>) -> u32 {
    code.map_or(Names::NO_NAME, u32::from)
}
