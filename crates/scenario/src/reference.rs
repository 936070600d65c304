//! Every key of a scenario, read off the schema: for the documentation, and for `--help`.

use crate::legal::legal_values;
use crate::schema::{alternatives, any_property, kind, properties, property, required, schema};
use serde_json::Value as Json;

/// The keys of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReference {
    /// The path of the table, such as `dumbbell` or `topology.nodes`; empty for the top level.
    pub path: String,
    /// What the table is, in a sentence.
    pub meaning: String,
    /// Whether it is repeated, `[[flows]]`.
    pub repeated: bool,
    /// Its keys, the required ones first, then by the alphabet.
    pub keys: Vec<KeyReference>,
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyReference {
    /// The key; its ending is its unit.
    pub key: String,
    /// What it means, in a sentence.
    pub meaning: String,
    /// Its default as it would be written, `required`, or `absent`.
    pub default: String,
    /// Its legal values, in words.
    pub legal: String,
}

/// Every table of a scenario with its keys. The parameters of queue disciplines and of models of users are
/// not among them: those have pages of their own.
#[must_use]
pub fn reference() -> Vec<TableReference> {
    let mut tables = Vec::new();
    add_table("", schema(), false, &mut tables);
    tables
}

fn add_table(path: &str, table: &'static Json, repeated: bool, tables: &mut Vec<TableReference>) {
    let mut keys: Vec<KeyReference> =
        properties(table).map(|(key, part)| describe(table, key, part)).collect();
    keys.sort_by_key(|key| key.default != REQUIRED);
    tables.push(TableReference { path: path.to_owned(), meaning: meaning(table), repeated, keys });
    for (key, part) in properties(table) {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let parts = alternatives(part);
        if let [one] = parts.as_slice() {
            match one.get("items") {
                Some(items) => add_table(&path, alternatives(items)[0], true, tables),
                None if is_plain_table(one) && any_property(one).is_none() => {
                    add_table(&path, one, false, tables);
                }
                None => {}
            }
        }
    }
}

/// A table that is not one variant of a tagged choice: those are described elsewhere.
fn is_plain_table(part: &'static Json) -> bool {
    kind(part) == Some("object") && properties(part).all(|(_, part)| part.get("const").is_none())
}

const REQUIRED: &str = "required";
const ABSENT: &str = "absent";

fn describe(table: &'static Json, key: &str, part: &'static Json) -> KeyReference {
    let default = match part.get("default") {
        _ if required(table).any(|needed| needed == key) => REQUIRED.to_owned(),
        Some(default) => written(default, part),
        None => ABSENT.to_owned(),
    };
    KeyReference { key: key.to_owned(), meaning: meaning(part), default, legal: legal_values(part) }
}

/// The first paragraph of a description, on one line.
fn meaning(part: &'static Json) -> String {
    let text = part.get("description").and_then(Json::as_str).unwrap_or_default();
    text.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

/// A default as it would be written in TOML. A table shows the members that are not defaults themselves.
fn written(default: &Json, part: &'static Json) -> String {
    match default {
        Json::Null => ABSENT.to_owned(),
        Json::Array(_) => "none".to_owned(),
        Json::Object(_) if any_property(part).is_some() => "none".to_owned(),
        Json::Object(members) => {
            let own = |key: &str| {
                let part = alternatives(part).into_iter().find_map(|table| property(table, key));
                part.and_then(|part| part.get("default"))
            };
            let shown: Vec<String> = members
                .iter()
                .filter(|(key, member)| !member.is_null() && own(key) != Some(member))
                .map(|(key, member)| format!("{key} = {member}"))
                .collect();
            if shown.is_empty() {
                "the defaults of its keys".to_owned()
            } else {
                format!("{{ {} }}", shown.join(", "))
            }
        }
        Json::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
        }
        scalar => scalar.to_string(),
    }
}
