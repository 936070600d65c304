//! Sources carry no notes about work that is still to do.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::words::find_word;

/// Put together, so that this file passes.
const NOTES: &[&str] = &[concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X")];

/// Prose and data, where such a word may be the subject.
const NO_SOURCES: &[&str] = &["md", "csv", "lock"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if path.rsplit_once('.').is_some_and(|(_, end)| NO_SOURCES.contains(&end)) {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            let notes = NOTES.iter().filter(|note| find_word(line, note).is_some());
            findings.extend(notes.map(|note| finding(path, index + 1, note)));
        }
    }
    findings
}

fn finding(path: &str, line: usize, note: &str) -> Finding {
    Finding::new(
        path,
        line,
        format!("`{note}`"),
        "no pending work in a source",
        "do it; or describe the limitation where its reader looks for it, in the documentation",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_note_is_found_in_sources_of_any_language() {
        for note in NOTES {
            let text = format!("line\n# {note}: later\n");
            let tree = Tree::of(&[("a.rs", &text), ("b.py", &text), ("Makefile", &text), ("c.md", &text)]);
            let found: Vec<_> = check(&tree).into_iter().map(|one| (one.path, one.line)).collect();
            assert_eq!(found, [("Makefile", 2), ("a.rs", 2), ("b.py", 2)].map(|(p, l)| (p.to_owned(), l)));
        }
    }

    #[test]
    fn a_template_for_temporary_names_is_no_note() {
        let template = format!("mktemp a.{}\n", NOTES[2].repeat(2));
        assert_eq!(check(&Tree::of(&[("a.sh", &template)])), []);
    }
}
