//! Every registered scheme has its file, its table of worked cases and its page.

use crate::finding::Finding;
use crate::parts;
use crate::tree::Tree;

const FOLDER: &str = "crates/aqm/src/algorithms";
const LIST: &str = "crates/aqm/src/algorithms/mod.rs";
const TABLES: &str = "crates/aqm/tests/tables";

#[derive(Debug, PartialEq, Eq)]
struct Registered<'a> {
    line: usize,
    name: &'a str,
    module: &'a str,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(LIST) else { return vec![unread("there is no such file")] };
    let registered = registered(text);
    if registered.is_empty() {
        return vec![unread("no registered scheme can be read here")];
    }
    registered.iter().flat_map(|scheme| of_scheme(tree, scheme)).collect()
}

/// The lines `"name" => module::Type,` of the list.
fn registered(text: &str) -> Vec<Registered<'_>> {
    let code = parts::of_rust(text).code;
    let mut lines = code.lines().zip(text.lines()).enumerate();
    if !lines.any(|(_, (code, _))| code.starts_with("register! {")) {
        return Vec::new();
    }
    let body = lines.take_while(|(_, (code, _))| !code.starts_with('}'));
    body.filter(|(_, (code, _))| code.contains("=>"))
        .filter_map(|(index, (_, text))| {
            let (name, path) = text.split_once("=>")?;
            let (module, _) = path.split_once("::")?;
            Some(Registered { line: index + 1, name: name.trim().trim_matches('"'), module: module.trim() })
        })
        .collect()
}

fn of_scheme(tree: &Tree, scheme: &Registered<'_>) -> Vec<Finding> {
    let Registered { line, name, module } = scheme;
    let lacks = |what: &str, path: String, mend: &str| {
        Finding::new(LIST, *line, format!("`{name}` has no {what}"), path, mend)
    };
    let file = format!("{FOLDER}/{module}.rs");
    let has_file = tree.has(&file) || tree.has(&format!("{FOLDER}/{module}/mod.rs"));
    let page = format!("docs/reference/schemes/{name}.md");
    let mut findings = Vec::new();
    if !has_file {
        findings.push(lacks("file", file, "write the scheme there: one file each"));
    }
    if !has_table(tree, name, module) {
        let table = format!("{TABLES}/{name}");
        findings.push(lacks(
            "table of worked cases",
            table,
            "write one, with numbers worked outside of our code",
        ));
    }
    if !tree.has(&page) {
        let mend = "half a page: what it does, its parameters, its source, where it departs from it";
        findings.push(lacks("page", page, mend));
    }
    findings
}

/// Whether the tables hold a file or a folder of this name, with or without an extension.
fn has_table(tree: &Tree, name: &str, module: &str) -> bool {
    let tables = tree.paths().filter_map(|path| path.strip_prefix(TABLES)?.strip_prefix('/'));
    tables.into_iter().any(|path| {
        let first = path.split('/').next().unwrap_or(path);
        let stem = first.split('.').next().unwrap_or(first);
        stem == name || stem == module
    })
}

fn unread(wrong: &str) -> Finding {
    Finding::new(
        LIST,
        1,
        wrong,
        "a list `register! { \"name\" => module::Type, }`",
        "restore it, or teach its new form to tools/tidy/src/checks/schemes.rs",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "macro_rules! register {\n}\n\nregister! {\n    \"drop-tail\" => drop_tail::DropTail,\n    // \"old\" => old::Old,\n    \"pi\" => pi::Pi,\n}\n";

    const FILES: [(&str, &str); 6] = [
        ("crates/aqm/src/algorithms/drop_tail.rs", ""),
        ("crates/aqm/src/algorithms/pi/mod.rs", ""),
        ("crates/aqm/tests/tables/drop-tail.txt", ""),
        ("crates/aqm/tests/tables/pi", ""),
        ("docs/reference/schemes/drop-tail.md", ""),
        ("docs/reference/schemes/pi.md", ""),
    ];

    fn wrong(files: &[(&str, &str)]) -> Vec<(usize, String)> {
        let files = [files, &[(LIST, TEXT)]].concat();
        check(&Tree::of(&files)).into_iter().map(|one| (one.line, one.wrong)).collect()
    }

    #[test]
    fn the_list_is_read_without_its_comments() {
        assert_eq!(
            registered(TEXT),
            [
                Registered { line: 5, name: "drop-tail", module: "drop_tail" },
                Registered { line: 7, name: "pi", module: "pi" },
            ]
        );
    }

    #[test]
    fn a_complete_scheme_is_not_found_and_each_missing_piece_is() {
        assert_eq!(wrong(&FILES), []);
        let messages = [
            (5, "`drop-tail` has no file"),
            (7, "`pi` has no file"),
            (5, "`drop-tail` has no table of worked cases"),
            (7, "`pi` has no table of worked cases"),
            (5, "`drop-tail` has no page"),
            (7, "`pi` has no page"),
        ];
        for (removed, (line, message)) in messages.into_iter().enumerate() {
            let mut files = FILES.to_vec();
            files.remove(removed);
            assert_eq!(wrong(&files), [(line, message.to_owned())]);
        }
    }

    #[test]
    fn the_table_of_another_scheme_does_not_count() {
        let mut files = FILES.to_vec();
        files[3].0 = "crates/aqm/tests/tables/pi-two";
        assert_eq!(wrong(&files), [(7, "`pi` has no table of worked cases".to_owned())]);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_found() {
        assert_eq!(check(&Tree::of(&[])).len(), 1);
        assert_eq!(check(&Tree::of(&[(LIST, "pub mod red;\n")])).len(), 1);
    }
}
