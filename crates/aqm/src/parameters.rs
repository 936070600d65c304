//! What every scheme's parameters offer, and how a value outside its legal range is reported.

use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::parts::Limit;
use crate::port_facts::PortFacts;
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

/// The parameters of one scheme: plain data, checked by `validate`, from which the scheme is built.
pub trait Parameters {
    /// Checks every parameter but the limit.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Checks what depends on the link as well. Called only on parameters that are valid by themselves.
    fn validate_at(&self, _facts: &PortFacts) -> Result<(), ParameterError> {
        Ok(())
    }

    /// How much may wait.
    fn limit(&self) -> Limit;

    /// The limit, if it decides how long packets wait when senders fill the queue. None where the scheme
    /// keeps waiting times at a target: there the limit only guards memory.
    fn felt_limit(&self) -> Option<Limit> {
        Some(self.limit())
    }

    /// Whether a signal marks packets that can be marked.
    fn ecn(&self) -> bool;

    /// The queue from which on it signals, or at which it aims; none where no parameter says so.
    fn onset(&self, _facts: &PortFacts) -> Option<Onset> {
        None
    }

    /// Whether it has a single queue and no guards: whether it can be the scheme of one queue among several.
    fn is_one_queue(&self) -> bool {
        true
    }

    /// How many queues a port under it has: what its memory grows with.
    fn queues(&self) -> usize {
        1
    }

    /// The name of the scheme that works in each of several queues, if there is one.
    fn scheme_within(&self) -> Option<&'static str> {
        None
    }

    /// The values in force at a port of the parameters that follow from its link or from one another where
    /// they are not given, by key, in their own units; given ones among these count too. Called only on valid
    /// parameters.
    fn in_force(&self, _facts: &PortFacts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The keys of the parameters that may be adjusted while packets wait: the limits, and of the others
    /// those that [`crate::Aqm::continue_from`] carries out. None where the scheme works out more from its
    /// limits.
    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "limit_bytes"]
    }

    /// The scheme at a port. Called only on valid parameters.
    fn build(&self, facts: &PortFacts) -> Discipline;
}

/// Any scheme with its parameters, as a scheme of several queues holds the one that works in each of them.
pub trait AnyScheme: Clone + fmt::Debug + PartialEq + 'static {
    /// What each queue has when nobody says: CoDel.
    fn of_each_queue() -> Self;

    /// The JSON schema of the schemes that have a single queue, with [`AnyScheme::of_each_queue`] as the
    /// default.
    fn schema_of_one_queue(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;

    /// What the queue behind a filter has when nobody says: drop-tail.
    fn of_queue_behind_filter() -> Self;

    /// The JSON schema of the schemes that have a single queue, with [`AnyScheme::of_queue_behind_filter`] as
    /// the default.
    fn schema_of_queue_behind_filter(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;

    /// The name, as scenarios spell it.
    fn name(&self) -> &'static str;

    /// The parameters.
    fn parameters(&self) -> &dyn Parameters;
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
