//! Why a model of users cannot be made.

use crate::{FileError, ParameterError};

/// Why a model of users cannot be made from its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A parameter is outside its legal range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A file that a parameter names cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A model from outside this crate cannot be used.
    #[error("`{key}`: {wrong}; legal: {legal}")]
    Own {
        /// The key of the model's table that it is about.
        key: String,
        /// What is wrong.
        wrong: String,
        /// What would be legal, in words.
        legal: String,
    },
}

impl ModelError {
    /// What is wrong with a model from outside, at a key of its table.
    pub fn own(key: impl Into<String>, wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::Own { key: key.into(), wrong: wrong.into(), legal: legal.into() }
    }
}
