//! The lines `set KEY = VALUE` of a conversation: changes to a host's TCP.

use aqmlab_tcp::{Congestion, EcnRule, HostOverrides, HyStart, TimerPhase, WindowUpdates};

fn ecn(name: &str) -> EcnRule {
    match name {
        "off" => EcnRule::Off,
        "on" => EcnRule::On,
        "rfc3168" => EcnRule::Rfc3168,
        "kame" => EcnRule::Kame,
        "accurate" => EcnRule::Accurate,
        other => panic!("no ECN rule {other}"),
    }
}

fn congestion(name: &str) -> Congestion {
    let found = Congestion::ALL.iter().find(|congestion| congestion.name() == name);
    *found.unwrap_or_else(|| panic!("no congestion control {name}"))
}

pub(crate) fn overrides(settings: &[(&str, &str)]) -> HostOverrides {
    let mut overrides = HostOverrides::default();
    for (key, value) in settings {
        match *key {
            "cluster_writes" => overrides.cluster_writes = value.parse().ok(),
            "nagle" => overrides.nagle = value.parse().ok(),
            "ecn" => overrides.ecn = Some(ecn(value)),
            "congestion" => overrides.congestion = Some(congestion(value)),
            "acknowledge_every_segments" => overrides.acknowledge_every_segments = value.parse().ok(),
            "delayed_ack_ms" => overrides.delayed_ack_ms = value.parse().ok(),
            "minimum_rto_ms" => overrides.minimum_rto_ms = value.parse().ok(),
            "ecn_least_window_segments" => overrides.ecn_least_window_segments = value.parse().ok(),
            "ecn_fallback_on_syn_loss" => overrides.ecn_fallback_on_syn_loss = value.parse().ok(),
            "initial_rto_ms" => overrides.initial_rto_ms = value.parse().ok(),
            "initial_window_segments" => overrides.initial_window_segments = value.parse().ok(),
            "limited_transmit" => overrides.limited_transmit = value.parse().ok(),
            "maximum_burst_segments" => overrides.maximum_burst_segments = value.parse().ok(),
            "maximum_segment_bytes" => overrides.maximum_segment_bytes = value.parse().ok(),
            "timestamps" => overrides.timestamps = value.parse().ok(),
            "proportional_rate_reduction" => overrides.proportional_rate_reduction = value.parse().ok(),
            "rack" => overrides.rack = value.parse().ok(),
            "tail_loss_probe" => overrides.tail_loss_probe = value.parse().ok(),
            "forward_recovery" => overrides.forward_recovery = value.parse().ok(),
            "timer_hz" => overrides.timer_hz = value.parse().ok(),
            "timer_phase" => {
                overrides.timer_phase = Some(match *value {
                    "own" => TimerPhase::Own,
                    "shared" => TimerPhase::Shared,
                    other => panic!("no phase of timers {other}"),
                });
            }
            "pacing" => overrides.pacing = value.parse().ok(),
            "quick_acknowledgements" => overrides.quick_acknowledgements = value.parse().ok(),
            "classic_ecn_fallback" => overrides.classic_ecn_fallback = value.parse().ok(),
            "classic_ecn_fallback_everywhere" => {
                overrides.classic_ecn_fallback_everywhere = value.parse().ok();
            }
            "continuous_mark_test" => overrides.continuous_mark_test = value.parse().ok(),
            "accurate_ecn_option" => overrides.accurate_ecn_option = value.parse().ok(),
            "exact_echo" => overrides.exact_echo = value.parse().ok(),
            "acknowledgement_compression" => overrides.acknowledgement_compression = value.parse().ok(),
            "window_validation" => overrides.window_validation = value.parse().ok(),
            "hystart" => {
                overrides.hystart = Some(match *value {
                    "off" => HyStart::Off,
                    "plus-plus" => HyStart::PlusPlus,
                    other => panic!("no HyStart {other}"),
                });
            }
            "window_bytes" => overrides.window_bytes = value.parse().ok(),
            "window_updates" => {
                overrides.window_updates = Some(match *value {
                    "never" => WindowUpdates::Never,
                    "each-segment" => WindowUpdates::EachSegment,
                    "each-acknowledgement" => WindowUpdates::EachAcknowledgement,
                    other => panic!("no window updates {other}"),
                });
            }
            other => panic!("no setting {other}"),
        }
    }
    overrides
}
