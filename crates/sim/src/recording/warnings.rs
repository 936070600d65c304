//! What a reader should know before trusting a run.

use aqmlab_record::{LinkSummary, Summary};
use aqmlab_scenario::{Link, Routes, Scenario};

/// Fewer completed exchanges than this say little about a tail.
const FEW_EXCHANGES: u64 = 10_000;
/// A link this busy is a bottleneck for somebody.
const BUSY_SHARE: f64 = 0.6;

pub(crate) fn of(summary: &Summary, scenario: &Scenario) -> Vec<String> {
    let mut warnings = Vec::new();
    let completed: u64 = summary.populations.iter().map(|population| population.completed).sum();
    if !summary.populations.is_empty() && completed < FEW_EXCHANGES {
        warnings.push(format!(
            "too few samples: {completed} exchanges completed in the measured window, tails need {FEW_EXCHANGES} or more"
        ));
    }
    let busiest = summary.links.iter().map(|link| link.busy_share).fold(0.0, f64::max);
    if !summary.links.is_empty() && busiest < BUSY_SHARE {
        warnings.push(format!(
            "no bottleneck: the busiest monitored link was transmitting {:.0} % of the time",
            busiest * 100.0
        ));
    }
    warnings.extend(summary.links.iter().filter(|link| never_acted(link)).map(|link| {
        format!("{} at {} never acted: it neither marked nor dropped a packet", link.scheme, link.name)
    }));
    let marking = summary.links.iter().filter(|link| marks_nobody(link, scenario));
    warnings.extend(marking.map(|link| {
        format!(
            "{} at {} may mark, but no packet that arrived was ECN-capable: give the hosts ecn, for example \
             users.host.ecn = \"on\"",
            link.scheme, link.name
        )
    }));
    warnings.extend(in_step(scenario));
    warnings
}

/// A link with a queue behind one of the same rate, on the way of long-lived flows: their packets arrive in step with
/// its transmissions, and the fixed order of equal instants decides who finds the place that is free.
fn in_step(scenario: &Scenario) -> Option<String> {
    let routes = Routes::new(&scenario.network);
    // All machines of a group have the same links, so the first flow speaks for its group.
    let ways = scenario.flows.iter().filter_map(|group| group.flows.first());
    let paths = ways.filter_map(|flow| routes.path(flow.sender, flow.receiver));
    let (before, behind) = paths.into_iter().find_map(|path| {
        let links: Vec<&Link> = path.iter().map(|&index| scenario.network.link(index)).collect();
        let pairs = links.iter().enumerate().filter(|(_, link)| link.queue.is_some());
        pairs.into_iter().find_map(|(place, link)| {
            let same = |earlier: &&&Link| earlier.rate.is_some() && earlier.rate == link.rate;
            Some((links[..place].iter().find(same)?.name.clone(), link.name.clone()))
        })
    })?;
    Some(format!(
        "links in step: {behind} has the rate of {before} before it, so that packets of long-lived flows meet at equal \
         instants, whose fixed order can favour some flows for ever: set rate_tolerance_ppm, such as 100"
    ))
}

/// Whether ECN is on at the queue and off at every host that sends through it.
fn marks_nobody(link: &LinkSummary, scenario: &Scenario) -> bool {
    let described = scenario.network.links.iter().find(|described| described.name == link.name);
    let marks = described.and_then(|described| described.queue.as_ref()).is_some_and(|scheme| scheme.ecn());
    let counts = &link.counters.by_codepoint;
    let capable: u64 =
        counts.iter().filter(|(name, _)| *name != "not_ect").map(|(_, count)| count.arrived_packets).sum();
    let data = link.counters.by_class.get("data").map_or(0, |count| count.arrived_packets);
    marks && data > 0 && capable == 0
}

/// Drop-tail is not expected to act; an active scheme is.
fn never_acted(link: &LinkSummary) -> bool {
    let discarded: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
    link.scheme != "drop-tail" && link.counters.marked.packets == 0 && discarded == 0
}
