//! Boxes that change the ECN field in front of a queue and behind it: what the queue sees, and what hosts
//! make of it.

use aqmlab_record::{ImpairmentSummary, LinkSummary};
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};

fn simulate(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

const DUAL: &str = "scheme = \"dualpi2\", limit_packets = 10000";
const PRAGUE: &str = "congestion = \"prague\"";
const PRAGUE_WITH_COUNTS: &str = "congestion = \"prague\", accurate_ecn_option = true";

/// A flow of a host over 20 Mbit/s and 20 ms, with a queue; a box in front of the queue, and one behind it.
fn flow(host: &str, queue: &str, front: &str, behind: &str) -> Output {
    simulate(&format!(
        r#"
name = "boxes"
duration_s = 30.0
topology.nodes = [
  {{ name = "sender", kind = "host" }}, {{ name = "a", kind = "router" }}, {{ name = "b", kind = "router" }},
  {{ name = "receiver", kind = "host" }},
]
topology.links = [
  {{ from = "sender", to = "a", both_ways = false, rate_mbps = 1000.0 }},
  {{ from = "a", to = "b", both_ways = false, rate_mbps = 20.0, queue = {{ {queue} }}, ecn_field = "{front}" }},
  {{ from = "b", to = "receiver", both_ways = false, ecn_field = "{behind}" }},
  {{ from = "receiver", to = "b", both_ways = false, rate_mbps = 1000.0 }},
  {{ from = "b", to = "a", both_ways = false, delay_ms = 20.0 }},
  {{ from = "a", to = "sender", both_ways = false }},
]
[[flows]]
count = 1
senders = "sender"
receivers = "receiver"
start_spread_s = 0.0
profile = "linux6-cubic"
host = {{ {host} }}
"#
    ))
}

fn link(output: &Output) -> &LinkSummary {
    &output.summary.links[0]
}

/// Packets of each codepoint that came to the queue: not capable, ECT(0), ECT(1), marked.
fn arrived(output: &Output) -> [u64; 4] {
    let counts = &link(output).counters.by_codepoint;
    ["not_ect", "ect0", "ect1", "ce"].map(|name| counts[name].arrived_packets)
}

/// The only box.
fn changed(output: &Output) -> (&ImpairmentSummary, u64) {
    let [own] = output.summary.impairments.as_slice() else { panic!("{:?}", output.summary.impairments) };
    (own, own.ecn_changed.map_or(0, |amount| amount.packets))
}

#[test]
fn nothing_is_changed_where_the_field_is_kept() {
    let output = flow(PRAGUE, DUAL, "kept", "kept");
    assert!(output.summary.impairments.is_empty());
    let [_, ect0, ect1, _] = arrived(&output);
    assert!(ect0 == 0 && ect1 > 10_000, "{:?}", arrived(&output));
    assert!(link(&output).counters.marked.packets > 0 && link(&output).loss_ratio == 0.0);
}

/// RFC 9332: what is not ECT(1) is in the classic queue, and what is not ECN-capable is dropped there.
#[test]
fn behind_a_box_that_clears_prague_is_in_the_classic_queue_and_is_dropped() {
    for host in [PRAGUE, PRAGUE_WITH_COUNTS] {
        let output = flow(host, DUAL, "cleared", "kept");
        let [_, ect0, ect1, marked] = arrived(&output);
        assert_eq!([ect0, ect1, marked, link(&output).counters.marked.packets], [0; 4], "{host}");
        assert!(link(&output).loss_ratio > 0.0 && link(&output).busy_share > 0.9, "{host}");
        // 15 ms of 20 Mbit/s are 25 packets, 1 ms are not two.
        assert!(link(&output).queue_packets_mean > 5.0, "{host}: {}", link(&output).queue_packets_mean);
    }
}

/// Ten segments are out when the first counts come, twenty more at the most behind them: what is sent once
/// they are acknowledged is not ECN-capable. A sender without counts sends ECT(1) for ever.
#[test]
fn a_sender_with_counts_notices_that_its_field_is_cleared() {
    let output = flow(PRAGUE_WITH_COUNTS, DUAL, "cleared", "kept");
    let (own, noticed) = changed(&output);
    assert!((10..100).contains(&noticed), "{noticed} of {:?}", own.arrived);
    let output = flow(PRAGUE, DUAL, "cleared", "kept");
    let (own, changed) = changed(&output);
    // SYN and the handshake's acknowledgement are not ECN-capable, all data are.
    assert_eq!(changed, own.arrived.packets - own.lost.packets - 2);
}

/// Behind the queue a box takes marks away. Nothing but a loss slows down a sender that does not notice.
#[test]
fn marks_that_a_box_clears_behind_the_queue_are_not_heard() {
    let codel = "scheme = \"codel\", ecn = true, limit_packets = 1000";
    let classic = "ecn = \"on\"";
    let [kept, cleared] = ["kept", "cleared"].map(|behind| flow(classic, codel, "kept", behind));
    let marked = |output: &Output| link(output).counters.marked.packets;
    assert!(marked(&kept) > 0 && link(&kept).queue_packets_mean < 20.0);
    assert!(marked(&cleared) > 10 * marked(&kept), "{} and {}", marked(&kept), marked(&cleared));
    assert!(link(&cleared).queue_packets_mean > 200.0, "{}", link(&cleared).queue_packets_mean);
    let counting = flow(PRAGUE_WITH_COUNTS, codel, "kept", "cleared");
    assert!(marked(&counting) < 100 && link(&counting).queue_packets_mean < 20.0, "it is dropped again");
}

/// RFC 9768 section 3.2.2.3: the SYN/ACK says that the SYN came with a mark, which it did not leave with.
#[test]
fn a_sender_with_accurate_ecn_hears_in_the_handshake_that_everything_is_marked() {
    for host in [PRAGUE, "congestion = \"dctcp\""] {
        let output = flow(host, DUAL, "kept", "ce-on-all");
        let [not_capable, rest @ ..] = arrived(&output);
        assert!(not_capable > 10_000 && rest == [0; 3], "{host}: {:?}", arrived(&output));
        assert_eq!(changed(&output).1, changed(&output).0.arrived.packets);
        assert!(link(&output).busy_share > 0.9, "{host}: {}", link(&output).busy_share);
    }
}

/// The handshake is not ECN-capable and shows nothing; four rounds of marks do, to a host that looks for it.
#[test]
fn a_sender_that_looks_for_it_gives_up_what_is_always_marked() {
    let looking = "congestion = \"prague\", continuous_mark_test = true";
    let [blind, looking] = [PRAGUE, looking].map(|host| flow(host, DUAL, "kept", "ce-on-ect"));
    assert!(link(&blind).busy_share < 0.2, "{}", link(&blind).busy_share);
    assert!(link(&looking).busy_share > 0.9, "{}", link(&looking).busy_share);
    let [_, _, capable, _] = arrived(&looking);
    assert!((10..100).contains(&capable), "{capable}");
}

#[test]
fn each_direction_of_a_dumbbell_has_its_own_box() {
    let text = "name = \"boxes\"\nduration_s = 5.0\n[dumbbell]\nrate_mbps = 10.0\n\
                queue = { scheme = \"dualpi2\", limit_packets = 1000 }\necn_field_right_to_left = \"cleared\"\n\
                [[flows]]\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 20.0\n\
                profile = \"linux6-cubic\"\nhost = { congestion = \"prague\" }\n\
                [[flows]]\ncount = 1\ndirection = \"right-to-left\"\nbase_rtt_ms = 20.0\n\
                profile = \"linux6-cubic\"\nhost = { congestion = \"prague\" }\n";
    let output = simulate(text);
    let capable = |place: usize| output.summary.links[place].counters.by_codepoint["ect1"].arrived_packets;
    assert!(capable(0) > 1_000 && capable(1) == 0, "{} and {}", capable(0), capable(1));
    assert_eq!(changed(&output).0.link, "right-to-left");
}

/// Each data packet is answered at most once, and of marked acknowledgements every third: together no more
/// than half as many again as there are data.
#[test]
fn marked_acknowledgements_do_not_answer_one_another_for_ever() {
    for host in [PRAGUE, "congestion = \"cubic\", ecn = \"accurate\""] {
        let output = simulate(&format!(
            "name = \"boxes\"\nduration_s = 5.0\n[dumbbell]\nrate_mbps = 10.0\n\
             queue = {{ scheme = \"dualpi2\", limit_packets = 1000 }}\necn_field = \"ce-on-all\"\n\
             ecn_field_right_to_left = \"ce-on-all\"\n[[flows]]\ncount = 1\ndirection = \"left-to-right\"\n\
             base_rtt_ms = 20.0\nprofile = \"linux6-cubic\"\nhost = {{ {host} }}\n"
        ));
        let data = output.summary.flows[0].delivered_bytes[0] / 1_448;
        let departed = |place: usize| output.summary.links[place].counters.departed.packets;
        assert!(data > 1_000 && departed(1) < 3 * data / 2, "{data} and {}", departed(1));
        assert!(departed(0) < 5 * data / 2, "{data} and {}", departed(0));
    }
}
