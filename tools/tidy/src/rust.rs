//! Where items of a Rust source begin and end, and which lines are tests.

use crate::words::is_word_character;

/// A function: its name and its first and last line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
}

/// Whether a file as a whole is test code.
pub(crate) fn is_test_file(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "tests" | "benches" | "examples" | "tests.rs"))
}

/// The functions with a body in the code part of a Rust source, nested ones too.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let starts = code.match_indices("fn ").map(|(at, _)| at);
    starts.filter_map(|at| function(code, at)).collect()
}

fn function(code: &str, at: usize) -> Option<Function> {
    if code[..at].chars().next_back().is_some_and(is_word_character) {
        return None;
    }
    let name: String =
        code[at + 3..].chars().take_while(|&letter| is_word_character(letter) || letter == '$').collect();
    let end = item_end(code, at)?;
    let has_body = code[..end].ends_with('}');
    (has_body && !name.is_empty()).then(|| Function {
        name,
        first_line: line_of(code, at),
        last_line: line_of(code, end - 1),
    })
}

/// For each line of the code part of a Rust source, whether an item under `#[cfg(test)]` covers it.
pub(crate) fn test_lines(code: &str) -> Vec<bool> {
    let mut is_test = vec![false; code.lines().count()];
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        let end = item_end(code, at + attribute.len()).unwrap_or(code.len());
        is_test[line_of(code, at) - 1..line_of(code, end - 1)].fill(true);
    }
    is_test
}

/// The offset behind the item that begins at or after `from`: behind its `;` or the `}` of its body.
fn item_end(code: &str, from: usize) -> Option<usize> {
    let mut nested = 0_usize;
    let mut braces = 0_usize;
    for (offset, character) in code[from..].char_indices() {
        let here = from + offset;
        match character {
            '(' | '[' => nested += 1,
            // The end of what encloses the item: it was the last one and had no separator.
            ')' | ']' if nested == 0 => return Some(here),
            ')' | ']' => nested -= 1,
            '{' if nested == 0 => braces += 1,
            '}' if nested == 0 && braces == 0 => return Some(here),
            '}' if nested == 0 => {
                braces -= 1;
                if braces == 0 {
                    return Some(here + 1);
                }
            }
            ';' if nested == 0 && braces == 0 => return Some(here + 1),
            _ => {}
        }
    }
    None
}

fn line_of(code: &str, offset: usize) -> usize {
    code[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_reaches_to_the_brace_of_its_body() {
        let code = "trait T {\n    fn asked(&self);\n}\n\nfn f(a: [u8; 2], g: fn (u8)) -> [u8; 2]\nwhere\n    A: B,\n{\n    if x {\n    }\n    fn inner() {}\n}\n";
        let found: Vec<_> =
            functions(code).into_iter().map(|f| (f.name, f.first_line, f.last_line)).collect();
        assert_eq!(found, [("f".to_owned(), 5, 12), ("inner".to_owned(), 11, 11)]);
    }

    #[test]
    fn only_what_the_attribute_covers_is_a_test() {
        let code = "fn a() {}\n#[cfg(test)]\nfn b() {\n    c();\n}\nfn d() {}\n#[cfg(test)]\nmod tests;\nfn e() {}\n";
        assert_eq!(test_lines(code), [false, true, true, true, true, false, true, true, false]);
    }

    #[test]
    fn files_of_tests_and_benchmarks_are_test_code() {
        assert!(is_test_file("crates/aqm/tests/port.rs") && is_test_file("crates/aqm/benches/arrival.rs"));
        assert!(!is_test_file("crates/aqm/src/port.rs"));
    }
}
