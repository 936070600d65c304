//! From text to a tree of values that remember where they were written.

mod overrides;
mod parse;
mod tree;

pub(crate) use overrides::apply_overrides;
pub(crate) use parse::{from_json, json_tree, toml_tree};
pub(crate) use tree::{Node, Value};
