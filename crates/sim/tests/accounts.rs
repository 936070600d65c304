//! What tables hold row by row adds up to what the summary says, and users are where the scenario puts them.

mod columns;

use aqmlab_record::{LinkSummary, PopulationSummary, Table};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, numbers, table};

/// A link so narrow that data and handshakes are lost on it, and all of the run measured.
const CROWDED: &str = r#"
name = "crowded"
duration_s = 60.0
[dumbbell]
rate_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 20 }
[users]
left = 200
right = 30
[record]
arrivals = true
flows = true
queue_interval_ms = 10.0
queue_summary_interval_ms = 100.0
responses = "rows"
"#;

/// Two machines with users, each behind links of its own, and one that serves them.
const TWO_MACHINES: &str = r#"
name = "two machines"
duration_s = 5000.0
[[topology.nodes]]
name = "readers"
kind = "host"
count = 2
[[topology.nodes]]
name = "middle"
kind = "router"
[[topology.nodes]]
name = "site"
kind = "host"
[[topology.links]]
from = "readers"
to = "middle"
rate_mbps = 100.0
queue = { scheme = "drop-tail", limit_packets = 1000 }
[[topology.links]]
from = "middle"
to = "site"
[[populations]]
name = "people"
browsers = "readers"
servers = "site"
count = 8
minimum_delay_ms = { low = 10, high = 400, per = "machine-pair" }
[record]
users = true
responses = "rows"
"#;

fn simulate(text: &str, overrides: &[(&str, &str)]) -> Output {
    run(&scenario(text, overrides), 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn scenario(text: &str, overrides: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Scenario::from_toml(text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// Which rows of a table have this name in a column.
fn rows_with(table: &Table, column: &str, wanted: &str) -> Vec<bool> {
    names(table, column).iter().map(|name| name == Some(wanted)).collect()
}

fn of_link(table: &Table, link: &LinkSummary) -> Vec<bool> {
    rows_with(table, "link", &link.name)
}

fn sum_of_link(output: &Output, name: &str, column: &str, link: &LinkSummary) -> u64 {
    let table = table(output, name);
    let rows = numbers(table, column).into_iter().zip(of_link(table, link));
    rows.filter(|(_, wanted)| *wanted).map(|(value, _)| value).sum::<f64>() as u64
}

#[test]
fn a_run_says_what_was_run_and_which_laws_it_kept() {
    let overrides = [("duration_s", "2.0")];
    let output = simulate(CROWDED, &overrides);
    let again =
        Scenario::from_json(&output.summary.scenario.to_string()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again, scenario(CROWDED, &overrides));
    // Conservation of packets, at the queue and behind it, and of exchanges (docs/reference/results.md).
    let laws = &output.summary.invariants;
    assert!(laws.len() == 3 && laws.iter().all(|law| law.holds), "{laws:?}");
    for (law, what) in laws.iter().zip(["packets and bytes", "packets that departed", "exchanges"]) {
        assert!(law.name.starts_with(what), "{law:?}");
    }
}

#[test]
fn intervals_add_up_to_the_counters_of_the_run() {
    let output = simulate(CROWDED, &[]);
    for link in &output.summary.links {
        let sum = |name: &str, column: &str| sum_of_link(&output, name, column, link);
        let discarded: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
        assert_eq!(link.rate_mbps, 1.0);
        assert_eq!(link.counters.at_risk, link.counters.arrived, "{}", link.name);
        assert_eq!(link.loss_ratio, discarded as f64 / link.counters.arrived.packets as f64, "{}", link.name);
        assert_eq!(sum("arrivals", "packets"), link.counters.arrived.packets, "{}", link.name);
        assert_eq!(sum("arrivals", "bytes"), link.counters.arrived.bytes, "{}", link.name);
        assert_eq!(sum("queue_summary", "discarded_packets"), discarded, "{}", link.name);
        assert_eq!(sum("queue_summary", "sent_packets"), sum("link", "packets"), "{}", link.name);
        // What has left the queue and not the link is in transmission.
        assert!(link.counters.departed.packets - sum("link", "packets") <= 1, "{}", link.name);
    }
    let data = &output.summary.links[1];
    assert!(data.loss_ratio > 0.01, "a run without losses would prove little: {}", data.loss_ratio);
    // A sample every 3 ms, of which 33 or 34 end in an interval of 100 ms.
    let samples = numbers(table(&output, "queue_summary"), "samples");
    assert!(samples.len() == 2 * 600 && samples.iter().all(|&count| count == 33.0 || count == 34.0));
}

#[test]
fn a_queue_that_saw_no_packet_lost_no_share_of_them() {
    let output = simulate(TWO_MACHINES, &[("duration_s", "0.001")]);
    for link in &output.summary.links {
        assert_eq!((link.counters.arrived.packets, link.loss_ratio, link.mark_ratio), (0, 0.0, 0.0));
    }
}

#[test]
fn what_tcp_did_in_the_parts_of_a_run_is_what_it_did_in_the_whole() {
    let red = "{ scheme = \"red\", limit_packets = 60, min_th_packets = 5, max_th_packets = 15, ecn = true }";
    let of_window = |from_s: u32, until_s: u32| {
        let (warm_up, cool_down) = (from_s.to_string(), (60 - until_s).to_string());
        let overrides = [
            ("warm_up_s", warm_up.as_str()),
            ("cool_down_s", cool_down.as_str()),
            ("dumbbell.queue", red),
            ("users.host", "{ ecn = \"on\" }"),
        ];
        let tcp = simulate(CROWDED, &overrides).summary.tcp;
        [
            tcp.connections,
            tcp.timeouts,
            tcp.syn_retransmissions,
            tcp.fast_recoveries,
            tcp.retransmitted_segments,
            tcp.ecn_reductions.expect("counted"),
            tcp.loss_episodes.expect("counted"),
            tcp.dropped_data_segments,
            tcp.dropped_handshake_segments,
        ]
    };
    let parts = [of_window(0, 20), of_window(20, 40), of_window(40, 60)];
    let whole = of_window(0, 60);
    for what in 0..whole.len() {
        assert!(parts.iter().filter(|part| part[what] > 0).count() > 1, "count {what}: {parts:?}");
        assert_eq!(parts.iter().map(|part| part[what]).sum::<u64>(), whole[what], "count {what}: {parts:?}");
    }
}

#[test]
fn lost_handshakes_are_counted_once_as_such() {
    let output = simulate(CROWDED, &[]);
    let lost = |class: &str| -> u64 {
        let of_link = |link: &LinkSummary| {
            link.counters.by_class.get(class).map_or(0, |counts| counts.discarded_packets)
        };
        output.summary.links.iter().map(of_link).sum()
    };
    let (handshakes, data) = (lost("syn") + lost("syn_ack"), lost("data"));
    assert!(handshakes > 100 && data > 1_000, "{handshakes} of handshakes, {data} of data");
    assert_eq!(output.summary.tcp.dropped_handshake_segments, handshakes);
    assert_eq!(output.summary.tcp.dropped_data_segments, data);
    let flows = table(&output, "flows");
    assert_eq!(numbers(flows, "dropped_handshake_segments").iter().sum::<f64>(), handshakes as f64);
    assert_eq!(numbers(flows, "dropped_data_segments").iter().sum::<f64>(), data as f64);
}

/// Time average of the packets that wait, from the record of packets alone: one of those at the link is being
/// sent.
fn mean_waiting(output: &Output, link: &LinkSummary, [from_s, until_s]: [f64; 2]) -> f64 {
    let packets = table(output, "packets");
    let changes =
        rows_with(packets, "event", "arrival").into_iter().map(|came| if came { 1.0 } else { -1.0 });
    let (mut at_link, mut since_s, mut sum) = (0.0_f64, from_s, 0.0);
    let mut pass = |now_s: f64, at_link: f64| {
        let now_s = now_s.clamp(from_s, until_s);
        sum += (at_link - 1.0).max(0.0) * (now_s - since_s);
        since_s = now_s;
    };
    for ((time_s, change), _) in
        numbers(packets, "time_s").into_iter().zip(changes).zip(of_link(packets, link)).filter(|(_, of)| *of)
    {
        pass(time_s, at_link);
        at_link += change;
    }
    pass(until_s, at_link);
    sum / (until_s - from_s)
}

#[test]
fn the_mean_queue_is_the_time_average_over_the_measured_window() {
    let window = [("warm_up_s", "7.0"), ("cool_down_s", "11.0")];
    let output = simulate(CROWDED, &[("record.packets", "true"), window[0], window[1]]);
    // Without a sample of the queue, and without a record of packets, so that departures are predicted.
    let unseen = simulate(CROWDED, &[("record.queue_interval_ms", "100000.0"), window[0], window[1]]);
    for (link, same) in output.summary.links.iter().zip(&unseen.summary.links) {
        let expected = mean_waiting(&output, link, [7.0, 49.0]);
        assert!(
            (link.queue_packets_mean - expected).abs() < 1e-9,
            "{} of {expected}",
            link.queue_packets_mean
        );
        assert_eq!(same.queue_packets_mean, link.queue_packets_mean, "{}", link.name);
    }
}

#[test]
fn calls_whose_packets_come_every_twenty_milliseconds_do_not_alias_with_the_mean_queue() {
    let calls = "name = \"calls\"\nduration_s = 20.0\nwarm_up_s = 2.0\n[dumbbell]\nrate_mbps = 10.0\n\
                 queue = { scheme = \"drop-tail\", limit_packets = 500 }\n[[datagrams]]\ncount = 80\n\
                 packet_bytes = 200\nrate_mbps = 0.08\ndirection = \"left-to-right\"\n[record]\npackets = true\n";
    for spread_s in ["0.0", "0.001", "1.0"] {
        let output = simulate(calls, &[("datagrams.0.start_spread_s", spread_s)]);
        let link = &output.summary.links[0];
        let expected = mean_waiting(&output, link, [2.0, 20.0]);
        assert!(
            (link.queue_packets_mean - expected).abs() < 1e-9,
            "{} of {expected}",
            link.queue_packets_mean
        );
    }
}

#[test]
fn rows_say_which_responses_are_of_pages_and_which_of_embedded_objects() {
    let output = simulate(CROWDED, &[]);
    let rows = |object: &str| {
        rows_with(table(&output, "responses"), "object", object).iter().filter(|&&row| row).count() as f64
    };
    let sum = |of: &dyn Fn(&PopulationSummary) -> f64| output.summary.populations.iter().map(of).sum::<f64>();
    let pages = sum(&|population| population.generated["pages"]);
    let embedded = sum(&|population| population.generated["objects"]) - pages;
    // No more than was asked for, and no less but for what failed or is under way at the end.
    let missing = sum(&|population| (population.unfinished + population.failed) as f64);
    assert!((0.0..=missing).contains(&(pages - rows("page"))), "{} of {pages} pages", rows("page"));
    assert!((0.0..=missing).contains(&(embedded - rows("embedded"))), "{} of {embedded}", rows("embedded"));
    assert!((pages - embedded).abs() > 2.0 * missing, "{pages} and {embedded} could be mistaken");
}

#[test]
fn users_sit_at_the_machines_in_turn() {
    let output = simulate(TWO_MACHINES, &[]);
    let users = table(&output, "users");
    for link in &output.summary.links {
        let rows = numbers(users, "user").into_iter().zip(numbers(users, "bytes")).zip(of_link(users, link));
        for ((user, bytes), _) in rows.filter(|(_, wanted)| *wanted) {
            let hers = link.name.contains("readers-1") == (user % 2.0 == 1.0);
            assert_eq!(bytes > 0.0, hers, "user {user} on {}", link.name);
        }
    }
    // Two pairs of machines have the least delay of the law and the greatest; a handshake and an exchange
    // take two round trips, and each user has had a small response in more than an hour.
    let responses = table(&output, "responses");
    let first = numbers(responses, "first_on_connection");
    let mut least_s = [f64::INFINITY; 8];
    for ((user, time_s), first) in
        numbers(responses, "user").into_iter().zip(numbers(responses, "response_time_s")).zip(first)
    {
        if first == 1.0 {
            least_s[user as usize] = least_s[user as usize].min(time_s);
        }
    }
    let near = usize::from(least_s[0] > least_s[1]);
    for (user, &least_s) in least_s.iter().enumerate() {
        let round_trips = if user % 2 == near { 0.020..0.100 } else { 0.800..1.000 };
        assert!(round_trips.contains(&least_s), "user {user}: {least_s} s");
    }
}

/// Servers are drawn uniformly, so each of three machines is asked for a third of the connections.
#[test]
fn users_are_served_by_all_machines_alike() {
    let text = TWO_MACHINES
        .replace("name = \"site\"\nkind = \"host\"", "name = \"site\"\nkind = \"host\"\ncount = 3")
        .replace(
            "to = \"site\"\n",
            "to = \"site\"\nrate_mbps = 100.0\nqueue = { scheme = \"drop-tail\", limit_packets = 1000 }\n",
        );
    let output = simulate(&text, &[("populations.0.model", "{ model = \"unc\", server_count = 3 }")]);
    let opened = |link: &LinkSummary| link.counters.by_class["syn"].arrived_packets as f64;
    let towards: Vec<f64> =
        output.summary.links.iter().filter(|link| link.to.starts_with("site")).map(opened).collect();
    let all: f64 = towards.iter().sum();
    assert!(towards.len() == 3 && all > 1_000.0, "{towards:?}");
    assert!(towards.iter().all(|opened| (0.28..0.39).contains(&(opened / all))), "{towards:?}");
}

#[test]
fn flows_are_numbered_within_their_group() {
    let group = |name: &str| {
        format!(
            "[[flows]]\nname = \"{name}\"\ncount = 2\ndirection = \"left-to-right\"\nstart_spread_s = 0.0\n"
        )
    };
    let text = CROWDED
        .replace("duration_s = 60.0", "duration_s = 1.0")
        .replace("left = 200\nright = 30", "per_side = 0")
        + &group("first")
        + &group("second");
    let output = simulate(&text, &[]);
    let flows = table(&output, "flows");
    for name in ["first", "second"] {
        let rows = rows_with(flows, "flow_group", name);
        let places = numbers(flows, "user").into_iter().zip(rows).filter(|(_, own)| *own);
        let mut places: Vec<f64> = places.map(|(place, _)| place).collect();
        places.sort_by(f64::total_cmp);
        assert_eq!(places, [0.0, 1.0], "{name}");
    }
}

#[test]
fn the_parts_of_the_traffic_add_up_to_what_links_sent_and_discarded() {
    let flows = "\n[[flows]]\nname = \"bulk\"\ncount = 2\ndirection = \"left-to-right\"\n";
    let red = "{ scheme = \"red\", limit_packets = 60, min_th_packets = 5, max_th_packets = 15, ecn = true }";
    for (queue, host) in [(None, "bsd45"), (Some(red), "rfc5681")] {
        let mut overrides =
            vec![("record.traffic", "true"), ("users.profile", host), ("users.host.ecn", "\"on\"")];
        overrides.extend(queue.map(|queue| ("dumbbell.queue", queue)));
        let output = simulate(&(CROWDED.to_owned() + flows), &overrides);
        let parts = table(&output, "traffic");
        // Two populations and a group of flows, two senders, two links.
        assert_eq!(numbers(parts, "sent_packets").len(), 12);
        for link in &output.summary.links {
            let sum = |column: &str| sum_of_link(&output, "traffic", column, link);
            let discarded = link.counters.discarded.values();
            let [packets, bytes] =
                discarded.fold([0, 0], |[p, b], amount| [p + amount.packets, b + amount.bytes]);
            assert_eq!([sum("discarded_packets"), sum("discarded_bytes")], [packets, bytes], "{}", link.name);
            let sent = sum_of_link(&output, "link", "packets", link);
            // A few packets come from connections that are over, and are nobody's.
            let strays = sent - sum("sent_packets");
            assert!(strays * 500 < sent, "{}: {strays} of {sent}", link.name);
            assert!(link.counters.marked.packets - sum("marked_packets") <= 60, "but for those that wait");
            assert_eq!(sum("marked_packets") > 0, queue.is_some(), "{}", link.name);
        }
        // Long-lived flows send data one way and acknowledgements the other.
        let of_flows = rows_with(parts, "flow_group", "bulk");
        let bytes = numbers(parts, "sent_bytes").into_iter().zip(numbers(parts, "sent_packets"));
        let sizes: Vec<f64> = bytes.map(|(bytes, packets)| bytes / packets).collect();
        let by_sender = |sender: &str| {
            let wanted = rows_with(parts, "sender", sender).into_iter().zip(of_flows.clone());
            let rows = sizes.iter().zip(wanted).filter(|(size, (is, flows))| *is && *flows && !size.is_nan());
            rows.map(|(size, _)| *size).collect::<Vec<_>>()
        };
        assert!(matches!(by_sender("browser")[..], [data] if data > 500.0));
        assert!(matches!(by_sender("server")[..], [answers] if answers < 60.0));
    }
}

#[test]
fn the_traffic_of_all_intervals_is_everything_that_links_sent_and_discarded() {
    let text = CROWDED.to_owned()
        + "\n[[flows]]\nname = \"bulk\"\ncount = 2\ndirection = \"left-to-right\"\n"
        + "[[datagrams]]\nname = \"video\"\ncount = 1\ndirection = \"left-to-right\"\npacket_bytes = 1000\n"
        + "start_s = 20.0\nstart_spread_s = 0.0\nstop_s = 24.0\nvideo = {}\n";
    let output = simulate(&text, &[("record.traffic_interval_ms", "700.0")]);
    let series = table(&output, "traffic_series");
    for link in &output.summary.links {
        let sum = |column: &str| sum_of_link(&output, "traffic_series", column, link);
        let discarded = link.counters.discarded.values();
        let [packets, bytes] =
            discarded.fold([0, 0], |[p, b], amount| [p + amount.packets, b + amount.bytes]);
        assert_eq!([sum("discarded_packets"), sum("discarded_bytes")], [packets, bytes], "{}", link.name);
        assert_eq!(sum("sent_packets"), sum_of_link(&output, "link", "packets", link), "{}", link.name);
    }
    // 120 frames, 13 groups of nine and the first three of another: 13 times 12 + 2·9 + 6·3 packets of 972
    // bytes of frame, and 12 + 3 + 3; those that the queue holds when the stream stops leave until 25 s.
    let of_video = rows_with(series, "datagram_group", "video");
    let rows = |column: &str| -> Vec<f64> {
        numbers(series, column).into_iter().zip(&of_video).filter(|(_, own)| **own).map(|(v, _)| v).collect()
    };
    let packets: f64 = rows("sent_packets").iter().chain(&rows("discarded_packets")).sum();
    assert_eq!(packets, 13.0 * (12.0 + 18.0 + 18.0) + 18.0);
    let begun = rows("from_s");
    assert!(begun.iter().all(|&from_s| (19.0..25.0).contains(&from_s)) && begun.len() >= 6, "{begun:?}");
    // Intervals begin with the measured window.
    let window = output.summary.measured_from_s;
    let off = |from_s: &f64| {
        let place = (from_s - window) / 0.7;
        (place - place.round()).abs() > 1e-9
    };
    assert!(!numbers(series, "from_s").iter().any(off));
}
