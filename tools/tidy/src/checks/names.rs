//! Files and modules are named after what they hold.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::{parts, words};
use std::collections::BTreeSet;

/// Words that say nothing of what a file holds.
const EMPTY_WORDS: &[&str] = &["util", "utils", "helper", "helpers", "manager", "common", "misc"];

/// Terms of the field that contain such a word.
const TERMS: &[&str] = &["common_random_numbers", "common-random-numbers"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for path in tree.paths() {
        for (end, name) in segments(path) {
            let Some(word) = empty_word(name) else { continue };
            if seen.insert(&path[..end]) {
                findings.push(finding(path, 1, name, word));
            }
        }
    }
    findings.extend(tree.with_extension("rs").flat_map(|(path, text)| modules(path, text)));
    findings
}

/// The names in a path, with the offset behind each.
fn segments(path: &str) -> impl Iterator<Item = (usize, &str)> {
    path.split('/').scan(0, |start, name| {
        let end = *start + name.len();
        *start = end + 1;
        Some((end, name))
    })
}

/// The modules with a body that a Rust source declares; those without have a file, which is found by its
/// name.
fn modules(path: &str, text: &str) -> Vec<Finding> {
    let code = parts::of_rust(text).code;
    let lines = code.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let name = &line[words::find_word(line, "mod")? + 3..].trim().strip_suffix('{')?.trim();
            Some(finding(path, index + 1, name, empty_word(name)?))
        })
        .collect()
}

fn empty_word(name: &str) -> Option<&'static str> {
    let name = TERMS.iter().fold(name.to_lowercase(), |name, term| name.replace(term, ""));
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.find_map(|word| EMPTY_WORDS.iter().find(|empty| **empty == word).copied())
}

fn finding(path: &str, line: usize, name: &str, word: &str) -> Finding {
    Finding::new(
        path,
        line,
        format!("`{name}` is named `{word}`"),
        format!("none of: {}", EMPTY_WORDS.join(", ")),
        "name it after the one idea it holds, in the field's own words; if it holds several, split it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        check(&Tree::of(files)).into_iter().map(|one| (one.path, one.line)).collect()
    }

    #[test]
    fn empty_words_are_found_in_files_and_folders_once_each() {
        let files = [
            ("a/common/x.rs", ""),
            ("a/common/y.rs", ""),
            ("b/test_utils.py", ""),
            ("c/Flow-Manager.md", ""),
        ];
        let expected = [("a/common/x.rs", 1), ("b/test_utils.py", 1), ("c/Flow-Manager.md", 1)];
        assert_eq!(wrong(&files), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn empty_words_are_found_in_modules_inside_a_file() {
        assert_eq!(wrong(&[("a.rs", "//! mod util {\npub mod helpers {\n}\n")]), [("a.rs".to_owned(), 2)]);
    }

    #[test]
    fn terms_of_the_field_and_longer_words_are_not_found() {
        let files = [("web/common_random_numbers.rs", "mod utility {\n}\n"), ("docs/uncommon.md", "")];
        assert_eq!(wrong(&files), []);
    }
}
