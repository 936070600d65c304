//! Why there is no live run.

use std::io;

/// Why a live run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The scenario asks for something that only the simulator has, or the machine cannot do.
    #[error("{0}")]
    Unsupported(String),
    /// A namespace, a device or a socket could not be set up.
    #[error("{what}: {error}")]
    Setup {
        /// What was to be done.
        what: String,
        /// What the system said.
        error: io::Error,
    },
    /// Something that every run needs is missing on this machine; `aqmlab doctor` says how to get it.
    #[error("{0}; `aqmlab doctor` lists the requirements and remedies")]
    Missing(String),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled,
    /// A traffic model cannot be made, or a law that every run must obey does not hold.
    #[error("{0}")]
    Run(String),
}

impl LiveError {
    /// The system refused something.
    pub(crate) fn setup<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        |error| Self::Setup { what, error: error.into() }
    }
}
