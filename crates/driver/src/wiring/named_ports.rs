//! Ports by name: monitored links with a queue.

use super::links::is_monitored;
use aqmlab_scenario::{LinkIndex, Scenario};

/// There is no port of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown port \"{name}\"; legal: {legal}")]
pub struct UnknownPort {
    name: String,
    legal: String,
}

/// The places of these ports among the monitored links, and their links.
///
/// # Errors
/// [`UnknownPort`] with the names that there are.
pub fn named_ports(scenario: &Scenario, names: &[String]) -> Result<Vec<(usize, LinkIndex)>, UnknownPort> {
    let links = (0..).map(LinkIndex).zip(&scenario.network.links);
    let ports: Vec<_> = links.filter(|(_, link)| is_monitored(link)).collect();
    let of = |name: &String| {
        let found = ports.iter().position(|(_, link)| link.name == *name);
        found.map(|place| (place, ports[place].0)).ok_or_else(|| {
            let legal: Vec<String> = ports.iter().map(|(_, link)| format!("\"{}\"", link.name)).collect();
            let none = || "none, no link with a queue is monitored".to_owned();
            UnknownPort {
                name: name.clone(),
                legal: if legal.is_empty() { none() } else { legal.join(", ") },
            }
        })
    };
    names.iter().map(of).collect()
}
