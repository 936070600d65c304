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
    #[error("`{key}` of {scheme} cannot be changed during a run; {legal}")]
    Fixed {
        /// The key that was given.
        key: String,
        /// The name of the scheme.
        scheme: String,
        /// What can be changed, in words.
        legal: String,
    },
    /// A value of the wrong type.
    #[error("{scheme}: {wrong}")]
    Type {
        /// The name of the scheme.
        scheme: String,
        /// What is wrong, in the words of the type.
        wrong: String,
    },
    /// A value that is not legal.
    #[error(transparent)]
    Value(#[from] ParameterError),
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
    pub fn adjusted(&self, values: &Map<String, Value>, facts: &PortFacts) -> Result<Self, AdjustmentError> {
        let scheme = || self.name().to_owned();
        let adjustable = self.adjustable();
        if let Some(key) = values.keys().find(|key| !adjustable.contains(&key.as_str())) {
            let legal = match adjustable.as_slice() {
                [] => "none of its parameters can".to_owned(),
                keys => format!("legal: {}", keys.join(", ")),
            };
            return Err(AdjustmentError::Fixed { key: key.clone(), scheme: scheme(), legal });
        }
        let mut table = self.table();
        table.extend(values.clone());
        let adjusted = self.with_table(table);
        let adjusted =
            adjusted.map_err(|wrong| AdjustmentError::Type { scheme: scheme(), wrong: wrong.to_string() })?;
        adjusted.validate_at(facts)?;
        Ok(adjusted)
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
