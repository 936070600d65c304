//! What netem's laws do to traffic on a link: nothing is lost track of, and TCP lives with it.

mod columns;

use aqmlab_record::ImpairmentSummary;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{table, whole};

const LINK: &str = r#"
name = "netem"
duration_s = 60.0
[dumbbell]
rate_mbps = 20.0
delay_ms = 10.0
interface_rate_mbps = 1000.0
netem = { NETEM }
queue = { scheme = "drop-tail", limit_packets = 200 }
"#;

fn simulate(netem: &str, traffic: &str) -> Output {
    let text = format!("{}{traffic}", LINK.replace("NETEM", netem));
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

const DATAGRAMS: &str = "[[datagrams]]\nname = \"d\"\ncount = 2\ndirection = \"left-to-right\"\n\
                         packet_bytes = 500\nrate_mbps = 2.0\nstart_spread_s = 0.0\n";

/// Each has 3 MB to send.
fn flows(hosts: &str) -> String {
    format!(
        "[[flows]]\nname = \"f\"\ncount = 2\ndirection = \"left-to-right\"\nbytes = 3000000\nbase_rtt_ms = 20\n\
         {hosts}\n[record]\nflows = true\n"
    )
}

/// What was offered, and what came a second time, is delivered, lost on purpose or by the queue, or waits.
#[test]
fn what_is_offered_and_duplicated_is_delivered_or_lost() {
    let bursts = "gilbert_elliott = { to_bad_probability = 0.01, to_good_probability = 0.25 }";
    let output = simulate(&format!("duplicate_probability = 0.1, {bursts}"), DATAGRAMS);
    let ImpairmentSummary { arrived, lost, duplicated, .. } = &output.summary.impairments[0];
    let duplicated = duplicated.expect("duplicates");
    let link = &output.summary.links[0];
    let discarded: u64 = link.counters.discarded.values().map(|amount| amount.packets).sum();
    let waiting_or_under_way =
        arrived.packets + duplicated.packets - discarded - link.counters.departed.packets;
    assert!(waiting_or_under_way <= 1, "{waiting_or_under_way}");
    assert_eq!(discarded, lost.packets, "nothing overflows");
    // Two sources of 500 packets a second for 60 s.
    let offered = arrived.packets as f64;
    assert!((offered - 60_000.0).abs() < 10.0, "{offered}");
    let passed = offered - lost.packets as f64;
    let error = (passed * 0.1 * 0.9).sqrt();
    assert!((duplicated.packets as f64 - 0.1 * passed).abs() < 4.0 * error, "{duplicated:?}");
    // The share p/(p+r), with the variance of a chain of memory 0.74.
    let share: f64 = 0.01 / 0.26;
    let error = (offered * share * (1.0 - share) * (1.74 / 0.26)).sqrt();
    assert!((lost.packets as f64 - share * offered).abs() < 4.0 * error, "{lost:?}");
    // Applications hear of each datagram once.
    let [sent, received, gone, under_way] = ["sent", "received", "lost", "under_way"]
        .map(|name| whole(table(&output, "datagrams"), &format!("{name}_packets")).iter().sum::<u64>());
    assert_eq!(sent, received + gone + under_way);
    assert_eq!(gone, lost.packets);
}

#[test]
fn tcp_of_all_ages_gets_its_bytes_through_whatever_happens() {
    let everything = "jitter_ms = 5.0, jitter_distribution = \"normal\", keeps_order = false, \
                      reorder_probability = 0.05, duplicate_probability = 0.05, \
                      gilbert_elliott = { to_bad_probability = 0.002, to_good_probability = 0.4 }";
    for hosts in [
        "profile = \"linux6-cubic\"",
        "profile = \"linux6-reno\"",
        "profile = \"rfc5681\"",
        "profile = \"bsd45\"",
    ] {
        let output = simulate(everything, &flows(hosts));
        let delivered: u64 = output.summary.flows.iter().flat_map(|group| &group.delivered_bytes).sum();
        assert_eq!(delivered, 6_000_000, "{hosts}");
        assert!(output.summary.impairments[0].duplicated.is_some(), "{hosts}");
        assert!(output.summary.invariants.iter().all(|invariant| invariant.holds), "{hosts}");
    }
}

/// Without losses: Linux learns how far packets overtake one another, and does not take that for losses.
#[test]
fn jitter_that_keeps_the_order_costs_no_retransmission() {
    let kept =
        simulate("jitter_ms = 5.0", &flows("profile = \"linux6-cubic\"\nhost = { window_bytes = 60000 }"));
    assert_eq!(kept.summary.tcp.retransmitted_segments, 0);
    let overtaken = simulate(
        "jitter_ms = 5.0, keeps_order = false",
        &flows("profile = \"rfc5681\"\nhost = { window_bytes = 60000 }"),
    );
    assert!(overtaken.summary.tcp.retransmitted_segments > 0, "duplicate acknowledgements look like losses");
}
