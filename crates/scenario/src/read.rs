//! From text to a checked document and a scenario: read, override, check the shape, fill in, resolve.

use crate::document::Document;
use crate::error::{Mistake, Place, ScenarioError};
use crate::mistakes::Mistakes;
use crate::resolve::resolve;
use crate::scenario::Scenario;
use crate::shape::check_shape;
use crate::text::{Node, apply_overrides, from_json, json_tree, toml_tree};

/// How a scenario read back from JSON is named in messages.
const RESOLVED: &str = "resolved scenario";

impl Scenario {
    /// The scenario of a TOML text. `source_name` is the file's name, for messages. Each override is a key
    /// path and a value, `("dumbbell.queue.q_ref_packets", "240")`: elements of arrays by their index, the
    /// value as TOML or as a bare word. Overrides are applied before anything is checked.
    ///
    /// # Errors
    /// Every mistake that can be found: a text that is not TOML is refused at its first error, a scenario of
    /// the wrong shape with every unknown or missing key and every value of a wrong type or out of range,
    /// and one of the right shape with everything that contradicts itself.
    pub fn from_toml(
        text: &str,
        source_name: &str,
        overrides: &[(String, String)],
    ) -> Result<Self, ScenarioError> {
        read(toml_tree(text, source_name)?, source_name, overrides)
    }

    /// The scenario that [`Scenario::to_json`] wrote.
    ///
    /// # Errors
    /// As of [`Scenario::from_toml`]; places are key paths alone.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        read(json_tree(text, RESOLVED)?, RESOLVED, &[])
    }

    /// The scenario of a document made in code.
    ///
    /// # Errors
    /// As of [`Scenario::from_json`].
    pub fn from_document(document: &Document) -> Result<Self, ScenarioError> {
        read(tree_of(document), RESOLVED, &[])
    }

    /// This scenario with single keys set, as in [`Scenario::from_toml`].
    ///
    /// # Errors
    /// As of [`Scenario::from_toml`].
    pub fn with_overrides(&self, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        read(tree_of(&self.document), RESOLVED, overrides)
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

    /// The same traffic on an uncongested network; see [`Document::uncongested_twin`].
    ///
    /// # Errors
    /// A topology in which no link has uncongested settings has no twin.
    pub fn uncongested_twin(&self) -> Result<Self, ScenarioError> {
        Self::from_document(&self.document.uncongested_twin()?)
    }
}

fn read(
    mut tree: Node,
    source_name: &str,
    overrides: &[(String, String)],
) -> Result<Scenario, ScenarioError> {
    apply_overrides(&mut tree, overrides)?;
    let mut mistakes = Mistakes::new(source_name, &tree);
    check_shape(&tree, &mut mistakes);
    mistakes.into_result()?;
    let mut document = typed(&tree, source_name)?;
    document.settle();
    let mut mistakes = Mistakes::new(source_name, &tree);
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
        let place = if key.is_empty() { Place::Whole } else { tree.place_of(&key) };
        let wrong = error.into_inner().to_string();
        let source_name = source_name.to_owned();
        ScenarioError::new(vec![Mistake { source_name, place, key, wrong, legal: None, nearest: None }])
    })
}

fn tree_of(document: &Document) -> Node {
    from_json(&serde_json::to_value(document).expect("a document has no map with keys that are not strings"))
}
