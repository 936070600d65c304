//! A parameter outside its legal range, and the ranges that several schemes have in common.

use std::borrow::Cow;
use std::fmt;

/// A parameter whose value is not legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is {}: it must be {legal}", .value.as_deref().unwrap_or("not given"))]
pub struct ParameterError {
    /// The parameter, by its name in a scenario; parts of a nested one are joined by dots.
    pub key: Cow<'static, str>,
    /// The offending value; none where the parameter is not given.
    pub value: Option<String>,
    /// What would be legal; reads on after "it must be".
    pub legal: String,
}

impl ParameterError {
    /// The same error of a parameter that stands in the table `outer`.
    pub(crate) fn within(self, outer: &str) -> Self {
        Self { key: format!("{outer}.{}", self.key).into(), ..self }
    }
}

/// Refuses `value` unless `is_legal`.
pub(crate) fn require(
    is_legal: bool,
    key: &'static str,
    value: impl fmt::Display,
    legal: impl Into<String>,
) -> Result<(), ParameterError> {
    let refused = || ParameterError { key: key.into(), value: Some(value.to_string()), legal: legal.into() };
    if is_legal { Ok(()) } else { Err(refused()) }
}

/// Refuses that a parameter is missing.
pub(crate) fn require_given(
    is_given: bool,
    key: &'static str,
    legal: impl Into<String>,
) -> Result<(), ParameterError> {
    if is_given { Ok(()) } else { Err(ParameterError { key: key.into(), value: None, legal: legal.into() }) }
}

/// Requires a number above zero from which computations stay finite: quotients and products of two or three
/// such numbers and a link rate are far from the ends of what a double holds.
pub(crate) fn require_positive(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require((1e-12..=1e12).contains(&value), key, value, "a number above 0, from 1e-12 to 1e12")
}

/// Requires zero or a number above, from which computations stay finite.
pub(crate) fn require_not_negative(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require((0.0..=1e12).contains(&value), key, value, "0 or a number above 0, at most 1e12")
}

/// Requires a number above zero and at most one: a probability that can happen, or a weight that forgets.
pub(crate) fn require_share(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value > 0.0 && value <= 1.0, key, value, "above 0 and at most 1")
}

/// Requires a size of at least one byte.
pub(crate) fn require_packet_bytes(key: &'static str, value: u32) -> Result<(), ParameterError> {
    require(value >= 1, key, value, "a packet length of at least 1 byte")
}

/// Requires a period in milliseconds that a nanosecond clock can keep.
pub(crate) fn require_period_ms(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require((1e-3..=1e9).contains(&value), key, value, "from 0.001 to 1e9 milliseconds")
}

/// Requires what controlled delay is steered by (CoDel, COBALT): a target, and an interval that is not
/// shorter.
pub(crate) fn require_target_and_interval(target_ms: f64, interval_ms: f64) -> Result<(), ParameterError> {
    require_period_ms("target_ms", target_ms)?;
    require_period_ms("interval_ms", interval_ms)?;
    require(interval_ms >= target_ms, "interval_ms", interval_ms, format!("at least target_ms ({target_ms})"))
}

/// Requires what a controller of delay is steered by (PIE, PI2, DualPI2): a target, the time between updates,
/// and the gains of the deviation and of the change. Beyond these gains a step would leave the numbers.
pub(crate) fn require_delay_controller(
    target_ms: f64,
    update_interval_ms: f64,
    (alpha_hz, beta_hz): (f64, f64),
) -> Result<(), ParameterError> {
    require_period_ms("target_ms", target_ms)?;
    require_period_ms("update_interval_ms", update_interval_ms)?;
    for (key, gain) in [("alpha_hz", alpha_hz), ("beta_hz", beta_hz)] {
        require(gain > 0.0 && gain <= 1e9, key, gain, "above 0 and at most 1e9 per second")?;
    }
    Ok(())
}

/// Requires the rate of a periodic timer.
pub(crate) fn require_rate_hz(key: &'static str, value: f64) -> Result<(), ParameterError> {
    require((1e-6..=1e6).contains(&value), key, value, "from 1e-6 to 1e6 per second")
}
