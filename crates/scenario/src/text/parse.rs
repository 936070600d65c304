//! TOML and JSON texts as trees.

use super::tree::{Node, Value};
use crate::error::{Mistake, Place, ScenarioError};
use crate::recognised::mistaken;
use std::collections::BTreeMap;
use toml::de::{DeInteger, DeTable, DeValue};

/// The tree of a TOML text.
///
/// # Errors
/// The first place where the text is not TOML.
pub(crate) fn toml_tree(text: &str, source_name: &str) -> Result<Node, ScenarioError> {
    let lines = Lines::of(text);
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or(Place::Whole, |span| lines.column(text, span.start));
        match mistaken(source_name, text.as_bytes(), None) {
            Some(what) => not_readable(source_name, Place::Whole, &format!("no scenario but {what}")),
            None => not_readable(source_name, place, &format!("not TOML: {}", error.message())),
        }
    })?;
    let at = |offset: usize| lines.line(offset);
    Ok(Node { place: Place::Whole, value: table(document.get_ref(), &at) })
}

/// The tree of one TOML value, all of whose parts are at `place`.
///
/// # Errors
/// Why the text is not a TOML value.
pub(crate) fn toml_value(text: &str, place: &Place) -> Result<Node, String> {
    let parsed = DeValue::parse(text).map_err(|error| error.message().to_owned())?;
    Ok(Node { place: place.clone(), value: value(parsed.get_ref(), &|_| place.clone()) })
}

/// The tree of a JSON text.
///
/// # Errors
/// The first place where the text is not JSON.
pub(crate) fn json_tree(text: &str, source_name: &str) -> Result<Node, ScenarioError> {
    let json: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let place = Place::Column(error.line(), error.column());
        not_readable(source_name, place, &format!("not JSON: {error}"))
    })?;
    Ok(from_json(&json))
}

/// The tree of a JSON value; a member that is `null` is left out, as if it had not been written.
pub(crate) fn from_json(json: &serde_json::Value) -> Node {
    use serde_json::Value as Json;
    let value = match json {
        Json::Null => Value::Table(BTreeMap::new()),
        Json::Bool(truth) => Value::Boolean(*truth),
        Json::Number(number) => match number.as_i128() {
            Some(whole) => Value::Integer(whole),
            None => real(number.as_f64().expect("a JSON number is an integer or a float")),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::Array(elements.iter().map(from_json).collect()),
        Json::Object(members) => {
            let present = members.iter().filter(|(_, member)| !member.is_null());
            Value::Table(present.map(|(key, member)| (key.clone(), from_json(member))).collect())
        }
    };
    Node { place: Place::Whole, value }
}

fn not_readable(source_name: &str, place: Place, wrong: &str) -> ScenarioError {
    ScenarioError::new(vec![Mistake {
        source_name: source_name.to_owned(),
        place,
        key: String::new(),
        missing: None,
        value: None,
        wrong: wrong.to_owned(),
        legal: None,
        nearest: None,
    }])
}

fn table(members: &DeTable<'_>, at: &dyn Fn(usize) -> Place) -> Value {
    let nodes = members.iter().map(|(key, member)| {
        let place = at(key.span().start);
        (key.get_ref().to_string(), Node { place, value: value(member.get_ref(), at) })
    });
    Value::Table(nodes.collect())
}

fn value(parsed: &DeValue<'_>, at: &dyn Fn(usize) -> Place) -> Value {
    match parsed {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => real(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(elements) => {
            let node = |element: &toml::Spanned<DeValue<'_>>| Node {
                place: at(element.span().start),
                value: value(element.get_ref(), at),
            };
            Value::Array(elements.iter().map(node).collect())
        }
        DeValue::Table(members) => table(members, at),
    }
}

/// Minus zero is zero: equal scenarios are equal texts.
fn real(number: f64) -> Value {
    Value::Float(number + 0.0)
}

/// An integer too long for 128 bits is beyond every legal value; it stays so as a real number.
fn integer(number: &DeInteger<'_>) -> Value {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(whole) => Value::Integer(whole),
        Err(_) => Value::Float(number.as_str().parse().unwrap_or(f64::INFINITY)),
    }
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(breaks.map(|(offset, _)| offset + 1)).collect() }
    }

    /// The line, counted from 1, that holds the byte at `offset`.
    fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    fn line(&self, offset: usize) -> Place {
        Place::Line(self.number(offset))
    }

    fn column(&self, text: &str, offset: usize) -> Place {
        let line = self.number(offset);
        let start = self.starts[line - 1];
        let before = text.get(start..offset).map_or(offset - start, |before| before.chars().count());
        Place::Column(line, before + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_remembers_its_line() {
        let text = "a = 1\n[b]\nc = [\n  2,\n  3]\n[[d]]\ne = { f = 4 }\n[[d]]\ng = 5\n";
        let tree = toml_tree(text, "t").unwrap();
        let line = |path: &str| tree.place_of(path);
        assert_eq!(line("a"), Place::Line(1));
        assert_eq!(line("b"), Place::Line(2));
        assert_eq!(line("b.c"), Place::Line(3));
        assert_eq!(line("b.c.1"), Place::Line(5));
        assert_eq!(line("d.0.e.f"), Place::Line(7));
        assert_eq!(line("d.1"), Place::Line(8));
        assert_eq!(line("d.1.g"), Place::Line(9));
        assert_eq!(line("d.1.absent.deeper"), Place::Line(8));
    }

    #[test]
    fn a_text_that_is_not_toml_is_refused_at_its_line_and_column() {
        let error = toml_tree("name = \"x\"\nrate = = 3\n", "t.toml").unwrap_err();
        assert_eq!(error.mistakes()[0].place, Place::Column(2, 8));
        let twice = toml_tree("[a]\nb = 1\nb = 2\n", "t.toml").unwrap_err();
        assert_eq!(twice.mistakes()[0].place, Place::Column(3, 1));
        assert!(twice.to_string().starts_with("t.toml:3:1: not TOML: duplicate key"), "{twice}");
    }

    #[test]
    fn a_null_in_json_is_an_absent_key() {
        let tree = json_tree("{\"a\": null, \"b\": 1.5}", "t.json").unwrap();
        assert!(tree.child("a").is_none());
        assert!(matches!(tree.child("b").unwrap().value, Value::Float(1.5)));
    }
}
