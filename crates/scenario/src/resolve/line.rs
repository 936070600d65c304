//! The network of a line: checked by its own keys, then that of the topology it stands for.

use super::conditions::{Given, OverTime, check_netem};
use super::quantity::megabits_per_second;
use super::service::service;
use super::topology;
use super::traffic::check_scheme;
use crate::Scheme;
use crate::document::{AUTORATE, Connection, DeviceTable, INTERNET, Line, LineWay, RESERVED, SOLD};
use crate::legal::listed;
use crate::mistakes::{Mistakes, joined};
use crate::network::{LinkIndex, Network};
use crate::scenario::ShaperFollower;
use aqmlab_aqm::parts::LinkLayer;
use aqmlab_link::{CakeAutorate, FollowedRates};
use std::collections::{BTreeMap, BTreeSet};

/// The network of a line and the devices behind it; nothing where these have mistakes.
pub(super) fn network(
    line: &Line,
    devices: &[DeviceTable],
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Network> {
    check_framing(line, mistakes);
    check_reconfigurations(line, mistakes);
    let interface_mbps = line.interface_rate_mbps.unwrap_or_default();
    check_autorate(line, interface_mbps, mistakes);
    for way in line.ways() {
        check_varying(line, &way, files, mistakes);
        check_way(&way, (interface_mbps, line.link_layer()), files, mistakes);
    }
    check_scheme(
        "line.uncongested_queue",
        &line.uncongested_queue,
        Some(line.uncongested_rate_mbps),
        mistakes,
    );
    check_devices(devices, mistakes);
    if mistakes.concern("line") || mistakes.concern("devices") {
        return None;
    }
    Some(topology::network(&line.unfolded(devices), files, mistakes))
}

/// A line frames packets in a way that such lines have.
fn check_framing(line: &Line, mistakes: &mut Mistakes<'_>) {
    let legal = line.technology.usual().framing;
    if let Some(framing) = line.framing.filter(|own| !legal.contains(own)) {
        let spelt = |value| match value {
            serde_json::Value::String(name) => name,
            other => other.to_string(),
        };
        let name_of = |value: serde_json::Result<serde_json::Value>| spelt(value.unwrap_or_default());
        let (own, technology) =
            (name_of(serde_json::to_value(framing)), name_of(serde_json::to_value(line.technology)));
        let names: Vec<String> = legal.iter().map(|one| name_of(serde_json::to_value(one))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        mistakes.value("line.framing", format!("no {technology} line has \"{own}\""), listed(&names));
    }
}

/// What varies over time on one way.
fn check_varying(
    line: &Line,
    way: &LineWay<'_>,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) {
    let key = |start: &str| format!("line.{start}_{}", way.name);
    let (medium_key, trace_key, loss_key) =
        (key("medium"), format!("line.rate_{}_trace_file", way.name), key("loss_probability"));
    let rate_key = format!("line.{}_mbps", way.name);
    let sends_by = match way.trace {
        Some(_) => Some(&*trace_key),
        None if mistakes.is_given(&medium_key) => Some(&*medium_key),
        // Refused beside a file by its own key.
        None if line.reconfigurations.is_some() => None,
        None => way.medium.as_ref().map(|_| "line.rates_vary"),
    };
    let delay_ms = line.delay_ms.unwrap_or_default();
    let given = Given {
        file: ("line.conditions_file", way.conditions),
        way: way.conditions_way,
        end: way.conditions_end,
        rate_mbps: (&rate_key, way.rate_mbps),
        delay_ms: ("line.delay_ms", delay_ms),
        loss_probability: (&loss_key, way.loss_probability),
        sends_by,
    };
    if !mistakes.concern("line.conditions_file") {
        let over_time = OverTime::of(&given, files, mistakes);
        if over_time.rates.is_some() && way.sold_mbps.is_some() {
            refuse_sold(way, mistakes);
        }
    }
    check_netem(way.netem.as_ref(), &key("netem"), delay_ms, mistakes);
    if way.conditions.is_none() && !way.conditions_end.is_repeat() && way.name == "down" {
        let legal = "conditions_end together with conditions_file";
        mistakes.value("line.conditions_end", "there is no file of conditions", legal);
    }
}

/// The program in the router that sets its shapers, if they follow the line. Without both of them there is
/// none: that is refused.
pub(super) fn shaper_follower(line: &Line, network: &Network) -> Option<ShaperFollower> {
    let parameters = line.cake_autorate?;
    let [down, up] = line.ways();
    let link = |way: &LineWay<'_>| {
        let name = format!("router-{}", way.name);
        let mut places = (0..).map(LinkIndex).zip(&network.links);
        let (place, link) = places.find(|(_, link)| link.name == name)?;
        let shaping = link.shaping?;
        let megabits = limits_mbps(&parameters, way)?;
        let [minimum, base, maximum] = megabits.map(megabits_per_second);
        let full_packet_bytes = shaping.link_layer.bytes(1_500);
        Some((place, FollowedRates { base, minimum, maximum, full_packet_bytes }))
    };
    let ((down_link, down_rates), (up_link, up_rates)) = (link(&down)?, link(&up)?);
    let servers = network.machines(INTERNET);
    let pingers = parameters.pingers as usize;
    Some(ShaperFollower {
        parameters,
        node: *network.machines(AUTORATE).first()?,
        reflectors: servers.into_iter().cycle().take(pingers).collect(),
        links: [down_link, up_link],
        rates: [down_rates, up_rates],
    })
}

/// Minimum, base and maximum of one way's shaper, of what limits this way.
fn limits_mbps(parameters: &CakeAutorate, way: &LineWay<'_>) -> Option<[f64; 3]> {
    let limit_mbps = way.sold_mbps.map_or(way.rate_mbps, |sold| sold.min(way.rate_mbps));
    let shares = [parameters.minimum_share, way.shaped_share?, parameters.maximum_share];
    Some(shares.map(|share| share * limit_mbps))
}

/// A shaper that follows has a base rate between its limits, and both ways have one.
fn check_autorate(line: &Line, interface_mbps: f64, mistakes: &mut Mistakes<'_>) {
    let Some(parameters) = line.cake_autorate else { return };
    let CakeAutorate { minimum_share, maximum_share, .. } = parameters;
    for way in line.ways() {
        let key = format!("shaped_share_{}", way.name);
        let Some([_, _, maximum_mbps]) = limits_mbps(&parameters, &way) else {
            let wrong = format!("there is no {key}, the base rate of the shaper {}", way.name);
            mistakes.value(
                "line.cake_autorate",
                wrong,
                "together with shaped_share_down and shaped_share_up",
            );
            continue;
        };
        let share = way.shaped_share.unwrap_or_default();
        if minimum_share > share {
            let wrong = format!("{minimum_share} is above {key} = {share}");
            mistakes.value("line.cake_autorate.minimum_share", wrong, format!("at most {share}"));
        }
        if maximum_share < share {
            let wrong = format!("{maximum_share} is below {key} = {share}");
            mistakes.value("line.cake_autorate.maximum_share", wrong, format!("at least {share}"));
        }
        if maximum_mbps > interface_mbps {
            let wrong = format!("{maximum_mbps} Mbit/s {} is above the router's ports", way.name);
            let legal = format!("at most {interface_mbps} Mbit/s, or a higher interface_rate_mbps");
            mistakes.value("line.cake_autorate.maximum_share", wrong, legal);
        }
    }
}

/// What a reconfiguration draws anew nothing else says.
fn check_reconfigurations(line: &Line, mistakes: &mut Mistakes<'_>) {
    let Some(table) = line.reconfigurations else { return };
    let with_jitter = |own: Option<&aqmlab_link::Netem>| own.is_some_and(|own| own.jitter_ms > 0.0);
    let draws_rates = table.rate_variation > 0.0;
    let draws_delay = table.delay_deviation_ms > 0.0;
    if !draws_rates && !draws_delay {
        let legal = "rate_variation or delay_deviation_ms above 0";
        mistakes.value("line.reconfigurations", "nothing is drawn anew", legal);
    }
    for (key, other, contradicts) in [
        ("line.reconfigurations.rate_variation", "medium_down", draws_rates && line.medium_down.is_some()),
        ("line.reconfigurations.rate_variation", "medium_up", draws_rates && line.medium_up.is_some()),
        ("line.reconfigurations", "conditions_file", line.conditions_file.is_some()),
        (
            "line.reconfigurations.rate_variation",
            "rate_down_trace_file",
            draws_rates && line.rate_down_trace_file.is_some(),
        ),
        (
            "line.reconfigurations.rate_variation",
            "rate_up_trace_file",
            draws_rates && line.rate_up_trace_file.is_some(),
        ),
        ("line.reconfigurations", "rates_vary", line.rates_vary == Some(true)),
        (
            "line.reconfigurations.delay_deviation_ms",
            "jitter_ms of netem_down",
            draws_delay && with_jitter(line.netem_down.as_ref()),
        ),
        (
            "line.reconfigurations.delay_deviation_ms",
            "jitter_ms of netem_up",
            draws_delay && with_jitter(line.netem_up.as_ref()),
        ),
    ] {
        if contradicts {
            mistakes.value(key, format!("given together with {other}"), "one of the two");
        }
    }
}

fn check_way(
    way: &LineWay<'_>,
    (interface_mbps, link_layer): (f64, LinkLayer),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) {
    let key = |start: &str| format!("line.{start}_{}", way.name);
    let rate_key = format!("line.{}_mbps", way.name);
    let trace_key = format!("line.rate_{}_trace_file", way.name);
    service(
        (&trace_key, way.trace),
        (&key("medium"), way.medium.as_ref()),
        (&rate_key, way.rate_mbps),
        files,
        mistakes,
    );
    let slowest = way.sold_mbps.map_or(way.rate_mbps, |sold| sold.min(way.rate_mbps));
    if way.rate_mbps > interface_mbps {
        let wrong = format!("{interface_mbps} is below {rate_key} = {}", way.rate_mbps);
        mistakes.value("line.interface_rate_mbps", wrong, format!("at least {}", way.rate_mbps));
    }
    if let Some(sold) = way.sold_mbps {
        check_sold(sold, way, link_layer, mistakes);
    }
    if let Some(queue) = way.queue {
        check_scheme(&joined("line", way.queue_key), queue, Some(slowest), mistakes);
    }
    let router_key = key("router_queue");
    let router_mbps = way.shaped_share.map_or(interface_mbps, |share| share * slowest);
    if let Some(queue) = way.router_queue {
        check_scheme(&router_key, queue, Some(router_mbps), mistakes);
    }
    if let (Some(Scheme::Cake(cake)), Some(share)) = (way.router_queue, way.shaped_share)
        && cake.rate_mbps.is_some()
    {
        let wrong = format!("given together with shaped_share_{} = {share}, which shapes too", way.name);
        mistakes.value(&joined(&router_key, "rate_mbps"), wrong, "one of the two");
    }
}

/// A provider holds a line below what it carries of full packets, at a rate that does not vary.
fn check_sold(sold: f64, way: &LineWay<'_>, link_layer: LinkLayer, mistakes: &mut Mistakes<'_>) {
    let key = format!("line.sold_{}_mbps", way.name);
    if way.medium.is_some() || way.trace.is_some() {
        refuse_sold(way, mistakes);
        return;
    }
    let carried = way.rate_mbps * f64::from(SOLD.bytes(1500)) / f64::from(link_layer.bytes(1500));
    if sold >= carried {
        let wrong = format!(
            "{sold} of Ethernet is not below what line.{}_mbps = {} carries: the line itself is the limit",
            way.name, way.rate_mbps
        );
        mistakes.value(&key, wrong, format!("below {carried:.3}, or to leave it out"));
    }
}

fn refuse_sold(way: &LineWay<'_>, mistakes: &mut Mistakes<'_>) {
    let wrong = "the rate of this line varies, and a provider's limit beside that is not modelled";
    mistakes.value(
        &format!("line.sold_{}_mbps", way.name),
        wrong,
        "rates_vary = false and neither a medium, a trace nor conditions, or to leave it out",
    );
}

/// Devices are told apart by their names, and from what else stands on the way.
fn check_devices(devices: &[DeviceTable], mistakes: &mut Mistakes<'_>) {
    let mut names: BTreeSet<&str> = RESERVED.into_iter().collect();
    for (index, device) in devices.iter().enumerate() {
        let path = format!("devices.{index}");
        let is_reserved = |name: &str| {
            RESERVED.contains(&name)
                || name.strip_prefix("internet-").is_some_and(|rest| rest.parse::<u32>().is_ok())
        };
        if is_reserved(&device.name) {
            let wrong = format!("\"{}\" is what a part of the line is called", device.name);
            mistakes.value(&joined(&path, "name"), wrong, format!("a name besides {}", listed(&RESERVED)));
        } else if !names.insert(&device.name) {
            let wrong = format!("a second device named \"{}\"", device.name);
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        if device.connection != Some(Connection::Wifi) && device.wifi_mbps.is_some() {
            let wrong = "a device that is wired has no radio";
            mistakes.value(&joined(&path, "wifi_mbps"), wrong, "together with connection = \"wifi\"");
        }
    }
}
