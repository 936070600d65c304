//! What a model from outside declares, and what can be named.

use super::BrowserKeys;
use super::own_model_error::OwnModelError;
use crate::ModelError;
use crate::models::pages::PageObject;
use aqmlab_declared::Declarations;
use aqmlab_random::Key;
use aqmlab_units::Span;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

/// What is known of a model before it has parameters.
pub trait ModelDeclaration: Send + Sync {
    /// What it is.
    fn meaning(&self) -> &str;

    /// The JSON schemas of its own parameters by their names: each has a default.
    fn properties(&self) -> &Map<String, Value>;

    /// The model with its own parameters in a table.
    ///
    /// # Errors
    /// A key that is none of the parameters, or a value of the wrong type.
    fn parse(&self, table: Map<String, Value>) -> Result<Arc<dyn OwnPages>, serde_json::Error>;
}

/// A model from outside with its own parameters.
pub trait OwnPages: Send + Sync {
    /// The table of its own parameters, with every default filled in.
    fn to_json(&self) -> Value;

    /// Checks them.
    ///
    /// # Errors
    /// [`ModelError`] with the first parameter that is not legal.
    fn validate(&self) -> Result<(), ModelError>;

    /// Where its pages come from, of parameters that are legal.
    ///
    /// # Errors
    /// Why there is none.
    fn source(&self) -> Result<Arc<dyn PageSource>, OwnModelError>;
}

/// Where the pages of a model from outside come from. A page is a function of the keys and the number: it is
/// the same whenever and as often as it is asked for, from any thread.
pub trait PageSource: Debug + Send + Sync {
    /// The objects of a page, appended to an empty list, and the think time behind it. `user` is the address
    /// of the user, `page` that of her page, which has this number, counted from 0. The first object is the
    /// root, alone in wave 0; the others are in any order, in waves of higher numbers.
    ///
    /// # Errors
    /// Why there is no such page.
    fn page(
        &self,
        user: Key,
        page: Key,
        number: u32,
        objects: &mut Vec<PageObject>,
    ) -> Result<Span, OwnModelError>;

    /// Where pages are made, for messages: the file and the class, say.
    fn place(&self) -> String;

    /// Ends the run that cannot go on without a page.
    fn end_run(&self, why: String) -> !;
}

/// Why a table is no model from outside.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableModel {
    /// No model that can be named has this name.
    #[error("there is no such model")]
    Unknown,
    /// The table does not fit the model.
    #[error(transparent)]
    Table(serde_json::Error),
}

/// A declaration under its name.
pub(super) type Declared = aqmlab_declared::Declared<dyn ModelDeclaration>;

/// Models that a text declares for itself: no other text can name them. A model that was read owns its
/// declaration.
#[derive(Default)]
pub struct DeclaredModels(Declarations<dyn ModelDeclaration>);

thread_local! {
    /// Those that the text may name that is being read on this thread.
    static NAMEABLE: RefCell<Declarations<dyn ModelDeclaration>> = const { RefCell::new(Declarations::NONE) };
}

impl DeclaredModels {
    /// Adds a model under a name, whose form is the caller's affair: what follows an `@` tells models apart
    /// that scenarios spell alike. Returns the JSON schema of its tables, with the key `model`.
    ///
    /// # Errors
    /// In words, which of its parameters has the name of a key that every model has.
    pub fn declare(&mut self, name: &str, declaration: Arc<dyn ModelDeclaration>) -> Result<Value, String> {
        let schema = schema(name, &*declaration)?;
        self.0.add(name, declaration);
        Ok(schema)
    }

    /// Reads a text that may name these models.
    pub fn while_reading<T>(self, read: impl FnOnce() -> T) -> T {
        self.0.while_reading(&NAMEABLE, read)
    }
}

/// The model with this name that can be named now.
pub(super) fn find(name: &str) -> Option<Declared> {
    aqmlab_declared::find(&NAMEABLE, name)
}

fn schema(name: &str, declaration: &dyn ModelDeclaration) -> Result<Value, String> {
    let inline = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let mut shared = inline.into_generator().into_root_schema_for::<BrowserKeys>();
    let Some(Value::Object(properties)) = shared.remove("properties") else {
        unreachable!("keys are properties")
    };
    let mut all = declaration.properties().clone();
    if let Some(key) = all.keys().find(|key| properties.contains_key(*key) || *key == "model") {
        return Err(format!("parameter `{key}`: every traffic model has it already"));
    }
    all.extend(properties);
    all.insert("model".to_owned(), serde_json::json!({ "type": "string", "const": name }));
    Ok(serde_json::json!({
        "type": "object",
        "description": declaration.meaning(),
        "properties": all,
        "required": ["model"],
        "additionalProperties": false,
    }))
}
