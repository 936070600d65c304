//! The names of what schemes from outside observe: kept for the rest of the program, each once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Every name that was asked for.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A name of [`Traits::observed`](crate::Traits::observed): the same text at every call, however many schemes
/// are built with it.
#[must_use]
pub fn observed_name(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = name.to_owned().leak();
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once_however_often_it_is_asked_for() {
        let first = observed_name("average_packets");
        for _ in 0..1_000 {
            let again = observed_name(&String::from("average_packets"));
            assert!(std::ptr::eq(again, first), "another copy was kept");
        }
        assert_ne!(observed_name("average_bytes"), first);
    }
}
