//! Parameters declared as data: their names, types, ranges and defaults, and what a table says of them.

use aqmlab_aqm::NumberRange;
use serde::de::Error as _;
use serde_json::{Map, Value};

/// Parameters by their names: their values, every default filled in, or their JSON schemas.
pub type Values = Map<String, Value>;

/// Adds the JSON schemas of parameters to those of `properties`; `is_taken` says which further names are.
///
/// # Errors
/// In words, which parameter is declared wrongly, and how.
pub(crate) fn add(
    properties: &mut Values,
    own: Values,
    every: &str,
    is_taken: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (key, schema) in own {
        let is_part = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_';
        if !key.starts_with(|one: char| one.is_ascii_lowercase()) || !key.chars().all(is_part) {
            return Err(format!(
                "parameter `{key}`: lower-case letters, digits and underscores, a letter first"
            ));
        }
        if properties.contains_key(&key) || is_taken(&key) {
            return Err(format!("parameter `{key}`: every {every} has it already"));
        }
        let default = schema.get("default").ok_or(format!("parameter `{key}`: no default"))?;
        if !is_of_type(&schema, default) || refusal(&schema, default).is_some() {
            return Err(format!("parameter `{key}`: its default {default} is not legal"));
        }
        properties.insert(key, schema);
    }
    Ok(())
}

/// The values of a table, with the defaults of those that it leaves out. `others` are keys that are legal
/// beside these: for messages.
///
/// # Errors
/// A key that is none of the parameters, or a value of the wrong type.
pub(crate) fn filled(
    properties: &Values,
    given: Values,
    others: &[&str],
) -> Result<Values, serde_json::Error> {
    let defaults = properties.iter().map(|(key, schema)| (key.clone(), schema["default"].clone()));
    let mut values: Values = defaults.collect();
    for (key, value) in given {
        let Some(schema) = properties.get(&key) else {
            let legal = properties.keys().map(String::as_str).chain(others.iter().copied());
            let legal: Vec<String> = legal.map(|key| format!("`{key}`")).collect();
            let message = format!("unknown field `{key}`, expected one of {}", legal.join(", "));
            return Err(serde_json::Error::custom(message));
        };
        if !is_of_type(schema, &value) {
            return Err(serde_json::Error::custom(format!("{key}: {value} is of the wrong type")));
        }
        // A number is written in one way, so that equal parameters give equal texts.
        let real = if has_type(schema, "number") { value.as_f64().map(Value::from) } else { None };
        values.insert(key, real.unwrap_or(value));
    }
    Ok(values)
}

/// The first value that its schema does not allow: its key, the value, and what would be legal.
pub(crate) fn first_refusal(properties: &Values, values: &Values) -> Option<(String, String, String)> {
    values.iter().find_map(|(key, value)| {
        let legal = refusal(&properties[key], value)?;
        Some((key.clone(), value.to_string(), legal))
    })
}

/// Whether a value is of the type that a schema asks for.
fn is_of_type(schema: &Value, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "null" => value.is_null(),
        _ => false,
    };
    types(schema).any(is)
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    types(schema).any(|kind| kind == wanted)
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, several) = match &schema["type"] {
        Value::String(kind) => (Some(kind.as_str()), [].as_slice()),
        Value::Array(kinds) => (None, kinds.as_slice()),
        _ => (None, [].as_slice()),
    };
    one.into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// What would be legal, if a value of the right type is not.
fn refusal(schema: &Value, value: &Value) -> Option<String> {
    if let (Some(words), Some(word)) = (schema.get("enum").and_then(Value::as_array), value.as_str()) {
        let known: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return (!known.contains(&word)).then(|| format!("one of {}", known.join(", ")));
    }
    let (number, range) = (value.as_f64()?, NumberRange::of(schema));
    (!range.contains(number)).then(|| range.to_string())
}
