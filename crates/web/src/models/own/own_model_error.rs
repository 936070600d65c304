//! Why a model from outside cannot be used.

use std::fmt::Display;

/// Why a model from outside has no page: what is wrong comes apart from what would be legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wrong}; legal: {legal}")]
pub struct OwnModelError {
    /// What is wrong, with its place.
    pub wrong: String,
    /// What would be legal, in words.
    pub legal: String,
}

impl OwnModelError {
    /// What is wrong, and what would be legal.
    pub fn new(wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), legal: legal.into() }
    }

    /// The same with its place, or with the place that its own place is in.
    #[must_use]
    pub fn at(self, place: impl Display) -> Self {
        Self { wrong: format!("{place}: {}", self.wrong), ..self }
    }
}
