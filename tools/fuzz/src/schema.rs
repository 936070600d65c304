//! Values drawn from the JSON Schema of scenarios.

use crate::dice::Dice;
use crate::numbers::NumberRange;
use serde_json::{Map, Value as Json, json};

/// The schema with its definitions.
pub(crate) struct Schema {
    root: Json,
}

/// Keys that are left to their defaults: files would have to exist, and the network decides how many servers
/// there are.
fn is_left_out(key: &str) -> bool {
    key.ends_with("_file") || key == "server_count"
}

impl Schema {
    pub(crate) fn new() -> Self {
        Self { root: aqmlab_scenario::json_schema() }
    }

    /// The part that defines a table, by the name of its type.
    pub(crate) fn definition(&self, name: &str) -> &Json {
        &self.root["$defs"][name]
    }

    /// The alternatives of a part: references followed, unions taken apart, null left out.
    pub(crate) fn alternatives<'a>(&'a self, part: &'a Json) -> Vec<&'a Json> {
        if let Some(name) = part["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.alternatives(self.definition(name));
        }
        let union = part["anyOf"].as_array().or_else(|| part["oneOf"].as_array());
        match union {
            Some(parts) => parts.iter().flat_map(|part| self.alternatives(part)).collect(),
            None if part["type"] == "null" => Vec::new(),
            None => vec![part],
        }
    }

    /// The part at a key path of a document: the alternative that the document has taken where there are
    /// several.
    pub(crate) fn part_at<'a>(&'a self, path: &str, document: &Json) -> Option<&'a Json> {
        let (mut part, mut value) = (&self.root, document);
        for key in path.split('.') {
            let next = self.alternatives(part).into_iter().find_map(|one| match one["type"].as_str() {
                Some("array") => Some(&one["items"]),
                _ if agrees(one, value) => one["properties"].get(key),
                _ => None,
            });
            part = next?;
            value = member(value, key).unwrap_or(&Json::Null);
        }
        Some(part)
    }

    /// A random value of a part; none for text, which only a whole scenario can give a meaning.
    pub(crate) fn draw(&self, part: &Json, key: &str, dice: &mut Dice) -> Option<Json> {
        let alternatives = self.alternatives(part);
        let one = *dice.choose(&alternatives);
        if let Some(name) = one.get("const") {
            return Some(name.clone());
        }
        if let Some(names) = one["enum"].as_array() {
            return Some(dice.choose(names).clone());
        }
        match kind(one) {
            "boolean" => Some(json!(dice.chance(0.5))),
            "object" => Some(self.draw_table(one, dice)),
            "array" => {
                Some((0..dice.between(0, 4)).filter_map(|_| self.draw(&one["items"], key, dice)).collect())
            }
            "integer" | "number" => Some(range(one, part).draw(key, dice)),
            _ => None,
        }
    }

    /// A random table: every required key, and some of the others.
    pub(crate) fn draw_table(&self, table: &Json, dice: &mut Dice) -> Json {
        let required =
            |key: &str| table["required"].as_array().is_some_and(|keys| keys.iter().any(|one| one == key));
        let density = *dice.choose(&[0.0, 0.15, 0.4]);
        let mut drawn = Map::new();
        for (key, part) in table["properties"].as_object().into_iter().flatten() {
            if required(key) || (!is_left_out(key) && dice.chance(density)) {
                drawn.extend(self.draw(part, key, dice).map(|value| (key.clone(), value)));
            }
        }
        Json::Object(drawn)
    }
}

/// What the schema says of the number at a part, whose default stands beside its type.
pub(crate) fn range(one: &Json, part: &Json) -> NumberRange {
    let of_format = match one["format"].as_str() {
        Some("uint8") => Some(f64::from(u8::MAX)),
        Some("uint16") => Some(f64::from(u16::MAX)),
        Some("uint32") => Some(f64::from(u32::MAX)),
        _ => None,
    };
    NumberRange {
        whole: kind(one) == "integer",
        least: one["minimum"].as_f64(),
        most: one["maximum"].as_f64().or(of_format),
        default: part["default"].as_f64().or_else(|| one["default"].as_f64()),
    }
}

/// The type of a part; of a type or null, the type.
fn kind(part: &Json) -> &str {
    match &part["type"] {
        Json::String(kind) => kind,
        Json::Array(kinds) => {
            kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null").unwrap_or("")
        }
        _ => "",
    }
}

/// Whether a table of the document is of this alternative: its tags say so, and its keys are known.
fn agrees(table: &Json, value: &Json) -> bool {
    let Some(members) = value.as_object() else { return true };
    members.iter().all(|(key, value)| match table["properties"].get(key) {
        Some(part) => part.get("const").is_none_or(|name| name == value),
        None => false,
    })
}

/// The member of a table or array by its key or number.
pub(crate) fn member<'a>(value: &'a Json, key: &str) -> Option<&'a Json> {
    match value {
        Json::Array(elements) => elements.get(key.parse::<usize>().ok()?),
        Json::Object(members) => members.get(key),
        _ => None,
    }
}
