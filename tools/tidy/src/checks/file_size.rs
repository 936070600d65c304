//! The repository holds no large files: who clones it takes every one of them along for good.

use crate::finding::Finding;
use crate::tree::{LARGEST_FILE_BYTES, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let large = tree.sizes().filter(|&(_, bytes)| bytes > LARGEST_FILE_BYTES);
    large
        .map(|(path, bytes)| {
            Finding::new(
                path,
                1,
                format!("{bytes} bytes"),
                format!("at most {LARGEST_FILE_BYTES}"),
                "keep it out of the repository (`.gitignore`), or keep the program that makes it instead",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_above_the_limit_is_found() {
        let tree = Tree::of(&[("a.rs", "")]).and_unread("b.bin", 2_000_000).and_unread("c.bin", 2_000_001);
        let found: Vec<_> = check(&tree).into_iter().map(|one| one.path).collect();
        assert_eq!(found, ["c.bin"]);
    }
}
