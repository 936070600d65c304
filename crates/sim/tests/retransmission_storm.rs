//! One upload and a call in a deep queue: the sender's own retransmissions must not talk it out of its
//! reductions.
//!
//! If an acknowledgement that a retransmission of one recovery causes takes back the reduction of the next,
//! the window and its threshold rise from reduction to reduction, until the link carries nothing but
//! retransmissions: 96 % of all packets are lost. These seeds did that.

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, run};

const TEXT: &str = r#"
name = "storm"
duration_s = 60.0
warm_up_s = 5.0
[dumbbell]
rate_mbps = 20.0
rate_right_to_left_mbps = 2.0
queue = { scheme = "pi", limit_packets = 256 }
[[flows]]
name = "backup"
count = 1
direction = "right-to-left"
base_rtt_ms = 20.0
profile = "linux6-cubic"
[[datagrams]]
name = "call-up"
count = 1
direction = "right-to-left"
packet_bytes = 200
rate_mbps = 0.08
"#;

#[test]
fn a_recovery_does_not_take_back_the_reduction_of_the_next() {
    let scenario = Scenario::from_toml(TEXT, "storm", &[]).unwrap_or_else(|error| panic!("{error}"));
    for seed in [1, 67, 107, 118, 127] {
        let output = run(&scenario, seed, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
        let upstream = output.summary.links.iter().find(|link| link.name == "right-to-left").unwrap();
        let data = &upstream.counters.by_class["data"];
        let (arrived, lost) = (data.arrived_packets, data.discarded_packets);
        // Everything that the sender takes for lost it sends again: one in three would be a link for
        // retransmissions.
        assert!(3 * lost < arrived, "seed {seed}: {lost} of {arrived} data packets lost");
        let warnings = &output.summary.warnings;
        assert!(!warnings.iter().any(|said| said.contains("retransmissions")), "seed {seed}: {warnings:?}");
    }
}
