//! Crates import in one direction only, so that a model can be understood, tested and used by itself.
//!
//! `units <- random <- {aqm <- link, tcp, web} <- scenario <- driver <- {sim, live} <- python`,
//! `units <- record <- {session, driver, python}`, `units <- wire <- {tcp, sim, live, python}`,
//! `record <- applications <- {session, scenario, driver}`, `{web, record} <- session <- {scenario, driver}`;
//! `aqm <- transport <- {session, scenario, sim}`;
//! `declared <- {aqm, tcp, web} <- plugin <- python`; `aqm <- aqm-c`; `{record, scenario, sim} <- browser`.

use crate::finding::Finding;
use crate::manifest;
use crate::tree::Tree;

/// Which crates of the workspace each crate may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("random", &["units"]),
    ("wire", &["units"]),
    ("declared", &[]),
    ("aqm", &["units", "random", "declared"]),
    ("link", &["units", "random", "aqm"]),
    ("tcp", &["units", "random", "wire", "declared"]),
    ("web", &["units", "random", "declared"]),
    ("aqm-c", &["units", "random", "aqm"]),
    ("plugin", &["units", "random", "aqm", "tcp", "web"]),
    ("record", &["units"]),
    ("applications", &["units", "random", "record"]),
    ("transport", &["units", "random", "aqm"]),
    ("session", &["units", "random", "web", "record", "applications", "transport"]),
    ("scenario", &["units", "random", "aqm", "link", "tcp", "web", "applications", "transport", "session"]),
    ("driver", &["units", "random", "aqm", "link", "web", "record", "applications", "session", "scenario"]),
    (
        "sim",
        &[
            "units",
            "random",
            "wire",
            "aqm",
            "link",
            "tcp",
            "web",
            "record",
            "applications",
            "session",
            "scenario",
            "driver",
            "transport",
        ],
    ),
    (
        "live",
        &[
            "units",
            "random",
            "wire",
            "aqm",
            "link",
            "tcp",
            "web",
            "record",
            "applications",
            "session",
            "scenario",
            "driver",
        ],
    ),
    ("browser", &["record", "scenario", "sim"]),
    (
        "python",
        &[
            "units",
            "random",
            "wire",
            "aqm",
            "link",
            "plugin",
            "tcp",
            "web",
            "record",
            "applications",
            "scenario",
            "driver",
            "sim",
            "live",
        ],
    ),
];

const PREFIX: &str = "aqmlab-";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, path, text) in tree.crates("crates") {
        let Some(&(_, allowed)) = MAY_IMPORT.iter().find(|(known, _)| *known == name) else {
            findings.push(unknown(path, name));
            continue;
        };
        let forbidden = imports(text).into_iter().filter(|(_, import)| !allowed.contains(import));
        findings.extend(forbidden.map(|(line, import)| against(path, line, name, import, allowed)));
    }
    findings
}

/// The crates of the workspace that a manifest names as dependencies, of tests and builds too, with their
/// lines.
fn imports(text: &str) -> Vec<(usize, &str)> {
    let mut imports = Vec::new();
    for entry in manifest::entries(text) {
        if !entry.section.contains("dependencies") {
            continue;
        }
        // Of a section `[dependencies.name]` only its first line counts.
        let section = if entry.key.is_empty() { entry.section } else { "" };
        for place in [section, entry.key, entry.value] {
            let named = place.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
            imports.extend(named.filter_map(|word| Some((entry.line, word.strip_prefix(PREFIX)?))));
        }
    }
    imports
}

fn against(path: &str, line: usize, name: &str, import: &str, allowed: &[&str]) -> Finding {
    let allowed =
        if allowed.is_empty() { "nothing of this workspace".to_owned() } else { allowed.join(", ") };
    Finding::new(
        path,
        line,
        format!("`{name}` imports `{import}`"),
        format!("`{name}` imports at most: {allowed}"),
        "move what is needed to a crate below both, or hand it in as a value from a crate above both",
    )
}

fn unknown(path: &str, name: &str) -> Finding {
    Finding::new(
        path,
        1,
        format!("it is not said what the crate `{name}` may import"),
        "a line for every crate",
        "add one to MAY_IMPORT in tools/tidy/src/checks/import_directions.rs",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(manifest: &str, path: &str) -> Vec<(usize, String)> {
        check(&Tree::of(&[(path, manifest)])).into_iter().map(|one| (one.line, one.wrong)).collect()
    }

    #[test]
    fn models_that_import_one_another_are_found_in_every_spelling() {
        let expected = |line| vec![(line, "`aqm` imports `tcp`".to_owned())];
        for (manifest, line) in [
            ("[dependencies]\naqmlab-units.workspace = true\naqmlab-tcp.workspace = true\n", 3),
            ("[dev-dependencies]\naqmlab-tcp = { path = \"../tcp\" }\n", 2),
            ("[dependencies]\nserde = \"1\"\n[dependencies.aqmlab-tcp]\nworkspace = true\n", 3),
            ("[dependencies]\nsegments = { package = \"aqmlab-tcp\", path = \"../tcp\" }\n", 2),
            ("[target.'cfg(unix)'.dependencies]\naqmlab-tcp.workspace = true\n", 2),
        ] {
            assert_eq!(wrong(manifest, "crates/aqm/Cargo.toml"), expected(line), "{manifest}");
        }
    }

    #[test]
    fn allowed_imports_and_other_sections_are_not_found() {
        let manifest = "[package]\nname = \"aqmlab-sim\"\n[dependencies]\naqmlab-record.workspace = true\n# aqmlab-python\n";
        assert_eq!(wrong(manifest, "crates/sim/Cargo.toml"), []);
    }

    #[test]
    fn the_table_itself_has_no_cycle() {
        for (position, (name, allowed)) in MAY_IMPORT.iter().enumerate() {
            for import in *allowed {
                let below = MAY_IMPORT[..position].iter().any(|(earlier, _)| earlier == import);
                assert!(below, "`{name}` may import `{import}`, which does not stand above it");
            }
        }
    }

    #[test]
    fn a_crate_without_a_line_in_the_table_is_found() {
        assert_eq!(wrong("[package]\n", "crates/nobody/Cargo.toml").len(), 1);
    }
}
