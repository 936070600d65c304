//! The description of a scheme, from the documentation and the JSON schema of its parameters.

use crate::number_range::NumberRange;
use schemars::Schema;
use serde_json::{Map, Value};

/// Name, meaning and source, then the parameters.
pub(crate) fn text(name: &str, schema: &Schema) -> String {
    let properties = schema.get("properties").and_then(|properties| properties.as_object());
    let parameters = properties.map(describe_parameters).unwrap_or_default();
    format!("{name}\n\n{}\n\nParameters:\n{parameters}", string(schema, "description"))
}

/// One paragraph for each parameter, from the JSON schemas of the parameters by their names: type, range,
/// default, meaning, legal words.
#[must_use]
pub fn describe_parameters(properties: &Map<String, Value>) -> String {
    let schemas = properties.iter().filter_map(|(key, own)| Some((key, Schema::try_from(own.clone()).ok()?)));
    schemas.map(|(key, own)| parameter(key, &own)).collect()
}

fn string(schema: &Schema, key: &str) -> String {
    schema.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

fn parameter(key: &str, property: &Schema) -> String {
    let mut text = format!("\n  {}\n      {}\n", heading(key, property), meaning(property));
    for (form, meaning) in forms(property) {
        text.push_str(&format!("        {form}: {meaning}\n"));
    }
    for (key, own) in keys_of_each(property) {
        text.push_str(&format!("        {}\n          {}\n", heading(&key, &own), meaning(&own)));
    }
    text
}

fn meaning(property: &Schema) -> String {
    string(property, "description").replace('\n', " ")
}

/// The name, type, range and default.
fn heading(key: &str, property: &Schema) -> String {
    let default = match property.get("default") {
        None => String::new(),
        Some(value) if value.is_null() => ", unset unless given".to_owned(),
        Some(value) => match value.get("scheme") {
            Some(name) => format!(", default {{ scheme = {name} }}"),
            None => format!(", default {value}"),
        },
    };
    let range = NumberRange::declared(property.as_value());
    let range = range.map_or_else(String::new, |range| format!(", {range}"));
    format!("{key}: {}{range}{default}", kind(property))
}

/// Of an array of tables: the keys of each table.
fn keys_of_each(property: &Schema) -> Vec<(String, Schema)> {
    let keys = property.get("items").and_then(|item| item.get("properties")).and_then(Value::as_object);
    let keys = keys.into_iter().flatten();
    keys.filter_map(|(key, own)| Some((key.clone(), Schema::try_from(own.clone()).ok()?))).collect()
}

/// The type in words: `number`, `integer`, `true or false`, …; of some words these.
fn kind(property: &Schema) -> String {
    if let Some(words) = property.get("enum").and_then(|words| words.as_array()) {
        let words: Vec<String> = words.iter().filter(|word| !word.is_null()).map(Value::to_string).collect();
        return words.join(" or ");
    }
    let types: Vec<&str> = match property.get("type") {
        Some(value) if value.is_string() => value.as_str().into_iter().collect(),
        Some(value) => value.as_array().into_iter().flatten().filter_map(|kind| kind.as_str()).collect(),
        None if forms(property).iter().all(|(form, _)| form.starts_with("{ scheme")) => vec!["table"],
        None => vec!["one of those below"],
    };
    let kinds: Vec<&str> = types.into_iter().filter(|&kind| kind != "null").collect();
    kinds.join(" or ").replace("boolean", "true or false")
}

/// The words or forms that the value may take, each with its meaning.
fn forms(property: &Schema) -> Vec<(String, String)> {
    let forms = ["oneOf", "anyOf"].into_iter().filter_map(|key| property.get(key)?.as_array()).flatten();
    let forms = forms.filter_map(|form| Schema::try_from(form.clone()).ok());
    forms.map(|form| (shape(&form), string(&form, "description").replace('\n', " "))).collect()
}

/// What a value of this form looks like: a word, a table with its keys, or the type.
fn shape(form: &Schema) -> String {
    if let Some(word) = form.get("const") {
        return word.to_string();
    }
    let alternatives = forms(form);
    if !alternatives.is_empty() {
        return alternatives.into_iter().map(|(shape, _)| shape).collect::<Vec<_>>().join(" or ");
    }
    let Some(keys) = form.get("properties").and_then(|keys| keys.as_object()) else { return kind(form) };
    if let Some(name) = keys.get("scheme").and_then(|tag| tag.get("const")) {
        return format!("{{ scheme = {name}, ... }}");
    }
    let keys = keys.iter().filter_map(|(key, inner)| Some((key, Schema::try_from(inner.clone()).ok()?)));
    let keys: Vec<String> = keys.map(|(key, inner)| format!("{key} = {}", shape(&inner))).collect();
    format!("{{ {} }}", keys.join(", "))
}
