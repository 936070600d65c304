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
}
