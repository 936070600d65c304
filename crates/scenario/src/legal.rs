//! What a schema allows, in words.

use crate::schema::{alternatives, any_property, kind, names, properties, tag};
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
        Some("integer" | "number") => Range::of(part).to_string(),
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
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none".to_owned(),
    }
}

/// The numbers that a schema allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    least: Bound,
    most: Bound,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    Included(f64),
    Excluded(f64),
    /// What 64 bits hold: checked, and too much to be worth a word.
    Width,
}

impl Range {
    pub(crate) fn of(part: &Json) -> Self {
        let number = |keyword: &str| part.get(keyword).and_then(Json::as_f64);
        let bound = |included: &str, excluded: &str| match (number(included), number(excluded)) {
            (_, Some(bound)) => Bound::Excluded(bound),
            (Some(bound), None) => Bound::Included(bound),
            (None, None) => Bound::None,
        };
        let most = match bound("maximum", "exclusiveMaximum") {
            Bound::None => largest_of_format(part),
            given => given,
        };
        Self { least: bound("minimum", "exclusiveMinimum"), most }
    }

    pub(crate) fn contains(self, number: f64) -> bool {
        let above = match self.least {
            Bound::None | Bound::Width => true,
            Bound::Included(least) => number >= least,
            Bound::Excluded(least) => number > least,
        };
        let below = match self.most {
            Bound::None => true,
            Bound::Included(most) => number <= most,
            Bound::Excluded(most) => number < most,
            Bound::Width => number < u64::MAX as f64,
        };
        above && below
    }
}

/// An integer's own width bounds it where no range is given.
fn largest_of_format(part: &Json) -> Bound {
    match part.get("format").and_then(Json::as_str) {
        Some("uint8") => Bound::Included(f64::from(u8::MAX)),
        Some("uint16") => Bound::Included(f64::from(u16::MAX)),
        Some("uint32") => Bound::Included(f64::from(u32::MAX)),
        Some("uint64" | "uint") => Bound::Width,
        _ => Bound::None,
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.least, self.most) {
            (least, Bound::Width) => write_least(f, least),
            (Bound::Included(least), Bound::Included(most)) => write!(f, "{least} to {most}"),
            (Bound::None, Bound::None) => f.write_str("a number"),
            (Bound::None, most) => write_most(f, most),
            (least, Bound::None) => write_least(f, least),
            (least, most) => {
                write_least(f, least)?;
                f.write_str(" and ")?;
                write_most(f, most)
            }
        }
    }
}

fn write_least(f: &mut std::fmt::Formatter<'_>, least: Bound) -> std::fmt::Result {
    match least {
        Bound::None | Bound::Width => Ok(()),
        Bound::Included(least) => write!(f, "at least {least}"),
        Bound::Excluded(least) => write!(f, "above {least}"),
    }
}

fn write_most(f: &mut std::fmt::Formatter<'_>, most: Bound) -> std::fmt::Result {
    match most {
        Bound::None | Bound::Width => Ok(()),
        Bound::Included(most) => write!(f, "at most {most}"),
        Bound::Excluded(most) => write!(f, "below {most}"),
    }
}
