//! Receivers that only answer are asked before their packets arrive, where nobody can tell. Samples forbid it for the
//! packets that arrive behind them: with samples closer together than packets, hardly any receiver is asked in advance.
//! Both runs must leave the same behind.

use aqmlab_record::Table;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

const FLOWS: &str = r#"
name = "responders"
duration_s = 4.0
warm_up_s = 1.0
cool_down_s = 0.5
[topology]
nodes = [
  { name = "senders", kind = "host", count = 5 },
  { name = "a", kind = "router" },
  { name = "b", kind = "router" },
  { name = "receivers", kind = "host", count = 5 },
]
links = [
  { from = "senders", to = "a", rate_mbps = 100.0 },
  { from = "a", to = "b", rate_mbps = 5.0, delay_ms = 1.5, queue = { scheme = "drop-tail", limit_packets = 20 } },
  { from = "b", to = "receivers", rate_mbps = 20.0 },
]
[[flows]]
count = 5
senders = "senders"
receivers = "receivers"
profile = "ns2-oneway"
base_rtt_ms = { first = 10.0, last = 50.0 }
[record]
packets = true
flows = true
"#;

fn sampled_every(milliseconds: &str) -> Output {
    sampled(milliseconds, "0.0")
}

/// With this delay of the links to the receivers, in milliseconds.
fn sampled(every_ms: &str, delay_ms: &str) -> Output {
    let overrides = [("record.queue_interval_ms", every_ms), ("topology.links.2.delay_ms", delay_ms)];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario = Scenario::from_toml(FLOWS, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 3, &Control::default()).unwrap()
}

fn table<'a>(output: &'a Output, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).unwrap()
}

fn rows(output: &Output, name: &str) -> u64 {
    table(output, name).columns[0].values.len() as u64
}

/// What was sent before a sample is still under way when it is over: what follows has to wait behind it.
#[test]
fn nobody_is_asked_in_advance_while_an_earlier_packet_is_under_way() {
    let (rarely, often) = (sampled("25.0", "10.0"), sampled("0.02", "10.0"));
    for name in ["packets", "flows"] {
        let [a, b] = [&rarely, &often].map(|output| format!("{:?}", table(output, name).columns));
        assert!(a.len() > 1_000 && a == b, "table {name}");
    }
    let without_samples = |output: &Output| output.events - rows(output, "queue") / 2;
    assert!(without_samples(&rarely) < without_samples(&often), "some are asked in advance");
}

#[test]
fn what_is_asked_in_advance_changes_nothing_but_the_number_of_events() {
    let (rarely, often) = (sampled_every("10.0"), sampled_every("0.02"));
    for name in ["packets", "flows", "link"] {
        let [a, b] = [&rarely, &often].map(|output| format!("{:?}", table(output, name).columns));
        assert!(a.len() > 1_000 && a == b, "table {name}");
    }
    let delivered = |output: &Output| output.summary.flows[0].delivered_bytes.clone();
    assert_eq!(delivered(&rarely), delivered(&often));
    assert!(delivered(&rarely).iter().all(|&bytes| bytes > 0), "{:?}", delivered(&rarely));
    // Two ports are sampled at each instant, which is one event.
    let without_samples = |output: &Output| output.events - rows(output, "queue") / 2;
    let data = rarely.summary.links[0].counters.departed.packets;
    let saved = without_samples(&often) - without_samples(&rarely);
    assert!(saved > data * 3 / 4, "{saved} events of {data} data packets");
    // A packet is sent by an interface, a queue, and an interface, and its acknowledgement by three more, of which each takes
    // two events at most; the run is a third longer than what is measured, and timers are few.
    let events = without_samples(&rarely);
    assert!((2 * data..20 * data).contains(&events), "{events} events of {data} data packets");
}
