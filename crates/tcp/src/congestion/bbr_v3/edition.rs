//! In what the editions differ.

use super::super::path_model::Quanta;
use std::fmt::Debug;

/// The numbers and rules of an edition. A gain is a pace in parts of the rate, or a window in parts of what
/// the path holds.
pub(crate) trait Edition: Copy + Debug {
    /// Whether it is the draft's and not Linux's.
    const DRAFT: bool = false;
    /// Whether it is version 2: a search upward ends with a queue, not where the rate ceases to grow.
    const VERSION_2: bool = false;
    /// Whether growth is told by the greatest rate, once in a round, and not by each sample.
    const GROWS_BY_GREATEST: bool = false;
    /// Pace and window of startup.
    const STARTUP: (f64, f64) = (2.77, 2.0);
    /// Of drain.
    const DRAIN: (f64, f64) = (88.0 / 256.0, 2.0);
    /// The pace of down.
    const DOWN_PACE: f64 = 232.0 / 256.0;
    /// The window of up.
    const UP_WINDOW: f64 = 2.25;
    /// What leaves together.
    const QUANTA: Quanta = Quanta::VERSION_3;
    /// Places of losses in a round of a recovery that end startup.
    const PLACES: u32 = 6;
}
