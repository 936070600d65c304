//! Laws of `run.json`.

use super::Broken;
use aqmlab_link::{Medium, ServiceModel};
use aqmlab_record::{Amount, FlowSummary, LinkSummary, PopulationSummary, Summary};
use aqmlab_scenario::{FlowGroup, Link, Network, Scenario, StartRule};
use aqmlab_web::SizeLaw;
use serde_json::Value as Json;

/// The longest datagram in the longest framing.
const LONGEST_FRAME_BYTES: f64 = 65_535.0 + 10_000.0;

pub(super) fn check(summary: &Summary, scenario: &Scenario, broken: &mut Broken) {
    check_numbers(summary, broken);
    let queued = |link: &&Link| link.monitored && link.rate.is_some() && link.queue.is_some();
    for (link, own) in summary.links.iter().zip(scenario.network.links.iter().filter(queued)) {
        check_link(link, own, summary, broken);
    }
    for impairment in &summary.impairments {
        let (lost, arrived) = (impairment.lost, impairment.arrived);
        broken.unless(lost.packets <= arrived.packets && lost.bytes <= arrived.bytes, || {
            format!("{}: {lost:?} were lost of {arrived:?}", impairment.link)
        });
    }
    for own in &summary.delay_boxes {
        let (lost, arrived) = (own.lost, own.arrived);
        broken.unless(lost.packets <= arrived.packets && lost.bytes <= arrived.bytes, || {
            format!("boxes of {}: {lost:?} were lost of {arrived:?}", own.name)
        });
    }
    for (population, given) in summary.populations.iter().zip(&scenario.populations) {
        check_population(population, given.start == StartRule::Stationary, broken);
    }
    for (flows, group) in summary.flows.iter().zip(&scenario.flows) {
        check_flows(flows, group, scenario, broken);
    }
    let tcp = &summary.tcp;
    broken.unless(tcp.loss_episodes_multiple <= tcp.loss_episodes, || format!("multiple losses: {tcp:?}"));
    broken.unless(tcp.loss_episodes <= Some(tcp.dropped_data_segments), || format!("loss episodes: {tcp:?}"));
    let window = (summary.measured_from_s, summary.measured_until_s);
    let inside = 0.0 <= window.0 && window.0 < window.1 && window.1 <= scenario.duration.seconds();
    broken.unless(inside, || format!("measured window {window:?}"));
}

/// JSON has no infinity and no "not a number": they are written as null.
fn check_numbers(summary: &Summary, broken: &mut Broken) {
    let written: Json = serde_json::from_str(&summary.to_json()).expect("run.json is JSON");
    for key in ["measured_from_s", "measured_until_s", "links", "populations", "flows", "tcp"] {
        broken.unless(is_finite(&written[key]), || format!("{key} of run.json holds a number that is none"));
    }
}

fn is_finite(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Array(elements) => elements.iter().all(is_finite),
        Json::Object(members) => members.values().all(is_finite),
        _ => true,
    }
}

/// Bits that a link carries at most in so many seconds, over what its rate carries: a slot of a window that
/// is shorter than a cycle has its bits and those of the time between slots.
fn most_bits_ratio(link: &Link, seconds: f64) -> f64 {
    let Some(rate) = link.rate else { return 1.0 };
    let medium = match &link.service {
        ServiceModel::Constant => return 1.0,
        ServiceModel::Steps(rates) => {
            let highest = rates.values().iter().copied().max().unwrap_or_default();
            return highest as f64 / rate.bits_per_second() as f64;
        }
        // All opportunities of a round may lie at its beginning.
        ServiceModel::Trace(trace) => return (seconds + 2.0 * f64::from(trace.period_ms()) / 1e3) / seconds,
        ServiceModel::Medium(medium) => medium,
    };
    let highest = medium.highest_rate(rate).bits_per_second() as f64 / rate.bits_per_second() as f64;
    match medium {
        Medium::Slots(slots) => highest.min((seconds + slots.cycle_ms / 1e3) / seconds),
        Medium::Aggregation(_) | Medium::VaryingRate(_) | Medium::Wifi(_) => highest,
    }
}

fn check_link(link: &LinkSummary, own: &Link, summary: &Summary, broken: &mut Broken) {
    let name = &link.name;
    for (what, share) in
        [("busy_share", link.busy_share), ("loss_ratio", link.loss_ratio), ("mark_ratio", link.mark_ratio)]
    {
        broken.unless((0.0..=1.0).contains(&share), || format!("{name}: {what} = {share}"));
    }
    let rates = [link.throughput_mbps, link.throughput_frame_mbps, link.throughput_ip_mbps];
    // A frame counts when it has left: the first one may have begun before the window.
    let seconds = summary.measured_until_s - summary.measured_from_s;
    let most_mbps = link.rate_mbps * most_bits_ratio(own, seconds);
    let most = most_mbps * (1.0 + 1e-9) + LONGEST_FRAME_BYTES * 8.0 / seconds / 1e6;
    broken.unless(rates.iter().all(|rate| (0.0..=most).contains(rate)), || {
        format!("{name}: throughputs {rates:?} on a link of {} Mbit/s", link.rate_mbps)
    });
    broken
        .unless(link.queue_packets_mean >= 0.0, || format!("{name}: mean queue {}", link.queue_packets_mean));
    check_counters(link, summary, broken);
}

fn check_counters(link: &LinkSummary, summary: &Summary, broken: &mut Broken) {
    let (name, counters) = (&link.name, &link.counters);
    let discarded = counters.discarded.values().fold(Amount::default(), |sum, one| Amount {
        packets: sum.packets + one.packets,
        bytes: sum.bytes + one.bytes,
    });
    if summary.measured_from_s == 0.0 {
        // Nothing waited at the beginning: what went must have come.
        let gone = (counters.departed.packets + discarded.packets, counters.departed.bytes + discarded.bytes);
        let come = (counters.arrived.packets, counters.arrived.bytes);
        broken
            .unless(gone.0 <= come.0 && gone.1 <= come.1, || format!("{name}: {gone:?} went, {come:?} came"));
    }
    for (by, counts) in [("class", &counters.by_class), ("codepoint", &counters.by_codepoint)] {
        let sum = counts.values().fold((0, 0, 0), |sum, one| {
            (sum.0 + one.arrived_packets, sum.1 + one.marked_packets, sum.2 + one.discarded_packets)
        });
        let all = (counters.arrived.packets, counters.marked.packets, discarded.packets);
        broken.unless(sum == all, || format!("{name}: by {by} {sum:?}, in all {all:?}"));
    }
}

fn check_population(population: &PopulationSummary, starts_stationary: bool, broken: &mut Broken) {
    let name = &population.name;
    let begun = population.generated.get("objects").copied().unwrap_or(0.0);
    let ended = population.completed + population.failed;
    let (whole, unfinished) = (population.whole_run, population.unfinished);
    broken.unless(whole.started == whole.completed + whole.failed + unfinished, || {
        format!("{name}: {whole:?} and {unfinished} under way")
    });
    broken.unless(population.completed <= whole.completed && population.failed <= whole.failed, || {
        format!("{name}: {ended} exchanges ended in the window, {whole:?} in the run")
    });
    // What was in progress at the start was asked for before it.
    broken.unless(starts_stationary || ended as f64 <= begun, || {
        format!("{name}: {ended} exchanges ended of {begun} that were asked for")
    });
}

/// Nothing is delivered that was not wanted, nor faster than the slowest link on the way.
fn check_flows(flows: &FlowSummary, group: &FlowGroup, scenario: &Scenario, broken: &mut Broken) {
    for (flow, &delivered) in group.flows.iter().zip(&flows.delivered_bytes) {
        let wanted = group.bytes.as_ref().and_then(SizeLaw::fixed).unwrap_or(u64::MAX);
        broken.unless(delivered <= wanted, || format!("{}: {delivered} of {wanted} bytes", flows.name));
        // Reassembly delivers at once what came before the window.
        let seconds = scenario.duration.seconds();
        let most_bits = most_bits_on_path(&scenario.network, [flow.sender, flow.receiver], seconds);
        let possible = most_bits / 8.0 + 1e-3;
        broken.unless(delivered as f64 <= possible, || {
            format!("{}: {delivered} bytes where {possible} are possible", flows.name)
        });
    }
}

/// What the link that carries least of all on the way carries in so many seconds.
fn most_bits_on_path(network: &Network, [from, to]: [aqmlab_scenario::NodeIndex; 2], seconds: f64) -> f64 {
    let links = network.path(from, to).unwrap_or_default().into_iter().map(|link| network.link(link));
    let carried = links.filter_map(|link| {
        let bits_per_second = link.rate?.bits_per_second() as f64;
        Some(bits_per_second * seconds * most_bits_ratio(link, seconds))
    });
    carried.fold(f64::INFINITY, f64::min)
}
