//! The modules of a crate import in one direction too, so that each can be read with what stands below it.
//!
//! A module may import its parents: a folder is one idea, and what its files share stands in its `mod.rs`.
//! Re-exports are followed to where the item is declared.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::{parts, rust};
use std::collections::{BTreeMap, BTreeSet};

/// A module by the names that lead to it, or an item by that of its module and its own.
type Path = Vec<String>;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.crates("crates").filter_map(|(name, ..)| of_crate(tree, name)).collect()
}

fn of_crate(tree: &Tree, name: &str) -> Option<Finding> {
    let folder = format!("crates/{name}/src/");
    let sources = tree.with_extension("rs").filter(|(path, _)| !rust::is_test_file(path));
    let modules: BTreeMap<Path, (&str, String)> = sources
        .filter_map(|(path, text)| Some((module(path.strip_prefix(&folder)?), (path, without_tests(text)))))
        .collect();
    let circle = in_circles(&imports(&modules));
    let (path, _) = modules[circle.first()?];
    let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
    let wrong =
        format!("{} modules of `{name}` import each other in a circle: {}", names.len(), names.join(", "));
    Some(Finding::new(path, 1, wrong, "none", "move what both ends need into a module of its own"))
}

fn module(path: &str) -> Path {
    let mut names: Path = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

fn without_tests(text: &str) -> String {
    let code = parts::of_rust(text).code;
    let is_test = rust::test_lines(&code);
    let lines = code.lines().zip(is_test).filter(|(_, is_test)| !is_test);
    lines.map(|(line, _)| format!("{line}\n")).collect()
}

/// Which modules each module imports, but for its parents.
fn imports(modules: &BTreeMap<Path, (&str, String)>) -> BTreeMap<Path, BTreeSet<Path>> {
    let mut exported: BTreeMap<Path, Path> = BTreeMap::new();
    let mut used: Vec<(&Path, Path)> = Vec::new();
    for (module, (file, code)) in modules {
        for (is_public, import) in uses(code) {
            let Some(path) = from_root(module, &import, modules) else { continue };
            if is_public {
                let alias: Path = module.iter().chain(path.last()).cloned().collect();
                exported.insert(alias, path.clone());
            }
            let is_reexport = is_public && (file.ends_with("/mod.rs") || file.ends_with("/lib.rs"));
            if !is_reexport {
                used.push((module, path));
            }
        }
    }
    let mut graph: BTreeMap<Path, BTreeSet<Path>> = BTreeMap::new();
    for (module, path) in used {
        let declared = declared_in(&path, modules, &exported);
        if !module.starts_with(&declared) {
            graph.entry(module.clone()).or_default().insert(declared);
        }
    }
    graph
}

/// The `use` declarations of a source, item by item, and whether they are re-exports.
fn uses(code: &str) -> Vec<(bool, Path)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let before = rest[..at].rsplit('\n').next().unwrap_or("").trim();
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        if before.is_empty() || before.starts_with("pub") {
            let mut items = Vec::new();
            expand(&[], &rest[at + 4..end], &mut items);
            found.extend(items.into_iter().map(|item| (!before.is_empty(), item)));
        }
        rest = &rest[end.max(at + 4).min(rest.len())..];
    }
    found
}

/// The paths of a tree of imports.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<Path>) {
    let tree = tree.trim();
    let names = |text: &str| -> Path {
        let names = text.split("::").map(|name| name.split(" as ").next().unwrap_or(name).trim().to_owned());
        prefix.iter().cloned().chain(names.filter(|name| !name.is_empty())).collect()
    };
    let Some((head, group)) = tree.split_once('{') else { return found.push(names(tree)) };
    let prefix = names(head);
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                if !group[begin..at].trim().is_empty() {
                    expand(&prefix, &group[begin..at], found);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// A path from the root of its crate; none if it leads to another crate.
fn from_root(module: &Path, path: &[String], modules: &BTreeMap<Path, (&str, String)>) -> Option<Path> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (&module[..], &path[1..]),
        "super" => (&module[..module.len().checked_sub(ups)?], &path[ups..]),
        _ => (&module[..], path),
    };
    let whole: Path = base.iter().chain(rest).cloned().collect();
    let is_own =
        path[0] == "crate" || path[0] == "self" || ups > 0 || modules.contains_key(&whole[..=base.len()]);
    is_own.then_some(whole)
}

/// The module that declares what a path names.
fn declared_in(
    path: &Path,
    modules: &BTreeMap<Path, (&str, String)>,
    exported: &BTreeMap<Path, Path>,
) -> Path {
    let mut path = path.clone();
    for _ in 0..8 {
        let module =
            (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length])).unwrap_or(0);
        let item = &path[..(module + 1).min(path.len())];
        match exported.get(item) {
            Some(declared) if item.len() > module && declared.as_slice() != item => path.clone_from(declared),
            _ => return path[..module].to_vec(),
        }
    }
    Path::new()
}

/// The modules from which an import leads back to themselves.
fn in_circles(imports: &BTreeMap<Path, BTreeSet<Path>>) -> BTreeSet<Path> {
    let leads_back = |start: &&Path| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![*start]);
        while let Some(module) = left.pop() {
            for next in imports.get(module).into_iter().flatten().filter(|next| !next.is_empty()) {
                if next == *start {
                    return true;
                }
                if seen.insert(next) {
                    left.push(next);
                }
            }
        }
        false
    };
    imports.keys().filter(leads_back).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let modules: BTreeMap<Path, (&str, String)> =
            files.iter().map(|(path, text)| (module(path), (*path, without_tests(text)))).collect();
        in_circles(&imports(&modules)).iter().map(|module| module.join("::")).collect()
    }

    #[test]
    fn modules_that_import_each_other_are_a_circle_however_long() {
        assert_eq!(circles(&[("a.rs", "use crate::b::B;\n"), ("b.rs", "use super::a::A;\n")]), ["a", "b"]);
        let long = [
            ("a.rs", "use crate::{b::{B, C}, x::X};\n"),
            ("b.rs", "use crate::c::D;\n"),
            ("c.rs", "use crate::a::A;\n"),
            ("x.rs", "use std::fmt;\n"),
        ];
        assert_eq!(circles(&long), ["a", "b", "c"]);
    }

    #[test]
    fn one_direction_tests_and_parents_are_none() {
        let tested = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
        assert!(circles(&[("a.rs", "use crate::b::B;\n"), ("b.rs", tested)]).is_empty());
        let folder = [("a/mod.rs", "mod b;\nuse b::B;\n"), ("a/b.rs", "use super::A;\n")];
        assert!(circles(&folder).is_empty());
    }

    #[test]
    fn reexports_are_followed_to_where_an_item_is_declared() {
        let through_a_folder = [
            ("a/mod.rs", "mod b;\nmod c;\npub(crate) use b::B;\npub(crate) use c::C;\n"),
            ("a/b.rs", "use super::C;\n"),
            ("a/c.rs", "use crate::a::B;\n"),
        ];
        assert_eq!(circles(&through_a_folder), ["a::b", "a::c"]);
    }
}
