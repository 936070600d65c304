//! What a reader should know before trusting a run.

use crate::telling::monitor::Monitor;
use crate::telling::scenario_warning::ScenarioWarning;
use crate::telling::settling::Unsettled;
use crate::telling::starvation::Starved;
use crate::telling::tight_buffers;
use crate::telling::traps;
use aqmlab_aqm::Reason;
use aqmlab_aqm::parts::Tins;
use aqmlab_record::{LinkSummary, Summary};
use aqmlab_scenario::{Link, LinkIndex, Routes, Scenario, Scheme};
use aqmlab_units::{Rate, Span};
use std::collections::BTreeMap;

/// Fewer completed exchanges than this say little about a tail.
const FEW_EXCHANGES: u64 = 10_000;
/// Data packets that must have come to a link before the share that it lost says something.
const MANY_DATA_PACKETS: u64 = 1_000;
/// A link that loses more than one data packet in this many carries retransmissions: of windows of four
/// segments, the least that fast retransmit can repair, (2/3)⁴ or one in five stays whole.
const MOST_LOST_ONE_IN: u64 = 3;
/// A link this busy is a bottleneck for somebody.
const BUSY_SHARE: f64 = 0.6;

/// What is said of the run as a whole.
#[must_use]
pub fn of(summary: &Summary, scenario: &Scenario) -> Vec<String> {
    let mut warnings = Vec::new();
    let completed: u64 = summary.populations.iter().map(|population| population.completed).sum();
    // Who looks at a home looks at pages and calls, not at the tail of a distribution of exchanges.
    let is_home = scenario.document().line.is_some();
    if !is_home && !summary.populations.is_empty() && completed < FEW_EXCHANGES {
        let exchanges = if completed == 1 { "exchange" } else { "exchanges" };
        warnings.push(format!(
            "too few samples: {completed} {exchanges} completed in the measured window, tails need {FEW_EXCHANGES} or more"
        ));
    }
    let busiest = summary.links.iter().map(|link| busy_share(link, scenario)).fold(0.0, f64::max);
    if !summary.links.is_empty() && busiest < BUSY_SHARE {
        warnings.push(format!(
            "no bottleneck: the busiest monitored link was busy {:.0} % of the time",
            busiest * 100.0
        ));
    }
    warnings.extend(summary.links.iter().filter_map(|link| idle_scheme(link, scenario)));
    warnings.extend(scenario.network.links.iter().filter_map(|link| tins_without_codepoints(link, scenario)));
    warnings.extend(scenario.network.links.iter().flat_map(promises_too_much));
    warnings.extend(scenario.network.links.iter().flat_map(ceilings_without_lenders));
    let marking = summary.links.iter().filter(|link| marks_nobody(link, scenario));
    warnings.extend(marking.map(|link| {
        let changes = |each: &&Link| each.impairment.as_ref().is_some_and(|own| !own.ecn_field.is_kept());
        let boxed = scenario.network.links.iter().find(changes).map_or_else(String::new, |own| {
            format!(
                "; if it is on, ecn_field of {} changes what they send, or makes them give it up",
                own.name
            )
        });
        let hosts = first_with_hosts(scenario);
        let why = format!("turn ECN on at the hosts, for example with {hosts}.host.ecn = \"on\"{boxed}");
        format!("{} at {} may mark, but no ECN-capable packet arrived: {why}", link.scheme, link.name)
    }));
    warnings.extend(summary.links.iter().filter_map(carries_retransmissions));
    warnings.extend(of_scenario(scenario).into_iter().map(|warning| warning.text));
    warnings
}

/// The part of the time in which a link sends, of what its queue lets go at most; all of it where that has
/// classes with ceilings, of which one alone may hold somebody back.
fn busy_share(link: &LinkSummary, scenario: &Scenario) -> f64 {
    let mut links = (0..).zip(&scenario.network.links);
    let Some((place, own)) = links.find(|(_, described)| described.name == link.name) else {
        return link.busy_share;
    };
    let Some(shaping) = scenario.queue_shaping(LinkIndex(place)) else { return link.busy_share };
    if own.queue.as_ref().is_some_and(|queue| queue.traffic_classes().is_some()) {
        return 1.0;
    }
    let part =
        own.rate.map_or(1.0, |rate| rate.bits_per_second() as f64 / shaping.rate.bits_per_second() as f64);
    link.busy_share * part.max(1.0)
}

/// The key of the first group that has hosts, as a scenario has it.
fn first_with_hosts(scenario: &Scenario) -> &'static str {
    match scenario.populations.iter().find(|population| population.users > 0) {
        Some(population) if matches!(population.name.as_str(), "left" | "right") => "users",
        Some(_) => "populations.0",
        None => "flows.0",
    }
}

/// What is said of a scenario, whatever happens in a run of it.
#[must_use]
pub fn of_scenario(scenario: &Scenario) -> Vec<ScenarioWarning> {
    let mut warnings: Vec<ScenarioWarning> = in_step(scenario).into_iter().map(Into::into).collect();
    warnings.extend(whole_packets_apart(scenario).map(Into::into));
    warnings.extend(tight_buffers::of(scenario).into_iter().map(Into::into));
    warnings.extend(traps::of_queues(scenario));
    warnings.extend(traps::of_traffic(scenario).into_iter().map(Into::into));
    warnings
}

/// What is said of what was sampled: of controllers that were still on their way when the measured window
/// began, and of bands that were starved.
#[must_use]
pub fn of_samples(monitor: &Monitor, links: &[LinkSummary]) -> Vec<String> {
    let said = |(code, link)| {
        let unsettled = monitor.unsettled(code).map(|found| said_of_unsettled(link, found));
        unsettled.into_iter().chain(said_of_starved(link, monitor.starved(code)))
    };
    (0..).zip(links).flat_map(said).collect()
}

/// Under strict priority a band waits for as long as those before it fill the link. Of other schemes a class
/// may wait for its own rate.
fn said_of_starved(link: &LinkSummary, starved: &[Starved]) -> Option<String> {
    let longest = starved
        .iter()
        .filter(|_| link.scheme == "prio")
        .max_by(|one, other| one.longest_wait_s.total_cmp(&other.longest_wait_s))?;
    Some(format!(
        "prio at {} starved queue.bands.{}: packets waited there for {:.1} s and none was sent, because bands before it filled \
         the link: keep what does not slow down out of them, or limit them with scheme = \"htb\"",
        link.name, longest.class, longest.longest_wait_s
    ))
}

fn said_of_unsettled(link: &LinkSummary, found: Unsettled) -> String {
    let Unsettled { entered, least, greatest } = found;
    format!(
        "{} at {} had not settled: its signalling probability was {entered:.3} at the start of the measured window and \
         between {least:.3} and {greatest:.3} in its second half: lengthen warm_up_s or, if all users started at once, set \
         users.start = \"stationary\"",
        link.scheme, link.name
    )
}

/// A link with a queue behind one of the same rate, on the way of long-lived flows: their packets arrive in
/// step with its transmissions, and the fixed order of equal instants decides who finds the place that is
/// free.
fn in_step(scenario: &Scenario) -> Option<String> {
    let routes = Routes::new(&scenario.network);
    // All machines of a group have the same links, so the first flow speaks for its group.
    let ways = scenario.flows.iter().filter_map(|group| group.flows.first());
    let paths = ways.filter_map(|flow| routes.path(flow.sender, flow.receiver));
    let (before, behind) = paths.into_iter().find_map(|path| {
        let links: Vec<&Link> = path.iter().map(|&index| scenario.network.link(index)).collect();
        // In front of a link that others of the way are slower than nothing waits for long.
        let slowest = links.iter().filter_map(|link| link.queue_rate()).min();
        let pairs = links.iter().enumerate();
        let pairs = pairs.filter(|(_, link)| link.queue.is_some() && link.queue_rate() == slowest);
        pairs.into_iter().find_map(|(place, link)| {
            let same = |earlier: &&&Link| earlier.rate.is_some() && earlier.rate == link.queue_rate();
            Some((links[..place].iter().find(same)?.name.clone(), link.name.clone()))
        })
    })?;
    Some(format!(
        "links in step: {behind} has the same rate as {before} before it; packets of long-lived flows arrive at equal \
         instants, and their fixed order can favour some flows permanently: set rate_tolerance_ppm, such as 100"
    ))
}

/// Long-lived flows over one queue whose round trips differ by whole multiples of its packets' time: what
/// left it in different slots comes back at one instant, and the fixed order of equal instants decides who
/// goes first.
fn whole_packets_apart(scenario: &Scenario) -> Option<String> {
    let routes = Routes::new(&scenario.network);
    // Per queue and length of a packet: what round trips leave when the packets' time is taken from them, in
    // bits/10⁹.
    let mut remainders: BTreeMap<(LinkIndex, u32), BTreeMap<u128, Span>> = BTreeMap::new();
    for group in &scenario.flows {
        let Some(flow) = group.flows.first() else { continue };
        let there = routes.path(flow.sender, flow.receiver).unwrap_or_default();
        let back = routes.path(flow.receiver, flow.sender).unwrap_or_default();
        let of_links = there
            .iter()
            .chain(&back)
            .fold(Span::ZERO, |sum, &index| sum + scenario.network.link(index).delay);
        let ip_bytes = u32::from(group.profile.maximum_segment_bytes) + u32::from(group.profile.header_bytes);
        for &index in &there {
            let link = scenario.network.link(index);
            let (Some(rate), Some(_)) = (link.rate, &link.queue) else { continue };
            let wire_bytes = link.framing.wire_bytes(ip_bytes);
            let seen = remainders.entry((index, wire_bytes)).or_default();
            for flow in &group.flows {
                let round_trip = of_links + flow.delay_from_sender + flow.delay_from_receiver;
                let sent = u128::from(round_trip.nanoseconds()) * u128::from(rate.bits_per_second());
                let remainder = sent % (u128::from(wire_bytes) * 8 * 1_000_000_000);
                if *seen.entry(remainder).or_insert(round_trip) != round_trip {
                    return Some(said_of_whole_packets(link, wire_bytes, rate));
                }
            }
        }
    }
    None
}

fn said_of_whole_packets(link: &Link, wire_bytes: u32, rate: Rate) -> String {
    let packet_ms = f64::from(wire_bytes) * 8e3 / rate.bits_per_second() as f64;
    format!(
        "round trips in step: those of long-lived flows over {} differ by whole multiples of a packet's {packet_ms} ms; \
         their packets arrive at equal instants, and their fixed order can favour some flows: set delay_phase_ns, such \
         as 100",
        link.name
    )
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

/// A link that drops more than a third of the data: senders offer more than one and a half times what it
/// carries.
fn carries_retransmissions(link: &LinkSummary) -> Option<String> {
    let data = link.counters.by_class.get("data")?;
    let (arrived, lost) = (data.arrived_packets, data.discarded_packets);
    (arrived >= MANY_DATA_PACKETS && lost > arrived / MOST_LOST_ONE_IN).then(|| {
        format!(
            "{} lost {:.0} % of its data packets: senders spend their time on retransmissions and timeouts; \
             reduce the load, or look for a sender that does not slow down",
            link.name,
            100.0 * lost as f64 / arrived as f64
        )
    })
}

/// CAKE with several tins, where no packet says to which it belongs.
fn tins_without_codepoints(link: &Link, scenario: &Scenario) -> Option<String> {
    let Some(Scheme::Cake(cake)) = &link.queue else { return None };
    let connections = scenario.connection_groups().map(|group| group.dscp);
    let mut codepoints = connections.chain(scenario.datagrams.iter().map(|group| group.dscp));
    (cake.tins != Tins::Besteffort && link.monitored && codepoints.all(|dscp| dscp == 0)).then(|| {
        format!(
            "cake at {} sorts by DSCP, but no packet has one: all are in one tin; set dscp of flows, datagrams or \
             populations",
            link.name
        )
    })
}

/// Classes whose children are promised more together than they have themselves.
fn promises_too_much(link: &Link) -> Vec<String> {
    let Some(Scheme::Htb(htb)) = &link.queue else { return Vec::new() };
    let told = |(name, sum, own): (&str, f64, f64)| {
        format!(
            "htb at {} promises too much: the rates below class \"{name}\" sum up to {sum} Mbit/s, and its own is \
             {own}: when all send, nobody is sure of a rate",
            link.name
        )
    };
    htb.oversubscribed().into_iter().map(told).collect()
}

/// Classes that nobody lends to, although they have a ceiling above their rate.
fn ceilings_without_lenders(link: &Link) -> Vec<String> {
    let Some(Scheme::Htb(htb)) = &link.queue else { return Vec::new() };
    let told = |(place, rate, ceil): (usize, f64, f64)| {
        format!(
            "htb at {}: queue.classes.{place} never gets more than its rate of {rate} Mbit/s: its ceiling of {ceil} counts \
             where a class above it lends; set parent, or rate_mbps",
            link.name
        )
    };
    htb.unlent().map(told).collect()
}

/// A queue whose scheme did nothing, or nothing but let its buffer overflow. Drop-tail is not expected to do
/// more.
fn idle_scheme(link: &LinkSummary, scenario: &Scenario) -> Option<String> {
    let described = scenario.network.links.iter().find(|described| described.name == link.name);
    let scheme = described.and_then(|described| described.queue.as_ref())?;
    let signals = scheme.names_within().any(|name| !["drop-tail", "fq", "prio", "htb"].contains(&name));
    let discarded =
        |reason: Reason| link.counters.discarded.get(reason.name()).map_or(0, |amount| amount.packets);
    let overflows = discarded(Reason::Overflow);
    // What an impaired link loses comes to no queue.
    let lost: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
    let acted = link.counters.marked.packets + lost - discarded(Reason::Impairment) - overflows;
    match (signals && acted == 0, overflows) {
        (false, _) => None,
        (true, 0) => Some(format!(
            "{} at {} never acted: it neither marked nor dropped a packet",
            link.scheme, link.name
        )),
        (true, _) => Some(format!(
            "{} at {} never acted before its buffer was full: {overflows} overflows, no early mark or drop: raise the \
             limit, or lower the queue length or delay at which it starts to signal",
            link.scheme, link.name
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups of flows from hosts behind links of 100 Mbit/s, with these delays, over a queue at 10
    /// Mbit/s, whose packets of 1,000 bytes take 0.8 ms. Of the second group a delay of 40 ms is on the
    /// packets of these ends.
    fn two_groups(access_delays_ms: [f64; 2], delay_on: &str) -> String {
        let mut text = "name = \"groups\"\nduration_s = 1.0\n".to_owned();
        for (name, kind) in
            [("left", "router"), ("right", "router"), ("a", "host"), ("b", "host"), ("sink", "host")]
        {
            text += &format!("[[topology.nodes]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
        }
        let exact = "layer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n";
        let queue = "rate_mbps = 10.0\nqueue = { scheme = \"drop-tail\", limit_packets = 25 }";
        text += &format!("[[topology.links]]\nfrom = \"left\"\nto = \"right\"\n{queue}\n{exact}");
        for (host, delay) in ["a", "b"].into_iter().zip(access_delays_ms) {
            text += &format!(
                "[[topology.links]]\nfrom = \"{host}\"\nto = \"left\"\nrate_mbps = 100.0\ndelay_ms = {delay}\n"
            );
        }
        text += "[[topology.links]]\nfrom = \"right\"\nto = \"sink\"\nrate_mbps = 100.0\n";
        for (host, ends) in [("a", "sender"), ("b", delay_on)] {
            text += &format!(
                "[[flows]]\nname = \"{host}\"\ncount = 1\nsenders = \"{host}\"\nreceivers = \"sink\"\nbase_rtt_ms = 40.0\n\
                 delay_on = \"{ends}\"\nprofile = \"ns2-oneway\"\n"
            );
        }
        text
    }

    fn groups(access_delays_ms: [f64; 2], delay_on: &str) -> Scenario {
        let text = two_groups(access_delays_ms, delay_on);
        Scenario::from_toml(&text, "groups", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_round_trip_is_the_delays_of_the_links_there_and_back_and_of_either_end() {
        let apart = |delays, ends| whole_packets_apart(&groups(delays, ends)).is_some();
        // A link's delay counts there and back: 0.4 ms more on one link are a packet's time, 0.2 ms half of
        // one.
        assert!(apart([1.0, 1.4], "sender") && apart([3.0, 1.4], "sender"));
        assert!(!apart([1.0, 1.2], "sender") && !apart([1.0, 1.0], "sender"));
        assert!(apart([1.0, 1.4], "receiver") && !apart([1.0, 1.0], "receiver"));
    }

    #[test]
    fn links_in_step_are_a_queue_and_a_link_of_its_rate_before_it() {
        let said = |text: &str| {
            in_step(&Scenario::from_toml(text, "groups", &[]).unwrap_or_else(|error| panic!("{error}")))
        };
        let text = two_groups([1.0, 1.4], "sender");
        assert_eq!(said(&text), None, "access links are faster");
        // The first host's own link, and then one behind the queue.
        let before = text.replacen("rate_mbps = 100.0\ndelay_ms = 1", "rate_mbps = 10.0\ndelay_ms = 1", 1);
        let warning = said(&before).expect("links in step");
        assert!(
            warning.starts_with("links in step: left-to-right has the same rate as a-to-left before it"),
            "{warning}"
        );
        let behind = text.replacen("rate_mbps = 100.0\n[[flows]]", "rate_mbps = 10.0\n[[flows]]", 1);
        assert_eq!(said(&behind), None, "what is behind a queue fills no place in it");
        let wires = text.replace("rate_mbps = 100.0\n", "");
        assert_eq!(said(&wires), None, "wires have no rate");
    }
}
