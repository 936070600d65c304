//! Flows whose packets meet at equal instants, and what ends that.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use aqmlab_units::Span;

/// Two groups of five flows that differ in nothing but their place in the scenario, over links of one rate.
fn two_equal_groups(setting: &str) -> Scenario {
    two_groups(setting, ["40.0", "40.0"])
}

/// The same with a round-trip time of its own for each group, in milliseconds.
fn two_groups(setting: &str, round_trips_ms: [&str; 2]) -> Scenario {
    let mut text = format!("name = \"equal\"\nduration_s = 60.0\nwarm_up_s = 20.0\n{setting}\n");
    for router in ["left", "right"] {
        text += &format!("[[topology.nodes]]\nname = \"{router}\"\nkind = \"router\"\n");
    }
    for host in ["first-senders", "first-receivers", "second-senders", "second-receivers"] {
        text += &format!("[[topology.nodes]]\nname = \"{host}\"\nkind = \"host\"\ncount = 5\n");
    }
    let exact = "layer2_overhead_bytes = 0\nlayer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n";
    let mut link = |from: &str, to: &str, more: &str| {
        let ends = format!("from = \"{from}\"\nto = \"{to}\"\nrate_mbps = 10.0\n");
        text += &format!("[[topology.links]]\n{ends}{exact}{more}\n");
    };
    link("left", "right", "delay_ms = 1.0\nqueue = { scheme = \"drop-tail\", limit_packets = 25 }");
    for group in ["first", "second"] {
        link(&format!("{group}-senders"), "left", "");
        link("right", &format!("{group}-receivers"), "");
    }
    for (group, round_trip_ms) in ["first", "second"].into_iter().zip(round_trips_ms) {
        text += &format!(
            "[[flows]]\nname = \"{group}\"\ncount = 5\nsenders = \"{group}-senders\"\n\
             receivers = \"{group}-receivers\"\nbase_rtt_ms = {round_trip_ms}\nprofile = \"ns2-oneway\"\n\
             host = {{ window_bytes = 960_000 }}\n"
        );
    }
    Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(scenario: &Scenario, seed: u64) -> Output {
    run(scenario, seed, &Control::default()).expect("nobody cancels")
}

/// What the first group gets of all that is delivered.
fn first_share(output: &Output) -> f64 {
    let [first, second] =
        [0, 1].map(|group| output.summary.flows[group].delivered_bytes.iter().sum::<u64>() as f64);
    first / (first + second)
}

fn warned(output: &Output) -> bool {
    output.summary.warnings.iter().any(|warning| warning.starts_with("links in step: left-to-right"))
}

/// In how many of six seeds one group gets less than a twentieth.
fn shut_out(setting: &str) -> usize {
    let scenario = two_equal_groups(setting);
    let shares = (1..=6).map(|seed| first_share(&simulate(&scenario, seed)));
    shares.filter(|share| share.min(1.0 - share) < 0.05).count()
}

/// Two clocks that differ by a millionth of a packet's time per packet take a million packets to pass each
/// other, so that in some seeds a group stays shut out for the 40 seconds that are measured.
#[test]
fn equal_links_in_step_shut_flows_out_and_a_tolerance_of_their_clocks_lets_most_in() {
    assert_eq!(shut_out(""), 6, "as links are given, one group has the link for itself");
    assert_eq!(shut_out("delay_phase_ns = 1000"), 6, "a constant phase draws lots, once");
    let tolerant = shut_out("rate_tolerance_ppm = 100");
    assert!(tolerant <= 2, "{tolerant} of 6");
}

#[test]
fn links_in_step_are_warned_of_and_a_tolerance_is_not() {
    assert!(warned(&simulate(&two_equal_groups(""), 1)));
    assert!(!warned(&simulate(&two_equal_groups("rate_tolerance_ppm = 100"), 1)));
}

#[test]
fn round_trips_whole_packets_apart_are_warned_of() {
    let warned = |setting: &str, second_ms: &str| {
        let mut scenario = two_groups(setting, ["40.0", second_ms]);
        (scenario.duration, scenario.warm_up) = (Span::from_milliseconds(100), Span::ZERO);
        let warnings = simulate(&scenario, 1).summary.warnings;
        warnings.iter().any(|warning| {
            warning.starts_with("round trips in step: those of long-lived flows over left-to-right")
                && warning.contains("multiples of a packet's 0.8 ms")
        })
    };
    // A packet of 1000 bytes takes 0.8 ms at 10 Mbit/s.
    assert!(warned("", "48.0") && warned("", "39.2") && warned("", "400.0"));
    assert!(!warned("", "40.0"), "what left in different slots stays apart");
    assert!(!warned("", "48.4"), "half a packet apart");
    assert!(!warned("delay_phase_ns = 1000", "48.0"));
}

#[test]
fn clocks_and_phases_are_within_what_the_scenario_allows_and_each_links_own() {
    let output = simulate(&two_equal_groups("rate_tolerance_ppm = 100\ndelay_phase_ns = 1000"), 3);
    let rates: Vec<f64> = output.summary.links.iter().map(|link| link.rate_mbps).collect();
    assert!(rates.iter().all(|rate| (rate / 10.0 - 1.0).abs() <= 1.0e-4 && *rate != 10.0), "{rates:?}");
    assert!(rates.windows(2).all(|pair| pair[0] != pair[1]), "{rates:?}");
    let again = simulate(&two_equal_groups("rate_tolerance_ppm = 100\ndelay_phase_ns = 1000"), 3);
    assert_eq!(first_share(&output), first_share(&again));
}
