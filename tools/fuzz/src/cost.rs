//! What a run will cost at most, so that it can be cut to a length that a campaign can pay.
//!
//! The estimate is rough on purpose: packets that rates, windows and demand allow, twice the links they
//! cross, samples and periodic timers.

use aqmlab_scenario::{
    DatagramGroup, Flow, FlowGroup, HostProfile, NodeIndex, Population, Scenario, Sends, Workload,
};
use aqmlab_sim::memory_estimate;
use aqmlab_web::SizeLaw;
use serde_json::Value as Json;

/// Events of an ordinary case, beside its set-up.
const EVENTS: f64 = 40_000.0;
/// Packets of an exchange beside its data: of the opening and the end of a connection, and acknowledgements.
const PACKETS_BESIDE_DATA: f64 = 12.0;
/// Where even the shortest run would have so many, the case is left out.
const MOST_EVENTS: f64 = 3_000_000.0;
/// Where a run would take so much memory, the case is left out: two run side by side, and others with them.
const MOST_BYTES: f64 = 2e9;
/// The shortest run that a scenario may ask for.
const SHORTEST_S: f64 = 0.001;
/// Round-trip times below are those of ideal wires, which need no time at all.
const SHORTEST_ROUND_TRIP_S: f64 = 1e-9;

/// How long a run may be; none if the shortest one costs too much.
pub(crate) fn affordable_seconds(scenario: &Scenario, document: &Json) -> Option<f64> {
    if memory_estimate(scenario) > MOST_BYTES {
        return None;
    }
    let users: f64 = scenario.populations.iter().map(|population| f64::from(population.users)).sum();
    let flows: f64 = scenario.flows.iter().map(|group| group.flows.len() as f64).sum();
    let sources: f64 = scenario.datagrams.iter().map(|group| group.sources.len() as f64).sum();
    let once = 40.0 * users + 10.0 * (flows + sources);
    let traffic = traffic_per_second(scenario);
    let timers = ticks_per_second(document) + samples_per_second(scenario);
    let longest = scenario.duration.seconds();
    // Timers and samples are ten times cheaper than packets.
    let seconds = ((EVENTS - once).max(EVENTS / 10.0) / (traffic + timers / 10.0)).clamp(SHORTEST_S, longest);
    (once + seconds * (traffic + timers / 10.0) < MOST_EVENTS).then_some(seconds)
}

fn traffic_per_second(scenario: &Scenario) -> f64 {
    let seconds = scenario.duration.seconds();
    let flows = scenario.flows.iter().flat_map(|group| group.flows.iter().map(move |flow| (group, flow)));
    let of_flows: f64 = flows.map(|(group, flow)| events_of_flow(scenario, group, flow) / seconds).sum();
    let of_users: f64 =
        scenario.populations.iter().map(|population| events_of_users(scenario, population)).sum();
    let of_datagrams: f64 = scenario.datagrams.iter().map(|group| events_of_datagrams(scenario, group)).sum();
    of_flows + of_users + of_datagrams + events_of_pings(scenario)
}

/// Events per second of the pings of shapers that follow: over some five links up, and down again.
fn events_of_pings(scenario: &Scenario) -> f64 {
    let Some(follower) = &scenario.shaper_follower else { return 0.0 };
    let pings = f64::from(follower.parameters.pingers) / follower.parameters.ping_interval_s;
    pings * 2.0 * (1.0 + 2.0 * 5.0)
}

/// Events per second of a group of datagrams, which sends whether or not anything is let through; and draws a
/// period.
fn events_of_datagrams(scenario: &Scenario, group: &DatagramGroup) -> f64 {
    let Some(&[from, to]) = group.sources.first() else { return 0.0 };
    let links = scenario.network.path(from, to).map_or(0, |path| path.len());
    let Sends { packets_per_second, periods_per_second, .. } = group.sends;
    group.sources.len() as f64 * (packets_per_second * (1.0 + 2.0 * links as f64) + periods_per_second)
}

/// What lies between two machines and back.
struct Path {
    links: f64,
    /// Seconds that the slowest link takes for a full packet.
    slowest_s: f64,
    round_trip_s: f64,
}

fn path(scenario: &Scenario, from: NodeIndex, to: NodeIndex, profile: &HostProfile) -> Option<Path> {
    let network = &scenario.network;
    let full = u32::from(profile.maximum_segment_bytes) + 40;
    let mut path = Path { links: 0.0, slowest_s: 0.0, round_trip_s: 0.0 };
    for (links, bytes) in [(network.path(from, to)?, full), (network.path(to, from)?, 40)] {
        for link in links.into_iter().map(|index| network.link(index)) {
            let wire_bits = f64::from(link.framing.wire_bytes(bytes)) * 8.0;
            let sending_s = link.rate.map_or(0.0, |rate| wire_bits / rate.bits_per_second() as f64);
            path.links += 1.0;
            path.slowest_s = path.slowest_s.max(sending_s);
            path.round_trip_s += sending_s + link.delay.seconds();
        }
    }
    Some(path)
}

/// Packets per second that a path and a window let through.
fn most_packets_per_second(path: &Path, profile: &HostProfile, added_delay_s: f64) -> f64 {
    let window = (f64::from(profile.window_bytes) / f64::from(profile.maximum_segment_bytes)).max(1.0);
    let by_window = window / (path.round_trip_s + added_delay_s).max(SHORTEST_ROUND_TRIP_S);
    by_window.min(1.0 / path.slowest_s.max(SHORTEST_ROUND_TRIP_S))
}

fn events_of_flow(scenario: &Scenario, group: &FlowGroup, flow: &Flow) -> f64 {
    let Some(path) = path(scenario, flow.sender, flow.receiver, &group.profile) else { return 0.0 };
    let delay = flow.delay_from_sender.seconds() + flow.delay_from_receiver.seconds();
    let possible = most_packets_per_second(&path, &group.profile, delay) * scenario.duration.seconds();
    let fixed = group.bytes.as_ref().and_then(SizeLaw::fixed);
    let wanted = fixed
        .map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(group.profile.maximum_segment_bytes) + 5.0);
    possible.min(wanted) * 2.0 * path.links
}

/// Events per second of a population.
fn events_of_users(scenario: &Scenario, population: &Population) -> f64 {
    let (Some(&browser), Some(&server)) = (population.browsers.first(), population.servers.first()) else {
        return 0.0;
    };
    let Some(path) = path(scenario, server, browser, &population.profile) else { return 0.0 };
    let workload = population.model.parameters().workload(&scenario.file_texts());
    let Workload { exchanges, exchange_bytes, seconds, connections } = workload.expect("a checked scenario");
    let users = f64::from(population.users);
    let segments = (exchange_bytes / f64::from(population.profile.maximum_segment_bytes)).clamp(1.0, 1e6);
    let packets = users * exchanges * (PACKETS_BESIDE_DATA + segments);
    let wanted = match connections {
        None => packets / seconds,
        Some(connections) => {
            let delay = f64::from(population.minimum_delay.low_ms) / 1000.0;
            let possible = users * connections * most_packets_per_second(&path, &population.profile, delay);
            (packets / (seconds + path.round_trip_s + delay)).min(possible)
        }
    };
    wanted * 2.0 * path.links
}

fn samples_per_second(scenario: &Scenario) -> f64 {
    let record = &scenario.record;
    let per_link = 1.0 / record.queue_interval.seconds().max(1e-9)
        + 1.0 / record.link_interval.seconds().max(1e-9)
        + record.queue_summary.map_or(0.0, |summary| 1.0 / summary.sample.seconds().max(1e-9))
        + record.scheme_state_interval.map_or(0.0, |interval| 1.0 / interval.seconds().max(1e-9))
        + if record.arrivals { 1000.0 } else { 0.0 };
    per_link * (1.0 + scenario.network.links.iter().filter(|link| link.queue.is_some()).count() as f64)
}

/// Periodic timers of the queues: what a key says that ends in `_hz`, or in `interval_ms`.
fn ticks_per_second(document: &Json) -> f64 {
    match document {
        Json::Array(elements) => elements.iter().map(ticks_per_second).sum(),
        Json::Object(members) => members
            .iter()
            .map(|(key, value)| match value.as_f64() {
                Some(hertz) if key.ends_with("_hz") => hertz,
                Some(period_ms) if key.ends_with("interval_ms") => 1000.0 / period_ms.max(1e-9),
                _ => ticks_per_second(value),
            })
            .sum(),
        _ => 0.0,
    }
}
