//! Models are told the time and answer with values: no clock, no files, no hash order, no platform's
//! arithmetic.
//!
//! Clippy forbids most of this by type; here it is forbidden by name, so that an `allow` does not open it,
//! and only in the crates that it concerns. Tests and benchmarks may do all of it.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::words::{find_word, is_word_character};
use crate::{parts, rust};

const PURE: &[&str] = &[
    "units",
    "random",
    "wire",
    "aqm",
    "link",
    "tcp",
    "web",
    "applications",
    "scenario",
    "record",
    "driver",
    "sim",
];

/// A scenario is read together with the files that it names, and holds their texts: nothing below it reads
/// any.
const MAY_READ_FILES: &[&str] = &["scenario"];

/// Modules of the standard library, and what to do instead.
const MODULES: &[(&str, &str)] = &[
    ("time", "take `now: Time`; an interval is a `Span`"),
    ("fs", "take the text: files are read with the scenario that names them"),
    ("env", "everything that changes a run is in its scenario"),
    ("net", "models are called and answer; drivers own sockets"),
    ("thread", "a run has one thread"),
];

/// Types and macros, and what to do instead.
const NAMES: &[(&str, &str)] = &[
    ("HashMap", "a hasher chooses its order: use BTreeMap, or an index into a Vec"),
    ("HashSet", "a hasher chooses its order: use BTreeSet, or a Vec of flags"),
    ("println!", "answer with a value, or record it"),
    ("print!", "answer with a value, or record it"),
    ("eprintln!", "answer with an error or a warning as a value"),
    ("eprint!", "answer with an error or a warning as a value"),
    ("dbg!", "remove it"),
];

/// Methods of floats whose last bits depend on the platform, and what to use instead.
const METHODS: &[(&str, &str)] = &[
    ("exp", "libm::exp"),
    ("exp2", "libm::exp2"),
    ("exp_m1", "libm::expm1"),
    ("ln", "libm::log"),
    ("ln_1p", "libm::log1p"),
    ("log", "libm::log"),
    ("log2", "libm::log2"),
    ("log10", "libm::log10"),
    ("powf", "libm::pow"),
    ("powi", "written-out multiplications"),
    ("cbrt", "libm::cbrt"),
    ("hypot", "libm::hypot"),
    ("sin", "libm::sin"),
    ("cos", "libm::cos"),
    ("sin_cos", "libm::sincos"),
    ("tan", "libm::tan"),
    ("asin", "libm::asin"),
    ("acos", "libm::acos"),
    ("atan", "libm::atan"),
    ("atan2", "libm::atan2"),
    ("sinh", "libm::sinh"),
    ("cosh", "libm::cosh"),
    ("tanh", "libm::tanh"),
    ("mul_add", "a product and a sum"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.with_extension("rs").filter(|(path, _)| !rust::is_test_file(path));
    let pure = sources.filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.split('/').next()?;
        PURE.contains(&name).then_some((path, name, text))
    });
    pure.flat_map(|(path, name, text)| of_source(path, name, text)).collect()
}

fn of_source(path: &str, crate_name: &str, text: &str) -> Vec<Finding> {
    let code = parts::of_rust(text).code;
    let is_test = rust::test_lines(&code);
    let modules = standard_modules(&code).into_iter().filter_map(|(line, module)| {
        let &(name, instead) = MODULES.iter().find(|(name, _)| *name == module)?;
        let allowed = name == "fs" && MAY_READ_FILES.contains(&crate_name);
        (!allowed).then(|| (line, format!("std::{name}"), instead.to_owned()))
    });
    let names = code.lines().enumerate().flat_map(|(index, line)| {
        let named = NAMES.iter().filter(move |(name, _)| uses(line, name));
        named.map(move |&(name, instead)| (index + 1, name.to_owned(), instead.to_owned()))
    });
    let methods = code.lines().enumerate().flat_map(|(index, line)| {
        let called = METHODS.iter().filter(move |(name, _)| calls(line, name));
        called.map(move |&(name, instead)| (index + 1, format!("f64::{name}"), format!("use {instead}")))
    });
    let all = modules.chain(names).chain(methods).filter(|&(line, ..)| !is_test[line - 1]);
    all.map(|(line, name, instead)| finding(path, line, &name, crate_name, &instead)).collect()
}

fn finding(path: &str, line: usize, name: &str, crate_name: &str, instead: &str) -> Finding {
    Finding::new(path, line, format!("`{name}`"), format!("no `{name}` in `{crate_name}`"), instead)
}

/// The modules that follow `std::` or `core::` in the code, in groups of imports too, with their lines.
fn standard_modules(code: &str) -> Vec<(usize, &str)> {
    let mut modules = Vec::new();
    for library in ["std::", "core::"] {
        for (at, _) in code.match_indices(library) {
            if code[..at].chars().next_back().is_some_and(is_word_character) {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let path = &code[at + library.len()..];
            match path.strip_prefix('{') {
                Some(group) => modules.extend(group_members(group).into_iter().map(|member| (line, member))),
                None => modules.push((line, first_word(path))),
            }
        }
    }
    modules
}

/// The first words of the members of a group of imports, whose text follows its `{`.
fn group_members(group: &str) -> Vec<&str> {
    let mut members = vec![first_word(group)];
    let mut depth = 0;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => members.push(first_word(&group[at + 1..])),
            _ => {}
        }
    }
    members
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|letter| !is_word_character(letter)).next().unwrap_or(text)
}

fn uses(line: &str, name: &str) -> bool {
    match name.strip_suffix('!') {
        Some(bare) => find_word(line, bare).is_some_and(|at| line[at + bare.len()..].starts_with('!')),
        None => find_word(line, name).is_some(),
    }
}

/// Whether a line calls `.name(` or names `f64::name`.
fn calls(line: &str, name: &str) -> bool {
    line.contains(&format!(".{name}(")) || find_word(line, &format!("f64::{name}")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(path: &str, text: &str) -> Vec<(usize, String)> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|one| (one.line, one.wrong)).collect()
    }

    fn one(line: usize, name: &str) -> Vec<(usize, String)> {
        vec![(line, format!("`{name}`"))]
    }

    #[test]
    fn every_forbidden_module_is_found() {
        for (module, _) in MODULES {
            let text = format!("//! A model.\nuse std::{module}::Thing;\n");
            assert_eq!(wrong("crates/aqm/src/a.rs", &text), one(2, &format!("std::{module}")));
        }
    }

    #[test]
    fn modules_are_found_in_groups_of_imports() {
        let text = "use std::{\n    collections::{BTreeMap, BTreeSet},\n    fmt, time::Instant,\n};\n";
        assert_eq!(wrong("crates/tcp/src/a.rs", text), one(1, "std::time"));
        assert_eq!(wrong("crates/tcp/src/a.rs", "fn f() { ::core::time::x() }\n"), one(1, "std::time"));
    }

    #[test]
    fn every_forbidden_name_is_found() {
        for (name, _) in NAMES {
            assert_eq!(wrong("crates/web/src/a.rs", &format!("a({name}(b))\n")), one(1, name));
        }
    }

    #[test]
    fn every_forbidden_method_is_found_and_libm_is_not() {
        for (name, _) in METHODS {
            let found = one(2, &format!("f64::{name}"));
            assert_eq!(wrong("crates/random/src/a.rs", &format!("let x = y\n    .{name}(z);\n")), found);
            assert_eq!(wrong("crates/random/src/a.rs", &format!("let x =\nf64::{name}(y);\n")), found);
            assert_eq!(wrong("crates/random/src/a.rs", &format!("let x = libm::{name}(y);\n")), []);
        }
    }

    #[test]
    fn comments_strings_tests_and_other_crates_are_free() {
        let text = "// std::time, HashMap\nlet a = \"println!\"; b.sqrt();\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        assert_eq!(wrong("crates/units/src/a.rs", text), []);
        assert_eq!(wrong("crates/aqm/benches/a.rs", "use std::time::Instant;\n"), []);
        assert_eq!(wrong("crates/python/src/a.rs", "use std::thread;\n"), []);
    }

    #[test]
    fn only_a_scenario_is_read_with_its_files() {
        let text = "let text = std::fs::read_to_string(path);\n";
        assert_eq!(wrong("crates/scenario/src/a.rs", text), []);
        assert_eq!(wrong("crates/sim/src/a.rs", text), one(1, "std::fs"));
    }
}
