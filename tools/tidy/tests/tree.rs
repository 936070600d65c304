//! The sources of this repository pass every check.

use aqmlab_tidy::{Tree, findings};
use std::path::Path;

#[test]
fn the_tree_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::read(&root).expect("the tree can be read");
    assert!(tree.text("tools/tidy/src/lib.rs").is_some(), "this is not the tree: {}", root.display());

    let findings = findings(&tree);
    let listed: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} findings\n\n{}\n", findings.len(), listed.join("\n\n"));
}
