//! Settings of a scenario that mean something else than they seem to.

use crate::telling::scenario_warning::ScenarioWarning;
use aqmlab_aqm::{PortFacts, TrafficClass, UnreachableOnset};
use aqmlab_scenario::{
    DatagramGroup, DemandUnit, Link, LinkIndex, Population, ReachedClasses, Routes, Scenario, SteadyRate,
};
use aqmlab_units::{Rate, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A last segment with less than this part of a full one is mostly headers.
const SMALL_PART: u32 = 4;

/// From here on a buffer takes more than 1.0 s in two digits.
const DEEP_BUFFER_S: f64 = 1.05;

/// What is said of the queues of a scenario before any run of it.
pub(crate) fn of_queues(scenario: &Scenario) -> Vec<ScenarioWarning> {
    let about = |link: &Link, text: Option<String>| {
        Some(ScenarioWarning { text: text?, queue_of: Some(link.name.clone()) })
    };
    let links = &scenario.network.links;
    let classes = classes_by_table(scenario);
    let of_classes = classes.values().flat_map(|reached| {
        let link = scenario.network.link(reached.link);
        classes_without_packets(link, reached).into_iter().filter_map(move |text| about(link, Some(text)))
    });
    let mut said: Vec<_> = links.iter().filter_map(|link| about(link, out_of_reach(link))).collect();
    // Acknowledgements alone do not fill a buffer.
    let carrying = links.iter().zip(scenario.data_links()).filter(|(_, carries)| *carries);
    said.extend(carrying.filter_map(|(link, _)| about(link, deep_buffer(link))));
    said.extend(of_classes);
    said
}

/// What is said of the traffic of a scenario before any run of it.
pub(crate) fn of_traffic(scenario: &Scenario) -> Vec<String> {
    let routes = Routes::new(&scenario.network);
    let mut said: Vec<String> =
        scenario.populations.iter().filter_map(requests_just_above_a_segment).collect();
    said.extend(
        scenario.datagrams.iter().filter_map(|group| datagrams_without_delay(group, scenario, &routes)),
    );
    said.extend(datagrams_beyond_links(scenario, &routes));
    said.extend(shared_interfaces(scenario, &routes));
    said
}

/// The classes of each table of a queue, at the first of its links: one that has packets on any of them is in
/// use.
fn classes_by_table(scenario: &Scenario) -> BTreeMap<Option<String>, ReachedClasses> {
    let mut found: BTreeMap<Option<String>, ReachedClasses> = BTreeMap::new();
    for reached in scenario.classes_with_packets() {
        let known = found.entry(scenario.queue_key(reached.link)).or_insert_with(|| reached.clone());
        for (known, has_packets) in known.has_packets.iter_mut().zip(&reached.has_packets) {
            *known |= has_packets;
        }
    }
    found
}

/// Classes of a queue that no packet of the scenario is in: those that no packet at all would be in, and
/// those whose hosts or codepoints nobody has. A class that takes what is left may be empty, but not where
/// all packets are in one.
fn classes_without_packets(link: &Link, reached: &ReachedClasses) -> Vec<String> {
    let scheme = link.queue.as_ref().map_or("", |queue| queue.name());
    let ReachedClasses { classes, has_packets, .. } = reached;
    let empty = (0..).zip(&classes.classes).filter(|(place, _)| !has_packets[*place]);
    let said = |(place, class): (usize, &TrafficClass)| {
        let why = match (classes.leads_to(place), class.is_selective) {
            (true, false) => return None,
            (true, true) => {
                "no packet of this scenario fits it and no class before it: correct its hosts or dscp, set dscp of \
                 the traffic, or move it to the front"
            }
            (false, true) => "classes before it take all of its packets: move it in front of them",
            (false, false) => "nothing is left for it: say whose packets it takes, or remove it",
        };
        let name = if class.name.is_empty() { String::new() } else { format!(" \"{}\"", class.name) };
        Some(format!("{scheme} at {}: queue.{}{name} gets no packets: {why}", link.name, class.key))
    };
    let mut warnings: Vec<String> = empty.filter_map(said).collect();
    let in_use: Vec<usize> = (0..has_packets.len()).filter(|&place| has_packets[place]).collect();
    if let ([only], true) = (&*in_use, warnings.is_empty() && has_packets.len() > 1) {
        let key = &classes.classes[*only].key;
        warnings.push(format!(
            "{scheme} at {} puts all packets into queue.{key}: it acts as the queue of that one alone: set dscp of \
             flows, datagrams or populations, and tell whose packets the others take",
            link.name
        ));
    }
    warnings
}

/// A queue whose scheme signals from a queue on that its buffer never holds. Where the rate varies, how long
/// a queue takes is not known.
fn out_of_reach(link: &Link) -> Option<String> {
    let (scheme, rate) = (link.queue.as_ref()?, link.queue_rate().filter(|_| link.service.is_constant())?);
    let found = scheme.unreachable_onset(&PortFacts::new(rate))?;
    let UnreachableOnset { key, value, value_below, limit_key, limit, limit_above } = found;
    // Rounded to the side on which the scheme acts.
    let (below, above) = ((value_below * 1e3).floor() / 1e3, limit_above.ceil());
    Some(format!(
        "{} at {} signals from {key} = {value} on, but its buffer of {limit_key} = {limit} never reaches that; almost only \
         overflows signal: set {key} below {below}, or {limit_key} above {above}",
        scheme.name(),
        link.name
    ))
}

/// A buffer that delays packets by more than a second when it is full, to two digits, and whose scheme does
/// nothing before packets wait for a second. One of the usual size is as small as it can be.
fn deep_buffer(link: &Link) -> Option<String> {
    let (scheme, rate) = (link.queue.as_ref()?, link.queue_rate()?);
    let (wait_s, packets) = (link.felt_buffer_s()?, link.usual_buffer_packets()?);
    let acts_before = scheme.acts_within(&PortFacts::new(rate), &link.buffer_of_a_second()?);
    let is_usual = link.felt_buffer_packets()? <= f64::from(packets);
    let is_deep = wait_s >= DEEP_BUFFER_S && !acts_before && !is_usual;
    let decimals = usize::from(wait_s < 9.95);
    is_deep.then(|| {
        format!(
            "{} at {} has a deep buffer: packets wait {wait_s:.decimals$} s when it is full, at {} Mbit/s: set limit_packets = \
             {packets}, usual at this rate",
            scheme.name(),
            link.name,
            rate.bits_per_second() as f64 / 1e6
        )
    })
}

/// Requests of one length, of which the last segment is all but empty: it costs a packet, and under a small
/// first window a round trip.
fn requests_just_above_a_segment(population: &Population) -> Option<String> {
    let request = population.model.parameters().length_of_requests()?;
    let segment = u32::from(population.profile.maximum_segment_bytes);
    let last = request % segment;
    let small = request > segment && last > 0 && last < segment / SMALL_PART;
    (small && population.users > 0).then(|| {
        format!(
            "requests of population {} need an additional segment for {last} bytes: model.request_bytes = {request} in segments of \
             {segment} bytes: set model.request_bytes = {}, or host.maximum_segment_bytes",
            population.name,
            request - last
        )
    })
}

/// Datagrams over links without a delay, beside connections that are given one: they do not have it.
fn datagrams_without_delay(
    group: &DatagramGroup,
    scenario: &Scenario,
    routes: &Routes<'_>,
) -> Option<String> {
    let delayed_flows = scenario.flows.iter().any(|flows| {
        flows.flows.iter().any(|flow| flow.delay_from_sender + flow.delay_from_receiver > Span::ZERO)
    });
    let delayed_users = scenario
        .populations
        .iter()
        .any(|population| population.users > 0 && population.minimum_delay.takes_time());
    let key = match (delayed_flows, delayed_users) {
        (false, false) => return None,
        (true, false) => "base_rtt_ms of flows does",
        (false, true) => "minimum_delay_ms of users does",
        (true, true) => "base_rtt_ms of flows and minimum_delay_ms of users do",
    };
    let &[from, to] = group.sources.first()?;
    let path = routes.path(from, to)?;
    path.iter().all(|&link| scenario.network.link(link).delay == Span::ZERO).then(|| {
        format!(
            "datagrams of {} have no delay except queues and transmissions: {key} not apply to them: set delay_ms on the links of \
             their route",
            group.name
        )
    })
}

/// What datagrams send into a link at a time, in bit/s with its framing, and whose they are.
type Offered<'a> = (f64, BTreeSet<&'a str>);

/// Links into which datagrams send more at a time than these carry, framing included: nothing slows them
/// down. Of several on the way of some datagrams, the one that they overload most.
fn datagrams_beyond_links(scenario: &Scenario, routes: &Routes<'_>) -> Vec<String> {
    let mut most: BTreeMap<LinkIndex, Offered<'_>> = BTreeMap::new();
    for latest in &scenario.datagrams {
        for (index, (sum, names)) in offered_beside(latest, scenario, routes) {
            let known = most.entry(index).or_default();
            if sum > known.0 {
                *known = (sum, names);
            }
        }
    }
    let carried = |index| scenario.network.link(index).rate.map(|rate| rate.bits_per_second() as f64);
    let mut beyond: Vec<(f64, LinkIndex, Offered<'_>)> = most
        .into_iter()
        .filter_map(|(index, offered)| Some((offered.0 / carried(index)?, index, offered)))
        .filter(|(share, ..)| *share > 1.0)
        .collect();
    beyond.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut said = Vec::new();
    for (share, index, (sum, names)) in beyond {
        if told.is_disjoint(&names) {
            said.push(said_of_too_many_datagrams(scenario.network.link(index), &names, [sum, sum / share]));
            told.extend(names);
        }
    }
    said
}

/// What those datagrams that are there when a group begins send into each link.
fn offered_beside<'a>(
    latest: &DatagramGroup,
    scenario: &'a Scenario,
    routes: &Routes<'_>,
) -> BTreeMap<LinkIndex, Offered<'a>> {
    let is_there = |group: &&DatagramGroup| {
        group.start <= latest.start && group.stop.is_none_or(|stop| stop > latest.start)
    };
    let mut offered: BTreeMap<LinkIndex, Offered<'a>> = BTreeMap::new();
    for group in scenario.datagrams.iter().filter(is_there) {
        let Some(SteadyRate { rate, is_always_on: true }) = group.sends.steady else { continue };
        for &[from, to] in &group.sources {
            for index in routes.path(from, to).unwrap_or_default() {
                let ip_bytes = u32::from(group.packet_bytes);
                let wire_bytes = scenario.network.link(index).framing.wire_bytes(ip_bytes);
                let (sum, names) = offered.entry(index).or_default();
                *sum += rate.bits_per_second() as f64 * f64::from(wire_bytes) / f64::from(ip_bytes);
                names.insert(&group.name);
            }
        }
    }
    offered
}

fn said_of_too_many_datagrams(link: &Link, names: &BTreeSet<&str>, [sent, carried]: [f64; 2]) -> String {
    let names: Vec<&str> = names.iter().copied().collect();
    format!(
        "datagrams of {} send {:.3} Mbit/s into {}, framing included, which carries {} Mbit/s, and nothing slows them down: \
         lower rate_mbps or count, or raise packet_bytes",
        names.join(", "),
        sent / 1e6,
        link.name,
        carried / 1e6
    )
}

/// What uses an interface of a machine: groups of flows and of datagrams by name, whether any of them sends
/// data there, and the lowest rate of a link with a queue on their way.
struct Use<'a> {
    groups: BTreeSet<&'a str>,
    carries_data: bool,
    lowest: Rate,
}

/// Interfaces that several groups share although these are no faster than a queue on their way: what a group
/// gets follows from the others at its machine, and acknowledgements wait behind data of the other way.
fn shared_interfaces(scenario: &Scenario, routes: &Routes<'_>) -> Vec<String> {
    let mut uses: BTreeMap<LinkIndex, Use<'_>> = BTreeMap::new();
    let mut add = |name, path: Option<Vec<LinkIndex>>, data| {
        let path = path.unwrap_or_default();
        let link = |index: &LinkIndex| scenario.network.link(*index);
        let queues = path.iter().map(link).filter(|link| link.queue.is_some()).filter_map(|link| link.rate);
        let Some(lowest) = queues.min_by_key(|rate| rate.bits_per_second()) else { return };
        for &index in path.iter().filter(|index| link(index).queue.is_none() && link(index).rate.is_some()) {
            let entry =
                uses.entry(index).or_insert(Use { groups: BTreeSet::new(), carries_data: false, lowest });
            entry.groups.insert(name);
            entry.carries_data |= data;
            entry.lowest =
                if lowest.bits_per_second() < entry.lowest.bits_per_second() { lowest } else { entry.lowest };
        }
    };
    for group in scenario.traffic().filter(|group| group.unit() != DemandUnit::Users) {
        let conversations = group.conversations().map(|own| (own.first_pair(), own.is_answered));
        for ([sender, receiver], is_answered) in conversations.collect::<BTreeSet<_>>() {
            add(group.name(), routes.path(sender, receiver), true);
            if is_answered {
                add(group.name(), routes.path(receiver, sender), false);
            }
        }
    }
    let shared = uses.into_iter().filter(|(_, found)| found.groups.len() > 1 && found.carries_data);
    shared.filter_map(|(index, found)| said_of_shared(scenario.network.link(index), &found)).take(1).collect()
}

fn said_of_shared(link: &Link, found: &Use<'_>) -> Option<String> {
    let (rate, lowest) = (link.rate?.bits_per_second(), found.lowest.bits_per_second());
    let groups: Vec<&str> = found.groups.iter().copied().collect();
    (rate <= lowest).then(|| {
        format!(
            "interface shared: {} ({} Mbit/s) carries {} groups ({}) and is not faster than the queue on their route ({} Mbit/s), \
             where they delay each other: put similar flows into one group, which spreads them over the machines, or \
             give each group its own machines",
            link.name,
            rate as f64 / 1e6,
            groups.len(),
            groups.join(", "),
            lowest as f64 / 1e6
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let scenario = Scenario::from_toml(text, "traps", &[]).unwrap_or_else(|error| panic!("{error}"));
        let queues = of_queues(&scenario);
        assert!(queues.iter().all(|warning| warning.queue_of.is_some()), "{queues:?}");
        queues.into_iter().map(|warning| warning.text).chain(of_traffic(&scenario)).collect()
    }

    const LINK: &str = "name = \"traps\"\nduration_s = 5.0\n[dumbbell]\nrate_mbps = 10.0\n\
                        queue = { scheme = \"drop-tail\", limit_packets = 50 }\n";

    #[test]
    fn a_buffer_of_more_than_a_second_is_named_where_people_feel_it() {
        let flow = "[[flows]]\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\n";
        let bare =
            "layer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\nrate_mbps";
        let plain = LINK.replace("rate_mbps", bare) + flow;
        let under = |queue: &str| said(&plain.replace("scheme = \"drop-tail\", limit_packets = 50", queue));
        // 10 Mbit/s send 1,500 bytes in 1.2 ms: 10,240 of them take 12.3 s, 875 of them 1.05 s; 100 ms are
        // 83.3 of them.
        let warned = under("scheme = \"drop-tail\", limit_packets = 10240");
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(
            warned[0].contains("wait 12 s when it is full, at 10 Mbit/s: set limit_packets = 84,"),
            "{warned:?}"
        );
        assert!(under("scheme = \"blue\", limit_packets = 875")[0].contains("wait 1.1 s when"));
        assert_eq!(under("scheme = \"blue\", limit_packets = 874"), Vec::<String>::new());
        // Whoever signals before a second is over fills no deep buffer.
        assert_eq!(
            under("scheme = \"pi\", q_ref_packets = 800, limit_packets = 24000"),
            Vec::<String>::new()
        );
        assert_eq!(under("scheme = \"pi\", q_ref_packets = 900, limit_packets = 24000").len(), 1);
        // Whichever limit is reached first: 1,250,000 bytes take 1 s.
        assert_eq!(under("scheme = \"drop-tail\", limit_packets = 9999, limit_bytes = 1250000").len(), 0);
        assert_eq!(under("scheme = \"drop-tail\", limit_packets = 9999, limit_bytes = 2500000").len(), 1);
        // A limit that only guards memory is not felt; without a scheme that keeps to a target within, it is.
        for silent in
            ["\"fq-codel\"", "\"cake\"", "\"codel\", limit_packets = 9999", "\"pie\", limit_packets = 9999"]
        {
            assert_eq!(under(&format!("scheme = {silent}")), Vec::<String>::new(), "{silent}");
        }
        // At 0.1 Mbit/s 20 packets, the usual buffer, take 2.4 s.
        let slow = |limit: u32| {
            let slow = plain.replace("rate_mbps = 10.0", "rate_mbps = 0.1");
            said(&slow.replace("limit_packets = 50", &format!("limit_packets = {limit}")))
        };
        assert_eq!(slow(20), Vec::<String>::new(), "it is what would be recommended");
        assert!(slow(21)[0].contains("wait 2.5 s when it is full, at 0.1 Mbit/s: set limit_packets = 20,"));
        let inner = under("scheme = \"fq\", inner = { scheme = \"drop-tail\" }");
        assert!(
            inner.len() == 1 && inner[0].starts_with("fq at left-to-right has a deep buffer"),
            "{inner:?}"
        );
        assert_eq!(under("scheme = \"fq\", inner = { scheme = \"drop-tail\", limit_packets = 50 }").len(), 0);
    }

    #[test]
    fn a_request_just_above_a_segment_is_named_with_what_fits() {
        let users = |request: u32| {
            format!(
                "{LINK}[users]\nleft = 0\nright = 5\nmodel = {{ model = \"pages\", request_bytes = {request} }}\n\
                 profile = \"ns2-full\"\nhost = {{ maximum_segment_bytes = 960 }}\n"
            )
        };
        let warned = said(&users(1_000));
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(warned[0].contains("population right need an additional segment for 40 bytes"), "{warned:?}");
        assert!(warned[0].contains("set model.request_bytes = 960, or"), "{warned:?}");
        // Webtraf's own default is 1,000 bytes.
        let sessions = format!(
            "{LINK}[users]\nleft = 0\nright = 5\nmodel = {{ model = \"webtraf\" }}\nprofile = \"ns2-full\"\n\
             host = {{ maximum_segment_bytes = 960 }}\n"
        );
        assert!(said(&sessions)[0].contains("for 40 bytes: model.request_bytes = 1000 in segments of 960"));
        // One segment, two full ones, and a second one of a quarter.
        for request in [500, 960, 1_920, 1_200] {
            assert_eq!(said(&users(request)), Vec::<String>::new(), "{request}");
        }
    }

    #[test]
    fn datagrams_have_the_delay_of_their_links_alone() {
        let calls = "[[datagrams]]\nname = \"calls\"\ncount = 1\ndirection = \"left-to-right\"\npacket_bytes = 200\n\
                     rate_mbps = 0.08\n";
        let flows = "[[flows]]\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\n";
        let warned = said(&format!("{LINK}{flows}{calls}"));
        assert!(warned.len() == 1 && warned[0].starts_with("datagrams of calls have no delay"), "{warned:?}");
        assert!(warned[0].contains("base_rtt_ms of flows does not apply"), "{warned:?}");
        let delayed = LINK.replace("rate_mbps = 10.0", "rate_mbps = 10.0\ndelay_ms = 5.0");
        assert_eq!(said(&format!("{delayed}{flows}{calls}")), Vec::<String>::new());
        assert_eq!(said(&format!("{LINK}{calls}")), Vec::<String>::new(), "nobody else has a delay");
        let equal = flows.replace("40.0", "0.0").replace("base", "delay_on = \"both\"\nbase");
        let link = LINK.replace("rate_mbps = 10.0", "rate_mbps = 10.0\ninterface_rate_mbps = 100.0");
        assert_eq!(said(&format!("{link}{equal}{calls}")), Vec::<String>::new());
    }

    #[test]
    fn datagrams_that_no_link_carries_are_named_with_their_framing() {
        let source = |name: &str, bytes: u32, mbps: f64, times: &str| {
            format!(
                "[[datagrams]]\nname = \"{name}\"\ncount = 2\ndirection = \"left-to-right\"\npacket_bytes = {bytes}\n\
                 rate_mbps = {mbps:?}\n{times}"
            )
        };
        let named = |groups: &[String]| {
            let said = said(&format!("{LINK}{}", groups.concat()));
            said.into_iter().filter(|said| said.starts_with("datagrams of ")).collect::<Vec<_>>()
        };
        // 40 bytes are 84 on Ethernet: two times 2.4 Mbit/s of them take 10.08 Mbit/s.
        let warned = named(&[source("calls", 40, 2.4, "")]);
        assert_eq!(warned.len(), 1, "{warned:?}");
        assert!(
            warned[0].contains(
                "of calls send 10.080 Mbit/s into left-to-right, framing included, which carries 10 "
            ),
            "{warned:?}"
        );
        assert_eq!(named(&[source("calls", 40, 2.38, "")]), Vec::<String>::new(), "9.996 Mbit/s fit");
        let (early, late) = ("stop_s = 2.0\n", "start_s = 2.0\n");
        let groups = |times: &str| [source("a", 500, 3.0, early), source("b", 500, 3.0, times)];
        assert_eq!(named(&groups("start_s = 1.0\n")).len(), 1, "both at a time");
        assert_eq!(named(&groups(late)), Vec::<String>::new(), "one after the other");
        let on_off = "on_s = 0.5\noff_s = 0.5\n";
        assert_eq!(named(&[source("bursts", 40, 2.4, on_off)]), Vec::<String>::new(), "half of the time");
    }

    #[test]
    fn groups_that_share_a_slow_interface_are_named() {
        let slow = LINK.replace("rate_mbps = 10.0", "rate_mbps = 10.0\ninterface_rate_mbps = 10.0");
        let group = |name: &str, count: u32| {
            format!("[[flows]]\nname = \"{name}\"\ncount = {count}\ndirection = \"left-to-right\"\n")
        };
        let apart = format!("{slow}{}{}{}", group("a", 1), group("b", 1), group("c", 1));
        let warned = said(&apart);
        assert!(warned.len() == 1 && warned[0].starts_with("interface shared: "), "{warned:?}");
        assert!(warned[0].contains("carries 3 groups (a, b, c)"), "{warned:?}");
        assert_eq!(
            said(&format!("{slow}{}", group("a", 3))),
            Vec::<String>::new(),
            "one group takes machines in turn"
        );
        let fast = apart.replace("interface_rate_mbps = 10.0", "interface_rate_mbps = 100.0");
        assert_eq!(said(&fast), Vec::<String>::new(), "the queue holds them back first");
    }

    fn of_classes(queue: &str, traffic: &str) -> Vec<String> {
        let text = LINK.replace("scheme = \"drop-tail\", limit_packets = 50", queue);
        said(&format!("{text}{traffic}"))
    }

    const FLOWS: &str = "[[flows]]\nname = \"bulk\"\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\n\
                         [[flows]]\nname = \"urgent\"\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\ndscp = 46\n";

    #[test]
    fn classes_that_no_packet_is_in_are_named_with_the_reason() {
        let of = |classes: &str| of_classes(&format!("scheme = \"htb\", classes = [{classes}]"), FLOWS);
        let plain = "{ rate_mbps = 1.0, dscp = [46] }, { rate_mbps = 5.0 }";
        assert_eq!(of(plain), Vec::<String>::new());
        let nobody = of(
            "{ rate_mbps = 1.0, dscp = [46] }, { name = \"scavengers\", rate_mbps = 1.0, dscp = [8] }, { rate_mbps = 5.0 }",
        );
        assert_eq!(nobody.len(), 1, "both ways have one table: {nobody:?}");
        let wanted = "htb at left-to-right: queue.classes.1 \"scavengers\" gets no packets: no packet of this scenario fits";
        assert!(nobody[0].starts_with(wanted), "{nobody:?}");
        let shadowed = of("{ rate_mbps = 5.0 }, { name = \"calls\", rate_mbps = 1.0, dscp = [46] }");
        assert!(
            shadowed[0].contains("queue.classes.1 \"calls\" gets no packets: classes before it take all"),
            "{shadowed:?}"
        );
        // What is left over may be nothing.
        let all = "{ rate_mbps = 1.0, dscp = [46] }, { rate_mbps = 5.0, dscp = [0] }, { name = \"rest\", rate_mbps = 1.0 }";
        assert_eq!(of(all), Vec::<String>::new());
    }

    #[test]
    fn bands_that_no_packet_is_in_are_named_and_a_single_one_that_has_all() {
        let of = |bands: &str| of_classes(&format!("scheme = \"prio\", bands = [{bands}]"), FLOWS);
        assert_eq!(of("{ dscp = [46] }, {}"), Vec::<String>::new());
        let nobody = of("{ dscp = [34] }, { dscp = [46] }, {}");
        assert!(
            nobody[0].starts_with("prio at left-to-right: queue.bands.0 gets no packets: no packet of"),
            "{nobody:?}"
        );
        // The four numbers of the usual priomap lead to three bands.
        let fourth = of("{}, {}, {}, {}");
        assert!(fourth[0].contains("queue.bands.3 gets no packets: nothing is left for it"), "{fourth:?}");
        // EF is best effort unless a band names it.
        let alone = of_classes("scheme = \"prio\"", FLOWS);
        assert!(
            alone[0].starts_with("prio at left-to-right puts all packets into queue.bands.1"),
            "{alone:?}"
        );
    }

    #[test]
    fn datagrams_beyond_a_link_are_told_of_each_way() {
        let call = |way: &str| {
            format!(
                "[[datagrams]]\nname = \"call-{way}\"\ncount = 1\ndirection = \"{way}\"\npacket_bytes = 200\nrate_mbps = 20.0\n"
            )
        };
        let ways = ["left-to-right", "right-to-left"];
        let text = format!("{LINK}{}", ways.map(call).concat());
        let scenario = Scenario::from_toml(&text, "traps", &[]).unwrap_or_else(|error| panic!("{error}"));
        let told = datagrams_beyond_links(&scenario, &Routes::new(&scenario.network));
        assert_eq!(told.len(), 2, "{told:?}");
        for way in ways {
            let of_way = |text: &&String| {
                text.contains(&format!("datagrams of call-{way} send"))
                    && text.contains(&format!("into {way},"))
            };
            assert_eq!(told.iter().filter(of_way).count(), 1, "{told:?}");
        }
    }
}
