//! What a scenario is to any driver, in virtual time or in real time.
//!
//! Both drivers call the same applications, give connections the same delays, put the same ports in front of
//! links, and leave the same tables and summaries behind. What is here knows no clock and carries no packet.
//!
//! | where | idea |
//! | --- | --- |
//! | `wiring/` | before a run: applications, places, links and ports of a scenario |
//! | `telling/` | during and after it: samples, tables, summaries, warnings; stands on `wiring` |
//! | `window.rs`, `control.rs` | what of a run counts, and whether it may end behind that; its caller |
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod control;
mod telling;
mod window;
mod wiring;

pub use control::{Control, RunError};
pub use telling::*;
pub use window::{may_end_in_cool_down, measured_window};
pub use wiring::*;
