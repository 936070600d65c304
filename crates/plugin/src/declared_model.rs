//! A traffic model whose parameters are declared as data.

use crate::values::{self, Values};
use aqmlab_web::{ModelDeclaration, ModelError, OwnModelError, OwnPages, PageSource};
use serde_json::Value;
use std::sync::Arc;

/// A parameter that a model refuses, though its own range holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The parameter.
    pub key: String,
    /// What is wrong with it.
    pub wrong: String,
    /// What would be legal, in words.
    pub legal: String,
}

/// What makes a source of pages of a model's parameters.
pub trait ModelFactory: Send + Sync {
    /// Checks what the ranges of single parameters do not say.
    ///
    /// # Errors
    /// The first parameter that is not legal.
    fn check(&self, values: &Values) -> Result<(), Refused>;

    /// Where the pages come from, of parameters that are legal.
    ///
    /// # Errors
    /// Why there is no source.
    fn build(&self, values: &Values) -> Result<Arc<dyn PageSource>, OwnModelError>;
}

/// A traffic model with the names, meanings, types, ranges and defaults of its parameters, and what makes it.
#[derive(Clone)]
pub struct DeclaredModel {
    meaning: String,
    properties: Values,
    factory: Arc<dyn ModelFactory>,
}

impl DeclaredModel {
    /// A model from its meaning and the JSON schemas of its own parameters, as of
    /// [`crate::DeclaredScheme::new`].
    ///
    /// # Errors
    /// In words, which parameter is declared wrongly, and how.
    pub fn new(meaning: String, own: Values, factory: Arc<dyn ModelFactory>) -> Result<Self, String> {
        let mut properties = Values::new();
        values::add(&mut properties, own, "traffic model", |key| key == "model")?;
        Ok(Self { meaning, properties, factory })
    }
}

impl ModelDeclaration for DeclaredModel {
    fn meaning(&self) -> &str {
        &self.meaning
    }

    fn properties(&self) -> &Values {
        &self.properties
    }

    fn parse(&self, table: Values) -> Result<Arc<dyn OwnPages>, serde_json::Error> {
        let values = values::filled(&self.properties, table, &[])?;
        Ok(Arc::new(Parametrized { declared: self.clone(), values }))
    }
}

/// A declared model with its parameters.
struct Parametrized {
    declared: DeclaredModel,
    values: Values,
}

impl OwnPages for Parametrized {
    fn to_json(&self) -> Value {
        Value::Object(self.values.clone())
    }

    fn validate(&self) -> Result<(), ModelError> {
        if let Some((key, value, legal)) = values::first_refusal(&self.declared.properties, &self.values) {
            return Err(ModelError::own(key, format!("{value} is not legal"), legal));
        }
        let refused = self.declared.factory.check(&self.values);
        refused.map_err(|Refused { key, wrong, legal }| ModelError::own(key, wrong, legal))
    }

    fn source(&self) -> Result<Arc<dyn PageSource>, OwnModelError> {
        self.declared.factory.build(&self.values)
    }
}
