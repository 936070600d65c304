//! Sources of datagrams, counted over all of a run: what tells them apart in tables, who answers whom, and
//! whose arrivals applications hear of.

use aqmlab_record::{ColumnValues, SourceColumns, Table, video_call_frames};
use aqmlab_scenario::{DatagramGroup, NodeIndex, Role, Scenario};
use aqmlab_session::Session;
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

/// Of each group the place of its first source.
pub(crate) fn first_places(scenario: &Scenario) -> Vec<usize> {
    let behind = |sources: &mut usize, group: &DatagramGroup| {
        let first = *sources;
        *sources += group.sources.len();
        Some(first)
    };
    scenario.datagrams.iter().scan(0, behind).collect()
}

/// Of each source, in the order of the scenario, the place of the one that sends back what has arrived of it.
#[must_use]
pub fn echoes(scenario: &Scenario) -> Vec<Option<u32>> {
    let first_places = first_places(scenario);
    let sources = scenario.datagrams.iter().map(|group| group.sources.len()).sum();
    let mut echoes = vec![None; sources];
    let mut place = 0;
    for group in &scenario.datagrams {
        for nth in 0..group.sources.len() {
            if let Some(probes) = group.answers.filter(|_| group.role == Role::Echo) {
                echoes[first_places[probes] + nth] = Some(place);
            }
            place += 1;
        }
    }
    echoes
}

/// Of each source, in the order of the scenario, whether the applications hear of its arrivals.
#[must_use]
pub fn heard(scenario: &Scenario) -> Vec<bool> {
    let is_heard = |group: &DatagramGroup| group.sends.is_heard && group.role != Role::Echo;
    let groups = scenario.datagrams.iter();
    groups.flat_map(|group| std::iter::repeat_n(is_heard(group), group.sources.len())).collect()
}

/// The ends of the pings of a program in the router, and then those of the responses: sources behind those of
/// the scenario, which no table has.
#[must_use]
pub fn pings(scenario: &Scenario) -> Vec<[NodeIndex; 2]> {
    let Some(own) = &scenario.shaper_follower else { return Vec::new() };
    let there = own.reflectors.iter().map(|&reflector| [own.node, reflector]);
    let back = own.reflectors.iter().map(|&reflector| [reflector, own.node]);
    there.chain(back).collect()
}

/// The table `video_call_frames`, where applications record frames; these are taken from the session.
pub fn frames(scenario: &Scenario, session: &mut Session) -> Option<Table> {
    let frames = session.take_frames();
    (!frames.is_empty()).then(|| video_call_frames(frames, &columns(scenario)))
}

/// A column of nodes by name; the list holds those that occur.
fn names_of_nodes(scenario: &Scenario, nodes: &[NodeIndex]) -> ColumnValues {
    let occur: BTreeSet<NodeIndex> = nodes.iter().copied().collect();
    let codes: BTreeMap<NodeIndex, u32> = occur.iter().copied().zip(0..).collect();
    let names = occur.iter().map(|&node| scenario.network.node(node).name.clone());
    ColumnValues::names(nodes.iter().map(|node| codes[node]).collect(), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_echo_of_a_source_comes_behind_all_that_send_of_their_own_accord() {
        let group = |name: &str, count: u32, echo: bool| {
            format!(
                "[[datagrams]]\nname = \"{name}\"\ncount = {count}\ndirection = \"left-to-right\"\n\
                 packet_bytes = 64\nrate_mbps = 0.1\necho = {echo}\n"
            )
        };
        let text = "name = \"a\"\nduration_s = 1\n[dumbbell]\nrate_mbps = 1\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 9 }\n";
        let groups = [group("ping", 2, true), group("call", 1, false), group("probe", 1, true)].concat();
        let scenario = Scenario::from_toml(&format!("{text}{groups}"), "a", &[]).unwrap();
        // ping 0 and 1, call 2, probe 3; what is sent back of ping 4 and 5, of probe 6.
        assert_eq!(echoes(&scenario), [Some(4), Some(5), None, Some(6), None, None, None]);
    }
}
