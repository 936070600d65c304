//! Every scenario under `python/aqmlab/experiments/` is used by the experiment in whose folder it lies.

use crate::finding::Finding;
use crate::parts;
use crate::tree::Tree;

const FOLDER: &str = "python/aqmlab/experiments/";
/// The document that names the others: of a study, and of the ledger of what others measured.
const NAMING: [&str; 2] = ["experiment.toml", "ledger.toml"];

/// Read by their names, in every experiment.
const FIXED: [&str; 2] = ["tolerances.toml", "differences.toml"];

/// The folder whose files are found by it: `aqmlab reproduce STUDY --proof NAME` knows them all.
const PROOFS: &str = "proofs/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let documents = tree.with_extension("toml").filter_map(|(path, _)| {
        let (experiment, inside) = path.strip_prefix(FOLDER)?.split_once('/')?;
        (!NAMING.contains(&inside) && !FIXED.contains(&inside) && !inside.starts_with(PROOFS))
            .then_some((path, experiment, inside))
    });
    documents
        .filter(|&(_, experiment, inside)| {
            let mut naming =
                NAMING.iter().filter_map(|name| tree.text(&format!("{FOLDER}{experiment}/{name}")));
            !naming.any(|text| names(text, inside))
        })
        .map(|(path, experiment, inside)| finding(path, experiment, inside))
        .collect()
}

/// Whether a string of the document is this path.
fn names(document: &str, inside: &str) -> bool {
    parts::of_toml(document).strings.split_whitespace().any(|string| string == inside)
}

fn finding(path: &str, experiment: &str, inside: &str) -> Finding {
    Finding::new(
        path,
        1,
        "a scenario that its experiment does not use",
        format!("`\"{inside}\"` in {FOLDER}{experiment}/{}", NAMING[0]),
        "name it there, or remove it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(experiment: &str) -> Vec<String> {
        let files = [
            ("python/aqmlab/experiments/le2003/experiment.toml", experiment),
            ("python/aqmlab/experiments/le2003/tolerances.toml", ""),
            ("python/aqmlab/experiments/le2003/differences.toml", ""),
            ("python/aqmlab/experiments/le2003/scenario.toml", ""),
            ("python/aqmlab/experiments/le2003/proofs/prices.toml", ""),
            ("python/aqmlab/experiments/le2003/parts/uncongested.toml", ""),
        ];
        check(&Tree::of(&files)).into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn a_scenario_that_is_not_named_is_found() {
        assert_eq!(wrong("scenario = \"scenario.toml\"\ntwin = \"parts/uncongested.toml\"\n"), [""; 0]);
        let unused = "scenario = \"scenario.toml\"\n# twin = \"parts/uncongested.toml\"\n";
        assert_eq!(wrong(unused), ["python/aqmlab/experiments/le2003/parts/uncongested.toml"]);
    }

    #[test]
    fn the_ledger_names_its_sources() {
        let files = [
            ("python/aqmlab/experiments/strangers/ledger.toml", "sources = [\"one.toml\"]\n"),
            ("python/aqmlab/experiments/strangers/one.toml", ""),
            ("python/aqmlab/experiments/strangers/two.toml", ""),
        ];
        let wrong: Vec<_> = check(&Tree::of(&files)).into_iter().map(|one| one.path).collect();
        assert_eq!(wrong, ["python/aqmlab/experiments/strangers/two.toml"]);
    }

    #[test]
    fn a_longer_name_is_another_name() {
        assert_eq!(
            wrong("a = [\"old_scenario.toml\", \"parts/uncongested.toml\"]\n"),
            ["python/aqmlab/experiments/le2003/scenario.toml"]
        );
    }

    #[test]
    fn a_scenario_without_an_experiment_is_found() {
        assert_eq!(check(&Tree::of(&[("python/aqmlab/experiments/a/scenario.toml", "")])).len(), 1);
    }
}
