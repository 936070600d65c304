//! What a caller can see and do while a run is under way.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Shared with the thread that runs: progress out, cancellation in.
#[derive(Debug, Default)]
pub struct Control {
    progress_per_mille: AtomicU32,
    cancelled: AtomicBool,
    /// Whether the caller wants the run to stop; asked whenever the run looks.
    is_interrupted: Option<fn() -> bool>,
}

impl Control {
    /// A control that also asks whether the run is to stop, as often as the run looks.
    #[must_use]
    pub fn interruptible(is_interrupted: fn() -> bool) -> Self {
        Self { is_interrupted: Some(is_interrupted), ..Self::default() }
    }

    /// Share of the simulated time that has passed, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        f64::from(self.progress_per_mille.load(Ordering::Relaxed)) / 1000.0
    }

    /// Asks the run to stop: it ends with [`RunError::Cancelled`] as soon as it looks, which it does every
    /// few milliseconds while it simulates, and every few thousand users and flows while they are made. Once
    /// the end of the simulated time is reached, what was recorded is put in order, and a run is not stopped
    /// any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Says which share of the time has passed, 0 to 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share is 0 to 1
    pub fn report(&self, share: f64) {
        self.progress_per_mille.store((share * 1000.0) as u32, Ordering::Relaxed);
    }

    /// Says that all of it has.
    pub fn report_done(&self) {
        self.report(1.0);
    }

    /// Fails if the caller asked for it.
    ///
    /// # Errors
    /// [`RunError::Cancelled`].
    pub fn check(&self) -> Result<(), RunError> {
        let is_cancelled = self.cancelled.load(Ordering::Relaxed);
        let is_unwanted = is_cancelled || self.is_interrupted.is_some_and(|is_interrupted| is_interrupted());
        if is_unwanted { Err(RunError::Cancelled) } else { Ok(()) }
    }
}

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The caller asked for it.
    Cancelled,
    /// The scenario is legal but larger than this simulator can hold.
    TooLarge(String),
    /// A traffic model cannot be made from its parameters (a CDF file, for example).
    Model(String),
    /// The scenario is legal but not one that can be taken step by step.
    Steps(String),
    /// A law that every run must obey does not hold: a bug of ours, never of the scenario.
    Invariant(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "the run was cancelled"),
            Self::TooLarge(what) => write!(f, "the scenario is too large for the simulator: {what}"),
            Self::Steps(what) => write!(f, "the scenario cannot be taken step by step: {what}"),
            Self::Model(what) => write!(f, "the traffic model cannot be made: {what}"),
            Self::Invariant(what) => write!(f, "the simulator failed a consistency check (a bug): {what}"),
        }
    }
}

impl std::error::Error for RunError {}
