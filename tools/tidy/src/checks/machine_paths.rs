//! Nothing in the repository knows the machine it was written on.
//!
//! Folders of a user or a workplace are refused everywhere; the folder for temporary files only where a
//! program would use it, not in documents or tests. In Python, Ruff looks for that one (S108).

use crate::finding::Finding;
use crate::tree::Tree;
use crate::{parts, rust};

/// Top folders that differ from machine to machine.
const PLACES: &[&str] = &["work", "home", "root"];
const TEMPORARY: &str = "tmp";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        for place in PLACES {
            findings.extend(named(text, place).map(|line| finding(path, line, place)));
        }
        findings.extend(temporary_lines(path, text).into_iter().map(|line| finding(path, line, TEMPORARY)));
    }
    findings
}

/// The lines outside of documents, comments and tests that name the folder for temporary files.
fn temporary_lines(path: &str, text: &str) -> Vec<usize> {
    if path.ends_with(".md") || path.ends_with(".py") || rust::is_test_file(path) {
        return Vec::new();
    }
    if path.ends_with(".rs") {
        let parts = parts::of_rust(text);
        let is_test = rust::test_lines(&parts.code);
        return named(&parts.strings, TEMPORARY).filter(|line| !is_test[line - 1]).collect();
    }
    named(text, TEMPORARY).collect()
}

/// The lines, counted from 1, with a path that begins at this top folder.
fn named(text: &str, place: &str) -> impl Iterator<Item = usize> {
    let top = format!("/{place}/");
    let numbered = text.lines().enumerate();
    numbered.filter(move |(_, line)| begins_path(line, &top)).map(|(index, _)| index + 1)
}

/// Whether `top` stands in the line and is not the middle of a longer path or address.
fn begins_path(line: &str, top: &str) -> bool {
    line.match_indices(top).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !"._-~/*})$]>%".contains(before))
    })
}

fn finding(path: &str, line: usize, place: &str) -> Finding {
    Finding::new(
        path,
        line,
        format!("a path that begins with `/{place}/`"),
        "no path of a particular machine",
        "take the path as an argument, make it relative to the root, or ask for a temporary folder",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|one| one.line).collect()
    }

    /// A path that this file may not contain.
    fn below(top: &str) -> String {
        format!("/{top}/someone/x")
    }

    #[test]
    fn folders_of_a_machine_are_found_in_every_kind_of_file() {
        for place in PLACES {
            for path in ["a.rs", "docs/a.md", "a.toml", "Makefile", "crates/aqm/tests/a.rs", "data.csv"] {
                assert_eq!(wrong(path, &format!("first\n# \"{}\"\n", below(place))), [2], "{path}");
            }
        }
    }

    #[test]
    fn the_middle_of_a_longer_path_is_not_found() {
        let text = format!("https://example.org{0} ../..{0} $HOME{0} .{0}\n", below("work"));
        assert_eq!(wrong("a.md", &text), [0; 0]);
    }

    #[test]
    fn temporary_files_are_found_where_a_program_uses_them() {
        let literal = format!("x = '{}'\n", below("tmp"));
        assert_eq!(wrong("a.sh", &literal), [1]);
        assert_eq!(wrong("a.rs", &literal.replace('\'', "\"")), [1]);
    }

    #[test]
    fn documents_comments_and_tests_may_name_temporary_files() {
        let literal = format!("x = \"{}\"\n", below("tmp"));
        assert_eq!(wrong("docs/a.md", &literal), [0; 0]);
        assert_eq!(wrong("tests/python/a.py", &literal), [0; 0]);
        assert_eq!(wrong("a.rs", &format!("#[cfg(test)]\nmod tests {{\n{literal}}}\n")), [0; 0]);
    }
}
