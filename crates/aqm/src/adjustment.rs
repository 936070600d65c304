//! Parameters that may be adjusted while packets wait, by whoever watches a queue.
//!
//! A port under new parameters keeps its packets, its counters and its coins. Each scheme is made anew of the
//! new parameters and continues from the state of the one before ([`crate::Aqm::continue_from`]).

use crate::algorithms::Scheme;
use crate::parameter_error::ParameterError;
use crate::parameters::AnyScheme;
use crate::port_facts::PortFacts;
use serde_json::{Map, Value};

/// Why parameters are not adjusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdjustmentError {
    /// No parameter, or one that is fixed when a run begins.
    #[error("`{key}` of {scheme} cannot be changed during a run; {}", listed(legal))]
    Fixed {
        /// The key that was given.
        key: String,
        /// The name of the scheme.
        scheme: String,
        /// The keys of what can be changed.
        legal: Vec<&'static str>,
    },
    /// A value of the wrong type.
    #[error("{scheme}: {wrong}")]
    Type {
        /// The name of the scheme.
        scheme: String,
        /// The key that was given.
        key: String,
        /// What is wrong, in the words of the type.
        wrong: String,
    },
    /// A value that is not legal.
    #[error(transparent)]
    Value(#[from] ParameterError),
    /// A parameter of a scheme that does not go on under other settings, though it lists the key.
    #[error("`{key}` of {scheme} cannot be changed during a run: it does not continue from its own state")]
    NotContinued {
        /// The key that was given.
        key: String,
        /// The name of the scheme.
        scheme: String,
    },
}

/// A scheme with other values of some parameters, legal at its port: see [`Scheme::adjusted`].
#[derive(Clone, Debug, PartialEq)]
pub struct Adjusted {
    scheme: Scheme,
    /// The first of the new values that the scheme has to take over itself; none where the port does all.
    own_key: Option<String>,
}

/// What the port itself keeps to, whatever the scheme.
const OF_PORT: [&str; 2] = ["limit_packets", "limit_bytes"];

impl Adjusted {
    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The scheme, by value.
    #[must_use]
    pub fn into_scheme(self) -> Scheme {
        self.scheme
    }

    /// Whether the scheme has to go on under settings of its own; if not, only limits are new.
    pub(crate) const fn concerns_scheme(&self) -> bool {
        self.own_key.is_some()
    }

    /// Why the port stays as it was, if the scheme does not take its new settings over.
    pub(crate) fn not_continued(&self) -> AdjustmentError {
        let key = self.own_key.clone().unwrap_or_default();
        AdjustmentError::NotContinued { key, scheme: self.scheme.name().to_owned() }
    }
}

impl AdjustmentError {
    /// The key that is refused.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Fixed { key, .. } | Self::Type { key, .. } | Self::NotContinued { key, .. } => key,
            Self::Value(error) => &error.key,
        }
    }

    /// What would be legal in its place, or in that of its value, in words; empty where the type says it.
    #[must_use]
    pub fn legal(&self) -> String {
        match self {
            Self::Fixed { legal, .. } => legal.join(", "),
            Self::Type { .. } | Self::NotContinued { .. } => String::new(),
            Self::Value(error) => error.legal.clone(),
        }
    }
}

fn listed(legal: &[&str]) -> String {
    if legal.is_empty() {
        "none of its parameters can".to_owned()
    } else {
        format!("legal: {}", legal.join(", "))
    }
}

impl Scheme {
    /// The keys of the parameters that may be adjusted while packets wait.
    #[must_use]
    pub fn adjustable(&self) -> Vec<&'static str> {
        let table = self.table();
        let adjustable = self.parameters().adjustable();
        adjustable.iter().copied().filter(|key| table.contains_key(*key)).collect()
    }

    /// The same scheme with other values of parameters that are [adjustable](Scheme::adjustable), checked for
    /// this port.
    ///
    /// # Errors
    /// [`AdjustmentError`]: a key that is not adjustable, or a value of the wrong type or out of range.
    pub fn adjusted(
        &self,
        values: &Map<String, Value>,
        facts: &PortFacts,
    ) -> Result<Adjusted, AdjustmentError> {
        let scheme = || self.name().to_owned();
        let adjustable = self.adjustable();
        if let Some(key) = values.keys().find(|key| !adjustable.contains(&key.as_str())) {
            return Err(AdjustmentError::Fixed { key: key.clone(), scheme: scheme(), legal: adjustable });
        }
        let adjusted = self.with_values(values).map_err(|wrong| {
            let alone = |key: &String, value: &Value| Map::from_iter([(key.clone(), value.clone())]);
            let is_wrong = |(key, value): &(&String, &Value)| self.with_values(&alone(key, value)).is_err();
            let key = values.iter().find(is_wrong).map_or_else(String::new, |(key, _)| key.clone());
            AdjustmentError::Type { scheme: scheme(), key, wrong: wrong.to_string() }
        })?;
        adjusted.validate_at(facts)?;
        let own_key = values.keys().find(|key| !OF_PORT.contains(&key.as_str())).cloned();
        Ok(Adjusted { scheme: adjusted, own_key })
    }

    fn with_values(&self, values: &Map<String, Value>) -> Result<Self, serde_json::Error> {
        let mut table = self.table();
        table.extend(values.clone());
        self.with_table(table)
    }

    /// The parameters without the key `scheme`.
    fn table(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut table)) => {
                table.remove("scheme");
                table
            }
            other => unreachable!("parameters are a table: {other:?}"),
        }
    }
}
