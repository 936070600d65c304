//! The mistakes found so far in one scenario.

use crate::error::{Legal, Mistake, Place, ScenarioError};
use crate::legal::listed;
use crate::nearest::{in_other_unit, nearest, nearest_name};
use crate::text::{Node, Value};

/// Collects mistakes, and finds their places in the text.
pub(crate) struct Mistakes<'a> {
    source_name: &'a str,
    tree: &'a Node,
    found: Vec<Mistake>,
}

impl<'a> Mistakes<'a> {
    pub(crate) const fn new(source_name: &'a str, tree: &'a Node) -> Self {
        Self { source_name, tree, found: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a mistake was found at `key` or below it.
    pub(crate) fn concern(&self, key: &str) -> bool {
        let below =
            |path: &str| path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.found.iter().any(|mistake| below(&mistake.key))
    }

    /// The whole number that a person wrote at `key`, in the text or an override; not one that was filled in
    /// when a scenario was resolved before.
    pub(crate) fn written_number(&self, key: &str) -> Option<i128> {
        match self.written(key)?.value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// Whether a person wrote `key`, in the text or an override.
    pub(crate) fn is_written(&self, key: &str) -> bool {
        self.written(key).is_some()
    }

    /// Whether `key` has a value, be it written or filled in when the scenario was resolved before.
    pub(crate) fn is_given(&self, key: &str) -> bool {
        self.given(key).is_some()
    }

    /// The text at `key`, wherever it comes from.
    pub(crate) fn given_text(&self, key: &str) -> Option<&'a str> {
        match &self.given(key)?.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn written(&self, key: &str) -> Option<&'a Node> {
        self.given(key).filter(|node| node.place != Place::Whole)
    }

    fn given(&self, key: &str) -> Option<&'a Node> {
        self.tree.descendant(key)
    }

    /// All is well, or every mistake.
    pub(crate) fn into_result(self) -> Result<(), ScenarioError> {
        if self.found.is_empty() { Ok(()) } else { Err(ScenarioError::new(self.found)) }
    }

    /// The value of `key` is wrong; `legal` says which values would be right.
    pub(crate) fn value(&mut self, key: &str, wrong: impl Into<String>, legal: impl Into<String>) {
        self.add(key, wrong.into(), Some(Legal::Values(legal.into())), None);
    }

    /// Something about `key` is wrong, and the sentence says all.
    pub(crate) fn sentence(&mut self, key: &str, wrong: impl Into<String>) {
        self.add(key, wrong.into(), None, None);
    }

    /// `key` names no known `what`.
    pub(crate) fn unknown_name(&mut self, key: &str, what: &str, given: &str, legal: &[&str]) {
        let meant = nearest_name(given, legal);
        self.add(key, format!("unknown {what} \"{given}\""), Some(Legal::Values(listed(legal))), meant);
    }

    /// The table at `path` has a key that it may not have; `remark` tells more, or is empty. Answers with the
    /// legal key that was probably meant.
    pub(crate) fn unknown_key(
        &mut self,
        path: &str,
        given: &str,
        remark: &str,
        legal: &[&str],
    ) -> Option<String> {
        let other_unit = in_other_unit(given, legal.iter().copied());
        let meant = other_unit.map(|(key, _)| key).or_else(|| nearest(given, legal.iter().copied()));
        let unit =
            other_unit.map(|(_, unit)| format!(" (this quantity is given in {unit})")).unwrap_or_default();
        let wrong = format!("unknown key \"{given}\"{unit}{remark}");
        let mistake = self.mistake(path, wrong, Some(Legal::Keys(legal.join(", "))), meant);
        let place = self.tree.place_of(&joined(path, given));
        let value = Some(serde_json::Value::from(given));
        self.found.push(Mistake { place, value, ..mistake });
        meant.map(ToOwned::to_owned)
    }

    /// The table at `path` lacks a key; `legal` says what it may be.
    pub(crate) fn missing_key(&mut self, path: &str, key: &str, legal: &str) {
        let legal = Some(Legal::Values(legal.to_owned()));
        let mistake = self.mistake(path, format!("missing key \"{key}\""), legal, None);
        self.found.push(Mistake { missing: Some(key.to_owned()), ..mistake });
    }

    fn add(&mut self, key: &str, wrong: String, legal: Option<Legal>, meant: Option<&str>) {
        let mistake = self.mistake(key, wrong, legal, meant);
        self.found.push(mistake);
    }

    fn mistake(&self, key: &str, wrong: String, legal: Option<Legal>, meant: Option<&str>) -> Mistake {
        let place = if key.is_empty() { Place::Whole } else { self.tree.place_of(key) };
        let nearest = meant.map(ToOwned::to_owned);
        Mistake {
            source_name: self.source_name.to_owned(),
            place,
            key: key.to_owned(),
            missing: None,
            value: self.given(key).and_then(Node::scalar),
            wrong,
            legal,
            nearest,
        }
    }
}

/// The path of a key in the table at `path`.
pub(crate) fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
