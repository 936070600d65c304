//! Source checks that no compiler makes, as a test of the tree and as a program.
//!
//! `cargo test -p aqmlab-tidy` fails while anything is untidy; `cargo run -p aqmlab-tidy` lists the same
//! findings, each with its place, what was expected and how to mend it.
//!
//! A check is a function from the [`Tree`] to [`Finding`]s, in a file of its own under `checks/`, with tests
//! that show it fail on a source made up for the purpose. [`checks::ALL`] lists them. There is no list of
//! exceptions: a rule that needs one is changed here, where everybody sees it.
#![deny(missing_docs)]

pub mod checks;
mod finding;
mod ignored;
mod manifest;
mod parts;
mod rust;
mod tree;
mod words;

pub use finding::Finding;
pub use tree::Tree;

/// Everything that is wrong with the tree, in the order of its files.
#[must_use]
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let mut all: Vec<Finding> = checks::ALL.iter().flat_map(|check| check(tree)).collect();
    all.sort();
    all
}
