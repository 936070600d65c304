//! Comments are as narrow as the code around them. Rows of tables and listings between fences keep theirs.

use crate::finding::Finding;
use crate::tree::Tree;

const WIDTH: usize = 110;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension("rs").flat_map(|(path, text)| wide_comments(path, text)).collect()
}

fn wide_comments(path: &str, text: &str) -> Vec<Finding> {
    let mut in_listing = false;
    let mut findings = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some(words) = words_of_comment(line) else {
            in_listing = false;
            continue;
        };
        in_listing ^= words.starts_with("```");
        let columns = line.chars().count();
        if columns > WIDTH && !in_listing && !words.starts_with('|') {
            let wrong = format!("a comment of {columns} columns");
            findings.push(Finding::new(path, number, wrong, format!("at most {WIDTH}"), "wrap it"));
        }
    }
    findings
}

/// What a line that is nothing but a comment says.
fn words_of_comment(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix("//")?;
    Some(comment.trim_start_matches(['/', '!']).trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Vec<usize> {
        wide_comments("crates/aqm/src/queue.rs", text).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn columns_are_counted_and_not_bytes() {
        let (fits, wide_by_one) = (format!("    // {}", "√".repeat(103)), format!("/// {}", "a".repeat(107)));
        assert_eq!(wide(&format!("{fits}\n{wide_by_one}\n")), [2]);
    }

    #[test]
    fn tables_listings_and_code_are_left() {
        let long = "a".repeat(120);
        let text = format!("//! | {long} |\n//! ```text\n//! {long}\n//! ```\nlet {long} = 1;\n//! {long}\n");
        assert_eq!(wide(&text), [6]);
    }
}
