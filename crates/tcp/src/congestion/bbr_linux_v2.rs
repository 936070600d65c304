//! BBR version 2: `tcp_bbr2.c` of Google's branch v2alpha, as it was from 2019 to 2022 (kernel 5.13 of
//! August 2021); the rules are in `bbr_v3/`, where version 3 has its own.
//!
//! What it has and version 3 has not:
//!
//! - startup and drain have a window of 2.89 times what the path holds, and startup a pace of 2.89 times
//!   the rate;
//! - the greatest rate of a round tells whether it still grows;
//! - eight acknowledgements of a round that show a loss end startup, and the bound that follows is what the
//!   path holds, whatever arrived in the round;
//! - down has a pace of 0.75, up a window of 2;
//! - a quantum may be one segment below 1.2 Mbit/s;
//! - a round trip as short as the least of five seconds puts off the search for a shorter one;
//! - up ends after a round trip with 1.25 times of what the path holds in the network, whether or not the
//!   rate still grows;
//! - what has arrived counts for the long bound only without a pause while the window is full.
//!
//! It answers marks if it is told to (`ecn_enable`, off by default): `bbr_v3/marks.rs`. Google's hosts then
//! echo each segment's mark, as DCTCP's do (`exact_echo`), and send ECT(0).
//!
//! Departures and silences: those of version 3; what is sent again is not ECN-capable, where Google's kernel
//! marks every segment so; probing again after marks (`ecn_reprobe_gain`) is off there and left out.

use super::Habits;
use super::answers_marks::AnswersMarks;
use super::bbr_v3::{Bbr, Edition};
use super::path_model::Quanta;

/// The controller.
pub(crate) type Controller = Bbr<Version2>;

/// What its hosts do.
pub(super) const HABITS: Habits = Habits {
    needs_pacing: true,
    models_path: true,
    answers_marks: Some(AnswersMarks::Never),
    ..Habits::NONE
};

/// 2 / ln 2 in 1/256.
pub(super) const HIGH_GAIN: f64 = 739.0 / 256.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Version2;

impl Edition for Version2 {
    const VERSION_2: bool = true;
    const GROWS_BY_GREATEST: bool = true;
    const STARTUP: (f64, f64) = (HIGH_GAIN, HIGH_GAIN);
    const DRAIN: (f64, f64) = (88.0 / 256.0, HIGH_GAIN);
    const DOWN_PACE: f64 = 0.75;
    const UP_WINDOW: f64 = 2.0;
    const QUANTA: Quanta = Quanta::VERSION_2;
    const PLACES: u32 = 8;
}
