//! The scheme of one queue that something stands in front of: a guard, or a scheduler over several such
//! queues.

use super::{Scheme, in_place};
use crate::aqm::Aqm;
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::AnyScheme;
use crate::parts::Limit;
use crate::port_facts::PortFacts;
use schemars::Schema;
use serde::Deserialize;
use serde_json::Value;

/// A scheme with a single queue, which may be without limits: drop-tail when nobody says.
#[derive(Clone, Debug, PartialEq)]
pub struct InnerScheme(Scheme);

impl Default for InnerScheme {
    fn default() -> Self {
        Self(Scheme::of_queue_behind_filter())
    }
}

impl InnerScheme {
    /// The JSON schema of such a table.
    #[must_use]
    pub fn schema() -> Schema {
        Scheme::schema_of_queue_behind_filter(&mut in_place())
    }

    /// The scheme of a table with `scheme = ...`.
    ///
    /// # Errors
    /// An unknown scheme, an unknown key, or a value of the wrong type.
    pub fn parse(table: Value) -> Result<Self, serde_json::Error> {
        Scheme::deserialize(table).map(Self)
    }

    /// The table, with every default filled in.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> &Scheme {
        &self.0
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not legal, as a key of the table `inner`.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let legal = "a scheme with a single queue";
        require(self.0.is_one_queue(), "inner.scheme", "one with several queues", legal)?;
        let limit = self.own_limit().map_or(Ok(()), |limit| limit.validate());
        limit.and_then(|()| self.0.parameters().validate()).map_err(|error| error.within("inner"))
    }

    /// Checks what depends on the link as well.
    ///
    /// # Errors
    /// As of [`InnerScheme::validate`].
    pub fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.0.parameters().validate_at(facts).map_err(|error| error.within("inner"))
    }

    /// The limit of each queue by itself, if the scheme has one.
    #[must_use]
    pub fn own_limit(&self) -> Option<Limit> {
        let limit = self.0.limit();
        (limit.packets.is_some() || limit.bytes.is_some()).then_some(limit)
    }

    /// The limit that decides how long packets wait, where `of_port` holds for all queues together: see
    /// [`Parameters::felt_limit`](crate::Parameters::felt_limit).
    #[must_use]
    pub fn felt_limit(&self, of_port: Limit) -> Option<Limit> {
        self.0.felt_limit()?;
        Some(self.own_limit().unwrap_or(of_port))
    }

    /// Whether a signal marks packets that can be marked.
    #[must_use]
    pub fn ecn(&self) -> bool {
        self.0.ecn()
    }

    /// The queue from which on it signals: see [`Parameters::onset`](crate::Parameters::onset).
    #[must_use]
    pub fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(self.0.parameters().onset(facts)?.within("inner"))
    }

    /// The scheme of one queue at a port.
    ///
    /// # Panics
    /// If it is not [valid](InnerScheme::validate_at).
    #[must_use]
    pub fn build(&self, facts: &PortFacts) -> Box<dyn Aqm> {
        match self.0.parameters().build(facts) {
            Discipline::Fifo(scheme) => scheme,
            Discipline::Scheduled(_) => {
                unreachable!("a scheme with a single queue, as it was checked to be")
            }
        }
    }
}
