//! What tells sources of datagrams apart in tables.

use aqmlab_record::{ColumnValues, SourceColumns};
use aqmlab_scenario::{DatagramGroup, NodeIndex, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The number by which the packets of the source at a place name it, and by which it stands in tables, among
/// those of connections: from the top down, where no connection ever is.
#[must_use]
pub const fn number(place: u32) -> u32 {
    u32::MAX - place
}

/// The columns that tell sources apart: a row for each, in the order of the scenario.
#[must_use]
pub fn columns(scenario: &Scenario) -> SourceColumns {
    let groups = &scenario.datagrams;
    let numbered = |group: &DatagramGroup| (0..).take(group.sources.len());
    let of_groups =
        (0..).zip(groups).flat_map(|(code, group)| std::iter::repeat_n(code, group.sources.len()));
    let names = groups.iter().map(|group| group.name.clone());
    let sources: Vec<u32> = groups.iter().flat_map(numbered).collect();
    let nodes = |end: usize| {
        let nodes: Vec<NodeIndex> =
            groups.iter().flat_map(|group| &group.sources).map(|ends| ends[end]).collect();
        names_of_nodes(scenario, &nodes)
    };
    let numbers = (0..).take(sources.len()).map(number).collect();
    vec![
        ("group", ColumnValues::names(of_groups.collect(), names)),
        ("source", ColumnValues::U32(sources)),
        ("connection", ColumnValues::U32(numbers)),
        ("from", nodes(0)),
        ("to", nodes(1)),
    ]
}

/// Of each source, in the order of the scenario, the place of the one that sends back what has arrived of it.
#[must_use]
pub fn echoes(scenario: &Scenario) -> Vec<Option<u32>> {
    let mut echoes = Vec::new();
    let mut first_places = Vec::new();
    for group in &scenario.datagrams {
        let first = echoes.len();
        first_places.push(first);
        echoes.extend(group.sources.iter().map(|_| None));
        if let Some(probes) = group.echo_of {
            let of_probes = &mut echoes[first_places[probes]..][..group.sources.len()];
            for (echo, place) in of_probes.iter_mut().zip(first as u32..) {
                *echo = Some(place);
            }
        }
    }
    echoes
}

/// A column of nodes by name; the list holds those that occur.
fn names_of_nodes(scenario: &Scenario, nodes: &[NodeIndex]) -> ColumnValues {
    let occur: BTreeSet<NodeIndex> = nodes.iter().copied().collect();
    let codes: BTreeMap<NodeIndex, u32> = occur.iter().copied().zip(0..).collect();
    let names = occur.iter().map(|&node| scenario.network.node(node).name.clone());
    ColumnValues::names(nodes.iter().map(|node| codes[node]).collect(), names)
}
