//! From a draft to a legal scenario: each refused key gets a value that the refusal calls legal, or goes.

use crate::dice::Dice;
use crate::schema::{Schema, member, range};
use aqmlab_scenario::{Mistake, Scenario};
use serde_json::Value as Json;

/// After so many rounds a draft is given up.
const ROUNDS: u32 = 40;

/// A scenario that the check accepts, with its text.
pub(crate) struct Legal {
    pub(crate) scenario: Scenario,
    pub(crate) text: String,
    /// Whether the draft was legal as it was.
    pub(crate) at_once: bool,
}

/// A document as TOML.
pub(crate) fn text_of(document: &Json) -> String {
    toml::to_string(document).unwrap_or_else(|error| panic!("a document is TOML: {error}\n{document}"))
}

/// The scenario of a document if it is legal.
pub(crate) fn checked(text: &str) -> Result<Scenario, aqmlab_scenario::ScenarioError> {
    Scenario::from_toml(text, "fuzz", &[])
}

/// Mends `document` until the check accepts it; what the check said last where it does not.
pub(crate) fn mended(document: &mut Json, schema: &Schema, dice: &mut Dice) -> Result<Legal, String> {
    let mut refused = String::new();
    for round in 0..ROUNDS {
        let text = text_of(document);
        match checked(&text) {
            Ok(scenario) => return Ok(Legal { scenario, text, at_once: round == 0 }),
            Err(error) => {
                error.mistakes().iter().for_each(|mistake| mend(document, mistake, schema, dice));
                refused = error.to_string();
            }
        }
    }
    Err(refused)
}

fn mend(document: &mut Json, mistake: &Mistake, schema: &Schema, dice: &mut Dice) {
    let path = mistake.key.as_str();
    let present = path.split('.').try_fold(&*document, |value, key| member(value, key)).is_some();
    let part = schema.part_at(path, document);
    let one = part.and_then(|part| schema.alternatives(part).first().copied());
    let legal = mistake.legal.as_ref().map(|legal| numbers_in(legal.words())).unwrap_or_default();
    let value = match (part, one) {
        (Some(part), Some(one)) if !legal.is_empty() && dice.chance(0.7) => {
            Some(range(one, part).written(one_of(&legal, dice)))
        }
        (Some(part), _) if !present => {
            let key = path.rsplit('.').next().unwrap_or(path);
            schema.draw(part, key, dice)
        }
        _ => None,
    };
    match value {
        Some(value) => set(document, path, value),
        None => remove(document, path),
    }
}

/// The numbers that a sentence about legal values names.
fn numbers_in(legal: &str) -> Vec<f64> {
    let words =
        legal.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '(' | ')'));
    words
        .filter_map(|word| word.replace('_', "").parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect()
}

/// One of the ends of what is legal, or something between or beyond them.
fn one_of(legal: &[f64], dice: &mut Dice) -> f64 {
    let least = legal.iter().copied().fold(f64::INFINITY, f64::min);
    let most = legal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if dice.chance(0.4) {
        return *dice.choose(legal);
    }
    let floor = least.max(most * 1e-6).max(1e-9);
    dice.logarithmic(floor, if most > floor { most } else { floor * 100.0 })
}

fn holder<'a>(document: &'a mut Json, path: &str) -> Option<&'a mut Json> {
    path.split('.').try_fold(document, |value, key| match value {
        Json::Array(elements) => elements.get_mut(key.parse::<usize>().ok()?),
        Json::Object(members) => members.get_mut(key),
        _ => None,
    })
}

/// The holder of the last key of a path, and that key.
fn place<'a, 'b>(document: &'a mut Json, path: &'b str) -> Option<(&'a mut Json, &'b str)> {
    match path.rsplit_once('.') {
        Some((above, key)) => Some((holder(document, above)?, key)),
        None => Some((document, path)),
    }
}

fn set(document: &mut Json, path: &str, value: Json) {
    match place(document, path) {
        Some((Json::Object(members), key)) => _ = members.insert(key.to_owned(), value),
        Some((Json::Array(elements), key)) => {
            if let Some(element) = key.parse().ok().and_then(|number: usize| elements.get_mut(number)) {
                *element = value;
            }
        }
        _ => {}
    }
}

pub(crate) fn remove(document: &mut Json, path: &str) {
    match place(document, path) {
        Some((Json::Object(members), key)) => _ = members.remove(key),
        Some((Json::Array(elements), key)) => {
            if let Some(number) = key.parse().ok().filter(|number: &usize| *number < elements.len()) {
                elements.remove(number);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_what_is_legal() {
        assert_eq!(numbers_in("from 0.001 to 1e9 milliseconds"), [0.001, 1e9]);
        assert_eq!(numbers_in("above 0 and at most 1"), [0.0, 1.0]);
        assert!(numbers_in("a name of its own").is_empty());
    }

    #[test]
    fn keys_are_set_and_removed_by_path() {
        let mut document = serde_json::json!({ "a": [{ "b": 1 }, { "b": 2 }] });
        set(&mut document, "a.1.b", serde_json::json!(3));
        remove(&mut document, "a.0");
        assert_eq!(document, serde_json::json!({ "a": [{ "b": 3 }] }));
    }
}
