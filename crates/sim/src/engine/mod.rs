//! The engine: the clock of a run, and everything that is pending in it, in the order in which it happens.

mod event_queue;
mod transmissions;
mod wheel;

pub(crate) use event_queue::{DELAYED, EventKind, EventQueue};
pub(crate) use wheel::Rank;
