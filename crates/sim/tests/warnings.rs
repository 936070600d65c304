//! What a run's reader is told before trusting it.

use aqmlab_driver::warnings;
use aqmlab_record::{Amount, ClassCounts, Summary};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};

const TEXT: &str = r#"
name = "short"
duration_s = 2.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "red", limit_packets = 100, ecn = true }
[users]
per_side = 1
"#;

/// A short run whose queue may mark, beside its scenario.
fn ran() -> (Scenario, Summary) {
    let scenario = Scenario::from_toml(TEXT, "short", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut summary =
        run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}")).summary;
    // Nothing to say of it: every test takes one thing away.
    for population in &mut summary.populations {
        population.completed = 10_000;
    }
    for link in &mut summary.links {
        link.busy_share = 1.0;
        link.counters.marked = Amount { packets: 1, bytes: 1_000 };
        link.counters.discarded.values_mut().for_each(|amount| *amount = Amount::default());
        let arrived = |packets| ClassCounts { arrived_packets: packets, ..ClassCounts::default() };
        link.counters.by_class = [("data".to_owned(), arrived(5))].into();
        link.counters.by_codepoint =
            [("not_ect".to_owned(), arrived(4)), ("ect_0".to_owned(), arrived(1))].into();
    }
    (scenario, summary)
}

/// What is said of the run once it is changed.
fn said(change: impl FnOnce(&mut Scenario, &mut Summary)) -> Vec<String> {
    let (mut scenario, mut summary) = ran();
    change(&mut scenario, &mut summary);
    warnings::of(&summary, &scenario)
}

/// PI moves its probability by (a - b) (q - q_ref) 160 times a second: with its paper's gains (a - b = 6e-8)
/// and 300 packets too many that is 0.003 a second. Two hundred flows on 10 Mbit/s need a probability over a
/// half, forty with 17 kB windows one of about 0.014.
#[test]
fn a_controller_that_was_still_on_its_way_had_not_settled() {
    let warned = |flows: u32, warm_up_s: u32| {
        let text = format!(
            r#"
name = "integral"
duration_s = {}
warm_up_s = {warm_up_s}
[dumbbell]
rate_mbps = 10.0
queue = {{ scheme = "pi", limit_packets = 2400, ecn = true }}
[[flows]]
count = {flows}
direction = "left-to-right"
base_rtt_ms = 80.0
host = {{ ecn = "on" }}
"#,
            warm_up_s + 100
        );
        let scenario = Scenario::from_toml(&text, "integral", &[]).unwrap_or_else(|error| panic!("{error}"));
        let output = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let warnings = output.summary.warnings.into_iter();
        warnings.filter(|warning| warning.contains("had not settled")).collect::<Vec<_>>()
    };
    let said = warned(200, 1);
    assert!(said.len() == 1 && said[0].starts_with("pi at left-to-right had not settled"), "{said:?}");
    assert_eq!(warned(40, 60), NOTHING, "its integral has long been where it stays");
}

const NOTHING: [&str; 0] = [];

#[test]
fn fewer_than_ten_thousand_exchanges_of_all_users_are_few() {
    assert_eq!(said(|_, _| ()), NOTHING);
    let few = said(|_, run| {
        run.populations[0].completed = 9_000;
        run.populations[1].completed = 999;
    });
    assert!(few.len() == 1 && few[0].starts_with("too few samples: 9999 exchanges completed"), "{few:?}");
    let enough = said(|_, run| {
        run.populations[0].completed = 9_000;
        run.populations[1].completed = 1_000;
    });
    assert_eq!(enough, NOTHING);
    assert_eq!(said(|_, run| run.populations.clear()), NOTHING, "nobody asks for anything");
}

#[test]
fn a_run_without_a_link_busy_for_six_tenths_has_no_bottleneck() {
    let busy = |shares: [f64; 2]| {
        said(|_, run| run.links.iter_mut().zip(shares).for_each(|(link, share)| link.busy_share = share))
    };
    let idle = busy([0.1, 0.594]);
    assert_eq!(idle, ["no bottleneck: the busiest monitored link was busy 59 % of the time"]);
    assert_eq!(busy([0.1, 0.6]), NOTHING);
    assert_eq!(said(|_, run| run.links.clear()), NOTHING, "nobody looked");
}

#[test]
fn an_active_scheme_that_neither_marked_nor_dropped_never_acted() {
    let idle = |run: &mut Summary| run.links[1].counters.marked = Amount::default();
    let never = said(|_, run| idle(run));
    assert_eq!(never, ["red at right-to-left never acted: it neither marked nor dropped a packet"]);
    let dropped = said(|_, run| {
        idle(run);
        let early = run.links[1].counters.discarded.get_mut("early").unwrap();
        *early = Amount { packets: 1, bytes: 40 };
    });
    assert_eq!(dropped, NOTHING);
    let drop_tail = said(|scenario, run| {
        idle(run);
        let text = TEXT.replace(
            "scheme = \"red\", limit_packets = 100, ecn = true",
            "scheme = \"drop-tail\", limit_packets = 9",
        );
        *scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
    });
    assert_eq!(drop_tail, NOTHING, "it is not expected to act");
    let lost_before = said(|_, run| {
        idle(run);
        let lost = run.links[1].counters.discarded.get_mut("impairment").unwrap();
        *lost = Amount { packets: 1, bytes: 40 };
    });
    assert_eq!(lost_before, never, "what never came to the queue is no deed of its scheme");
    let full = said(|_, run| {
        idle(run);
        let overflow = run.links[1].counters.discarded.get_mut("overflow").unwrap();
        *overflow = Amount { packets: 7, bytes: 280 };
    });
    assert!(full.len() == 1, "{full:?}");
    assert!(
        full[0].starts_with("red at right-to-left never acted before its buffer was full: 7 overflows"),
        "{full:?}"
    );
}

#[test]
fn a_queue_that_may_mark_and_sees_nobody_who_can_be_marked_is_named() {
    let deaf = |run: &mut Summary| {
        run.links[0].counters.by_codepoint.get_mut("ect_0").unwrap().arrived_packets = 0;
    };
    let nobody = said(|_, run| deaf(run));
    assert!(
        nobody.len() == 1 && nobody[0].starts_with("red at left-to-right may mark, but no"),
        "{nobody:?}"
    );
    let without_data = said(|_, run| {
        deaf(run);
        run.links[0].counters.by_class.get_mut("data").unwrap().arrived_packets = 0;
    });
    assert_eq!(without_data, NOTHING, "acknowledgements are never marked");
    let drops = said(|scenario, run| {
        deaf(run);
        let text = TEXT.replace(", ecn = true", "");
        *scenario = Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}"));
    });
    assert_eq!(drops, NOTHING);
}

#[test]
fn a_link_that_loses_more_than_a_third_of_its_data_carries_retransmissions() {
    let lost = |arrived: u64, discarded: u64| {
        said(|_, run| {
            let counts = ClassCounts {
                arrived_packets: arrived,
                discarded_packets: discarded,
                ..ClassCounts::default()
            };
            run.links[1].counters.by_class.insert("data".to_owned(), counts);
        })
    };
    let storm = lost(3_000, 1_001);
    assert!(
        storm.len() == 1 && storm[0].starts_with("right-to-left lost 33 % of its data packets"),
        "{storm:?}"
    );
    assert_eq!(lost(3_000, 1_000), NOTHING, "a third is not more than a third");
    assert_eq!(lost(999, 999), NOTHING, "few packets say little");
}

/// PI with its paper's reference of 200 packets in front of a buffer of 50: the queue is never above the
/// reference, so that the probability stays where it began.
#[test]
fn a_reference_that_the_buffer_never_holds_is_named_with_both_remedies() {
    let warned = |settings: &str| {
        let text = format!(
            "name = \"pi\"\nduration_s = 20.0\n[dumbbell]\nrate_mbps = 5.0\n\
             queue = {{ scheme = \"pi\", limit_packets = 50{settings} }}\n[[flows]]\ncount = 10\nbase_rtt_ms = 30.0\n\
             direction = \"left-to-right\"\n"
        );
        let scenario = Scenario::from_toml(&text, "pi", &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}")).summary.warnings
    };
    let unreachable = warned("");
    let says = |what: &str| unreachable.iter().any(|warning| warning.contains(what));
    assert!(
        says(
            "pi at left-to-right signals from q_ref_packets = 200 on, but its buffer of limit_packets = 50 never"
        ),
        "{unreachable:?}"
    );
    assert!(says("set q_ref_packets below 50, or limit_packets above 200"), "{unreachable:?}");
    assert!(says("pi at left-to-right never acted before its buffer was full: "), "{unreachable:?}");
    let within = warned(", q_ref_packets = 10, gains = { fixed = { a = 2e-3, b = 1.9e-3 } }");
    let concerned = within.iter().filter(|warning| warning.starts_with("pi at left-to-right"));
    assert_eq!(concerned.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// A call ahead of a download at 10 Mbit/s: at 1 Mbit/s it leaves the download its turns, at 12 none.
#[test]
fn a_band_that_never_has_its_turn_is_named() {
    let warned = |call_mbps: f64| {
        let text = format!(
            r#"
name = "starved"
duration_s = 6.0
[dumbbell]
rate_mbps = 10.0
queue = {{ scheme = "prio", bands = [{{ dscp = [46], queue = {{ scheme = "drop-tail", limit_packets = 50 }} }}, {{}}] }}
[[flows]]
count = 1
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"
[[datagrams]]
name = "call"
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = {call_mbps}
dscp = 46
start_s = 1.0
"#
        );
        let scenario = Scenario::from_toml(&text, "starved", &[]).unwrap_or_else(|error| panic!("{error}"));
        let ran = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        ran.summary.warnings.into_iter().find(|text| text.contains("starved queue.bands"))
    };
    assert_eq!(warned(1.0), None);
    let said = warned(12.0).expect("the download starves");
    assert!(
        said.starts_with("prio at left-to-right starved queue.bands.1: packets waited there for "),
        "{said}"
    );
}
