//! Queues whose departures are predicted, where nobody can tell. A record of packets shows what leaves when,
//! and forbids it: with and without that record, under every scheme, all other tables must be the same.

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use std::collections::BTreeMap;

/// Two queues one behind the other without a delay between them, the first of which also feeds interfaces;
/// back through a pipe, and from a queue to interfaces that it feeds alone. Another machine sends to an
/// interface behind a queue.
const FLOWS: &str = r#"
name = "predicted_departures"
duration_s = 6.0
warm_up_s = 1.0
cool_down_s = 0.5
[topology]
nodes = [
  { name = "senders", kind = "host", count = 5 },
  { name = "a", kind = "router" },
  { name = "b", kind = "router" },
  { name = "c", kind = "router" },
  { name = "near", kind = "host", count = 5 },
  { name = "far", kind = "host", count = 3 },
  { name = "neighbour", kind = "host" },
]
links = [
  { from = "senders", to = "a", rate_mbps = 100.0 },
  { from = "a", to = "b", rate_mbps = 5.0, queue = { scheme = "drop-tail", limit_packets = 20 } },
  { from = "b", to = "c", rate_mbps = 2.0, delay_ms = 1.5, queue = { scheme = "drop-tail", limit_packets = 20 } },
  { from = "b", to = "near", rate_mbps = 20.0 },
  { from = "c", to = "far", rate_mbps = 10.0 },
  { from = "neighbour", to = "c", rate_mbps = 10.0 },
]
[[flows]]
name = "one-way"
count = 5
senders = "senders"
receivers = "near"
profile = "ns2-oneway"
base_rtt_ms = { first = 10.0, last = 50.0 }
[[flows]]
name = "both ways"
count = 3
senders = "senders"
receivers = "far"
profile = "rfc5681"
host = { ecn = "rfc3168" }
base_rtt_ms = 30.0
[[flows]]
name = "beside"
count = 1
senders = "neighbour"
receivers = "far"
bytes = 200_000
base_rtt_ms = 5.0
[record]
arrivals = true
flows = true
queue_summary_interval_ms = 50.0
"#;

fn with(queue: &str, packets: bool) -> Output {
    let overrides = [
        ("topology.links.1.queue", queue),
        ("topology.links.2.queue", queue),
        ("record.packets", if packets { "true" } else { "false" }),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario = Scenario::from_toml(FLOWS, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 3, &Control::default()).unwrap()
}

fn tables(output: &Output) -> BTreeMap<&'static str, String> {
    let described = |table: &Table| (table.name, format!("{:?}", table.columns));
    output.tables.iter().filter(|table| table.name != "packets").map(described).collect()
}

/// Settings of a scheme, and whether it decides on arrival alone.
const QUEUES: [(&str, bool); 7] = [
    ("{ scheme = \"drop-tail\", limit_packets = 20 }", true),
    (
        "{ scheme = \"red\", limit_packets = 30, min_th_packets = 5.0, max_th_packets = 15.0, w_q = 0.02 }",
        true,
    ),
    (
        "{ scheme = \"red\", limit_packets = 30, min_th_packets = 5.0, max_th_packets = 15.0, idle = \"ns2\", ecn = true }",
        true,
    ),
    ("{ scheme = \"pi\", limit_packets = 60, q_ref_packets = 5.0, ecn = true }", true),
    ("{ scheme = \"pie\", limit_packets = 60 }", true),
    ("{ scheme = \"codel\", limit_packets = 60 }", false),
    ("{ scheme = \"fq-codel\", limit_packets = 60 }", false),
];

#[test]
fn what_is_predicted_changes_nothing_but_the_number_of_events() {
    for (queue, on_arrival) in QUEUES {
        let [predicted, told] = [false, true].map(|packets| with(queue, packets));
        let (found, expected) = (tables(&predicted), tables(&told));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{queue}");
        for (name, rows) in &found {
            assert!(*rows == expected[name], "{queue}: table {name}");
        }
        let delivered = |output: &Output| {
            output.summary.flows.iter().map(|group| group.delivered_bytes.clone()).collect::<Vec<_>>()
        };
        assert_eq!(delivered(&predicted), delivered(&told), "{queue}");
        let mean_queues = |output: &Output| {
            output.summary.links.iter().map(|link| link.queue_packets_mean).collect::<Vec<_>>()
        };
        assert_eq!(mean_queues(&predicted), mean_queues(&told), "{queue}");
        let sent: u64 = predicted.summary.links.iter().map(|link| link.counters.departed.packets).sum();
        let saved = told.events - predicted.events;
        if on_arrival {
            // Acknowledgements on both links; data wait in front of other queues.
            assert!(saved > sent / 4, "{queue}: {saved} events of {sent} transmissions");
        } else {
            assert_eq!(saved, 0, "{queue}");
        }
    }
}

/// A link whose departures follow a trace: when a packet leaves cannot be told from its length and the rate.
#[test]
fn a_link_whose_rate_varies_is_not_predicted() {
    let simulate = |traced: bool, packets: bool| {
        let trace = if traced { "rate_trace_file = \"own.trace\"" } else { "" };
        let files = if traced { "[files]\n\"own.trace\" = \"10\\n20\\n20\\n30\\n\"" } else { "" };
        let text = format!(
            "name = \"trace\"\nduration_s = 5.0\n[dumbbell]\nrate_mbps = 1.6042667\n{trace}\ndelay_ms = 5.0\n\
             queue = {{ scheme = \"drop-tail\", limit_packets = 20 }}\n{files}\n[[flows]]\ncount = 2\n\
             direction = \"left-to-right\"\nbase_rtt_ms = 20.0\n[record]\npackets = {packets}\n"
        );
        let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, 1, &Control::default()).unwrap()
    };
    let [alone, recorded] = [false, true].map(|packets| simulate(true, packets));
    assert!(tables(&alone) == tables(&recorded));
    // The same link at a constant rate is predicted: its transmissions towards the receivers need no event.
    let saved = |traced| simulate(traced, true).events - simulate(traced, false).events;
    assert!(saved(false) > saved(true) + 300, "{} and {}", saved(false), saved(true));
}

/// A bottleneck with a propagation delay, behind which nobody else feeds the machines: a packet of it needs
/// neither an event when it has been sent nor one at the far end.
#[test]
fn packets_pass_a_pipe_without_an_event_where_only_it_feeds_what_comes_next() {
    let simulate = |packets: bool| {
        let text = format!(
            "name = \"pipe\"\nduration_s = 20.0\n[parking_lot]\nhops = 1\nrate_mbps = 2.0\ndelay_ms = 5.0\n\
             queue = {{ scheme = \"drop-tail\", limit_packets = 20 }}\n[users]\nper_side = 60\n[record]\npackets = {packets}\n\
             flows = true\n"
        );
        let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, 2, &Control::default()).unwrap()
    };
    let [predicted, told] = [false, true].map(simulate);
    assert!(tables(&predicted) == tables(&told));
    let sent: u64 = predicted.summary.links.iter().map(|link| link.counters.departed.packets).sum();
    let saved = told.events - predicted.events;
    assert!(sent > 3_000 && saved + 20 >= 2 * sent && saved <= 2 * sent, "{saved} events of {sent} packets");
}
