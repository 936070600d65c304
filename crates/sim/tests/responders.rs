//! Receivers that only answer are asked before their packets arrive, where nobody can tell. A machine that
//! has anything else to do, and be it in the last instant of the run, is never asked in advance. Both runs
//! must leave the same behind.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::table;

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

/// What makes the receivers send as well: from the last instant on, so that nothing comes of it.
const OCCUPATION: &str = r#"
[[datagrams]]
count = 5
senders = "receivers"
receivers = "senders"
packet_bytes = 100
rate_mbps = 0.001
start_s = 4.0
start_spread_s = 0.0
"#;

/// With this delay of the links to the receivers, which only answer or may have more to do.
fn runs(delay_ms: &str) -> [Output; 2] {
    let overrides = [("topology.links.2.delay_ms".to_owned(), delay_ms.to_owned())];
    [FLOWS.to_owned(), FLOWS.to_owned() + OCCUPATION].map(|text| {
        let scenario =
            Scenario::from_toml(&text, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, 3, &Control::default()).unwrap()
    })
}

/// Fails if anything differs but the number of events; answers with how many were saved, of how many.
fn saved(answering: &Output, occupied: &Output) -> (u64, u64) {
    for name in ["packets", "flows", "link", "queue"] {
        let [a, b] = [answering, occupied].map(|output| format!("{:?}", table(output, name).columns));
        assert!(a.len() > 1_000 && a == b, "table {name}");
    }
    let delivered = |output: &Output| output.summary.flows[0].delivered_bytes.clone();
    assert_eq!(delivered(answering), delivered(occupied), "in the measured window");
    assert!(delivered(answering).iter().all(|&bytes| bytes > 0), "{:?}", delivered(answering));
    (occupied.events - answering.events, answering.events)
}

/// What was sent before an edge of the measured window, and arrives behind it, is still under way when it is
/// over: what follows has to wait behind it.
#[test]
fn nobody_is_asked_in_advance_while_an_earlier_packet_is_under_way() {
    let [answering, occupied] = runs("10.0");
    let (saved, _) = saved(&answering, &occupied);
    assert!(saved > 0, "some are asked in advance");
}

#[test]
fn what_is_asked_in_advance_changes_nothing_but_the_number_of_events() {
    let [answering, occupied] = runs("0.0");
    let (saved, events) = saved(&answering, &occupied);
    let data = answering.summary.links[0].counters.departed.packets;
    assert!(saved > data * 3 / 4, "{saved} events of {data} data packets");
    // A packet is sent by an interface, a queue, and an interface, and its acknowledgement by three more, of
    // which each takes two events at most; the run is a third longer than what is measured, and timers are
    // few.
    assert!((2 * data..20 * data).contains(&events), "{events} events of {data} data packets");
}
