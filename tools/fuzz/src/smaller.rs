//! A failing scenario made smaller: keys and tables are left out as long as the same goes wrong.

use crate::campaign::category;
use crate::mend::{remove, text_of};
use crate::trial::{catch_panics, wrong_with};
use serde_json::Value as Json;

/// A smaller scenario in which the same goes wrong as in `text`; the text itself where nothing does, or not
/// twice.
#[must_use]
pub fn smaller(text: &str, seed: u64) -> String {
    catch_panics();
    let Ok(mut document) = toml::from_str::<Json>(text) else { return text.to_owned() };
    let Some(wrong) = wrong_with(&document, seed) else { return text.to_owned() };
    let wanted = category(&wrong);
    while let Some(less) = paths(&document, "").into_iter().find_map(|path| {
        let mut less = document.clone();
        remove(&mut less, &path);
        let same = wrong_with(&less, seed).is_some_and(|wrong| category(&wrong) == wanted);
        same.then_some(less)
    }) {
        document = less;
    }
    text_of(&document)
}

/// The paths of everything in a document, tables before what they hold.
fn paths(value: &Json, above: &str) -> Vec<String> {
    let members: Vec<(String, &Json)> = match value {
        Json::Array(elements) => {
            elements.iter().enumerate().map(|(key, one)| (key.to_string(), one)).collect()
        }
        Json::Object(members) => members.iter().map(|(key, one)| (key.clone(), one)).collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (key, member) in members {
        let path = if above.is_empty() { key } else { format!("{above}.{key}") };
        all.push(path.clone());
        all.extend(paths(member, &path));
    }
    all
}
