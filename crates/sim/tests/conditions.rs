//! Lines whose conditions vary over time: what a file says, worked out by hand.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{names, real, table};

/// Between a sender and its receiver is a link alone, whose frames are IP packets; the way back has no
/// conditions.
const LINK: &str = r#"
name = "conditions"
duration_s = 10.0
topology.nodes = [
  { name = "left", kind = "host" }, { name = "a", kind = "router" }, { name = "b", kind = "router" },
  { name = "right", kind = "host" },
]
topology.links = [
  { from = "left", to = "a" },
  { from = "a", to = "b", both_ways = false, KEYS, conditions_file = "line.csv", layer2_overhead_bytes = 0, layer2_minimum_frame_bytes = 0, layer2_gap_bytes = 0, queue = { scheme = "drop-tail", limit_packets = 100 } },
  { from = "b", to = "a", both_ways = false, rate_mbps = 1000.0 },
  { from = "b", to = "right" },
]
[record]
packets = true
datagrams = true
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(text: &str) -> Output {
    run(&read(text), 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A link with these keys and conditions, under datagrams of 1,000 bytes at a rate.
fn link(keys: &str, conditions: &str, rate_mbps: f64) -> String {
    format!(
        "{}[files]\n\"line.csv\" = \"{conditions}\"\n[[datagrams]]\nname = \"d\"\ncount = 1\nsenders = \"left\"\n\
         receivers = \"right\"\npacket_bytes = 1000\nrate_mbps = {rate_mbps}\nstart_spread_s = 0.0\n",
        LINK.replace("KEYS", keys)
    )
}

/// When packets left the link, in seconds.
fn departures(output: &Output) -> Vec<f64> {
    let packets = table(output, "packets");
    let rows = real(packets, "time_s").iter().zip(names(packets, "event").iter());
    let left = rows.filter(|(_, event)| *event == Some("departure"));
    left.map(|(time, _)| *time).collect()
}

/// 8 Mbit/s are 1,000 packets in a second, 4 are 500, none none: 1,500 in three, again and again.
#[test]
fn a_trace_of_three_rates_carries_exactly_their_bytes() {
    let rows = "t_s,down_mbps\\n0,8\\n1,4\\n2,0\\n";
    let output = simulate(&link("delay_ms = 0.0", rows, 20.0));
    let left = departures(&output);
    let until = |second: f64| left.iter().filter(|time| **time < second + 1e-9).count();
    assert_eq!([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(until), [1000, 1500, 1500, 2500, 3000, 3000, 4000]);
    // The k-th packet of the first second leaves after k ms, of the next one after 2 ms each.
    assert!((left[499] - 0.5).abs() < 1e-9 && (left[1249] - 1.5).abs() < 1e-9);
    let held =
        simulate(&link("conditions_end = \"hold\", delay_ms = 0.0", "t_s,down_mbps\\n0,8\\n1,4\\n", 20.0));
    let left = departures(&held);
    assert_eq!(left.iter().filter(|time| **time < 9.0 + 1e-9).count(), 1000 + 8 * 500);
}

/// One way is half of the round trip; at 1,000 Mbit/s a packet takes 8 µs.
#[test]
fn a_step_of_the_delay_is_exactly_that_of_the_round_trip() {
    let rows = "t_s,rtt_ms\\n0,40\\n2,120\\n4,20\\n5,20\\n";
    let output = simulate(&link("rate_mbps = 1000.0", rows, 0.8));
    let arrivals = table(&output, "datagram_arrivals");
    let (sent, delay) = (real(arrivals, "sent_s"), real(arrivals, "delay_s"));
    assert!(sent.len() > 900);
    for (sent, delay) in sent.iter().zip(delay) {
        let on_the_way_s = match sent.rem_euclid(6.0) {
            at if at < 2.0 - 1e-5 => 0.02,
            at if at < 4.0 - 1e-5 => 0.06,
            // What was sent before 4 s arrives until 4.06 s, and nothing before it.
            at if at < 4.05 => continue,
            _ => 0.01,
        };
        assert!((delay - on_the_way_s - 8e-6).abs() < 2e-9, "{sent}: {delay}");
    }
    assert!(sent.windows(2).all(|pair| pair[0] < pair[1]), "nobody overtakes");
    let free = simulate(&link("rate_mbps = 1000.0, netem = { keeps_order = false }", rows, 0.8));
    let sent = real(table(&free, "datagram_arrivals"), "sent_s");
    assert!(sent.windows(2).any(|pair| pair[0] > pair[1]), "somebody overtakes");
}

/// Of 500 packets in each part of the time as many are lost as a binomial law has.
#[test]
fn losses_are_those_of_their_time() {
    let rows = "t_s,loss_percent\\n0,0\\n5,20\\n";
    let output = simulate(&link("rate_mbps = 1000.0", rows, 3.2));
    let sent = real(table(&output, "datagram_arrivals"), "sent_s");
    let there = |from: f64, until: f64| sent.iter().filter(|at| (from..until).contains(*at)).count();
    assert_eq!(there(0.0, 4.999), 2000);
    let lost = 2000 - there(4.999, 10.0);
    let error = (2000.0_f64 * 0.2 * 0.8).sqrt();
    assert!((lost as f64 - 400.0).abs() < 4.0 * error, "{lost}");
}

const LINE: &str = r#"
name = "line"
duration_s = 6.0
[line]
technology = "other"
KEYS
provider_queue = { scheme = "drop-tail", limit_packets = 40 }
modem_queue = { scheme = "drop-tail", limit_packets = 40 }
interface_rate_mbps = 1000.0
server_machines = 1
[[devices]]
name = "computer"
[[flows]]
name = "download"
count = 2
senders = "internet"
receivers = "computer"
[[flows]]
name = "upload"
count = 1
senders = "computer"
receivers = "internet"
"#;

const FILE: &str = "[files]\n\"line.csv\" = \"t_s,down_mbps,up_mbps,rtt_ms,loss_percent\\n0,8,2,30,0\\n1,3,1,60,1\\n1.5,12,2,20,0.2\\n\"\n";

/// The network of a line written out, each link with the keys that a link has.
#[test]
fn a_line_with_a_file_is_the_topology_that_it_stands_for() {
    let line = LINE.replace("KEYS", "conditions_file = \"line.csv\"") + FILE;
    let flows = line.split_once("[[flows]]").map(|(_, flows)| format!("[[flows]]{flows}")).unwrap();
    let port = "both_ways = false, rate_mbps = 1000.0";
    let of_line = "both_ways = false, conditions_file = \"line.csv\", layer2_overhead_bytes = 0, \
                   layer2_minimum_frame_bytes = 0, layer2_gap_bytes = 0, \
                   queue = { scheme = \"drop-tail\", limit_packets = 40 }";
    let router = "queue = { scheme = \"drop-tail\", limit_packets = 10240 }";
    let topology = format!(
        "name = \"line\"\nduration_s = 6.0\ntopology.nodes = [\n\
         {{ name = \"internet\", kind = \"host\" }}, {{ name = \"provider\", kind = \"router\" }},\n\
         {{ name = \"modem\", kind = \"router\" }}, {{ name = \"router\", kind = \"router\" }},\n\
         {{ name = \"home\", kind = \"router\" }}, {{ name = \"computer\", kind = \"host\" }},\n]\n\
         topology.links = [\n\
         {{ from = \"internet\", to = \"provider\", rate_mbps = 1000.0 }},\n\
         {{ name = \"down\", from = \"provider\", to = \"modem\", {of_line} }},\n\
         {{ name = \"up\", from = \"modem\", to = \"provider\", conditions_way = \"up\", {of_line} }},\n\
         {{ name = \"router-up\", from = \"router\", to = \"modem\", {port}, {router} }},\n\
         {{ from = \"modem\", to = \"router\", {port} }},\n\
         {{ name = \"router-down\", from = \"router\", to = \"home\", {port}, {router} }},\n\
         {{ from = \"home\", to = \"router\", {port} }},\n\
         {{ from = \"home\", to = \"computer\", rate_mbps = 1000.0 }},\n]\n{flows}"
    );
    let (by_line, by_hand) = (simulate(&line), simulate(&topology));
    assert_eq!(format!("{:?}", by_line.tables), format!("{:?}", by_hand.tables));
    assert!(by_line.summary.links[0].counters.arrived.packets > 1000);
}

/// At 8 Mbit/s a byte takes a microsecond, which no clock rounds: a file that says what the keys say is the
/// line of the keys.
#[test]
fn a_file_of_one_row_is_the_line_without_a_file() {
    let file = "[files]\n\"line.csv\" = \"t_s,down_mbps,up_mbps,rtt_ms,loss_percent\\n0,8,2,30,0\\n\"\n";
    let of_file = LINE.replace("KEYS", "conditions_file = \"line.csv\"") + file;
    let of_keys = LINE.replace("KEYS", "down_mbps = 8.0\nup_mbps = 2.0\ndelay_ms = 15.0");
    assert_eq!(format!("{:?}", simulate(&of_file).tables), format!("{:?}", simulate(&of_keys).tables));
}

#[test]
fn rates_and_delay_of_a_line_are_the_means_of_its_file() {
    let scenario =
        read(&(LINE.replace("KEYS", "conditions_file = \"line.csv\"\nshaped_share_down = 0.5") + FILE));
    let line = scenario.document().line.as_ref().unwrap();
    // 1 s, 0.5 s and 0.5 s: of 2 s 8 + 1.5 + 6, 2 + 0.5 + 1, 30 + 30 + 10.
    assert_eq!((line.down_mbps, line.up_mbps, line.delay_ms), (Some(7.75), Some(1.75), Some(17.5)));
    let shaped = scenario.network.links.iter().find(|link| link.name == "router-down").unwrap();
    assert_eq!(shaped.shaping.unwrap().rate.bits_per_second(), 3_875_000);
    let again = Scenario::from_json(&scenario.to_json()).unwrap();
    assert_eq!(again, scenario);
    let twin = scenario.uncongested_twin().unwrap();
    assert!(twin.document().files.is_empty());
    assert!(twin.network.links.iter().all(|link| link.delay_model.is_none() && link.service.is_constant()));
}

/// Three opportunities in 3 ms and then one in 3 ms: 4 · 1,504 bytes in 6 ms.
#[test]
fn a_line_has_the_mean_rate_of_the_traces_that_it_plays_in_a_row() {
    let keys = "rate_down_trace_file = [\"a.trace\", \"b.trace\"]\nup_mbps = 2.0";
    let files = "[files]\n\"a.trace\" = \"1\\n2\\n3\\n\"\n\"b.trace\" = \"3\\n\"\n";
    let scenario = read(&(LINE.replace("KEYS", keys) + files));
    let line = scenario.document().line.as_ref().unwrap();
    let wanted = 4.0 * 8.0 * 1504.0 / 0.006 / 1e6;
    assert!((line.down_mbps.unwrap() - wanted).abs() < 1e-6, "{line:?}");
    assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario);
}

#[test]
fn satellites_change_rate_and_delay_together_every_fifteen_seconds() {
    let keys = "down_mbps = 80.0\nup_mbps = 8.0\ndelay_ms = 20.0\n\
                reconfigurations = { rate_variation = 0.3, delay_deviation_ms = 4.0 }";
    let text = LINE.replace("KEYS", keys).replace("duration_s = 6.0", "duration_s = 64.0")
        + "[[datagrams]]\nname = \"probe\"\ncount = 1\nsenders = \"internet\"\nreceivers = \"computer\"\n\
           packet_bytes = 100\nrate_mbps = 0.008\n[record]\ndatagrams = true\n";
    let text =
        text.replace("count = 2\nsenders = \"internet\"", "count = 1\nbytes = 1000\nsenders = \"internet\"");
    let arrivals = simulate(&text);
    let arrivals = table(&arrivals, "datagram_arrivals");
    let (sent, delay) = (real(arrivals, "sent_s"), real(arrivals, "delay_s"));
    let least = |interval: f64| {
        let inside = |at: f64| at >= 15.0 * interval + 1.0 && at < 15.0 * (interval + 1.0) - 1.0;
        let of_interval = sent.iter().zip(delay).filter(|(at, _)| inside(**at)).map(|(_, delay)| *delay);
        of_interval.fold(f64::INFINITY, f64::min)
    };
    let delays = [0.0, 1.0, 2.0, 3.0].map(least);
    for (place, one) in delays.iter().enumerate() {
        assert!((one - 0.02).abs() < 0.017, "{delays:?}");
        assert!(delays[..place].iter().all(|other| (one - other).abs() > 1e-5), "{delays:?}");
    }
}

#[test]
fn a_file_and_keys_that_contradict_it_are_refused_with_their_place() {
    let refused = |keys: &str, rows: &str| {
        let text = LINE.replace("KEYS", &format!("conditions_file = \"line.csv\"\n{keys}"))
            + &format!("[files]\n\"line.csv\" = \"{rows}\"\n");
        Scenario::from_toml(&text, "test", &[]).map(|_| ()).unwrap_err().to_string()
    };
    for (keys, rows, expected) in [
        (
            "",
            "t_s,down_mbps\\n0,8\\n1,x\\n",
            "\"line.csv\", line 3, column down_mbps: expected a number, found \"x\"",
        ),
        ("", "t_s,down_mbps\\n0,8\\n1\\n", "\"line.csv\", line 3: 1 values under 2 columns"),
        ("", "t_s,speed\\n0,8\\n", "\"line.csv\", line 1: no column is called \"speed\""),
        ("", "t_s,down_mbps\\n0,0\\n", "nothing ever passes: every rate is 0"),
        ("conditions_end = \"hold\"", "t_s,up_mbps\\n0,8\\n1,0\\n", "nothing passes from the last row on"),
        (
            "down_mbps = 9.0",
            "t_s,down_mbps\\n0,8\\n",
            "line.down_mbps: 9 is not the mean rate of \"line.csv\"; legal: 8.000000",
        ),
        ("delay_ms = 9.0", "t_s,rtt_ms\\n0,40\\n", "line.delay_ms: 9 is not half of the mean round trip"),
        (
            "loss_probability_up = 0.1",
            "t_s,loss_percent\\n0,1\\n",
            "line.loss_probability_up: given together",
        ),
        (
            "sold_down_mbps = 3.0",
            "t_s,down_mbps\\n0,8\\n",
            "line.sold_down_mbps: the rate of this line varies",
        ),
        (
            "rates_vary = true\nmedium_up = { slots = { cycle_ms = 2.0, slot_ms = 1.0 } }",
            "t_s,up_mbps\\n0,8\\n",
            "line.medium_up: given together",
        ),
    ] {
        let said = refused(keys, rows);
        assert!(said.contains(expected), "{keys} {rows}: {said}");
    }
}
