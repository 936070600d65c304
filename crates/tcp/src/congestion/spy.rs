//! Writes down what controllers of this thread are told, for tests of the sender that tells them.

use super::Acknowledged;
use std::cell::RefCell;

thread_local! {
    /// None until somebody asks.
    static TOLD: RefCell<Option<Vec<Acknowledged>>> = const { RefCell::new(None) };
}

pub(crate) fn write_down(acknowledged: &Acknowledged) {
    TOLD.with_borrow_mut(|told| {
        if let Some(told) = told {
            told.push(*acknowledged);
        }
    });
}

/// What they were told since this was asked last.
pub(crate) fn read() -> Vec<Acknowledged> {
    TOLD.with_borrow_mut(|told| told.replace(Vec::new()).unwrap_or_default())
}
