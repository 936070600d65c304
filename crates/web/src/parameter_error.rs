//! A parameter outside its legal range.

/// A parameter that a model cannot work with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` = {value}: legal values are {legal}")]
pub struct ParameterError {
    /// The parameter's key, as in the scenario.
    pub key: &'static str,
    /// The value that was given.
    pub value: String,
    /// What would be legal, in words.
    pub legal: String,
}

/// Refuses a number outside `[minimum, maximum]` (and one that is not a number).
pub(crate) fn within(
    key: &'static str,
    value: f64,
    minimum: f64,
    maximum: f64,
) -> Result<(), ParameterError> {
    if (minimum..=maximum).contains(&value) {
        return Ok(());
    }
    Err(ParameterError { key, value: value.to_string(), legal: format!("{minimum} to {maximum}") })
}
