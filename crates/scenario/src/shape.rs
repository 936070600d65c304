//! The shape of a scenario against the schema: keys, types, names and ranges.

use crate::files::SPACING;
use crate::legal::{legal_values, listed, shortest};
use crate::mistakes::{Mistakes, joined};
use crate::schema::{alternatives, any_property, kind, names, properties, property, required, schema, tag};
use crate::text::{Node, Value};
use aqmlab_aqm::{NumberRange, Scheme};
use aqmlab_tcp::congestion::own::CONTROLLER;
use aqmlab_transport::Transport;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Reports every place where `tree` departs from the schema. `own` are the schemas of the scenario's own
/// schemes and traffic models, by the names under which they stand in the tree.
pub(crate) fn check_shape(tree: &Node, own: &BTreeMap<String, Json>, mistakes: &mut Mistakes<'_>) {
    check(schema(), tree, "", own, mistakes);
}

fn check(part: &Json, node: &Node, path: &str, own: &BTreeMap<String, Json>, mistakes: &mut Mistakes<'_>) {
    let parts = alternatives(part);
    match &node.value {
        Value::Table(members) => check_table(&parts, members, path, own, mistakes),
        Value::Array(elements) => check_array(&parts, elements, path, own, mistakes),
        Value::String(text) => check_string(&parts, text, path, mistakes),
        Value::Integer(number) => check_number(&parts, &node.value, *number as f64, path, mistakes),
        Value::Float(number) => check_number(&parts, &node.value, *number, path, mistakes),
        Value::Boolean(_) => _ = of_kind(&parts, &["boolean"], &node.value, path, mistakes),
        Value::Date(_) => _ = of_kind(&parts, &[], &node.value, path, mistakes),
    }
}

/// The alternatives that take a value of these kinds; where there is none, that is a mistake.
fn of_kind<'a>(
    parts: &[&'a Json],
    kinds: &[&str],
    found: &Value,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Vec<&'a Json> {
    let fitting: Vec<_> =
        parts.iter().copied().filter(|part| kind(part).is_some_and(|kind| kinds.contains(&kind))).collect();
    if fitting.is_empty() {
        mistakes.value(
            path,
            format!("expected {}, found {}", expected(parts), found.shown()),
            legal_of(parts),
        );
    }
    fitting
}

fn check_table(
    parts: &[&Json],
    members: &BTreeMap<String, Node>,
    path: &str,
    own: &BTreeMap<String, Json>,
    mistakes: &mut Mistakes<'_>,
) {
    let tables = of_kind(parts, &["object"], &Value::Table(BTreeMap::new()), path, mistakes);
    let Some(table) = choose_table(&tables, members, path, own, mistakes) else { return };
    let mut legal: Vec<&str> = properties(table).map(|(key, _)| key).collect();
    if let Some(transport) = other_transport(path, mistakes) {
        legal = transport.host_keys().map(|(key, _)| key).to_vec();
    }
    let mut meant = Vec::new();
    for (key, member) in members {
        match property(table, key).or_else(|| any_property(table)) {
            Some(part) => check(part, member, &joined(path, key), own, mistakes),
            None => meant.extend(mistakes.unknown_key(path, key, &belongs_elsewhere(path, key), &legal)),
        }
    }
    // A misspelt key is one mistake, not a second one for the key that is missing in its place.
    let absent = |key: &&str| !members.contains_key(*key) && !meant.iter().any(|one| one == key);
    for key in required(table).filter(absent) {
        let part = property(table, key).expect("a required key is a property");
        mistakes.missing_key(path, key, &legal_values(part));
    }
}

/// The transport of the hosts whose table `host` is at this path, if it is not TCP.
fn other_transport(path: &str, mistakes: &Mistakes<'_>) -> Option<&'static Transport> {
    let group = path.strip_suffix(".host")?;
    Transport::named(mistakes.given_text(&joined(group, "transport"))?)
}

/// Which of several tables is meant: the one that the tag names (`scheme = "red"`), or the one whose only
/// key is present (`fixed = { ... }`).
fn choose_table<'a>(
    tables: &[&'a Json],
    members: &BTreeMap<String, Node>,
    path: &str,
    own: &'a BTreeMap<String, Json>,
    mistakes: &mut Mistakes<'_>,
) -> Option<&'a Json> {
    if let [] | [_] = tables {
        return tables.first().map(|only| own_controller(only, members, own).unwrap_or(only));
    }
    let Some(tag) = tag(tables) else { return choose_by_key(tables, members, path, mistakes) };
    let name_of = |table: &'a Json| property(table, tag)?.get("const")?.as_str();
    // What follows an @ tells files of one name apart: nobody writes it.
    let legal: Vec<&str> =
        tables.iter().filter_map(|table| name_of(table)).filter(|name| !name.contains('@')).collect();
    match members.get(tag).map(|node| &node.value) {
        None => mistakes.missing_key(path, tag, &listed(&legal)),
        Some(Value::String(given)) => {
            let chosen = tables.iter().copied().find(|table| name_of(table) == Some(given));
            let chosen = chosen.or_else(|| own.get(given).filter(|table| property(table, tag).is_some()));
            if chosen.is_none() && tag == "scheme" && Scheme::names().contains(&given.as_str()) {
                let wrong = format!("scheme \"{given}\" cannot stand in another queue");
                mistakes.value(&joined(path, tag), wrong, listed(&legal));
            } else if chosen.is_none() {
                mistakes.unknown_name(&joined(path, tag), tag, given, &legal);
            }
            return chosen;
        }
        Some(other) => {
            let wrong = format!("expected a string, found {}", other.shown());
            mistakes.value(&joined(path, tag), wrong, listed(&legal));
        }
    }
    None
}

/// The schema of the congestion controller in a file that a table names, if it may.
fn own_controller<'a>(
    table: &Json,
    members: &BTreeMap<String, Node>,
    own: &'a BTreeMap<String, Json>,
) -> Option<&'a Json> {
    property(table, CONTROLLER)?;
    match &members.get(CONTROLLER)?.value {
        Value::String(name) => own.get(name),
        _ => None,
    }
}

fn choose_by_key<'a>(
    tables: &[&'a Json],
    members: &BTreeMap<String, Node>,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<&'a Json> {
    let legal: Vec<&str> = tables.iter().flat_map(|table| properties(table)).map(|(key, _)| key).collect();
    let given: Vec<&str> = members.keys().map(String::as_str).filter(|key| legal.contains(key)).collect();
    if given.is_empty() {
        match members.keys().next() {
            Some(key) => _ = mistakes.unknown_key(path, key, "", &legal),
            None => {
                mistakes.value(path, "an empty table", format!("a table with one of {}", legal.join(", ")));
            }
        }
        return None;
    }
    let has_all = |table: &&Json| given.iter().all(|key| property(table, key).is_some());
    let chosen = tables.iter().copied().find(has_all);
    if chosen.is_none() {
        mistakes.value(path, format!("{} together", given.join(" and ")), "one of them");
    }
    chosen
}

/// A remark for a key that is legal in another table: in TOML it is easily written below the wrong header.
fn belongs_elsewhere(path: &str, key: &str) -> String {
    if !path.is_empty() && property(schema(), key).is_some() {
        return ", a key of the top level: write it above the first [table]".to_owned();
    }
    let holds = |part: &Json| alternatives(part).iter().any(|table| property(table, key).is_some());
    properties(schema())
        .find(|(table, part)| *table != path && holds(part))
        .map(|(table, _)| format!(", a key of [{table}]"))
        .unwrap_or_default()
}

fn check_array(
    parts: &[&Json],
    elements: &[Node],
    path: &str,
    own: &BTreeMap<String, Json>,
    mistakes: &mut Mistakes<'_>,
) {
    let arrays = of_kind(parts, &["array"], &Value::Array(Vec::new()), path, mistakes);
    let Some(array) = arrays.first() else { return };
    if (elements.len() as u64) < shortest(array) {
        mistakes.value(path, "an empty array", format!("at least {} element", shortest(array)));
    }
    let Some(item) = array.get("items") else { return };
    for (index, element) in elements.iter().enumerate() {
        check(item, element, &joined(path, &index.to_string()), own, mistakes);
    }
}

fn check_string(parts: &[&Json], text: &str, path: &str, mistakes: &mut Mistakes<'_>) {
    let strings = of_kind(parts, &["string"], &Value::String(text.to_owned()), path, mistakes);
    if strings.is_empty() {
        return;
    }
    if let Some(character) = text.chars().find(|one| one.is_control() && !may_stand_in(path, *one)) {
        let wrong = format!("holds the control character {}", character.escape_unicode());
        mistakes.value(path, wrong, "text without control characters");
        return;
    }
    // Quantities are named `loss_percent/flows.NAME@200-400`.
    if path.ends_with(".name") && text.contains('@') {
        mistakes.value(path, format!("\"{text}\" holds an @"), "a name without @");
        return;
    }
    let legal: Option<Vec<Vec<&str>>> = strings.iter().map(|part| names(part)).collect();
    match legal.map(|names| names.concat()) {
        Some(mut legal) if !legal.contains(&text) => {
            let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
            if let Some(transport) = other_transport(table, mistakes) {
                let known = transport.host_keys().into_iter().find(|(known, _)| *known == key);
                legal = known.map_or(legal, |(_, values)| values.to_vec());
            }
            mistakes.unknown_name(path, key, text, &legal);
        }
        Some(_) => {}
        None if (text.trim().chars().count() as u64) < shortest(strings[0]) => {
            mistakes.value(path, format!("\"{text}\" says nothing"), "a string, not empty");
        }
        None => {}
    }
}

/// Names stand in folders, tables and terminals; only the description and the texts of files have lines.
fn may_stand_in(path: &str, control: char) -> bool {
    (path == "description" || path.starts_with("files.")) && SPACING.contains(&control)
}

fn check_number(parts: &[&Json], value: &Value, number: f64, path: &str, mistakes: &mut Mistakes<'_>) {
    let kinds: &[&str] =
        if matches!(value, Value::Integer(_)) { &["integer", "number"] } else { &["number"] };
    let fitting = of_kind(parts, kinds, value, path, mistakes);
    if fitting.is_empty() {
        return;
    }
    if !number.is_finite() || !fitting.iter().any(|part| NumberRange::of(part).contains(number)) {
        let legal: Vec<String> = fitting.iter().map(|part| NumberRange::of(part).to_string()).collect();
        mistakes.value(path, format!("{number} is out of range"), legal.join(", or "));
    }
}

/// The kinds that the alternatives take, each with its article.
fn expected(parts: &[&Json]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for part in parts {
        let kind = match kind(part) {
            Some("object") => "a table",
            Some("array") => "an array",
            Some("string") => "a string",
            Some("integer") => "a whole number",
            Some("number") => "a number",
            Some("boolean") => "true or false",
            _ => "something else",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(" or ")
}

fn legal_of(parts: &[&Json]) -> String {
    let mut legal: Vec<String> = parts.iter().map(|part| legal_values(part)).collect();
    // Of the many schemes that a queue may have each is a table with `scheme`.
    legal.dedup();
    legal.join(", or ")
}
