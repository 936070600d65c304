//! A run that is taken step by step: what is observed adds up, what is changed takes hold, and what may not
//! be changed is refused.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Action, Control, LinkObservation, Output, RunError, Simulation, run};
use aqmlab_units::{Span, Time};
use columns::{names, table, whole};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

/// Packets of 1,000 bytes, one in 4 ms, at a link that takes 8 ms for each and has a propagation delay, so
/// that a run predicts its departures.
const OVERLOAD: &str = r#"
name = "overload"
duration_s = 10.0
warm_up_s = 1.0
[topology]
nodes = [
  { name = "left", kind = "host" },
  { name = "a", kind = "router" },
  { name = "b", kind = "router" },
  { name = "right", kind = "host" },
]
[[topology.links]]
from = "left"
to = "a"
[[topology.links]]
from = "a"
to = "b"
both_ways = false
rate_mbps = 1.0
delay_ms = 5.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = { scheme = "drop-tail", limit_packets = 40 }
[[topology.links]]
from = "b"
to = "a"
both_ways = false
rate_mbps = 100.0
[[topology.links]]
from = "b"
to = "right"
[[datagrams]]
senders = "left"
receivers = "right"
count = 1
packet_bytes = 1000
rate_mbps = 2.0
start_spread_s = 0.0
ecn = "ect0"
"#;

fn scenario(queue: &str) -> Scenario {
    let overrides = [("topology.links.1.queue".to_owned(), queue.to_owned())];
    Scenario::from_toml(OVERLOAD, "test", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

const DROP_TAIL: &str = "{ scheme = \"drop-tail\", limit_packets = 40 }";

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(ms)
}

/// A simulation that is asked for the first link alone.
struct Line<'a>(Simulation<'a>);

impl<'a> Line<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        Self(Simulation::new(scenario, 3, &Control::default()).unwrap_or_else(|error| panic!("{error}")))
    }

    fn at(&mut self, ms: u64) -> LinkObservation {
        self.0.advance_until(at_ms(ms), &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let observation = self.0.observe();
        assert_eq!(observation.now, at_ms(ms));
        observation.links[0].clone()
    }

    fn act(&mut self, action: &Action) {
        self.0.act("a-to-b", action).unwrap_or_else(|error| panic!("{error}"));
    }

    fn adjust(&mut self, key: &str, value: impl Into<Value>) {
        self.act(&Action::parameter(key, value));
    }

    fn refused(&mut self, action: &Action) -> String {
        self.0.act("a-to-b", action).unwrap_err().to_string()
    }
}

fn state(link: &LinkObservation, name: &str) -> f64 {
    let found = link.state.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", link.state)).1
}

#[test]
fn a_full_link_is_observed_as_it_is_worked_out_by_hand() {
    let scenario = scenario(DROP_TAIL);
    let mut line = Line::new(&scenario);
    let first = line.at(0);
    assert_eq!((first.backlog_packets, first.utilization, first.mean_backlog_packets), (0, 0.0, 0.0));
    line.at(2_000);
    let second = line.at(4_000);
    // In 2 s come 500 packets and 250 leave; the queue is full all the time, but for the 4 ms after a
    // departure behind which no packet has come yet.
    assert_eq!((second.arrived.packets, second.arrived.bytes), (500, 500_000));
    assert_eq!((second.departed.packets, second.sent.frames), (250, 250));
    assert_eq!((second.dropped.packets, second.marked.packets), (250, 0));
    assert_eq!(second.dropped_for[0], second.dropped, "for want of room");
    assert_eq!(second.utilization, 1.0);
    assert!((39..=40).contains(&second.backlog_packets), "{}", second.backlog_packets);
    assert!((39.0..=40.0).contains(&second.mean_backlog_packets), "{}", second.mean_backlog_packets);
    assert_eq!(second.backlog_bytes, 1_000 * u64::from(second.backlog_packets));
    assert_eq!(second.queueing_delay(), Span::from_milliseconds(8) * u64::from(second.backlog_packets));
    assert_eq!(line.at(4_000).arrived.packets, 0, "nothing since the look before");
}

#[test]
fn a_link_sends_at_its_new_rate_from_the_next_transmission_on() {
    let scenario = scenario(DROP_TAIL);
    let mut line = Line::new(&scenario);
    line.at(2_000);
    line.act(&Action::rate_mbps(0.5));
    line.at(2_016); // what was being sent has left, and the first packet at the new rate
    let slow = line.at(4_016);
    assert_eq!((slow.departed.packets, slow.rate.bits_per_second()), (125, 500_000));
    line.act(&Action::rate_mbps(4.0));
    line.at(5_000); // the queue is empty, and the link has 2 of its 4 Mbit/s to send
    let fast = line.at(7_000);
    assert_eq!((fast.departed.packets, fast.dropped.packets, fast.backlog_packets), (500, 0, 0));
    assert!((fast.utilization - 0.5).abs() < 1e-3, "{}", fast.utilization);
    line.0.finish(&Control::default()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn packets_beyond_a_lower_limit_wait_and_no_other_comes_until_they_have_left() {
    let scenario = scenario(DROP_TAIL);
    let mut line = Line::new(&scenario);
    line.at(2_000);
    line.adjust("limit_packets", 10);
    // 10 departures in 80 ms, and no arrival finds room: 20 are lost.
    let draining = line.at(2_080);
    assert_eq!((draining.departed.packets, draining.dropped.packets), (10, 20));
    assert!((29..=30).contains(&draining.backlog_packets), "{}", draining.backlog_packets);
    let drained = line.at(4_000);
    assert!((9..=10).contains(&drained.backlog_packets), "{}", drained.backlog_packets);
    line.adjust("limit_packets", 100);
    let filled = line.at(6_000);
    assert!((99..=100).contains(&filled.backlog_packets), "{}", filled.backlog_packets);
}

const RED: &str = "{ scheme = \"red\", limit_packets = 400, min_th_packets = 20.0, max_th_packets = 220.0, \
                   max_p = 0.01, w_q = 0.002 }";

#[test]
fn red_signals_by_its_new_curve_from_the_average_that_it_had() {
    let scenario = scenario(RED);
    let mut line = Line::new(&scenario);
    let before = line.at(2_000);
    let average = state(&before, "average_packets");
    assert!(20.0 < average && average < 220.0, "{average}");
    assert!((before.signal_probability.value() - 0.01 * (average - 20.0) / 200.0).abs() < 1e-12);
    assert_eq!(before.marked.packets, 0, "ECN is off");
    line.act(&Action {
        parameters: json!({ "max_p": 0.5, "ecn": true }).as_object().unwrap().clone(),
        ..Action::default()
    });
    let after = line.at(2_000);
    assert_eq!(state(&after, "average_packets"), average);
    assert!((after.signal_probability.value() - 0.5 * (average - 20.0) / 200.0).abs() < 1e-12);
    let marking = line.at(2_500);
    assert!(marking.marked.packets > 0 && marking.dropped.packets == 0, "{marking:?}");
}

#[test]
fn codel_drops_on_from_where_it_was() {
    let scenario = scenario("{ scheme = \"codel\", limit_packets = 4000 }");
    let mut line = Line::new(&scenario);
    line.at(2_950);
    let before = line.at(3_000);
    assert!(state(&before, "count") > 5.0, "{before:?}");
    line.adjust("target_ms", 8.0);
    assert_eq!(line.at(3_000).state, before.state);
    line.adjust("interval_ms", 10.0);
    // The gaps between drops are ten times shorter.
    let (slow, fast) = (before.dropped.packets, line.at(3_050).dropped.packets);
    assert!(fast > 3 * slow, "{slow} and then {fast}");
}

#[test]
fn schemes_of_fair_queues_are_adjusted_in_every_queue() {
    let scenario = scenario("{ scheme = \"fq-codel\", limit_packets = 400, ecn = false }");
    let mut line = Line::new(&scenario);
    assert_eq!(line.at(2_000).marked.packets, 0);
    line.adjust("ecn", true);
    assert!(line.at(4_000).marked.packets > 0);
    line.adjust("limit_packets", 20);
    assert!(line.at(6_000).backlog_packets <= 20);
}

#[test]
fn what_cannot_be_changed_is_refused_and_what_can_is_named() {
    let scenario = scenario(RED);
    let mut line = Line::new(&scenario);
    line.at(500);
    let refused = line.0.act("up", &Action::rate_mbps(2.0)).unwrap_err().to_string();
    assert_eq!(refused, "no monitored link is called \"up\"; legal: a-to-b");
    let refused = line.refused(&Action::parameter("spacing", "uniform"));
    assert!(
        refused.starts_with("a-to-b: `spacing` of red cannot be changed during a run; legal: limit_pack")
    );
    assert!(refused.contains("max_p") && !refused.contains("measure"), "{refused}");
    let refused = line.refused(&Action::parameter("max_p", 2.0));
    assert_eq!(refused, "a-to-b: `max_p` is 2: it must be above 0 and at most 1");
    let refused = line.refused(&Action::parameter("limit_packets", "many"));
    assert!(refused.starts_with("a-to-b: red: invalid type"), "{refused}");
    for wrong in [0.0, -1.0, 2e6, f64::NAN, f64::INFINITY] {
        let refused = line.refused(&Action::rate_mbps(wrong));
        assert!(refused.contains("it must be from 0.001 to 1000000 Mbit/s"), "{refused}");
    }
    // Half of an action is none.
    let both = Action { rate_mbps: Some(2.0), ..Action::parameter("max_p", 0.0) };
    line.refused(&both);
    assert_eq!(line.at(500).rate.bits_per_second(), 1_000_000);
}

#[test]
fn the_rate_of_a_trace_and_the_bins_of_sfb_are_fixed() {
    let trace = [
        ("topology.links.1.rate_trace_file", "\"own.trace\""),
        ("topology.links.1.rate_mbps", "12.032"),
        ("files", "{ \"own.trace\" = \"1\\n\" }"),
        ("topology.links.1.queue", "{ scheme = \"sfb\", limit_packets = 40 }"),
    ];
    let overrides = trace.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario =
        Scenario::from_toml(OVERLOAD, "test", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut line = Line::new(&scenario);
    let refused = line.refused(&Action::rate_mbps(2.0));
    assert_eq!(
        refused,
        "a-to-b: the rate of a link with a rate trace or a medium cannot be changed during a run"
    );
    let refused = line.refused(&Action::parameter("limit_packets", 9));
    let none = "`limit_packets` of sfb cannot be changed during a run; none of its parameters can";
    assert_eq!(refused, format!("a-to-b: {none}"));
}

/// How often a run has looked at what its caller wants.
static LOOKS: AtomicU32 = AtomicU32::new(0);

fn is_third_look() -> bool {
    LOOKS.fetch_add(1, Ordering::Relaxed) == 2
}

#[test]
fn an_interrupted_step_can_be_taken_up_again_on_another_thread() {
    let text = "name = \"users\"\nduration_s = 25.0\n[dumbbell]\nrate_mbps = 5.0\n\
                queue = { scheme = \"red\", limit_packets = 60 }\n[users]\nper_side = 300\n";
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario, 1, &Control::default()).unwrap().into_owned();
    let control = Control::interruptible(is_third_look);
    assert_eq!(simulation.advance_until(simulation.end(), &control), Err(RunError::Cancelled));
    assert!(Time::ZERO < simulation.now() && simulation.now() < simulation.end());
    let finished = std::thread::spawn(|| simulation.finish(&Control::default())).join().unwrap();
    let (output, whole) = (finished.unwrap(), run(&scenario, 1, &Control::default()).unwrap());
    assert_eq!(output.summary.to_json(), whole.summary.to_json());
    assert_eq!(output.tables, whole.tables);
}

#[test]
fn a_time_that_has_passed_is_no_step_and_one_beyond_the_end_is_the_end() {
    let scenario = scenario(DROP_TAIL);
    let mut line = Line::new(&scenario);
    line.at(2_000);
    line.0.advance_until(at_ms(1_000), &Control::default()).unwrap();
    assert_eq!(line.0.now(), at_ms(2_000));
    line.0.advance_until(at_ms(20_000), &Control::default()).unwrap();
    assert_eq!(line.0.now(), at_ms(10_000));
}

/// Transfers that come and go beside flows without an end and people, at a queue that drops.
const CLOSING: &str = r#"
name = "closing"
duration_s = 20.0
[dumbbell]
rate_mbps = 5.0
queue = { scheme = "drop-tail", limit_packets = 15 }
[users]
per_side = 20
[[flows]]
name = "files"
count = 60
direction = "left-to-right"
profile = "linux6-cubic"
base_rtt_ms = 30.0
start_spread_s = 15.0
bytes = 60_000
[[flows]]
name = "bulk"
count = 2
direction = "left-to-right"
base_rtt_ms = 30.0
[record]
flows = true
"#;

/// Segments that the connections of a group sent again, by the rows of the table `flows`.
fn sent_again_by_rows(output: &Output, group: &str) -> u64 {
    let flows = table(output, "flows");
    let rows = names(flows, "flow_group").iter().zip(whole(flows, "retransmitted_segments"));
    rows.filter(|(name, _)| *name == Some(group)).map(|(_, count)| count).sum()
}

#[test]
fn what_was_sent_again_counts_when_the_connection_is_over() {
    let scenario = Scenario::from_toml(CLOSING, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    let control = Control::default();
    for step_ms in [130, 5_000, 20_000] {
        let mut simulation = Simulation::new(&scenario, 3, &control).unwrap();
        let mut observed = [0; 2];
        while simulation.now() < simulation.end() {
            let next = simulation.now() + Span::from_milliseconds(step_ms);
            simulation.advance_until(next, &control).unwrap();
            let groups = simulation.observe().groups;
            for (sum, name) in observed.iter_mut().zip(["files", "bulk"]) {
                let group = groups.iter().find(|group| group.name == name).expect(name);
                *sum += group.retransmitted_segments;
            }
        }
        let output = simulation.finish(&control).unwrap();
        let rows = ["files", "bulk"].map(|name| sent_again_by_rows(&output, name));
        assert!(rows.into_iter().all(|count| count > 20), "{rows:?}");
        assert_eq!(observed, rows, "in steps of {step_ms} ms");
    }
}
