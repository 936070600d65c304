//! What a schema allows, in words.

use crate::schema::{alternatives, any_property, kind, names, properties, tag};
use aqmlab_aqm::NumberRange;
use serde_json::Value as Json;

/// The legal values of a key, for messages and tables: `0 to 100000`, `"steady" or "fresh"`, `true or false`.
pub(crate) fn legal_values(part: &Json) -> String {
    let parts = alternatives(part);
    let strings: Vec<&str> = parts.iter().filter_map(|one| names(one)).flatten().collect();
    let tables: Vec<&Json> = parts.iter().copied().filter(|one| kind(one) == Some("object")).collect();
    let mut legal: Vec<String> = Vec::new();
    let other = |one: &&&Json| names(one).is_none() && kind(one) != Some("object");
    legal.extend(parts.iter().filter(other).map(|one| legal_of_one(one)));
    if !strings.is_empty() {
        legal.push(listed(&strings));
    }
    if !tables.is_empty() {
        legal.push(legal_of_tables(&tables));
    }
    legal.join(", or ")
}

/// A table by its tag, or by its keys where these are few.
fn legal_of_tables(tables: &[&Json]) -> String {
    if let Some(tag) = tag(tables) {
        return format!("a table with {tag} = ...");
    }
    if tables.iter().any(|table| any_property(table).is_some()) {
        return "a table of texts".to_owned();
    }
    let keys_of = |table: &&Json| properties(table).map(|(key, _)| key).collect::<Vec<&str>>().join(", ");
    if tables.iter().any(|table| properties(table).count() > 3) {
        return "a table".to_owned();
    }
    let keys: Vec<String> = tables.iter().map(keys_of).collect();
    format!("a table of {}", keys.join("; or of "))
}

fn legal_of_one(part: &Json) -> String {
    match kind(part) {
        Some("integer" | "number") => NumberRange::of(part).to_string(),
        Some("boolean") => "true or false".to_owned(),
        Some("string") if shortest(part) > 0 => "a string, not empty".to_owned(),
        Some("string") => "a string".to_owned(),
        Some("array") => "an array".to_owned(),
        _ => "any value".to_owned(),
    }
}

/// The fewest characters of a string, or elements of an array.
pub(crate) fn shortest(part: &Json) -> u64 {
    part.get("minLength").or_else(|| part.get("minItems")).and_then(Json::as_u64).unwrap_or(0)
}

/// Quoted names: `"a"`, `"a" or "b"`, `"a", "b" or "c"`.
pub(crate) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    either(&quoted)
}

/// The same of keys, which no quotes surround: `a`, `a or b`, `a, b or c`.
pub(crate) fn either<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}
