//! The checks, one file each.

use crate::finding::Finding;
use crate::tree::Tree;

mod comment_width;
mod crate_manners;
mod experiments;
mod file_length;
mod file_size;
mod function_length;
mod import_circles;
mod import_directions;
mod links;
mod machine_paths;
mod names;
mod pending;
mod purity;
mod schemes;

/// A check: from the tree to what is wrong with it.
pub type Check = fn(&Tree) -> Vec<Finding>;

/// Every check.
pub const ALL: &[Check] = &[
    comment_width::check,
    crate_manners::check,
    experiments::check,
    file_length::check,
    file_size::check,
    function_length::check,
    import_circles::check,
    import_directions::check,
    links::check,
    machine_paths::check,
    names::check,
    pending::check,
    purity::check,
    schemes::check,
];
