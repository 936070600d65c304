//! Long-lived flows: their machines and delays.

use aqmlab_random::Key;
use aqmlab_scenario::{DelayOn, Flow, FlowDelays, FlowGroup, FlowStarts, Life, Scenario};
use aqmlab_session::Writes;
use aqmlab_units::{Rate, Span};
use aqmlab_web::SizeLaw;
use std::collections::BTreeSet;

fn flows(table: &str) -> (Scenario, FlowGroup) {
    let text = format!(
        "name = \"x\"\nduration_s = 100\n[dumbbell]\nrate_mbps = 100\n\
         queue = {{ scheme = \"drop-tail\", limit_packets = 240 }}\n\
         server_machines_per_side = 2\nbrowser_machines_per_side = 3\n[[flows]]\n{table}"
    );
    let scenario = Scenario::from_toml(&text, "x.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let group = scenario.flows[0].clone();
    (scenario, group)
}

const fn within(spread: Span) -> FlowStarts {
    FlowStarts::Spread { first: Span::ZERO, spread }
}

fn round_trip(flow: &Flow) -> Span {
    flow.delay_from_sender + flow.delay_from_receiver
}

#[test]
fn round_trip_delays_are_evenly_spaced_and_split_in_halves() {
    let (_, group) =
        flows("count = 50\ndirection = \"left-to-right\"\nbase_rtt_ms = { first = 10, last = 150 }\n");
    assert_eq!(group.flows.len(), 50);
    for (index, flow) in (0..50_u64).zip(&group.flows) {
        let exact_ns = 10e6 + 140e6 * index as f64 / 49.0;
        assert!((round_trip(flow).nanoseconds() as f64 - exact_ns).abs() <= 0.5, "flow {index}");
        let halves = [flow.delay_from_sender, flow.delay_from_receiver];
        assert!(halves[1].nanoseconds() - halves[0].nanoseconds() <= 1, "flow {index}: {halves:?}");
    }
}

#[test]
fn the_delay_can_lie_on_one_side() {
    let on = |side: &str| {
        let table =
            format!("count = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 80.5\ndelay_on = \"{side}\"\n");
        let flow = flows(&table).1.flows[0];
        (flow.delay_from_sender, flow.delay_from_receiver)
    };
    let all = Span::from_microseconds(80_500);
    assert_eq!(on("sender"), (all, Span::ZERO));
    assert_eq!(on("receiver"), (Span::ZERO, all));
}

#[test]
fn round_trips_can_be_drawn_from_a_law() {
    let (_, group) = flows(
        "count = 3\ndirection = \"left-to-right\"\nbase_rtt_ms = { law = \"packmime\" }\ndelay_on = \"receiver\"\n",
    );
    let FlowDelays::Drawn { on, .. } = group.delays else { panic!("{:?}", group.delays) };
    assert_eq!(on, DelayOn::Receiver);
    // Until a run draws them, the law's shortest: 0.87741 to the fifth power and 0.79105 to the third.
    for flow in &group.flows {
        assert_eq!(flow.delay_from_sender, Span::ZERO);
        assert!((flow.delay_from_receiver.seconds() - 1.015e-3).abs() < 1e-6);
    }
}

#[test]
fn round_trips_can_be_drawn_from_the_law_of_a_file() {
    let group = |law: &str| {
        flows(&format!(
            "count = 2\ndirection = \"left-to-right\"\nbase_rtt_ms = {{ cdf_file = \"rtt.cdf\" }}\n[files]\n\"rtt.cdf\" = \"{law}\"\n"
        ))
    };
    let (scenario, drawn) = group("20 0.5\\n80 1\\n");
    assert!(matches!(drawn.delays, FlowDelays::Drawn { on: DelayOn::Both, .. }));
    assert_eq!(drawn.flows.iter().map(round_trip).collect::<Vec<_>>(), [Span::from_milliseconds(20); 2]);
    let again = Scenario::from_json(&scenario.to_json()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.flows, scenario.flows);
}

#[test]
fn sizes_are_drawn_from_laws_and_files_and_are_written_as_they_were_read() {
    let key = |n| Key::from_seed(1).indexed(n);
    for (bytes, law) in [
        ("{ law = \"exponential\", mean_bytes = 5000 }", SizeLaw::exponential(5_000.0)),
        ("{ law = \"lognormal\", median_bytes = 5000, sigma = 1.5 }", SizeLaw::lognormal(5_000.0, 1.5, 1e9)),
        (
            "{ law = \"pareto\", mean_bytes = 5000, shape = 1.2, maximum_bytes = 1e6 }",
            SizeLaw::pareto(5_000.0, 1.2, 1e6).unwrap(),
        ),
    ] {
        let (scenario, group) =
            flows(&format!("count = 2\ndirection = \"left-to-right\"\nbytes = {bytes}\n"));
        assert_eq!(group.bytes, Some(law), "{bytes}");
        let again = Scenario::from_json(&scenario.to_json()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.flows, scenario.flows);
    }
    let (_, drawn) = flows(
        "count = 2\ndirection = \"left-to-right\"\nbytes = { law = \"empirical\", cdf_file = \"s.cdf\" }\n\
         [files]\n\"s.cdf\" = \"700 0.5\\n900 1\\n\"\n",
    );
    let law = drawn.bytes.unwrap();
    let sizes: BTreeSet<u64> = (0..50).map(|n| law.draw(key(n))).collect();
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [700, 900]);
}

#[test]
fn an_application_with_a_rate_writes_every_ten_milliseconds_unless_told() {
    let writes = |more: &str| {
        flows(&format!("count = 1\ndirection = \"left-to-right\"\napplication_mbps = 2\n{more}")).1.writes
    };
    let rate = Rate::from_megabits_per_second(2.0);
    assert_eq!(writes(""), Some(Writes { rate, every: Span::from_milliseconds(10) }));
    let every = Span::from_seconds(2.0);
    assert_eq!(writes("application_write_ms = 2000\n"), Some(Writes { rate, every }));
}

#[test]
fn laws_without_a_size_and_writes_without_a_rate_are_refused_with_what_is_legal() {
    for (table, place, wrong) in [
        (
            "bytes = { law = \"lognormal\", median_bytes = 5000, sigma = 1, maximum_bytes = 4000 }",
            "flows.0.bytes.maximum_bytes",
            "4000 leaves no size",
        ),
        (
            "bytes = { law = \"pareto\", mean_bytes = 6000, shape = 1.2, maximum_bytes = 900 }",
            "flows.0.bytes.maximum_bytes",
            "(shape - 1) / shape = 1000.0",
        ),
        ("bytes = { law = \"logistic\", mean_bytes = 6000 }", "flows.0.bytes.law", "lognormal"),
        (
            "bytes = { law = \"pareto\", mean = 6000, shape = 2 }",
            "flows.0.bytes",
            "did you mean \"mean_bytes\"",
        ),
        ("bytes = { median_bytes = 6000 }", "flows.0.bytes", "missing key \"law\""),
        ("bytes = 0", "flows.0.bytes", "1 to"),
        ("application_write_ms = 20", "flows.0.application_write_ms", "together with application_mbps"),
        ("application_mbps = 0", "flows.0.application_mbps", "0.001 to 1000000"),
    ] {
        let text = format!(
            "name = \"x\"\nduration_s = 9\n[dumbbell]\nrate_mbps = 1\n\
             queue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n[[flows]]\ncount = 1\n\
             direction = \"left-to-right\"\n{table}\n"
        );
        let said = Scenario::from_toml(&text, "x.toml", &[]).unwrap_err().to_string();
        assert!(said.contains(place) && said.contains(wrong), "{table}: {said}");
    }
}

#[test]
fn data_go_from_servers_to_browsers_of_the_other_side_machine_by_machine() {
    for (direction, senders, receivers) in [
        ("left-to-right", "servers-left", "browsers-right"),
        ("right-to-left", "servers-right", "browsers-left"),
    ] {
        let (scenario, group) = flows(&format!("count = 7\ndirection = \"{direction}\"\n"));
        for (index, flow) in group.flows.iter().enumerate() {
            let name = |node| scenario.network.node(node).name.as_str();
            assert_eq!(name(flow.sender), format!("{senders}-{}", index % 2));
            assert_eq!(name(flow.receiver), format!("{receivers}-{}", index % 3));
        }
    }
}

#[test]
fn flows_start_within_a_second_and_never_end_unless_told() {
    let (_, group) = flows("count = 1\ndirection = \"left-to-right\"\n");
    assert_eq!((&group.starts, group.bytes), (&within(Span::from_milliseconds(1_000)), None));
    assert_eq!(round_trip(&group.flows[0]), Span::ZERO);
    let (_, told) = flows("count = 1\ndirection = \"left-to-right\"\nstart_spread_s = 0\nbytes = 1000000\n");
    assert_eq!((&told.starts, told.bytes), (&within(Span::ZERO), Some(SizeLaw::constant(1_000_000))));
}

#[test]
fn settings_of_the_profile_are_replaced() {
    let (_, group) = flows(
        "count = 1\ndirection = \"left-to-right\"\nprofile = \"ns2-oneway\"\nhost = { maximum_segment_bytes = 500 }\n",
    );
    assert_eq!((group.profile.name, group.profile.maximum_segment_bytes), ("ns2-oneway", 500));
}

/// The default describes TCP, so a resolved scenario over QUIC has none, and is as legal as what it was
/// made of.
#[test]
fn a_profile_of_tcp_comes_and_goes_with_the_transport() {
    let table = "count = 1\ndirection = \"left-to-right\"\ntransport = \"quic\"\n";
    let (over_quic, _) = flows(table);
    let (over_tcp, _) = flows(&table.replace("quic", "tcp"));
    let has_profile = |scenario: &Scenario| scenario.to_json().contains("\"profile\":\"bsd45\"");
    assert!(has_profile(&over_tcp) && !has_profile(&over_quic));
    assert_eq!(Scenario::from_json(&over_quic.to_json()).unwrap(), over_quic);
    let with = |scenario: &Scenario, transport: &str| {
        scenario.with_overrides(&[("flows.0.transport".to_owned(), transport.to_owned())]).unwrap()
    };
    assert_eq!(with(&over_tcp, "quic"), over_quic);
    assert_eq!(with(&over_quic, "tcp"), over_tcp);
    let (named, _) = flows(&format!("{table}profile = \"linux6-reno\"\n"));
    assert_eq!(with(&named, "quic"), named);
}

#[test]
fn flows_of_phases_are_there_as_long_as_there_are_as_many() {
    let (_, group) = flows(
        "count = 4\ndirection = \"left-to-right\"\nstart_s = 10\nstart_spread_s = 2\n\
         phases = { each_s = 15, flows = [1, 2, 4, 4, 2, 0] }\n",
    );
    let FlowStarts::Phases { lives, spread } = &group.starts else { panic!("{:?}", group.starts) };
    let seconds = |life: &Life| [life.from, life.until].map(Span::seconds);
    let found: Vec<[f64; 2]> = lives.iter().map(seconds).collect();
    assert_eq!(found, [[10.0, 85.0], [25.0, 85.0], [40.0, 70.0], [40.0, 70.0]]);
    assert_eq!((*spread, group.stop), (Span::from_milliseconds(2_000), None));
}
