//! Every crate opens with the page a newcomer needs, documents what it offers and takes the workspace's
//! lints.

use crate::finding::Finding;
use crate::manifest;
use crate::tree::Tree;

const FEWEST_LINES: usize = 5;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for above in ["crates", "tools"] {
        for (name, manifest, text) in tree.crates(above) {
            findings.extend(lints(manifest, text));
            let library = format!("{above}/{name}/src/lib.rs");
            match tree.text(&library) {
                Some(text) => {
                    findings.extend(module_doc(&library, text));
                    findings.extend(missing_docs(&library, name, text));
                }
                None => findings.push(no_library(manifest, &library)),
            }
        }
    }
    findings
}

fn no_library(manifest: &str, library: &str) -> Finding {
    Finding::new(manifest, 1, "a crate without a library", library, "put what can be tested into a library")
}

fn lints(manifest: &str, text: &str) -> Option<Finding> {
    let takes =
        manifest::entries(text).iter().any(|e| (e.section, e.key, e.value) == ("lints", "workspace", "true"));
    (!takes).then(|| {
        let wrong = "this crate does not take the workspace's lints";
        Finding::new(manifest, 1, wrong, "`[lints]` with `workspace = true`", "add the two lines")
    })
}

fn module_doc(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().take_while(|line| line.starts_with("//!")).count();
    (lines < FEWEST_LINES).then(|| {
        let expected = format!("at least {FEWEST_LINES}");
        let mend = "say what the crate is for, what it offers and what it refuses to know";
        Finding::new(path, 1, format!("opens with {lines} lines of module documentation"), expected, mend)
    })
}

/// The glue to Python is documented where Python sees it; there a warning is enough.
fn missing_docs(path: &str, name: &str, text: &str) -> Option<Finding> {
    let levels: &[&str] = if name == "python" { &["deny", "forbid", "warn"] } else { &["deny", "forbid"] };
    let accepted: Vec<String> = levels.iter().map(|level| format!("#![{level}(missing_docs)]")).collect();
    let has = text.lines().any(|line| accepted.iter().any(|accepted| line == accepted));
    (!has).then(|| {
        let mend = "add it, and document what it then points at: meaning, units, ranges, panics, errors";
        Finding::new(path, 1, "undocumented items pass", format!("`{}`", accepted.join("` or `")), mend)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\n[lints]\nworkspace = true\n";
    const LIBRARY: &str = "//! One.\n//!\n//! Three\n//! four\n//! five.\n#![deny(missing_docs)]\n";

    fn wrong(name: &str, manifest: &str, library: &str) -> Vec<String> {
        let (a, b) = (format!("crates/{name}/Cargo.toml"), format!("crates/{name}/src/lib.rs"));
        check(&Tree::of(&[(&a, manifest), (&b, library)])).into_iter().map(|one| one.wrong).collect()
    }

    #[test]
    fn a_crate_with_good_manners_is_not_found() {
        assert_eq!(wrong("aqm", MANIFEST, LIBRARY), [""; 0]);
    }

    #[test]
    fn each_lapse_is_found() {
        assert_eq!(wrong("aqm", "[package]\n", LIBRARY), ["this crate does not take the workspace's lints"]);
        let short = LIBRARY.replace("//! four\n", "");
        assert_eq!(wrong("aqm", MANIFEST, &short), ["opens with 4 lines of module documentation"]);
        let loose = LIBRARY.replace("deny", "warn");
        assert_eq!(wrong("aqm", MANIFEST, &loose), ["undocumented items pass"]);
        assert_eq!(wrong("aqm", MANIFEST, &LIBRARY.replace("#!", "// #!")), ["undocumented items pass"]);
        assert_eq!(check(&Tree::of(&[("tools/a/Cargo.toml", MANIFEST)])).len(), 1);
    }

    #[test]
    fn a_warning_is_enough_for_the_glue_to_python() {
        assert_eq!(wrong("python", MANIFEST, &LIBRARY.replace("deny", "warn")), [""; 0]);
        assert_eq!(wrong("python", MANIFEST, &LIBRARY.replace("deny", "allow")).len(), 1);
    }
}
