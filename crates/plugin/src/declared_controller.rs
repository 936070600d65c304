//! A congestion controller whose parameters are declared as data.

use crate::declared_model::Refused;
use crate::values::{self, Values};
use aqmlab_tcp::congestion::Settings;
use aqmlab_tcp::congestion::own::{
    Answers, CONTROLLER, ControllerDeclaration, OwnController, OwnInstance, OwnTraits,
};
use serde_json::Value;
use std::sync::Arc;

/// What makes controllers of connections of a controller's parameters.
pub trait ControllerFactory: Send + Sync {
    /// What the controller is beside its window.
    fn traits(&self) -> OwnTraits;

    /// Checks what the ranges of single parameters do not say.
    ///
    /// # Errors
    /// The first parameter that is not legal.
    fn check(&self, values: &Values) -> Result<(), Refused>;

    /// That of a connection, of parameters that are legal, with its first answers.
    fn build(&self, values: &Values, settings: &Settings) -> (Box<dyn OwnInstance>, Answers);
}

/// A controller with the names, meanings, types, ranges and defaults of its parameters, and what makes it.
#[derive(Clone)]
pub struct DeclaredController {
    meaning: String,
    properties: Values,
    factory: Arc<dyn ControllerFactory>,
}

impl DeclaredController {
    /// A controller from its meaning and the JSON schemas of its own parameters, as of
    /// [`crate::DeclaredScheme::new`].
    ///
    /// # Errors
    /// In words, which parameter is declared wrongly, and how.
    pub fn new(meaning: String, own: Values, factory: Arc<dyn ControllerFactory>) -> Result<Self, String> {
        let mut properties = Values::new();
        values::add(&mut properties, own, "congestion controller", |key| key == CONTROLLER)?;
        Ok(Self { meaning, properties, factory })
    }
}

impl ControllerDeclaration for DeclaredController {
    fn meaning(&self) -> &str {
        &self.meaning
    }

    fn properties(&self) -> &Values {
        &self.properties
    }

    fn parse(&self, table: Values) -> Result<Box<dyn OwnController>, serde_json::Error> {
        let values = values::filled(&self.properties, table, &[])?;
        Ok(Box::new(Parametrized { declared: self.clone(), values }))
    }
}

/// A declared controller with its parameters.
struct Parametrized {
    declared: DeclaredController,
    values: Values,
}

impl OwnController for Parametrized {
    fn to_json(&self) -> Value {
        Value::Object(self.values.clone())
    }

    fn traits(&self) -> OwnTraits {
        self.declared.factory.traits()
    }

    fn validate(&self) -> Result<(), (String, String)> {
        if let Some((key, value, legal)) = values::first_refusal(&self.declared.properties, &self.values) {
            return Err((format!("{key} = {value}"), legal));
        }
        let refused = |Refused { key, wrong, legal }| match self.values.get(&key) {
            Some(value) => (format!("{key} = {value}"), legal),
            None => (wrong, legal),
        };
        self.declared.factory.check(&self.values).map_err(refused)
    }

    fn build(&self, settings: &Settings) -> (Box<dyn OwnInstance>, Answers) {
        self.declared.factory.build(&self.values, settings)
    }
}
