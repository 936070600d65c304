//! BBR version 3 as Google's branch of Linux has it, `tcp_bbr.c` of 2023; the rules are in `bbr_v3.rs`.
//!
//! What it has and the draft of August 2026 has not:
//!
//! - drain lasts until no more is in the network than the path holds at the greatest rate, at 0.34;
//! - what is too high is also told by the newest segment that has arrived;
//! - cruise begins with a short bound within the long one;
//! - aggregation adds what arrives in a tenth of a second at most;
//! - in startup the window grows freely up to twice the initial one;
//! - six acknowledgements of a round that show a loss, where the draft counts places;
//! - a timeout is a reason to look for bandwidth again.
//!
//! Departures and silences: its answer to marks, for networks with marks below 5 ms of round trip, is left
//! out, with protective load balancing and the short cut for what the application limits; a loss is counted
//! in the place where it is, as the draft does.

use super::Habits;

/// The controller.
pub(crate) type Controller = super::bbr_v3::Bbr<false>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits { needs_pacing: true, models_path: true, ..Habits::NONE };
