//! Functions of Rust stay short enough to be seen whole, from signature to end, tests included.
//! Their documentation, which stands before, is not counted. A test in Python holds Python's to the same.

use crate::finding::Finding;
use crate::rust::Function;
use crate::tree::Tree;
use crate::{parts, rust};

const CEILING: usize = 70;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension("rs")
        .flat_map(|(path, text)| {
            rust::functions(&parts::of_rust(text).code).into_iter().map(move |one| (path, one))
        })
        .filter_map(|(path, function)| finding(path, &function))
        .collect()
}

fn finding(path: &str, function: &Function) -> Option<Finding> {
    let lines = function.last_line + 1 - function.first_line;
    (lines > CEILING).then(|| {
        Finding::new(
            path,
            function.first_line,
            format!("`{}` has {lines} lines", function.name),
            format!("at most {CEILING} (40 are wanted)"),
            "give a step of it a name and a function",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rust_function_of_71_lines_is_found_wherever_it_stands() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    step();\n".repeat(lines - 2));
        let nested = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(71));
        let tree = Tree::of(&[("a.rs", &function(70)), ("b.rs", &function(71)), ("c.rs", &nested)]);
        let found: Vec<_> = check(&tree).into_iter().map(|one| (one.path, one.line, one.wrong)).collect();
        let wrong = "`f` has 71 lines".to_owned();
        assert_eq!(found, [("b.rs".to_owned(), 1, wrong.clone()), ("c.rs".to_owned(), 3, wrong)]);
    }
}
