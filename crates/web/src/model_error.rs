//! Why a model of users cannot be made.

use crate::{CdfFileError, PagesFileError, ParameterError, VectorsFileError};

/// Why a model of users cannot be made from its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A parameter is outside its legal range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A CDF file cannot be used.
    #[error(transparent)]
    File(#[from] CdfFileError),
    /// A file of pages cannot be used.
    #[error(transparent)]
    Pages(#[from] PagesFileError),
    /// A file of connection vectors cannot be used.
    #[error(transparent)]
    Vectors(#[from] VectorsFileError),
}
