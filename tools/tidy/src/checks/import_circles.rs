//! The modules of a crate import in one direction too, so that each can be read with what stands below it;
//! and so do its top-level modules as wholes, each with all that is in its folder.
//!
//! A module may import its parents: a folder is one idea, and what its files share stands in its `mod.rs`.
//! Re-exports are followed to where the item is declared. Tests may import whatever they try.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::words::is_word_character;
use crate::{parts, rust};
use std::collections::{BTreeMap, BTreeSet};

/// A module by the names that lead to it, or an item by that of its module and its own.
type Path = Vec<String>;

/// A source without its tests.
struct Source<'a> {
    file: &'a str,
    code: String,
    strings: String,
}

type Modules<'a> = BTreeMap<Path, Source<'a>>;

type Graph = BTreeMap<Path, BTreeSet<Path>>;

/// Which top-level module imports which other, and a file in which it does.
type Rooms<'a> = BTreeMap<(String, String), &'a str>;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.crates("crates").flat_map(|(name, ..)| of_crate(tree, name)).collect()
}

fn of_crate(tree: &Tree, name: &str) -> Vec<Finding> {
    let folder = format!("crates/{name}/src/");
    let files =
        tree.with_extension("rs").filter_map(|(path, text)| Some((path.strip_prefix(&folder)?, text)));
    let modules = modules(files);
    let exported = exported(&modules);
    let imports = imports(&modules, &exported);
    let rooms = rooms(&modules, &exported, &imports);
    circle_of_modules(name, &modules, &imports).into_iter().chain(circle_of_rooms(name, &rooms)).collect()
}

fn circle_of_modules(name: &str, modules: &Modules<'_>, imports: &Graph) -> Option<Finding> {
    let circle = in_circles(imports);
    let file = modules[circle.first()?].file;
    let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
    let wrong =
        format!("{} modules of `{name}` import each other in a circle: {}", names.len(), names.join(", "));
    let mend = "move what both ends need into a module of its own";
    Some(Finding::new(&format!("crates/{name}/src/{file}"), 1, wrong, "none", mend))
}

fn circle_of_rooms(name: &str, rooms: &Rooms<'_>) -> Option<Finding> {
    let circle = in_circles(&graph(rooms));
    let has = |room: &String| circle.contains(std::slice::from_ref(room));
    let within: Vec<_> = rooms.iter().filter(|((from, to), _)| has(from) && has(to)).collect();
    let (_, file) = within.first()?;
    let arrows: Vec<String> = within.iter().map(|((_, to), file)| format!("{file} imports {to}")).collect();
    let (count, arrows) = (circle.len(), arrows.join(", "));
    let wrong = format!("{count} top-level modules of `{name}` import each other in a circle: {arrows}");
    let mend = "move a type to the lower one, or a function to the higher one";
    Some(Finding::new(&format!("crates/{name}/src/{file}"), 1, wrong, "none", mend))
}

/// The sources of a crate by their modules; tests are none.
fn modules<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Modules<'a> {
    let (mut all, mut tests) = (Modules::new(), Vec::new());
    for (file, text) in files.filter(|(file, _)| !rust::is_test_file(file)) {
        let parts = parts::of_rust(text);
        let is_test = rust::test_lines(&parts.code);
        tests.extend(test_modules(file, text, &parts.code, &is_test));
        let without_tests = |part: &str| -> String {
            let lines = part.lines().zip(&is_test).filter(|(_, is_test)| !**is_test);
            lines.map(|(line, _)| format!("{line}\n")).collect()
        };
        let (code, strings) = (without_tests(&parts.code), without_tests(&parts.strings));
        all.insert(module(file), Source { file, code, strings });
    }
    all.retain(|module, _| !tests.iter().any(|test: &Path| module.starts_with(test)));
    all
}

/// The modules in files of their own that a source has for its tests.
fn test_modules(file: &str, text: &str, code: &str, is_test: &[bool]) -> Vec<Path> {
    let folder = file.rfind('/').map_or("", |end| &file[..=end]);
    let mut path_above = None;
    let mut found = Vec::new();
    for ((line, code), is_test) in text.lines().zip(code.lines()).zip(is_test) {
        let name = code.trim().strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        if let Some(name) = name.filter(|_| *is_test) {
            let of_name = || module(file).into_iter().chain([name.to_owned()]).collect();
            found.push(path_above.map_or_else(of_name, |path| module(&format!("{folder}{path}"))));
        }
        path_above = line.trim().strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
    }
    found
}

fn module(path: &str) -> Path {
    let mut names: Path = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// Where each name that a module exports was declared, or exported before.
fn exported(modules: &Modules<'_>) -> BTreeMap<Path, Path> {
    let mut exported = BTreeMap::new();
    for (module, source) in modules {
        for (_, import) in uses(&source.code).into_iter().filter(|(is_public, _)| *is_public) {
            if let Some(path) = from_root(module, &import, modules) {
                let alias: Path = module.iter().chain(path.last()).cloned().collect();
                exported.insert(alias, path);
            }
        }
    }
    exported
}

/// Which modules each module imports, but for its parents.
fn imports(modules: &Modules<'_>, exported: &BTreeMap<Path, Path>) -> Graph {
    let mut graph = Graph::new();
    for (module, source) in modules {
        let is_folder = matches!(source.file.rsplit('/').next(), Some("mod.rs" | "lib.rs"));
        for (is_public, import) in uses(&source.code) {
            let Some(path) = from_root(module, &import, modules) else { continue };
            let declared = declared_in(&path, modules, exported);
            let is_reexport = is_public && is_folder;
            if !is_reexport && !module.starts_with(&declared) {
                graph.entry(module.clone()).or_default().insert(declared);
            }
        }
    }
    graph
}

/// Which top-level modules each top-level module imports, or names in its code or in attributes.
fn rooms<'a>(modules: &Modules<'a>, exported: &BTreeMap<Path, Path>, imports: &Graph) -> Rooms<'a> {
    let mut rooms = Rooms::new();
    for (module, source) in modules {
        let named = [&source.code, &source.strings].into_iter().flat_map(|part| named(part));
        let named = named.filter_map(|path| from_root(module, &path, modules));
        let named = named.map(|path| declared_in(&path, modules, exported));
        for to in imports.get(module).into_iter().flatten().cloned().chain(named) {
            if let (Some(from), Some(to)) = (module.first(), to.first())
                && from != to
            {
                rooms.entry((from.clone(), to.clone())).or_insert(source.file);
            }
        }
    }
    rooms
}

fn graph(rooms: &Rooms<'_>) -> Graph {
    let mut graph = Graph::new();
    for (from, to) in rooms.keys() {
        graph.entry(vec![from.clone()]).or_default().insert(vec![to.clone()]);
    }
    graph
}

/// The paths in a source that begin at the root of the crate or above the module.
fn named(part: &str) -> Vec<Path> {
    let is_of_path = |character: char| is_word_character(character) || character == ':';
    let words = part.split(|character| !is_of_path(character));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    let names = |path: &str| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
    paths.map(names).collect()
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
fn from_root(module: &Path, path: &[String], modules: &Modules<'_>) -> Option<Path> {
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
fn declared_in(path: &Path, modules: &Modules<'_>, exported: &BTreeMap<Path, Path>) -> Path {
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
fn in_circles(imports: &Graph) -> BTreeSet<Path> {
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

    fn names(circle: &BTreeSet<Path>) -> Vec<String> {
        circle.iter().map(|module| module.join("::")).collect()
    }

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files.iter().copied());
        names(&in_circles(&imports(&modules, &exported(&modules))))
    }

    fn circles_of_rooms(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files.iter().copied());
        let exported = exported(&modules);
        names(&in_circles(&graph(&rooms(&modules, &exported, &imports(&modules, &exported)))))
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

    /// No file leads back to itself, and each folder to the other.
    #[test]
    fn folders_that_import_each_other_are_a_circle_though_their_files_are_none() {
        let folders = [
            ("a/mod.rs", "mod high;\nmod low;\npub(crate) use low::Low;\n"),
            ("a/high.rs", "use crate::b::B;\n"),
            ("a/low.rs", "pub(crate) struct Low;\n"),
            ("b.rs", "use crate::a::Low;\npub(crate) struct B(Low);\n"),
        ];
        assert!(circles(&folders).is_empty());
        assert_eq!(circles_of_rooms(&folders), ["a", "b"]);
        let moved = [folders[0], folders[1], ("low.rs", folders[2].1), ("b.rs", "use crate::low::Low;\n")];
        assert!(circles_of_rooms(&moved).is_empty());
    }

    #[test]
    fn a_path_in_code_or_in_an_attribute_leads_to_a_room_as_an_import_does() {
        let lower = ("b/c.rs", "use crate::a::A;\n");
        let by_a_path = ("a.rs", "fn f() -> u8 {\n    crate::b::c::g()\n}\n");
        assert_eq!(circles_of_rooms(&[by_a_path, lower]), ["a", "b"]);
        let from_above = ("a.rs", "fn f() -> u8 {\n    super::b::c::g()\n}\n");
        assert_eq!(circles_of_rooms(&[from_above, lower]), ["a", "b"]);
        let in_an_attribute = ("a.rs", "#[serde(default = \"crate::b::c::g\")]\nfield: u8,\n");
        assert_eq!(circles_of_rooms(&[in_an_attribute, lower]), ["a", "b"]);
        let in_a_comment = ("a.rs", "/// As [`crate::b::c::g`].\nfn f() {}\n");
        assert!(circles_of_rooms(&[in_a_comment, lower]).is_empty());
    }

    #[test]
    fn a_file_of_tests_may_import_what_stands_above_it() {
        let above = ("a.rs", "use crate::b::B;\n");
        let tests = ("b/tried.rs", "use crate::a::A;\n");
        let declared = |declaration| circles_of_rooms(&[above, ("b/mod.rs", declaration), tests]);
        assert_eq!(declared("mod tried;\n"), ["a", "b"]);
        assert!(declared("#[cfg(test)]\nmod tried;\n").is_empty());
        let elsewhere =
            |declaration| circles_of_rooms(&[above, ("b/mod.rs", ""), ("b/other.rs", declaration), tests]);
        assert_eq!(elsewhere("#[cfg(test)]\nmod tried;\n"), ["a", "b"], "that one is b/other/tried.rs");
        assert!(elsewhere("#[cfg(test)]\n#[path = \"tried.rs\"]\nmod beside;\n").is_empty());
    }

    #[test]
    fn a_crate_with_a_circle_of_rooms_is_reported_with_their_names() {
        let tree = Tree::of(&[
            ("crates/x/Cargo.toml", ""),
            ("crates/x/src/lib.rs", "mod a;\nmod b;\n"),
            ("crates/x/src/a/mod.rs", "mod c;\nmod d;\n"),
            ("crates/x/src/a/c.rs", "use crate::b::B;\n"),
            ("crates/x/src/a/d.rs", "pub(crate) struct D;\n"),
            ("crates/x/src/b.rs", "use crate::a::d::D;\n"),
        ]);
        let found = check(&tree);
        let wrong: Vec<&str> = found.iter().map(|finding| finding.wrong.as_str()).collect();
        let arrows = "a/c.rs imports b, b.rs imports a";
        assert_eq!(wrong, [format!("2 top-level modules of `x` import each other in a circle: {arrows}")]);
        assert_eq!(found[0].path, "crates/x/src/a/c.rs");
    }
}
