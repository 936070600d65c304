//! The measured window of a scenario.

use aqmlab_record::MeasuredWindow;
use aqmlab_scenario::Scenario;
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
