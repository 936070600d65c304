//! The measured window of a scenario.

use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::{Record, Scenario};
use aqmlab_units::Time;

/// What of a run counts.
#[must_use]
pub fn measured_window(scenario: &Scenario) -> MeasuredWindow {
    let end = Time::ZERO + scenario.duration;
    MeasuredWindow {
        from: Time::ZERO + scenario.warm_up,
        until: Time::from_nanoseconds(end.nanoseconds() - scenario.cool_down.nanoseconds()),
    }
}

/// Whether a run may end in its cool-down, as soon as nothing that is measured can change.
///
/// Not where something is recorded of the whole run that was asked for, or that changes to its last instant.
#[must_use]
pub const fn may_end_in_cool_down(scenario: &Scenario) -> bool {
    let Record {
        cool_down,
        arrivals,
        flows,
        packets,
        datagrams,
        queue_summary,
        scheme_state_interval,
        congestion_window_interval,
        ..
    } = &scenario.record;
    let sampled =
        queue_summary.is_some() || scheme_state_interval.is_some() || congestion_window_interval.is_some();
    let whole_run = *cool_down || *arrivals || *flows || *packets || *datagrams || sampled;
    !whole_run && scenario.shaper_follower.is_none()
}
