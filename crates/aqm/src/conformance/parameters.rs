//! Random legal parameters of any scheme, drawn from its JSON schema: a scheme is covered once it is
//! registered.
//!
//! The unit in a key's name gives the scale of a value without a default.

use crate::algorithms::Scheme;
use aqmlab_random::Stream;
use schemars::{Schema, json_schema};
use serde::Deserialize as _;

/// How a number is drawn: from its key, its default, and a stream.
type Law = fn(&str, Option<f64>, &mut Stream) -> f64;

/// A valid scheme of this name. Most keys are drawn, some are left at their defaults.
///
/// # Errors
/// In words: no such scheme, or none of many parameters that its schema allows is legal.
pub fn random_scheme(name: &str, random: &mut Stream) -> Result<Scheme, String> {
    scheme(name, random_number, random)
}

/// A valid scheme of this name, whose numbers come from all of what their types hold.
///
/// # Errors
/// As of [`random_scheme`].
pub fn extreme_scheme(name: &str, random: &mut Stream) -> Result<Scheme, String> {
    scheme(name, extreme_number, random)
}

fn scheme(name: &str, law: Law, random: &mut Stream) -> Result<Scheme, String> {
    let schema = Scheme::parameter_schema(name).map_err(|error| error.to_string())?;
    for _ in 0..10_000 {
        let mut table = random_table(&schema, 0.7, law, random);
        table.insert("scheme".to_owned(), name.into());
        let scheme = Scheme::deserialize(table.to_value())
            .map_err(|error| format!("its own schema allows what is refused: {error}"))?;
        if scheme.validate().is_ok() {
            return Ok(scheme);
        }
    }
    Err("none of 10,000 draws of what its schema allows is legal".to_owned())
}

/// Draws each property with a probability; those without a default always.
fn random_table(schema: &Schema, share: f64, law: Law, random: &mut Stream) -> Schema {
    let mut table = json_schema!({});
    let properties = schema.get("properties").and_then(|properties| properties.as_object());
    for (key, property) in properties.into_iter().flatten() {
        let property = Schema::try_from(property.clone()).expect("a schema");
        if property.get("default").is_none() || random.uniform() < share {
            insert(&mut table, key, &property, law, random);
        }
    }
    table
}

fn insert(table: &mut Schema, key: &str, property: &Schema, law: Law, random: &mut Stream) {
    let default = property.get("default").and_then(|default| default.as_f64());
    let forms = ["oneOf", "anyOf"].into_iter().find_map(|form| property.get(form)?.as_array());
    if let Some(forms) = forms {
        let forms: Vec<_> = forms.iter().filter(|form| !is_registered_scheme(form)).collect();
        let form = forms[random.below(forms.len() as u64) as usize];
        return insert(table, key, &Schema::try_from(form.clone()).expect("a schema"), law, random);
    }
    let words = property.get("enum").and_then(|words| words.as_array());
    let value = if let Some(word) = property.get("const") {
        word.clone()
    } else if let Some(words) = words {
        words[random.below(words.len() as u64) as usize].clone()
    } else if is(property, "array") {
        let items = property.get("items").cloned().and_then(|items| Schema::try_from(items).ok());
        let items = items.expect("a list of something");
        let mut list = Vec::new();
        for _ in 0..random.below(4) {
            let mut one = json_schema!({});
            insert(&mut one, key, &items, law, random);
            list.extend(one.get(key).cloned());
        }
        list.into()
    } else if is(property, "string") {
        // Only a whole scenario can give text a meaning.
        return;
    } else if is(property, "object") {
        // Of a scheme within a scheme some keys are left at their defaults too.
        let share = if property.pointer("/properties/scheme").is_some() { 0.7 } else { 1.0 };
        random_table(property, share, law, random).to_value()
    } else if is(property, "boolean") {
        (random.uniform() < 0.5).into()
    } else if is(property, "integer") {
        // Most whole numbers of the schemes hold 32 bits.
        (bounded(law(key, default, random).ceil().min(f64::from(u32::MAX)), property) as u64).into()
    } else if is(property, "number") {
        bounded(law(key, default, random), property).into()
    } else {
        panic!("{key}: no rule for {:?}", property.as_value())
    };
    table.insert(key.to_owned(), value);
}

/// Whether a form is the table of a scheme that somebody else has registered in this process. As the scheme
/// of a queue it would be judged together with the one that is tried.
fn is_registered_scheme(form: &serde_json::Value) -> bool {
    let name = form.pointer("/properties/scheme/const").and_then(|name| name.as_str());
    name.is_some_and(|name| !Scheme::built_in_names().contains(&name))
}

/// The nearest number that the schema's bounds hold.
fn bounded(number: f64, property: &Schema) -> f64 {
    let bound = |keyword: &str| property.get(keyword).and_then(|bound| bound.as_f64());
    number.max(bound("minimum").unwrap_or(number)).min(bound("maximum").unwrap_or(f64::INFINITY))
}

fn is(property: &Schema, kind: &str) -> bool {
    let Some(types) = property.get("type") else { return false };
    types.as_str() == Some(kind)
        || types.as_array().is_some_and(|types| types.iter().any(|t| t.as_str() == Some(kind)))
}

/// Uniform on a logarithmic scale: around the default, or over the range that the unit suggests where there
/// is none but zero.
fn random_number(key: &str, default: Option<f64>, random: &mut Stream) -> f64 {
    let (low, high) = match default {
        _ if key == "limit_packets" => (4.0, 80.0),
        _ if key == "flows" => (1.0, 40.0),
        Some(default) if default != 0.0 => (default / 100.0, default * 5.0),
        _ if key.ends_with("_packets") => (0.5, 20.0),
        _ if key.ends_with("_bytes") => (6_000.0, 120_000.0),
        _ if key.ends_with("_ms") => (1.0, 400.0),
        _ if key.ends_with("_s") => (0.01, 3.0),
        _ => (1e-3, 10.0),
    };
    low * libm::pow(high / low, random.uniform())
}

/// As often as not an ordinary number, otherwise one from the ends or the whole range of doubles.
fn extreme_number(key: &str, default: Option<f64>, random: &mut Stream) -> f64 {
    match random.below(8) {
        0..4 => random_number(key, default, random),
        4 => [0.0, 5e-324, 1e-12, 1.0, 1e12, f64::MAX][random.below(6) as usize],
        5 => libm::pow(10.0, -300.0 + 600.0 * random.uniform()),
        _ => libm::pow(10.0, -13.0 + 26.0 * random.uniform()),
    }
}
