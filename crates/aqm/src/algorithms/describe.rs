//! The description of a scheme, from the documentation and the JSON schema of its parameters.

use schemars::Schema;

/// Name, meaning and source, then one paragraph per parameter: type, default, meaning, legal words.
pub(crate) fn text(name: &str, schema: &Schema) -> String {
    let mut text = format!("{name}\n\n{}\n\nParameters:\n", string(schema, "description"));
    let properties = schema.get("properties").and_then(|properties| properties.as_object());
    for (key, property) in properties.into_iter().flatten() {
        let Ok(property) = Schema::try_from(property.clone()) else { continue };
        text.push_str(&parameter(key, &property));
    }
    text
}

fn string(schema: &Schema, key: &str) -> String {
    schema.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

fn parameter(key: &str, property: &Schema) -> String {
    let default = match property.get("default") {
        None => String::new(),
        Some(value) if value.is_null() => ", unset unless given".to_owned(),
        Some(value) => format!(", default {value}"),
    };
    let meaning = string(property, "description").replace('\n', " ");
    let mut text = format!("\n  {key}: {}{default}\n      {meaning}\n", kind(property));
    for (word, meaning) in words(property) {
        text.push_str(&format!("        {word}: {meaning}\n"));
    }
    text
}

/// The type in words: `number`, `integer`, `true or false`, `one of`, …
fn kind(property: &Schema) -> String {
    let types: Vec<&str> = match property.get("type") {
        Some(value) if value.is_string() => value.as_str().into_iter().collect(),
        Some(value) => value.as_array().into_iter().flatten().filter_map(|kind| kind.as_str()).collect(),
        None if property.get("oneOf").is_some() => vec!["one of the words below"],
        None => vec!["see below"],
    };
    let kinds: Vec<&str> = types.into_iter().filter(|&kind| kind != "null").collect();
    kinds.join(" or ").replace("boolean", "true or false")
}

/// The words that may stand for the value, or its alternative forms, with their meanings.
fn words(property: &Schema) -> Vec<(String, String)> {
    let alternatives =
        ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    alternatives.filter_map(|form| alternative(&Schema::try_from(form.clone()).ok()?)).collect()
}

fn alternative(form: &Schema) -> Option<(String, String)> {
    let meaning = string(form, "description").replace('\n', " ");
    if let Some(word) = form.get("const") {
        return Some((word.to_string(), meaning));
    }
    match form.get("properties").and_then(|properties| properties.as_object()) {
        Some(keys) => {
            let keys: Vec<&str> = keys.keys().map(String::as_str).collect();
            Some((format!("{{ {} = ... }}", keys.join(" = ..., ")), meaning))
        }
        None => Some((kind(form), meaning)),
    }
}
