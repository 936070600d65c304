//! Quantities of the laboratory: [`Time`], [`Span`], [`Rate`], [`Bytes`], [`Packets`], [`Probability`].
//!
//! A quantity is a number with its unit in its type, so that a length in packets cannot be compared with a
//! length in bytes and a deadline cannot be mistaken for a delay. All are integers inside, except
//! [`Probability`], which is a checked `f64`.
//!
//! The rules, everywhere:
//! - `Time - Time = Span`, `Time + Span = Time`; nothing else mixes the two;
//! - a subtraction that would go negative panics with both values: time never runs backwards;
//! - a division says how it rounds.
//!
//! [`identifier!`] declares the numbers by which a run tells things apart.
#![deny(missing_docs)]

mod identifier;
mod probability;
mod rate;
mod size;
mod time;

pub use probability::{OutOfRange, Probability};
pub use rate::{Rate, TransmissionClock};
pub use size::{Bytes, Packets};
pub use time::{Span, Time};
