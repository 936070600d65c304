//! BBR version 3 as Google's branch of Linux has it, `tcp_bbr.c` of 2023; the rules are in `bbr_v3.rs`.
//!
//! What it has and the draft of August 2026 has not:
//!
//! - drain lasts until no more is in the network than the path holds at the greatest rate, at 0.34;
//! - what is too high is also told by the newest segment that has arrived;
//! - cruise begins with a short bound within the long one;
//! - aggregation adds what arrives in a tenth of a second at most; the rate explains whole segments of it;
//! - in startup the window grows freely up to twice the initial one;
//! - a quantum is larger at round trips below 5 ms, and never one segment;
//! - the least round trip lasts ten seconds from the end of a search that found it, or found it again;
//! - an acknowledgement of nothing new leaves the window to the bounds;
//! - six acknowledgements of a round that show a loss, where the draft counts places;
//! - a timeout is a reason to look for bandwidth again.
//!
//! It answers marks if it is told to (the route's feature `ecn_low`), up to 5 ms of round trip:
//! `bbr_v3/marks.rs`. Its hosts then echo each segment's mark (`exact_echo`), and send ECT(0).
//!
//! Departures and silences: protective load balancing and the short cut for what the application limits are
//! left out; a loss is counted in the place where it is, as the draft does; without an answer to marks they
//! leave the bounds alone.

use super::Habits;
use super::answers_marks::AnswersMarks;
use super::bbr_v3::{Bbr, Edition};

/// The controller.
pub(crate) type Controller = Bbr<Version3>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits {
    needs_pacing: true,
    models_path: true,
    answers_marks: Some(AnswersMarks::Never),
    ..Habits::NONE
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Version3;

impl Edition for Version3 {}
