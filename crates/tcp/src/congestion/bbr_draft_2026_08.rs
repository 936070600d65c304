//! BBR of the IETF: draft-ietf-ccwg-bbr, edition of August 2026; the rules are in `bbr_v3.rs`.
//!
//! What it has and Linux's branch of 2023 has not:
//!
//! - what drains goes on after three rounds, whatever is in the network;
//! - a pace of 0.5 in drain and of 0.9 in down, where that has 0.34 and 0.91;
//! - a mistaken recovery that had ended a search for bandwidth leads back to it;
//! - a window that is what it was when a recovery is over, not only after a timeout;
//! - places of losses are counted, not acknowledgements that show one;
//! - what is too high is told by lost segments alone;
//! - packets marked "congestion experienced" are taken for losses, of which it asks no more than that they
//!   count as congestion (its section on ECN).

use super::Habits;
use super::bbr_v3::{Bbr, Edition};
use super::path_model::Quanta;

/// The controller.
pub(crate) type Controller = Bbr<Draft>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { needs_pacing: true, models_path: true, ..Habits::NONE };

#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft;

impl Edition for Draft {
    const DRAFT: bool = true;
    const DRAIN: (f64, f64) = (0.5, 2.0);
    const DOWN_PACE: f64 = 0.9;
    const QUANTA: Quanta = Quanta::MILLISECOND;
}
