//! Files stay short enough to be read whole. Tests inside a Rust file are not counted.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::{parts, rust};

const CEILING: usize = 800;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let rust = tree.with_extension("rs").map(|(path, text)| (path, lines_without_tests(text)));
    let python = ["py", "pyi"].into_iter().flat_map(|extension| tree.with_extension(extension));
    let python = python.map(|(path, text)| (path, text.lines().count()));
    rust.chain(python)
        .filter(|&(_, lines)| lines > CEILING)
        .map(|(path, lines)| finding(path, lines))
        .collect()
}

fn lines_without_tests(text: &str) -> usize {
    rust::test_lines(&parts::of_rust(text).code).into_iter().filter(|is_test| !is_test).count()
}

fn finding(path: &str, lines: usize) -> Finding {
    Finding::new(
        path,
        1,
        format!("{lines} lines"),
        format!("at most {CEILING} (400 are wanted; in Rust, items under `#[cfg(test)]` are not counted)"),
        "move one of its ideas into a file of its own",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        "//\n".repeat(count)
    }

    #[test]
    fn one_line_above_the_ceiling_is_found() {
        let tree = Tree::of(&[("a.rs", &lines(801)), ("b.py", &lines(801)), ("c.rs", &lines(800))]);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["a.rs", "b.py"]);
    }

    #[test]
    fn tests_inside_a_rust_file_are_not_counted() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", lines(500));
        let (allowed, refused) = (lines(800) + &tests, lines(801) + &tests);
        let tree = Tree::of(&[("allowed.rs", &allowed), ("refused.rs", &refused)]);
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].wrong.as_str()), ("refused.rs", "801 lines"));
    }
}
