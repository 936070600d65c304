//! BBR version 2 as an L4S sender: `tcp_bbr2.c` of the L4S team's kernel 5.15.72 of November 2022; the
//! rules are in `bbr_v3/`.
//!
//! What it has and `bbr_linux_v2.rs` has not:
//!
//! - it answers marks at any round trip, and sends ECT(1) where the peer tells how many there were
//!   (accurate ECN);
//! - each sample tells whether the rate of startup still grows, as in version 3;
//! - down has a pace of 0.91, up a window of 2.25, as in version 3.
//!
//! Departures and silences: those of `bbr_linux_v2.rs`.

use super::Habits;
use super::answers_marks::AnswersMarks;
use super::bbr_linux_v2::HIGH_GAIN;
use super::bbr_v3::{Bbr, Edition};
use super::path_model::Quanta;

/// The controller.
pub(crate) type Controller = Bbr<L4s>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits {
    needs_accurate_ecn: true,
    needs_pacing: true,
    models_path: true,
    answers_marks: Some(AnswersMarks::Always),
    ..Habits::NONE
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct L4s;

impl Edition for L4s {
    const VERSION_2: bool = true;
    const STARTUP: (f64, f64) = (HIGH_GAIN, HIGH_GAIN);
    const DRAIN: (f64, f64) = (88.0 / 256.0, HIGH_GAIN);
    const QUANTA: Quanta = Quanta::VERSION_2;
    const PLACES: u32 = 8;
}
