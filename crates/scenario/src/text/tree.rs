//! A tree of values that remember where they were written.

use crate::error::Place;
use std::collections::BTreeMap;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What TOML and JSON have in common. A JSON `null` is an absent key.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Table(BTreeMap<String, Node>),
    Array(Vec<Node>),
    String(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    /// A TOML date or time, as written. No key of a scenario takes one.
    Date(String),
}

impl Node {
    /// The member of a table or the element of an array.
    pub(crate) fn child(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(members) => members.get(key),
            Value::Array(elements) => elements.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// What stands at a path of keys joined by dots.
    pub(crate) fn descendant(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, part| node.child(part))
    }

    /// Where `path` was written; where it was not, the place of the nearest table around it.
    pub(crate) fn place_of(&self, path: &str) -> Place {
        let mut node = self;
        for key in path.split('.') {
            match node.child(key) {
                Some(child) => node = child,
                None => break,
            }
        }
        node.place.clone()
    }

    /// A text, a number, true or false as JSON; none of a table or an array.
    pub(crate) fn scalar(&self) -> Option<serde_json::Value> {
        match &self.value {
            Value::Table(_) | Value::Array(_) => None,
            Value::Float(number) if !number.is_finite() => Some(number.to_string().into()),
            _ => Some(self.to_json()),
        }
    }

    /// The same value as JSON.
    ///
    /// # Panics
    /// If a number is not finite: the shape check refuses those first.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Table(members) => {
                Json::Object(members.iter().map(|(key, node)| (key.clone(), node.to_json())).collect())
            }
            Value::Array(elements) => Json::Array(elements.iter().map(Self::to_json).collect()),
            Value::String(text) | Value::Date(text) => Json::String(text.clone()),
            Value::Integer(number) => match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(number), _) => Json::from(number),
                (_, Ok(number)) => Json::from(number),
                _ => Json::from(*number as f64),
            },
            Value::Float(number) => Json::Number(
                serde_json::Number::from_f64(*number).expect("the shape check refuses NaN and inf"),
            ),
            Value::Boolean(truth) => Json::Bool(*truth),
        }
    }
}

impl Value {
    /// The kind of value, with its article.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::Array(_) => "an array",
            Self::String(_) => "a string",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Boolean(_) => "a truth value",
            Self::Date(_) => "a date",
        }
    }

    /// The value in short, for a message: scalars as they would be written, others by their kind.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Table(_) | Self::Array(_) => self.kind().to_owned(),
            Self::String(text) => format!("{} (\"{text}\")", self.kind()),
            Self::Integer(number) => format!("{} ({number})", self.kind()),
            Self::Float(number) => format!("{} ({number})", self.kind()),
            Self::Boolean(truth) => format!("{} ({truth})", self.kind()),
            Self::Date(text) => format!("{} ({text})", self.kind()),
        }
    }
}
