//! A law of links to which sources that answer to nothing bring more than they carry: they are never idle.
//!
//! It is asked of schemes that only act on packets behind which others wait. Averages and integrals may leave
//! a link idle until they have forgotten a burst; how long, the conformance suite of schemes tries.

use super::Broken;
use aqmlab_link::ServiceModel;
use aqmlab_record::Summary;
use aqmlab_scenario::{DatagramGroup, Link, LinkIndex, Network, Routes, Scenario, SteadyRate};
use aqmlab_units::Span;
use std::collections::BTreeMap;

/// Schemes under which an overloaded link is never idle, whatever their parameters.
const NEVER_IDLE: [&str; 7] = ["drop-tail", "codel", "cobalt", "fq", "fq-codel", "linux-fq", "cake"];
/// From this load on a link is overloaded, with whatever clocks.
const OVERLOAD: f64 = 1.05;
/// Links before it are so much faster that they neither hold back nor lose what comes.
const FASTER: f64 = 20.0;
/// What a link that is never idle may lack: the time to its first packet, and rounding.
const LEAST_BUSY_SHARE: f64 = 0.99;
/// After that time everybody has begun.
const BEGUN: Span = Span::from_milliseconds(500);

pub(super) fn check(summary: &Summary, scenario: &Scenario, broken: &mut Broken) {
    let (from, until) = (summary.measured_from_s, summary.measured_until_s);
    for (name, load) in overloaded(scenario, from, until) {
        for link in summary.links.iter().filter(|link| link.name == name) {
            broken.unless(link.busy_share > LEAST_BUSY_SHARE, || {
                let (scheme, busy) = (&link.scheme, link.busy_share);
                format!("{name}: {load:.2} times what it carries comes, and under {scheme} it is busy {busy}")
            });
        }
    }
}

/// The overloaded links by their names, with their loads.
fn overloaded(scenario: &Scenario, from_s: f64, until_s: f64) -> Vec<(&str, f64)> {
    let routes = Routes::new(&scenario.network);
    let mut offered: BTreeMap<LinkIndex, f64> = BTreeMap::new();
    for group in &scenario.datagrams {
        let Some(rate) = rate_throughout(group, from_s, until_s) else { continue };
        for &[from, to] in &group.sources {
            let path = routes.path(from, to).unwrap_or_default();
            let Some(place) = first_queue(&scenario.network, &path, from_s - group.start.seconds()) else {
                continue;
            };
            let link = scenario.network.link(path[place]);
            let ip_bytes = u32::from(group.packet_bytes);
            let wire = f64::from(link.framing.wire_bytes(ip_bytes)) / f64::from(ip_bytes);
            *offered.entry(path[place]).or_default() += rate * wire;
        }
    }
    let loads = offered.into_iter().filter_map(|(index, offered)| {
        let link = scenario.network.link(index);
        Some((&*link.name, offered / link.rate?.bits_per_second() as f64))
    });
    loads.filter(|(_, load)| *load > OVERLOAD).collect()
}

/// The rate of each of its sources, in bits a second of IP packets, if they send over the whole window.
fn rate_throughout(group: &DatagramGroup, from_s: f64, until_s: f64) -> Option<f64> {
    let Some(SteadyRate { rate, is_always_on: true }) = group.sends.steady else { return None };
    let begun = (group.start + group.start_spread + BEGUN).seconds() <= from_s;
    let goes_on = group.stop.is_none_or(|stop| stop.seconds() >= until_s);
    (begun && goes_on && group.answers.is_none()).then_some(rate.bits_per_second() as f64)
}

/// The place of the first link with a queue on the way, if the law is asked of it: the links before it are
/// much faster, and lose nothing, and what comes there has come since before the window.
fn first_queue(network: &Network, path: &[LinkIndex], time_s: f64) -> Option<usize> {
    let place = path.iter().position(|&index| network.link(index).queue.is_some())?;
    let link = network.link(path[place]);
    let capacity = link.rate?.bits_per_second() as f64;
    let before = path[..place].iter().map(|&index| network.link(index));
    let is_clear = |link: &Link| {
        let rate = link.rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
        rate > FASTER * capacity
            && matches!(link.service, ServiceModel::Constant)
            && link.impairment.is_none()
    };
    let delay_s: f64 = before.clone().map(|link| link.delay.seconds()).sum();
    let asked = is_never_idle(link) && before.clone().all(is_clear) && delay_s + BEGUN.seconds() < time_s;
    asked.then_some(place)
}

fn is_never_idle(link: &Link) -> bool {
    let Some(scheme) = &link.queue else { return false };
    // A shaper holds packets back that the link could send.
    let table = serde_json::to_value(scheme).unwrap_or_default();
    matches!(link.service, ServiceModel::Constant)
        && link.impairment.is_none()
        && link.shaping.is_none()
        && scheme.names_within().all(|name| NEVER_IDLE.contains(&name))
        && table.get("rate_mbps").is_none_or(serde_json::Value::is_null)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dumbbell of 10 Mbit/s, 1,000-byte packets, no framing: a stream of this rate from 0 s on.
    fn streams(queue: &str, mbps: f64) -> Scenario {
        let text = format!(
            "name = \"overload\"\nduration_s = 4.0\nwarm_up_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\n\
             interface_rate_mbps = 1000.0\nlayer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\n\
             layer2_gap_bytes = 0\nqueue = {queue}\n[[datagrams]]\nname = \"stream\"\ncount = 1\n\
             direction = \"left-to-right\"\npacket_bytes = 1000\nrate_mbps = {mbps}\nstart_spread_s = 0\n"
        );
        Scenario::from_toml(&text, "overload", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    fn found(queue: &str, mbps: f64) -> Vec<(String, f64)> {
        let scenario = streams(queue, mbps);
        overloaded(&scenario, 1.0, 4.0).into_iter().map(|(name, load)| (name.to_owned(), load)).collect()
    }

    #[test]
    fn overloaded_links_are_those_that_get_more_than_they_carry_over_the_whole_window() {
        let drop_tail = "{ scheme = \"drop-tail\", limit_packets = 50 }";
        assert_eq!(found(drop_tail, 22.0), [("left-to-right".to_owned(), 2.2)]);
        assert_eq!(found(drop_tail, 10.0), []);
        assert_eq!(
            found("{ scheme = \"red\", limit_packets = 50 }", 22.0),
            [],
            "it may forget a burst first"
        );
        assert_eq!(found("{ scheme = \"cake\", rate_mbps = 5.0 }", 22.0), [], "its shaper holds back");
        let fair = "{ scheme = \"fq\", inner = { scheme = \"red\" } }";
        assert_eq!(found(fair, 22.0), [], "so does what works in its queues");
    }

    #[test]
    fn a_link_that_is_idle_under_overload_breaks_it() {
        let scenario = streams("{ scheme = \"drop-tail\", limit_packets = 50 }", 22.0);
        let mut output = aqmlab_sim::run(&scenario, 1, &aqmlab_sim::Control::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let broken_by = |summary: &Summary| {
            let mut broken = Broken { found: Vec::new() };
            check(summary, &scenario, &mut broken);
            broken.found
        };
        assert_eq!(broken_by(&output.summary), Vec::<String>::new());
        output.summary.links[0].busy_share = 0.0;
        let said = broken_by(&output.summary);
        assert!(said.len() == 1 && said[0].contains("2.20 times what it carries comes"), "{said:?}");
    }
}
