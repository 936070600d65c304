//! What a packet costs: CPU time per bottleneck packet and peak memory, for one scenario per process:
//! `cargo bench -p aqmlab-sim -- CASE`.
//!
//! | case | what runs |
//! | --- | --- |
//! | `bulk [scheme] [seconds]` | the dumbbell of the crosscheck |
//! | `web USERS [scheme] [seconds]` | browsing users at 90 % load, the link rate in proportion to the users |
//! | `home [scheme] [seconds]` | a household of today on one machine, with that scheme at both ends of the line |
//! | `le2003 [scheme] [seconds]` | a cell of table 2 of the 2003 study, at 98 % |
//! | `hops N [seconds]` | the flows of a dumbbell over N such links in a row |
//! | `clouds [seconds]` | the dumbbell of PackMime's clouds that the crosscheck has |
//! | `deep [Mbit/s] [limit in packets] [seconds]` | a `linux6-cubic` flow, 100 ms of round trip, overflows a deep buffer |
//! | `flows N [scheme] [profile] [seconds]` | so many flows begin in one instant and share a port, 0.1 Mbit/s for each |
//! | `links N [seconds]` | so many links to hosts on both sides of two routers, and a flow for each two |
//!
//! `--list` names the schemes. What a recovery looks after in `deep` is as large as the window. Hosts of
//! `bsd45` have their timers at ticks, so that those of all `flows` fire in the same instants.
//!
//! One line of JSON per run: compare lines of one session, these machines are noisy. Words such as
//! `record.responses="none"` replace values of the scenario. Under `valgrind --tool=callgrind` the same
//! program counts instructions (`make bench` does both).
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use aqmlab_aqm::Scheme;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use std::time::Instant;

/// Users a side that offer the capacity of a 100 Mbit/s link (SIGCOMM 2003, figure 2).
const USERS_PER_100_MBPS: f64 = 9_520.0;
const LOAD: f64 = 0.9;
/// The scenario that runs beside ns-2.
const CROSSCHECK: &str = include_str!("../../../tests/crosscheck/scenario.toml");
/// PackMime's clouds on a dumbbell, which run beside ns-2 too.
const CLOUDS: &str = include_str!("../../../tests/crosscheck/clouds.toml");
/// A household of today.
const HOME: &str = include_str!("../../../tests/household.toml");

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return println!("{}", Scheme::names().join("\n"));
    }
    let given = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (settings, arguments): (Vec<String>, Vec<String>) = given.partition(|word| word.contains('='));
    let word = |index: usize, default: &str| arguments.get(index).map_or(default.to_owned(), String::clone);
    let (text, mut overrides) = match word(0, "bulk").as_str() {
        "web" => {
            let users = word(1, "10000").parse().expect("a number of users");
            (web(users, &word(2, "drop-tail")), length(&word(3, "60")))
        }
        "hops" => (hops(word(1, "3").parse().expect("a number of hops")), length(&word(2, "20"))),
        "deep" => (deep(&word(1, "1000"), &word(2, "20000")), length(&word(3, "12"))),
        "flows" => {
            let count = word(1, "100000").parse().expect("a number of flows");
            (flows(count, &word(2, "fq-codel"), &word(3, "linux6-cubic")), length(&word(4, "10")))
        }
        "links" => (links(word(1, "65000").parse().expect("a number of links")), length(&word(2, "4"))),
        "home" => (HOME.to_owned(), [home(&word(1, "drop-tail")), length(&word(2, "60"))].concat()),
        "clouds" => (CLOUDS.to_owned(), length(&word(1, "100"))),
        "le2003" => (
            include_str!("../../../python/aqmlab/experiments/le2003/scenario.toml").to_owned(),
            [
                vec![
                    ("users.per_side".to_owned(), "9330".to_owned()),
                    ("users.start".to_owned(), "\"steady\"".to_owned()),
                    ("cool_down_s".to_owned(), "0.0".to_owned()),
                    ("dumbbell.queue".to_owned(), queue(&word(1, "pi"), 240.0)),
                ],
                length(&word(2, "60")),
            ]
            .concat(),
        ),
        _ => (CROSSCHECK.to_owned(), [bulk(&word(1, "drop-tail")), length(&word(2, "100"))].concat()),
    };
    let pair =
        |setting: &String| setting.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    overrides.extend(settings.iter().filter_map(pair));
    let scenario = Scenario::from_toml(&text, "bench", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let begun = Instant::now();
    let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    report(&arguments.join(" "), &output, begun.elapsed().as_secs_f64());
}

fn report(name: &str, output: &Output, seconds: f64) {
    let sent: u64 = output.summary.links.iter().map(|link| link.counters.departed.packets).sum();
    let data: u64 =
        output.summary.links.iter().map(|link| link.counters.by_class["data"].arrived_packets).sum();
    let peak_mib = peak_memory_kib() as f64 / 1024.0;
    println!(
        "{{\"scenario\":\"{name}\",\"seconds\":{seconds:.3},\"packets\":{sent},\"data_packets\":{data},\"events\":{},\
         \"ns_per_packet\":{:.1},\"ns_per_data_packet\":{:.1},\"events_per_packet\":{:.2},\"peak_mib\":{peak_mib:.1}}}",
        output.events,
        seconds * 1e9 / sent as f64,
        seconds * 1e9 / data as f64,
        output.events as f64 / sent as f64,
    );
}

/// Peak resident memory of this process as the kernel counts it; 0 where it does not say.
fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The whole run is measured, so that packets and time belong together.
fn length(seconds: &str) -> Vec<(String, String)> {
    let seconds: f64 = seconds.parse().expect("seconds");
    vec![("duration_s".to_owned(), format!("{seconds:?}")), ("warm_up_s".to_owned(), "0.0".to_owned())]
}

fn bulk(scheme: &str) -> Vec<(String, String)> {
    vec![("topology.links.1.queue".to_owned(), queue(scheme, 240.0))]
}

/// So many links between hosts and two routers, half of them on either side, with a flow for each two.
fn links(count: u32) -> String {
    /// A group of hosts has at most 10,000.
    const GROUPS: u32 = 4;
    let hosts = count / 2 / GROUPS;
    let rate_mbps = f64::from(hosts * GROUPS) / 10.0;
    let queue = queue("drop-tail", f64::from(hosts * GROUPS));
    let mut text = format!(
        "name = \"links\"\nduration_s = 4.0\n[[topology.nodes]]\nname = \"left\"\nkind = \"router\"\n\
         [[topology.nodes]]\nname = \"right\"\nkind = \"router\"\n\
         [[topology.links]]\nfrom = \"left\"\nto = \"right\"\nrate_mbps = {rate_mbps:?}\nqueue = {queue}\n"
    );
    for group in 0..GROUPS {
        for (side, router) in [("senders", "left"), ("receivers", "right")] {
            text += &format!(
                "[[topology.nodes]]\nname = \"{side}-{group}\"\nkind = \"host\"\ncount = {hosts}\n\
                 [[topology.links]]\nfrom = \"{side}-{group}\"\nto = \"{router}\"\nrate_mbps = 1000.0\n"
            );
        }
        text += &format!(
            "[[flows]]\nname = \"bulk-{group}\"\ncount = {hosts}\nsenders = \"senders-{group}\"\n\
             receivers = \"receivers-{group}\"\nprofile = \"ns2-oneway\"\nstart_spread_s = 1.0\n\
             base_rtt_ms = {{ first = 10.0, last = 150.0 }}\n"
        );
    }
    text
}

fn queue(scheme: &str, limit_packets: f64) -> String {
    format!("{{ scheme = \"{scheme}\", limit_packets = {limit_packets:.0} }}")
}

/// The scheme at both ends of the line, in buffers as deep as the preset's; the whole run is measured.
fn home(scheme: &str) -> Vec<(String, String)> {
    vec![
        ("dumbbell.queue".to_owned(), queue(scheme, 834.0)),
        ("dumbbell.queue_right_to_left".to_owned(), queue(scheme, 209.0)),
        ("cool_down_s".to_owned(), "0.0".to_owned()),
    ]
}

fn web(users: u32, scheme: &str) -> String {
    let rate = 100.0 * f64::from(users) / 2.0 / (USERS_PER_100_MBPS * LOAD);
    let queue = queue(scheme, (240.0 * rate / 100.0).max(24.0));
    format!(
        "name = \"web\"\nduration_s = 60.0\n[dumbbell]\nrate_mbps = {rate:.3}\nqueue = {queue}\n\
         interface_rate_mbps = 1000.0\n[users]\nper_side = {}\n[record]\nresponses = \"histogram\"\n",
        users / 2
    )
}

/// Fifty flows over so many links of 100 Mbit/s in a row; the round trip, 40 ms, and the queues are the same
/// for every number.
fn hops(count: u32) -> String {
    let delay_ms = 18.0 / f64::from(count);
    format!(
        "name = \"hops\"\nduration_s = 20.0\n[parking_lot]\nhops = {count}\nrate_mbps = 100.0\ndelay_ms = {delay_ms:?}\n\
         queue = {}\ninterface_rate_mbps = 1000.0\ninterface_delay_ms = 1.0\n\
         [[flows]]\nname = \"bulk\"\ncount = 50\nsenders = \"servers-left\"\nreceivers = \"browsers-right\"\n\
         profile = \"ns2-oneway\"\nhost = {{ window_bytes = 1000000000 }}\n",
        queue("drop-tail", 240.0)
    )
}

/// So many flows through one port, with room for as many packets.
fn flows(count: u32, scheme: &str, profile: &str) -> String {
    let (rate_mbps, queue) = (f64::from(count) / 10.0, queue(scheme, f64::from(count)));
    format!(
        "name = \"flows\"\nduration_s = 10.0\n[dumbbell]\nrate_mbps = {rate_mbps:?}\nqueue = {queue}\n\
         [[flows]]\nname = \"bulk\"\ncount = {count}\ndirection = \"left-to-right\"\nprofile = \"{profile}\"\n\
         base_rtt_ms = {{ first = 20.0, last = 200.0 }}\n"
    )
}

/// One flow whose window overflows a buffer of so many packets.
fn deep(rate_mbps: &str, limit_packets: &str) -> String {
    let limit: f64 = limit_packets.parse().expect("a number of packets");
    // Faster than the link, so that the buffer fills.
    let interface_mbps = (2.5 * rate_mbps.parse::<f64>().expect("a rate")).max(10_000.0);
    format!(
        "name = \"deep\"\nduration_s = 12.0\n[dumbbell]\nrate_mbps = {rate_mbps}\nqueue = {}\n\
         interface_rate_mbps = {interface_mbps:?}\n[[flows]]\nname = \"bulk\"\ncount = 1\ndirection = \"left-to-right\"\nprofile = \"linux6-cubic\"\n\
         host = {{ window_bytes = 1000000000 }}\nbase_rtt_ms = {{ first = 100.0, last = 100.0 }}\n",
        queue("drop-tail", limit)
    )
}
