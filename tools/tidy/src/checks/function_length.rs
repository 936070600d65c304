//! Functions stay short enough to be seen whole, from signature to end, tests included. Their documentation
//! is not counted: in Rust it stands before a function, in Python within.

use crate::finding::Finding;
use crate::parts::{self, Parts};
use crate::rust::{self, Function};
use crate::tree::Tree;
use crate::words::is_word_character;

const CEILING: usize = 70;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let rust = tree.with_extension("rs").flat_map(|(path, text)| {
        rust::functions(&parts::of_rust(text).code).into_iter().map(move |one| (path, one, 0))
    });
    let python = tree.with_extension("py").flat_map(|(path, text)| {
        python_functions(&parts::of_python(text))
            .into_iter()
            .map(move |(one, documentation)| (path, one, documentation))
    });
    rust.chain(python)
        .filter_map(|(path, function, documentation)| finding(path, &function, documentation))
        .collect()
}

fn finding(path: &str, function: &Function, documentation_lines: usize) -> Option<Finding> {
    let lines = function.last_line + 1 - function.first_line - documentation_lines;
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

/// The functions of a Python source, each with how many of its lines are its documentation: it ends before
/// the first statement that is indented no deeper.
fn python_functions(source: &Parts) -> Vec<(Function, usize)> {
    let lines: Vec<&str> = source.code.lines().collect();
    let statements = statements(source, &lines);
    let mut functions = Vec::new();
    for (position, &start) in statements.iter().enumerate() {
        let Some(name) = defined_name(lines[start]) else { continue };
        let end = statements[position + 1..]
            .iter()
            .copied()
            .find(|&next| indentation(lines[next]) <= indentation(lines[start]))
            .unwrap_or(lines.len());
        // What stands between (blank lines, comments) belongs to the next statement.
        let last = (start..end).rev().find(|&line| is_used(source, &lines, line)).unwrap_or(start);
        let documentation =
            statements.get(position + 1).map_or(0, |&first| string_lines(source, &lines, first));
        functions.push((Function { name, first_line: start + 1, last_line: last + 1 }, documentation));
    }
    functions
}

/// How many lines a statement has that is a string and nothing else; none if it is not.
fn string_lines(source: &Parts, lines: &[&str], first: usize) -> usize {
    if !lines[first].trim_start().starts_with('"') {
        return 0;
    }
    1 + source.begins_in_string[first + 1..].iter().take_while(|&&within| within).count()
}

/// The indices of the lines that begin a statement: with code, outside of strings and brackets.
fn statements(source: &Parts, lines: &[&str]) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut continued = false;
    let mut starts = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if depth == 0 && !continued && !source.begins_in_string[index] && !line.trim().is_empty() {
            starts.push(index);
        }
        for character in line.chars() {
            match character {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        continued = line.trim_end().ends_with('\\');
    }
    starts
}

fn is_used(source: &Parts, lines: &[&str], line: usize) -> bool {
    source.begins_in_string[line] || !lines[line].trim().is_empty()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn defined_name(line: &str) -> Option<String> {
    let statement = line.trim_start();
    let rest = statement.strip_prefix("async ").unwrap_or(statement).strip_prefix("def ")?;
    Some(rest.chars().take_while(|&letter| is_word_character(letter)).collect())
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

    #[test]
    fn a_python_function_of_71_lines_is_found() {
        let function =
            |lines: usize| format!("async def f():\n{}\n\nx = 1\n", "    step()\n".repeat(lines - 1));
        let tree = Tree::of(&[("a.py", &function(70)), ("b.py", &function(71))]);
        let found: Vec<_> = check(&tree).into_iter().map(|one| (one.path, one.line, one.wrong)).collect();
        assert_eq!(found, [("b.py".to_owned(), 1, "`f` has 71 lines".to_owned())]);
    }

    #[test]
    fn the_documentation_of_a_python_function_is_not_counted() {
        let of = |steps: usize| {
            let documentation = "    \"\"\"One.\n\n    Two.\n    \"\"\"\n";
            format!("def f():\n{documentation}{}", "    step()\n".repeat(steps))
        };
        let tree = Tree::of(&[("a.py", &of(69)), ("b.py", &of(70))]);
        let found: Vec<_> = check(&tree).into_iter().map(|one| (one.path, one.line, one.wrong)).collect();
        assert_eq!(found, [("b.py".to_owned(), 1, "`f` has 71 lines".to_owned())]);
    }

    #[test]
    fn signatures_and_strings_at_the_margin_do_not_end_a_python_function() {
        let source = "\
class C:
    def f(
        self,
    ) -> int:
        \"\"\"Text
at the margin
\"\"\"
        return 1

    # About what follows.
    x = 2

def g(): return 3
";
        assert_eq!(
            python_functions(&parts::of_python(source)),
            [
                (Function { name: "f".into(), first_line: 2, last_line: 8 }, 3),
                (Function { name: "g".into(), first_line: 13, last_line: 13 }, 0)
            ]
        );
    }
}
