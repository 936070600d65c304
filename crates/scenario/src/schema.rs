//! The JSON Schema of a scenario, and reading it.

use crate::{Document, Scheme};
use serde_json::Value as Json;
use std::sync::{Mutex, PoisonError};

/// The JSON Schema (draft 2020-12) of a scenario: every key with its meaning, type, default and range.
///
/// An editor that knows JSON Schema completes and checks scenarios by it; so do
/// [`crate::Scenario::from_toml`] and the tables of the documentation.
#[must_use]
pub fn json_schema() -> Json {
    schema().clone()
}

/// The schema, made once, and once more after each scheme that is registered from outside: it then lists that
/// too.
pub(crate) fn schema() -> &'static Json {
    static MADE: Mutex<Option<(usize, &'static Json)>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let schemes = Scheme::names().len();
    match *made {
        Some((of_schemes, schema)) if of_schemes == schemes => schema,
        _ => {
            let schema = Box::leak(Box::new(schemars::schema_for!(Document).to_value()));
            made.insert((schemes, schema)).1
        }
    }
}

/// A schema with its reference followed. Keywords beside `$ref` are annotations (description, default).
pub(crate) fn followed(part: &Json) -> &Json {
    let Some(reference) = part.get("$ref").and_then(Json::as_str) else { return part };
    let pointer = reference.strip_prefix('#').expect("references stay within the schema");
    followed(schema().pointer(pointer).expect("references lead to a definition"))
}

/// What a value may be: the alternatives of a choice without `null`, or the schema itself.
pub(crate) fn alternatives(part: &Json) -> Vec<&Json> {
    let part = followed(part);
    let choice = part.get("oneOf").or_else(|| part.get("anyOf")).and_then(Json::as_array);
    match choice {
        Some(parts) => parts.iter().flat_map(alternatives).filter(|one| kind(one) != Some("null")).collect(),
        None => vec![part],
    }
}

/// The type a schema asks for; of a type that may be `null`, the other.
pub(crate) fn kind(part: &Json) -> Option<&str> {
    match part.get("type")? {
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    }
}

/// The legal strings of a schema that lists them.
pub(crate) fn names(part: &Json) -> Option<Vec<&str>> {
    if let Some(name) = part.get("const").and_then(Json::as_str) {
        return Some(vec![name]);
    }
    part.get("enum")?.as_array()?.iter().map(Json::as_str).collect()
}

/// The keys of a table's schema with their schemas, in alphabetical order.
pub(crate) fn properties(part: &Json) -> impl Iterator<Item = (&str, &Json)> {
    part.get("properties")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
        .map(|(key, part)| (key.as_str(), part))
}

/// The schema of one key of a table.
pub(crate) fn property<'a>(part: &'a Json, key: &str) -> Option<&'a Json> {
    part.get("properties")?.get(key)
}

/// What a table takes under keys that are not listed: names that its author chooses.
pub(crate) fn any_property(part: &Json) -> Option<&Json> {
    part.get("additionalProperties").filter(|part| part.is_object())
}

/// The keys that a table must have.
pub(crate) fn required(part: &Json) -> impl Iterator<Item = &str> {
    part.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}

/// The key whose value tells the alternatives of a choice between tables apart, such as `scheme`.
pub(crate) fn tag<'a>(tables: &[&'a Json]) -> Option<&'a str> {
    let (first, others) = tables.split_first()?;
    let named =
        |table: &Json, key: &str| property(table, key).is_some_and(|part| part.get("const").is_some());
    properties(first).map(|(key, _)| key).find(|key| {
        named(first, key)
            && required(first).any(|needed| needed == *key)
            && others.iter().all(|o| named(o, key))
    })
}
