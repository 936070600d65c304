//! From text to a checked document and a scenario: read, override, check the shape, fill in, resolve.

use crate::document::Document;
use crate::error::{Mistake, Place, ScenarioError};
use crate::files::{loader, read_files};
use crate::mistakes::Mistakes;
use crate::own_files::{OwnInFiles, load_own};
use crate::resolve::resolve;
use crate::scenario::Scenario;
use crate::shape::check_shape;
use crate::text::{Node, apply_overrides, from_json, json_tree, toml_tree};
use std::path::Path;

/// How a scenario read back from JSON is named in messages.
const RESOLVED: &str = "resolved scenario";

/// Of a scenario that comes from no folder: no file is looked for.
const NO_FOLDER: Option<&Path> = None;

impl Scenario {
    /// The scenario of a TOML text. `source_name` is the file's name, for messages. Each override is a key
    /// path and a value, `("dumbbell.queue.q_ref_packets", "240")`: elements of arrays by their index, the
    /// value as TOML or as a bare word. Overrides are applied before anything is checked.
    ///
    /// # Errors
    /// Every mistake that can be found: a text that is not TOML is refused at its first error, a scenario of
    /// the wrong shape with every unknown or missing key and every value of a wrong type or out of range,
    /// and one of the right shape with everything that contradicts itself. No file is
    /// read: the texts of those that it names must stand in `[files]`.
    pub fn from_toml(
        text: &str,
        source_name: &str,
        overrides: &[(String, String)],
    ) -> Result<Self, ScenarioError> {
        read(toml_tree(text, source_name)?, source_name, NO_FOLDER, overrides)
    }

    /// As [`Scenario::from_toml`], of a text that stands in `folder`, where the files are looked for that it
    /// names.
    ///
    /// # Errors
    /// As of [`Scenario::from_toml`]; also a file that is missing, too large or no text, and one that is not
    /// the law that its key asks for.
    pub fn from_toml_in(
        folder: &Path,
        text: &str,
        source_name: &str,
        overrides: &[(String, String)],
    ) -> Result<Self, ScenarioError> {
        read(toml_tree(text, source_name)?, source_name, Some(folder), overrides)
    }

    /// The scenario that [`Scenario::to_json`] wrote. No file is read: the text holds theirs.
    ///
    /// # Errors
    /// As of [`Scenario::from_toml`]; places are key paths alone.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        read(json_tree(text, RESOLVED)?, RESOLVED, NO_FOLDER, &[])
    }

    /// The scenario of a JSON text whose shape is known to be right, as of one that this package wrote or
    /// checked before. Keys and single values are not held against the schema: unknown keys are passed over
    /// and ranges are the caller's. What contradicts itself is refused. A program that reads nothing else
    /// holds no schema. Schemes, traffic models and controllers in files are unknown here.
    ///
    /// # Errors
    /// A text that is no JSON; one that is no document, without its place; and as of [`Scenario::from_json`]
    /// what contradicts itself.
    pub fn from_shaped_json(text: &str) -> Result<Self, ScenarioError> {
        settled(&json_tree(text, RESOLVED)?, RESOLVED, NO_FOLDER, plainly_typed)
    }

    /// The scenario of a document made in code.
    ///
    /// # Errors
    /// As of [`Scenario::from_json`].
    pub fn from_document(document: &Document) -> Result<Self, ScenarioError> {
        read(tree_of(document), RESOLVED, NO_FOLDER, &[])
    }

    /// This scenario with single keys set, as in [`Scenario::from_toml`].
    ///
    /// # Errors
    /// As of [`Scenario::from_toml`].
    pub fn with_overrides(&self, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        read(tree_of(&self.document.unsettled()), RESOLVED, NO_FOLDER, overrides)
    }

    /// As [`Scenario::with_overrides`], where files that the overrides name are looked for in `folder`. A
    /// file that this scenario names already is not read again.
    ///
    /// # Errors
    /// As of [`Scenario::from_toml_in`].
    pub fn with_overrides_in(
        &self,
        folder: &Path,
        overrides: &[(String, String)],
    ) -> Result<Self, ScenarioError> {
        read(tree_of(&self.document.unsettled()), RESOLVED, Some(folder), overrides)
    }

    /// The scenario as JSON with every default filled in, keys in the order of the schema's structs: equal
    /// scenarios give equal texts, so a hash of the text is an address of the scenario.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.document).expect("a document has no map with keys that are not strings")
    }

    /// The document that the scenario was resolved from, with every default filled in.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// The texts of the files that it names, as traffic models read them.
    pub fn file_texts(&self) -> impl Fn(&str) -> Result<String, String> + '_ {
        loader(&self.document.files)
    }

    /// The same traffic on an uncongested network; see [`Document::uncongested_twin`].
    ///
    /// # Errors
    /// A topology in which no link has uncongested settings has no twin.
    pub fn uncongested_twin(&self) -> Result<Self, ScenarioError> {
        Self::from_document(&self.document.uncongested_twin()?)
    }

    /// The uncongested network on which offered load is measured; see [`Document::offering_twin`].
    ///
    /// # Errors
    /// As of [`Scenario::uncongested_twin`]; also where nothing but endless flows would be left, which is no
    /// traffic.
    pub fn offering_twin(&self, kept: &[String]) -> Result<Self, ScenarioError> {
        Self::from_document(&self.document.offering_twin(kept)?)
    }
}

fn read(
    mut tree: Node,
    source_name: &str,
    folder: Option<&Path>,
    overrides: &[(String, String)],
) -> Result<Scenario, ScenarioError> {
    apply_overrides(&mut tree, overrides)?;
    let OwnInFiles { schemes, models, controllers, schemas } = load_own(&mut tree, folder, source_name)?;
    let mut mistakes = Mistakes::new(source_name, &tree);
    check_shape(&tree, &schemas, &mut mistakes);
    mistakes.into_result()?;
    settled(&tree, source_name, folder, |tree, source_name| {
        let typed = || typed(tree, source_name);
        schemes.while_reading(|| models.while_reading(|| controllers.while_reading(typed)))
    })
}

/// The scenario of a tree of the right shape, of which `document_of` makes the document.
fn settled(
    tree: &Node,
    source_name: &str,
    folder: Option<&Path>,
    document_of: impl FnOnce(&Node, &str) -> Result<Document, ScenarioError>,
) -> Result<Scenario, ScenarioError> {
    let mut document = document_of(tree, source_name)?;
    let mut mistakes = Mistakes::new(source_name, tree);
    read_files(tree, folder, &mut document.files, &mut mistakes);
    document.forget_profiles(|key| mistakes.is_written(key));
    document.settle();
    let scenario = resolve(&document, &mut mistakes);
    mistakes.into_result()?;
    Ok(scenario.expect("a scenario is refused only with a mistake"))
}

/// The document of a tree of the right shape. What the schema lets through and the types do not is refused
/// here, in the words of the type.
fn typed(tree: &Node, source_name: &str) -> Result<Document, ScenarioError> {
    serde_path_to_error::deserialize(tree.to_json()).map_err(|error| {
        let path = error.path().to_string().replace('[', ".").replace(']', "");
        let key = if path == "." { String::new() } else { path };
        refused(tree, source_name, key, error.into_inner().to_string())
    })
}

/// The same without the place of what is refused: finding it takes a second reader of every type.
fn plainly_typed(tree: &Node, source_name: &str) -> Result<Document, ScenarioError> {
    serde_json::from_value(tree.to_json())
        .map_err(|error| refused(tree, source_name, String::new(), error.to_string()))
}

fn refused(tree: &Node, source_name: &str, key: String, wrong: String) -> ScenarioError {
    let place = if key.is_empty() { Place::Whole } else { tree.place_of(&key) };
    let value = tree.descendant(&key).and_then(Node::scalar);
    let source_name = source_name.to_owned();
    ScenarioError::new(vec![Mistake {
        source_name,
        place,
        key,
        missing: None,
        value,
        wrong,
        legal: None,
        nearest: None,
    }])
}

fn tree_of(document: &Document) -> Node {
    from_json(&serde_json::to_value(document).expect("a document has no map with keys that are not strings"))
}
