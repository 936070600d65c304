//! Long-lived flows in a deep queue on a slow link for a minute: what goes wrong from reduction to reduction
//! needs many of them, and a network of the ordinary kind ends after two seconds.

use crate::dice::Dice;
use aqmlab_scenario::Congestion;
use serde_json::{Value as Json, json};

/// Simulated time, all of it measured: some 20,000 packets.
const DURATION_S: f64 = 60.0;

/// Uploads of the senders that remember most, beside calls or none. PI lets the most of a deep queue be lost
/// at once: a sender that took its reductions back filled the link with retransmissions in 3 % of these under
/// PI.
pub(crate) fn deep_queue(dice: &mut Dice) -> Json {
    let scheme = *dice.choose(&["pi", "pi", "pi", "pi", "drop-tail", "red"]);
    let queue = json!({ "scheme": scheme, "limit_packets": dice.between(250, 1_000) });
    let congestion = dice.choose(Congestion::ALL).name();
    let calls = dice.between(0, 2);
    json!({
        "name": "deep queue",
        "duration_s": DURATION_S,
        "dumbbell": { "rate_mbps": 20.0, "rate_right_to_left_mbps": dice.logarithmic(0.5, 4.0), "queue": queue },
        "flows": [{
            "name": "uploads",
            "count": dice.count(1, 3),
            "direction": "right-to-left",
            "base_rtt_ms": dice.logarithmic(5.0, 200.0),
            "profile": "linux6-reno",
            "host": { "congestion": congestion },
        }],
        "datagrams": (0..calls).map(|number| json!({
            "name": format!("call{number}"),
            "count": 1,
            "direction": "right-to-left",
            "packet_bytes": 200,
            "rate_mbps": 0.08,
        })).collect::<Vec<_>>(),
    })
}
