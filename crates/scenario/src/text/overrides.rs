//! Overrides: single keys set from outside the text, `dumbbell.queue.q_ref_packets=240`.

use super::parse::{from_json, toml_value};
use super::tree::{Node, Value};
use crate::error::{Legal, Mistake, Place, ScenarioError};
use crate::schema::{alternatives, property, schema, tag};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Why an override cannot be applied.
struct Refusal {
    wrong: String,
    legal: String,
}

/// Sets each `(key path, value)` in the tree, in order. A table on the way that is missing is made, as its
/// default if it has one; whether a key is legal is for the shape check to say.
///
/// # Errors
/// Every override whose key path leads nowhere, or whose value begins like TOML and is not.
pub(crate) fn apply_overrides(tree: &mut Node, overrides: &[(String, String)]) -> Result<(), ScenarioError> {
    let mut mistakes = Vec::new();
    for (key, text) in overrides {
        let place = Place::Override(format!("{key}={text}"));
        if let Err(Refusal { wrong, legal }) = apply(tree, key, text, &place) {
            let (source_name, legal) = (String::new(), Some(Legal::Values(legal)));
            let value = Some(Json::from(text.as_str()));
            mistakes.push(Mistake {
                source_name,
                place,
                key: key.clone(),
                missing: None,
                value,
                wrong,
                legal,
                nearest: None,
            });
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(ScenarioError::new(mistakes)) }
}

fn apply(tree: &mut Node, key: &str, text: &str, place: &Place) -> Result<(), Refusal> {
    if key.split('.').any(|part| part.trim() != part || part.is_empty()) {
        let legal = "keys joined by dots, such as dumbbell.queue.ecn or flows.0.count".to_owned();
        return Err(Refusal { wrong: "not a key path".to_owned(), legal });
    }
    let new = parse_value(text, place)?;
    let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
    let (mut node, mut described) = (tree, vec![schema()]);
    for part in path.split('.').filter(|part| !part.is_empty()) {
        described = below(&described, part);
        node = step(node, part, || absent_table(&described, last, place))?;
    }
    make_way_for_users(node, key);
    let empty = || Node { place: place.clone(), value: Value::Table(BTreeMap::new()) };
    *step(node, last, empty)? = new;
    Ok(())
}

/// A bare word is a string, so that `--set dumbbell.queue.scheme=pi` needs no quotes within quotes. What
/// begins like a TOML string, array or table has to be one.
fn parse_value(text: &str, place: &Place) -> Result<Node, Refusal> {
    toml_value(text.trim(), place).or_else(|reason| {
        if text.trim_start().starts_with(['"', '\'', '[', '{']) {
            let legal = "a TOML value or a bare word".to_owned();
            return Err(Refusal { wrong: format!("not a TOML value: {reason}"), legal });
        }
        Ok(Node { place: place.clone(), value: Value::String(text.to_owned()) })
    })
}

/// The schemas of the part called `part`, in any of the tables or arrays that these schemas describe.
fn below(described: &[&'static Json], part: &str) -> Vec<&'static Json> {
    let tables = described.iter().flat_map(|one| alternatives(one));
    tables.filter_map(|one| property(one, part).or_else(|| one.get("items"))).collect()
}

/// A table that is not written, in which `key` is set: its default, so that `users.minimum_delay_ms.low=20`
/// keeps the other bound. Where the key chooses what the table is (`scheme`, `model`), the default's other
/// keys are of another choice.
fn absent_table(described: &[&'static Json], key: &str, place: &Place) -> Node {
    match described.iter().find_map(|one| one.get("default")) {
        Some(default @ Json::Object(_)) if !is_choice(described, key) => {
            Node { place: place.clone(), ..from_json(default) }
        }
        _ => Node { place: place.clone(), value: Value::Table(BTreeMap::new()) },
    }
}

/// Whether `key` tells apart what a table may be.
fn is_choice(described: &[&'static Json], key: &str) -> bool {
    let tables: Vec<_> = described.iter().flat_map(|one| alternatives(one)).collect();
    tag(&tables) == Some(key)
}

/// The part of `node` called `part`, made if it is a key that a table lacks.
fn step<'a>(node: &'a mut Node, part: &str, absent: impl FnOnce() -> Node) -> Result<&'a mut Node, Refusal> {
    let kind = node.value.kind();
    match &mut node.value {
        Value::Table(members) => Ok(members.entry(part.to_owned()).or_insert_with(absent)),
        Value::Array(elements) => {
            let count = elements.len();
            match part.parse::<usize>().ok().and_then(|index| elements.get_mut(index)) {
                Some(element) => Ok(element),
                None => Err(no_element(part, count)),
            }
        }
        _ => Err(Refusal {
            wrong: format!("\"{part}\" is looked for in {kind}"),
            legal: "keys of a table, indices of an array".to_owned(),
        }),
    }
}

fn no_element(part: &str, count: usize) -> Refusal {
    let legal = match count {
        0 => "none".to_owned(),
        1 => "0".to_owned(),
        _ => format!("0 to {}", count - 1),
    };
    Refusal { wrong: format!("no element \"{part}\" in an array of {count}"), legal }
}

/// Users are given per side or left and right, never both ways: an override of one form takes the place of
/// the other, so that each can be set whatever the text says.
fn make_way_for_users(table: &mut Node, key: &str) {
    let Value::Table(members) = &mut table.value else { return };
    match key {
        "users.per_side" => {
            members.remove("left");
            members.remove("right");
        }
        "users.left" | "users.right" => {
            if let Some(both) = members.remove("per_side") {
                members.entry("left".to_owned()).or_insert_with(|| both.clone());
                members.entry("right".to_owned()).or_insert(both);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::toml_tree;
    use super::*;

    const TEXT: &str = "[dumbbell]\nrate_mbps = 100\n[dumbbell.queue]\nscheme = \"pi\"\n\
                        [users]\nper_side = 10\n[[flows]]\ncount = 1\n[[flows]]\ncount = 2\n";

    fn set(overrides: &[(&str, &str)]) -> Result<serde_json::Value, String> {
        let mut tree = toml_tree(TEXT, "t").unwrap();
        let owned: Vec<_> = overrides.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        match apply_overrides(&mut tree, &owned) {
            Ok(()) => Ok(tree.to_json()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn values_are_toml_and_bare_words_are_strings() {
        let tree = set(&[
            ("dumbbell.queue.scheme", "drop-tail"),
            ("dumbbell.queue.limit_packets", "240"),
            ("dumbbell.queue.ecn", "true"),
            ("dumbbell.rate_mbps", "1e3"),
            ("name", "\"quoted\""),
            ("flows.1.base_rtt_ms", "{ first = 10, last = 150.5 }"),
        ])
        .unwrap();
        assert_eq!(
            tree["dumbbell"]["queue"],
            serde_json::json!({"scheme": "drop-tail", "limit_packets": 240, "ecn": true})
        );
        assert_eq!(tree["dumbbell"]["rate_mbps"], 1000.0);
        assert_eq!(tree["name"], "quoted");
        assert_eq!(
            tree["flows"][1],
            serde_json::json!({"count": 2, "base_rtt_ms": {"first": 10, "last": 150.5}})
        );
    }

    #[test]
    fn a_later_override_wins() {
        assert_eq!(set(&[("duration_s", "1"), ("duration_s", "2")]).unwrap()["duration_s"], 2);
    }

    #[test]
    fn users_per_side_and_left_right_replace_each_other() {
        let users = |overrides: &[(&str, &str)]| set(overrides).unwrap()["users"].clone();
        assert_eq!(users(&[("users.left", "7")]), serde_json::json!({"left": 7, "right": 10}));
        assert_eq!(
            users(&[("users.left", "7"), ("users.right", "8")]),
            serde_json::json!({"left": 7, "right": 8})
        );
        assert_eq!(
            users(&[("users.left", "7"), ("users.per_side", "9")]),
            serde_json::json!({"per_side": 9})
        );
    }

    #[test]
    fn a_table_that_is_not_written_starts_from_its_default() {
        let users =
            set(&[("users.minimum_delay_ms.low", "20"), ("users.model.think_time_median_seconds", "5")])
                .unwrap()["users"]
                .clone();
        assert_eq!(
            users["minimum_delay_ms"],
            serde_json::json!({"low": 20, "high": 150, "per": "connection", "power": 1.0, "clock_hz": 0})
        );
        assert_eq!(users["model"]["model"], "unc");
        assert_eq!(users["model"]["think_time_median_seconds"], 5);
    }

    #[test]
    fn another_choice_in_a_table_that_is_not_written_has_none_of_the_default_ones_keys() {
        let tree = set(&[("line.router_queue_up.scheme", "cake"), ("users.model.model", "bulk")]).unwrap();
        assert_eq!(tree["line"]["router_queue_up"], serde_json::json!({"scheme": "cake"}));
        assert_eq!(tree["users"]["model"], serde_json::json!({"model": "bulk"}));
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused_with_what_would() {
        let refused = |key: &str, value: &str| set(&[(key, value)]).unwrap_err();
        assert_eq!(
            refused("flows.2.count", "5"),
            "flows.2.count=5: flows.2.count: no element \"2\" in an array of 2; legal: 0 to 1"
        );
        assert_eq!(
            refused("dumbbell.rate_mbps.x", "5"),
            "dumbbell.rate_mbps.x=5: dumbbell.rate_mbps.x: \"x\" is looked for in a whole number; \
             legal: keys of a table, indices of an array"
        );
        assert!(refused("dumbbell..x", "5").contains("not a key path"));
        assert!(refused("dumbbell.queue", "{ scheme = ").contains("not a TOML value"));
    }
}
